"""A nightly run as JUnit XML, which every CI system shows: one test case per gate, and one for the run itself."""

from ...untrusted import without_unseen
from .nightly_report import UNFINISHED, NightlyReport

_MOST_CHARACTERS = 2000


def junit_xml(report: NightlyReport) -> str:
    """Returns the JUnit document of a report.

    A failed gate is a failure. A gate that could not be decided, or a nightly run that did not finish, is an error. A
    regression that could not be tested is skipped, since it does not fail the nightly run either.
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
        elif gate.state == "undecided" and gate.gate != "regression":
            case.result = [Error(_xml_text(gate.reason), "undecided")]
        elif gate.state in {"no baseline", "undecided"}:
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
