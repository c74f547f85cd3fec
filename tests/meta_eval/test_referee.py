"""The short form of `benchmarks/referee.py`: every promise of the statistics, on populations whose truth is known."""

import importlib
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CHECKS = sorted(
    path.stem
    for path in (BENCHMARKS / "referee_checks").glob("*.py")
    if path.stem not in {"__init__", "measurement", "populations"}
)
REPEATS = 100


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_a_promise_holds(name, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for module in [name for name in sys.modules if name.partition(".")[0] == "referee_checks"]:
        monkeypatch.delitem(sys.modules, module)
    check = importlib.import_module(f"referee_checks.{name}")
    measurements = list(check.measure(REPEATS, seed=1))
    assert measurements
    assert [one for one in measurements if not one.is_within(errors=3)] == []
