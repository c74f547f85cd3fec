"""Holds a run against the accepted one, as `assay decide` compares two versions."""

from ...errors import InputError, UsageError
from ...text.wording import count_of
from .gate_check import JudgedRun
from .gates import DecideGate, GateResult, State

_STATES: dict[str, State] = {
    "ship": "passed",
    "equivalent": "passed",
    "keep": "failed",
    "unsettled": "undecided",
}


def decide_version_gate(gate: DecideGate, run: JudgedRun) -> GateResult:
    """Decides whether a run's answers are better for the raters than those of the accepted run, or as good."""
    value: float | None = None
    state: State = "undecided"
    if run.decide is None:
        state = "no baseline"
        reason = "this run is compared with nothing yet: no run is accepted; accept one with `assay accept RUN`"
    else:
        try:
            decision = run.decide(gate)
        except (UsageError, InputError) as error:
            reason = f"the accepted run and this one cannot be compared: {error}"
        else:
            state, value = _STATES[decision.verdict], decision.deciding.difference
            reason = decision.sentence
            if decision.notes:
                reason += f" `assay decide` of the two runs has {count_of(len(decision.notes), 'note')} on it."
    return GateResult(
        gate="decide",
        name=gate.name_for(gate.metric),
        judge=run.judge,
        metric=gate.metric,
        state=state,
        value=value,
        bound=gate.margin,
        reason=reason,
    )
