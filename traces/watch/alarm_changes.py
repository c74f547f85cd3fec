"""Which alarms fire and clear at a look: each once."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any, Literal

from ...judges.secrets import Scrubber
from ...meta_eval.estimate import Estimate
from ...meta_eval.monitoring.look import BoundState, Look
from ...presentation.texts import one_line
from .alarms import AlarmAnswer, AlarmChange, AlarmMessage, describe_bound
from .watch_state import DriftResult, StoredAlarm

_LONGEST_TEXT = 2_000  # characters of a question or an answer
JUDGE_DRIFT = "drift of judge"
"""What stands in place of a bound in an alarm about the judge."""


class AlarmChanges:
    """Decides which alarms fire and clear.

    An alarm fires where a bound is broken that no standing alarm is about, and clears where its bound is kept again, or
    is no longer in the watch file.
    """

    def __init__(
        self,
        watch: tuple[str, str],
        alarms: Sequence[StoredAlarm],
        first_day: date,
        page: str,
        read_answers: Callable[[str], tuple[AlarmAnswer, ...]],
    ) -> None:
        (self._watch, self._series), self._first_day, self._page = watch, first_day, page
        self._read_answers = read_answers
        self._standing = {alarm.bound: alarm for alarm in alarms if alarm.stands}
        self._next = max((alarm.number for alarm in alarms), default=0) + 1

    def decide(self, look: Look, drift: DriftResult | None, at: str) -> list[AlarmChange]:
        """Decides at a look."""
        changes: list[AlarmChange] = []
        known: set[str] = set()
        for state in look.bounds:
            bound = describe_bound(state.bound)
            known.add(bound)
            if state.broken and bound not in self._standing:
                changes.append(self._fire(bound, state, at))
            elif not state.broken and bound in self._standing:
                changes.append(
                    self._clear(self._standing[bound], state.sentence or "The bound is kept again.", at, state)
                )
        known.add(JUDGE_DRIFT)
        if drift is not None:
            if drift.drifted and JUDGE_DRIFT not in self._standing:
                changes.append(self._fire_drift(drift, at))
            elif not drift.drifted and JUDGE_DRIFT in self._standing:
                changes.append(self._clear(self._standing[JUDGE_DRIFT], drift.sentence, at))
        changes += [
            self._clear(alarm, "The watch file no longer has this bound.", at)
            for bound, alarm in self._standing.items()
            if bound not in known
        ]
        return changes

    def _fire(self, bound: str, state: BoundState, at: str) -> AlarmChange:
        since = "" if state.since is None else (self._first_day + timedelta(days=state.since)).isoformat()
        answers = self._read_answers(since)
        return self._new(bound, state.sentence, at, since=since, estimate=state.estimate, answers=answers)

    def _fire_drift(self, result: DriftResult, at: str) -> AlarmChange:
        return self._new(JUDGE_DRIFT, result.sentence, at, estimate=Estimate(result.value))

    def _new(self, bound: str, sentence: str, at: str, **fields: Any) -> AlarmChange:
        self._next += 1
        return self._change(self._next - 1, "fired", bound, sentence, at, **fields)

    def _clear(self, alarm: StoredAlarm, sentence: str, at: str, state: BoundState | None = None) -> AlarmChange:
        estimate = Estimate(None) if state is None else state.estimate
        return self._change(alarm.number, "cleared", alarm.bound, sentence, at, since=alarm.since, estimate=estimate)

    def _change(
        self,
        number: int,
        event: Literal["fired", "cleared"],
        bound: str,
        sentence: str,
        at: str,
        *,
        estimate: Estimate,
        since: str = "",
        answers: tuple[AlarmAnswer, ...] = (),
    ) -> AlarmChange:
        message = AlarmMessage(
            id=f"{self._series}:{number}:{event}",
            watch=self._watch,
            event=event,
            bound=bound,
            sentence=sentence,
            since=since,
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
            answers=answers,
            page=self._page,
            at=at,
        )
        return AlarmChange(number, message)


def alarm_answer(name: str, texts: tuple[str, str], score: float | None, reason: str, link: str) -> AlarmAnswer:
    """Makes an answer of an alarm: on one line, without secrets of the environment, and cut where it is very long."""
    scrub = Scrubber().scrub
    question, answer = (one_line(scrub(text), _LONGEST_TEXT) for text in texts)
    return AlarmAnswer(name, question, answer, score, one_line(scrub(reason), _LONGEST_TEXT), link)
