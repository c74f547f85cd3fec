"""A run as a support lead reads it in a terminal, and as JSON for programs."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..judges import Usage
from ..metrics import Score
from ..metrics.catalogue import BASELINES
from ..text.untrusted import without_unseen
from .summary import MetricSummary, summarise

if TYPE_CHECKING:
    from rich.console import Console

    from .session import Outcome
    from .store import Store

WORST = 5
_PIPE_WIDTH = 140


def run_as_json(store: "Store", outcome: "Outcome") -> dict[str, Any]:
    """The object of `assay run --json`; `usage` is what this session took."""
    run = outcome.run
    directions = store.run(run).plan.all_directions
    languages: dict[str, dict[str, Any]] = {}
    for summary in summarise(store.values(run), directions, by_language=True):
        languages.setdefault(summary.language, {})[summary.name] = summary.as_json()
    return {
        "run": run,
        "metrics": {summary.name: summary.as_json() for summary in summarise(store.values(run), directions)},
        "languages": languages,
        "usage": _usage_as_json(outcome.usage),
        "seconds": round(outcome.seconds, 3),
    }


def scores_as_json(store: "Store", run: str, sample: str | None) -> dict[str, Any]:
    """The object of `assay show RUN --json`. Raises `UsageError` for a sample that the run does not have."""
    if sample is not None:
        store.sample(run, sample)
    return {"run": run, "scores": [score_as_json(*found) for found in store.scores(run, sample)]}


def score_as_json(sample: str, metric: str, score: Score) -> dict[str, Any]:
    """One score as JSON values."""
    return {"sample": sample, "metric": metric} | asdict(score) | {"usage": _usage_as_json(score.usage)}


def _usage_as_json(usage: Usage) -> dict[str, Any]:
    return {name: value for name, value in asdict(usage).items() if name != "seconds"}


def print_run(store: "Store", run: str, outcome: "Outcome | None" = None, *, each_sample: bool = False) -> None:
    """Prints the run's tables by language, the worst answers, and with `each_sample` every sample's values."""
    from rich.text import Text

    console, found = report_console(), store.run(run)
    plan = found.plan
    judge = plan.judge.identity if plan.judge else "no judge"
    sets = ", ".join(_short(name) for name in plan.sets)
    console.print(Text(plain(f"Run {run} ({found.status}): {sets}; judge: {judge}")))
    if outcome is not None:
        usage = outcome.usage
        console.print(
            f"{usage.calls} judge calls, {usage.from_cassette} of them replayed; "
            f"{usage.tokens_in + usage.tokens_out:,} tokens; cost {cost(usage)}; "
            f"{outcome.seconds:.1f} s",
            highlight=False,
        )
    summaries = summarise(store.values(run), plan.all_directions, by_language=True)
    for language in dict.fromkeys(summary.language for summary in summaries):
        _print_language(console, language, [summary for summary in summaries if summary.language == language])
    _print_worst(console, store, run, plan.metrics)
    if each_sample:
        _print_samples(console, store, run, plan.all_metrics)


def report_console() -> "Console":
    """Standard output; wide enough in a pipe that nothing is folded into shreds."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def plain(text: str, length: int | None = None) -> str:
    """Text from an answer as a terminal may show it: no control characters, one line, shortened."""
    line = " ".join(without_unseen(text).split())
    return line if length is None or len(line) <= length else line[: length - 1] + "…"


def with_interval(value: float | None, low: float | None, high: float | None, form: str) -> str:
    """A value with its interval as a table writes it, `+0.10 [-0.02, +0.22]`; `-` for none."""
    if value is None:
        return "-"
    return format(value, form) + ("" if low is None or high is None else f" [{low:{form}}, {high:{form}}]")


def cost(usage: Usage) -> str:
    """USD, or that it is unknown."""
    return "unknown" if usage.usd is None else f"{usage.usd:.4f} USD"


def _print_language(console: "Console", language: str, summaries: list[MetricSummary]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"Language: {language or 'not said'}", title_justify="left", title_style="bold")
    for heading in ("metric", "n", "coverage", "mean", "Spearman with rating [95% interval]", "remark"):
        table.add_column(heading, justify="right" if heading in {"n", "coverage", "mean"} else "left")
    for summary in summaries:
        style = "dim" if summary.name in BASELINES else ""
        table.add_row(
            Text(summary.name),
            str(summary.n),
            f"{summary.coverage:.0%}",
            "-" if summary.mean is None else f"{summary.mean:.2f}",
            Text(_correlation(summary)),
            _remark(summary),
            style=style,
        )
    console.print(table)


def _correlation(summary: MetricSummary) -> str:
    found = summary.correlation
    if found.value is None:
        return f"none: {found.problem}"
    if found.low is None or found.high is None:
        return f"{found.value:+.2f} ({found.problem})"
    return f"{with_interval(found.value, found.low, found.high, '+.2f')} (n = {found.n})"


def _remark(summary: MetricSummary) -> str:
    remarks = ["baseline"] if summary.name in BASELINES else []
    if not summary.higher_is_better:
        remarks.append("lower is better")
    if summary.failed:
        remarks.append(f"{summary.failed} failed")
    if summary.loses_to:
        remarks.append(f"loses to {summary.loses_to}")
    return ", ".join(remarks)


def _print_worst(console: "Console", store: "Store", run: str, metrics: tuple[str, ...]) -> None:
    from rich.text import Text

    for metric in metrics:
        if worst := store.worst(run, metric, WORST):
            which = "worst answer" if len(worst) == 1 else f"{len(worst)} worst answers"
            console.print(Text(f"\nThe {which} by {metric}:", style="bold"))
            for sample, score in worst:
                rated = "" if sample.human_rating is None else f", rated {sample.human_rating:g}"
                console.print(Text(f"  {plain(sample.id)}  {score.value:.2f}{rated}: {plain(sample.user_input, 90)}"))
                console.print(Text(f"      {plain(sample.response, 120)}", style="dim"))
                console.print(Text(f"      {plain(score.reason, 240)}"))
            console.print(Text(f"  The whole audit of one: assay show {run} {plain(worst[0][0].id)}"))
            return


def _print_samples(console: "Console", store: "Store", run: str, metrics: tuple[str, ...]) -> None:
    from rich.table import Table
    from rich.text import Text

    shown = [metric for metric in metrics if metric not in BASELINES] or list(metrics)
    table = Table("sample", "rating", title="Samples", title_justify="left", title_style="bold")
    for metric in shown:
        table.add_column(Text(metric))
    values: dict[str, dict[str, Score]] = {}
    for sample, metric, score in store.scores(run):
        values.setdefault(sample, {})[metric] = score
    for judged in store.samples(run):
        scores = values.get(judged.id, {})
        cells = [_cell(scores[metric]) if metric in scores else "" for metric in shown]
        rating = "" if judged.human_rating is None else f"{judged.human_rating:g}"
        table.add_row(Text(plain(judged.id)), rating, *cells)
    console.print(table)


def _cell(score: Score) -> str:
    return score.status if score.value is None else f"{score.value:.2f}"


def _short(source: str) -> str:
    return source.rsplit("/", 1)[-1]
