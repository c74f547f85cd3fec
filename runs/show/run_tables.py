"""The tables of a run: its metrics in short and with intervals, its samples, its worst answers."""

from collections.abc import Iterable, Mapping, Sequence

from ...eval_sets import Sample
from ...metrics import Score
from ...metrics.specification import ALL_BASELINES
from ...presentation.figure import Figure
from ...presentation.result_table import (
    Column,
    Content,
    Field,
    ResultTable,
    Rows,
    TableCell,
    Tone,
    tabulate,
)
from ...presentation.wording import format_rating
from ..answers.rating_direction import describe_rating
from ..answers.summary import MetricSummary

LEFT_OUT = "sentences left out"
"""The head of the column of the shares of sentences that were not judged."""
_TONES: dict[str, Tone] = {"above baseline": "better", "below baseline": "worse", "baseline": "baseline"}


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
    if not summary.has_baseline:
        return ""
    return "below baseline" if summary.loses_to else "above baseline"


def _remark(summary: MetricSummary, is_detailed: bool) -> TableCell:
    """Where the metric stands among the baselines; in detail also which one it loses to, and its direction."""
    place = place_among_baselines(summary)
    remarks = [f"below {summary.loses_to}" if is_detailed and summary.loses_to else place]
    if is_detailed and not summary.higher_is_better:
        remarks.append("lower is better")
    if is_detailed and summary.failed:
        remarks.append(f"{summary.failed} failed")
    return TableCell(", ".join(filter(None, remarks)), _TONES.get(place, ""))


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
    from ...eval_sets.opening_question import listed_question

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
