"""Metrics whose values are constant, huge, tiny or differ by rounding: suites hold them all."""

import json
import math
import re

import pytest
from noted_sets import write_rows

from assay.metrics import scored

METRICS = """
import math, os
from assay import metric

night = lambda: int(os.environ["NIGHT"])
VALUES = {
    "constant": lambda n: 0.5,
    "zero": lambda n: 0.0,
    "rounding": lambda n: 0.3 if night() == 1 else math.nextafter(0.3, 0),
    "rounding_within": lambda n: 0.1 + 0.2 if n % 2 else 0.3,
    "huge": lambda n: 1e99 if n % 3 else -1e99,
    "tiny": lambda n: 1e-300 * n,
    "least": lambda n: 5e-324 * (n % 2),
    "negative": lambda n: -3.0 - n % 5,
    "falling": lambda n: 0.9 - 0.4 * (night() > 1) + n % 3 / 100,
}
for name, value in VALUES.items():
    globals()[name] = metric(name=name, range=(None, None))(lambda sample, value=value: value(int(sample.id)))
"""
NAMES = ("constant", "zero", "rounding", "rounding_within", "huge", "tiny", "least", "negative", "falling")
PLACE = re.compile(r'\b(?:x|y|x1|x2|y1|y2|cx|cy|width|height)="([^"%]*)%"')


def write_suite(folder, metrics, names, gates):
    (folder / "m.py").write_text(metrics)
    rows = [
        {"id": str(n), "user_input": f"Q {n}?", "response": f"Answer {n} is here.", "group": f"g{n % 40}"}
        for n in range(80)
    ]
    write_rows(folder / "set.jsonl", rows)
    suite = {
        "sets": ["set.jsonl"],
        "metrics": [f"m.py:{name}" for name in names],
        "gates": gates,
        "outputs": {"site": "site", "summary": "out/summary.md", "json": "out/report.json", "junit": "out/junit.xml"},
    }
    (folder / "suite.yaml").write_text(json.dumps(suite))


def test_nights_of_constant_and_extreme_metrics(assay, tmp_path, monkeypatch, recwarn):
    gates = [{"gate": "regression", "metric": f"m.py:{name}"} for name in NAMES]
    gates += [
        {"gate": "mean", "metric": "m.py:rounding", "at_least": 0.3},
        {"gate": "share", "metric": "m.py:rounding", "reach": 0.3, "at_least": 0.9},
        {"gate": "mean", "metric": "m.py:rounding_within", "at_most": 0.3},
    ]
    write_suite(tmp_path, METRICS, NAMES, gates)
    for night in (1, 2, 3):
        monkeypatch.setenv("NIGHT", str(night))
        done = assay("suite", "suite.yaml", "--json")
        states = {(gate["gate"], gate["metric"].partition(":")[2]): gate["state"] for gate in done.json["gates"]}
        failed = {place for place, state in states.items() if state == "failed"}
        assert failed == ({("regression", "falling")} if night > 1 else set()), "0.4 is a fall, rounding is none"
        assert done.code == (5 if night > 1 else 0), done.err
        if night == 1:
            assay("suite", "accept", "last")
        page = (tmp_path / "site" / "index.html").read_text()
        places = [float(place) for place in PLACE.findall(page)]
        assert places and all(0 <= place <= 100 for place in places)
        lines = re.findall(r'<polyline points="([^"]*)"', page)
        assert len(lines) == len(NAMES)
        for line in lines:
            points = [tuple(map(float, pair.split(","))) for pair in line.split()]
            assert len(points) == night and all(0 <= x <= 100 and 0 <= y <= 100 for x, y in points)
        assert max(map(len, re.split(r"\s+", done.out))) < 300, "no figure has hundreds of digits"
    assert not [warning for warning in recwarn if issubclass(warning.category, RuntimeWarning)]


@pytest.mark.parametrize("value", ["1e101", "-1.7e308", "1e300"])
def test_a_value_that_has_no_square_fails_with_the_cure(value, assay, tmp_path, monkeypatch):
    monkeypatch.setenv("NIGHT", "1")
    metrics = f"from assay import metric\n@metric(range=(None, None))\ndef vast(sample): return {value}\n"
    write_suite(tmp_path, metrics, ("vast",), [])
    done = assay("suite", "suite.yaml", code=4)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    vast = next(metric for metric in report["runs"][0]["metrics"] if metric["metric"] == "m.py:vast")
    assert (vast["scored"], vast["failed"], vast["mean"]) == (0, 80, None)
    assert "measure in a larger unit" in done.out + done.err + json.dumps(report)


def test_a_score_is_finite_and_can_be_squared():
    for value in (math.nan, math.inf, -math.inf, 1e101, -1.7e308):
        with pytest.raises(ValueError, match="a score is"):
            scored(value, "")
    assert scored(1e100, "").value == 1e100
