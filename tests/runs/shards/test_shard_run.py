"""A run by shards: pieces of files, results in a folder, a record in the store that reads like that of a local run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from interrupted_runs import command_at_request
from openai_server import OpenAIServer
from pyarrow import parquet
from warm_python import WarmPython

from assay.errors import InputError, UsageError
from assay.eval_sets import Sample
from assay.runs import Plan, RunOptions, Store
from assay.runs.answer_index import AnswerIndex, AnswerQuery
from assay.runs.run_figures import compute_figures
from assay.runs.shards import ShardOptions, ShardPlan, run_shards, score_shard
from assay.runs.shards.shard_folder import ShardFolder
from assay.runs.shards.shard_source import find_files, find_pieces, read_shards
from assay.runs.summary import ScoreTotals

Make = Callable[..., Any]
LINES = json.loads


def write_files(folder: Path, set_path: Path, *counts: int, **options: Any) -> str:
    """Writes the rows of a set into Parquet files of so many rows each; returns their pattern."""
    rows = [LINES(line) for line in set_path.read_text().splitlines()]
    folder.mkdir(exist_ok=True)
    start = 0
    for number, count in enumerate(counts):
        part = pyarrow.Table.from_pylist(rows).slice(start, count)  # all have all columns
        parquet.write_table(part, folder / f"answers-{number}.parquet", **options)
        start += count
    return str(folder / "*.parquet")


def test_pieces_have_every_row_once_and_in_order(tmp_path: Path, set_file: Make) -> None:
    """7 rows in row groups of 3, 3 and 1; then 4 rows in groups of 3 and 1."""
    pattern = write_files(tmp_path / "in", set_file(11), 7, 4, row_group_size=3)
    shards = [rows for piece in find_pieces(find_files(pattern), shard_rows=2) for rows in read_shards(piece, 2)]
    assert [rows.num_rows for rows in shards] == [2, 1, 2, 1, 1, 2, 1, 1]
    assert [name for rows in shards for name in rows["id"].to_pylist()] == [f"s{n}" for n in range(11)]
    limited = find_pieces(find_files(pattern), shard_rows=2, limit=4)
    assert sum(piece.stop - piece.start for piece in limited) == 4


def test_rows_without_an_id_are_numbered_in_their_file(tmp_path: Path, set_file: Make) -> None:
    rows = [LINES(line) for line in set_file(5).read_text().splitlines()]
    parquet.write_table(pyarrow.Table.from_pylist(rows).drop_columns("id"), tmp_path / "a.parquet", row_group_size=2)
    shards = [rows for piece in find_pieces([str(tmp_path / "a.parquet")], 3) for rows in read_shards(piece, 3)]
    results = [score_shard(rows, ShardPlan(metrics=("token_overlap",))) for rows in shards]
    assert [name for result in results for name in result["id"].to_pylist()] == [f"a-{n}" for n in range(1, 6)]
    assert [place for result in results for place in result["place"].to_pylist()] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("none/*.parquet", "there is no such file"),
        ("answers.csv", "shards are read from Parquet files"),
        ("bad.parquet", "is no readable Parquet file"),
    ],
)
def test_files_that_cannot_be_read_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.parquet").write_bytes(b"no Parquet")
    with pytest.raises(InputError, match=problem):
        find_pieces(find_files(pattern), 10)


@pytest.fixture
def both(tmp_path: Path, set_file: Make) -> tuple[Store, str, str]:
    """A store with a local run, and one by shards of the same answers; their ids."""
    set_path = set_file(12, group="g", message_type="binary")
    lines = [LINES(line) for line in set_path.read_text().splitlines()]
    for line in lines[:3]:
        line["reference"] = "Open the menu."
    set_path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    pattern = write_files(tmp_path / "in", set_path, 7, 5)
    store = Store(tmp_path / ".assay")
    from assay.runs import run_plan

    local = run_plan(Plan(sets=(str(tmp_path / "set.jsonl"),), metrics=("declined", "rouge_l")), store).run
    options = ShardOptions(out=tmp_path / "out", shard_rows=3)
    plan = Plan(sets=(pattern,), metrics=("declined", "rouge_l"))
    return store, local, run_shards(plan, store, RunOptions(), options).run


def test_the_store_reads_results_in_place(both: tuple[Store, str, str]) -> None:
    """Whatever is read of the run by shards is what is read of the local one; SQLite has none of its rows."""
    store, local, shards = both
    for read in (
        lambda run: list(store.samples(run)),
        lambda run: sorted(store.scores(run), key=lambda one: one[:2]),
        lambda run: list(store.scores(run, "s3")),
        lambda run: sorted(store.score_counts(run)),
        lambda run: sorted(store.rated_values(run)),
        lambda run: sorted(map(repr, store.sample_values(run))),
        lambda run: sorted(map(repr, store.usages(run))),
        lambda run: store.worst(run, "token_overlap", 3),
        lambda run: store.sample(run, "s7"),
        lambda run: (store.failed_samples(run), store.first_failure(run), list(store.missing_scores(run))),
        lambda run: (store.count_samples(run), store.count_scores(run)),
        lambda run: ScoreTotals.of_run(store, run).summarise(store.run(run).plan.all_directions),
    ):
        assert read(shards) == read(local)
    assert store.database.execute("SELECT count(*) FROM samples WHERE run = ?", (shards,)).fetchone() == (0,)
    with pytest.raises(UsageError, match="has no sample 'x'; it has s0, s1"):
        store.sample(shards, "x")


@pytest.mark.parametrize(
    "query",
    [
        AnswerQuery(),
        AnswerQuery(sort="token_overlap", descending=True),
        AnswerQuery(sort="rating", rated="yes"),
        AnswerQuery(text="menu 3"),
        AnswerQuery(text="flow", sort="token_overlap"),
        AnswerQuery(text="no such words"),
        AnswerQuery(language="en", message_type="binary", group="g"),
        AnswerQuery(metric="token_overlap", status="scored", at_least=0.5),
        AnswerQuery(metric="rouge_l", status="skipped"),
    ],
    ids=repr,
)
def test_answers_are_looked_up_as_in_a_local_run(both: tuple[Store, str, str], query: AnswerQuery) -> None:
    store, local, shards = both
    pages = []
    for run in (local, shards):
        index = AnswerIndex(store.tables(run))
        index.update(run)
        named = index.existing(run, ["s4", "nothing"]), index.values(run, ["s4", "nothing"])
        pages.append((index.search(run, query), index.choices(run), index.neighbours(run, "s4"), named))
    assert pages[0] == pages[1]
    assert pages[0][3][0] == {"s4"} == {*pages[0][3][1]}


def test_the_figures_of_the_page_are_those_of_a_local_run(both: tuple[Store, str, str]) -> None:
    store, local, shards = both
    for run in (local, shards):
        AnswerIndex(store.tables(run)).update(run)
    assert compute_figures(store, shards) == compute_figures(store, local)


def test_a_summary_is_read_from_the_index_and_an_answer_from_its_own_shard(both: tuple[Store, str, str]) -> None:
    """12 answers in shards of 3, 3, 1, 3, 2: `s7` is the first of the fourth."""
    store, local, shards = both
    fourth = ShardFolder(store.results(shards) or "").result_names()[3]
    for file in Path(store.results(shards) or "").glob("*.parquet"):
        if file.stem != fourth:
            file.unlink()
    assert store.count_samples(shards) == 12
    assert ScoreTotals.of_run(store, shards).counts
    assert compute_figures(store, shards).metrics
    assert sorted(store.score_counts(shards)) == sorted(store.score_counts(local))
    assert list(store.missing_scores(shards)) == list(store.missing_scores(local))
    assert (store.sample(shards, "s7"), list(store.scores(shards, "s7"))) == (
        store.sample(local, "s7"),
        list(store.scores(local, "s7")),
    )


def test_results_without_their_index_are_read_as_they_are(both: tuple[Store, str, str]) -> None:
    """As those of a run that was killed."""
    store, local, shards = both
    (index,) = Path(store.results(shards) or "").glob("*.index")
    index.unlink()
    assert sorted(store.score_counts(shards)) == sorted(store.score_counts(local))
    assert store.sample(shards, "s7") == store.sample(local, "s7")
    assert AnswerIndex(store.tables(shards)).search(shards, AnswerQuery(sort="token_overlap")).total == 12


def test_results_that_are_there_are_not_made_again(tmp_path: Path, set_file: Make) -> None:
    """Also where a file was added since: only its shards are scored, and no answer counts twice."""
    set_path = set_file(9)
    pattern = write_files(tmp_path / "in", set_path, 4)
    store, plan = Store(tmp_path / ".assay"), Plan(sets=(pattern,), metrics=("token_overlap",))
    options = ShardOptions(out=tmp_path / "out", shard_rows=2)
    first = run_shards(plan, store, RunOptions(), options).run
    written = {file: file.stat().st_mtime_ns for file in Path(store.results(first) or "").glob("?????*.parquet")}
    write_files(tmp_path / "in", set_path, 4, 5)
    second = run_shards(plan, store, RunOptions(), options).run
    assert store.count_samples(second) == 9
    assert len(list(Path(store.results(second) or "").glob("*.index"))) == 1  # of the first run's results is none
    assert {file: file.stat().st_mtime_ns for file in written} == written
    assert len(written) == 2


def test_shards_of_rows_that_changed_count_no_more(tmp_path: Path, set_file: Make) -> None:
    store, options = Store(tmp_path / ".assay"), ShardOptions(out=tmp_path / "out", shard_rows=2)
    for response in ("Open it.", "Close it."):
        pattern = write_files(tmp_path / "in", set_file(4, response=response), 4)
        run = run_shards(Plan(sets=(pattern,), metrics=("token_overlap",)), store, RunOptions(), options).run
    assert [sample.response for sample in store.samples(run)] == ["Close it."] * 4


def test_results_in_another_file_system(set_file: Make) -> None:
    """What fsspec reaches: here a file system in memory."""
    import fsspec

    rows = pyarrow.Table.from_pylist([LINES(line) for line in set_file(3).read_text().splitlines()])
    plan = ShardPlan(metrics=("token_overlap",))
    folder = ShardFolder.of_plan("memory://scores", plan)
    assert (folder.begin(plan, 10), folder.begin(plan, 20)) == (10, 10)
    assert folder.write("a" * 32, score_shard(rows, plan), plan.all_metrics)["rows"] == 3
    assert folder.summary("a" * 32) == {
        "rows": 3,
        "statuses": {"scored": 9, "skipped": 0, "failed": 0},
        "unfinished": 0,
    }
    assert folder.result_files(folder.result_names()) == [f"memory://scores/{plan.identity}/{'a' * 32}.parquet"]
    from assay.runs.shards.parquet_database import ParquetDatabase

    database = ParquetDatabase("r", folder, plan.all_metrics)
    assert database.execute("SELECT id FROM samples ORDER BY place").fetchall() == [("s0",), ("s1",), ("s2",)]
    fsspec.filesystem("memory").rm("/scores", recursive=True)


def test_the_command_goes_on_after_its_budget_and_its_replies_become_a_cassette(
    tmp_path: Path, set_file: Make, judge_file: Make, openai_server: OpenAIServer, assay: Make
) -> None:
    pattern = write_files(tmp_path / "in", set_file(6), 6)
    words = ("run", pattern, "--judge", judge_file(concurrency=1), "--metrics", "judge_truthfulness")
    words = (*words, "--engine", "shards", "--out", "out", "--shard-rows", "3")
    stopped = assay(*words, "--budget-calls", "4")
    assert stopped.code == 3, stopped.err
    done = assay("run", "--resume", "last", "--json")
    assert done.code == 0, done.err
    assert done.json["metrics"]["judge_truthfulness"]["scored"] == 6
    assert len(openai_server.requests) == 6
    assert assay("cassettes", "merge", "all.jsonl", "out", "--json").json == {"recordings": 6}
    local = ("run", "in/answers-0.parquet", *words[2:6])
    replayed = assay(*local, "--cassette", "all.jsonl", "--mode", "replay", "--json")
    assert (replayed.code, replayed.json["metrics"]) == (0, done.json["metrics"])
    assert len(openai_server.requests) == 6
    assert not list(tmp_path.glob("out/*/*.partial"))


def test_a_killed_command_asks_again_at_most_for_the_shard_in_work(
    *,
    tmp_path: Path,
    set_file: Make,
    judge_file: Make,
    openai_server: OpenAIServer,
    warm_python: WarmPython,
    assay: Make,
) -> None:
    """Killed at the sixth request: the first shard's 3 replies are kept, the second's 2 are lost."""
    pattern = write_files(tmp_path / "in", set_file(6), 6)
    words = ["run", pattern, "--judge", str(judge_file(concurrency=1)), "--metrics", "judge_truthfulness"]
    words += ["--engine", "shards", "--out", "out", "--shard-rows", "3"]
    with command_at_request(warm_python, tmp_path, openai_server, words, 6) as process:
        process.kill()
        process.communicate()
    done = assay(*words, "--json")
    assert done.code == 0, done.err
    assert done.json["metrics"]["judge_truthfulness"]["scored"] == 6
    assert len(openai_server.requests) <= 6 + 3
    store = Store(tmp_path / ".assay")
    assert sorted(sample.id for sample in store.samples(done.json["run"])) == [f"s{number}" for number in range(6)]


def test_the_command_says_what_does_not_fit(tmp_path: Path, set_file: Make, assay: Make) -> None:
    pattern = write_files(tmp_path / "in", set_file(2), 2)
    assert "--out scores" in assay("run", pattern, "--metrics", "token_overlap", "--engine", "shards").err
    unscorable = assay("run", pattern, "--metrics", "rouge_l", "--engine", "shards", "--out", "out")
    assert "rouge_l can score none of the 2 samples" in unscorable.err
    assert unscorable.code == 2
    assert not list(tmp_path.glob("out/*/*.parquet"))


def test_samples_are_read_whole(both: tuple[Store, str, str]) -> None:
    store, _, shards = both
    assert all(isinstance(sample, Sample) and sample.message_type == "binary" for sample in store.samples(shards))
