"""A run, one sample's audit, what differs between two runs, and what a run over Parquet files did, in a terminal."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..presentation.figure import Figure
from ..presentation.result_table import Paragraph, ReportBlock
from ..presentation.texts import one_line, terminal_text
from ..runs.answers.rating_join import find_rated_sample
from ..runs.show.results import read_results, usage_as_json
from ..runs.show.run_report import name_run, run_block, sample_block, session_line, worst_block
from ..text.wording import count_of
from .output import (
    echo,
    is_wide,
    open_console,
    print_blocks,
    print_command,
    print_table,
    typed_command,
)

if TYPE_CHECKING:
    from rich.text import Text

    from ..meta_eval.decision import Decision
    from ..runs import Outcome, Store
    from ..runs.decision.compare import RunComparison
    from ..runs.score.parquet_run import ParquetOutcome
    from ..runs.show.sample_audit import Line

_METRICS_THAT_FIT = 3  # beside the ids and the ratings of samples, in 80 columns
_STYLES = {"title": "bold", "detail": "dim", "remark": "yellow"}
_STYLES |= {"supported": "green", "contradicted": "red", "not_found": "yellow", "unverifiable": "magenta"}


def print_run(store: "Store", run: str, outcome: "Outcome | None" = None, *, each_sample: bool = False) -> None:
    """Prints a run's table, why scores are missing, and the worst answers."""
    row = store.run(run)
    results = read_results(store, row, has_evidence=False)
    summaries, place = results.summary(), name_run(store, row.id)
    first = run_block(results, row, summaries, outcome, place=place, is_detailed=is_wide())
    worst, worst_answers = worst_block(results, row, summaries)
    print_blocks(first, *([worst_answers] if worst else []))
    if worst:
        console = open_console()
        console.print("How one of them came by its scores:")
        print_command(console, typed_command("show", row.id, ids=[worst]))
    if each_sample:
        print_blocks(sample_block(results, row, None if is_wide() else _METRICS_THAT_FIT))


def print_audit(store: "Store", run: str, name: str) -> None:
    """Prints question, answer, contexts, and every metric's evidence. Raises `UsageError` for an unknown sample."""
    from ..runs.show.sample_audit import audit_lines

    console, sample = open_console(), find_rated_sample(store, run, name)
    for line in audit_lines(sample, ((metric, score) for _, metric, score in store.scores(run, name))):
        console.print(_style(line))


def _style(line: "Line") -> "Text":
    from rich.text import Text

    return Text.assemble(*((terminal_text(part.text), _STYLES.get(part.kind, "")) for part in line))


def print_comparison(
    store: "Store", comparison: "RunComparison", decision: "Decision | str", metric: str, count: int
) -> None:
    """Prints sentences and tables, then the samples whose `metric` changed most, with both answers and scores."""
    from ..eval_sets.conversation import listed_question
    from ..runs.decision.tables import comparison_block

    print_blocks(comparison_block(store, comparison, decision))
    changes = comparison.most_changed(metric, count)
    if not changes and count:
        print_blocks(ReportBlock(()), ReportBlock((Paragraph(f"No sample's {metric} changed."),)))
    outcomes = {change.sample: change for change in comparison.outcome_changes(metric)} if changes else {}
    for sample, change in changes:
        in_a, text = comparison.ids[sample], metric if change is None else f"{metric} {Figure('change', change)}"
        if outcome := outcomes.get(sample):
            why = f": {outcome.reason}" if outcome.reason else ""
            text += f", {outcome.before} in A and {outcome.after} in B{why}"
        same = "" if sample in comparison.changed_answers else " (the same answer)"
        parts = [Paragraph(f"{sample}: {text}{same}", "strong")]
        parts.append(Paragraph(one_line(listed_question(comparison.table_a.samples[in_a]))))
        for label, table, name in (("A", comparison.table_a, in_a), ("B", comparison.table_b, sample)):
            parts.append(Paragraph(one_line(table.samples[name].response, 500), label=f"{label}:", indent=2))
            if score := table.scores[name].get(metric):
                parts.append(Paragraph(one_line(score.reason, 240), "quiet", indent=6))
        print_blocks(ReportBlock(()), ReportBlock(tuple(parts)))
    if changes:
        console = open_console()
        console.print("How one of them came by its scores in B:")
        print_command(console, typed_command("show", comparison.b, ids=[changes[0][0]]))


def outcome_as_json(outcome: "ParquetOutcome", out: Path) -> dict[str, Any]:
    """The object of `assay run --json` for Parquet files."""
    metrics = {metric.name: metric.as_json() for metric in outcome.summary.summaries()}
    shown = ("n", "scored", "skipped", "failed", "mean")
    return {
        "scores": str(out),
        "written": outcome.written,
        "skipped": outcome.skipped,
        "answers": outcome.summary.answers,
        "metrics": {metric: {key: values[key] for key in shown} for metric, values in metrics.items()},
        "usage": usage_as_json(outcome.usage),
        "lost": asdict(outcome.lost),
        "seconds": round(outcome.seconds, 3),
    }


def print_outcome_of_parts(outcome: "ParquetOutcome", out: Path) -> None:
    """Prints what a session did, what its folder holds by metric, and which command tells more."""
    from ..runs.answers.summary import summary_table

    parts = f"{count_of(outcome.written, 'part')} written, {outcome.skipped} there already"
    session = "in this session " if outcome.skipped else ""  # what the parts there already took is not known here
    echo(f"{out}: {parts}; {session}{session_line(outcome.usage)}; {outcome.seconds:.1f} s")
    if outcome.lost:
        from ..judges.budget import describe_lost

        echo(f"{describe_lost(outcome.lost)}, not in the line above")
    summary = outcome.summary
    print_table(summary_table(count_of(summary.answers, "answer"), summary.summaries(), is_detailed=True))
    if summary.failure:
        echo(f"The first score that failed: {summary.failure}")
    console = open_console()
    console.print("Which metric agrees with the ratings, where there are some:")
    print_command(console, typed_command("meta", "--scores", out))
