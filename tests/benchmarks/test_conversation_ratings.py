"""`benchmarks/conversation_ratings.py`: from scores of conversations to a table, and to scorers."""

import math

import conversation_ratings as benchmark
import numpy as np
import pytest

from assay import Sample
from assay.metrics import Metric, Score


class Named(Metric):
    """A metric of which only the name and the direction matter."""

    def __init__(self, name: str, *, higher_is_better: bool = True) -> None:
        self.name, self.higher_is_better = name, higher_is_better

    async def measure(self, sample: Sample) -> Score:
        raise NotImplementedError


def make_samples(count: int) -> list[Sample]:
    """Conversations in groups of two, rated 0 and 1 in turn."""
    messages = [{"role": "user", "content": "Free?"}, {"role": "assistant", "content": "Yes."}]
    return [
        Sample(id=f"c{n:02}", messages=messages, rating=n % 2, rating_min=0, rating_max=1, group=f"g{n // 2:02}")
        for n in range(count)
    ]


def test_numbers_of_the_evidence_are_counted() -> None:
    evidence = {"repeated": [3, 5], "happened": True, "turns": 4, "precision": None, "verdict": "right"}
    score = Score(0.5, "scored", "", evidence)
    counts = {key: benchmark.count_evidence(score, key) for key in ("repeated", "happened", "turns")}
    assert counts == {"repeated": 2.0, "happened": 1.0, "turns": 4.0}
    assert all(math.isnan(benchmark.count_evidence(score, key)) for key in ("precision", "verdict", "lacking"))


def test_table_has_a_column_per_metric_and_part_with_its_direction() -> None:
    samples = make_samples(4)
    effort = {
        s.id: Score(0.1, "scored", "", {"turns": n, "repeated": [], "asked_again": [2]}) for n, s in enumerate(samples)
    }
    nothing = {s.id: Score(None, "skipped", "no expected_actions") for s in samples}
    metrics = [Named("effort", higher_is_better=False), Named("tool_calls")]
    table = benchmark.tabulate(samples, metrics, {"effort": effort, "tool_calls": nothing})
    assert table.metrics == ("effort", "effort.turns", "effort.repeated", "effort.asked_again")
    assert table.column("effort.turns").tolist() == [0, -1, -2, -3]
    assert table.groups == ("g00", "g00", "g01", "g01")


def test_scorer_of_the_oracle_stands_apart() -> None:
    samples = make_samples(4)
    happened = {s.id: Score(1.0, "scored", "", {"happened": n > 1}) for n, s in enumerate(samples)}
    calls = {s.id: Score(n / 4, "scored", "", {"recall": n / 4}) for n, s in enumerate(samples)}
    turns = {s.id: Score(float(n), "scored", "") for n, s in enumerate(samples)}
    metrics = [Named("handover"), Named("tool_calls"), Named("conversation_turns", higher_is_better=False)]
    scores = {"handover": happened, "tool_calls": calls, "conversation_turns": turns}
    table = benchmark.tabulate(samples, metrics, scores)
    assert benchmark.fitted_columns(table) == {
        "baselines": ["handover.happened", "conversation_turns"],
        "metrics without tool_calls": ["handover", "handover.happened"],
        "metrics without tool_calls, and baselines": ["handover", "handover.happened", "conversation_turns"],
        "metrics with tool_calls (oracle)": ["handover", "handover.happened", "tool_calls", "tool_calls.recall"],
    }


@pytest.mark.parametrize("combine", benchmark.WAYS)
def test_a_column_that_is_the_rating_is_predicted_out_of_fold(combine: benchmark.Combine) -> None:
    samples = make_samples(40)
    noise = np.random.default_rng(0).random(40)
    metrics = [Named("good"), Named("conversation_turns")]
    good = {s.id: Score(s.rating, "scored", "") for s in samples}
    other = {s.id: Score(float(value), "scored", "") for s, value in zip(samples, noise, strict=True)}
    table = benchmark.tabulate(samples, metrics, {"good": good, "conversation_turns": other})
    values = benchmark.predict_out_of_fold(table, table.metrics, combine, seed=0)
    by_rating = [[values[s.id] for s in samples if s.rating == rating] for rating in (0, 1)]
    assert max(by_rating[0]) < min(by_rating[1])


def test_an_area_is_shown_where_ratings_are_good_or_bad() -> None:
    samples = make_samples(4)
    assert benchmark.is_binary(samples)
    assert not benchmark.is_binary([*samples, samples[0].model_copy(update={"rating": 0.5})])
