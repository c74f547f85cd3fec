"""Two runs as a person reads them: the differences over all answers, by language and by message type."""

from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING

from ..metrics.specification import BASELINES
from ..presentation.figure import Figure
from ..presentation.result_table import Content, Field, Paragraph, ReportBlock, ResultTable, TableCell, Tone, tabulate
from .compare import Difference, RunComparison

if TYPE_CHECKING:
    from ..meta_eval.rating_difference import RatingDifference
    from .store import Store

_SIGNIFICANT = 0.05  # the largest p-value at which a table says in which run a metric is higher
_POWER = 0.8  # with which a difference is seen that is called large enough to be seen
_MOST_METRICS = 4  # in sentences; the table has all
_NOTE = (
    "What the metrics measure, not what raters like. p: sign-flip test over groups, adjusted for the rows of the table "
    "(Holm)"
)


def comparison_block(store: "Store", comparison: RunComparison, raters: "RatingDifference | None") -> ReportBlock:
    """Which runs are compared, how their samples were paired, what metrics and raters say, and the tables.

    Args:
        store: Where both runs are.
        comparison: The two runs.
        raters: What raters say of B beside A; None where that cannot differ.
    """
    return ReportBlock(
        (
            Paragraph(f"A: {_run_line(store, comparison.a)}"),
            Paragraph(f"B: {_run_line(store, comparison.b)}"),
            Paragraph(_pairing(comparison)),
            *(Paragraph(sentence, "strong") for sentence in comparison_sentences(comparison, raters)),
            *comparison_tables(comparison),
        )
    )


def comparison_sentences(comparison: RunComparison, raters: "RatingDifference | None") -> list[str]:
    """What the metrics say of B beside A, one sentence each, and what the raters say.

    Args:
        comparison: The two runs.
        raters: What raters say of B beside A; None where that cannot differ.
    """
    rows = [row for row in comparison.overall if row.metric not in BASELINES] or list(comparison.overall)
    return [*map(_metric_sentence, rows[:_MOST_METRICS]), *_rater_sentences(comparison, raters)]


def _metric_sentence(row: Difference) -> str:
    """What one metric says, of itself only.

    Where no difference is seen: which one would be, with the power of 80%: (t + z(0.8)) / t half widths of the
    interval, with t taken as 1.96.
    """
    change, direction = row.paired, "" if row.higher_is_better else " (lower is better)"
    if change.value is None:
        return f"{row.metric}: {change.problem}."
    ends = None if change.low is None or change.high is None else (change.low, change.high)
    if is_significant(row):
        likely = "" if ends is None else f" (likely {_range(*ends)})"
        return f"{row.metric} is {_side(change.value)} in B by {_size(change.value)}{direction}{likely}."
    if ends is None:
        size = f"{_side(change.value)} in B by {_size(change.value)}" if change.value else "the same in both runs"
        chance = f", which may be chance: {change.problem}" if change.value else ""
        return f"{row.metric} is {size}{direction}{chance}."
    normal = NormalDist()
    z = normal.inv_cdf(0.975)
    missed = (ends[1] - ends[0]) / 2 * (z + normal.inv_cdf(_POWER)) / z
    return f"{row.metric}{direction}: no difference seen; a difference under {_size(missed)} would often be missed."


def _rater_sentences(comparison: RunComparison, raters: "RatingDifference | None") -> Iterator[str]:
    """What the raters say; without enough ratings, that this is not known and how many would tell."""
    if raters is None:
        if comparison.changed_answers:
            yield "Whether your raters like B better is not known: the two runs are rated on different scales."
        return
    difference = raters.difference
    more = raters.ratings_needed - raters.rated_pairs
    if difference.value is None:
        yield (
            "Whether your raters like B better is not known: a metric can like a style that they do not. Rate about "
            f"{raters.ratings_needed:,} answers of both runs (rated so far: {raters.rated_a:,} of A, "
            f"{raters.rated_b:,} of B, {raters.rated_pairs:,} of both)."
        )
        return
    same = len(comparison.samples) - comparison.changed_answers
    of_changed = f" on the {comparison.changed_answers:,} answers that differ" if same else ""
    scale = f"on the scale {raters.rating_min:g} to {raters.rating_max:g}"
    rated = f"{raters.rated_a:,} answers of A and {raters.rated_b:,} of B are rated, {raters.rated_pairs:,} of both"
    if difference.low is None or difference.high is None:
        yield f"Your raters{of_changed}: nobody can tell yet: {difference.problem} ({rated})."
    elif raters.is_higher_in_b is None:
        left = f"; rate about {more:,} more of both" if more > 0 and raters.rated_pairs < raters.pairs else ""
        likely = _range(difference.low, difference.high)
        yield f"Your raters{of_changed}: cannot tell yet: B less A is likely {likely} {scale} ({rated}){left}."
    else:
        better, worse = ("B", "A") if raters.is_higher_in_b else ("A", "B")
        ends = sorted((abs(difference.low), abs(difference.high)))
        yield (
            f"Your raters like {better} better than {worse}{of_changed}, by {Figure('mean', abs(difference.value))} "
            f"{scale} (likely {Figure('mean', ends[0])} to {Figure('mean', ends[1])}; {rated})."
        )


def is_significant(row: Difference) -> bool:
    """Whether a metric differs beyond chance, all rows of its table counted."""
    return row.p_of_all is not None and row.p_of_all < _SIGNIFICANT and bool(row.paired.value)


def _side(value: float) -> str:
    return "higher" if value > 0 else "lower"


def _size(value: float) -> str:
    return f"{abs(value):.2g}"


def _range(low: float, high: float) -> str:
    """The likely sizes of a change; with signs where they differ."""
    if low < 0 < high:
        return f"{low:+.2g} to {high:+.2g}"
    return " to ".join(f"{size:.2g}" for size in sorted((abs(low), abs(high))))


def comparison_tables(comparison: RunComparison) -> tuple[ResultTable, ...]:
    """The differences over all answers, then by language and by message type where there is more than one."""
    tables = (
        ("All samples", "", comparison.overall),
        ("By language", "language", comparison.languages),
        ("By message type", "message type", comparison.message_types),
    )
    return tuple(difference_table(caption, part, rows) for caption, part, rows in tables if rows)


def difference_table(caption: str, part: str, differences: Sequence[Difference]) -> ResultTable:
    """The differences between two runs, B minus A.

    Args:
        caption: What stands above it.
        part: The head of the column of languages or message types; "" for none.
        differences: One row each.
    """
    fields = (
        Field(
            "metric", "name", lambda row: TableCell(row.metric, note="" if row.higher_is_better else "lower is better")
        ),
        *([Field(part, "text", lambda row: row.part)] if part else []),
        Field("pairs", "count", lambda row: row.paired.n, "wide"),
        Field("A", "mean", lambda row: row.mean_a, "wide"),
        Field("B", "mean", lambda row: row.mean_b, "wide"),
        Field("B - A [95% interval]", "change", lambda row: row.paired, is_left=True),
        Field("p", "p", lambda row: row.p_of_all),
        Field("in B", "text", _direction, "page"),
        Field("remark", "text", _remark),
    )
    return tabulate(
        caption, differences, fields, tone=lambda row: "baseline" if row.metric in BASELINES else "", note=_NOTE
    )


def change_line(sample: str, metric: str, change: float | None) -> Paragraph:
    """How much a sample's score changed; without a change, that none has."""
    if change is None:
        return Paragraph(f"No sample's {metric} changed.")
    return Paragraph(f"{sample}: {metric} {Figure('change', change)}", "strong")


def _run_line(store: "Store", run: str) -> str:
    row = store.run(run)
    return f"run {row.id} ({row.status}), judge: {row.plan.judge.label if row.plan.judge else 'no judge'}"


def _pairing(comparison: RunComparison) -> str:
    line = f"{len(comparison.samples)} samples in both, {comparison.changed_answers} of them with another answer"
    for count, what in [
        (len(comparison.only_a), "only in A"),
        (len(comparison.only_b), "only in B"),
        (len(comparison.other_question), "with another question (not compared)"),
        (comparison.pairing.by_question, "without ids of their own paired by question"),
        (comparison.pairing.by_content, "paired by question and content, because the question occurs more often"),
    ]:
        line += f"; {count} {what}" if count else ""
    return line


def _tone(row: Difference) -> Tone:
    return "" if row.is_improvement is None else "better" if row.is_improvement else "worse"


def _direction(row: Difference) -> Content:
    """Which way the metric went, beyond noise or not."""
    return "" if not row.paired.value else TableCell(_side(row.paired.value), _tone(row))


def _remark(row: Difference) -> TableCell:
    remarks: list[str] = []
    tone: Tone = ""
    if is_significant(row) and row.paired.value:
        remarks.append(f"{_side(row.paired.value)} in B")
        tone = _tone(row)
    for count, what in [(row.lost, "scored in A only"), (row.gained, "scored in B only")]:
        if count:
            remarks.append(f"{count} {what}")
    return TableCell(", ".join(remarks), tone)
