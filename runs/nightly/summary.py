"""A night as Markdown that fits a pull-request comment; texts under test stand in it as they are, and do nothing."""

import re

from ...prompts.untrusted import without_unseen
from ..report import with_interval
from .report import NightReport, RunReport, SampleReport

_NOT_PLAIN = re.compile(r"[^\w\s]", re.ASCII)
_MOST_ROWS = 10
_MARKS = {"held": "✅", "fell": "❌", "undecided": "⚠️", "no baseline": "➖"}
_HEADS = {
    "held": "✅ all gates held",
    "gate fell": "❌ a gate fell",
    "samples failed": "⚠️ samples could not be measured",
    "gate undecided": "⚠️ a gate could not be decided",
    "budget": "⚠️ the budget was reached",
    "interrupted": "⚠️ interrupted",
    "error": "❌ the night broke off",
    "running": "⏳ begun, not ended: still running, or killed",
}


def summary_markdown(report: NightReport) -> str:
    """The comment's text: the verdict, the gates, the metrics by judge, what newly fails and what changed most."""
    lines = [f"### Assay: {escaped(report.suite)}: {_HEADS[report.verdict]}", ""]
    if report.message:
        lines += [escaped(report.message, 600), ""]
    if report.resume:
        lines += [f"Go on with it: {escaped(report.resume)}", ""]
    if report.gates:
        lines += ["| | gate | told |", "|---|---|---|"]
        for gate in report.gates:
            named = " ".join(part for part in (gate.gate, gate.metric, gate.judge) if part)
            lines.append(f"| {_MARKS[gate.state]} | {escaped(named)} | {escaped(gate.told, 400)} |")
        lines.append("")
    for run in report.runs:
        lines += _run(run)
    spent = report.spent
    usd = "unknown" if spent.usd is None else f"{spent.usd:.4f} USD"
    lines.append(f"{spent.calls} live calls, {spent.tokens:,} tokens, cost {usd}, {report.seconds:.0f} s.")
    return "\n".join(lines) + "\n"


def _run(run: RunReport) -> list[str]:
    against = f", compared with {escaped(run.compared_with)}" if run.compared_with else ""
    kind = "accepted" if run.accepted and run.accepted == run.compared_with else "the night before"
    lines = [f"**{escaped(run.judge)}**: run {escaped(run.run)}{against}{f' ({kind})' if against else ''}", ""]
    lines += ["| metric | n | scored | mean [95%] | change [95%] | p |", "|---|---:|---:|---|---|---:|"]
    for metric in run.metrics:
        mean = with_interval(metric.mean, metric.low, metric.high, ".3f")
        change = with_interval(metric.change, metric.change_low, metric.change_high, "+.3f")
        p = "" if metric.change_p is None else f"{metric.change_p:.3f}"
        lines.append(f"| {escaped(metric.metric)} | {metric.n} | {metric.scored} | {mean} | {change} | {p} |")
    lines.append("")
    for title, samples in [("Newly failing", run.newly_failing), ("Changed most", run.changed)]:
        if samples:
            lines += [
                f"{title}:",
                "",
                "| sample | metric | before | now | question | reason |",
                "|---|---|---:|---:|---|---|",
            ]
            lines += [_sample(each) for each in samples[:_MOST_ROWS]]
            more = len(samples) - _MOST_ROWS + (run.more_newly_failing if samples is run.newly_failing else 0)
            lines += ([f"\n... and {more} more"] if more > 0 else []) + [""]
    return lines


def _sample(each: SampleReport) -> str:
    before, now = (("-" if value is None else f"{value:.2f}") for value in (each.before, each.now))
    texts = f"{escaped(each.question, 100)} | {escaped(each.reason, 160)}"
    return f"| {escaped(each.sample)} | {escaped(each.metric)} | {before} | {now} | {texts} |"


def escaped(text: str, length: int = 120) -> str:
    """Text that Markdown shows as it is: within `<code>`, where nobody is mentioned and no issue is linked.

    Every ASCII mark is a character reference, which neither Markdown nor HTML takes for its own.
    """
    line = " ".join(without_unseen(text).split())
    line = line if len(line) <= length else line[: length - 1] + "…"
    referred = _NOT_PLAIN.sub(lambda mark: f"&#{ord(mark[0])};" if ord(mark[0]) < 128 else mark[0], line)
    return f"<code>{referred.replace('_', '&#95;')}</code>"
