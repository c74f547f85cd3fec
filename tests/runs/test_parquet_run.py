"""Runs over Parquet files: the scores are those of a run in a store, a kill loses nothing, and memory stays bounded."""

import gc
import json
import signal
from pathlib import Path

import pytest
from interrupted_runs import command_at_request, count_bodies
from openai_server import Answer

from assay.eval_sets import Sample

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

JUDGED = "judge_truthfulness"
# A command that is killed right before or right after its k-th part takes its place.
KILLED = """
import os, signal, sys
number, moment, words = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
count, replace = 0, os.replace

def counted(draft, target, **options):
    global count
    count += str(target).endswith(".parquet")
    if count == number and moment == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    replace(draft, target, **options)
    if count == number:
        os.kill(os.getpid(), signal.SIGKILL)

os.replace = counted
sys.argv = ["assay", *words]
from assay.cli import main
main()
"""


def write_files(set_path, *counts, folder="in"):
    rows = pyarrow.Table.from_pylist([json.loads(line) for line in set_path.read_text().splitlines()])
    Path(folder).mkdir(exist_ok=True)
    start = 0
    for number, count in enumerate(counts):
        parquet.write_table(rows.slice(start, count), Path(folder) / f"answers-{number}.parquet")
        start += count
    return f"{folder}/*.parquet"


def names(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def read_scores(folder):
    rows = {}
    for file in sorted(Path(folder).glob("*.parquet")):
        for row in parquet.read_table(file).to_pylist():
            assert row["id"] not in rows
            rows[row["id"]] = {name: value for name, value in row.items() if not name.endswith(".usage")}
    return rows


def test_the_scores_are_those_of_a_run_in_a_store(assay, set_file):
    pattern = write_files(set_file(7), 4, 3)
    done = assay("run", pattern, "--metrics", "declined", "--out", "out", "--json", code=0)
    assert (done.json["written"], done.json["skipped"], done.json["answers"]) == (2, 0, 7)
    assert names("out") == ["answers-0-00000.parquet", "answers-1-00000.parquet"]
    local = assay("run", "set.jsonl", "--metrics", "declined", "--json")
    for metric, counts in done.json["metrics"].items():
        same = local.json["metrics"][metric]
        assert counts == {name: same[name] for name in ("n", "scored", "skipped", "failed")} | {
            "mean": pytest.approx(same["mean"])
        }
    rows = read_scores("out")
    shown = assay("show", "last", "--json").json["scores"]
    assert len(shown) == len(rows) * len(done.json["metrics"])
    for score in shown:
        row, metric = rows[score["sample"]], score["metric"]
        assert (row[metric], row[f"{metric}.status"], row[f"{metric}.reason"]) == (
            score["value"],
            score["status"],
            score["reason"],
        )
        assert json.loads(row[f"{metric}.evidence"]) == score["evidence"]
        assert (row["user_input"], row["response"], row["rating"]) == (
            score["user_input"],
            score["response"],
            score["rating"],
        )


def test_a_run_in_which_nothing_was_scored_ends_as_one_in_a_store_does(assay, tmp_path):
    """Without contexts token_overlap skips both answers; answer_length, which nobody asked for, has a value."""
    rows = [{"user_input": "Free?", "response": "Yes."}, {"user_input": "Open?", "response": "No."}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "bare.parquet")
    words = ("run", "bare.parquet", "--metrics")
    said = "nothing was scored. token_overlap: the sample has no retrieved_contexts"
    assert said in assay(*words, "token_overlap", code=1).err
    for _ in range(2):  # the part is written, and is there already
        done = assay(*words, "token_overlap", "--out", "out", "--json", code=1)
        assert said in done.err
        counts = done.json["metrics"]["token_overlap"]
        assert counts == {"n": 2, "scored": 0, "skipped": 2, "failed": 0, "mean": None}
    assert assay(*words, "token_overlap,answer_length", "--out", "both").code == 0


def test_a_judge_gives_what_it_gives_in_a_store(assay, set_file, judge_file, openai_server):
    """Its replies stay beside a part until that is written, and no longer; a cassette has them for good."""
    pattern = write_files(set_file(6), 3, 3)
    words = ("run", "--judge", judge_file(), "--metrics", JUDGED, "--json")
    done = assay(*words, pattern, "--out", "out", code=0)
    assert len(openai_server.requests) == done.json["usage"]["calls"] == 6
    assert names("out") == ["answers-0-00000.parquet", "answers-1-00000.parquet"]
    local = assay(*words, "set.jsonl")
    assert done.json["metrics"][JUDGED]["mean"] == pytest.approx(local.json["metrics"][JUDGED]["mean"])
    asked = len(openai_server.requests)
    recorded = assay(*words, pattern, "--out", "recorded", "--cassette", "replies.jsonl")
    assert len(openai_server.requests) == asked + 6
    replayed = assay(*words, pattern, "--out", "replayed", "--cassette", "replies.jsonl", "--mode", "replay")
    assert len(openai_server.requests) == asked + 6
    assert recorded.json["metrics"] == replayed.json["metrics"] == done.json["metrics"]
    assert read_scores("recorded") == read_scores("replayed") == read_scores("out")


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", [1, 4, *(pytest.param(number, marks=pytest.mark.slow) for number in (2, 3))])
def test_a_kill_at_any_part_loses_and_doubles_nothing(*, assay, set_file, warm_python, tmp_path, number, moment):
    words = ["run", write_files(set_file(12), 3, 3, 3, 3), "--metrics", "token_overlap", "--json", "--out"]
    whole = assay(*words, "whole").json
    assert whole["written"] == 4
    process = warm_python.start("-c", KILLED, str(number), moment, *words, "out", cwd=tmp_path)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    written = number - (moment == "before")
    assert len(list(Path("out").glob("*.parquet"))) == written
    again = assay(*words, "out")
    assert (again.code, again.json["written"], again.json["skipped"]) == (0, 4 - written, written), again.err
    assert read_scores("out") == read_scores("whole")
    assert again.json["metrics"] == whole["metrics"]


def test_a_kill_costs_no_reply_that_came(*, assay, set_file, judge_file, openai_server, warm_python, tmp_path):
    """Killed before the second part takes its place: all its replies had come. And killed while a request waits."""
    words = ["run", write_files(set_file(9), 3, 3, 3), "--judge", str(judge_file(concurrency=1)), "--metrics", JUDGED]
    words += ["--json", "--out", "out"]
    process = warm_python.start("-c", KILLED, "2", "before", *words, cwd=tmp_path)
    process.communicate()
    assert len(openai_server.requests) == 6
    with command_at_request(warm_python, tmp_path, openai_server, words, 8) as killed:
        killed.kill()
        killed.communicate()
    done = assay(*words)
    assert (done.code, done.json["metrics"][JUDGED]["scored"]) == (0, 9), done.err
    assert sorted(count_bodies(openai_server).values()) == [1] * 8 + [2], "only the one that got no reply"
    assert names("out") == [f"answers-{number}-00000.parquet" for number in range(3)]


def test_at_a_bound_of_the_budget_the_same_command_goes_on(assay, set_file, judge_file, openai_server):
    words = ("run", write_files(set_file(6), 3, 3), "--judge", judge_file(), "--metrics", JUDGED, "--out", "out")
    stopped = assay(*words, "--budget-calls", "4")
    assert (stopped.code, len(openai_server.requests)) == (3, 4)
    assert "the budget of 4 calls is reached" in stopped.err
    assert "go on with the same command" in stopped.err
    done = assay(*words, "--json")
    assert (done.code, done.json["written"], done.json["skipped"]) == (0, 1, 1), done.err
    assert len(openai_server.requests) == 6


def test_no_process_holds_more_than_a_part(assay, set_file, monkeypatch, tmp_path):
    """1,400 answers in parts of 1,000: whatever was read, at most 1,000 samples are there at once."""
    pattern = write_files(set_file(1400), 1400)
    read_batches, counts = parquet.ParquetFile.iter_batches, list[int]()

    def count_samples():
        gc.collect()
        return sum(type(item) is Sample for item in gc.get_objects())

    gc.collect()
    gc.freeze()  # what is there already is none of the count's

    def counted(self, *arguments, **options):
        for batch in read_batches(self, *arguments, **options):
            counts.append(count_samples())
            yield batch

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", counted)
    done = assay("run", pattern, "--metrics", "token_overlap", "--out", "out", "--json")
    assert (done.json["written"], done.json["answers"]) == (2, 1400)
    assert [parquet.read_metadata(file).num_rows for file in sorted(Path("out").iterdir())] == [1000, 400]
    assert 500 < max(counts) <= 1000


def test_a_bad_row_is_named_and_what_came_before_it_stays(assay, set_file):
    pattern = write_files(set_file(6), 3, 3)
    bad = parquet.read_table("in/answers-1.parquet").to_pylist()
    bad[1]["rating"] = 1000
    parquet.write_table(pyarrow.Table.from_pylist(bad), "in/answers-1.parquet")
    done = assay("run", pattern, "--metrics", "token_overlap", "--out", "out", code=1)
    assert "answers-1.parquet, row 2, field rating: 1000 is outside the scale 1-5" in done.err
    assert names("out") == ["answers-0-00000.parquet"]


def test_scores_of_other_answers_and_of_other_metrics_are_not_mixed(assay, set_file):
    pattern = write_files(set_file(3), 3)
    words = ("run", pattern, "--out", "out", "--metrics")
    assert assay(*words, "token_overlap").code == 0
    other = assay(*words, "declined")
    assert (other.code, "holds scores of other metrics, another judge or other options" in other.err) == (2, True)
    write_files(set_file(3, response="Close it."), 3)
    changed = assay(*words, "token_overlap", code=1)
    assert "out/answers-0-00000.parquet: holds the scores of other rows than" in changed.err
    Path("out/answers-0-00000.parquet").unlink()
    assert assay(*words, "token_overlap").code == 0
    assert {row["response"] for row in read_scores("out").values()} == {"Close it."}


def test_an_id_that_two_files_have_is_refused_as_in_a_store(assay, set_file, judge_file, openai_server):
    """The second file begins with the last answer of the first: nothing is paid for it, and no part holds it."""
    lines = set_file(6).read_text().splitlines()
    Path("doubled.jsonl").write_text("\n".join([*lines[:3], *lines[2:5]]))
    pattern = write_files(Path("doubled.jsonl"), 3, 3)
    name = json.loads(lines[2])["id"]
    words = ("run", "in/answers-0.parquet", "in/answers-1.parquet", "--judge", judge_file(), "--metrics", JUDGED)
    assert f"the id {name!r} is in another set of this run; make their ids differ" in assay(*words, code=1).err
    words = ("run", pattern, "--judge", judge_file(), "--metrics", JUDGED, "--out", "out")
    for _ in range(2):
        done = assay(*words, code=1)
        said = " ".join(done.err.split())
        assert f"answers-1.parquet: the id {name!r} is in" in said and "answers-0.parquet too; make their ids" in said
        assert names("out") == ["answers-0-00000.parquet"]
    assert len(openai_server.requests) == 3


def test_what_failed_is_counted_and_scored_again_where_its_part_is_removed(assay, set_file, judge_file, openai_server):
    openai_server.script = lambda request: Answer(status=400) if "step 1?" in request.user else None
    words = ("run", write_files(set_file(3), 3), "--metrics", JUDGED, "--out", "out", "--judge", judge_file(attempts=1))
    assert "1 score failed, 0 allowed" in assay(*words, code=4).err
    openai_server.script = None
    assert assay(*words).code == 4, "the part stays as it is"
    Path("out/answers-0-00000.parquet").unlink()
    assert assay(*words).code == 0


def test_two_commands_do_not_score_into_one_folder(
    *, assay, set_file, judge_file, openai_server, warm_python, tmp_path
):
    """They would pay for its questions twice."""
    words = ["run", write_files(set_file(6), 6), "--judge", str(judge_file()), "--metrics", JUDGED, "--out", "out"]
    with command_at_request(warm_python, tmp_path, openai_server, words, 5):
        refused = assay(*words)
        assert (refused.code, "another process is at work on it" in refused.err) == (2, True), refused.err
    assert assay(*words).code == 0


def test_meta_and_estimate_read_the_scores(assay, set_file):
    """Rated are 12 of 30 answers by 1 to 5 in turn; the metrics are those of a file of scores with the same columns."""
    lines = [json.loads(line) for line in set_file(30).read_text().splitlines()]
    Path("set.jsonl").write_text("\n".join(json.dumps(line | {"group": f"g{line['rating']}"}) for line in lines))
    pattern = write_files(Path("set.jsonl"), 20, 10)
    assert assay("run", pattern, "--metrics", "declined", "--out", "out").code == 0
    assert "assay meta --scores out" in " ".join(assay("show", "out", code=2).err.split())
    by_folder = assay("meta", "--scores", "out", "--bootstrap", "100", "--json")
    assert assay("run", "set.jsonl", "--metrics", "declined").code == 0
    by_run = assay("meta", "last", "--bootstrap", "100", "--json")
    names = {"declined", "token_overlap", "rouge_l_precision", "answer_length", "question_only", "constant"}
    of_folder, of_run = (
        {metric["name"]: (metric["n"], metric["spearman"]) for metric in read.json["metrics"]}
        for read in (by_folder, by_run)
    )
    assert set(of_folder) == names
    assert of_folder == of_run
    words = ("estimate", "--scores", "out", "--judged", "token_overlap", "--json")
    estimated = assay(*words)
    assert (estimated.code, estimated.json["answers"]) == (0, 30), estimated.err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("in/*.parquet --out out --skip-bad", "--skip-bad and --batch"),
        ("in/*.parquet --out out --turns each", "without --sheet, --header-row and --turns"),
        ("none/*.parquet --out out", "none/*.parquet: there is no Parquet file of this name"),
        ("bad/*.parquet --out out", "bad.parquet: is no readable Parquet file"),
        ("in/*.parquet same/*.parquet --out out", "has the same name"),
        ("in/*.parquet --out in", "was not written by `assay run --out`"),
        ("in/*.parquet --out out --metrics rouge_l", "rouge_l can score none of the 2 samples"),
    ],
)
def test_the_command_says_what_does_not_fit(assay, set_file, words, problem):
    write_files(set_file(2), 2)
    write_files(set_file(2), 2, folder="same")
    Path("bad").mkdir()
    Path("bad/bad.parquet").write_bytes(b"no Parquet")
    done = assay("run", "--metrics", "token_overlap", *words.split())
    assert done.code in {1, 2}
    assert problem in " ".join(done.err.split())
    assert not list(Path().glob("out/*.parquet"))
