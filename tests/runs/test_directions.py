"""Directions of metrics: what follows them."""

import csv
import importlib
import sys

import pytest
from noted_sets import write_rows

from assay import load_set
from assay.installation import registered_entries
from assay.runs import Plan, Results, Store, evaluate

# Both read one figure from the sample: `wrong`, 0 for the best answer and 1 for the worst.
PACKAGE = """
from assay.metrics import Metric, Score
from assay.metrics.score import scored

class Rightness(Metric):
    name = "rightness"

    async def measure(self, sample) -> Score:
        return scored(1 - sample.metadata["wrong"], "one less what is wrong")

class Wrongness(Metric):
    name = "wrongness"
    higher_is_better = False

    async def measure(self, sample) -> Score:
        return scored(sample.metadata["wrong"], "what is wrong")
"""
BOTH = "rightness,wrongness"


@pytest.fixture(autouse=True)
def other_package(tmp_path, monkeypatch):
    """Another package with a metric of each direction, found by its entry points like every metric."""
    site = tmp_path / "site"
    (site / "rightful-1.0.dist-info").mkdir(parents=True)
    (site / "rightful.py").write_text(PACKAGE, encoding="utf-8")
    (site / "rightful-1.0.dist-info" / "METADATA").write_text("Name: rightful\nVersion: 1.0\n", encoding="utf-8")
    (site / "rightful-1.0.dist-info" / "entry_points.txt").write_text(
        "[assay.metrics]\nrightness = rightful:Rightness\nwrongness = rightful:Wrongness\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(site)
    importlib.invalidate_caches()
    registered_entries.cache_clear()
    yield site
    registered_entries.cache_clear()
    sys.modules.pop("rightful", None)


def write_set(path, wrong, contexts="Some words."):
    """One sample per value, in groups of their own, rated 5 for 0 and 1 for 1: both metrics agree perfectly."""
    rows = [
        {
            "id": f"s{number}",
            "user_input": f"Question {number}?",
            "response": "Some words." if number % 2 else "Others altogether, and more of them.",
            "retrieved_contexts": [contexts],
            "language": "en",
            "rating": 5 - 4 * value,
            "wrong": value,
        }
        for number, value in enumerate(wrong)
    ]
    return write_rows(path, rows)


RISING = [n / 9 for n in range(10)]  # s9 is the worst


def test_a_plan_records_what_its_metrics_declare(assay, tmp_path, other_package):
    """And a run keeps its directions when the package is removed, or when it declares another direction later."""
    assay("run", write_set(tmp_path / "set.jsonl", RISING), "--metrics", BOTH)
    sys.modules.pop("rightful")
    (other_package / "rightful.py").unlink()
    (other_package / "rightful-1.0.dist-info" / "entry_points.txt").unlink()
    importlib.invalidate_caches()
    registered_entries.cache_clear()
    plan = Store(".assay").run("last").plan
    assert plan.directions["rightness"] is plan.directions["answer_length"] is True
    assert plan.all_directions["wrongness"] is False


def test_a_plan_without_directions_takes_those_of_the_catalogue():
    plan = Plan(sets=("set.jsonl",), metrics=("wrongness", "rightness", "gone", "ragas:noise_sensitivity", "declined"))
    expected = {"wrongness": False, "rightness": True, "gone": True, "ragas:noise_sensitivity": False}
    baselines = {"token_overlap": True, "rouge_l_precision": True, "answer_length": True}
    assert plan.all_directions == expected | {"declined": False} | baselines


def test_directions_are_no_part_of_the_identity():
    """Otherwise a run recorded before directions were kept could not be resumed."""
    plan = Plan(sets=("a",), metrics=("b", "c"))
    assert plan.identity == "563c4f118ca3"  # as version 0.1.0 made it
    assert plan.model_copy(update={"directions": {"b": False}}).identity == plan.identity


def test_no_metric_that_agrees_perfectly_loses_to_a_baseline(assay, tmp_path):
    path = write_set(tmp_path / "set.jsonl", RISING)
    metrics = assay("run", path, "--metrics", BOTH, "--json").json["metrics"]
    assert (metrics["rightness"]["spearman"], metrics["wrongness"]["spearman"]) == (pytest.approx(1), pytest.approx(-1))
    assert (metrics["rightness"]["loses_to"], metrics["wrongness"]["loses_to"]) == (None, None)
    assert (metrics["rightness"]["higher_is_better"], metrics["wrongness"]["higher_is_better"]) == (True, False)
    assert [
        line for line in assay("show", "last").out.splitlines() if "lower is better" in line and "wrongness" in line
    ]
    in_memory = {each.name: each for each in evaluate(load_set(path), ["rightness", "wrongness"]).summary()}
    assert (in_memory["rightness"].loses_to, in_memory["wrongness"].loses_to) == ("", "")
    assert in_memory["wrongness"].higher_is_better is False


@pytest.mark.parametrize("metric", ["rightness", "wrongness"])
def test_the_worst_answers_are_the_bad_ones(assay, tmp_path, metric):
    output = assay("run", write_set(tmp_path / "set.jsonl", RISING), "--metrics", metric).out
    store = Store(".assay")
    assert list(Results.from_store(store, "last").worst(3, metric).samples) == ["s9", "s8", "s7"]
    assert "Question 9?" in output
    assert "Question 0?" not in output


def test_of_changes_of_one_size_the_worse_stands_first(assay, tmp_path):
    assay("run", write_set(tmp_path / "set.jsonl", [0.5, 0.5, 0.5]), "--metrics", BOTH)
    first = Store(".assay").run("last").id
    assay("run", write_set(tmp_path / "set.jsonl", [0.25, 0.75, 0.5]), "--metrics", BOTH)
    for metric in ("rightness", "wrongness"):
        changed = assay("show", "changes", first, "last", "--metric", metric, "--json").json["changed"]
        assert [row["sample"] for row in changed] == ["s1", "s0"]
    assert "name two runs" in " ".join(assay("show", "changes", "last", "last", code=2).err.split())


def test_meta_turns_what_is_better_when_lower(assay, tmp_path):
    assay("run", write_set(tmp_path / "set.jsonl", [n / 29 for n in range(30)]), "--metrics", BOTH)
    report = assay("meta", "last", "--json", "--bootstrap", "100", "--repeats", "1").json
    agreement = {metric["name"]: metric["spearman"] for metric in report["metrics"]}
    assert agreement["rightness"] == agreement["wrongness"] == pytest.approx(1.0)


def test_what_is_saved_has_the_scale_of_each_rating(assay, tmp_path):
    """An answer rated 2 of -2 to 2, one rated 2 of 1 to 5, and one that nobody rated, in one file."""
    single = {"user_input": "Free?", "response": "=Yes.", "retrieved_contexts": ["Yes."], "language": "en"}
    low = {"id": "low", "rating": 2, "rating_min": -2, "rating_max": 2}
    rows = [single | low, single | {"id": "one", "rating": 2}, single | {"id": "none"}]
    path = write_rows(tmp_path / "mixed.jsonl", rows)
    expected = {"low": ("2.0", "-2.0", "2.0"), "one": ("2.0", "1.0", "5.0"), "none": ("", "", "")}
    names = ("rating", "rating_min", "rating_max")
    assert assay("run", path, "--metrics", "token_overlap", "--out", tmp_path / "run.csv").code == 0
    results = Results.from_store(Store(tmp_path / ".assay"), "last")
    results.save(tmp_path / "saved.csv")
    for saved in ("run.csv", "saved.csv"):
        with (tmp_path / saved).open(encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        assert {row["sample"]: tuple(row[name] for name in names) for row in table} == expected
        # what stood in such a file before is where it was
        assert ",".join(table[0]).startswith("sample,metric,value,status,reason,user_input,response,rating,rating_min,")
    by_id = {row["sample"]: row for row in results.as_json()["scores"]}
    assert [by_id["low"][name] for name in names] == [2, -2, 2]
    assert [by_id["none"][name] for name in names] == [None, None, None]
    frame = results.to_pandas().set_index("id")
    assert frame.loc["low", [*names]].tolist() == [2, -2, 2]
    assert frame.loc["one", [*names]].tolist() == [2, 1, 5]
    assert frame.loc["none", [*names]].isna().all()
    again = evaluate(results.to_pandas(), "token_overlap", progress=False).samples  # the frame is read as a set
    read = {key: (one.human_rating, one.rating_min, one.rating_max) for key, one in again.items()}
    assert read == {"low": (2, -2, 2), "one": (2, 1, 5), "none": (None, 1, 5)}
