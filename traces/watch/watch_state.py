"""What a store remembers of watches: their looks, alarms and answers, for whoever shows them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

from ...errors import UsageError
from ...meta_eval.monitoring.look import Look
from ...runs import Store
from ...runs.store.database import explain_errors
from .alarms import AlarmAnswer

_Value = TypeVar("_Value")
MOST_ITEMS = 1_000  # of one question


@dataclass(frozen=True, slots=True)
class WatchRow:
    """A watch as the store lists it. Times are in ISO 8601, in UTC."""

    id: str  # its id: the name; in stores of 0.2 also `NAME.2` and so on, of which the newest counts
    name: str  # its name in the watch file
    began: str
    settings: Mapping[str, Any]  # the watch file as JSON values, as the last step read it
    pulled_until: str | None  # when the newest trace began that was pulled; None before the first
    stepped_at: str | None  # when the last step ended; None before the first
    problem: str  # why the last step failed, or what of it; empty where all went well
    is_running: bool  # whether a process is at work on it


@dataclass(slots=True)
class StepCounts:
    """What one step did, counted as it goes."""

    pulled: int = 0  # new answers
    unread: int = 0  # traces of this step without an answer
    drawn: int = 0  # answers drawn for the judge
    judged: int = 0  # answers that the judge scored
    failed: int = 0  # answers that the judge could not score, or skipped
    waiting: int = 0  # answers that are drawn and wait for the judge
    undrawn: int = 0  # answers that no draw has reached, because the budget of the day is used up
    pushed: int = 0  # scores written to where the traces are
    push_failed: int = 0  # scores that could not be written; the next step tries again
    queued: int = 0  # answers put into the raters' queue
    rated: int = 0  # answers that were rated for the first time
    usd: float | None = 0.0  # what the step's calls cost; None where a price is unknown
    seconds: float = 0.0  # how long the step took


@dataclass(frozen=True, slots=True)
class StoredLook:
    """One look of a watch."""

    number: int  # counts from 1
    at: str  # when: ISO 8601, UTC
    look: Look  # what it says
    first_day: str  # the date of day 0, in ISO 8601: `look.day` and `BoundState.since` count from it
    counts: StepCounts  # what the step did that ended with it


@dataclass(frozen=True, slots=True)
class StoredAlarm:
    """An alarm of a watch."""

    number: int  # counts from 1 within the watch
    bound: str  # the bound, as `describe_bound` words it
    sentence: str  # what changed, since when
    since: str  # the date of the first answer of the change; empty where that is unknown
    fired_at: str  # when it fired: ISO 8601, UTC
    fired_look: int  # the number of the look at which it fired
    cleared_at: str | None  # when it cleared; None while it stands
    cleared_look: int | None  # the number of the look at which it cleared
    cleared_sentence: str  # why it cleared; empty while it stands
    answers: tuple[AlarmAnswer, ...]  # answers to read, at most five, with the run that judged each

    @property
    def stands(self) -> bool:
        """Whether it has not cleared."""
        return self.cleared_at is None


@dataclass(frozen=True, slots=True)
class WatchedAnswer:
    """One answer of a watch."""

    sample: str  # the sample's id, in the run too
    trace: str  # the trace's id
    judged: float | None  # the judge's score; None where it has none
    run: str | None  # the run that judged it; None where none has


_WATCH_COLUMNS = "id, name, began, settings, pulled_until, stepped_at, problem"
_LOOK_COLUMNS = "number, at, look, counts"


class WatchState:
    """Reads the watches of a store; raises `InputError` where it cannot be read."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._database = store.database

    def watches(self) -> list[WatchRow]:
        """Returns the watches, by name."""
        return list({watch.name: watch for watch in self._watches("ORDER BY name, series")}.values())

    def watch(self, name: str) -> WatchRow:
        """Returns a watch by its id or its name."""
        rows = self._watches("WHERE id = ? OR name = ? ORDER BY id = ? DESC, series DESC LIMIT 1", name, name, name)
        if not rows:
            known = ", ".join(watch.name for watch in self.watches()) or "none yet"
            raise UsageError(f"no watch is called {name!r} in {self._database.name}; there are {known}")
        return rows[0]

    def looks(self, watch: str, numbers: Sequence[int] | None = None) -> list[StoredLook]:
        """Returns the looks of a watch with some numbers, or all, the oldest first."""
        if numbers is not None and not numbers:
            return []
        which = "" if numbers is None else f"AND number IN ({marks(numbers)})"
        sql = f"SELECT {_LOOK_COLUMNS} FROM watch_looks WHERE watch = ? {which} ORDER BY number"
        return [_read_look(*row) for row in self._rows(sql, watch, *(numbers or ()))]

    def newest_look(self, watch: str) -> StoredLook | None:
        """Returns the newest look of a watch; None before the first."""
        return next(iter(self.looks(watch, [self.count_looks(watch)])), None)

    def count_looks(self, watch: str) -> int:
        """Returns how many looks a watch has had, which are numbered from 1."""
        return int(self._value("SELECT coalesce(max(number), 0) FROM watch_looks WHERE watch = ?", watch))

    def alarms(self, watch: str, *, standing: bool = False) -> list[StoredAlarm]:
        """Returns the alarms of a watch, the newest first."""
        rows = self._rows(
            "SELECT number, bound, sentence, since, fired_at, fired_look, cleared_at, cleared_look, cleared_sentence, "
            "answers FROM watch_alarms WHERE watch = ? ORDER BY number DESC",
            watch,
        )
        alarms = [_read_alarm(*row) for row in rows]
        return [alarm for alarm in alarms if alarm.stands or not standing]

    def worst_answers(self, watch: str, since: str, *, higher_is_better: bool) -> list[WatchedAnswer]:
        """Returns the answers since a day with the lowest ratings, then with the worst of the judge's scores."""
        order = "judged" if higher_is_better else "judged DESC"
        is_unrated = "CASE WHEN rating IS NULL THEN 1 ELSE 0 END"
        where = f"judged IS NOT NULL AND time >= ? ORDER BY {is_unrated}, rating, {order}, sample"
        return self._answers(where, watch, since, limit=5)

    def answers_of_traces(self, watch: str, traces: Sequence[str]) -> list[WatchedAnswer]:
        """Returns the answers of some traces, such as those of an alarm; those that are known."""
        of_traces = f"SELECT sample FROM watch_traces WHERE watch = ? AND trace IN ({marks(traces)})"
        return self._answers(f"sample IN ({of_traces})", watch, watch, *traces)

    def _answers(self, where: str, watch: str, *values: Any, limit: int = MOST_ITEMS) -> list[WatchedAnswer]:
        sql = f"SELECT sample, trace, judged, run FROM watch_items WHERE watch = ? AND {where} LIMIT ?"
        return [WatchedAnswer(*row) for row in self._rows(sql, watch, *values, limit)]

    def _watches(self, which: str, *values: Any) -> list[WatchRow]:
        watches = []
        for row in self._rows(f"SELECT {_WATCH_COLUMNS} FROM watches {which}", *values):
            fields: list[Any] = [*row, self._database.locks.is_held(lock_name(row[1]))]
            fields[3] = json.loads(fields[3])
            watches.append(WatchRow(*fields))
        return watches

    def _rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with explain_errors(self._database, "the watches cannot be read"):
            rows: list[tuple[Any, ...]] = self._database.execute(sql, values).fetchall()
        return rows

    def _value(self, sql: str, *values: Any) -> Any:
        return self._rows(sql, *values)[0][0]


def lock_name(name: str) -> str:
    """Returns the name of the lock of a watch: one that a file may have, whatever the watch is called."""
    return f"watch-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def read_value(kind: type[_Value], values: Any) -> _Value:
    """Makes a record of the JSON values that it was kept as; what an earlier version kept beside them is left out."""
    value: _Value = _adapter(cast(Any, kind)).validate_python(values)
    return value


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _read_alarm(*row: Any) -> StoredAlarm:
    values: list[Any] = [*row[:-1], read_value(tuple[AlarmAnswer, ...], json.loads(row[-1]))]
    return StoredAlarm(*values)


def _read_look(number: int, at: str, look: str, counts: str) -> StoredLook:
    values = json.loads(look)
    parts = {"look": values, "first_day": values["first_day"], "counts": json.loads(counts)}
    return read_value(StoredLook, {"number": number, "at": at} | parts)


def marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
