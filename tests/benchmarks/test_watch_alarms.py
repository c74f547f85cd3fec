"""`benchmarks/watch_alarms.py`: its populations fall by what it says, and its tables come out."""

import json
from pathlib import Path

import numpy as np
import pytest
import watch_alarms as benchmark

POPULATION = benchmark.Population([1, 2, 3, 4, 5], benchmark.BUILT_IN)


def test_the_population_has_the_mean_and_the_falls_that_it_says() -> None:
    """.02 * 1 + .05 * 2 + .13 * 3 + .35 * 4 + .45 * 5 = 4.16; 7% are below 3."""
    assert POPULATION.mean == pytest.approx(4.16)
    assert POPULATION.bad_share == pytest.approx(0.07)
    quality = np.random.default_rng(0).normal(size=400_000)
    for fall, shift in POPULATION.shifts.items():
        assert POPULATION.rate(quality - shift).mean() == pytest.approx(4.16 - fall, abs=0.006)


def test_a_judge_that_gets_stricter_falls_as_it_should() -> None:
    answers, _ = POPULATION.draw(np.random.default_rng(1), benchmark.DRIFTING, 60)
    assert POPULATION.judge_days(answers, benchmark.DRIFTING)[-10:].mean() > 0.2


def test_ratings_of_a_set_are_brought_to_one_scale(tmp_path: Path) -> None:
    path = tmp_path / "rated.jsonl"
    rows = [{"rating": rating, "rating_min": 0, "rating_max": 1} for rating in (0, 1, 1, 1)]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    population = benchmark.read_population(path)
    assert population.mean == pytest.approx(4.0)
    assert population.bad_share == pytest.approx(0.25)


def test_the_tables_come_out(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark.false_alarms(POPULATION, [(benchmark.SMALL, 2)], 0)
    benchmark.detections(POPULATION, [benchmark.SMALL], 2, 0)
    benchmark.coverage(POPULATION, [benchmark.SMALL], 1, 0, days=8)
    output = capsys.readouterr().out
    assert "all four together" in output
    assert "in 30 days" in output
    assert "bad share of 4 segments" in output
