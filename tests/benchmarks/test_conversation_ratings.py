"""`benchmarks/conversation_ratings.py`: from scores of conversations to a table, to scorers, and to one per group."""

import asyncio
import math
from collections.abc import Sequence

import conversation_ratings as benchmark
import numpy as np
import pytest

from assay import Sample
from assay.judges import Usage, load_settings
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


def test_one_conversation_is_drawn_of_each_group() -> None:
    samples = make_samples(20)
    drawn = benchmark.one_per_group(samples, 6, seed=1)
    assert len(drawn) == len({sample.group for sample in drawn}) == 6
    assert drawn == benchmark.one_per_group(samples, 6, seed=1)
    assert len(benchmark.one_per_group(samples, 50, seed=1)) == 10


def test_an_area_is_shown_where_ratings_are_good_or_bad() -> None:
    samples = make_samples(4)
    assert benchmark.is_binary(samples)
    assert not benchmark.is_binary([*samples, samples[0].model_copy(update={"rating": 0.5})])


def test_without_messages_the_question_and_the_answer_stay() -> None:
    history = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    sample = Sample(id="1", user_input="Free?", response="Yes.", metadata={"history": history})
    bare = benchmark.without_messages(sample)
    assert len(sample.messages) == 4
    assert (bare.user_input, bare.response, bare.messages, bare.metadata) == ("Free?", "Yes.", (), {})


def test_pair_is_described_on_the_items_that_have_both() -> None:
    samples = make_samples(12)
    first = np.array([0.2, 0.9] * 6)
    second = np.array([0.1, 0.9] * 5 + [float("nan"), 0.9])
    lines = benchmark.describe_pair(first, second, samples)
    assert "5 of 11 differ" in lines[0]  # the mean of five differences of 0.1 and six of 0
    assert "+0.045" in lines[0]
    assert "n = 11" in lines[1]


def test_answers_without_earlier_messages_are_left_out() -> None:
    history = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    later = Sample(id="later", user_input="Free?", response="Yes.", metadata={"history": history})
    assert benchmark.with_earlier_messages([*make_samples(3), later], 2, seed=0) == [later]


def test_history_is_compared_on_the_same_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The judge gives the answers with messages 0.25 more, and takes a call of each."""

    async def score(samples: list[Sample], names: Sequence[str], *_: object) -> tuple[list[Metric], object]:
        more = 0.25 if samples[0].messages else 0.0
        usage = Usage(calls=1, tokens_in=30, tokens_out=10)
        values = [(n % 3) / 4 + more for n in range(len(samples))]
        scores = {s.id: Score(value, "scored", "", {}, usage) for s, value in zip(samples, values, strict=True)}
        return [Named(name) for name in names], dict.fromkeys(names, scores)

    monkeypatch.setattr(benchmark, "score_by_judge", score)
    asyncio.run(benchmark.compare_history(make_samples(12), load_settings("qwen1.5b"), None, 0))
    printed = capsys.readouterr().out
    assert "mtrag_faithfulness: 12 answers in 6 groups" in printed
    assert [line.split()[-2:] for line in printed.splitlines() if line.startswith("faithfulness,")] == [["1", "40"]] * 2
    assert "the score with it less the score without it: +0.250" in printed
    assert "12 of 12 differ" in printed
    assert "its Spearman less the other's: +0.00" in printed
