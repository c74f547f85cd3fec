"""Which alarms fire and clear at a look: each once."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from ...judges.secrets import Scrubber
from ...meta_eval.monitoring.look import BoundState, Look
from ...presentation.texts import one_line
from .alarm_message import AlarmAnswer, AlarmMessage
from .watch_records import AlarmChange
from .watch_state import DriftResult, StoredAlarm, describe_bound

MOST_ANSWERS = 5  # to read, of one alarm
_LONGEST_TEXT = 2_000  # characters of a question or an answer
DRIFT = "drift of "
"""Before the kind of drift that an alarm is about."""


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

    def decide(self, look: Look, drift: Sequence[DriftResult], at: str) -> list[AlarmChange]:
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
        for result in drift:
            bound = f"{DRIFT}{result.kind}"
            known.add(bound)
            if result.drifted and bound not in self._standing:
                changes.append(self._fire_drift(bound, result, at))
            elif not result.drifted and bound in self._standing:
                changes.append(self._clear(self._standing[bound], result.sentence, at))
        changes += [
            self._clear(alarm, "The watch file no longer has this bound.", at)
            for bound, alarm in self._standing.items()
            if bound not in known and not (bound.startswith(DRIFT) and not drift)
        ]
        return changes

    def _fire(self, bound: str, state: BoundState, at: str) -> AlarmChange:
        since = "" if state.since is None else (self._first_day + timedelta(days=state.since)).isoformat()
        estimate = state.estimate
        return self._new(
            AlarmMessage(
                id=f"{self._series}:{self._next}:fired",
                watch=self._watch,
                event="fired",
                bound=bound,
                sentence=state.sentence,
                since=since,
                value=estimate.value,
                low=estimate.low,
                high=estimate.high,
                answers=self._read_answers(since),
                page=self._page,
                at=at,
            )
        )

    def _fire_drift(self, bound: str, result: DriftResult, at: str) -> AlarmChange:
        figures = {"since": "", "value": result.value, "low": None, "high": None, "answers": ()}
        return self._new(
            AlarmMessage(
                id=f"{self._series}:{self._next}:fired",
                watch=self._watch,
                event="fired",
                bound=bound,
                sentence=result.sentence,
                page=self._page,
                at=at,
                **figures,  # type: ignore[arg-type]
            )
        )

    def _new(self, message: AlarmMessage) -> AlarmChange:
        self._next += 1
        return AlarmChange(self._next - 1, message)

    def _clear(self, alarm: StoredAlarm, sentence: str, at: str, state: BoundState | None = None) -> AlarmChange:
        estimate = None if state is None else state.estimate
        message = AlarmMessage(
            id=f"{self._series}:{alarm.number}:cleared",
            watch=self._watch,
            event="cleared",
            bound=alarm.bound,
            sentence=sentence,
            since=alarm.since,
            value=None if estimate is None else estimate.value,
            low=None if estimate is None else estimate.low,
            high=None if estimate is None else estimate.high,
            answers=(),
            page=self._page,
            at=at,
        )
        return AlarmChange(alarm.number, message)


def alarm_answer(name: str, texts: tuple[str, str], score: float | None, reason: str, link: str) -> AlarmAnswer:
    """Makes an answer of an alarm: on one line, without secrets of the environment, and cut where it is very long."""
    scrub = Scrubber().scrub
    question, answer = (one_line(scrub(text), _LONGEST_TEXT) for text in texts)
    return AlarmAnswer(name, question, answer, score, one_line(scrub(reason), _LONGEST_TEXT), link)
