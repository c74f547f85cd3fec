"""The JSON that programs build on: keys and types of `run`, `show` and `meta --json`, on bundled sets by replay."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASSETTE = ROOT / "cassettes" / "helpdesk.qwen1.5b.jsonl"
NUMBER, OPTIONAL_NUMBER, TEXT = (float, int), (float, int, type(None)), str
SUMMARY = {
    **dict.fromkeys(("n", "scored", "skipped", "failed"), int),
    **dict.fromkeys(("mean", "spearman", "low", "high"), OPTIONAL_NUMBER),
}
USAGE = {**dict.fromkeys(("calls", "from_cassette", "tokens_in", "tokens_out"), int), "usd": OPTIONAL_NUMBER}
SCORE = {
    "sample": TEXT,
    "metric": TEXT,
    "value": OPTIONAL_NUMBER,
    "status": TEXT,
    "reason": TEXT,
    "evidence": dict,
    "usage": dict,
}
EVIDENCE = {
    "faithfulness": {"claims": ("text", "verdict", "probability", "reason", "quote", "source")},
    "answer_relevance": {"questions": ("text", "cosine")},
    "numeric_claims": {"claims": ("text", "verdict", "statistic", "series", "window", "stated", "computed", "reason")},
}
"""By metric, what its evidence lists and the keys of each entry."""
METRIC = {
    "name": TEXT,
    "n": int,
    "coverage": NUMBER,
    **dict.fromkeys(("spearman", "low", "high", "p"), OPTIONAL_NUMBER),
}
COMBINATION = {"metrics": list, **dict.fromkeys(("in_sample", "out_of_fold", "low", "high"), OPTIONAL_NUMBER)}


def assert_shape(value, shape):
    """Every key of the shape is there and has its type; a value may have more keys."""
    assert {
        key: type(value.get(key, ...)) for key, kind in shape.items() if not isinstance(value.get(key, ...), kind)
    } == {}


@pytest.fixture
def run(assay):
    """What `assay run --json` prints for thirty answers."""
    replay = ("--judge", "qwen1.5b", "--cassette", CASSETTE, "--mode", "replay")
    metrics = "faithfulness,answer_relevance,numeric_claims"
    return assay("run", "helpdesk_en", *replay, "--metrics", metrics, "--limit", "30", "--json").json


def test_run(run):
    assert_shape(run, {"run": TEXT, "metrics": dict, "usage": dict, "seconds": NUMBER})
    assert list(run["metrics"])[:3] == ["faithfulness", "answer_relevance", "numeric_claims"]
    for summary in run["metrics"].values():
        assert_shape(summary, SUMMARY)
        assert summary["scored"] + summary["skipped"] + summary["failed"] == summary["n"] == 30
    assert_shape(run["usage"], USAGE)


def test_show(run, assay):
    shown = assay("show", run["run"], "--json").json
    assert shown["run"] == run["run"]
    assert len(shown["scores"]) == 30 * len(run["metrics"])
    for score in shown["scores"]:
        assert_shape(score, SCORE)
        for name, keys in EVIDENCE.get(score["metric"], {}).items():
            for entry in score["evidence"].get(name, []):
                assert set(keys) <= entry.keys()
    relevance = next(score for score in shown["scores"] if score["metric"] == "answer_relevance")
    assert_shape(relevance["evidence"], {"noncommittal": bool})


def test_meta(run, assay):
    evaluated = assay("meta", run["run"], "--bootstrap", "100", "--repeats", "1", "--json").json
    shape = {"recommendation": TEXT, "metrics": list, "combinations": list, "chosen": dict, "ceiling": OPTIONAL_NUMBER}
    assert_shape(evaluated, shape)
    for metric in evaluated["metrics"]:
        assert_shape(metric, METRIC)
    for combination in (*evaluated["combinations"], evaluated["chosen"]):
        assert_shape(combination, COMBINATION)
