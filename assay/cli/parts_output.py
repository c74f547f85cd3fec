"""The scores of Parquet files in a terminal and as JSON: counts and means, without the answers."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..presentation.result_table import Field, tabulate
from ..text.wording import count_of
from .output import echo, open_console, print_command, print_table, typed_command

if TYPE_CHECKING:
    from ..runs.parquet_run import ParquetOutcome
    from ..runs.score_parts import PartSummary


def outcome_as_json(outcome: "ParquetOutcome") -> dict[str, Any]:
    """The object of `assay run --json` for Parquet files."""
    from ..runs.report import usage_as_json

    return {
        "scores": outcome.out,
        "written": outcome.written,
        "skipped": outcome.skipped,
        **summary_as_json(outcome.summary),
        "usage": usage_as_json(outcome.usage),
        "lost": asdict(outcome.lost),
        "seconds": round(outcome.seconds, 3),
    }


def summary_as_json(summary: "PartSummary") -> dict[str, Any]:
    """What parts hold, as JSON values."""
    return {
        "answers": summary.answers,
        "metrics": {metric: counts.as_json() for metric, counts in summary.metrics.items()},
    }


def print_outcome_of_parts(outcome: "ParquetOutcome") -> None:
    """Prints what a session did, and the table."""
    from ..runs.run_blocks import session_line

    parts = f"{count_of(outcome.written, 'part')} written, {outcome.skipped} there already"
    echo(f"{outcome.out}: {parts}; {session_line(outcome.usage)}; {outcome.seconds:.1f} s")
    print_parts(outcome.summary, outcome.out)


def print_parts(summary: "PartSummary", place: str) -> None:
    """Prints how many answers there are, the scores by metric, and which command tells more."""
    rows = [(metric, counts.as_json()) for metric, counts in summary.metrics.items()]
    fields = (
        Field("metric", "name", lambda row: row[0]),
        *(Field(name, "count", lambda row, name=name: str(row[1][name])) for name in ("scored", "skipped", "failed")),
        Field("mean", "mean", lambda row: row[1]["mean"]),
    )
    print_table(tabulate(count_of(summary.answers, "answer"), rows, fields))
    if summary.failure:
        echo(f"The first score that failed: {summary.failure}")
    console = open_console()
    console.print("Which metric agrees with the ratings, where there are some:")
    print_command(console, typed_command("meta", "--scores", place))
