"""Scoring samples from Python, in memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError
from ..eval_sets import Sample
from ..judges import LiteLLMJudge, ReplyCounts, Usage
from ..judges.embedders import Embedder, load_embedder
from ..metrics import Metric, Score
from ..metrics.catalogue import BASELINES, DEFAULT_METRICS, load_metric
from ..metrics.metric import run_to_end
from ..prompts import BUNDLED, Prompts
from .execute import execute
from .summary import MetricSummary, Row, summarise


@dataclass
class Results:
    """Scores by sample id and metric, with the samples that they are of."""

    directions: dict[str, bool]  # by metric, whether higher is better, as the metrics declare it
    samples: dict[str, Sample] = field(default_factory=dict)
    scores: dict[str, dict[str, Score]] = field(default_factory=dict)
    replies: ReplyCounts = field(default_factory=ReplyCounts)  # of the judge, to the metrics given by name

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, the baselines last."""
        return tuple(self.directions)

    @property
    def usage(self) -> Usage:
        """What the judge took."""
        return Usage.total([score.usage for scores in self.scores.values() for score in scores.values()])

    def summary(self, *, by_language: bool = False) -> list[MetricSummary]:
        """Per metric (and language) the mean, coverage and correlation with the rating."""
        return summarise(self._rows(), self.directions, by_language=by_language)

    def to_records(self) -> list[dict[str, Any]]:
        """One flat dict a sample: id, rating and each metric's value; for `pandas.DataFrame(...)`."""
        return [
            {"id": sample, "rating": self.samples[sample].human_rating}
            | {metric: score.value for metric, score in scores.items()}
            for sample, scores in self.scores.items()
        ]

    def _rows(self) -> Iterator[Row]:
        for name, scores in self.scores.items():
            sample = self.samples[name]
            for metric, score in scores.items():
                yield metric, sample.language or "", score.value, sample.rating_share, sample.source, score.status

    def _drawn(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        for sample in samples:
            if sample.id in self.samples:
                raise UsageError(f"two samples have the id {sample.id!r}; make their ids differ")
            self.samples[sample.id] = sample
            self.scores[sample.id] = {}  # holds its place: samples are done in whatever order
            yield sample

    def _keep(self, sample: Sample, scores: dict[str, Score]) -> None:
        self.scores[sample.id] = scores


async def aevaluate(
    samples: Iterable[Sample],
    metrics: Sequence[Metric | str] | None = None,
    *,
    judge: LiteLLMJudge | str | None = None,
    embedder: Embedder | str = "use",
    prompts: Prompts = BUNDLED,
    concurrency: int | None = None,
) -> Results:
    """Scores samples by metrics (objects or names; faithfulness and answer relevance if not said) and the baselines.

    `judge`, `embedder` and `prompts` are for the metrics given by name; `concurrency` samples at once, if not said as
    many as keep the judge busy. Nothing is stored; the results are in the samples' order. Raises `UsageError` for an
    unknown name, a missing judge or two samples with one id, `BudgetReached` at a bound of the judge's budget.
    """
    judge = LiteLLMJudge(judge) if isinstance(judge, str) else judge and judge.for_run()
    used = load_embedder(embedder) if isinstance(embedder, str) else embedder
    wanted = [*(DEFAULT_METRICS if metrics is None else metrics)]
    named = {metric if isinstance(metric, str) else metric.name for metric in wanted}
    wanted += [name for name in BASELINES if name not in named]
    made = [load_metric(metric, judge, used, prompts) if isinstance(metric, str) else metric for metric in wanted]
    results = Results({metric.name: metric.higher_is_better for metric in made})
    at_once = concurrency or (judge.settings.concurrent_samples if judge else 16)
    if judge is not None:
        results.replies = judge.replies
    try:
        await execute(results._drawn(samples), made, results._keep, concurrency=at_once)
    finally:
        if judge is not None:
            await judge.cancel_calls()
    return results


def evaluate(
    samples: Iterable[Sample],
    metrics: Sequence[Metric | str] | None = None,
    *,
    judge: LiteLLMJudge | str | None = None,
    embedder: Embedder | str = "use",
    prompts: Prompts = BUNDLED,
    concurrency: int | None = None,
) -> Results:
    """`aevaluate` for code that is not async. Raises `UsageError` inside a running event loop: await that there."""
    return run_to_end(
        aevaluate(samples, metrics, judge=judge, embedder=embedder, prompts=prompts, concurrency=concurrency)
    )
