"""`assay rate` and `assay ratings`: queues, exports, and the way on to `assay meta`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.eval_sets import Sample, load_set, write_set
from assay.runs import Store
from assay.runs.ratings import PairQueue, QueueSettings, RatingQueue
from assay.runs.ratings.item_queue import queue_ids
from assay.runs.ratings.pair_source import find_pairs, open_pair_queue
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


def test_meta_takes_the_ratings_that_were_given_in_the_store(
    assay: Callable, set_file: Callable, tmp_path: Path
) -> None:
    """The set has none; those in the store follow what the answers share with their contexts."""
    path = set_file(12, rating=None)
    assert assay("run", path, "--metrics", "token_overlap").code == 0
    assert "none of its 12 samples is rated" in assay("meta", "last", "--json").err
    rate_everything(tmp_path / ".assay", "last", planned)
    metrics = assay("meta", "last", "--json").json["metrics"]
    assert next(metric["spearman"] for metric in metrics if metric["name"] == "token_overlap") > 0.8


def test_ratings_are_written_as_a_set(assay: Callable, set_file: Callable, tmp_path: Path) -> None:
    path = set_file(3)
    rate_everything(tmp_path / ".assay", str(path), planned)
    done = assay("ratings", "last", "--out", "rated.jsonl")
    assert done.code == 0 and "3 rated answers written to rated.jsonl" in done.out
    samples = list(load_set("rated.jsonl"))
    of_file = {sample.id: sample.rating for sample in load_set(path)}
    assert [sample.ratings for sample in samples] == [
        {"file": of_file[sample.id], "ada": planned(sample.response), "bob": planned(sample.response)}
        for sample in samples
    ]
    assert samples[0].metadata["rating_reasons"] == {"ada": "as planned", "bob": "as planned"}
    assert "6 of 6 ratings" in assay("ratings").out
    assert assay("ratings", "--json").json["raters"] == {"ada": 3, "bob": 3}


def test_the_same_command_goes_on_with_its_queue_and_another_begins_a_new_one(
    set_file: Callable, tmp_path: Path
) -> None:
    path = str(set_file(4))
    first = rate_everything(tmp_path / ".assay", path, planned)
    again = rate_everything(tmp_path / ".assay", path, planned)
    assert again.id == first.id
    store = Store(tmp_path / ".assay")
    other = open_queue(store, find_source(store, path), QueueSettings(raters=("cleo",), per_answer=1), guideline="New.")
    assert other.id != first.id and set(queue_ids(store.database)) == {first.id, other.id}


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
def test_what_cannot_be_is_said_before_anything_is_served(
    assay: Callable, set_file: Callable, words: list[str], message: str
) -> None:
    done = assay("rate", set_file(2), *words)
    assert done.code == 2 and message in done.err


def test_ratings_of_a_store_without_any(assay: Callable, set_file: Callable) -> None:
    assay("run", set_file(2), "--metrics", "token_overlap")
    done = assay("ratings")
    assert done.code == 2 and "assay rate SET --raters" in done.err


def write_two_versions(folder: Path) -> None:
    """Writes `today.jsonl` and `new.jsonl`: eight questions, two of them with the same answer."""
    rows = [Sample(id=f"q{number}", user_input=f"How {number}?", response=f"Press {number}.") for number in range(8)]
    others = [row.model_copy(update={"response": f"Click {row.id}."}) if row.id > "q1" else row for row in rows]
    write_set(rows, folder / "today.jsonl")
    write_set(others, folder / "new.jsonl")


def compare_everything(folder: Path) -> PairQueue:
    """Ada and Bob compare the six pairs whose answers differ."""
    store = Store(folder / ".assay")
    settings = QueueSettings(raters=("ada", "bob"), repeat_share=0.0, rating_min=-1, rating_max=1)
    names = [f"{name}={name}.jsonl" for name in ("today", "new")]
    queue = open_pair_queue(store, find_pairs(store, names, None), settings, guideline=None)
    for rater, values in {"ada": (-1, -1, -1, 1, 0, -1), "bob": (-1, -1, 0, 1, 1, -1)}.items():
        for value in values:
            assignment = queue.next_pair(rater)
            assert assignment is not None
            side = "same" if value == 0 else "left" if (value < 0) is assignment.is_first_left else "right"
            queue.choose(rater, assignment.name, side, reason="It says where.")
    return queue


def test_the_progress_of_pairs_says_who_is_chosen_who_agrees_and_which_side(assay: Callable, tmp_path: Path) -> None:
    write_two_versions(tmp_path)
    queue = compare_everything(tmp_path)
    documentation = (Path(__file__).parents[2] / "docs" / "rating.md").read_text(encoding="utf-8")
    lines = assay("ratings").out.splitlines()
    assert lines[0] == f"{queue.id}: today against new, series 1, 12 of 12 choices"
    assert lines[1:3] == ["  ada: 6 pairs, 0 s per pair", "  bob: 6 pairs, 0 s per pair"]
    for line in " ".join(lines[3:]).split(". "):
        if line.startswith("The left side was chosen in "):  # of how many, each queue draws anew
            assert "of 10 choices of a side" in line
        else:
            assert line.rstrip(".") in " ".join(documentation.split()), line
    status = assay("ratings", "--json").json
    assert (status["ratings"], status["total"], status["agreement"]["pairs"]) == (12, 12, 6)
    assert status["versions"][0]["first_better"] == 7


def test_choices_are_written_one_row_each(assay: Callable, tmp_path: Path) -> None:
    write_two_versions(tmp_path)
    queue = compare_everything(tmp_path)
    done = assay("ratings", queue.id, "--out", "pairs.jsonl")
    assert "12 choices and 2 ties of the same answer twice written to pairs.jsonl" in done.out
    rows = [json.loads(line) for line in Path("pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 14
    assert {row["choice"] for row in rows if not row["rater"]} == {"tie"}
    assert "as .jsonl or .csv" in assay("ratings", "--out", "pairs.txt").err


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
def test_what_cannot_be_compared_is_said(assay: Callable, tmp_path: Path, words: tuple[str, ...], problem: str) -> None:
    write_two_versions(tmp_path)
    done = assay("rate", *words, "--raters", "ada")
    assert done.code != 0 and problem in done.err
