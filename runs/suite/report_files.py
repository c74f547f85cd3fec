"""The tables of a nightly run, and the files and the site that a suite asks for: each is whole, or stays as it was."""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from ...atomic_files import replace_file
from ...errors import InputError
from ...meta_eval.estimate import Estimate
from ...presentation.charts import Band, draw_band
from ...presentation.figure import Figure, format_cost
from ...presentation.markdown import as_code, as_text, table_lines
from ...presentation.page import render_page, typeset, write_page
from ...presentation.result_table import Field, ResultTable, TableCell, Tone, tabulate
from ...text.wording import count_of, reader_language
from ...untrusted import without_unseen
from ..show.run_report import report_table
from ..store.store import Store
from .gates import GateResult
from .ledger import Ledger, NightlyRunRow
from .nightly_report import UNFINISHED, NightlyReport, RunReport, SampleReport, fails_nightly_run, read_report
from .suite_file import Suite

_MOST_POINTS = 90  # on a trend
STATE_TONES: dict[str, Tone] = {"passed": "good", "failed": "bad"}
"""How the state of a gate looks; another is neither good nor bad."""


def gate_table(gates: Sequence[GateResult]) -> ResultTable:
    """The gates of a nightly run: the state of each, and why."""
    fields = (
        Field("state", "text", lambda gate: TableCell(gate.state, STATE_TONES.get(gate.state, "warning"))),
        Field("gate", "name", lambda gate: gate.title),
        Field("reason", "text", lambda gate: gate.reason),
    )
    return tabulate("Gates", gates, fields)


def changed_table(caption: str, samples: Sequence[SampleReport]) -> ResultTable:
    """Samples that changed or newly fail, before and now."""
    fields = (
        Field("sample", "text", lambda sample: sample.sample),
        Field("metric", "name", lambda sample: sample.metric),
        Field("before", "value", lambda sample: sample.before),
        Field("now", "value", lambda sample: sample.now),
        Field("question", "markdown", lambda sample: sample.question),
        Field("answer", "markdown", lambda sample: sample.answer, "page"),
        Field("reason", "prose", lambda sample: sample.reason),
    )
    return tabulate(caption, samples, fields)


TABLES = {"gate_table": gate_table, "metric_table": partial(report_table, ""), "changed_table": changed_table}
"""What the pages of a nightly run call."""


def write_site(folder: Path, suite: str, rows: Sequence[NightlyRunRow], accepted: set[str]) -> None:
    """Writes `index.html` and one page per nightly run; no page needs another file or the network.

    The pages of earlier nightly runs are written too, so that a lost folder comes back whole.
    """
    reports = [read_report(row) for row in rows]
    common: dict[str, Any] = {"suite": suite, "accepted": accepted, "report_url": "{}.html".format}
    make_folder(folder)
    for row, report in zip(rows, reports, strict=True):
        page = render_page(__package__, "nightly_run.html", common | {"report": report, "tables": TABLES})
        write_page(folder / f"{row.id}.html", page)
    index = common | {"reports": reports, "charts": draw_trends(reports)}
    write_page(folder / "index.html", render_page(__package__, "index.html", index))


def make_folder(folder: Path) -> None:
    """Makes a folder for files of the suite's `outputs`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be made ({error.strerror}); check `outputs:`") from None


def draw_trends(reports: Sequence[NightlyReport]) -> list[tuple[str, Band]]:
    """(judge, chart) of every metric that the suite names: its means with intervals, one point per nightly run."""
    lines: dict[tuple[str, str], list[tuple[datetime, Estimate, str]]] = {}  # the newest first
    for report in reports[:_MOST_POINTS]:
        for run in report.runs if report.status == "done" else ():
            for row in run.metrics:
                if row.asked:
                    mean = Estimate(row.mean, row.low, row.high)
                    point = datetime.fromisoformat(report.began), mean, typeset(Figure.from_estimate("mean", mean))
                    lines.setdefault((run.judge, row.name), []).append(point)
    charts = ((judge, draw_band(metric, points[::-1])) for (judge, metric), points in lines.items())
    return [(judge, chart) for judge, chart in charts if chart]


_MOST_CHARACTERS = 2000
_MOST_ROWS = 10
_MARKS = {"passed": "✅", "failed": "❌", "undecided": "⚠️", "no baseline": "➖", "accepted": "➖", "not settled": "➖"}
_VERDICT_MARKS = {"passed": "✅", "gate failed": "❌", "error": "❌", "killed": "❌", "running": "⏳"}  # else ⚠️


def write_report_files(suite: Suite, report: NightlyReport) -> None:
    """Writes the JUnit, Markdown and JSON files of the suite's `outputs`."""
    for name, text_of in [
        (suite.outputs.junit, junit_xml),
        (suite.outputs.summary, summary_markdown),
        (suite.outputs.json_, _json_text),
    ]:
        if name is not None:
            path = suite.path(name)
            make_folder(path.parent)
            with replace_file(path) as file:
                file.write(text_of(report))


def write_history(suite: Suite, store: Store) -> None:
    """Writes the site of the suite's `outputs` from all nightly runs of the suite by one of its judges."""
    if suite.outputs.site is None:
        return
    ledger, judges = Ledger(store), {*suite.judge_names}
    rows = [row for row in ledger.nightly_runs(suite.name) if not (runs := ledger.runs(row.id)) or judges & runs.keys()]
    write_site(suite.path(suite.outputs.site), suite.name, rows, ledger.accepted_runs(suite.name))


def _json_text(report: NightlyReport) -> str:
    return json.dumps(report.as_json(), ensure_ascii=False, indent=2) + "\n"


def junit_xml(report: NightlyReport) -> str:
    """Returns the JUnit document of a report.

    A failed gate is a failure. A gate that could not be decided, or a nightly run that did not finish, is an error. A
    regression that could not be tested is skipped, since it does not fail the nightly run either; so is one that
    does not count, since the run is accepted, and one that is not settled.
    """
    from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

    suite = TestSuite(_xml_text(f"assay {report.suite}"))
    suite.timestamp = report.began
    whole = TestCase("the nightly run finished", classname=_xml_text(report.suite), time=report.seconds)
    if report.verdict in UNFINISHED:
        reason = report.message or "it began and did not finish: it is still running, or was killed"
        whole.result = [Error(_xml_text(f"{report.verdict}: {reason}"), report.verdict)]
    suite.add_testcase(whole)
    for gate in report.gates:
        case = TestCase(_xml_text(gate.title), classname=_xml_text(report.suite))
        if gate.state == "failed":
            case.result = [Failure(_xml_text(gate.reason), "gate")]
        elif gate.state == "undecided" and fails_nightly_run(gate):
            case.result = [Error(_xml_text(gate.reason), "undecided")]
        elif gate.state != "passed":
            case.result = [Skipped(_xml_text(gate.reason))]
        else:
            case.system_out = _xml_text(gate.reason)
        suite.add_testcase(case)
    document = JUnitXml(_xml_text(f"assay {report.suite}"))
    document.add_testsuite(suite)
    document.update_statistics()
    written: bytes | str = document.tostring()
    text = written.decode() if isinstance(written, bytes) else written
    return text if text.startswith("<?xml") else f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _xml_text(text: str) -> str:
    """The text without the characters that XML cannot hold, shortened."""
    allowed = (character for character in without_unseen(text) if character not in "\ufffe\uffff")
    return "".join(allowed).encode("utf-8", "replace").decode()[:_MOST_CHARACTERS]


def summary_markdown(report: NightlyReport) -> str:
    """Returns the comment's text: the verdict, the gates, the metrics of each judge, and the samples that changed."""
    lines = [f"### {'⚠️' if report.possible_falls else _VERDICT_MARKS.get(report.verdict, '⚠️')} Assay", ""]
    lines += [as_text(report.describe().write(reader_language()), 400), ""]
    lines += [f"- **{about}**: {as_text(says)}" for about, says in report.give_verdict().lines(reader_language())]
    lines.append("")
    if report.message:
        lines += [as_text(report.message, 600), ""]
    for sentence, command in report.next_steps:
        lines += [f"{as_text(sentence, 300)}{f': {as_code(command)}' if command else '.'}", ""]
    if report.gates:
        lines += ["| | gate | result |", "|---|---|---|"]
        for gate in report.gates:
            lines.append(f"| {_MARKS[gate.state]} | {as_text(gate.title)} | {as_text(gate.reason, 600)} |")
        lines.append("")
    for run in report.runs:
        lines += _run_lines(run)
    spent = report.spent
    lines.append(
        f"{count_of(spent.calls, 'live call')}, {spent.bound}{count_of(spent.tokens, 'token')}, "
        f"cost {format_cost(spent.usd, spent.bound)}, {report.seconds:.0f} s."
    )
    return "\n".join(lines) + "\n"


def _run_lines(run: RunReport) -> list[str]:
    kind = "the accepted run" if run.accepted and run.accepted == run.compared_with else "the nightly run before"
    compared = f", compared with {as_code(run.compared_with)} ({kind})" if run.compared_with else ""
    lines = [f"**{as_text(run.judge)}**: run {as_code(run.run)}{compared}", ""]
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
