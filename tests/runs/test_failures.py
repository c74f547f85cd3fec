"""Bad answers by why: which are bad, which texts say why, groups of few and many texts, and their shares."""

import asyncio

import numpy as np
import pytest

from assay.errors import UsageError
from assay.eval_sets import Sample, turn_samples, with_turns
from assay.judges import Embedder
from assay.metrics import Score
from assay.runs import AnswerTable, failure_sentences, read_peoples_texts, select_bad_answers
from assay.runs.failures import failures_as_json, failures_block, group_failures, render_failure_report

WORDS = ("price", "login", "refund", "delivery")


class WordEmbedder(Embedder):
    """A direction for each of a few words, and a little of the text's own: texts of one word are near each other."""

    name = "words"

    async def embed(self, texts):
        return np.array([self._vector(text) for text in texts], dtype=np.float32)

    def _vector(self, text):
        vector = np.random.default_rng(sum(map(ord, text))).normal(0, 0.05, 24)
        vector[: len(WORDS)] += [float(word in text.lower()) for word in WORDS]
        return vector


def rated(number, rating, reason=None, **fields):
    metadata = {} if reason is None else {"reason": reason}
    values = {"id": f"a{number}", "user_input": f"Question {number}?", "response": "So.", "language": "en"}
    return Sample(**{**values, "rating": rating, "metadata": metadata, **fields})


def records(samples, scores=None, run="r1", **directions):
    return AnswerTable(directions, {sample.id: sample for sample in samples}, scores or {}, run=run)


def grouped(run, **options):
    return asyncio.run(group_failures(run, WordEmbedder(), **options))


def claims(*verdicts):
    entries = [{"text": text, "verdict": verdict, "reason": f"P = 0.{len(text)}"} for text, verdict in verdicts]
    return Score(0.5, "scored", "some of it", {"claims": entries})


def planted(count, run="r1", causes=WORDS, good=0):
    samples = [rated(n, 1, f"The {causes[n % len(causes)]} is wrong, case {n}") for n in range(count)]
    return records([*samples, *(rated(count + n, 5) for n in range(good))], run=run)


def test_planted_causes_are_the_groups_with_shares_and_intervals():
    failures = grouped(planted(40, good=40))
    assert [len(group.answers) for group in failures.groups] == [10] * 4
    assert {group.name.partition(", ")[0] for group in failures.groups} == set(WORDS)
    one = failures.groups[0]
    assert one.share.value == 0.25
    assert one.share.low is not None and one.share.high is not None
    assert one.share.low < 0.25 < one.share.high
    assert len({example.answer for example in one.examples}) == 3
    assert (failures.answers, failures.bad, failures.other) == (80, 40, None)


def test_bad_is_below_the_middle_of_the_scale_and_a_content_rater_does_not_say_why():
    samples = [
        rated(0, None, {"ann": "price", "bob": "fine"}, ratings={"ann": 1, "bob": 3}),
        rated(1, 3, "in the middle"),
        rated(2, 5, "good"),
    ]
    selected = select_bad_answers(records(samples))
    assert (selected.metric, list(selected.answers), list(selected.bad)) == ("", ["a0", "a1", "a2"], ["a0"])
    assert [text.text for text in selected.bad["a0"]] == ["price"]
    assert [text.source for text in selected.bad["a0"]] == ["ann"]


def test_marked_sentences_and_reasons_are_read_in_every_shape():
    metadata = {
        "rating_reasons": {"ann": "No source.", "bob": ["Too long.", 7]},
        "wrong_sentences": {"ann": ["It is free.", ""]},
        "comment": ["Not polite."],
        "note": 5,
        "reason": {"x": {"y": "nested"}},
    }
    texts = list(read_peoples_texts(rated(0, 1, metadata=metadata)))
    assert [(text.kind, text.text, text.source) for text in texts] == [
        ("reason", "No source.", "ann"),
        ("reason", "Too long.", "bob"),
        ("reason", "Not polite.", "comment"),
        ("sentence", "It is free.", "ann"),
    ]


@pytest.mark.parametrize(
    "column",
    ["Opmerkingen", "TOELICHTING", "Reden", "Commentaar", "Comments", "Feedback", "Begründung", "Reason (why)"],
)
def test_reasons_are_known_by_the_usual_names_of_their_column_in_any_letters(column):
    texts = list(read_peoples_texts(rated(0, 1, metadata={"topic": "moving", column: "Not true."})))
    assert [(text.text, text.source) for text in texts] == [("Not true.", column)]


def test_a_column_of_one_raters_reasons_is_theirs():
    ratings = {"Anna": 1, "Jan Willem": 5}
    metadata = {"Opmerking Jan Willem": "Fine.", "reason_anna": "Too short.", "reason_code": "17"}
    texts = list(read_peoples_texts(rated(0, None, ratings=ratings, metadata=metadata)))
    assert [(text.text, text.source) for text in texts] == [("Too short.", "Anna")]  # the content one does not say why


def test_without_ratings_a_metric_says_which_are_bad_and_its_verdicts_why():
    samples = [rated(n, None) for n in range(6)]
    scores = {
        f"a{n}": {"faithfulness": claims((f"The price is {n}.", "not_found" if n < 2 else "supported"))}
        for n in range(6)
    }
    failures = grouped(records(samples, scores, faithfulness=True))
    assert (failures.metric, failures.bad, failures.answers) == ("faithfulness", 2, 6)
    assert dict(failures.texts) == {"verdict": 2}
    assert "no answer is rated" in failures.rule
    (example, *_) = (failures.groups or (failures.other,))[0].examples
    assert (example.verdict, example.source) == ("not found", "faithfulness")


def test_a_metric_that_says_yes_or_no_and_one_with_values():
    samples = [rated(n, None) for n in range(8)]
    scores = {
        f"a{n}": {
            "declined": Score(float(n < 3), "scored", f"reason {n}"),
            "effort": Score(float(n), "scored", f"{n} turns"),
        }
        for n in range(8)
    }
    run = records(samples, scores, declined=False, effort=False)
    selected = select_bad_answers(run, "declined")
    assert (selected.rule, sorted(selected.bad)) == ("that fail declined (value 1)", ["a0", "a1", "a2"])
    selected = select_bad_answers(run, "effort")
    assert sorted(selected.bad) == ["a6", "a7"]
    assert "worst quarter" in selected.rule and "or more" in selected.rule
    with pytest.raises(UsageError, match="no value of the metric 'nonsense'; its metrics are declined, effort"):
        select_bad_answers(run, "nonsense")


def test_rated_conversations_and_rated_turns_of_others_count_once():
    """A rated conversation with its rated turn, an unrated one with two rated turns, and an unrated answer."""
    talks = [
        {"role": "user", "content": "Free?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "Until when?"},
        {"role": "assistant", "content": "May."},
    ]

    def talk(name, rating, *ratings):
        messages = [{**one, "rating": None} for one in talks]
        for place, value in zip((1, 3), ratings, strict=True):
            messages[place]["rating"] = value
        sample = Sample.model_validate({"id": name, "messages": messages, "rating": rating})
        return [sample, *turn_samples(sample)]

    samples = [*talk("whole", 1, 2, 5), *talk("turns", None, 1, 5), rated(9, None)]
    counts = grouped(records(samples))
    assert (counts.answers, counts.bad) == (3, 2)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10])
def test_few_answers_make_few_groups_and_all_pages(count):
    failures = grouped(planted(count, good=2))
    assert len(failures.groups) <= count // 2
    assert (
        sum(len(group.answers) for group in failures.groups) + len(failures.other.answers if failures.other else ())
        == count
    )
    assert failure_sentences(failures)[0].startswith(f"Run r1: {count} of {count + 2} rated answers")
    assert "<html" in render_failure_report(failures)
    assert failures_block(failures).parts and failures_as_json(failures)["rule"]


def test_a_number_of_groups_is_kept():
    assert len(grouped(planted(40), groups=4).groups) == 4
    assert len(grouped(planted(12, causes=WORDS[:1]), groups=1).groups) == 1


def test_verdicts_of_conversations_are_read():
    evidence = {
        "resolved": {"requests": [{"text": "A refund.", "met": False}, {"text": "Hours.", "met": True}]},
        "policy": {"rules": [{"text": "Ask for the number.", "broken": True}]},
        "consistent": {"contradictions": [{"earlier": "It is free.", "later": "It costs 5."}]},
        "handover": {"verdict": "missing", "happened": False},
        "tools": {"missing": [{"name": "find_booking"}], "unexpected": [], "wrong_arguments": [{"name": "pay"}]},
        "rubric": {"criteria": [{"text": "tone", "share": 0.2, "level": "rude"}, {"text": "length", "share": 0.8}]},
    }
    scores = {name: Score(0.0, "scored", f"why {name}", one) for name, one in evidence.items()}
    run = records([rated(0, 1)], {"a0": scores}, **dict.fromkeys(evidence, True))
    selected = select_bad_answers(run)
    assert [(text.text, text.verdict) for text in selected.bad["a0"]] == [
        ("A refund.", "not met"),
        ("Ask for the number.", "broken"),
        ("It costs 5. / It is free.", "contradicts itself"),
        ("Question 0?", "handover missing"),
        ("find_booking", "call missing"),
        ("pay", "call with wrong arguments"),
        ("tone", "level rude"),
    ]


def chat(name, *answers, **fields):
    messages = [{"role": "system", "content": "Be short."}]
    for number, (answer, rating) in enumerate(answers):
        messages += [
            {"role": "user", "content": f"{name} {number}?"},
            {"role": "assistant", "content": answer, "rating": rating},
        ]
    return Sample(**{"id": name, "messages": messages, "language": "en", **fields})


def test_a_single_answer_with_messages_and_its_turn_are_one_answer():
    samples = [
        chat("session", ("Five years.", 4.5), ("Ninety years.", 1.5)),
        chat("one", ("Open on Sunday.", None), ratings={"ann": 2, "bob": 1}),
        chat("two", ("It is free.", None), ratings={"ann": 5, "bob": 4}),
    ]
    scores = {
        "one#2": {"faithfulness": claims(("Open on Sunday.", "not_found"))},
        "session#4": {"faithfulness": claims(("Ninety years.", "not_found"))},
    }
    run = records(list(with_turns(samples, "each")), scores, faithfulness=True)
    failures = grouped(run)
    assert (failures.bad, failures.answers) == (2, 4)
    assert (failures.without_text, dict(failures.texts)) == (0, {"verdict": 2})
    by_metric = grouped(run, metric="faithfulness")
    assert (by_metric.bad, by_metric.answers) == (2, 2)


def test_a_rated_conversation_has_the_verdicts_on_its_turns_and_its_turns_do_not_count_beside_it():
    samples = [chat("a", ("Five years.", None), ("Ninety years.", 5), rating=1), chat("b", ("So.", None), ("Yes.", 2))]
    scores = {"a#4": {"faithfulness": claims(("Ninety years.", "contradicted"))}}
    failures = grouped(records(list(with_turns(samples, "each")), scores, faithfulness=True))
    assert (failures.bad, failures.answers) == (2, 2)
    assert dict(failures.texts) == {"verdict": 1}


def test_where_the_metric_says_nothing_in_words_people_and_other_judges_do():
    samples = [rated(n, None) for n in range(14)]
    samples[1] = rated(1, None, "The price is wrong.")
    scores = {
        f"a{n}": {
            "token_overlap": Score(n / 20, "scored", "overlap"),
            "faithfulness": claims((f"The login is {n}.", "not_found")),
        }
        for n in range(14)
    }
    alone = grouped(records(samples, scores, faithfulness=True, token_overlap=True), metric="token_overlap")
    assert (alone.bad, dict(alone.texts)) == (3, {"verdict": 2, "reason": 1})  # a quarter of 14 is 3
    plain = {name: {"token_overlap": values["token_overlap"]} for name, values in scores.items()}
    failures = grouped(records(samples, plain, token_overlap=True))
    assert (failures.metric, failures.bad, failures.without_text) == ("token_overlap", 3, 2)
