"""What a store remembers of watches: their answers, looks and alarms, for the steps that write them and who shows them.

The same write again changes nothing: a step may be killed anywhere.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from functools import cache
from typing import Any, Literal, TypeVar, cast

from pydantic import Json, TypeAdapter

from ...errors import UsageError
from ...eval_sets import Sample
from ...meta_eval.monitoring.look import Look
from ...metrics import Score
from ...runs import Store
from ...runs.store.database import explain_errors
from ...runs.store.sample_content import content_key, forget_contents, put_contents, write_content
from ...runs.store.store import marks_of
from ..cursor import hold_lock, trace_ids
from ..source import TraceOrigin, read_utc, utc_text
from .alarms import AlarmAnswer, AlarmMessage
from .watch_settings import SEGMENT_FIELDS, WatchSettings

_Value = TypeVar("_Value")
MOST_TRIES = 3
"""How often an answer is given to the judge whose score fails each time."""
_AT_ONCE = 200  # answers that are read together
_MOST_ANSWERS = 1_000  # of one question
_GO_ON = ", then start it again: it goes on"
Waiting = Literal["undrawn", "unqueued", "to_queue", "drawn", "given_up", "skipped"]
"""Answers of a watch: in no draw yet; scored, and in no draw for raters yet; drawn for raters, and not in the queue;
drawn for the judge on a day; of these the ones that it is not asked about again; those that the metric skips, for a
reason that was not looked at yet."""
_WAITING: dict[Waiting, str] = {
    "undrawn": "status = 'new'",
    "unqueued": "judged IS NOT NULL AND rating_chance IS NULL",
    "to_queue": "queue_state = 'drawn'",
    "drawn": "drawn_on = ?",
    "given_up": "drawn_on = ? AND status = 'failed'",
    "skipped": "status = 'skipped'",
}


@dataclass(frozen=True, slots=True)
class WatchRow:
    """A watch as the store lists it. Times are in ISO 8601, in UTC."""

    id: str  # its id: the name; in stores of 0.2 also `NAME.2` and so on, of which the newest counts
    name: str  # its name in the watch file
    began: str
    settings: Json[Mapping[str, Any]]  # the watch file as JSON values, as the last step read it
    pulled_until: str | None  # when the newest trace began that was pulled; None before the first
    stepped_at: str | None  # when the last step ended; None before the first
    problem: str  # why the last step failed, or what of it; empty where all went well
    is_running: bool = False  # whether a process is at work on it


@dataclass(slots=True)
class StepCounts:
    """What one step did, counted as it goes."""

    pulled: int = 0  # new answers
    unread: int = 0  # traces that cannot be read, as they have no question; of a file, which is read whole, all of them
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
    answers: Json[tuple[AlarmAnswer, ...]]  # answers to read, at most five, with the run that judged each

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


@dataclass(frozen=True, slots=True)
class DaySpending:
    """What a watch has done on one day (UTC)."""

    drawn: int = 0  # answers drawn for the judge
    queued: int = 0  # answers drawn for raters
    usd: float | None = 0.0  # what the judge cost, calls under way at a kill at most; None where a price is unknown
    tokens: int = 0  # the tokens that it took, likewise


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

    def _watches(self, which: str, *values: Any) -> list[WatchRow]:
        rows = self._read(WatchRow, f"watches {which}", *values, without="is_running")
        return [replace(row, is_running=self._database.locks.is_held(lock_name(row.name))) for row in rows]

    def looks(self, watch: str, numbers: Sequence[int] | None = None) -> list[StoredLook]:
        """Returns the looks of a watch with some numbers, or all, the oldest first."""
        which = "" if numbers is None else f"AND number IN ({marks_of(numbers)})"
        sql = f"SELECT number, at, look, counts FROM watch_looks WHERE watch = ? {which} ORDER BY number"
        looks = []
        for number, at, look, counts in self._rows(sql, watch, *(numbers or ())):
            values = json.loads(look)
            parts = {"look": values, "first_day": values["first_day"], "counts": json.loads(counts)}
            looks.append(_read_value(StoredLook, {"number": number, "at": at} | parts))
        return looks

    def newest_look(self, watch: str) -> StoredLook | None:
        """Returns the newest look of a watch; None before the first."""
        return next(iter(self.looks(watch, [self.count_looks(watch)])), None)

    def count_looks(self, watch: str) -> int:
        """Returns how many looks a watch has had, which are numbered from 1."""
        return int(self._value("SELECT coalesce(max(number), 0) FROM watch_looks WHERE watch = ?", watch))

    def alarms(self, watch: str, *, standing: bool = False) -> list[StoredAlarm]:
        """Returns the alarms of a watch, the newest first."""
        which = "AND cleared_at IS NULL" if standing else ""
        return self._read(StoredAlarm, f"watch_alarms WHERE watch = ? {which} ORDER BY number DESC", watch)

    def worst_answers(self, watch: str, since: str, *, higher_is_better: bool) -> list[WatchedAnswer]:
        """Returns the answers since a day with the lowest ratings, then with the worst of the judge's scores."""
        order = "judged" if higher_is_better else "judged DESC"
        where = "watch_items WHERE watch = ? AND judged IS NOT NULL AND time >= ? ORDER BY "
        where += f"CASE WHEN rating IS NULL THEN 1 ELSE 0 END, rating, {order}, sample LIMIT 5"
        return self._read(WatchedAnswer, where, watch, since)

    def answers_of_traces(self, watch: str, traces: Sequence[str]) -> list[WatchedAnswer]:
        """Returns the answers of some traces, such as those of an alarm; those that are known."""
        of_traces = f"SELECT sample FROM watch_traces WHERE watch = ? AND trace IN ({marks_of(traces)})"
        where = f"watch_items WHERE watch = ? AND sample IN ({of_traces}) LIMIT {_MOST_ANSWERS}"
        return self._read(WatchedAnswer, where, watch, watch, *traces)

    def _read(self, kind: type[_Value], where: str, *values: Any, without: str = "") -> list[_Value]:
        """The rows of a table as records, whose fields are columns."""
        names = [field.name for field in fields(cast(Any, kind)) if field.name != without]
        rows = self._rows(f"SELECT {', '.join(names)} FROM {where}", *values)
        return [_read_value(kind, dict(zip(names, row, strict=True))) for row in rows]

    def _rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with explain_errors(self._database, "the watches cannot be read"):
            rows: list[tuple[Any, ...]] = self._database.execute(sql, values).fetchall()
        return rows

    def _value(self, sql: str, *values: Any) -> Any:
        return self._rows(sql, *values)[0][0]


class WatchRecords(WatchState):
    """Writes the state of a watch, which is held by this process (`hold_watch`)."""

    def __init__(self, store: Store, watch: str, settings: WatchSettings) -> None:
        super().__init__(store)
        self.watch_id, self.settings = watch, settings

    # --- pulling

    def add_answers(self, answers: Sequence[tuple[Sample, float | None]], now: datetime) -> int:
        """Adds answers that were pulled, with their cheap scores, and returns how many are new; the others stay."""
        known = self.known_answers([sample.id for sample, _ in answers])
        rows: dict[str, tuple[Any, ...]] = {}
        contents: dict[str, str] = {}
        for sample, cheap in answers:
            if sample.id not in known:
                origin = TraceOrigin.of_sample(sample)
                time = (read_utc(origin.time) if origin else None) or now
                segments = {name: value for name in SEGMENT_FIELDS if (value := _segment(sample, name))}
                about = origin.id if origin else sample.id, sample.source, utc_text(time)
                content = write_content(sample)
                row = self.watch_id, sample.id, *about, cheap, json.dumps(segments, ensure_ascii=False)
                rows[sample.id], contents[sample.id] = (*row, content_key(content)), content
        traces = [(self.watch_id, trace, sample.id) for sample, _ in answers for trace in trace_ids(sample)]
        with self._writing():
            put_contents(self._database, contents.values())
            self._database.executemany(
                "INSERT INTO watch_items (watch, sample, trace, session, time, cheap, segments, content, status, "
                "tries, queue_state, ratings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'new', 0, 'left', '{}')",
                rows.values(),
            )
            self._database.executemany("INSERT INTO watch_traces VALUES (?, ?, ?) ON CONFLICT DO NOTHING", traces)
        return len(rows)

    def known_traces(self, traces: Sequence[str]) -> set[str]:
        """Returns which of some traces were pulled before."""
        sql = f"SELECT trace FROM watch_traces WHERE watch = ? AND trace IN ({marks_of(traces)})"
        return {str(trace) for (trace,) in self._rows(sql, self.watch_id, *traces)}

    def known_answers(self, names: Sequence[str]) -> set[str]:
        """Returns which of some ids are those of answers, or conversations, that were pulled before."""
        return {str(name) for (name,) in self._items("sample", f"sample IN ({marks_of(names)})", *names)}

    def end_pull(self, until: datetime) -> None:
        """Notes when the newest trace began that was pulled; it never goes back."""
        before = self.moment("pulled_until")
        if before is None or before < until:
            self.note("pulled_until", utc_text(until))

    def note(self, column: str, value: str) -> None:
        """Notes a moment of the watch (`pulled_until`, `reread_at`), or why a step failed (`problem`)."""
        self._execute(f"UPDATE watches SET {column} = ? WHERE id = ?", value, self.watch_id)

    def moment(self, column: str) -> datetime | None:
        """Returns when answers were last drawn (`drawn_at`, `rated_at`) or annotations read again (`reread_at`)."""
        return read_utc(self._value(f"SELECT {column} FROM watches WHERE id = ?", self.watch_id))

    # --- drawing, for the judge and for the raters

    def names(self, which: Waiting, *day: str) -> list[str]:
        """Returns the ids of the answers that wait for something, in the order of their times."""
        return [str(name) for (name,) in self._items("sample", _WAITING[which], *day)]

    def add_draw(self, chance: float, names: Sequence[str], drawn: set[str], day: str, now: datetime) -> None:
        """Keeps a draw for the judge: whole or not at all. The content of what is not drawn is forgotten."""
        with self._writing():
            left = [(chance, name) for name in names if name not in drawn]
            self._update_last("status = 'left', judge_chance = ?", left)
            self._update("status = 'waiting', judge_chance = ?, drawn_on = ?", [(chance, day, name) for name in drawn])
            self._end_draw(day, "drawn", len(drawn), "drawn_at", now)

    def add_rater_draw(self, chance: float, names: Sequence[str], drawn: set[str], day: str, now: datetime) -> None:
        """Keeps a draw for raters. What is drawn waits for the queue until `note_queued`."""
        with self._writing():
            states = [(chance, "drawn" if name in drawn else "left", name) for name in names]
            self._update("rating_chance = ?, queue_state = ?", states)
            self._end_draw(day, "queued", len(drawn), "rated_at", now)

    def _end_draw(self, day: str, column: str, count: int, moment: str, now: datetime) -> None:
        self._execute("INSERT INTO watch_days VALUES (?, ?, 0, 0, '{}') ON CONFLICT DO NOTHING", self.watch_id, day)
        sql = f"UPDATE watch_days SET {column} = {column} + ? WHERE watch = ? AND day = ?"
        self._execute(sql, count, self.watch_id, day)
        self.note(moment, utc_text(now))

    def spending(self, day: str) -> DaySpending:
        """Returns what was done and spent on a day."""
        rows = self._rows("SELECT drawn, queued, spent FROM watch_days WHERE watch = ? AND day = ?", self.watch_id, day)
        return DaySpending(*rows[0][:2], **json.loads(rows[0][2])) if rows else DaySpending()

    def note_spending(self, day: str, usd: float | None, tokens: int) -> None:
        """Keeps what the judge took on a day, before a call what it may take at most."""
        sql = "INSERT INTO watch_days VALUES (?, ?, 0, 0, ?) ON CONFLICT (watch, day) DO UPDATE SET spent = "
        self._execute(f"{sql}excluded.spent", self.watch_id, day, json.dumps({"usd": usd, "tokens": tokens}))

    # --- judging

    def waiting_days(self) -> list[str]:
        """Returns the days of whose draws answers wait for the judge, the oldest first."""
        return sorted({str(day) for (day,) in self._items("drawn_on", "status = 'waiting'")})

    def samples(self, names: Sequence[str]) -> Iterator[Sample]:
        """Yields answers that were drawn, or were in no draw yet, in the order of their times.

        One that was judged stands in its run alone. The names are in the order of the times too.
        """
        for first in range(0, len(names), _AT_ONCE):
            some = names[first : first + _AT_ONCE]
            columns = "sample, content, (SELECT content FROM contents WHERE key = watch_items.content), run"
            for name, key, content, run in self._items(columns, f"sample IN ({marks_of(some)})", *some):
                place = {"watch": self.watch_id, "sample": name}
                if key is None:
                    yield self.store.sample(run, name)
                else:
                    yield from self.store.read_contents([(content, place)], "watch_items")

    def add_scores(self, day: str, run: str, scores: Mapping[str, Score], *, tried: bool) -> int:
        """Takes over the judge's scores of a day's draw, and returns how many answers have one that had none."""
        ends: list[tuple[Any, ...]] = []
        tries: list[tuple[Any, ...]] = []
        for name, tries_before in self._items("sample, tries", "drawn_on = ? AND status = 'waiting'", day):
            score = scores.get(name)
            if score is None:
                continue
            if score.status == "failed" and tries_before + tried < MOST_TRIES:
                tries.append((tries_before + tried, name))
            else:
                ends.append((score.status, score.value, run, name))
        with self._writing():
            self._update_last("status = ?, judged = ?, run = ?", ends)
            self._update("tries = ?", tries)
        return sum(value is not None for _, value, *_ in ends)

    def end_skipped(self, names: Sequence[str], empty: set[str], worst: float | None) -> None:
        """Gives the empty ones of the answers that the metric skips its worst value; the others have none."""
        with self._writing():
            self._update("status = 'empty', judged = ?", [(worst, name) for name in names if name in empty])
            self._update("status = 'without score'", [(name,) for name in names if name not in empty])

    def count_empty(self) -> int:
        """Returns how many answers count at the metric's worst value, since they are empty."""
        sql = "SELECT count(*) FROM watch_items WHERE watch = ? AND status = 'empty'"
        return int(self._value(sql, self.watch_id))

    def unpushed_runs(self, address: str) -> list[str]:
        """Returns the runs with scores that were not written to an address yet, the oldest first."""
        rows = self._rows(
            "SELECT run, min(drawn_on) FROM watch_items WHERE watch = ? AND status = 'scored' GROUP BY run "
            "HAVING count(*) > (SELECT count(*) FROM pushed_scores WHERE pushed_scores.run = watch_items.run "
            "AND address = ?) ORDER BY min(drawn_on), run",
            *(self.watch_id, address),
        )
        return [str(run) for run, _ in rows]

    def run_since(self, day: str) -> str:
        """Returns the run with most answers of a day or later that the judge scored; empty without one."""
        sql = (
            "SELECT run FROM watch_items WHERE watch = ? AND judged IS NOT NULL AND time >= ? "
            "GROUP BY run ORDER BY count(*) DESC, max(drawn_on) DESC, run LIMIT 1"
        )
        return "".join(run for (run,) in self._rows(sql, self.watch_id, day))

    # --- rating

    def note_queued(self, names: Iterable[str]) -> None:
        """Notes that answers are in the raters' queue."""
        with self._writing():
            self._update("queue_state = 'queued'", [(name,) for name in names])

    def samples_of_traces(self, since: datetime, *, alone: bool = False) -> dict[str, str]:
        """Returns trace -> sample of the answers since a moment; if `alone`, only of those that are of one trace."""
        if not alone:
            return dict(self._items("trace, sample", "time >= ?", utc_text(since)))
        one = "SELECT sample FROM watch_traces WHERE watch = ? GROUP BY sample HAVING count(*) = 1"
        return dict(self._items("trace, sample", f"time >= ? AND sample IN ({one})", utc_text(since), self.watch_id))

    def add_ratings(self, ratings: Mapping[str, Mapping[str, float]], agreed: Mapping[str, float] | None = None) -> int:
        """Keeps people's ratings of answers by rater, the newest of each, and returns how many had none before."""
        new = 0
        with self._writing():
            for name, values in ratings.items():
                rows = self._items("ratings, rating", "sample = ?", name)
                if not rows or not values:
                    continue
                before = json.loads(rows[0][0])
                after = before | dict(values)
                mean = (agreed or {}).get(name, sum(after.values()) / len(after))
                if after != before or mean != rows[0][1]:
                    new += not before
                    self._update("ratings = ?, rating = ?", [(json.dumps(after, ensure_ascii=False), mean, name)])
        return new

    # --- looking

    def table(self) -> Iterator[tuple[Any, ...]]:
        """Yields (time, session, cheap, judge_chance, judged, rating_chance, queue_state, rating, segments)."""
        with explain_errors(self._database, "the watch cannot be read"):
            yield from self._database.execute(
                "SELECT time, session, cheap, judge_chance, judged, rating_chance, queue_state, rating, segments "
                "FROM watch_items WHERE watch = ? ORDER BY time, sample",
                (self.watch_id,),
            )

    def counts(self) -> tuple[int, int]:
        """Returns how many answers wait for the judge, and how many are undrawn."""
        count = "SELECT count(*) FROM watch_items WHERE watch = ? AND status = ?"
        return self._value(count, self.watch_id, "waiting"), self._value(count, self.watch_id, "new")

    def end_step(self, look: StoredLook, changes: Sequence[tuple[int, AlarmMessage]], *, has_webhook: bool) -> int:
        """Keeps a look, the alarms that change with it, and their messages: whole or not at all; returns its number."""
        content = json.dumps(asdict(look.look) | {"first_day": look.first_day}, ensure_ascii=False, allow_nan=False)
        number = 1 + self.count_looks(self.watch_id)
        with self._writing():
            counts = json.dumps(asdict(look.counts))
            self._execute(
                "INSERT INTO watch_looks VALUES (?, ?, ?, ?, ?)", self.watch_id, number, look.at, content, counts
            )
            for alarm, message in changes:
                self._write_alarm(alarm, message, number, has_webhook=has_webhook)
            self._execute("UPDATE watches SET stepped_at = ?, problem = '' WHERE id = ?", look.at, self.watch_id)
        return number

    def _write_alarm(self, alarm: int, message: AlarmMessage, look: int, *, has_webhook: bool) -> None:
        content = asdict(message)
        if message.event == "fired":
            answers = json.dumps(content["answers"], ensure_ascii=False)
            values = message.bound, message.sentence, message.since, message.at, look, answers
            sql = "INSERT INTO watch_alarms VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, '', ?)"
            self._execute(sql, self.watch_id, alarm, *values)
        else:
            sql = "UPDATE watch_alarms SET cleared_at = ?, cleared_look = ?, cleared_sentence = ? "
            sql += "WHERE watch = ? AND number = ? AND cleared_at IS NULL"
            self._execute(sql, message.at, look, message.sentence, self.watch_id, alarm)
        if has_webhook:
            text = json.dumps(content, ensure_ascii=False)
            self._execute("INSERT INTO watch_messages VALUES (?, ?, ?, ?)", self.watch_id, alarm, message.event, text)

    def waiting_messages(self) -> list[tuple[int, AlarmMessage]]:
        """Returns the messages that were not delivered yet, each with its alarm's number, the oldest first."""
        which = "watch = ? ORDER BY alarm, event DESC"
        rows = self._rows(f"SELECT alarm, message FROM watch_messages WHERE {which}", self.watch_id)
        return [(alarm, _read_value(AlarmMessage, json.loads(message))) for alarm, message in rows]

    def end_message(self, alarm: int, event: str) -> None:
        """Forgets a message that was delivered, or that no webhook takes any more."""
        which = "watch = ? AND alarm = ? AND event = ?"
        self._execute(f"DELETE FROM watch_messages WHERE {which}", self.watch_id, alarm, event)

    # --- the database

    def _items(self, columns: str, where: str, *values: Any) -> list[tuple[Any, ...]]:
        sql = f"SELECT {columns} FROM watch_items WHERE watch = ? AND {where} ORDER BY time, sample"
        return self._rows(sql, self.watch_id, *values)

    def _update(self, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Changes columns of answers: of each row the values, and last the answer's id."""
        sql = f"UPDATE watch_items SET {columns} WHERE watch = ? AND sample = ?"
        self._database.executemany(sql, [(*values, self.watch_id, name) for *values, name in rows])

    def _update_last(self, columns: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Changes columns as `_update` does, of answers whose content the watch needs no more."""
        keys = list[str]()
        for first in range(0, len(rows), _AT_ONCE):
            names = [name for *_, name in rows[first : first + _AT_ONCE]]
            has_content = f"content IS NOT NULL AND sample IN ({marks_of(names)})"
            keys += [key for (key,) in self._items("content", has_content, *names)]
        self._update(f"{columns}, content = NULL", rows)
        forget_contents(self._database, keys)

    def _execute(self, sql: str, *values: Any) -> None:
        with explain_errors(self._database, "the watch cannot be kept", _GO_ON):
            self._database.execute(sql, values)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with explain_errors(self._database, "the watch cannot be kept", _GO_ON), self._database.transaction():
            yield


@contextmanager
def hold_watch(store: Store, name: str) -> Iterator[None]:
    """Holds the lock of a watch: no other process can take a step of it."""
    refusal = (
        f"the watch {name} is running: another process is at work on it in {store.path}. "
        "`--status` shows what it has so far; wait until it has ended, or end it first"
    )
    with hold_lock(store.database, lock_name(name), refusal):
        yield


def open_watch(store: Store, settings: WatchSettings, now: datetime) -> WatchRow:
    """Finds the watch that a file goes on with, or begins one.

    Raises:
        UsageError: The store has a watch of this name with another source, filter, measure, judge or scale.
    """
    database, state, name = store.database, WatchState(store), settings.name
    content = json.dumps(settings.as_json(), ensure_ascii=False)
    with explain_errors(database, "the watch cannot be kept"):
        newest = "SELECT id, identity FROM watches WHERE name = ? ORDER BY series DESC LIMIT 1"
        row = database.execute(newest, (name,)).fetchone()
        if row is None:
            database.execute(
                "INSERT INTO watches (id, name, series, began, identity, settings, problem) "
                "VALUES (?, ?, 1, ?, ?, ?, '')",
                (name, name, utc_text(now), settings.identity, content),
            )
            return state.watch(name)
        id_, identity = row
        if identity != settings.identity:
            raise UsageError(
                f"the watch {name} had another source, filter, measure, judge or scale before, and its figures would "
                "mix with those of this file: give the file another `name:`"
            )
        database.execute("UPDATE watches SET settings = ? WHERE id = ?", (content, id_))
    return state.watch(id_)


def _segment(sample: Sample, name: str) -> str:
    value = sample.language if name == "language" else sample.metadata.get(name)
    return str(value)[:200] if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def lock_name(name: str) -> str:
    """Returns the name of the lock of a watch: one that a file may have, whatever the watch is called."""
    return f"watch-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _read_value(kind: type[_Value], values: Any) -> _Value:
    """Makes a record of the JSON values that it was kept as; what an earlier version kept beside them is left out."""
    value: _Value = _adapter(cast(Any, kind)).validate_python(values)
    return value


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
