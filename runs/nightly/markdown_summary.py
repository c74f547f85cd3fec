"""A nightly run as Markdown that fits a pull-request comment."""

from ...presentation.figure import format_cost
from ...presentation.markdown import as_code, as_text, table_lines
from ...text.wording import count_of
from ..run_tables import report_table
from .nightly_report import NightlyReport, RunReport, SampleReport
from .report_tables import changed_table

_MOST_ROWS = 10
_MARKS = {"passed": "✅", "failed": "❌", "undecided": "⚠️", "no baseline": "➖"}
_TITLES = {
    "passed": "✅ all gates passed",
    "gate failed": "❌ a gate failed",
    "samples failed": "⚠️ samples could not be measured",
    "gate undecided": "⚠️ a gate could not be decided",
    "budget": "⚠️ the budget is used up",
    "interrupted": "⚠️ interrupted",
    "error": "❌ ended with an error",
    "killed": "❌ killed: began and did not finish",
    "running": "⏳ began and did not finish: still running, or killed",
}


def summary_markdown(report: NightlyReport) -> str:
    """Returns the comment's text: the verdict, the gates, the metrics of each judge, and the samples that changed."""
    lines = [f"### Assay: {as_text(report.suite)}: {_title(report)}", ""]
    if report.message:
        lines += [as_text(report.message, 600), ""]
    sentence, command = report.next_step
    if sentence:
        lines += [f"{as_text(sentence)}{f': {as_code(command)}' if command else '.'}", ""]
    if report.gates:
        lines += ["| | gate | evidence | result |", "|---|---|---|---|"]
        for gate in report.gates:
            evidence = as_text(gate.evidence_so_far)
            lines.append(f"| {_MARKS[gate.state]} | {as_text(gate.title)} | {evidence} | {as_text(gate.reason, 400)} |")
        lines.append("")
    for run in report.runs:
        lines += _run_lines(run)
    spent = report.spent
    lines.append(
        f"{count_of(spent.calls, 'live call')}, {count_of(spent.tokens, 'token')}, "
        f"cost {format_cost(spent.usd)}, {report.seconds:.0f} s."
    )
    return "\n".join(lines) + "\n"


def _title(report: NightlyReport) -> str:
    """The verdict in words; where gates decided nothing, that none failed and how many these are."""
    silent = sum(gate.state in {"undecided", "no baseline"} for gate in report.gates)
    if report.verdict != "passed" or not silent:
        return _TITLES[report.verdict]
    return f"✅ no gate failed; {silent} of {count_of(len(report.gates), 'gate')} could not tell"


def _run_lines(run: RunReport) -> list[str]:
    kind = "the accepted run" if run.accepted and run.accepted == run.compared_with else "the nightly run before"
    compared = f", compared with {as_code(run.compared_with)} ({kind})" if run.compared_with else ""
    lines = [f"**{as_text(run.judge)}**: run {as_code(run.run)}{compared}", ""]
    if run.predicted_rating is not None:
        lines += [f"**{as_text(run.predicted_rating.sentence)}**", ""]
    lines += [*table_lines(report_table("", run.metrics)), ""]
    lines += _sample_lines("Newly failing", run.newly_failing, run.more_newly_failing)
    lines += _sample_lines("Changed most", run.changed, 0)
    return lines


def _sample_lines(title: str, samples: tuple[SampleReport, ...], more: int) -> list[str]:
    if not samples:
        return []
    lines = [f"{title}:", "", *table_lines(changed_table("", samples[:_MOST_ROWS]))]
    if more := more + max(0, len(samples) - _MOST_ROWS):
        lines.append(f"\n... and {more} more")
    return [*lines, ""]
