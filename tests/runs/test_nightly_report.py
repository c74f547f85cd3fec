"""Reports that a store already holds stay readable."""

from assay.runs import NightlyRunRow, read_report

NIGHTLY_RUN, BEGAN = "night-20261121-145848", "2026-11-21T14:58:48+00:00"
FIGURES = {"judge": None, "value": 1.0, "bound": 0.0, "p": None}
RECORDED = {
    "suite": "helpdesk",
    "nightly_run": NIGHTLY_RUN,
    "began": BEGAN,
    "ended": "2026-11-21T14:58:50+00:00",
    "status": "done",
    "verdict": "gate failed",
    "message": "",
    "resume": None,
    "sets": ["helpdesk"],
    "runs": [],
    "gates": [
        FIGURES | {"gate": "mean", "name": "mean rating", "metric": "rating", "state": "passed", "reason": "it is 1"},
        FIGURES | {"gate": "regression", "name": "regression bleu", "metric": "bleu", "state": "failed", "reason": ""},
    ],
    "spent": {"calls": 3, "tokens": 5, "usd": 0.1},
    "seconds": 2.0,
}


def test_a_recorded_report_is_read() -> None:
    report = read_report(NightlyRunRow(NIGHTLY_RUN, "helpdesk", BEGAN, "gate failed", RECORDED))
    assert (report.nightly_run, report.verdict, report.spent.calls) == (NIGHTLY_RUN, "gate failed", 3)
    assert [(gate.gate, gate.state) for gate in report.gates] == [("mean", "passed"), ("regression", "failed")]
    assert (report.sets, report.gates[0].metric, report.gates[0].reason) == (("helpdesk",), "rating", "it is 1")


def test_a_report_of_another_version_keeps_its_verdict() -> None:
    report = read_report(NightlyRunRow(NIGHTLY_RUN, "helpdesk", BEGAN, "gate failed", {"of": "another version"}))
    assert (report.verdict, "its report: written by Assay 0.1; run it again" in report.message) == ("gate failed", True)
