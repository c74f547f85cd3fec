"""Whether a bot contradicts itself: by rules on threads written for it, and by a judge where rules leave it open."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from contradiction_threads import CONSISTENT, CONTRADICTING, LEFT_TO_A_JUDGE, as_messages
from openai_server import Answer, OpenAIServer

from assay.eval_sets import Sample
from assay.languages import load_language
from assay.metrics import Consistent
from assay.metrics.catalogue import load_metric, needs_judge
from assay.metrics.claim_comparison import compare, merge_families, read_statement
from assay.metrics.consistent import MOST_CLAIMS, compare_claims
from assay.metrics.score import Score

Make = Callable[..., Any]


def thread(language: str, *texts: str) -> Sample:
    return Sample.model_validate({"id": "s1", "language": language, "messages": as_messages(texts)})


def assess(sample: Sample, metric: Consistent | None = None) -> Score:
    return asyncio.run((metric or Consistent()).assess(sample))


@pytest.mark.parametrize("texts", CONTRADICTING, ids=lambda texts: f"{texts[0]}:{texts[2]}")
def test_plain_contradictions_are_found(texts: tuple[str, ...]) -> None:
    contradictions = assess(thread(*texts)).evidence["contradictions"]
    assert [entry["later_turn"] for entry in contradictions] == [3]
    assert contradictions[0]["by"] == "rules"


@pytest.mark.parametrize("texts", CONSISTENT, ids=lambda texts: f"{texts[0]}:{texts[2]}")
def test_what_is_no_contradiction(texts: tuple[str, ...]) -> None:
    assert assess(thread(*texts)).value in {1.0, None}


@pytest.mark.parametrize("texts", LEFT_TO_A_JUDGE, ids=lambda texts: f"{texts[0]}:{texts[2]}")
def test_what_rules_leave_to_a_judge(texts: tuple[str, ...]) -> None:
    score = assess(thread(*texts))
    assert score.value == 1.0
    assert score.evidence["pairs_left_open"] == 1


def test_the_share_of_claims() -> None:
    """Four claims (two in turn 1, two in turn 3), of which one contradicts an earlier one: 1 - 1/4."""
    score = assess(
        thread(
            "en",
            "How long does a refund take?",
            "A refund takes 5 days. The money goes to your card.",
            "Sure?",
            "A refund takes 10 days. Sundays do not count.",
        )
    )
    assert score.value == pytest.approx(0.75)
    assert score.evidence["claims_compared"] == 4
    assert score.evidence["contradictions"] == [
        {
            "earlier": "A refund takes 5 days.",
            "later": "A refund takes 10 days.",
            "earlier_turn": 1,
            "later_turn": 3,
            "by": "rules",
            "corrected": False,
            "difference": "number",
        }
    ]


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ("Refund?", "A refund takes 5 days.", "Sure?", "I'm sorry, I made a mistake: a refund takes 10 days.")),
        (
            "nl",
            ("Hoe lang?", "Een terugbetaling duurt 5 dagen.", "Echt?", "Mijn fout: een terugbetaling duurt 10 dagen."),
        ),
        (
            "de",
            ("Wie lange?", "Eine Erstattung dauert 5 Tage.", "Echt?", "Mein Fehler: Eine Erstattung dauert 10 Tage."),
        ),
    ],
)
def test_an_announced_correction_counts_and_is_named(language: str, texts: tuple[str, ...]) -> None:
    """The customer was told two things, though not in silence."""
    (entry,) = assess(thread(language, *texts)).evidence["contradictions"]
    assert entry["corrected"] is True


@pytest.mark.parametrize("texts", [("Hi", "Hello!"), ("Is it free?", "It is free.")])
def test_fewer_than_two_claims_are_skipped(texts: tuple[str, ...]) -> None:
    score = assess(thread("en", *texts))
    assert (score.status, score.value) == ("skipped", None)


def test_a_sample_without_messages_is_skipped() -> None:
    score = assess(Sample(id="1", user_input="Q?", response="A refund takes 5 days. A refund takes 10 days."))
    assert (score.status, score.reason) == ("skipped", "the sample has no messages")


def test_one_answer_may_contradict_itself() -> None:
    score = assess(thread("en", "Refund?", "A refund takes 5 days. Keep the box. A refund takes 10 days."))
    assert [entry["later_turn"] for entry in score.evidence["contradictions"]] == [1]


PAIRS: list[tuple[str, str, str, str]] = [
    ("en", "A refund takes 5 days.", "A refund takes 1 week.", "number"),
    ("en", "A refund takes 5 business days.", "A refund takes 1 week.", ""),  # the same length
    ("en", "A refund takes 7 days.", "A refund takes 1 week.", ""),
    ("en", "A refund takes 5 to 7 days.", "A refund takes 7 days.", ""),
    ("en", "A refund takes about 5 days.", "A refund takes 6 days.", ""),  # about 5 is 3.75 to 6.25
    ("en", "A refund takes about 5 days.", "A refund takes 7 days.", "number"),
    ("en", "A refund takes up to 10 days.", "A refund takes 5 days.", ""),
    ("en", "A refund takes up to 5 days.", "A refund takes 10 days.", "number"),
    ("en", "A refund takes at least 5 days.", "A refund takes 10 days.", ""),
    ("en", "The plan costs 10 euros per month.", "The plan costs 100 euros per year.", ""),
    ("en", "The plan costs 10 euros.", "The plan costs 11 dollars.", ""),
    ("en", "Delivery takes 5 days and costs 4 euros.", "Delivery takes 3 days and costs 9 euros.", ""),  # two slots
    ("en", "Returns are free.", "A return costs 4.95 euros.", "number"),
    ("en", "Returns are not free.", "A return costs 4.95 euros.", ""),
    ("en", "A return is possible.", "A return is impossible.", "yes_no"),
    ("en", "It is not impossible to change the name.", "It is not possible to change the name.", "yes_no"),
    ("en", "If you are a member, delivery is free.", "Delivery costs 5 euros.", ""),
    ("en", "I cannot waive the fee for a bundle.", "I can waive the fee for a bundle.", ""),  # what it is able to now
    ("nl", "Retourneren is gratis.", "Een retour kost € 4,95.", "number"),
    ("nl", "De winkel opent om 9 uur.", "De winkel opent om 10.00 uur.", "time"),
    ("nl", "De winkel opent om 9 uur.", "De winkel opent om 9:00.", ""),
    ("nl", "De winkel is open.", "De winkel is gesloten.", "yes_no"),
    ("de", "Der Laden öffnet um 9 Uhr.", "Der Laden öffnet um 10 Uhr.", "time"),
    ("de", "Die Rücksendung ist möglich.", "Die Rücksendung ist unmöglich.", "yes_no"),
]


@pytest.mark.parametrize(("language", "earlier", "later", "difference"), PAIRS)
def test_the_slot_in_which_two_claims_differ(language: str, earlier: str, later: str, difference: str) -> None:
    pack = load_language(language)
    first, second = merge_families([read_statement(text, turn, pack) for turn, text in enumerate((earlier, later))])
    assert compare(first, second).difference == difference


MEASURES: list[tuple[str, str, str, str]] = [
    ("en", "Sure?", "The fee is 5 euros.", "The fee is 6 euros."),
    ("en", "Sure?", "The fee is 5 euros.", "I made a mistake: the fee is 7 euros."),
    ("en", "How much is it?", "The price is €5.", "Sorry, our price is 6 euros."),
    ("en", "How long?", "The period is 14 days.", "The period is 30 days."),
    ("nl", "Hoeveel?", "De kosten zijn 5 euro.", "De kosten bedragen 6 euro."),
    ("nl", "Zeker?", "De prijs is 5 euro.", "Nee, de prijs is 6 euro."),
    ("nl", "Zeker?", "Het tarief is 5 euro.", "Het tarief bedraagt ongeveer 9 euro."),  # 9 is 6.75 to 11.25
    ("de", "Sicher?", "Die Gebühr beträgt 5 Euro.", "Die Gebühr beträgt 6 Euro."),
    ("de", "Sicher?", "Der Preis ist 5 Euro.", "Der Preis liegt bei 6 Euro."),
    ("de", "Sicher?", "Die Kosten betragen 5 Euro.", "Die Kosten sind 6 Euro."),
]
NO_MEASURES: list[tuple[str, ...]] = [
    ("en", "Sure?", "The fee is 5 euros.", "Sure?", "The fee is 5.00 euros."),
    ("en", "Sure?", "The fee is 5 euros.", "Sure?", "The price is 6 euros."),
    ("en", "Sure?", "The fee is up to 10 euros.", "Sure?", "The fee is 6 euros."),
    ("en", "Sure?", "The price is 5 euros.", "Sure?", "The blue one: the price is 6 euros."),
    ("en", "Sure?", "The minimum fee is 5 euros.", "Sure?", "The maximum fee is 10 euros."),
    ("en", "Sure?", "The price is 5 euros an hour.", "Sure?", "The price is 9 euros for a full day."),
    ("en", "Sure?", "If you pay late, the fee is 5 euros.", "Sure?", "If you pay early, the fee is 2 euros."),
    ("en", "What is the price of the red lamp?", "The price is 5 euros.", "And the blue one?", "The price is 6 euros."),
    ("en", "Sure?", "We have a red lamp. The price is 5 euros.", "Sure?", "We have a blue lamp. The price is 6 euros."),
    ("en", "And option 1?", "The price is 5 euros.", "And option 2?", "The price is 6 euros."),
    ("en", "For 2?", "The price is 5 euros.", "For three?", "The price is 6 euros."),
    ("nl", "Voor 2 personen?", "De prijs is 5 euro.", "Voor drie personen?", "De prijs is 6 euro."),
    ("de", "Und Option 1?", "Der Preis ist 5 Euro.", "Und Option 2?", "Der Preis ist 6 Euro."),
    ("en", "Sure?", "It costs 5 euros.", "Sure?", "It costs 6 euros."),
    ("nl", "Zeker?", "Die kosten 5 euro.", "Zeker?", "Die kosten 6 euro."),  # two things that are pointed at
    ("nl", "Wat kost de rode lamp?", "De prijs is 5 euro.", "En de blauwe?", "De prijs is 6 euro."),
    ("nl", "Zeker?", "De prijs is 5 euro.", "Zeker?", "De kosten zijn 6 euro."),
    ("de", "Sicher?", "Die kosten 5 Euro.", "Sicher?", "Die kosten 6 Euro."),
    ("de", "Was kostet die rote Lampe?", "Der Preis ist 5 Euro.", "Und die blaue?", "Der Preis ist 6 Euro."),
    (
        "en",
        "I have a red lamp which I bought in your shop and which I would like to return this week.",
        "The fee is 5 euros.",
        "And then I have a blue chair which was a gift from my sister and is to go back as well.",
        "The fee is 8 euros.",
    ),
]


@pytest.mark.parametrize(("language", "asked", "earlier", "later"), MEASURES)
def test_what_is_measured_is_the_subject_where_there_is_no_other(
    language: str, asked: str, earlier: str, later: str
) -> None:
    score = assess(thread(language, asked, earlier, asked, later))
    assert [entry["difference"] for entry in score.evidence["contradictions"]] == ["number"]


@pytest.mark.parametrize("texts", NO_MEASURES, ids=lambda texts: f"{texts[0]}:{texts[4]}")
def test_two_measures_of_two_things(texts: tuple[str, ...]) -> None:
    assert assess(thread(*texts)).evidence["contradictions"] == []


def test_a_price_of_what_may_be_another_thing_is_left_to_a_judge() -> None:
    lamps = thread("en", "What is the price?", "The price is 5 euros.", "Is it in stock?", "The price is 6 euros.")
    assert assess(lamps).evidence["pairs_left_open"] == 1


def test_what_no_reader_sees_is_no_claim() -> None:
    hidden = "Refunds are free. <!-- A refund takes 9 days.\nA refund takes 8 days. --> Send it by post."
    score = assess(thread("en", "Refund?", "A refund takes 5 days.", "How?", hidden))
    assert (score.evidence["contradictions"], score.evidence["claims_compared"]) == ([], 3)
    score = assess(thread("en", "Refund?", "A refund takes 5 days.", "How?", "<!-- A refund takes 9 days."))
    assert len(score.evidence["contradictions"]) == 1  # a comment without an end is text


def test_what_two_results_of_tools_say_is_two_things() -> None:
    """Both prices were returned: they may be those of two flights."""
    sample = thread(
        "en",
        "What do flights cost?",
        "CALL search_flights",
        '[{"price": 299}, {"price": 375}]',
        "The total price for the flights is 299 dollars.",
        "And then?",
        "The total price for the flights is 375 dollars.",
    )
    compared = compare_claims(sample)
    assert (compared.contradictions, len(compared.open)) == ([], 1)


def test_a_tool_that_only_reads_changes_nothing() -> None:
    texts = (
        "When does my parcel come?",
        "Your parcel arrives on 5 May.",
        "Could you look again?",
        "CALL get_parcel",
        '{"status": "sent"}',
        "Your parcel arrives on 8 May.",
    )
    assert assess(thread("en", *texts)).value == 0.5
    changed = tuple(text.replace("get_parcel", "change_delivery") for text in texts)
    assert assess(thread("en", *changed)).value == 1.0


def test_the_judge_decides_what_rules_leave_open(judge: Make, decide: Make, openai_server: OpenAIServer) -> None:
    """It is asked once, about both claims and with the conversation; three claims, one contradicts: 2/3."""
    decide(lambda statement: 0.8)
    sample = thread(
        "en",
        "Is Norway included?",
        "Norway is not included in your plan.",
        "Hm.",
        "Your plan works in Norway as well. You keep your number there.",
    )
    assert assess(sample).value == 1.0
    score = assess(sample, Consistent(judge(logprobs=True)))
    assert score.value == pytest.approx(2 / 3)
    (entry,) = score.evidence["contradictions"]
    assert (entry["by"], entry["earlier_turn"], entry["later_turn"]) == ("judge", 1, 3)
    assert entry["probability"] == pytest.approx(0.8, abs=1e-4)
    (request,) = openai_server.requests
    asked = request.body["messages"][-1]["content"]
    assert "[0] Customer: Is Norway included?" in asked
    assert 'It says in turn 1: "Norway is not included in your plan."' in asked


def test_the_judge_is_not_asked_about_what_rules_decide(judge: Make, openai_server: OpenAIServer) -> None:
    sample = thread("en", "Refund?", "A refund takes 5 days.", "Sure?", "A refund takes 10 days.")
    assert assess(sample, Consistent(judge())).value == 0.5
    assert not openai_server.requests


def test_pairs_bounds_what_the_judge_is_asked(judge: Make, decide: Make, openai_server: OpenAIServer) -> None:
    decide(lambda statement: 0.1)
    sample = thread(*LEFT_TO_A_JUDGE[0])
    score = assess(sample, Consistent(judge(logprobs=True), pairs=0))
    assert (score.value, score.evidence["pairs_judged"], score.evidence["pairs_left_open"]) == (1.0, 0, 1)
    assert not openai_server.requests
    with pytest.raises(ValueError, match="pairs is 0 or more"):
        Consistent(pairs=-1)


def test_no_answer_of_the_judge_is_no_score(judge: Make, openai_server: OpenAIServer) -> None:
    openai_server.script = lambda _: Answer(text="Perhaps")
    score = assess(thread(*LEFT_TO_A_JUDGE[0]), Consistent(judge(decide="single")))
    assert (score.status, score.value) == ("failed", None)


def test_a_thousand_claims_take_bounded_time() -> None:
    """Each contradicts the one before it; the first 400 are compared, of which the first has none before it."""
    texts = [text for number in range(1, 1001) for text in ("And?", f"The refund takes {number * 2} days.")]
    score = assess(thread("en", *texts))
    assert score.evidence["claims_compared"] == MOST_CLAIMS
    assert len(score.evidence["contradictions"]) == MOST_CLAIMS - 1
    assert score.evidence["bounds"] == ["only the first 400 of 1,000 claims are compared"]


def test_claims_in_three_languages_do_not_meet() -> None:
    sample = thread(
        "en", "?", "A refund takes 5 days.", "?", "De levering duurt 10 dagen.", "?", "Die Lieferung dauert 3 Tage."
    )
    assert assess(sample).value == 1.0


def test_what_the_bot_quotes_is_not_what_it_says() -> None:
    said = 'The mail says: "A refund takes 10 days." That is out of date.'
    assert assess(thread("en", "Refund?", "A refund takes 5 days.", "The mail says 10?", said)).value == 1.0


def test_the_metric_needs_no_judge() -> None:
    assert not needs_judge("consistent")
    assert load_metric("consistent:pairs=5").name == "consistent:pairs=5"
    assert Consistent.measures == "conversation"
