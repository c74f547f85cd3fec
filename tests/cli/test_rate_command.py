"""`assay rate` and `assay ratings`: queues, exports, and the way on to `assay meta`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.eval_sets import Sample, write_set
from assay.runs import Store
from assay.runs.ratings import QueueSettings, RatingQueue
from assay.runs.ratings.rating_source import find_source, open_queue

pytest.importorskip("uvicorn")


def rate_everything(folder: Path, source: str, value: Callable[[str], int]) -> RatingQueue:
    """Ada and Bob rate all answers of a source in the folder's store: what `value` says of the answer's text."""
    store = Store(folder)
    settings = QueueSettings(raters=("ada", "bob"), repeat_share=0.0)
    queue = open_queue(store, find_source(store, source), settings, guideline=None)
    for rater in settings.raters:
        while assignment := queue.next_answer(rater):
            queue.save(rater, assignment.sample.id, value(assignment.sample.response), reason="as planned")
    return queue


def planned(response: str) -> int:
    return 1 if "flowers" in response else 5


def test_meta_takes_the_ratings_that_were_given_in_the_store(assay, set_file, tmp_path):
    """The set has none; those in the store follow what the answers share with their contexts."""
    path = set_file(12, rating=None)
    assert assay("run", path, "--metrics", "token_overlap").code == 0
    assert "none of its 12 samples is rated" in assay("meta", "last", "--json").err
    rate_everything(tmp_path / ".assay", "last", planned)
    metrics = assay("meta", "last", "--json").json["metrics"]
    assert next(metric["spearman"] for metric in metrics if metric["name"] == "token_overlap") > 0.8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--raters", "ada", "--per-answer", "2"], "name more raters or lower per_answer"),
        (["--raters", "ada,ada"], "same name"),
        (["--raters", "ada", "--scale", "5-5"], "no two levels"),
        (["--raters", "ada", "--choose", "spread"], "needs the scores of 1 metric"),
        (["--raters", "ada", "--guideline", "missing.md"], "missing.md"),
        (["--raters", "ada", "--by", "faithfulness"], "has no scores of 'faithfulness'"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_served(assay, set_file, words, message):
    done = assay("rate", set_file(2), *words)
    assert done.code == 2 and message in done.err


def write_two_versions(folder: Path) -> None:
    """Writes `today.jsonl` and `new.jsonl`: eight questions, two of them with the same answer."""
    rows = [Sample(id=f"q{number}", user_input=f"How {number}?", response=f"Press {number}.") for number in range(8)]
    others = [row.model_copy(update={"response": f"Click {row.id}."}) if row.id > "q1" else row for row in rows]
    write_set(rows, folder / "today.jsonl")
    write_set(others, folder / "new.jsonl")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("today.jsonl", "new.jsonl"), "--pairs compares their answers"),
        (("today.jsonl", "--pairs"), "--pairs compares two runs or more"),
        (("today.jsonl", "new.jsonl", "--pairs", "--scale", "1-5"), "--pairs has no --scale"),
        (("today.jsonl", "today.jsonl", "--pairs"), "named"),
        (("today.jsonl", "--pairs", "--by", "system"), "system"),
    ],
)
def test_what_cannot_be_compared_is_said(assay, tmp_path, words, problem):
    write_two_versions(tmp_path)
    done = assay("rate", *words, "--raters", "ada")
    assert done.code != 0 and problem in done.err
