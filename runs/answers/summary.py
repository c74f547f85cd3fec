"""A run in numbers: per metric and language the mean, the coverage, how it follows the ratings; and their tables."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from operator import itemgetter
from typing import Annotated, Any, Self

from pydantic import Field as RecordField

from ...eval_sets import Sample
from ...meta_eval.correlation import place_beside, spearman
from ...meta_eval.estimate import Estimate, estimate_mean
from ...metrics import Score
from ...metrics.specification import ALL_BASELINES, parse_specification
from ...presentation.figure import Figure, format_rating
from ...presentation.result_table import (
    PLACE_TONES,
    Column,
    Content,
    Field,
    Paragraph,
    ResultTable,
    Rows,
    TableCell,
    Tone,
    tabulate,
)
from ...presentation.texts import one_line
from ...text.wording import count_of
from .rating_join import describe_rating
from .table import AnswerTable

LEFT_OUT = "sentences left out"
"""The head of the column of the shares of sentences that were not judged."""
_REASONS = 3  # of one metric and status that are told
_LONGEST_REASON = 300  # characters


_UNREPORTED = RecordField(exclude=True)
_UNRATED = Estimate(None, n=0)


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over some samples: how many were scored, their mean, and how the values follow the ratings.

    The report of a nightly run keeps it as JSON, without what is about ratings.
    """

    name: Annotated[str, RecordField(alias="metric")]
    asked: bool = True  # whether the suite names it; the others are the baselines that stand in every table
    n: int = 0  # samples; `scored`, `skipped` and `failed` add up to it
    scored: int = 0
    skipped: int = 0
    failed: int = 0
    # the mean of the values; `low` and `high` are its interval over groups, where it was asked for. None for a scorer:
    # its mean is a predicted rating, whose error only ratings show (`assay estimate`)
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    left_out: float | None = None  # the share of the answers' sentences that were not judged, failed ones aside
    # the mean paired change since the run that this one is compared with, its interval, and its p-value, corrected for
    # the number of metrics
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None
    change_p: float | None = None
    part: Annotated[str, _UNREPORTED] = ""  # the language or message type of the answers; "" of all
    correlation: Annotated[Estimate, _UNREPORTED] = _UNRATED
    higher_is_better: Annotated[bool, _UNREPORTED] = True
    # that agrees most with ratings of the same kind, and how far
    best_baseline: Annotated[tuple[str, float] | None, _UNREPORTED] = None

    def with_change(self, change: Estimate | None) -> Self:
        """With the change since another run; None where there is none."""
        if change is None:
            return self
        return replace(self, change=change.value, change_low=change.low, change_high=change.high, change_p=change.p)

    @property
    def coverage(self) -> float:
        """Scored / all, in [0, 1]."""
        return self.scored / self.n if self.n else 0.0

    @property
    def agreement(self) -> float | None:
        """How far the metric follows the ratings in its own direction, in [-1, 1]: Spearman's rho, or its negative."""
        rho = self.correlation.value
        return rho if rho is None or self.higher_is_better else -rho

    @property
    def loses_to(self) -> str:
        """The best baseline, where it agrees more with the ratings than this metric."""
        is_below = place_among_baselines(self) == "below baseline"
        return self.best_baseline[0] if self.best_baseline and is_below else ""

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


def describe_fitted(count: int) -> str:
    """Says that answers which a scorer was fitted on count in no agreement.

    Example:
        >>> describe_fitted(1)
        'fitted on 1 of these answers, which counts in no agreement'
    """
    return f"fitted on {count:,} of these answers, which {'counts' if count == 1 else 'count'} in no agreement"


def summarise(
    table: AnswerTable,
    *,
    part_of: Callable[[Sample], str | None] = lambda _: "",
    has_agreement: bool = True,
    has_interval: bool = False,
) -> list[MetricSummary]:
    """One summary per part of the answers and metric, the parts sorted; by default all answers are one part.

    A metric that agrees less with the ratings than a baseline on the same samples is said to lose to it. Agreement is
    Spearman's correlation, negated where lower values are better.
    """
    columns = _columns(table, part_of)
    rated = table.rated if has_agreement else None
    rated_columns = columns if rated is None or rated is table else _columns(rated, part_of)
    all_summaries: list[MetricSummary] = []
    for part in sorted({part for part, _ in columns}):
        summaries = [
            _summarise_metric(
                name,
                part,
                columns[part, name],
                rated_columns.get((part, name), ()),
                higher_is_better=higher,
                groups=None if rated is None else rated.groups,
            )
            for name, higher in table.directions.items()
            if (part, name) in columns
        ]
        if has_interval:
            summaries = [_with_interval(summary, columns[part, summary.name], table.groups) for summary in summaries]
        baselines = {
            summary.name: summary.agreement
            for summary in summaries
            if summary.name in ALL_BASELINES and summary.agreement is not None
        }
        all_summaries += [_beside_baselines(summary, baselines) for summary in summaries]
    return all_summaries


def _columns(
    table: AnswerTable, part_of: Callable[[Sample], str | None]
) -> dict[tuple[str, str], list[tuple[Sample, Score]]]:
    """The scores by part of the answers and metric."""
    columns = defaultdict[tuple[str, str], list[tuple[Sample, Score]]](list)
    for name, metric, score in table.rows():
        sample = table.samples[name]
        columns[part_of(sample) or "", metric].append((sample, score))
    return columns


def _summarise_metric(
    name: str,
    part: str,
    scores: Sequence[tuple[Sample, Score]],
    of_rated: Sequence[tuple[Sample, Score]],
    *,
    higher_is_better: bool,
    groups: Mapping[str, str] | None,
) -> MetricSummary:
    """The summary; how the scores follow the ratings only where the groups of the answers are given."""
    values = [score.value for _, score in scores if score.value is not None]
    rated = [
        (score.value, rating, groups[sample.id] if groups else "")
        for sample, score in of_rated
        if score.value is not None and not score.is_fitted_on
        if (rating := sample.rating_share) is not None
    ]
    columns = list(zip(*rated, strict=True)) or [(), (), ()]  # values, ratings, groups
    statuses = Counter(score.status for _, score in scores)
    judged = sum(score.judged or 0 for _, score in scores if score.status != "failed")
    left_out = sum(score.left_out or 0 for _, score in scores if score.status != "failed")
    return MetricSummary(
        name=name,
        part=part,
        n=len(scores),
        scored=statuses["scored"],
        skipped=statuses["skipped"],
        failed=statuses["failed"],
        mean=fsum(values) / len(values) if values else None,
        correlation=spearman(*columns) if groups is not None else Estimate(None, n=len(rated)),
        higher_is_better=higher_is_better,
        left_out=left_out / (judged + left_out) if judged or (left_out and not statuses["failed"]) else None,
    )


def _with_interval(
    summary: MetricSummary, scores: Sequence[tuple[Sample, Score]], groups: Mapping[str, str]
) -> MetricSummary:
    if parse_specification(summary.name).is_scorer:
        return summary
    values = [(score.value, groups[sample.id]) for sample, score in scores if score.value is not None]
    mean = estimate_mean([value for value, _ in values], [group for _, group in values])
    return replace(summary, low=mean.low, high=mean.high)


def _beside_baselines(summary: MetricSummary, baselines: Mapping[str, float]) -> MetricSummary:
    """The summary with the baseline that agrees most with the ratings."""
    if not baselines or summary.name in ALL_BASELINES:
        return summary
    return replace(summary, best_baseline=max(baselines.items(), key=itemgetter(1)))


def first_scored(summaries: Iterable[MetricSummary], metrics: Collection[str]) -> str:
    """The first of `metrics` that scored an answer, in the order in which they were asked for; else ""."""
    scored = {summary.name for summary in summaries if summary.scored}
    return next((metric for metric in metrics if metric in scored), "")


def describe_missing_scores(table: AnswerTable) -> Iterator[Paragraph]:
    """Describes the scores without a value: one paragraph per metric and status, with the most frequent reasons.

    Reasons that differ in the sample that they name alone are one. Each has its count, where there are several. Metrics
    that lack scores for the same reasons, each as often, have one paragraph.
    """
    reasons: dict[tuple[str, str], Counter[str]] = {}
    for sample, metric, score in table.rows():
        if score.value is None and metric in table.directions:
            reason = score.reason.replace(f", sample {sample};", ";")  # of a reply that is not recorded
            reasons.setdefault((metric, score.status), Counter())[reason] += 1
    metrics: dict[tuple[str, frozenset[tuple[str, int]]], list[str]] = {}
    for (metric, status), of_status in sorted(reasons.items(), key=itemgetter(0)):
        metrics.setdefault((status, frozenset(of_status.items())), []).append(metric)
    for (status, _), alike in metrics.items():
        of_status = reasons[alike[0], status]
        total, most = of_status.total(), sorted(of_status.items(), key=lambda one: (-one[1], one[0]))[:_REASONS]
        shown = "; ".join(
            one_line(reason, _LONGEST_REASON) + (f" ({count})" if len(of_status) > 1 else "") for reason, count in most
        )
        more = len(of_status) - _REASONS
        tone: Tone = "bad" if status == "failed" else "warning"
        text = f"{shown}; {count_of(more, 'other reason')}" if more > 0 else shown
        yield Paragraph(text, tone, f"{', '.join(alike)}: {total:,} {status}:")


def summary_table(caption: str, summaries: Sequence[MetricSummary], *, is_detailed: bool = False) -> ResultTable:
    """Per metric how many samples are scored, the mean, and how far it follows the ratings."""
    correlation = "Spearman with rating [95% interval]" if is_detailed else "Spearman with rating"
    fields: tuple[Field, ...] = (
        Field("metric", "name", lambda summary: summary.name),
        Field("scored", "count", lambda summary: f"{summary.scored}/{summary.n}"),
        Field("mean", "mean", lambda summary: summary.mean),
        Field(LEFT_OUT, "share", lambda summary: summary.left_out, "wide"),
        Field(correlation, "correlation", lambda summary: summary.correlation, is_left=True),
        Field("n", "count", lambda summary: summary.correlation.n, "wide"),
        Field("remark", "text", lambda summary: _remark(summary, is_detailed)),
    )
    if not any(summary.correlation.n for summary in summaries):  # nobody rated any of the samples
        fields = tuple(field for field in fields if field.head not in {correlation, "n"})
    if all(summary.left_out is None for summary in summaries):
        fields = tuple(field for field in fields if field.head != LEFT_OUT)
    return tabulate(caption, summaries, fields)


def place_among_baselines(summary: MetricSummary) -> str:
    """Whether a metric agrees more with the ratings than every baseline, or is one; "" where nothing can be said."""
    if summary.name in ALL_BASELINES:
        return "baseline"
    return place_beside(summary.agreement, summary.best_baseline[1]) if summary.best_baseline else ""


def _remark(summary: MetricSummary, is_detailed: bool) -> TableCell:
    """Where the metric stands among the baselines; in detail also which one it loses to, and its direction."""
    place = place_among_baselines(summary)
    remarks = [f"below {summary.loses_to}" if is_detailed and summary.loses_to else place]
    if is_detailed and not summary.higher_is_better:
        remarks.append("lower is better")
    if is_detailed and summary.failed:
        remarks.append(f"{summary.failed} failed")
    return TableCell(", ".join(filter(None, remarks)), PLACE_TONES.get(place, ""))


def sample_table(
    samples: Iterable[Sample], metrics: Sequence[str], scores: Mapping[str, Mapping[str, Score]]
) -> ResultTable:
    """Per sample its rating and its values."""
    rows: Rows = tuple(
        (sample.id, _rating_of(sample), *(score_cell(scores.get(sample.id, {}).get(metric)) for metric in metrics))
        for sample in samples
    )
    table = ResultTable("Samples", (Column("sample", "text"), Column("rating"), *map(Column, metrics)), rows)
    return table.without_empty("rating")


def worst_table(samples: Iterable[Sample], metric: str, scores: Mapping[str, Mapping[str, Score]]) -> ResultTable:
    """The worst answers by a metric, with their texts."""
    from ...eval_sets.conversation import listed_question

    fields = (
        Field("id", "text", lambda sample: sample.id),
        Field(metric, "value", lambda sample: score_cell(scores[sample.id][metric])),
        Field("rating", "text", describe_rating),
        Field("question", "prose", listed_question),
        Field("answer", "prose", lambda sample: sample.response),
        Field("reason", "prose", lambda sample: scores[sample.id][metric].reason),
    )
    return tabulate(f"The worst by {metric}", samples, fields).without_empty("rating")


def score_cell(score: Score | None) -> Content:
    """A score as its value, or why it has none."""
    if score is None:
        return ""
    return score.status if score.value is None else Figure("value", score.value)


def _rating_of(sample: Sample) -> Content:
    """A sample's rating in its scale, as short as a column is narrow; "" without one."""
    rating = sample.human_rating
    return "" if rating is None else format_rating(rating, sample.rating_min, sample.rating_max)
