"""What a watch writes into the store: each method is one transaction, and the same again changes nothing."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from ...errors import UsageError
from ...eval_sets import Sample
from ...runs import Store
from ...runs.database import explain_errors
from ..origin import ORIGIN, TraceOrigin
from ..source import UnreadTrace
from ..times import read_utc
from .alarm_message import AlarmAnswer, AlarmChange, AlarmMessage
from .watch_settings import SEGMENT_FIELDS, WatchSettings
from .watch_state import DriftResult, StoredLook, WatchRow, WatchState, lock_name, look_json, read_drift

MOST_TRIES = 3
"""How often an answer is given to the judge whose score fails each time."""
_IDS_AT_ONCE = 500  # of one question to the database


@dataclass(frozen=True, slots=True)
class DaySpending:
    """What a watch has done on one day (UTC)."""

    drawn: int = 0  # answers drawn for the judge
    queued: int = 0  # answers drawn for raters
    usd: float | None = 0.0  # what the judge cost, calls under way at a kill at most; None where a price is unknown
    tokens: int = 0  # the tokens that it took, likewise


@dataclass(frozen=True, slots=True)
class DrawnAnswer:
    """What a draw decides of one answer."""

    sample: str  # its id
    chance: float  # the probability with which it was drawn
    is_drawn: bool  # whether it was


@contextmanager
def hold_watch(store: Store, name: str) -> Iterator[None]:
    """Holds the lock of a watch: no other process can take a step of it."""
    locks = store.database.locks
    with explain_errors(store.database, "the watch cannot be held"):
        if not locks.take(lock_name(name)):
            raise UsageError(
                f"the watch {name} is running: another process is at work on it in {store.path}. "
                "`--status` shows what it has so far; wait until it has ended, or end it first"
            )
    try:
        yield
    finally:
        with explain_errors(store.database, "the watch cannot be released"):
            locks.release(lock_name(name))


def open_series(store: Store, settings: WatchSettings, now: datetime) -> tuple[WatchRow, bool]:
    """Finds the series that a watch file goes on with, or begins one.

    Returns:
        The series, and whether it is a new one in place of an earlier.
    """
    database, state = store.database, WatchState(store)
    series = state.series(settings.name)
    content = json.dumps(settings.as_json(), ensure_ascii=False)
    with explain_errors(database, "the watch cannot be kept"):
        rows = database.execute("SELECT id, identity FROM watches WHERE name = ?", (settings.name,)).fetchall()
        if series and dict(rows)[series[0].id] == settings.identity:
            database.execute("UPDATE watches SET settings = ? WHERE id = ?", (content, series[0].id))
            return state.watch(series[0].id), False
        number = series[0].series + 1 if series else 1
        # a name may end in .2 itself
        name = settings.name if number == 1 else f"{settings.name}.{number}"
        taken_ids = {identity for (identity,) in database.execute("SELECT id FROM watches").fetchall()}
        while name in taken_ids:
            name += "'"
        database.execute(
            "INSERT INTO watches (id, name, series, began, identity, settings, problem) VALUES (?, ?, ?, ?, ?, ?, '')",
            (name, settings.name, number, utc_text(now), settings.identity, content),
        )
    return state.watch(name), number > 1


def utc_text(moment: datetime) -> str:
    """Writes a moment so that texts sort as moments do: ISO 8601 in UTC, with microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class WatchRecords:
    """Writes the state of one series of a watch, which is held by this process.

    Every method raises `InputError` where the store cannot be read or written.
    """

    def __init__(self, store: Store, watch: str) -> None:
        self.store = store
        self.watch = watch
        self._database = store.database

    # --- pulling

    def add_answers(self, answers: Sequence[tuple[Sample, float | None]], now: datetime) -> int:
        """Adds answers that were pulled, with their cheap scores; those that are there stay as they are.

        Returns:
            How many are new.
        """
        names = [sample.id for sample, _ in answers]
        with self._writing(), self._database.transaction():
            known = set(self._known(names))
            rows = {sample.id: self._row(sample, cheap, now) for sample, cheap in answers if sample.id not in known}
            self._database.executemany(
                "INSERT INTO watch_items (watch, sample, trace, session, time, cheap, segments, status, tries, "
                "is_queued, ratings, content) VALUES (?, ?, ?, ?, ?, ?, ?, 'new', 0, 0, '{}', ?)",
                rows.values(),
            )
            traces = [(self.watch, trace, sample.id) for sample, _ in answers for trace in trace_ids(sample)]
            self._database.executemany("INSERT INTO watch_traces VALUES (?, ?, ?) ON CONFLICT DO NOTHING", traces)
            self._database.executemany(
                "DELETE FROM watch_unread WHERE watch = ? AND trace = ?", [trace[:2] for trace in traces]
            )
        return len(rows)

    def known_traces(self, traces: Sequence[str]) -> set[str]:
        """Returns which of some traces were pulled before."""
        known: set[str] = set()
        with self._reading():
            for part in _parts(traces):
                places = ", ".join("?" * len(part))
                rows = self._database.execute(
                    f"SELECT trace FROM watch_traces WHERE watch = ? AND trace IN ({places})", (self.watch, *part)
                )
                known |= {str(trace) for (trace,) in rows.fetchall()}
        return known

    def known_answers(self, names: Sequence[str]) -> set[str]:
        """Returns which of some ids are those of answers that were pulled before."""
        with self._reading():
            return set(self._known(names))

    def has_session(self, session: str) -> bool:
        """Whether an answer or conversation of a session was pulled before."""
        sql = "SELECT 1 FROM watch_items WHERE watch = ? AND sample = ?"
        return bool(self._rows(sql, (self.watch, session)))

    def _known(self, names: Sequence[str]) -> Iterator[str]:
        for part in _parts(names):
            places = ", ".join("?" * len(part))
            rows = self._database.execute(
                f"SELECT sample FROM watch_items WHERE watch = ? AND sample IN ({places})", (self.watch, *part)
            )
            yield from (str(name) for (name,) in rows.fetchall())

    def _row(self, sample: Sample, cheap: float | None, now: datetime) -> tuple[Any, ...]:
        origin = TraceOrigin.of_sample(sample)
        time = read_utc(origin.time) if origin else None
        segments = {name: value for name in SEGMENT_FIELDS if (value := _segment(sample, name))}
        return (
            self.watch,
            sample.id,
            origin.id if origin else sample.id,
            sample.source,
            utc_text(time or now),
            cheap,
            json.dumps(segments, ensure_ascii=False),
            sample.model_dump_json(),
        )

    def add_unread(self, traces: Sequence[UnreadTrace]) -> None:
        """Adds traces that are no answers; a later pull may read them."""
        with self._writing(), self._database.transaction():
            self._database.executemany(
                "INSERT INTO watch_unread VALUES (?, ?, ?, ?) ON CONFLICT (watch, trace) DO UPDATE SET "
                "time = excluded.time, reason = excluded.reason",
                [
                    (self.watch, trace.id, utc_text(time) if (time := read_utc(trace.time)) else "", trace.reason)
                    for trace in traces
                ],
            )

    def end_pull(self, until: datetime) -> None:
        """Notes up to which moment traces were pulled; it never goes back."""
        text = utc_text(until)
        self._execute(
            "UPDATE watches SET pulled_until = ? WHERE id = ? AND (pulled_until IS NULL OR pulled_until < ?)",
            (text, self.watch, text),
        )

    # --- drawing for the judge

    def undrawn(self) -> list[tuple[str, float | None]]:
        """Returns (sample, cheap score) of the answers that were in no draw yet."""
        return self._rows(
            "SELECT sample, cheap FROM watch_items WHERE watch = ? AND status = 'new' ORDER BY time, sample",
            (self.watch,),
        )

    def add_draw(self, answers: Sequence[DrawnAnswer], day: str, now: datetime) -> None:
        """Keeps a draw for the judge: whole or not at all. The content of what is not drawn is forgotten."""
        drawn = sum(answer.is_drawn for answer in answers)
        with self._writing(), self._database.transaction():
            self._database.executemany(
                "UPDATE watch_items SET status = 'waiting', judge_chance = ?, drawn_on = ? "
                "WHERE watch = ? AND sample = ?",
                [(answer.chance, day, self.watch, answer.sample) for answer in answers if answer.is_drawn],
            )
            self._database.executemany(
                "UPDATE watch_items SET status = 'left', judge_chance = ?, content = NULL "
                "WHERE watch = ? AND sample = ?",
                [(answer.chance, self.watch, answer.sample) for answer in answers if not answer.is_drawn],
            )
            self._add_to_day(day, drawn=drawn)
            self._database.execute("UPDATE watches SET drawn_at = ? WHERE id = ?", (utc_text(now), self.watch))

    def scored_pairs(self) -> list[tuple[float | None, float, float | None]]:
        """Returns (cheap score, judge's score, mean rating) of the answers that the judge scored."""
        return self._rows(
            "SELECT cheap, judged, rating FROM watch_items WHERE watch = ? AND judged IS NOT NULL", (self.watch,)
        )

    def drawn_at(self) -> datetime | None:
        """Returns when answers were last drawn for the judge."""
        return self._moment("drawn_at")

    # --- judging

    def waiting_days(self) -> list[str]:
        """Returns the days of whose draws answers wait for the judge, the oldest first."""
        rows = self._rows(
            "SELECT DISTINCT drawn_on FROM watch_items WHERE watch = ? AND status = 'waiting' ORDER BY drawn_on",
            (self.watch,),
        )
        return [str(day) for (day,) in rows]

    def drawn_names(self, day: str) -> list[str]:
        """Returns the ids of the answers that were drawn on a day, in the order of their times."""
        rows = self._rows(
            "SELECT sample FROM watch_items WHERE watch = ? AND drawn_on = ? ORDER BY time, sample", (self.watch, day)
        )
        return [str(name) for (name,) in rows]

    def given_up(self, day: str) -> set[str]:
        """Returns the ids of the answers of a day's draw that the judge is not asked about again."""
        rows = self._rows(
            "SELECT sample FROM watch_items WHERE watch = ? AND drawn_on = ? AND status = 'failed'", (self.watch, day)
        )
        return {str(name) for (name,) in rows}

    def sample(self, name: str) -> Sample:
        """Returns an answer that was drawn, or was in no draw yet."""
        ((content,),) = self._rows("SELECT content FROM watch_items WHERE watch = ? AND sample = ?", (self.watch, name))
        return Sample.model_validate_json(content)

    def add_scores(self, day: str, run: str, scores: Mapping[str, tuple[float | None, str]], *, tried: bool) -> int:
        """Takes over the judge's scores of a day's draw from its run.

        Returns:
            How many answers have a score that had none.
        """
        waiting = self._rows(
            "SELECT sample, tries FROM watch_items WHERE watch = ? AND drawn_on = ? AND status = 'waiting'",
            (self.watch, day),
        )
        ends: list[tuple[Any, ...]] = []
        tries: list[tuple[Any, ...]] = []
        scored = 0
        for name, tries_before in waiting:
            value, status = scores.get(name, (None, ""))
            if status == "failed" and tries_before + tried < MOST_TRIES:
                tries.append((tries_before + tried, self.watch, name))
            elif status:
                scored += value is not None
                ends.append((status, value, run, self.watch, name))
        with self._writing(), self._database.transaction():
            self._database.executemany(
                "UPDATE watch_items SET status = ?, judged = ?, run = ? WHERE watch = ? AND sample = ?", ends
            )
            self._database.executemany("UPDATE watch_items SET tries = ? WHERE watch = ? AND sample = ?", tries)
        return scored

    def unpushed_runs(self, address: str) -> list[str]:
        """Returns the runs with scores that were not written to an address yet, the oldest first."""
        rows = self._rows(
            "SELECT run, min(drawn_on) FROM watch_items WHERE watch = ? AND judged IS NOT NULL GROUP BY run "
            "HAVING count(*) > (SELECT count(*) FROM pushed_scores WHERE pushed_scores.run = watch_items.run "
            "AND address = ?) ORDER BY min(drawn_on), run",
            (self.watch, address),
        )
        return [str(run) for run, _ in rows]

    def spending(self, day: str) -> DaySpending:
        """Returns what was done and spent on a day."""
        rows = self._rows("SELECT drawn, queued, spent FROM watch_days WHERE watch = ? AND day = ?", (self.watch, day))
        return DaySpending(rows[0][0], rows[0][1], **json.loads(rows[0][2])) if rows else DaySpending()

    def note_spending(self, day: str, usd: float | None, tokens: int) -> None:
        """Keeps what the judge took on a day, before a call what it may take at most."""
        spent = json.dumps({"usd": usd, "tokens": tokens})
        self._execute(
            "INSERT INTO watch_days VALUES (?, ?, 0, 0, ?) ON CONFLICT (watch, day) DO UPDATE SET "
            "spent = excluded.spent",
            (self.watch, day, spent),
        )

    def newest_day(self) -> str:
        """Returns the newest day on which something was done; empty before the first."""
        ((day,),) = self._rows("SELECT coalesce(max(day), '') FROM watch_days WHERE watch = ?", (self.watch,))
        return str(day)

    # --- rating

    def unqueued(self) -> list[tuple[str, float]]:
        """Returns (sample, judge's score) of the scored answers that were in no draw for raters yet."""
        return self._rows(
            "SELECT sample, judged FROM watch_items WHERE watch = ? AND judged IS NOT NULL AND rating_chance IS NULL "
            "ORDER BY time, sample",
            (self.watch,),
        )

    def add_rater_draw(self, answers: Sequence[DrawnAnswer], day: str, now: datetime) -> None:
        """Keeps a draw for raters. What is drawn waits for the queue until `note_queued`."""
        with self._writing(), self._database.transaction():
            self._database.executemany(
                "UPDATE watch_items SET rating_chance = ?, is_queued = ? WHERE watch = ? AND sample = ?",
                [(answer.chance, 2 * answer.is_drawn, self.watch, answer.sample) for answer in answers],
            )
            self._add_to_day(day, queued=sum(answer.is_drawn for answer in answers))
            self._database.execute("UPDATE watches SET rated_at = ? WHERE id = ?", (utc_text(now), self.watch))

    def to_queue(self) -> list[str]:
        """Returns the answers that are drawn for raters and not in the queue."""
        rows = self._rows(
            "SELECT sample FROM watch_items WHERE watch = ? AND is_queued = 2 ORDER BY time, sample", (self.watch,)
        )
        return [name for (name,) in rows]

    def note_queued(self, names: Iterable[str]) -> None:
        """Notes that answers are in the raters' queue."""
        with self._writing(), self._database.transaction():
            self._database.executemany(
                "UPDATE watch_items SET is_queued = 1 WHERE watch = ? AND sample = ?",
                [(self.watch, name) for name in names],
            )

    def queued_at(self) -> datetime | None:
        """Returns when answers were last drawn for raters."""
        return self._moment("rated_at")

    def reread_at(self) -> datetime | None:
        """Returns when annotations were last read again."""
        return self._moment("reread_at")

    def note_reread(self, now: datetime) -> None:
        """Notes that annotations were read again."""
        self._execute("UPDATE watches SET reread_at = ? WHERE id = ?", (utc_text(now), self.watch))

    def judged_traces(self, since: datetime, *, is_queued: bool) -> dict[str, tuple[str, str]]:
        """Returns trace -> (sample, time) of the answers since a moment that the judge scored."""
        only = " AND is_queued > 0" if is_queued else ""
        rows = self._rows(
            "SELECT trace, sample, time FROM watch_items WHERE watch = ? AND time >= ? AND judged IS NOT NULL" + only,
            (self.watch, utc_text(since)),
        )
        return {str(trace): (str(sample), str(time)) for trace, sample, time in rows}

    def count_since(self, since: datetime) -> int:
        """Returns how many answers there are since a moment."""
        sql = "SELECT count(*) FROM watch_items WHERE watch = ? AND time >= ?"
        return int(self._rows(sql, (self.watch, utc_text(since)))[0][0])

    def add_ratings(self, ratings: Mapping[str, Mapping[str, float]], agreed: Mapping[str, float] | None = None) -> int:
        """Keeps people's ratings of answers; those of a rater who rated before are replaced.

        Returns:
            How many answers have a rating that had none.
        """
        new = 0
        with self._writing(), self._database.transaction():
            for name, values in ratings.items():
                row = self._database.execute(
                    "SELECT ratings, rating FROM watch_items WHERE watch = ? AND sample = ?", (self.watch, name)
                ).fetchone()
                if row is None or not values:
                    continue
                before = json.loads(row[0])
                after = before | dict(values)
                mean = (agreed or {}).get(name, sum(after.values()) / len(after))
                if after != before or mean != row[1]:
                    new += not before
                    self._database.execute(
                        "UPDATE watch_items SET ratings = ?, rating = ? WHERE watch = ? AND sample = ?",
                        (json.dumps(after, ensure_ascii=False), mean, self.watch, name),
                    )
        return new

    # --- looking

    def table(self) -> Iterator[tuple[Any, ...]]:
        """Yields the values of all answers that an estimate takes, in the order of their times.

        They are (time, session, cheap, judge_chance, judged, rating_chance, is_queued, rating, segments).
        """
        with self._reading():
            yield from self._database.execute(
                "SELECT time, session, cheap, judge_chance, judged, rating_chance, is_queued, rating, segments "
                "FROM watch_items "
                "WHERE watch = ? ORDER BY time, sample",
                (self.watch,),
            )

    def counts(self) -> tuple[int, int, int]:
        """Returns how many traces are unread, how many answers wait for the judge, and how many are undrawn."""
        ((unread,),) = self._rows("SELECT count(*) FROM watch_unread WHERE watch = ?", (self.watch,))
        states = dict(
            self._rows(
                "SELECT status, count(*) FROM watch_items WHERE watch = ? AND status IN ('waiting', 'new') "
                "GROUP BY status",
                (self.watch,),
            )
        )
        return int(unread), states.get("waiting", 0), states.get("new", 0)

    def newest_runs(self, since: str) -> list[tuple[str, str]]:
        """Returns (day, run) of the runs since a date with answers that the judge scored, the newest first."""
        return self._rows(
            "SELECT drawn_on, run FROM watch_items WHERE watch = ? AND drawn_on >= ? AND judged IS NOT NULL "
            "GROUP BY drawn_on, run ORDER BY drawn_on DESC, run",
            (self.watch, since),
        )

    def replies(self, run: str) -> Iterator[bytes]:
        """Yields the recorded replies of a run, as the lines of a cassette."""
        with self._reading():
            for (line,) in self._database.execute("SELECT line FROM replies WHERE run = ? ORDER BY key", (run,)):
                yield line.encode() if isinstance(line, str) else bytes(line)

    def end_step(self, look: StoredLook, changes: Sequence[AlarmChange], target: str, now: datetime) -> int:
        """Keeps a look, the alarms that fire and clear with it, and their messages: whole or not at all.

        Returns:
            The look's number.
        """
        at = utc_text(now)
        with self._writing(), self._database.transaction():
            (last,) = self._database.execute(
                "SELECT coalesce(max(number), 0) FROM watch_looks WHERE watch = ?", (self.watch,)
            ).fetchone()
            number = int(last) + 1
            counts = json.dumps(asdict(look.counts))
            drift = json.dumps([] if look.drift is None else [asdict(look.drift)])
            self._database.execute(
                "INSERT INTO watch_looks VALUES (?, ?, ?, ?, ?, ?)",
                (self.watch, number, at, look_json(look.look, look.first_day), counts, drift),
            )
            self._database.execute(
                "UPDATE watch_items SET look = ? WHERE watch = ? AND look IS NULL AND judged IS NOT NULL",
                (number, self.watch),
            )
            for change in changes:
                self._write_alarm(change, number, at)
                if target:
                    message = json.dumps(asdict(change.message), ensure_ascii=False)
                    self._database.execute(
                        "INSERT INTO watch_deliveries VALUES (?, ?, ?, ?, ?, 'waiting', 0, NULL, '') "
                        "ON CONFLICT (watch, alarm, event, target) DO NOTHING",
                        (self.watch, change.number, change.message.event, target, message),
                    )
            self._database.execute("UPDATE watches SET stepped_at = ?, problem = '' WHERE id = ?", (at, self.watch))
        return number

    def _write_alarm(self, change: AlarmChange, look: int, at: str) -> None:
        message = change.message
        if message.event == "fired":
            answers = json.dumps([asdict(answer) for answer in message.answers], ensure_ascii=False)
            self._database.execute(
                "INSERT INTO watch_alarms VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, '', ?)",
                (self.watch, change.number, message.bound, message.sentence, message.since, at, look, answers),
            )
        else:
            self._database.execute(
                "UPDATE watch_alarms SET cleared_at = ?, cleared_look = ?, cleared_sentence = ? "
                "WHERE watch = ? AND number = ? AND cleared_at IS NULL",
                (at, look, message.sentence, self.watch, change.number),
            )

    def note_problem(self, problem: str) -> None:
        """Keeps why a step failed."""
        self._execute("UPDATE watches SET problem = ? WHERE id = ?", (problem, self.watch))

    # --- drift

    def add_drift(self, result: DriftResult) -> None:
        """Keeps a check of the judge's drift."""
        self._execute(
            "INSERT INTO watch_drift VALUES (?, ?, ?, ?) ON CONFLICT (watch, kind, at) DO UPDATE SET "
            "result = excluded.result",
            (self.watch, result.kind, result.at, json.dumps(asdict(result), ensure_ascii=False)),
        )

    def newest_drift(self) -> DriftResult | None:
        """Returns the newest check of the judge's drift."""
        sql = "SELECT result FROM watch_drift WHERE watch = ? AND kind = 'judge' ORDER BY at DESC LIMIT 1"
        rows = self._rows(sql, (self.watch,))
        return read_drift(json.loads(rows[0][0])) if rows else None

    # --- deliveries

    def waiting_deliveries(self) -> list["WaitingDelivery"]:
        """Returns what was not delivered yet, the oldest first."""
        rows = self._rows(
            "SELECT alarm, event, target, message FROM watch_deliveries WHERE watch = ? AND state = 'waiting' "
            "ORDER BY alarm, event DESC, target",
            (self.watch,),
        )
        return [WaitingDelivery(alarm, event, target, _read_message(message)) for alarm, event, target, message in rows]

    def end_delivery(
        self, delivery: "WaitingDelivery", state: Literal["sent", "dropped", "waiting"], problem: str, now: datetime
    ) -> None:
        """Notes what became of a message; where it failed, it is `waiting` with why."""
        self._execute(
            "UPDATE watch_deliveries SET state = ?, problem = ?, tries = tries + 1, ended_at = ? "
            "WHERE watch = ? AND alarm = ? AND event = ? AND target = ?",
            (
                *(state, problem, None if state == "waiting" else utc_text(now)),
                *(self.watch, delivery.alarm, delivery.event, delivery.target),
            ),
        )

    # --- the database

    def _add_to_day(self, day: str, *, drawn: int = 0, queued: int = 0) -> None:
        self._database.execute(
            "INSERT INTO watch_days VALUES (?, ?, ?, ?, '{}') ON CONFLICT (watch, day) DO UPDATE SET "
            "drawn = watch_days.drawn + excluded.drawn, queued = watch_days.queued + excluded.queued",
            (self.watch, day, drawn, queued),
        )

    def _moment(self, column: str) -> datetime | None:
        ((text,),) = self._rows(f"SELECT {column} FROM watches WHERE id = ?", (self.watch,))
        return None if text is None else read_utc(text)

    def _execute(self, sql: str, values: Sequence[Any]) -> None:
        with self._writing():
            self._database.execute(sql, values)

    def _rows(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._reading():
            rows: list[tuple[Any, ...]] = self._database.execute(sql, values).fetchall()
        return rows

    def _reading(self) -> AbstractContextManager[None]:
        return explain_errors(self._database, "the watch cannot be read")

    def _writing(self) -> AbstractContextManager[None]:
        return explain_errors(self._database, "the watch cannot be kept", ", then start it again: it goes on")


@dataclass(frozen=True, slots=True)
class WaitingDelivery:
    """A message that was not delivered yet."""

    alarm: int  # the alarm's number
    event: str  # `fired` or `cleared`
    target: str  # the target, as it may be shown
    message: AlarmMessage  # the message


def trace_ids(sample: Sample) -> list[str]:
    """Returns the ids of the traces that a sample was made of: one, or those of a conversation."""
    origin = TraceOrigin.of_sample(sample)
    traces = sample.metadata.get("traces")
    parts = traces if origin is not None and origin.unit == "session" and isinstance(traces, list) else []
    ids = [
        str(part[ORIGIN].get("id")) for part in parts if isinstance(part, dict) and isinstance(part.get(ORIGIN), dict)
    ]
    return list(dict.fromkeys([*ids, origin.id if origin else sample.id]))


def _parts(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The names in parts that one question to the database takes."""
    return (names[start : start + _IDS_AT_ONCE] for start in range(0, len(names), _IDS_AT_ONCE))


def _segment(sample: Sample, name: str) -> str:
    value = sample.language if name == "language" else sample.metadata.get(name)
    return str(value)[:200] if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _read_message(text: str) -> AlarmMessage:
    values = json.loads(text)
    answers = tuple(AlarmAnswer(**answer) for answer in values.pop("answers"))
    return AlarmMessage(**values, answers=answers)
