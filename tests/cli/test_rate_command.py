"""`assay rate` and `assay rate export`: queues, exports, and the ratings of the file and of the page side by side."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.runs import Store, find_source, join_run_ratings, open_queue, queue_ids
from assay.runs.ratings import QueueSettings, RatingQueue

pytest.importorskip("uvicorn")


def rate_everything(folder: Path, source: str, value: Callable[[str], int]) -> RatingQueue:
    """Ada and Bob rate all answers of a source in the folder's store: what `value` says of the answer's text."""
    store = Store(folder)
    settings = QueueSettings(raters=("ada", "bob"), repeat_share=0.0)
    queue = open_queue(store, find_source(store, source), settings, guideline=None)
    for rater in settings.raters:
        while assignment := queue.next_item(rater):
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


ROWS = 32
OF_FILE = 28  # the last four answers have no rating in the file


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """32 answers of 1 to 8 words, of which the file rates the first 28: 1 to 4 by turns."""
    lines = ["question,answer,rating"]
    lines += [
        f"Question {n}?,{' '.join(['word'] * (1 + n % 8))} {n},{1 + n % 4 if n < OF_FILE else ''}" for n in range(ROWS)
    ]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def rate(store: Path, source: str, value: float, count: int, **settings: object) -> list[str]:
    """Ada rates so many answers of a source; gives their ids."""
    opened = Store(store)
    chosen = QueueSettings.model_validate({"raters": ("ada",), "per_answer": 1, "repeat_share": 0.0} | settings)
    queue = open_queue(opened, find_source(opened, source), chosen, guideline=None, limit=count)
    rated = []
    while assignment := queue.next_item("ada"):
        queue.save("ada", assignment.sample.id, value)
        rated.append(assignment.sample.id)
    return rated


def test_answers_that_nobody_rated_are_rated_first_in_random_order(assay, answers, tmp_path):
    """The file rates 28 of 32: the other 4 come first, then those of the file; for Bob they are rated, as all are."""
    assert assay("run", answers, "--metrics", "answer_length").code == 0
    store = Store(tmp_path / ".assay")
    unrated = {sample.id for sample in store.samples(store.run("last").id) if sample.human_rating is None}
    first = rate(tmp_path / ".assay", "last", 5, 6)
    assert len(unrated) == 4 and set(first[:4]) == unrated and not unrated & set(first[4:])
    settings = QueueSettings(raters=("bob",), per_answer=1)
    names = open_queue(store, find_source(store, "last"), settings, guideline=None).names()
    assert len(names) == 32 and names != sorted(names) and {*names[:4]} != unrated


def test_how_many_are_rated_in_the_file_is_said(assay, answers, monkeypatch):
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    said = "28 of 32 answers are rated in the file, and rated here again. For more rated answers, rate others: assay"
    assert said in assay("rate", answers, "--raters", "ada", "--port", "0").out


def test_twelve_ratings_on_the_page_leave_those_of_the_file(assay, answers, tmp_path):
    assert assay("run", answers, "--metrics", "answer_length").code == 0
    store = tmp_path / ".assay"
    rated = rate(store, "last", 5, 12)
    both = sum(int(name.rpartition("-")[2]) <= OF_FILE for name in rated)
    total = OF_FILE + 12 - both
    note = f"ratings: 28 of the file, 12 of the rating page by ada on 1 to 5 ({both} answers have both)"
    meta = assay("meta", "last", "--json").json
    assert meta["settings"]["rated"] == total
    assert note in meta["notes"]
    shown = " ".join(assay("show", "last", "--wide").out.split())
    assert note in shown
    assert (
        sum(
            row["rating"] is not None
            for row in assay("show", "last", "--json").json["scores"]
            if row["metric"] == "answer_length"
        )
        == total
    )
    first = next(name for name in rated if int(name.rpartition("-")[2]) <= OF_FILE)
    of_file = 1 + (int(first.rpartition("-")[2]) - 1) % 4
    assert f"rated {(of_file + 5) / 2:g} of 5" in assay("show", "last", first).out
    assert assay("meta", "last", "--json", "--rating", "file").json["settings"]["rated"] == OF_FILE
    assert assay("meta", "last", "--json", "--rating", "ada").json["settings"]["rated"] == 12


def test_another_scale_is_not_mixed_in(assay, answers, tmp_path):
    """The file's 28 ratings from 1 to 5 outnumber 12 from 1 to 10; 30 do not."""
    assay("run", answers, "--metrics", "answer_length")
    store = Store(tmp_path / ".assay")
    run = store.run("last").id
    rate(tmp_path / ".assay", "last", 9, 12, rating_max=10)
    few = join_run_ratings(store, run)
    (name,) = queue_ids(store.database)
    assert few.note == f"ratings: 28 of the file; 12 of {name} are left out, which were given on another scale"
    assert sum(sample.human_rating is not None for sample in few.samples.values()) == 28
    rate(tmp_path / ".assay", "last", 9, 30, rating_max=10, seed=1)
    many = join_run_ratings(store, run)
    assert many.note.startswith("ratings: ") and many.note.endswith(
        "; 28 of the file are left out, which are on another scale"
    )
    assert {sample.human_rating for sample in many.samples.values()} <= {9, None}


def test_queues_of_one_scale_add_up(assay, answers, tmp_path):
    """A second queue over the same answers does not hide the first: the newer of two ratings by one rater counts."""
    assay("run", answers, "--metrics", "answer_length")
    first = set(rate(tmp_path / ".assay", "last", 2, 10))
    second = set(rate(tmp_path / ".assay", "last", 5, 10, seed=1))
    store = Store(tmp_path / ".assay")
    joined = join_run_ratings(store, store.run("last").id).samples
    assert {name: sample.ratings["ada"] for name, sample in joined.items() if "ada" in sample.ratings} == {
        **dict.fromkeys(first, 2),
        **dict.fromkeys(second, 5),
    }


def test_ratings_under_the_newest_guideline_count_and_the_others_are_named(assay, answers, tmp_path):
    """Ada rates 20 answers without a guideline and 6 under one: both count, and of a changed one those after it.

    Then one more without: no guideline is no new one.
    """
    assay("run", answers, "--metrics", "answer_length")
    store = Store(tmp_path / ".assay")
    run = store.run("last").id
    without = set(rate(tmp_path / ".assay", "last", 2, 20))
    settings = QueueSettings(raters=("ada",), per_answer=1, repeat_share=0, seed=1)
    queue = open_queue(store, find_source(store, "last"), settings, guideline="Look at numbers.", limit=7)
    under = queue.names()[:6]
    for name in under:
        assert queue.next_item("ada").sample.id == name
        queue.save("ada", name, 5)

    def counted() -> dict[str, float]:
        joined = join_run_ratings(store, run)
        return {name: sample.ratings["ada"] for name, sample in joined.samples.items() if "ada" in sample.ratings}

    assert counted() == dict.fromkeys(without, 2) | dict.fromkeys(under, 5)
    queue.change_guideline("Look at names.")
    last = queue.next_item("ada").sample.id
    queue.save("ada", last, 3)
    assert counted() == dict.fromkeys(without, 2) | {last: 3}
    (new,) = rate(tmp_path / ".assay", "last", 4, 1, seed=2)
    assert counted() == dict.fromkeys(without, 2) | {last: 3, new: 4}
    joined = join_run_ratings(store, run)
    assert joined.note.endswith(f"; {left_out('6 rated answers', queue.id, 1)}")
    assert joined.note in assay("meta", "last", "--json").json["notes"]


def left_out(what: str, queue: str, series: int) -> str:
    """What is said of several ratings of another series."""
    return (
        f"{what} of series {series} of {queue} are left out, since the guideline was another then (put its text back, "
        f"or export what was rated: assay rate export {queue} --series {series} --out rated.jsonl)"
    )


def test_a_guideline_that_changed_is_told_where_nothing_is_rated_under_the_new_one(assay, answers, tmp_path):
    assay("run", answers, "--metrics", "answer_length")
    store = Store(tmp_path / ".assay")
    rate(tmp_path / ".assay", "last", 2, 20)
    (name,) = queue_ids(store.database)
    RatingQueue(store.database, name).change_guideline("Look at numbers.")
    joined = join_run_ratings(store, store.run("last").id)
    assert joined.note == f"ratings: 28 of the file; {left_out('20 rated answers', name, 1)}"


def test_ratings_under_the_text_before_are_told_at_the_start_and_count_again_under_it(
    assay, set_file, tmp_path, monkeypatch
):
    """Ada and Bob rate 12 answers under one text, which gets a full stop, and loses it again: 24 ratings of 24."""
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    assert assay("run", set_file(12, rating=None), "--metrics", "token_overlap").code == 0
    text = tmp_path / "guideline.md"
    rating = ("rate", "last", "--raters", "ada,bob", "--guideline", text, "--port", "0")

    def start(guideline: str, *words: str) -> str:
        text.write_text(guideline, encoding="utf-8")
        return str(assay(*rating, *words).out)

    assert "left out" not in start("Be fair")
    database = Store(tmp_path / ".assay").database
    queue = RatingQueue(database, queue_ids(database)[0])
    for rater in ("ada", "bob"):
        while (opened := queue.next_item(rater)) is not None:
            queue.save(rater, opened.name, planned(opened.sample.response))
    metrics = assay("meta", "last", "--json").json["metrics"]
    changed = start("Be fair.")
    assert f"{left_out('24 ratings', queue.id, 1)}." in changed and "0 of 24 ratings" in changed
    failed = assay("meta", "last")
    none = f"ratings: none; {left_out('12 rated answers', queue.id, 1)}"
    run = Store(tmp_path / ".assay").run("last").id
    assert failed.code == 1 and failed.err.strip() == (
        f"assay: run {run}: none of its 12 samples is rated ({none}); name a file of ratings (--ratings)"
    )
    restored = start("Be fair")
    assert "left out" not in restored and "24 of 24 ratings" in restored
    assert assay("meta", "last", "--json").json["metrics"] == metrics
    alone = start("Be fair", "--raters", "ada")  # another list of raters is another queue
    said = "This is a new queue. {0} has 24 of 24 ratings of {1}; to go on with that one: assay rate {0}"
    assert said.format(queue.id, run) in alone and "0 of 12 ratings" in alone


def test_raters_who_saw_one_run_only_make_no_run_better(assay, answers, tmp_path):
    """The file rates both runs alike; Ada, who gives 5 to everything, rated A alone: no difference is her doing."""
    assay("run", answers, "--metrics", "answer_length")
    first = Store(tmp_path / ".assay").run("last").id
    rate(tmp_path / ".assay", "last", 5, 12)
    answers.write_text(answers.read_text(encoding="utf-8").replace("word ", "words "), encoding="utf-8")
    assay("run", answers, "--metrics", "answer_length")
    (row,) = assay("show", "changes", first, "last", "--json").json["raters"]["differences"]
    assert (row["rated"], row["difference"]) == (28, 0)


def test_one_answer_has_one_rating_alone_and_among_others(assay, answers, tmp_path):
    """12 answers rated from 1 to 10 do not count beside the file's 28 from 1 to 5: not in one answer's audit either."""
    assay("run", answers, "--metrics", "answer_length")
    rated = rate(tmp_path / ".assay", "last", 9, 12, rating_max=10)
    of_all = {row["sample"]: row["rating"] for row in assay("show", "last", "--json").json["scores"]}
    for name in rated:
        (row, *_) = assay("show", "last", name, "--json").json["scores"]
        assert row["rating"] == of_all[name] != 9


def test_what_the_files_team_agreed_on_outlives_a_rating_on_the_page(assay, tmp_path):
    rows = [{"question": f"q{n}", "answer": f"a{n}", "ratings": {"ann": 1, "bob": 5}, "rating": 5} for n in range(4)]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assay("run", "set.jsonl", "--metrics", "answer_length")
    rate(tmp_path / ".assay", "last", 2, 1)
    assert {row["rating"] for row in assay("show", "last", "--json").json["scores"]} == {5}
