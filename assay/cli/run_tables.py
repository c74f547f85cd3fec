"""A run as a person reads it in a terminal: agreement by language, what was left out, the worst answers."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..metrics import Score
from ..metrics.specification import BASELINES
from ..runs.report import format_cost, format_interval
from ..runs.summary import MetricSummary, ScoreTotals, best_metric
from .output import STYLES, WIDTH, Column, is_wide, make_table, one_line, open_console, print_command

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ..runs import Outcome, Store

_WORST_ANSWERS = 5
_REASONS = 3
_MOST_SAMPLES = 10_000
_PLACES = {"above baseline": "better", "below baseline": "worse", "baseline": "baseline"}


def print_run(store: "Store", run: str, outcome: "Outcome | None" = None, *, each_sample: bool = False) -> None:
    """Prints a run's tables by language, why scores are missing, and the worst answers.

    Args:
        store: Where the run is.
        run: The run's id.
        outcome: What the session took that has just ended, if one has.
        each_sample: Whether every sample's values are printed too.
    """
    from rich.text import Text

    console, plan = open_console(), store.run(run).plan
    judge = plan.judge.label if plan.judge else "no judge"
    sets = ", ".join(source.rsplit("/", 1)[-1] for source in plan.sets)
    console.print(Text(one_line(f"Run {run} ({store.run(run).status}): {sets}; judge: {judge}")))
    if outcome is not None:
        usage = outcome.usage
        console.print(
            f"{usage.calls} judge calls, {usage.from_cassette} of them replayed; "
            f"{usage.tokens_in + usage.tokens_out:,} tokens; cost {format_cost(usage)}; {outcome.seconds:.1f} s"
        )
        if outcome.without_prompts:
            console.print(Text(one_line(describe_missing_prompts(outcome.without_prompts))))
    totals = ScoreTotals.of_run(store, run)
    summaries = totals.summarise(plan.all_directions, by_language=True, has_p_values=False)
    for language in dict.fromkeys(summary.language for summary in summaries):
        own = [summary for summary in summaries if summary.language == language]
        print_summaries(console, f"Language: {language or 'not said'}", own)
    _print_notes(console, store, run, summaries)
    if worst := print_worst(console, store, run, totals):
        console.print("How one of them came by its scores:")
        print_command(console, f"assay show {run} {worst}")
    if each_sample and (count := store.count_samples(run)) > _MOST_SAMPLES:
        console.print(f"{count:,} samples are too many for a table; one: assay show {run} SAMPLE; all: assay view")
    elif each_sample:
        _print_samples(console, store, run)


def describe_missing_prompts(samples: Mapping[str, int]) -> str:
    """Says in one line which samples the judge was asked about in another language than theirs.

    Args:
        samples: The number of such samples by their language.

    Example:
        >>> describe_missing_prompts({"es": 2, "tr": 1})
        'There are no prompts in es (2 samples), tr (1 sample); the judge was asked in English.'
    """
    listed = (f"{language} ({n} sample{'s' * (n != 1)})" for language, n in sorted(samples.items()))
    return f"There are no prompts in {', '.join(listed)}; the judge was asked in English."


def print_summaries(console: "Console", title: str, summaries: Sequence[MetricSummary]) -> None:
    """Prints one table: per metric how many samples are scored, the mean, and how far it follows the ratings."""
    columns = (
        Column("metric", is_text=True),
        Column("scored"),
        Column("mean"),
        Column("Spearman with rating [95% interval]" if is_wide() else "Spearman with rating", is_text=True),
        Column("n", is_extra=True),
        Column("remark", is_text=True),
    )
    rows = [
        (
            summary.name,
            f"{summary.scored}/{summary.n}",
            "-" if summary.mean is None else f"{summary.mean:.2f}",
            _correlation(summary),
            str(summary.correlation.n),
            _remark(summary),
        )
        for summary in summaries
    ]
    console.print(make_table(title, columns, rows))


def place_among_baselines(summary: MetricSummary) -> str:
    """Whether a metric agrees more with the ratings than every baseline, or is one; "" where nothing can be said."""
    if summary.name in BASELINES:
        return "baseline"
    if summary.agreement is None:
        return ""
    return "below baseline" if summary.loses_to else "above baseline"


def style_of_place(place: str) -> str:
    """The colour of what `place_among_baselines` says; "" for none."""
    return STYLES.get(_PLACES.get(place, ""), "")


def _correlation(summary: MetricSummary) -> str:
    correlation = summary.correlation
    if correlation.value is None:
        return f"none: {correlation.problem}"
    if correlation.low is None or correlation.high is None:
        return f"{correlation.value:+.2f} ({correlation.problem})"
    return format_interval(correlation.value, correlation.low, correlation.high, "+.2f")


def _remark(summary: MetricSummary) -> "Text":
    """Where the metric stands among the baselines; with `--wide` also which one it loses to, and its direction."""
    from rich.text import Text

    place = place_among_baselines(summary)
    remarks = [f"below {summary.loses_to}" if is_wide() and summary.loses_to else place]
    if is_wide() and not summary.higher_is_better:
        remarks.append("lower is better")
    if is_wide() and summary.failed:
        remarks.append(f"{summary.failed} failed")
    return Text(", ".join(filter(None, remarks)), style=style_of_place(place))


def _print_notes(console: "Console", store: "Store", run: str, summaries: Sequence[MetricSummary]) -> None:
    """Which metrics are better when lower, and why scores are missing, each reason with its count."""
    from rich.text import Text

    lower = dict.fromkeys(summary.name for summary in summaries if not summary.higher_is_better)
    if lower:
        console.print(Text(f"{one_line(', '.join(lower))}: lower is better"))
    reasons: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for metric, status, reason, count in store.missing_scores(run):
        reasons.setdefault((metric, status), []).append((reason, count))
    for (metric, status), counts in reasons.items():
        total = sum(count for _, count in counts)
        shown = "; ".join(f"{one_line(reason, 160)} ({count})" for reason, count in counts[:_REASONS])
        more = f"; {len(counts) - _REASONS} other reasons" if len(counts) > _REASONS else ""
        style = "red" if status == "failed" else "yellow"
        console.print(Text(f"{one_line(metric)}: {total} {status}: ", style=style).append(f"{shown}{more}", style=""))


def print_worst(console: "Console", store: "Store", run: str, totals: ScoreTotals, count: int = _WORST_ANSWERS) -> str:
    """Prints the worst answers by the metric that agrees best with the ratings; returns the id of the worst, or ""."""
    from rich.padding import Padding
    from rich.text import Text

    plan = store.run(run).plan
    metric = best_metric(totals.summarise(plan.all_directions, has_intervals=False), plan.metrics)
    worst = store.worst(run, metric, count) if metric else []
    if not worst:
        return ""
    which = "worst answer" if len(worst) == 1 else f"{len(worst)} worst answers"
    console.print(Text(f"\nThe {which} by {one_line(metric)}:", style="bold"))
    for sample, score in worst:
        rating = "" if sample.human_rating is None else f", rated {sample.human_rating:g}"
        heading = f"{one_line(sample.id)}  {score.value:.2f}{rating}: {one_line(sample.user_input, 90)}"
        console.print(Padding(Text(heading), (0, 0, 0, 2)))
        console.print(Padding(Text(one_line(sample.response, 120)), (0, 0, 0, 6), style="dim"))
        console.print(Padding(Text(one_line(score.reason, 240)), (0, 0, 0, 6)))
    return one_line(worst[0][0].id)


def _print_samples(console: "Console", store: "Store", run: str) -> None:
    from rich.text import Text

    all_metrics = store.run(run).plan.all_metrics
    metrics = [metric for metric in all_metrics if metric not in BASELINES] or list(all_metrics)
    samples = list(store.samples(run))
    shown = metrics if is_wide() else _metrics_that_fit(metrics, max((len(sample.id) for sample in samples), default=6))
    values: dict[str, dict[str, Score]] = {}
    for sample_id, metric, score in store.scores(run):
        values.setdefault(sample_id, {})[metric] = score
    rows = []
    for sample in samples:
        scores = values.get(sample.id, {})
        cells = [_cell(scores[metric]) if metric in scores else "" for metric in shown]
        rows.append((sample.id, "" if sample.human_rating is None else f"{sample.human_rating:g}", *cells))
    columns = (Column("sample", is_text=True), Column("rating"), *map(Column, shown))
    console.print(make_table("Samples", columns, rows))
    if hidden := metrics[len(shown) :]:
        console.print(Text(f"Not shown, for want of room: {one_line(', '.join(hidden))} (--wide shows all)"))


def _metrics_that_fit(metrics: Sequence[str], id_width: int) -> list[str]:
    """The first metrics whose columns fit beside the samples' ids and ratings; at least one."""
    room = WIDTH - (min(id_width, 24) + 3) - (len("rating") + 3) - 1
    fitting: list[str] = []
    for metric in metrics:
        room -= max(len(metric), len("skipped")) + 3
        if room < 0 and fitting:
            break
        fitting.append(metric)
    return fitting


def _cell(score: Score) -> str:
    return score.status if score.value is None else f"{score.value:.2f}"
