"""What a watch writes into the store. The same write again changes nothing: a step may be killed anywhere."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from ...errors import UsageError
from ...eval_sets import Sample
from ...metrics import Score
from ...runs import Store
from ...runs.store.database import explain_errors
from ..cursor import hold_lock
from ..source import ORIGIN, TraceOrigin
from ..times import read_utc, utc_text
from .alarms import AlarmMessage
from .watch_settings import SEGMENT_FIELDS, WatchSettings
from .watch_state import StoredLook, WatchRow, WatchState, lock_name, marks, read_value

MOST_TRIES = 3
"""How often an answer is given to the judge whose score fails each time."""
_AT_ONCE = 200  # answers that are read together
_GO_ON = ", then start it again: it goes on"


@dataclass(frozen=True, slots=True)
class DaySpending:
    """What a watch has done on one day (UTC)."""

    drawn: int = 0  # answers drawn for the judge
    queued: int = 0  # answers drawn for raters
    usd: float | None = 0.0  # what the judge cost, calls under way at a kill at most; None where a price is unknown
    tokens: int = 0  # the tokens that it took, likewise


class WatchRecords(WatchState):
    """Writes the state of one series of a watch, which is held by this process."""

    def __init__(self, store: Store, watch: str, settings: WatchSettings) -> None:
        super().__init__(store)
        self.watch_id, self.settings = watch, settings

    # --- pulling

    def add_answers(self, answers: Sequence[tuple[Sample, float | None]], now: datetime) -> int:
        """Adds answers that were pulled, with their cheap scores, and returns how many are new; the others stay."""
        known = self.known_answers([sample.id for sample, _ in answers])
        rows: dict[str, tuple[Any, ...]] = {}
        for sample, cheap in answers:
            if sample.id not in known:
                origin = TraceOrigin.of_sample(sample)
                time = (read_utc(origin.time) if origin else None) or now
                segments = {name: value for name in SEGMENT_FIELDS if (value := _segment(sample, name))}
                texts = json.dumps(segments, ensure_ascii=False), sample.model_dump_json()
                about = origin.id if origin else sample.id, sample.source, utc_text(time)
                rows[sample.id] = (self.watch_id, sample.id, *about, cheap, *texts)
        traces = [(self.watch_id, trace, sample.id) for sample, _ in answers for trace in trace_ids(sample)]
        with self._writing():
            self._database.executemany(
                "INSERT INTO watch_items (watch, sample, trace, session, time, cheap, segments, content, status, "
                "tries, queue_state, ratings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'new', 0, 'left', '{}')",
                rows.values(),
            )
            self._database.executemany("INSERT INTO watch_traces VALUES (?, ?, ?) ON CONFLICT DO NOTHING", traces)
        return len(rows)

    def known_traces(self, traces: Sequence[str]) -> set[str]:
        """Returns which of some traces were pulled before."""
        return self._known("SELECT trace FROM watch_traces WHERE watch = ? AND trace", traces)

    def known_answers(self, names: Sequence[str]) -> set[str]:
        """Returns which of some ids are those of answers that were pulled before."""
        return self._known("SELECT sample FROM watch_items WHERE watch = ? AND sample", names)

    def has_session(self, session: str) -> bool:
        """Whether an answer or conversation of a session was pulled before."""
        return bool(self.known_answers([session]))

    def _known(self, question: str, names: Sequence[str]) -> set[str]:
        return {str(name) for (name,) in self._rows(f"{question} IN ({marks(names)})", self.watch_id, *names)}

    def end_pull(self, until: datetime) -> None:
        """Notes when the newest trace began that was pulled; it never goes back."""
        sql = "UPDATE watches SET pulled_until = ? WHERE id = ? AND (pulled_until IS NULL OR pulled_until < ?)"
        self._execute(sql, utc_text(until), self.watch_id, utc_text(until))

    # --- drawing, for the judge and for the raters

    def undrawn(self) -> list[str]:
        """Returns the ids of the answers that were in no draw yet."""
        return [str(name) for (name,) in self._items("sample", "status = 'new'")]

    def unqueued(self) -> list[str]:
        """Returns the ids of the scored answers that were in no draw for raters yet."""
        return [str(name) for (name,) in self._items("sample", "judged IS NOT NULL AND rating_chance IS NULL")]

    def add_draw(self, chances: Mapping[str, float], drawn: set[str], day: str, now: datetime) -> None:
        """Keeps a draw for the judge: whole or not at all. The content of what is not drawn is forgotten."""
        with self._writing():
            left = [(chance, name) for name, chance in chances.items() if name not in drawn]
            self._update("status = 'left', judge_chance = ?, content = NULL", left)
            waiting = [(chances[name], day, name) for name in drawn]
            self._update("status = 'waiting', judge_chance = ?, drawn_on = ?", waiting)
            self._end_draw(day, "drawn", len(drawn), "drawn_at", now)

    def add_rater_draw(self, chances: Mapping[str, float], drawn: set[str], day: str, now: datetime) -> None:
        """Keeps a draw for raters. What is drawn waits for the queue until `note_queued`."""
        with self._writing():
            states = [(chance, "drawn" if name in drawn else "left", name) for name, chance in chances.items()]
            self._update("rating_chance = ?, queue_state = ?", states)
            self._end_draw(day, "queued", len(drawn), "rated_at", now)

    def _end_draw(self, day: str, column: str, count: int, moment: str, now: datetime) -> None:
        self._database.execute(
            "INSERT INTO watch_days VALUES (?, ?, 0, 0, '{}') ON CONFLICT DO NOTHING", (self.watch_id, day)
        )
        self._database.execute(
            f"UPDATE watch_days SET {column} = {column} + ? WHERE watch = ? AND day = ?", (count, self.watch_id, day)
        )
        self._database.execute(f"UPDATE watches SET {moment} = ? WHERE id = ?", (utc_text(now), self.watch_id))

    def moment(self, column: str) -> datetime | None:
        """Returns when answers were last drawn (`drawn_at`, `rated_at`) or annotations read again (`reread_at`)."""
        text = self._value(f"SELECT {column} FROM watches WHERE id = ?", self.watch_id)
        return None if text is None else read_utc(text)

    def note_reread(self, now: datetime) -> None:
        """Notes that annotations were read again."""
        self._execute("UPDATE watches SET reread_at = ? WHERE id = ?", utc_text(now), self.watch_id)

    def spending(self, day: str) -> DaySpending:
        """Returns what was done and spent on a day."""
        rows = self._rows("SELECT drawn, queued, spent FROM watch_days WHERE watch = ? AND day = ?", self.watch_id, day)
        return DaySpending(rows[0][0], rows[0][1], **json.loads(rows[0][2])) if rows else DaySpending()

    def note_spending(self, day: str, usd: float | None, tokens: int) -> None:
        """Keeps what the judge took on a day, before a call what it may take at most."""
        self._execute(
            "INSERT INTO watch_days VALUES (?, ?, 0, 0, ?) ON CONFLICT (watch, day) DO UPDATE SET "
            "spent = excluded.spent",
            *(self.watch_id, day, json.dumps({"usd": usd, "tokens": tokens})),
        )

    def newest_day(self) -> str:
        """Returns the newest day on which something was done; empty before the first."""
        return str(self._value("SELECT coalesce(max(day), '') FROM watch_days WHERE watch = ?", self.watch_id))

    # --- judging

    def waiting_days(self) -> list[str]:
        """Returns the days of whose draws answers wait for the judge, the oldest first."""
        return sorted({str(day) for (day,) in self._items("drawn_on", "status = 'waiting'")})

    def drawn_names(self, day: str) -> list[str]:
        """Returns the ids of the answers that were drawn on a day, in the order of their times."""
        return [str(name) for (name,) in self._items("sample", "drawn_on = ?", day)]

    def given_up(self, day: str) -> set[str]:
        """Returns the ids of the answers of a day's draw that the judge is not asked about again."""
        return {str(name) for (name,) in self._items("sample", "drawn_on = ? AND status = 'failed'", day)}

    def samples(self, names: Sequence[str]) -> Iterator[Sample]:
        """Yields answers that were drawn, or were in no draw yet, in the order of their times.

        One that was judged stands in its run alone. The names are in the order of the times too.
        """
        for first in range(0, len(names), _AT_ONCE):
            some = names[first : first + _AT_ONCE]
            for name, content, run in self._items("sample, content, run", f"sample IN ({marks(some)})", *some):
                yield self.store.sample(run, name) if content is None else Sample.model_validate_json(content)

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
            self._update("status = ?, judged = ?, run = ?, content = NULL", ends)
            self._update("tries = ?", tries)
        return sum(value is not None for _, value, *_ in ends)

    def unpushed_runs(self, address: str) -> list[str]:
        """Returns the runs with scores that were not written to an address yet, the oldest first."""
        rows = self._rows(
            "SELECT run, min(drawn_on) FROM watch_items WHERE watch = ? AND judged IS NOT NULL GROUP BY run "
            "HAVING count(*) > (SELECT count(*) FROM pushed_scores WHERE pushed_scores.run = watch_items.run "
            "AND address = ?) ORDER BY min(drawn_on), run",
            *(self.watch_id, address),
        )
        return [str(run) for run, _ in rows]

    def runs_since(self, day: str) -> list[tuple[str, int]]:
        """Returns the runs with answers of a day or later that the judge scored, each with how many, most first."""
        sql = (
            "SELECT run, count(*) FROM watch_items WHERE watch = ? AND judged IS NOT NULL AND time >= ? "
            "GROUP BY run ORDER BY count(*) DESC, max(drawn_on) DESC, run"
        )
        return [(run, count) for run, count in self._rows(sql, self.watch_id, day) if run]

    # --- rating

    def to_queue(self) -> list[str]:
        """Returns the answers that are drawn for raters and not in the queue."""
        return [str(name) for (name,) in self._items("sample", "queue_state = 'drawn'")]

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

    def end_step(self, look: StoredLook, changes: Sequence[tuple[int, AlarmMessage]], target: str) -> int:
        """Keeps a look, the alarms that change with it, and their messages: whole or not at all; returns its number."""
        content = json.dumps(asdict(look.look) | {"first_day": look.first_day}, ensure_ascii=False, allow_nan=False)
        number = 1 + self.count_looks(self.watch_id)
        with self._writing():
            self._database.execute(
                "INSERT INTO watch_looks VALUES (?, ?, ?, ?, ?)",
                (self.watch_id, number, look.at, content, json.dumps(asdict(look.counts))),
            )
            for alarm, message in changes:
                self._write_alarm(alarm, message, number, target)
            sql = "UPDATE watches SET stepped_at = ?, problem = '' WHERE id = ?"
            self._database.execute(sql, (look.at, self.watch_id))
        return number

    def _write_alarm(self, alarm: int, message: AlarmMessage, look: int, target: str) -> None:
        content = asdict(message)
        if message.event == "fired":
            answers = json.dumps(content["answers"], ensure_ascii=False)
            self._database.execute(
                "INSERT INTO watch_alarms VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, '', ?)",
                (self.watch_id, alarm, message.bound, message.sentence, message.since, message.at, look, answers),
            )
        else:
            self._database.execute(
                "UPDATE watch_alarms SET cleared_at = ?, cleared_look = ?, cleared_sentence = ? "
                "WHERE watch = ? AND number = ? AND cleared_at IS NULL",
                (message.at, look, message.sentence, self.watch_id, alarm),
            )
        if target:
            self._database.execute(
                "INSERT INTO watch_deliveries VALUES (?, ?, ?, ?, ?, 'waiting', 0, NULL, '') ON CONFLICT DO NOTHING",
                (self.watch_id, alarm, message.event, target, json.dumps(content, ensure_ascii=False)),
            )

    def note_problem(self, problem: str) -> None:
        """Keeps why a step failed."""
        self._execute("UPDATE watches SET problem = ? WHERE id = ?", problem, self.watch_id)

    def waiting_deliveries(self) -> list[tuple[int, str, AlarmMessage]]:
        """Returns (alarm, target, message) of what was not delivered yet, the oldest first."""
        rows = self._rows(
            "SELECT alarm, target, message FROM watch_deliveries WHERE watch = ? AND state = 'waiting' "
            "ORDER BY alarm, event DESC, target",
            self.watch_id,
        )
        return [(alarm, target, read_value(AlarmMessage, json.loads(message))) for alarm, target, message in rows]

    def end_delivery(self, delivery: tuple[int, str, str], state: str, problem: str, now: datetime) -> None:
        """Notes what became of a message (alarm, event, target): `sent`, `dropped`, or `waiting` where it failed."""
        self._execute(
            "UPDATE watch_deliveries SET state = ?, problem = ?, tries = tries + 1, ended_at = ? "
            "WHERE watch = ? AND alarm = ? AND event = ? AND target = ?",
            *(state, problem, None if state == "waiting" else utc_text(now), self.watch_id, *delivery),
        )

    # --- the database

    def _items(self, columns: str, where: str, *values: Any) -> list[tuple[Any, ...]]:
        sql = f"SELECT {columns} FROM watch_items WHERE watch = ? AND {where} ORDER BY time, sample"
        return self._rows(sql, self.watch_id, *values)

    def _update(self, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Changes columns of answers: of each row the values, and last the answer's id."""
        sql = f"UPDATE watch_items SET {columns} WHERE watch = ? AND sample = ?"
        self._database.executemany(sql, [(*values, self.watch_id, name) for *values, name in rows])

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


def trace_ids(sample: Sample) -> list[str]:
    """Returns the ids of the traces that a sample was made of: one, or those of a conversation."""
    origin = TraceOrigin.of_sample(sample)
    traces = sample.metadata.get("traces")
    parts = traces if origin is not None and origin.unit == "session" and isinstance(traces, list) else []
    origins = [part[ORIGIN] for part in parts if isinstance(part, dict) and isinstance(part.get(ORIGIN), dict)]
    return list(dict.fromkeys([*(str(part.get("id")) for part in origins), origin.id if origin else sample.id]))


def _segment(sample: Sample, name: str) -> str:
    value = sample.language if name == "language" else sample.metadata.get(name)
    return str(value)[:200] if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
