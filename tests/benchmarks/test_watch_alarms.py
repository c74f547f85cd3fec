"""`benchmarks/watch_alarms.py`: its populations fall by what it says, and its tables come out."""

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


def test_the_tables_come_out(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark.false_alarms(POPULATION, [(benchmark.SMALL, 2)], 0)
    benchmark.detections(POPULATION, [benchmark.SMALL], 2, 0)
    benchmark.coverage(POPULATION, [benchmark.SMALL], 1, 0, days=8)
    output = capsys.readouterr().out
    assert "all four together" in output
    assert "in 30 days" in output
    assert "bad share of 4 segments" in output
