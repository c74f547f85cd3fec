"""A run as a person reads it: its verdict, tables of metrics, samples and groups, and its worst answers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..eval_sets import Sample
from ..metrics import Score
from ..metrics.specification import ALL_BASELINES
from ..presentation.figure import Figure, format_cost
from ..presentation.result_table import (
    Column,
    Content,
    Field,
    Paragraph,
    ReportBlock,
    ResultTable,
    Rows,
    TableCell,
    Tone,
    tabulate,
)
from ..presentation.texts import one_line
from ..presentation.wording import format_rating
from ..text.wording import count_of
from .rating_direction import describe_rating
from .run_verdict import run_verdict
from .summary import MetricSummary, first_scored

if TYPE_CHECKING:
    from ..judges import Usage
    from .nightly.nightly_report import MetricReport
    from .results import Results
    from .run_figures import GroupFigures
    from .session import Outcome
    from .store import RunRow

_WORST_ANSWERS = 5
_MOST_SAMPLES = 10_000
LEFT_OUT = "sentences left out"
"""The head of the column of the shares of sentences that were not judged."""
CHANGE = "change [95% interval]"
"""The head of the column of changes since an earlier run."""
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


def report_table(caption: str, metrics: "Sequence[MetricReport]") -> ResultTable:
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


def _change(metric: "MetricReport") -> Figure:
    return Figure("change", metric.change, metric.change_low, metric.change_high)


def _missing(metric: "MetricReport") -> TableCell:
    counts = ((metric.skipped, "skipped"), (metric.failed, "failed"))
    text = ", ".join(f"{Figure('count', count)} {status}" for count, status in counts if count)
    return TableCell(text, "bad" if metric.failed else "")


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
    from ..eval_sets.opening_question import listed_question

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


def group_table(groups: "Sequence[GroupFigures]", metrics: Sequence[str], link: Callable[[str], str]) -> ResultTable:
    """The groups of answers with the worst means."""
    fields = (
        Field("group", "text", lambda group: TableCell(group.group, link=link(group.group))),
        Field("answers", "count", lambda group: group.n),
        *(Field(metric, "mean", lambda group, metric=metric: group.means.get(metric)) for metric in metrics),  # type: ignore[misc]
    )
    return tabulate("", groups, fields)


def run_block(
    results: "Results",
    run: "RunRow",
    summaries: Sequence[MetricSummary],
    outcome: "Outcome | None" = None,
    *,
    place: str,
    is_detailed: bool = False,
    by_language: bool = False,
) -> ReportBlock:
    """A run's table, and why scores are missing; in commands that it names `place` is the run."""
    judge = run.plan.judge.label if run.plan.judge else "no judge"
    sets = ", ".join(source.rsplit("/", 1)[-1] for source in run.plan.sets)
    verdict = run_verdict(results, summaries, run.plan.metrics, place)
    parts: list[Paragraph | ResultTable] = [*verdict.paragraphs(), Paragraph("")]
    parts.append(Paragraph(f"Run {run.id} ({run.status}): {sets}; judge: {judge}"))
    if outcome is not None:
        parts.append(Paragraph(f"{session_line(outcome.usage)}; {Figure('seconds', outcome.seconds)} s"))
        if outcome.lost:
            from ..judges.budget import describe_lost

            parts.append(Paragraph(f"{describe_lost(outcome.lost)}, not in the line above", "warning"))
        if outcome.without_prompts:
            parts.append(Paragraph(describe_missing_prompts(outcome.without_prompts)))
    parts += (Paragraph(note) for note in results.notes if outcome is None or note not in outcome.notes)
    parts.append(summary_table("", summaries, is_detailed=is_detailed))
    languages = sorted({results.samples[sample].language or "" for sample, *_ in results.listed_scores()})
    if by_language:
        by_part = results.summary(by_language=True)
        for language in languages:
            rows = [summary for summary in by_part if summary.language == language]
            parts.append(summary_table(f"Language: {language or 'not said'}", rows, is_detailed=is_detailed))
    elif len(languages) > 1:
        listed = ", ".join(filter(None, languages))
        parts.append(Paragraph(f"Languages: {listed} (--by-language: a table for each)", "quiet"))
    return ReportBlock((*parts, *_describe_summaries(summaries), *results.missing_scores()))


def session_line(usage: "Usage") -> str:
    """What the calls of a session took, in one line."""
    tokens = count_of(usage.tokens_in + usage.tokens_out, "token")
    prices = " at recorded prices" if usage.from_cassette and usage.usd else ""
    return (
        f"{count_of(usage.calls, 'judge call')}, {usage.from_cassette:,} of them replayed; {usage.bound}{tokens}; "
        f"cost {format_cost(usage.usd, usage.bound)}{prices}"
    )


def describe_missing_prompts(samples: Mapping[str, int]) -> str:
    """Says in one line which samples the judge was asked about in another language than theirs.

    Example:
        >>> describe_missing_prompts({"es": 2, "tr": 1})
        'There are no prompts in es (2 samples), tr (1 sample); the judge was asked in English.'
    """
    listed = (f"{language} ({count_of(n, 'sample')})" for language, n in sorted(samples.items()))
    return f"There are no prompts in {', '.join(listed)}; the judge was asked in English."


def _describe_summaries(summaries: Sequence[MetricSummary]) -> Iterator[Paragraph]:
    """Which metrics are better when lower, and what of the answers was not judged."""
    lower = dict.fromkeys(summary.name for summary in summaries if not summary.higher_is_better)
    if lower:
        yield Paragraph(f"{', '.join(lower)}: lower is better")
    shares = {summary.name: summary.left_out for summary in summaries if summary.left_out}
    if shares:
        listed = ", ".join(f"{Figure('share', share)} ({name})" for name, share in shares.items())
        yield Paragraph(f"Sentences that were not judged (greetings, questions, refusals and the like): {listed}")


def worst_block(
    results: "Results", run: "RunRow", summaries: Sequence[MetricSummary], count: int = _WORST_ANSWERS
) -> tuple[str, ReportBlock]:
    """The worst answers by the first metric that was asked for; those with its best score are not among them.

    Returns:
        The id of the worst, or "" where no answer has a value, and the block.
    """
    from ..eval_sets.opening_question import listed_question

    metric = first_scored(summaries, run.plan.metrics)
    worst = list(results.worst(count, metric).samples.values()) if metric else []
    if not worst:
        return "", ReportBlock(())
    which = "worst answer" if len(worst) == 1 else count_of(len(worst), "worst answer")
    parts = [Paragraph(f"The {which} by {metric}:", "strong")]
    for sample in worst:
        score, rating = results.scores[sample.id][metric], describe_rating(sample)
        rated_as = f", rated {rating}" if rating else ""
        question = one_line(listed_question(sample), 90)
        parts.append(Paragraph(f"{Figure('value', score.value)}{rated_as}: {question}", label=sample.id, indent=2))
        parts.append(Paragraph(one_line(sample.response, 120), "quiet", indent=6))
        parts.append(Paragraph(one_line(score.reason, 240), indent=6))
    return worst[0].id, ReportBlock(tuple(parts))


def sample_block(results: "Results", run: "RunRow", room: int | None) -> ReportBlock:
    """Every sample's values, as far as there is room."""
    samples = list(results.samples.values())
    if len(samples) > _MOST_SAMPLES:
        text = (
            f"{count_of(len(samples), 'sample is', 'samples are')} too many for a table; one: assay show {run.id} "
            "SAMPLE; all: assay view"
        )
        return ReportBlock((Paragraph(text),))
    metrics = [metric for metric in results.metrics if metric not in ALL_BASELINES] or list(results.metrics)
    shown = metrics
    if room is not None:
        shown = _metrics_that_fit(metrics, room, max((len(sample.id) for sample in samples), default=6))
    parts: list[Paragraph | ResultTable] = [sample_table(samples, shown, results.scores)]
    if hidden := metrics[len(shown) :]:
        parts.append(Paragraph(f"Not shown, for want of room: {', '.join(hidden)} (--wide shows all)"))
    return ReportBlock(tuple(parts))


def _metrics_that_fit(metrics: Sequence[str], room: int, id_width: int) -> list[str]:
    """The first metrics whose columns fit beside the samples' ids and ratings; at least one."""
    room -= (min(id_width, 24) + 3) + (len("rating") + 3) + 1
    fitting: list[str] = []
    for metric in metrics:
        room -= max(len(metric), len("skipped")) + 3
        if room < 0 and fitting:
            break
        fitting.append(metric)
    return fitting
