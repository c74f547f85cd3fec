"""A run in figures, for a page: each metric's mean with its interval and spread, by part, and against ratings."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...eval_sets import Sample
from ...presentation.charts import Histogram, axis_over, draw_histogram
from ...presentation.figure import Figure
from ...presentation.result_table import Field, ResultTable, TableCell, tabulate
from ...presentation.verdict import Verdict
from ..answers.summary import LEFT_OUT, MetricReport, MetricSummary, summarise
from ..store.store import Store
from .results import Results, read_results
from .run_report import name_run, run_verdict

_SPREAD_STEPS = 10_000
CHANGE = "change [95% interval]"
"""The head of the column of changes since an earlier run."""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a run comes to."""

    verdict: Verdict
    metrics: tuple[MetricReport, ...]  # one row per metric, the baselines last
    languages: Mapping[str, tuple[MetricReport, ...]]  # rows by language; empty where there is only one
    message_types: Mapping[str, tuple[MetricReport, ...]]  # rows by message type; empty where there is only one
    spreads: tuple[Histogram, ...]  # how the values of each metric are spread
    agreement: tuple[MetricSummary, ...]  # how each metric follows the ratings; empty without ratings
    notes: tuple[str, ...]  # which ratings they are, as in `Results`


def compute_figures(store: Store, run: str) -> RunFigures:
    """The figures of a run."""
    row = store.run(run)
    results = read_results(store, row, has_evidence=False)
    summaries = summarise(results, has_interval=True)
    return RunFigures(
        verdict=run_verdict(results, summaries, row.plan.metrics, name_run(store, row.id)),
        metrics=tuple(map(MetricReport.of, summaries)),
        languages=_several(_report_parts(results, lambda sample: sample.language)),
        message_types=_several(_report_parts(results, lambda sample: sample.message_type)),
        spreads=tuple(_draw_spreads(results)),
        agreement=tuple(summaries) if any(summary.correlation.n for summary in summaries) else (),
        notes=results.notes,
    )


def _several(parts: Mapping[str, tuple[MetricReport, ...]]) -> Mapping[str, tuple[MetricReport, ...]]:
    return parts if len(parts) > 1 else {}


def _report_parts(results: Results, part_of: Callable[[Sample], str | None]) -> Mapping[str, tuple[MetricReport, ...]]:
    """One row per metric, in the plan's order, by part of the answers."""
    parts: dict[str, list[MetricReport]] = defaultdict(list)
    for summary in summarise(results, part_of=part_of, has_agreement=False, has_interval=True):
        parts[summary.part or "not said"].append(MetricReport.of(summary))
    return {part: tuple(rows) for part, rows in parts.items()}


def _draw_spreads(results: Results) -> Iterator[Histogram]:
    """How the values of each metric are spread: counts by percent of the way between its ends, in steps of 0.01."""
    for metric in results.metrics:
        if of_metric := results.values(metric).values():
            axis = axis_over((min(of_metric), max(of_metric)), about=4)
            width = axis.high - axis.low
            steps = Counter(round((value - axis.low) / width * _SPREAD_STEPS) for value in of_metric)
            yield draw_histogram(metric, axis, {100 * step / _SPREAD_STEPS: count for step, count in steps.items()})


def report_table(caption: str, metrics: Sequence[MetricReport]) -> ResultTable:
    """Per metric the counts, the mean and the change since an earlier run, with their intervals."""
    fields: tuple[Field, ...] = (
        Field("metric", "name", lambda metric: metric.metric),
        Field("n", "count", lambda metric: metric.n, "wide"),
        Field("scored", "count", lambda metric: metric.scored),
        Field("without a score", "count", _missing, "page"),
        Field("mean [95% interval]", "mean", lambda row: Figure("mean", row.mean, row.low, row.high), is_left=True),
        Field(LEFT_OUT, "share", lambda metric: metric.left_out),
        Field(CHANGE, "change", _change, is_left=True),
        Field("p", "p", lambda metric: metric.change_p, "wide"),
    )
    if all(metric.left_out is None for metric in metrics):
        fields = tuple(field for field in fields if field.head != LEFT_OUT)
    return tabulate(caption, metrics, fields, tone=lambda metric: "" if metric.asked else "baseline")


def _change(metric: MetricReport) -> Figure:
    return Figure("change", metric.change, metric.change_low, metric.change_high)


def _missing(metric: MetricReport) -> TableCell:
    counts = ((metric.skipped, "skipped"), (metric.failed, "failed"))
    text = ", ".join(f"{Figure('count', count)} {status}" for count, status in counts if count)
    return TableCell(text, "bad" if metric.failed else "")
