"""A run as a person reads it: agreement by language, what was left out, the worst answers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..metrics import Score
from ..metrics.specification import ALL_BASELINES
from ..presentation.figure import Figure, format_cost
from ..presentation.result_table import Paragraph, ReportBlock, ResultTable
from ..presentation.texts import one_line
from ..text.wording import count_of
from .missing_scores import describe_missing_scores
from .rating_direction import describe_rating
from .ratings.item_queue import queue_ids
from .ratings.rating_join import join_run_ratings
from .run_tables import sample_table, summary_table
from .run_verdict import run_verdict
from .summary import MetricSummary, ScoreTotals, first_scored

if TYPE_CHECKING:
    from ..judges import Usage
    from .session import Outcome
    from .store import Store

_WORST_ANSWERS = 5
_MOST_SAMPLES = 10_000


def run_block(
    store: "Store",
    run: str,
    outcome: "Outcome | None" = None,
    *,
    is_detailed: bool = False,
    by_language: bool = False,
) -> ReportBlock:
    """A run's table, and why scores are missing."""
    plan = store.run(run).plan
    judge = plan.judge.label if plan.judge else "no judge"
    sets = ", ".join(source.rsplit("/", 1)[-1] for source in plan.sets)
    totals = ScoreTotals.of_run(store, run)
    summaries = totals.summarise(plan.all_directions)
    parts: list[Paragraph | ResultTable] = [*run_verdict(store, run, summaries).paragraphs(), Paragraph("")]
    parts.append(Paragraph(f"Run {run} ({store.run(run).status}): {sets}; judge: {judge}"))
    if outcome is not None:
        parts.append(Paragraph(f"{session_line(outcome.usage)}; {Figure('seconds', outcome.seconds)} s"))
        if outcome.lost:
            from ..judges.budget import describe_lost

            parts.append(Paragraph(f"{describe_lost(outcome.lost)}, not in the line above", "warning"))
        if outcome.without_prompts:
            parts.append(Paragraph(describe_missing_prompts(outcome.without_prompts)))
    parts += (Paragraph(note) for note in totals.notes if outcome is None or note not in outcome.notes)
    parts.append(summary_table("", summaries, is_detailed=is_detailed))
    languages = sorted({language for _, language, *_ in totals.counts})
    if by_language:
        by_part = totals.summarise(plan.all_directions, by_language=True)
        for language in languages:
            rows = [summary for summary in by_part if summary.language == language]
            parts.append(summary_table(f"Language: {language or 'not said'}", rows, is_detailed=is_detailed))
    elif len(languages) > 1:
        listed = ", ".join(filter(None, languages))
        parts.append(Paragraph(f"Languages: {listed} (--by-language: a table for each)", "quiet"))
    return ReportBlock((*parts, *_notes(store, run, summaries)))


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


def _notes(store: "Store", run: str, summaries: Sequence[MetricSummary]) -> Iterator[Paragraph]:
    """Which metrics are better when lower, and why scores are missing, each reason with its count."""
    lower = dict.fromkeys(summary.name for summary in summaries if not summary.higher_is_better)
    if lower:
        yield Paragraph(f"{', '.join(lower)}: lower is better")
    shares = {summary.name: summary.left_out for summary in summaries if summary.left_out}
    if shares:
        listed = ", ".join(f"{Figure('share', share)} ({name})" for name, share in shares.items())
        yield Paragraph(f"Sentences that were not judged (greetings, questions, refusals and the like): {listed}")
    yield from describe_missing_scores(store.missing_scores(run))


def worst_block(store: "Store", run: str, count: int = _WORST_ANSWERS) -> tuple[str, ReportBlock]:
    """The worst answers by the first metric that was asked for; those with its best score are not among them.

    Returns:
        The id of the worst, or "" where no answer has a value, and the block.
    """
    plan = store.run(run).plan
    totals = ScoreTotals.of_run(store, run)
    metric = first_scored(totals.summarise(plan.all_directions, has_intervals=False), plan.metrics)
    worst = store.worst(run, metric, count) if metric else []
    if not worst:
        return "", ReportBlock(())
    from ..eval_sets.opening_question import listed_question

    which = "worst answer" if len(worst) == 1 else count_of(len(worst), "worst answer")
    parts = [Paragraph(f"The {which} by {metric}:", "strong")]
    rated = join_run_ratings(store, run).samples if queue_ids(store.database) else {one.id: one for one, _ in worst}
    for sample, score in ((rated[sample.id], score) for sample, score in worst):
        rating = describe_rating(sample)
        rated_as = f", rated {rating}" if rating else ""
        question = one_line(listed_question(sample), 90)
        parts.append(Paragraph(f"{Figure('value', score.value)}{rated_as}: {question}", label=sample.id, indent=2))
        parts.append(Paragraph(one_line(sample.response, 120), "quiet", indent=6))
        parts.append(Paragraph(one_line(score.reason, 240), indent=6))
    return worst[0][0].id, ReportBlock(tuple(parts))


def sample_block(store: "Store", run: str, room: int | None) -> ReportBlock:
    """Every sample's values, as far as there is room."""
    if (count := store.count_samples(run)) > _MOST_SAMPLES:
        text = (
            f"{count_of(count, 'sample is', 'samples are')} too many for a table; one: assay show {run} SAMPLE; all: "
            "assay view"
        )
        return ReportBlock((Paragraph(text),))
    all_metrics = store.run(run).plan.all_metrics
    metrics = [metric for metric in all_metrics if metric not in ALL_BASELINES] or list(all_metrics)
    samples = list(join_run_ratings(store, run).samples.values())
    shown = metrics
    if room is not None:
        shown = _metrics_that_fit(metrics, room, max((len(sample.id) for sample in samples), default=6))
    scores: dict[str, dict[str, Score]] = {}
    for sample_id, metric, score in store.scores(run):
        scores.setdefault(sample_id, {})[metric] = score
    parts: list[Paragraph | ResultTable] = [sample_table(samples, shown, scores)]
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
