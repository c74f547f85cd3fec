"""The verdict of a nightly run says what a gate's state alone does not: noise, and answers that cannot be compared."""

from assay.runs import GateResult
from assay.runs.suite import NightlyReport


def report(verdict, *gates):
    return NightlyReport(
        suite="helpdesk",
        nightly_run="1",
        began="",
        ended="",
        status="done",
        verdict=verdict,
        gates=tuple(GateResult(name=f"{number}", judge=None, **gate) for number, gate in enumerate(gates)),
    )


def first_line(report):
    return report.give_verdict().as_json()["Suite"]


MEAN = {"gate": "mean", "metric": "bleu", "state": "passed", "value": 0.67, "bound": 0.8, "reason": ""}


def test_a_figure_beyond_its_bound_is_no_gate_that_holds():
    assert first_line(report("passed", MEAN, MEAN)) == "helpdesk: passed; all 2 gates hold"
    beyond = MEAN | {"is_within_noise": True}
    said = "helpdesk: passed; 1 of 2 gates hold, the rest decide nothing yet"
    assert first_line(report("passed", MEAN, beyond)) == said


def test_answers_that_are_gone_are_no_fall():
    gone = MEAN | {"gate": "regression", "state": "failed", "value": None}
    said = "helpdesk: failed by bleu, of which too few answers are those of the accepted run"
    assert first_line(report("gate failed", gone)) == said
    assert first_line(report("gate failed", gone | {"value": -0.2})) == "helpdesk: failed by a fall of bleu"
