"""A run in numbers, as a person reads it, and what changed since the run before; hostile answers do nothing."""

import json
from contextlib import closing

import pytest
from modules import module_of

from assay.cli.run import print_run
from assay.cli.viewing import print_audit
from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.judges import JudgeSettings
from assay.metrics import Score, scored, skipped
from assay.runs import (
    AnswerTable,
    Plan,
    RunWriter,
    Store,
    describe_change,
    find_run_before,
    place_among_baselines,
    summarise as summarise_table,
    summarise_run,
    write_scores,
)


def rows(metric, values, ratings, language="en"):
    """(answer, metric, score): one answer per value."""
    listed = []
    for n, (value, share) in enumerate(zip(values, ratings, strict=True)):
        rating = None if share is None else 1 + 4 * share
        sample = Sample(
            id=f"{metric}-{language}-{n}", user_input="Q?", response="Yes.", group=f"group{n}", language=language,
            rating=rating,
        )  # fmt: skip
        listed.append((sample, metric, skipped("no") if value is None else scored(value, "so")))
    return listed


def summarise(score_rows, directions, *, by_language=False):
    samples = {sample.id: sample for sample, *_ in score_rows}
    table = AnswerTable(directions, samples, {sample.id: {metric: score} for sample, metric, score in score_rows})
    part_of = (lambda sample: sample.language) if by_language else (lambda _: "")
    return summarise_table(table, part_of=part_of)


def test_mean_coverage_and_correlation_over_what_is_scored():
    summary = summarise(rows("m", [0.2, None, 0.4, 0.9, 0.6, 0.8], [0.0, 1.0, 0.25, None, 0.75, 1.0]), {"m": True})[0]
    assert (summary.n, summary.scored, summary.skipped, summary.failed) == (6, 5, 1, 0)
    assert summary.mean == pytest.approx((0.2 + 0.4 + 0.9 + 0.6 + 0.8) / 5)
    assert summary.coverage == pytest.approx(5 / 6)
    assert summary.correlation.n == 4  # rated and scored
    assert (summary.correlation.value, summary.correlation.problem) == (None, "only 4 rated scores")


def test_a_metric_is_above_baselines_that_have_a_figure_for_the_same_answers():
    """The metric has rho 1; token overlap has -1 where it scored."""
    rising, ratings = [0.1, 0.2, 0.3, 0.4, 0.5], [0.0, 0.25, 0.5, 0.75, 1.0]

    def place(metric, overlap):
        all_rows = rows(metric, [*rising], [*ratings]) + rows("token_overlap", overlap, [*ratings])
        summary, baseline = summarise(all_rows, {metric: True, "token_overlap": True})
        assert summary.agreement == pytest.approx(1)
        assert place_among_baselines(baseline) == "baseline"
        return place_among_baselines(summary)

    assert place("m", [*reversed(rising)]) == "above baseline"
    assert place("m", rising) == "equals baseline"
    assert place("m", [None] * 5) == ""
    assert place("m", [0.5] * 5) == "", "the same score of every answer has no correlation"


def test_nothing_scored_has_no_mean_and_no_nan():
    summary = summarise(rows("m", [None, None], [1.0, 0.0]), {"m": True})[0]
    assert (summary.mean, summary.coverage, summary.correlation.value) == (None, 0.0, None)
    assert "NaN" not in json.dumps(summary.as_json())


def test_languages_stand_apart_and_together():
    score_rows = rows("m", [0.0, 1.0], [0.0, 1.0], "nl") + rows("m", [0.5], [0.5], "en")
    assert [(s.part, s.n, s.mean) for s in summarise(score_rows, {"m": True}, by_language=True)] == [
        ("en", 1, 0.5),
        ("nl", 2, 0.5),
    ]
    assert [(s.part, s.n) for s in summarise(score_rows, {"m": True})] == [("", 3)]


def test_a_metric_that_loses_to_a_baseline_says_to_which():
    ratings = [n / 9 for n in range(10)]
    rising = [n / 9 for n in range(10)]
    swapped = [1 / 9, 0.0, *rising[2:]]  # one pair in the wrong order
    directions = dict.fromkeys(["m", "token_overlap", "rouge_l_precision", "answer_length"], True)
    score_rows = rows("m", swapped, ratings) + rows("token_overlap", rising, ratings)
    score_rows += rows("answer_length", rising[::-1], ratings)
    summaries = {summary.name: summary for summary in summarise(score_rows, directions)}
    assert summaries["m"].loses_to == "token_overlap"
    assert (summaries["token_overlap"].loses_to, summaries["answer_length"].loses_to) == ("", "")
    assert summaries["m"].as_json()["loses_to"] == "token_overlap"


HOSTILE = "[red]not red[/red] :smile: \x1b[31mred\x1b[0m\x07 \x1b]8;;http://evil\x1b\\link \u202eback \x9b2J [/] end"


def hostile_store(folder):
    store = Store(folder)
    run = store.begin(Plan(sets=("[blue]set.jsonl",), metrics=("faithfulness",)))
    writer = RunWriter(store, run)
    claim = {"text": HOSTILE, "verdict": "not_found", "probability": 0.5, "reason": HOSTILE, "quote": HOSTILE}
    evidence = {"claims": [claim], "questions": [{"text": HOSTILE, "cosine": 0.5}], "note": HOSTILE}
    sample = Sample(
        id=f"s1{HOSTILE}", user_input=HOSTILE, response=HOSTILE, retrieved_contexts=(HOSTILE,), language="en", rating=2
    )
    writer.add(sample, {"faithfulness": scored(0.5, HOSTILE, evidence), "[bold]other": skipped(HOSTILE)})
    writer.flush()
    return store, run


@pytest.mark.parametrize("shown", ["run", "each sample", "audit"])
def test_hostile_text_is_printed_as_text(tmp_path, capsys, shown):
    """No escape reaches the terminal, and no markup of an answer is obeyed."""
    store, run = hostile_store(tmp_path)
    if shown == "audit":
        print_audit(store, run, f"s1{HOSTILE}")
    else:
        print_run(store, run, None, each_sample=shown == "each sample")
    out = capsys.readouterr().out
    assert not any(letter in out for letter in "\x1b\x07\x9b\u202e")
    assert "[red]not red[/red] :smile:" in " ".join(out.split())
    if shown != "audit":
        assert "[blue]set.jsonl" in out


@pytest.mark.parametrize("name", ["out.xlsx", "out", "nowhere/out.csv"])
def test_files_that_cannot_be_written_are_told(tmp_path, name):
    store, run = hostile_store(tmp_path)
    with pytest.raises(UsageError, match="out"):
        write_scores(store, run, tmp_path / name)


def write_run(store, responses, value, *, sets=("set.jsonl",), metric="faithfulness", rating=None, judge=None):
    run = store.begin(Plan(sets=sets, metrics=(metric,), directions={metric: True}, judge=judge))
    writer = RunWriter(store, run)
    values, ratings = (one if isinstance(one, list) else [one] * len(responses) for one in (value, rating))
    samples = [
        Sample(id=f"s{number}", user_input="Q?", response=response, ratings={} if rated is None else {"ada": rated})
        for number, (response, rated) in enumerate(zip(responses, ratings, strict=True))
    ]
    for sample, score in zip(writer.number_samples(iter(samples)), values, strict=True):
        writer.add(sample, {metric: Score(score, "scored", "made up")})
    writer.flush()
    store.end(run, "done")
    return run


@pytest.fixture
def store(tmp_path):
    with closing(Store(tmp_path)) as opened:
        yield opened


def change(store, before, now):
    before, now = summarise_run(store, before), summarise_run(store, now)
    return "; ".join(part.write() for part in describe_change(now, before))


def test_the_run_before_is_the_newest_of_the_same_sets(store):
    first, other, last = (write_run(store, ["A."], 0.5, sets=(name,)) for name in ("set", "other", "set"))
    assert find_run_before(map(store.run, [other, first]), store.run(last)).id == first
    assert find_run_before([store.run(first)], store.run(other)) is None


def test_changes_of_answers_ratings_and_scores_are_told(store):
    first = write_run(store, ["A.", "B.", "C."], 0.5, rating=2)
    second = write_run(store, ["A.", "B!", "C."], 0.25, rating=4)
    assert change(store, first, second) == "1 of 3 answers changed; rated 2.00 higher; faithfulness 0.25 lower"
    assert change(store, first, first) == "the same answers"
    other = write_run(store, ["A.", "B!", "C."], 0.25, rating=4, judge=JudgeSettings(model="openai/m"))
    assert change(store, first, other).endswith("rated 2.00 higher; another judge")


def test_only_samples_of_both_runs_are_compared(store):
    """By hand: of three answers two are in the run before too, with the same ratings and scores; one of four is new."""
    first = write_run(store, ["A.", "B."], 0.5, rating=[5, 3])
    second = write_run(store, ["A.", "B.", "C.", "D."], [0.5, 0.5, 1.0, 0.0], rating=[5, 3, 1, 1])
    assert change(store, first, second) == "0 of 2 answers changed"
    third = write_run(store, ["A.", "B!", "C."], [0.5, 0.25, 1.0], rating=[5, 1, 5])
    # s1: 3 to 1 and .5 to .25; s2: 1 to 5; (-2 + 4) / 3 = .67 higher; s1: -.25 / 3 = -.08
    assert change(store, second, third) == "1 of 3 answers changed; rated 0.67 higher; faithfulness 0.08 lower"


def _answers_to(questions, **fields):
    """Two answers per question, a right one rated 4 and a wrong one rated 2, and their scores 1 and 0."""
    samples = [
        Sample(id=f"{n}{kind}", user_input=f"Question {n}?", response=kind, rating=rating, **fields)
        for n in range(questions)
        for kind, rating in (("right", 4), ("wrong", 2))
    ]
    scores = {sample.id: {"m": scored(float(sample.response == "right"), "so")} for sample in samples}
    return AnswerTable({"m": True}, {sample.id: sample for sample in samples}, scores)


def test_answers_to_one_question_are_one_group():
    """8 answers to 4 questions are 4 groups, of which nothing has an interval; to 5 questions they are 5."""
    four, five = (summarise_table(_answers_to(n), has_interval=True)[0] for n in (4, 5))
    assert (four.correlation.n, four.correlation.groups, four.low, four.high) == (8, 4, None, None)
    assert (five.correlation.n, five.correlation.groups) == (10, 5)
    assert five.low is not None


def test_a_group_that_is_named_counts_before_the_question():
    """Ten answers that name one group are one, whatever they were asked; a conversation is another question."""
    assert set(_answers_to(5, group="page 1").groups.values()) == {"page 1"}
    asked = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    end = [{"role": "user", "content": "Free?"}, {"role": "assistant", "content": "Yes."}]
    samples = [
        Sample(id="a", user_input="Free?", response="Yes."),
        Sample(id="b", user_input=" Free? ", response="No."),
        Sample(id="c", messages=[*asked, *end]),
    ]
    table = AnswerTable({}, {sample.id: sample for sample in samples}, {})
    assert dict(table.groups) == {"a": "a", "b": "a", "c": "c"}


def test_the_sentences_of_an_answer_whose_judge_failed_are_none_that_were_not_judged():
    """One answer fails, one has nothing to judge in its one sentence, one has one of three left out: 2 of 4."""
    counts = {"failed": (0, 4), "skipped": (0, 1), "scored": (2, 1)}
    score_rows = []
    for status, (judged, left_out) in counts.items():
        evidence = {"sentences": {"judged": judged, "left_out": left_out}}
        score = Score(1.0 if status == "scored" else None, status, "", evidence=evidence)
        score_rows.append((Sample(id=status, user_input="Which?", response="Red."), "m", score))
    (summary,) = summarise(score_rows, {"m": True})
    assert (summary.scored, summary.failed, summary.left_out) == (1, 1, 2 / 4)
    (unjudged,) = summarise(score_rows[:2], {"m": True})  # what of the failed one is left out is not known
    assert unjudged.left_out is None
    (idle,) = summarise(score_rows[1:2], {"m": True})
    assert idle.left_out == 1


def test_reasons_that_differ_in_the_name_of_the_sample_alone_are_one():
    miss = "no recording in c.jsonl for prompt p.en@1, sample {}; the nearest recording differs in model (recorded 'a')"
    names = ["s1", "s2", "s 3"]
    samples = {name: Sample(id=name, user_input="Which?", response="Red.") for name in names}
    scores = {name: {"m": Score(None, "failed", miss.format(name))} for name in names}
    (paragraph,) = module_of(summarise_table).describe_missing_scores(AnswerTable({"m": True}, samples, scores))
    assert (paragraph.label, paragraph.text) == ("m: 3 failed:", miss.replace(", sample {}", ""))
