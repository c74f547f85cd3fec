"""A run in numbers: per metric and language the mean, the coverage, and how it follows the ratings."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import TYPE_CHECKING, Any, Self

from ..meta_eval.correlation import spearman
from ..meta_eval.estimate import Estimate
from ..metrics.specification import ALL_BASELINES, parse_specification
from .rating_direction import RatingKinds, is_pairwise, rating_of_score

if TYPE_CHECKING:
    from .store import Store

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
    correlation: Estimate
    higher_is_better: bool = True
    loses_to: str = ""
    left_out: float | None = None  # the share of the answers' sentences that were not judged
    has_baseline: bool = False  # whether a baseline has an agreement with ratings of the same kind, to stand beside

    @property
    def coverage(self) -> float:
        """Scored / all, in [0, 1]."""
        return self.scored / self.n if self.n else 0.0

    @property
    def agreement(self) -> float | None:
        """How far the metric follows the ratings in its own direction, in [-1, 1]: Spearman's rho, or its negative."""
        rho = self.correlation.value
        return rho if rho is None or self.higher_is_better else -rho

    def as_json(self) -> dict[str, Any]:
        """The shape of `assay run --json`."""
        return {
            "n": self.n,
            "scored": self.scored,
            "skipped": self.skipped,
            "failed": self.failed,
            "mean": self.mean,
            "coverage": self.coverage,
            "left_out": self.left_out,
            "spearman": self.correlation.value,
            "low": self.correlation.low,
            "high": self.correlation.high,
            "p": self.correlation.p,
            "rated": self.correlation.n,
            "higher_is_better": self.higher_is_better,
            "loses_to": self.loses_to or None,
        }


def find_fitted(store: "Store", run: str) -> dict[str, set[str]]:
    """The samples of a run whose ratings a scorer was fitted to, by the scorer's metric; none where there are none."""
    scorers = {name for name in store.run(run).plan.metrics if parse_specification(name).is_scorer}
    fitted: dict[str, set[str]] = {}
    for sample, metric, score in store.scores(run) if scorers else ():
        if metric in scorers and score.is_fitted_on:
            fitted.setdefault(metric, set()).add(sample)
    return fitted


def describe_fitted(count: int) -> str:
    """Says that answers which a scorer was fitted on count in no agreement.

    Example:
        >>> describe_fitted(1)
        'fitted on 1 of these answers, which counts in no agreement'
    """
    return f"fitted on {count:,} of these answers, which {'counts' if count == 1 else 'count'} in no agreement"


@dataclass(slots=True)
class _Column:
    statuses: dict[str, int] = field(default_factory=lambda: {"scored": 0, "skipped": 0, "failed": 0})
    sums: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    ratings: list[float] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    judged: int = 0
    left_out: int = 0


@dataclass(frozen=True)
class ScoreTotals:
    """What a summary is computed from: counts and sums of all scores, and the scores of rated samples one by one."""

    # (metric, language, status, number of scores, sum of their values)
    counts: Sequence[tuple[str, str, str, int, float]]
    # (metric, language, value, rating, source) of each value of a rated sample
    rated: Sequence[tuple[str, str, float, float, str]]
    # (metric, language, sentences judged, sentences left out) of metrics that split answers
    sentences: Sequence[tuple[str, str, int, int]] = ()
    # whose ratings they are, where not all are the file's, and which of them count in no agreement
    notes: tuple[str, ...] = ()

    @classmethod
    def of_run(cls, store: "Store", run: str) -> Self:
        """The totals of a run, which the store's database adds up; its ratings are those of `join_ratings`."""
        from .ratings.item_queue import queue_ids
        from .ratings.rating_join import JoinedRatings, join_run_ratings

        fitted = find_fitted(store, run)
        plan = store.run(run).plan
        # the table's ratings are of one answer
        has_pairs = plan.has_pair_ratings or any(map(is_pairwise, plan.metrics))
        is_joined = has_pairs or fitted or queue_ids(store.database)
        joined = join_run_ratings(store, run) if is_joined else JoinedRatings({})
        if not joined.note and not fitted and not has_pairs:
            return cls(store.score_counts(run), list(store.rated_values(run)), store.sentence_counts(run))
        rated = [
            (metric, sample.language or "", value, rating, sample.source)
            for name, metric, value, _ in store.sample_values(run)
            if value is not None
            and name not in fitted.get(metric, ())
            and (sample := joined.samples.get(name)) is not None
            and (rating := rating_of_score(sample, metric)) is not None
        ]
        of_fitted = [f"{metric}: {describe_fitted(len(names))}" for metric, names in fitted.items()]
        kinds = RatingKinds.count(joined.samples.values()).notes(plan.metrics)
        notes = tuple(filter(None, (joined.note, *kinds, *of_fitted)))
        return cls(store.score_counts(run), rated, store.sentence_counts(run), notes)

    @classmethod
    def of_rows(cls, rows: Iterable[Row], sentences: Sequence[tuple[str, str, int, int]] = ()) -> Self:
        """The totals of scores that are at hand, and of the sentences that they are of."""
        values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
        rated = []
        for metric, language, value, rating, source, status in rows:
            values[metric, language, status].append(0.0 if value is None else value)
            if value is not None and rating is not None:
                rated.append((metric, language, value, rating, source))
        return cls([(*key, len(listed), fsum(listed)) for key, listed in values.items()], rated, sentences)

    def summarise(
        self,
        directions: Mapping[str, bool],
        *,
        by_language: bool = False,
        has_intervals: bool = True,
    ) -> list[MetricSummary]:
        """One summary per metric, and with `by_language` one per language and metric, languages sorted.

        A metric that agrees less with the ratings than a baseline on the same samples is said to lose to it. Agreement
        is Spearman's correlation, negated where lower values are better.
        """
        columns: dict[tuple[str, str], _Column] = defaultdict(_Column)
        for metric, language, status, count, total in self.counts:
            column = columns[language if by_language else "", metric]
            column.statuses[status] += count
            column.sums.append(total)
        for metric, language, value, rating, source in self.rated:
            column = columns[language if by_language else "", metric]
            column.values.append(value)
            column.ratings.append(rating)
            column.sources.append(source)

        for metric, language, judged, left_out in self.sentences:
            column = columns[language if by_language else "", metric]
            column.judged += judged
            column.left_out += left_out

        def correlation(column: _Column) -> Estimate:
            return spearman(column.values, column.ratings, column.sources, has_interval=has_intervals)

        all_summaries: list[MetricSummary] = []
        for language in sorted({language for language, _ in columns}):
            summaries = [
                _summary(name, language, columns[language, name], correlation(columns[language, name]), higher)
                for name, higher in directions.items()
                if (language, name) in columns
            ]
            baselines = {
                summary.name: summary.agreement
                for summary in summaries
                if summary.name in ALL_BASELINES and summary.agreement is not None
            }
            all_summaries += [_beside_baselines(summary, baselines) for summary in summaries]
        return all_summaries


def _summary(name: str, language: str, column: _Column, correlation: Estimate, higher_is_better: bool) -> MetricSummary:
    scored = column.statuses["scored"]
    return MetricSummary(
        name=name,
        language=language,
        n=sum(column.statuses.values()),
        scored=scored,
        skipped=column.statuses["skipped"],
        failed=column.statuses["failed"],
        mean=fsum(column.sums) / scored if scored else None,
        correlation=correlation,
        higher_is_better=higher_is_better,
        left_out=share_left_out(column.judged, column.left_out),
    )


def share_left_out(judged: int, left_out: int) -> float | None:
    """The share of sentences that were not judged; None where nothing was split.

    Example:
        >>> share_left_out(3, 1), share_left_out(0, 0)
        (0.25, None)
    """
    return left_out / (judged + left_out) if judged + left_out else None


def shares_left_out(counts: Iterable[tuple[str, str, int, int]]) -> dict[str, float | None]:
    """The share of sentences that each metric did not judge, of `Store.sentence_counts`.

    Example:
        >>> shares_left_out([("faithfulness", "en", 2, 1), ("faithfulness", "nl", 1, 0)])
        {'faithfulness': 0.25}
    """
    sums: dict[str, tuple[int, int]] = {}
    for metric, _, judged, left_out in counts:
        before = sums.get(metric, (0, 0))
        sums[metric] = before[0] + judged, before[1] + left_out
    return {metric: share_left_out(*both) for metric, both in sums.items()}


def _beside_baselines(summary: MetricSummary, baselines: Mapping[str, float]) -> MetricSummary:
    """The summary with the baseline that agrees most with the ratings, where it agrees more than this metric.

    Baselines score one answer: their agreement is with other ratings than that of `pairwise`, and not beside it.
    """
    own = summary.agreement
    if own is None or summary.name in ALL_BASELINES or is_pairwise(summary.name):
        return summary
    better = {name: agreement for name, agreement in baselines.items() if agreement > own}
    best = max(better, key=better.__getitem__, default="")
    return replace(summary, loses_to=best, has_baseline=bool(baselines))


def first_scored(summaries: Iterable[MetricSummary], metrics: Collection[str]) -> str:
    """The first of `metrics` that scored an answer, in the order in which they were asked for; else ""."""
    scored = {summary.name for summary in summaries if summary.scored}
    return next((metric for metric in metrics if metric in scored), "")
