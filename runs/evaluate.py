"""Scoring samples from Python, in memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError
from ..eval_sets import Sample
from ..judges import ReplyCounts, Usage
from ..judges.embedders import Embedder
from ..metrics import Metric, Score
from ..metrics.catalogue import DEFAULT_METRICS
from ..metrics.metric import run_to_end
from ..prompts import BUNDLED, Prompts
from .options import JudgeLike, RunOptions
from .session import Ending, Progress, score_samples
from .set_profile import SetProfile
from .summary import MetricSummary, Row, summarise


@dataclass(frozen=True)
class Results:
    """Scores by sample id and metric, with the samples that they are for.

    Attributes:
        directions: For each metric, the baselines last, whether higher is better, as the metric declares it.
        samples: The samples by id, in the order in which they were given.
        scores: For each sample id the scores by metric name.
        replies: How many replies of the judge could not be used, to metrics given by name.
    """

    directions: Mapping[str, bool]
    samples: Mapping[str, Sample]
    scores: Mapping[str, Mapping[str, Score]]
    replies: ReplyCounts = field(default_factory=ReplyCounts)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, the baselines last."""
        return tuple(self.directions)

    @property
    def usage(self) -> Usage:
        """What the judge took."""
        return Usage.total([score.usage for scores in self.scores.values() for score in scores.values()])

    def summary(self, *, by_language: bool = False) -> list[MetricSummary]:
        """The mean, coverage and correlation with the rating, per metric, or per language and metric."""
        return summarise(self._rows(), self.directions, by_language=by_language)

    def to_records(self) -> list[dict[str, Any]]:
        """One flat dict per sample: id, rating and each metric's value; for `pandas.DataFrame(...)`."""
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


@dataclass
class _MemoryRecord:
    """The record of a session whose scores are not stored."""

    directions: dict[str, bool] = field(default_factory=dict)
    samples: dict[str, Sample] = field(default_factory=dict)
    scores: dict[str, dict[str, Score]] = field(default_factory=dict)
    profile: SetProfile = field(default_factory=SetProfile)

    def begin(self, metrics: Sequence[Metric]) -> None:
        self.profile.check(metrics)
        self.directions = {metric.name: metric.higher_is_better for metric in metrics}

    def drawn(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        for sample in samples:
            if sample.id in self.samples:
                raise UsageError(f"two samples have the id {sample.id!r}; make their ids differ")
            self.samples[sample.id] = sample
            self.scores[sample.id] = {}  # samples end in any order: this keeps the order in which they were given
            yield sample

    def finished_metrics(self, _: Sample) -> set[str]:
        return set()

    def keep(self, sample: Sample, scores: dict[str, Score]) -> None:
        self.scores[sample.id] = scores

    def end(self, ending: Ending) -> None:
        """Nothing is left to write."""


async def aevaluate(
    samples: Iterable[Sample],
    metrics: Sequence[Metric | str] = DEFAULT_METRICS,
    *,
    judge: JudgeLike | None = None,
    embedder: Embedder | str = "use",
    prompts: Prompts = BUNDLED,
    concurrency: int | None = None,
) -> Results:
    """Scores samples in memory, inside async code.

    Args:
        samples: What to score; their ids differ.
        metrics: Names of metrics, or metrics as they are. The baselines are always added.
        judge: Who answers the questions of the metrics given by name: a judge, its settings, or a name as for
            `--judge`.
        embedder: For the metrics given by name: an embedder, or `use`, `st:MODEL` or `litellm:MODEL`.
        prompts: Your own prompts over the bundled ones, for the metrics given by name.
        concurrency: How many samples are scored at once; None for as many as keep the judge busy.

    Returns:
        The scores, in the samples' order. Nothing is stored.

    Raises:
        UsageError: For an unknown name, a missing judge, two samples with one id, or a metric that can score none.
        BudgetReached: At a bound of the judge's budget.
    """
    record = _MemoryRecord()
    options = RunOptions(metrics=metrics, judge=judge, embedder=embedder, prompts=prompts, concurrency=concurrency)
    progress = Progress()
    await score_samples(list(record.profile.observe(samples)), record, options, progress=progress)
    replies = progress.judge.replies if progress.judge else ReplyCounts()
    return Results(record.directions, record.samples, record.scores, replies)


def evaluate(
    samples: Iterable[Sample],
    metrics: Sequence[Metric | str] = DEFAULT_METRICS,
    *,
    judge: JudgeLike | None = None,
    embedder: Embedder | str = "use",
    prompts: Prompts = BUNDLED,
    concurrency: int | None = None,
) -> Results:
    """Scores samples in memory: `aevaluate` for code that is not async, also in a notebook.

    Args:
        samples: As for `aevaluate`, like the other arguments.
        metrics: Names of metrics, or metrics as they are.
        judge: Who answers the questions of the metrics given by name.
        embedder: For the metrics given by name.
        prompts: For the metrics given by name.
        concurrency: How many samples are scored at once.

    Returns:
        The scores, in the samples' order.

    Raises:
        UsageError: As `aevaluate`.
        BudgetReached: At a bound of the judge's budget.

    Example:
        >>> from assay import Sample, evaluate
        >>> sample = Sample(id="1", user_input="Where?", response="Under Leave.", retrieved_contexts=("Click Leave.",))
        >>> results = evaluate([sample], ["token_overlap"])
        >>> results.metrics
        ('token_overlap', 'rouge_l_precision', 'answer_length')
        >>> results.scores["1"]["token_overlap"].value
        0.5
    """
    return run_to_end(
        aevaluate(samples, metrics, judge=judge, embedder=embedder, prompts=prompts, concurrency=concurrency)
    )
