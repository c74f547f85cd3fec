"""A nightly run as Markdown that fits a pull-request comment; texts under test do nothing in it."""

import re

from ...text.untrusted import without_unseen
from ..report import format_interval
from .nightly_report import NightlyReport, RunReport, SampleReport

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
    "running": "⏳ began and did not finish: still running, or killed",
}
# what Markdown or HTML would take for a mark of its own: `_` beside a word, `:` and `.` in an address, lists
_MARK = re.compile(
    r"""[\\`*\[\]<>#|~&@$]|(?<![^\W_])_|_(?![^\W_])|:(?=/)|(?<=www)\.|^[-+](?=[-\s]|$)|^\d(?=\d*[.)](?:\s|$))""",
    re.IGNORECASE,
)
# GitHub links these in the rendered text too; an invisible word joiner after the first part prevents it
_REFERENCE = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)", re.IGNORECASE)
_WORD_JOINER = "\N{WORD JOINER}"


def summary_markdown(report: NightlyReport) -> str:
    """Returns the comment's text: the verdict, the gates, the metrics of each judge, and the samples that changed."""
    lines = [f"### Assay: {as_text(report.suite)}: {_TITLES[report.verdict]}", ""]
    if report.message:
        lines += [as_text(report.message, 600), ""]
    if report.resume:
        lines += [f"To resume it: {as_code(report.resume)}", ""]
    if report.gates:
        lines += ["| | gate | result |", "|---|---|---|"]
        for gate in report.gates:
            lines.append(f"| {_MARKS[gate.state]} | {as_text(gate.title)} | {as_text(gate.reason, 400)} |")
        lines.append("")
    for run in report.runs:
        lines += _run_lines(run)
    spent = report.spent
    cost = "unknown" if spent.usd is None else f"{spent.usd:.4f} USD"
    lines.append(f"{spent.calls} live calls, {spent.tokens:,} tokens, cost {cost}, {report.seconds:.0f} s.")
    return "\n".join(lines) + "\n"


def _run_lines(run: RunReport) -> list[str]:
    kind = "the accepted run" if run.accepted and run.accepted == run.compared_with else "the nightly run before"
    compared = f", compared with {as_code(run.compared_with)} ({kind})" if run.compared_with else ""
    lines = [f"**{as_text(run.judge)}**: run {as_code(run.run)}{compared}", ""]
    if run.predicted_rating is not None:
        lines += [f"**{as_text(run.predicted_rating.sentence)}**", ""]
    lines += ["| metric | n | scored | mean [95%] | change [95%] | p |", "|---|---:|---:|---|---|---:|"]
    for metric in run.metrics:
        mean = format_interval(metric.mean, metric.low, metric.high, ".3f")
        change = format_interval(metric.change, metric.change_low, metric.change_high, "+.3f")
        p = "" if metric.change_p is None else f"{metric.change_p:.3f}"
        lines.append(f"| {as_text(metric.metric)} | {metric.n} | {metric.scored} | {mean} | {change} | {p} |")
    lines.append("")
    lines += _sample_lines("Newly failing", run.newly_failing, run.more_newly_failing)
    lines += _sample_lines("Changed most", run.changed, 0)
    return lines


def _sample_lines(title: str, samples: tuple[SampleReport, ...], more: int) -> list[str]:
    if not samples:
        return []
    lines = [f"{title}:", "", "| sample | metric | before | now | question | reason |", "|---|---|---:|---:|---|---|"]
    for sample in samples[:_MOST_ROWS]:
        before, now = (("-" if value is None else f"{value:.2f}") for value in (sample.before, sample.now))
        texts = f"{as_text(sample.question, 100)} | {as_text(sample.reason, 160)}"
        lines.append(f"| {as_text(sample.sample)} | {as_text(sample.metric)} | {before} | {now} | {texts} |")
    if more := more + max(0, len(samples) - _MOST_ROWS):
        lines.append(f"\n... and {more} more")
    return [*lines, ""]


def as_text(text: str, length: int = 120) -> str:
    """Returns text that Markdown shows as it is, on one line: it formats, links and mentions nothing.

    Marks become character references, which neither Markdown nor HTML takes for its own.

    Example:
        >>> as_text("*Stop* at http://a.example, @bob")
        '&#42;Stop&#42; at http&#58;//a.example, &#64;\\u2060bob'
    """
    line = _one_line(text, length)
    marked = _REFERENCE.sub(lambda match: match[0] + _WORD_JOINER, line)
    return _MARK.sub(lambda match: f"&#{ord(match[0])};", marked)


def as_code(text: str, length: int = 300) -> str:
    """Returns text as code: for commands and ids, which are copied from the page.

    Example:
        >>> as_code("assay accept last")
        '<code>assay accept last</code>'
    """
    marks = re.compile(r"[^\w\s]|_", re.ASCII)
    line = _one_line(text, length)
    return f"<code>{marks.sub(lambda m: f'&#{ord(m[0])};' if ord(m[0]) < 128 else m[0], line)}</code>"


def _one_line(text: str, length: int) -> str:
    line = " ".join(without_unseen(text).split())
    return line if len(line) <= length else line[: length - 1] + "…"
