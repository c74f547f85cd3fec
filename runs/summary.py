"""A run in numbers: per metric and language the mean, the coverage, and how it follows the ratings."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..meta_eval.correlation import Correlation, spearman
from ..metrics.catalogue import BASELINES

# (metric, language, value, rating, source, status)
Row = tuple[str, str, float | None, float | None, str, str]


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over some samples: how many were scored, their mean, and how the values follow the ratings."""

    name: str
    language: str
    n: int
    scored: int
    skipped: int
    failed: int
    mean: float | None
    correlation: Correlation
    loses_to: str = ""

    @property
    def coverage(self) -> float:
        """Scored / all, in [0, 1]."""
        return self.scored / self.n if self.n else 0.0

    def as_json(self) -> dict[str, Any]:
        """The shape of `assay run --json`."""
        found = self.correlation
        return {
            "n": self.n,
            "scored": self.scored,
            "skipped": self.skipped,
            "failed": self.failed,
            "mean": self.mean,
            "coverage": self.coverage,
            "spearman": found.rho,
            "low": found.low,
            "high": found.high,
            "p": found.p,
            "rated": found.n,
            "loses_to": self.loses_to or None,
        }


@dataclass(slots=True)
class _Column:
    statuses: dict[str, int] = field(default_factory=lambda: {"scored": 0, "skipped": 0, "failed": 0})
    total: float = 0.0
    values: list[float] = field(default_factory=list)
    ratings: list[float] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)


def summarise(rows: Iterable[Row], order: Iterable[str], *, by_language: bool = False) -> list[MetricSummary]:
    """A summary a metric in the given order, and with `by_language` a metric and language, languages sorted.

    A metric whose correlation is below a baseline's on the same samples is said to lose to it.
    """
    columns: dict[tuple[str, str], _Column] = defaultdict(_Column)
    for metric, language, value, rating, source, status in rows:
        column = columns[language if by_language else "", metric]
        column.statuses[status] += 1
        if value is not None:
            column.total += value
            if rating is not None:
                column.values.append(value)
                column.ratings.append(rating)
                column.sources.append(source)
    summaries = []
    for language in sorted({language for language, _ in columns}):
        here = [(name, columns[language, name]) for name in order if (language, name) in columns]
        found = {name: spearman(column.values, column.ratings, column.sources) for name, column in here}
        summaries += [_summary(name, language, column, found) for name, column in here]
    return summaries


def _summary(name: str, language: str, column: _Column, found: dict[str, Correlation]) -> MetricSummary:
    scored = column.statuses["scored"]
    own = found[name].rho
    better = {
        baseline: rho
        for baseline in BASELINES
        if baseline in found and (rho := found[baseline].rho) is not None and own is not None and rho > own
    }
    return MetricSummary(
        name=name,
        language=language,
        n=sum(column.statuses.values()),
        scored=scored,
        skipped=column.statuses["skipped"],
        failed=column.statuses["failed"],
        mean=column.total / scored if scored else None,
        correlation=found[name],
        loses_to="" if name in BASELINES or not better else max(better, key=better.__getitem__),
    )
