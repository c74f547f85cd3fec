"""`assay meta`, as people type it."""

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.runs import Store
from assay.runs.run_scores import find_answer_evidence

Make = Callable[..., Any]
METRIC = "faithfulness:claims=judge"
QUICK = ("--bootstrap", "100", "--repeats", "1")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """60 answers in 30 groups: `good` is the rating with noise, `noise` is noise; one item of each file is alone."""
    chance = random.Random(3)
    scores, ratings = tmp_path / "scores.csv", tmp_path / "ratings.csv"
    rated = [(f"a{n}", chance.randint(1, 5)) for n in range(60)]
    with scores.open("w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["id", "good", "noise", "page", "language"])
        for n, (item, rating) in enumerate(rated):
            table.writerow([item, rating + chance.gauss(0, 0.8), chance.random(), n // 2, "nl" if n % 2 else "en"])
        table.writerow(["unrated", 3, 0.5, 99, "en"])
    with ratings.open("w", newline="") as out:
        csv.writer(out).writerows([["id", "an", "bo"], *((i, r, min(5, r + 1)) for i, r in rated), ["unscored", 1, 2]])
    return scores, ratings


def test_json_has_the_shape_that_others_rely_on(assay: Make, files: tuple[Path, Path]) -> None:
    typed = (
        "meta",
        "--scores",
        files[0],
        "--ratings",
        files[1],
        "--group",
        "page",
        "--by",
        "language",
        "--json",
        *QUICK,
    )
    done = assay(*typed)
    assert (done.code, done.err) == (0, "")
    report = done.json
    assert report.keys() >= {"recommendation", "metrics", "combinations", "ceiling"}
    for metric in report["metrics"]:
        assert metric.keys() >= {"name", "n", "coverage", "spearman", "low", "high", "p"}
    for combination in report["combinations"]:
        assert combination.keys() >= {"metrics", "in_sample", "out_of_fold", "low", "high"}
    assert [metric["name"] for metric in report["metrics"]] == ["good", "noise", "constant"]
    assert report["metrics"][0]["spearman"] > 0.8
    assert report["metrics"][2]["spearman"] is None
    assert report["ceiling"] > 0.9  # bo gives one more than an
    assert report["recommendation"].startswith("good follows your team ")
    assert (report["unscored"], report["unrated"]) == (["unscored"], ["unrated"])
    assert {part["label"] for part in report["slices"]} == {"nl", "en"}
    assert report["settings"]["groups"] == 30
    assert assay(*typed).json == report  # all randomness comes from the seed
    assert assay(*typed, "--seed", "1").json["metrics"] != report["metrics"]


@pytest.mark.parametrize("combine", ["subsets", "sum", "ridge"])
def test_every_combiner_that_is_offered_runs(assay: Make, files: tuple[Path, Path], combine: str) -> None:
    typed = ("meta", "--scores", files[0], "--ratings", files[1], "--combine", combine, "--max-metrics", "2")
    done = assay(*typed, "--json", *QUICK)
    assert done.code == 0
    assert done.json["selection"]["combine"] == combine
    assert done.json["chosen"]["out_of_fold"] > 0.3


@pytest.fixture
def two_runs(assay: Make, set_file: Make, judge_file: Make) -> tuple[str, str]:
    """One set of 24 judged by two judges."""
    samples = set_file(24)

    def judged_by(name: str) -> str:
        judge = judge_file(f"{name}.yaml", served_as=name)
        return str(assay("run", samples, "--judge", judge, "--metrics", METRIC, "--json").json["run"])

    return judged_by("one"), judged_by("two")


def test_runs_of_two_judges_stand_beside_each_other(assay: Make, two_runs: tuple[str, str]) -> None:
    done = assay("meta", *two_runs, "--json", *QUICK)
    assert done.code == 0
    names = [metric["name"] for metric in done.json["metrics"]]
    baselines = ["token_overlap", "rouge_l_precision", "answer_length"]
    assert names == [f"{METRIC}@one", *baselines, f"{METRIC}@two", "question_only", "constant"]
    own = [metric["name"] for metric in done.json["metrics"] if metric["baseline"]]
    assert own == [*baselines, "question_only", "constant"]


def test_without_a_name_the_last_run_is_meant_and_its_audits_are_in_the_report(
    assay: Make, two_runs: tuple[str, str]
) -> None:
    assert assay("meta", "--report", "r.html", *QUICK).code == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "Send flowers." in page
    assert "not found" in page


@pytest.mark.parametrize(
    ("typed", "code", "message"),
    [
        (["meta"], 2, "there are no runs here"),
        (["meta", "--ratings", "r.csv"], 2, "name the scores too"),
        (["meta", "--scores", "none.csv"], 1, "none.csv: there is no such file"),
        (["meta", "--scores", "s.csv", "--scale", "5"], 2, "such as 1-5"),
        (["meta", "--scores", "s.csv", "--report", "r.pdf"], 2, "an .html file"),
        (["meta", "--scores", "s.csv", "--metrics", "god"], 2, "did you mean good?"),
        (["meta", "--scores", "s.csv", "--by", "country"], 1, "no item has a label for it; write a column `country`"),
        (["meta", "--scores", "bad.csv"], 1, 'bad.csv, line 3, field good: "high" is not a number'),
    ],
)
def test_what_is_wrong_is_said_with_its_cure(assay: Make, typed: list[str], code: int, message: str) -> None:
    Path("s.csv").write_text("id,good,rating\na,1,2\nb,1.5,3\nc,2,4\n", encoding="utf-8")
    Path("bad.csv").write_text("id,good,rating\na,1,2\nb,high,3\nc,2,4\n", encoding="utf-8")
    done = assay(*typed)
    assert done.code == code
    assert message in done.err.replace("\n", " ")
    assert "Traceback" not in done.err


QUESTIONS = 24


def _answers(path: Path, version: str, better: float, *, ids: bool = True, group: bool = False) -> Path:
    """A set of one version's answers to the same questions, with ratings; longer answers are better."""
    chance = random.Random(version)
    with path.open("w", encoding="utf-8") as out:
        for number in range(QUESTIONS):
            good = chance.random() < 0.4 + better
            answer = f"Send {'flowers to room ' if good else 'a '}{number} of {version}."
            row = {"user_input": f"What is sent to {number}?", "response": answer, "rating": 5 if good else 2}
            row |= {"retrieved_contexts": [f"Send flowers to room {number}."], "language": "en"}
            row |= {"id": f"q{number}"} if ids else {}
            row |= {"metadata": {"group": f"g{number // 3}"}} if group else {}
            out.write(json.dumps(row) + "\n")
    return path


@pytest.fixture
def runs_of(assay: Make, tmp_path: Path) -> Make:
    """Runs of versions: name -> how much better, as share of good answers."""

    def run(**versions: float) -> list[str]:
        sets = [_answers(tmp_path / f"{name}.jsonl", name, better) for name, better in versions.items()]
        return [str(assay("run", one, "--metrics", "token_overlap", "--json").json["run"]) for one in sets]

    return run


def test_runs_with_other_answers_to_the_same_questions_are_versions(assay: Make, runs_of: Make) -> None:
    old, new = runs_of(old=0.0, new=0.5)
    report = assay("meta", old, new, "--json", *QUICK).json
    versions = report["versions"]
    assert (versions["versions"], versions["answers"]) == ([old, new], [QUESTIONS, QUESTIONS])
    assert (versions["pairs"][0]["questions"], versions["pairs"][0]["paired"]) == (QUESTIONS, True)
    assert versions["pairs"][0]["difference"] > 0.5
    by_name = {metric["metric"]: metric for metric in versions["metrics"]}
    assert by_name["token_overlap"]["ordered"] == 1
    assert report["settings"]["rated"] == 2 * QUESTIONS
    assert report["settings"]["groups"] == QUESTIONS  # answers to one question resample together
    assert report["metrics"][0]["name"] == "token_overlap"  # one column, not one per run
    text = assay("meta", old, new, *QUICK).out
    assert "Between versions: token_overlap orders 1 of 1 pair" in " ".join(text.split())
    assert "Which version is better" in assay("meta", old, new, "--all", *QUICK).out


def test_the_report_shows_versions_and_the_answers_of_each(assay: Make, runs_of: Make) -> None:
    runs = runs_of(old=0.0, new=0.5)
    assert assay("meta", *runs, "--report", "r.html", *QUICK).code == 0
    assert 'id="versions"' in Path("r.html").read_text(encoding="utf-8")
    store = Store()
    rows = [store.run(run) for run in runs]
    of_run = {run: run for run in runs}
    for run, name in zip(runs, ("old", "new"), strict=True):
        evidence = find_answer_evidence(store, rows, f"q1@{run}", of_run)
        assert evidence is not None
        assert evidence.response.endswith(f"of {name}.")
        assert evidence.metrics[0].metric == "token_overlap"


def test_a_second_run_of_the_same_answers_is_no_version(assay: Make, runs_of: Make, tmp_path: Path) -> None:
    old, new = runs_of(old=0.0, new=0.5)
    again = assay("run", tmp_path / "new.jsonl", "--metrics", "rouge_l_precision", "--json").json["run"]
    assert assay("meta", new, again, "--json", *QUICK).json["versions"] is None
    report = assay("meta", old, new, again, "--json", *QUICK).json
    assert report["versions"]["versions"] == [old, new]
    assert report["settings"]["rated"] == 2 * QUESTIONS


def test_an_estimate_is_of_one_version(assay: Make, runs_of: Make) -> None:
    runs = runs_of(old=0.0, new=0.5)
    done = assay("estimate", *runs, "--cheap", "token_overlap", "--judged", "rouge_l_precision")
    assert done.code == 2
    assert "hold other answers to the same questions" in done.err
    assert "estimate one version at a time" in done.err


def test_a_column_of_a_file_says_the_version(assay: Make, tmp_path: Path) -> None:
    chance = random.Random(1)
    lines = ["id,user_input,model,good,rating"]
    for number in range(30):
        for model in ("small", "large"):
            rating = chance.randint(1, 4) + (model == "large")
            lines.append(f"{model}{number},Question {number}?,{model},{rating + chance.gauss(0, 1)},{rating}")
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines))
    typed = ("meta", "--scores", file, "--json", *QUICK)
    assert assay(*typed).json["versions"] is None
    report = assay(*typed, "--versions", "model").json
    assert report["versions"]["versions"] == ["small", "large"]
    assert report["settings"]["groups"] == 30
    file.write_text("\n".join(lines).replace("model", "system", 1))
    assert assay(*typed).json["versions"]["versions"] == ["small", "large"]
    missing = assay(*typed, "--versions", "country")
    assert (missing.code, "--versions country: no item has a label for it" in missing.err) == (1, True)


def test_a_greeting_of_many_conversations_is_no_question_that_joins_their_groups(assay: Make, tmp_path: Path) -> None:
    chance = random.Random(2)
    lines = ["id,user_input,system,good,rating,group"]
    for number in range(40):
        question = "Hi" if number % 2 else f"Question {number}?"
        for system in ("old", "new"):
            rating = chance.randint(1, 5)
            lines.append(f"{system}{number},{question},{system},{rating + chance.gauss(0, 1)},{rating},chat{number}")
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines))
    report = assay("meta", "--scores", file, "--json", *QUICK).json
    assert report["settings"]["groups"] == 40
    assert report["versions"]["pairs"][0]["questions"] == 40  # a greeting is paired within its own conversation
    file.write_text("\n".join(line.replace(",chat", f",{line[:3]}") for line in lines))  # groups of one version each
    report = assay("meta", "--scores", file, "--json", *QUICK).json
    assert (report["settings"]["groups"], report["versions"]["pairs"][0]["questions"]) == (60, 20)
