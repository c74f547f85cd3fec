"""Reports that a store already holds stay readable."""

from assay.runs.nightly.ledger import NightlyRunRow
from assay.runs.nightly.nightly_report import read_report

NIGHTLY_RUN, BEGAN = "night-20261121-145848", "2026-11-21T14:58:48+00:00"
FIGURES = {"judge": None, "value": 1.0, "bound": 0.0, "p": None}
RECORDED = {  # as written when gates still held or fell
    "suite": "helpdesk",
    "night": NIGHTLY_RUN,
    "began": BEGAN,
    "ended": "2026-11-21T14:58:50+00:00",
    "status": "done",
    "verdict": "gate fell",
    "message": "",
    "resume": None,
    "sets": ["held"],
    "runs": [],
    "gates": [
        FIGURES | {"gate": "mean", "metric": "fall", "state": "held", "told": "held"},
        FIGURES | {"gate": "fall", "metric": "bleu", "state": "fell", "told": ""},
    ],
    "spent": {"calls": 3, "tokens": 5, "usd": 0.1},
    "seconds": 2.0,
}


def test_a_report_with_former_names_is_read_with_the_current_ones() -> None:
    report = read_report(NightlyRunRow(NIGHTLY_RUN, "helpdesk", BEGAN, "gate fell", RECORDED))
    assert (report.nightly_run, report.verdict, report.spent.calls) == (NIGHTLY_RUN, "gate failed", 3)
    assert [(gate.gate, gate.state) for gate in report.gates] == [("mean", "passed"), ("regression", "failed")]
    # values that are no names of ours stay as they are
    assert (report.sets, report.gates[0].metric, report.gates[0].reason) == (("held",), "fall", "held")


def test_a_report_of_another_version_keeps_its_verdict() -> None:
    report = read_report(NightlyRunRow(NIGHTLY_RUN, "helpdesk", BEGAN, "gate fell", {"of": "another version"}))
    assert (report.verdict, "another version of Assay" in report.message) == ("gate failed", True)
