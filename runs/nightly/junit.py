"""A night as JUnit XML, which every CI system shows: a test case a gate, and one for the measuring itself."""

from ...prompts.untrusted import without_unseen
from .report import NightReport

_MOST = 2000


def junit_xml(report: NightReport) -> str:
    """The document. A gate that fell is a failure; what could not be judged, or did not end, is an error."""
    from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

    suite = TestSuite(_plain(f"assay {report.suite}"))
    suite.timestamp = report.began
    measured = TestCase("the night ended", classname=_plain(report.suite), time=report.seconds)
    if report.verdict in {"running", "budget", "interrupted", "error", "samples failed"}:
        told = report.message or "the night has begun and did not end: it is still running, or was killed"
        measured.result = [Error(_plain(f"{report.verdict}: {told}"), report.verdict)]
    suite.add_testcase(measured)
    for gate in report.gates:
        named = " ".join(part for part in (gate.gate, gate.metric, gate.judge and f"by {gate.judge}") if part)
        case = TestCase(_plain(named), classname=_plain(report.suite))
        if gate.state == "fell":
            case.result = [Failure(_plain(gate.told), "gate")]
        elif gate.state == "undecided" and gate.gate != "fall":
            case.result = [Error(_plain(gate.told), "undecided")]
        elif gate.state in {"no baseline", "undecided"}:
            case.result = [Skipped(_plain(gate.told))]
        else:
            case.system_out = _plain(gate.told)
        suite.add_testcase(case)
    document = JUnitXml(_plain(f"assay {report.suite}"))
    document.add_testsuite(suite)
    document.update_statistics()
    written: bytes | str = document.tostring()
    text = written.decode() if isinstance(written, bytes) else written
    return text if text.startswith("<?xml") else f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _plain(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    kept = (character for character in without_unseen(text) if character not in "\ufffe\uffff")
    return "".join(kept).encode("utf-8", "replace").decode()[:_MOST]
