"""The queue that raters work through: locks, hidden repeats, undo, and one transaction per judgement."""

import hashlib
import hmac
import json
import random
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ...errors import UsageError
from ...eval_sets import Sample
from ..store.database import Database
from ..store.sample_content import ContentReader, keep_samples
from .answer_pair import AnswerPair, PairComparison, PairedQuestion, Side
from .judgement import Judgement, QueueSettings, describe_left_out, queue_ids, rating_state, read_judgements

_REPEAT_DISTANCE = 10  # ratings between an answer and its hidden repeat, so that the rater does not remember the number
_HELD_BY_OTHERS = (  # how many others have an `item` open, by the present moment and the rater
    "(SELECT count(*) FROM rating_locks AS lock WHERE lock.queue = item.queue AND lock.sample = item.sample "
    "AND lock.is_repeat = 0 AND lock.expires > ? AND lock.rater <> ?)"
)
_ITEMS = (
    "SELECT item.sample, one.content, other.content, item.about FROM rating_items AS item "
    "LEFT JOIN contents AS one ON one.key = item.content LEFT JOIN contents AS other ON other.key = item.other_content "
    "WHERE item.queue = ?"
)
_LEFT_FIRST: dict[float | Side, float] = {"left": -1.0, "same": 0.0, "right": 1.0}
"""The value of a side where the first answer stands left."""
_NO_PAIR = "are no two different answers to one question to compare"


class OpenItem(NamedTuple):
    """One item that one rater has open: an answer, or a pair of answers of which one stands left."""

    name: str  # its id in the queue: that of the answer; that of a pair tells nothing of the versions
    is_repeat: bool  # whether it is a hidden repeat, which the rater is not told, with the sides exchanged
    showing: str  # stands for this item as this rater has it open now; its form sends it back
    item: Sample | AnswerPair
    is_first_left: bool = True  # whether the answer of the pair's first version stands left

    @property
    def sample(self) -> Sample:
        """The answer to rate."""
        assert isinstance(self.item, Sample)
        return self.item

    @property
    def pair(self) -> AnswerPair:
        """The answers to compare."""
        assert isinstance(self.item, AnswerPair)
        return self.item

    @property
    def sides(self) -> tuple[Sample, Sample]:
        """The answer on the left and the one on the right, without what tells their versions."""
        first, second = self.pair.blind_answers()
        return (first, second) if self.is_first_left else (second, first)


class RatingQueue:
    """What raters work through, who has which item, and what they said so far, in a store's database.

    An item is one answer to rate, or two answers to compare; a choice between two is kept as a rating from -1 to 1 (see
    `Judgement`). Every change is one transaction that serialises with all others of the queue, in SQLite and in
    PostgreSQL: a process killed at any moment loses no rating that was confirmed, and no two raters take the last place
    of one item.

    Raises:
        UsageError: There is no such queue.
    """

    def __init__(self, database: Database, queue: str, clock: Callable[[], float] = time.time) -> None:
        self._db = database
        self._clock = clock
        row = database.execute("SELECT settings, source, about FROM rating_queues WHERE id = ?", (queue,)).fetchone()
        if row is None:
            known = ", ".join(queue_ids(database)) or "none yet"
            raise UsageError(f"no rating queue is called {queue!r} in {database.name}; there are {known}")
        self.id = queue
        self.settings = QueueSettings.model_validate_json(row[0])
        self.source = str(row[1])
        self._about = str(row[2])
        self.has_pairs = self._about != ""  # whether its items are two answers to compare

    @classmethod
    def create(
        cls,
        database: Database,
        items: Sequence[Sample] | Sequence[AnswerPair],
        settings: QueueSettings,
        *,
        source: str,
        guideline: str = "",
        comparison: PairComparison | None = None,
        conversations: Iterable[Sample] = (),
        clock: Callable[[], float] = time.time,
    ) -> "RatingQueue":
        """Makes a queue of answers, or of pairs of answers.

        Args:
            items: What is to be rated or compared, the first to come first.
            settings: Raters, scale, repeats; the scale of pairs is -1 to 1.
            source: The set, run or versions that the answers come from, for people.
            guideline: The raters' guideline (Markdown), the first series.
            comparison: What is compared, where the items are pairs.
            conversations: Those that turns among the items are of, whose messages then stand in the store once.
            clock: Seconds since the epoch.

        Raises:
            UsageError: There is nothing to rate or to compare, or two samples share an id.
        """
        now = datetime.fromtimestamp(clock(), UTC)
        queue = f"rating-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        if not items:
            nothing = "is no answer to rate" if comparison is None else _NO_PAIR
            raise UsageError(f"{source}: there {nothing}")
        names = [item.id if isinstance(item, Sample) else f"pair-{place}" for place, item in enumerate(items, 1)]
        if len(set(names)) < len(names):
            raise UsageError(f"{source}: two samples have one id; make their ids differ")
        about = "" if comparison is None else comparison.model_dump_json()
        row = queue, now.isoformat(), source, settings.model_dump_json(), secrets.token_hex(32), about
        with database.transaction():
            database.execute(
                "INSERT INTO rating_queues (id, created, source, settings, secret, series, changes, about) "
                "VALUES (?, ?, ?, ?, ?, 1, 0, ?)",
                row,
            )
            database.execute("INSERT INTO rating_guidelines VALUES (?, 1, ?, ?)", (queue, now.isoformat(), guideline))
            put_items(database, [(queue, name, place) for place, name in enumerate(names)], items, conversations)
        return cls(database, queue, clock)

    @property
    def comparison(self) -> PairComparison:
        """What is compared, in a queue of pairs."""
        return PairComparison.model_validate_json(self._about)

    def _value(self, sql: str, *values: Any) -> Any:
        """The first value that a statement gives; None where it gives none."""
        row = self._db.execute(sql, values).fetchone()
        return None if row is None else row[0]

    @property
    def series(self) -> int:
        """The number of the present series, from 1; each text of the guideline has its own."""
        return int(self._value("SELECT series FROM rating_queues WHERE id = ?", self.id))

    @property
    def guideline(self) -> str:
        """The guideline of the present series (Markdown)."""
        sql = "SELECT guideline FROM rating_guidelines WHERE queue = ? AND series = ?"
        return str(self._value(sql, self.id, self.series))

    def state(self) -> tuple[tuple[str, int], ...]:
        """What `rating_state` says: an answer's rating may come from another queue than this one."""
        return rating_state(self._db)

    def change_guideline(self, guideline: str) -> int:
        """Goes on with the series of this guideline, else begins one, and gives its number.

        The ratings so far are kept in their series; the same text again changes nothing.
        """
        with self._changing() as present:
            if guideline == self.guideline:
                return present
            now = datetime.fromtimestamp(self._clock(), UTC).isoformat()
            series_of = "coalesce(max(CASE WHEN guideline = ? THEN series END), max(series) + 1)"
            sql = f"SELECT {series_of} FROM rating_guidelines WHERE queue = ?"
            series = int(self._value(sql, guideline, self.id))
            self._db.execute(
                "INSERT INTO rating_guidelines VALUES (?, ?, ?, ?) "
                "ON CONFLICT (queue, series) DO UPDATE SET created = excluded.created",
                (self.id, series, now, guideline),
            )
            self._db.execute("UPDATE rating_queues SET series = ? WHERE id = ?", (series, self.id))
            self._db.execute("UPDATE rating_items SET ratings = 0, is_complete = 0 WHERE queue = ?", (self.id,))
            for item, ratings in self.ratings_by_item(series).items():
                self._count(item, len(ratings))
            self._db.execute("DELETE FROM rating_locks WHERE queue = ?", (self.id,))
            return series

    def renew_secret(self) -> None:
        """Makes a new secret: all links and sessions of the queue so far end."""
        with self._changing():
            self._db.execute("UPDATE rating_queues SET secret = ? WHERE id = ?", (secrets.token_hex(32), self.id))

    def next_item(self, rater: str) -> OpenItem | None:
        """Returns the rater's open item, else locks the next one for the rater; None when none is left.

        Raises:
            UsageError: The queue has no such rater.
        """
        self._check_rater(rater)
        with self._changing() as series:
            now = self._clock()
            held = [lock for lock in self._open_lock(rater) if self._has_place(rater, *lock, now)]
            chosen = held[0] if held else self._choose(rater, series, now)
            if chosen is None:
                self._unlock(rater)
                return None
            self._lock(rater, *chosen, now)
            return self._open(rater, series, *chosen)

    def _open(self, rater: str, series: int, name: str, is_repeat: bool) -> OpenItem:
        showing = self._showing(rater, series, name, is_repeat)
        is_first_left = not self.has_pairs or self._is_first_left(rater, name, is_repeat)
        return OpenItem(name, is_repeat, showing, self.item(name), is_first_left)

    def save(
        self,
        rater: str,
        item: str,
        said: float | Side | None,
        *,
        reason: str = "",
        wrong_sentences: Sequence[str] = (),
        showing: str | None = None,
    ) -> bool:
        """Keeps what a rater says of the item that the rater has open.

        The same form sent twice is kept once, also where the item is open again as a hidden repeat. What comes after
        its lock went to somebody else is kept too: work is never thrown away, the item then has one rating more than
        asked for.

        Args:
            rater: Who rates.
            said: A level of the scale, or the better side of a pair; None for "can't tell".
            reason: Why, in a sentence.
            wrong_sentences: Sentences of the answer that the rater marked as wrong.
            showing: That of the open item; None takes it for the present one.

        Returns:
            Whether it was new: False for one that is there already.

        Raises:
            UsageError: The value is not on the scale, the rater is unknown, or the item is not open for the rater.
        """
        self._check_rater(rater)
        with self._changing() as series:
            now = self._clock()
            lock = self._db.execute(
                "SELECT is_repeat, began FROM rating_locks WHERE queue = ? AND rater = ? AND sample = ?",
                (self.id, rater, item),
            ).fetchone()
            if lock is None or (showing is not None and showing != self._showing(rater, series, item, bool(lock[0]))):
                if any(item == judged for judged, _ in self._judged(rater, series)):
                    return False
                raise UsageError(f"{rater} does not have the answer {item!r} open; load the page again")
            is_repeat, began = bool(lock[0]), float(lock[1])
            value, shown_first = self._read_said(rater, item, said, is_repeat=is_repeat)
            number = self._value("SELECT coalesce(max(number), 0) + 1 FROM ratings WHERE queue = ?", self.id)
            wrong = json.dumps(list(wrong_sentences), ensure_ascii=False)
            times = max(0.0, now - began), datetime.fromtimestamp(now, UTC).isoformat()
            columns = self.id, series, rater, item, int(is_repeat), number, value, reason, wrong, *times, shown_first
            self._db.execute(
                "INSERT INTO ratings (queue, series, rater, sample, is_repeat, number, value, reason, wrong_sentences, "
                "seconds, rated_at, shown_first) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                columns,
            )
            self._unlock(rater)
            if not is_repeat:
                self._count(item, +1)
            return True

    def _read_said(
        self, rater: str, item: str, said: float | Side | None, *, is_repeat: bool
    ) -> tuple[float | None, str | None]:
        """The value that is kept, and of a pair the version that stood left."""
        if self.has_pairs:
            asked, is_first_left = self.question(item), self._is_first_left(rater, item, is_repeat)
            value = None if said is None else _LEFT_FIRST[said] * (1 if is_first_left else -1) + 0.0
            return value, asked.first if is_first_left else asked.second
        if said is None:
            return None, None
        self._check_value(float(said))
        return float(said), None

    def _judged(self, rater: str, series: int) -> list[tuple[str, bool]]:
        """What a rater judged in a series, in that order: the item's id, and whether it was a hidden repeat."""
        sql = "SELECT sample, is_repeat FROM ratings WHERE queue = ? AND series = ? AND rater = ? ORDER BY number"
        return [(str(item), bool(is_repeat)) for item, is_repeat in self._db.execute(sql, (self.id, series, rater))]

    def _open_lock(self, rater: str) -> list[tuple[str, bool]]:
        """The item that a rater has open, if any, as `_judged` has them."""
        sql = "SELECT sample, is_repeat FROM rating_locks WHERE queue = ? AND rater = ?"
        return [(str(item), bool(is_repeat)) for item, is_repeat in self._db.execute(sql, (self.id, rater))]

    def shown_item(self, rater: str, showing: str) -> str:
        """The id of the item that a form is of: one that the rater has open, or rated in this series.

        Pages name an item by its `OpenItem.showing` alone, since its id would tell a hidden repeat.
        """
        self._check_rater(rater)
        series = self.series
        for item, is_repeat in (*self._open_lock(rater), *reversed(self._judged(rater, series))):
            if showing == self._showing(rater, series, item, is_repeat):
                return item
        raise UsageError(f"{rater} does not have this open any more; load the page again")

    def undo(self, rater: str) -> OpenItem | None:
        """Takes back the rater's last rating of this series and opens that item again; None when there is none."""
        self._check_rater(rater)
        with self._changing() as series:
            judged = self._judged(rater, series)
            if not judged:
                return None
            item, is_repeat = judged[-1]
            self._db.execute(
                "DELETE FROM ratings WHERE queue = ? AND series = ? AND rater = ? AND sample = ? AND is_repeat = ?",
                (self.id, series, rater, item, int(is_repeat)),
            )
            if not is_repeat:
                self._count(item, -1)
            self._lock(rater, item, is_repeat, self._clock())
            return self._open(rater, series, item, is_repeat)

    def _showing(self, rater: str, series: int, item: str, is_repeat: bool) -> str:
        """Stands for an item as a rater sees it; nobody can tell a hidden repeat by it."""
        secret = read_queue_secret(self._db, self.id) or ""
        content = json.dumps([rater, series, item, is_repeat]).encode()
        return hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()[:16]

    def adjudicate(self, sample: str, value: float, reason: str = "") -> None:
        """Keeps the rating that the team agreed on; a later one replaces it."""
        self._check_value(value)
        with self._changing() as series:
            self._row(sample)
            now = datetime.fromtimestamp(self._clock(), UTC).isoformat()
            self._db.execute(
                "INSERT INTO rating_adjudications VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (queue, series, sample) "
                "DO UPDATE SET value = excluded.value, reason = excluded.reason, "
                "adjudicated_at = excluded.adjudicated_at",
                (self.id, series, sample, value, reason, now),
            )

    def ratings(self, series: int | None = None) -> list[Judgement]:
        """What people said in a series (the present one if not given), in the order in which they said it."""
        of_series = self.id, self.series if series is None else series
        return list(read_judgements(self._db, "rating.queue = ? AND rating.series = ?", of_series))

    def ratings_by_item(self, series: int | None = None, *, has_unsure: bool = True) -> dict[str, list[Judgement]]:
        """The ratings of a series by item, without hidden repeats, and without "can't tell" unless it `has_unsure`."""
        by_item: dict[str, list[Judgement]] = {}
        for rating in self.ratings(series):
            if not rating.is_repeat and (has_unsure or rating.value is not None):
                by_item.setdefault(rating.sample, []).append(rating)
        return by_item

    def adjudications(self, series: int | None = None) -> dict[str, tuple[float, str]]:
        """What the team agreed on in a series (the present one if not given), and why, by the answer's id."""
        sql = "SELECT sample, value, reason FROM rating_adjudications WHERE queue = ? AND series = ?"
        rows = self._db.execute(sql, (self.id, self.series if series is None else series))
        return {str(sample): (float(value), str(reason)) for sample, value, reason in rows}

    def add(self, sample: Sample) -> bool:
        """Adds an answer at the end of a queue of answers.

        Returns:
            Whether it is new: False for an answer that is in the queue already.

        Raises:
            UsageError: The queue has another answer with this id, or pairs.
        """
        if self.has_pairs:
            raise UsageError(f"{self.id} has pairs to compare, not answers to rate")
        with self._changing():
            sql = "SELECT fingerprint FROM rating_items WHERE queue = ? AND sample = ?"
            fingerprint = self._value(sql, self.id, sample.id)
            if fingerprint is not None:
                if fingerprint != sample.fingerprint:
                    raise UsageError(f"the rating queue {self.id} has another answer with the id {sample.id!r}")
                return False
            place = self._value("SELECT coalesce(max(place), -1) + 1 FROM rating_items WHERE queue = ?", self.id)
            put_items(self._db, [(self.id, sample.id, int(place))], [sample])
            return True

    def samples(self, only: Collection[str] | None = None) -> Iterator[Sample]:
        """The answers in the order in which they are rated; with `only`, those that have these ids."""
        reader = ContentReader(self._db)
        rows = self._db.execute(f"{_ITEMS} ORDER BY place", (self.id,))
        for name, content, *_ in rows:  # one by one: together they may be larger than the memory
            if only is None or name in only:
                yield reader.read(content)

    def item(self, name: str) -> Sample | AnswerPair:
        """One item of the queue. Raises `UsageError` for an id that it does not have."""
        _, content, other_content, about = self._row(name)
        reader = ContentReader(self._db)
        if not self.has_pairs:
            return reader.read(content)
        answers = reader.read(content), reader.read(other_content)
        return AnswerPair(**PairedQuestion.model_validate_json(about).model_dump(), answers=answers)

    def sample(self, name: str) -> Sample:
        """One answer of a queue of answers."""
        return OpenItem(name, False, "", self.item(name)).sample

    def pair(self, name: str) -> AnswerPair:
        """One pair of a queue of pairs."""
        return OpenItem(name, False, "", self.item(name)).pair

    def question(self, name: str) -> PairedQuestion:
        """The question and the versions of a pair, without the answers, which take longer to read."""
        return PairedQuestion.model_validate_json(self._row(name)[-1])

    def names(self) -> list[str]:
        """The ids of the items, in the order in which they are rated."""
        rows = self._db.execute("SELECT sample FROM rating_items WHERE queue = ? ORDER BY place", (self.id,))
        return [str(name) for (name,) in rows]

    def counts(self) -> tuple[int, int]:
        """How many ratings the present series has (hidden repeats aside), and how many are asked for."""
        done, items = self._db.execute(
            "SELECT coalesce(sum(ratings), 0), count(*) FROM rating_items WHERE queue = ?", (self.id,)
        ).fetchone()
        return int(done), int(items) * self.settings.per_answer

    def other_series(self) -> list[str]:
        """What other series than the present have and does not count, each in a sentence."""
        sql = "SELECT series, count(*) FROM ratings WHERE queue = ? AND series <> ? AND is_repeat = 0 GROUP BY series"
        noun = "choice" if self.has_pairs else "rating"
        rows = sorted(self._db.execute(sql, (self.id, self.series)))
        return [describe_left_out(count, noun, self.id, series) for series, count in rows]

    def others(self) -> "list[RatingQueue]":
        """The other queues of the same answers of the source that have ratings, the newest first."""
        names = queue_ids(self._db, has_pairs=self.has_pairs, source=self.source)
        others = [RatingQueue(self._db, name) for name in names if name != self.id]
        return [other for other in others if other.settings.turns == self.settings.turns and other.counts()[0]]

    def count_rated(self, rater: str) -> int:
        """How many answers the rater has rated in the present series, hidden repeats included."""
        return len(self._judged(rater, self.series))

    @contextmanager
    def _changing(self) -> Iterator[int]:
        """Opens a transaction that excludes other changes of this queue; yields the present series."""
        with self._db.transaction():
            # the write comes first: PostgreSQL then holds the row's lock, SQLite the file's, until the end
            self._db.execute("UPDATE rating_queues SET changes = changes + 1 WHERE id = ?", (self.id,))
            yield self.series

    def _choose(self, rater: str, series: int, now: float) -> tuple[str, bool] | None:
        # the first item that needs another rating, counting those that others have open
        fresh = self._value(
            "SELECT sample FROM rating_items AS item WHERE queue = ? AND is_complete = 0 AND NOT EXISTS ("
            "SELECT 1 FROM ratings WHERE ratings.queue = item.queue AND ratings.series = ? "
            f"AND ratings.rater = ? AND ratings.sample = item.sample) AND item.ratings + {_HELD_BY_OTHERS} < ? "
            "ORDER BY place LIMIT 1",
            *(self.id, series, rater, now, rater, self.settings.per_answer),
        )
        due = self._due_repeat(rater, series, is_last_chance=fresh is None)
        if due is not None:
            return due, True
        return None if fresh is None else (str(fresh), False)

    def _due_repeat(self, rater: str, series: int, *, is_last_chance: bool) -> str | None:
        """Returns the item that this rater has to rate a second time now, or None.

        Which items come back is drawn by the seed, once: it does not depend on how often the page is loaded.
        """
        judged = self._judged(rater, series)
        repeated = {item for item, is_repeat in judged if is_repeat}
        rated = [item for item, is_repeat in judged if not is_repeat]
        for place, item in enumerate(rated):
            is_far = len(rated) - place > _REPEAT_DISTANCE or is_last_chance
            if is_far and item not in repeated and self._comes_back(rater, series, item):
                return item
        return None

    def _comes_back(self, rater: str, series: int, sample: str) -> bool:
        draw = random.Random(f"{self.settings.seed} {series} {rater} {sample}")
        return draw.random() < self.settings.repeat_share

    def _is_first_left(self, rater: str, pair: str, is_repeat: bool) -> bool:
        """Draws the sides, once per rater and pair; a hidden repeat exchanges them, which shows who clicks one side.

        Every queue draws anew: whoever has learnt the sides of one knows nothing of the next.
        """
        draw = random.Random(f"side {self.id} {self.settings.seed} {rater} {pair}")
        return (draw.random() < 0.5) is not is_repeat

    def _has_place(self, rater: str, item: str, is_repeat: bool, now: float) -> bool:
        """Whether an item that the rater opened earlier is still theirs."""
        sql = f"SELECT ratings + {_HELD_BY_OTHERS} FROM rating_items AS item WHERE queue = ? AND sample = ?"
        return is_repeat or int(self._value(sql, now, rater, self.id, item)) < self.settings.per_answer

    def _unlock(self, rater: str) -> None:
        self._db.execute("DELETE FROM rating_locks WHERE queue = ? AND rater = ?", (self.id, rater))

    def _lock(self, rater: str, sample: str, is_repeat: bool, now: float) -> None:
        self._db.execute(
            "INSERT INTO rating_locks VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (queue, rater) DO UPDATE SET "
            # a page loaded again does not start the rater's time anew
            "began = CASE WHEN rating_locks.sample = excluded.sample THEN rating_locks.began ELSE excluded.began END, "
            "sample = excluded.sample, is_repeat = excluded.is_repeat, expires = excluded.expires",
            (self.id, rater, sample, int(is_repeat), now, now + self.settings.lock_seconds),
        )

    def _count(self, sample: str, change: int) -> None:
        self._db.execute(
            "UPDATE rating_items SET ratings = ratings + ?, "
            "is_complete = CASE WHEN ratings + ? >= ? THEN 1 ELSE 0 END WHERE queue = ? AND sample = ?",
            (change, change, self.settings.per_answer, self.id, sample),
        )

    def _row(self, name: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] | None = self._db.execute(f"{_ITEMS} AND item.sample = ?", (self.id, name)).fetchone()
        if row is None:
            raise UsageError(f"the rating queue {self.id} has no answer {name!r}")
        return row

    def _check_rater(self, rater: str) -> None:
        if rater not in self.settings.raters:
            raise UsageError(f"no rater is called {rater!r}; the raters are {', '.join(self.settings.raters)}")

    def _check_value(self, value: float) -> None:
        low, high = self.settings.rating_min, self.settings.rating_max
        if not (low <= value <= high and value == int(value)):
            raise UsageError(f"the rating {value:g} is not a level of the scale {low}-{high}")


def read_queue_secret(database: Database, queue: str) -> str | None:
    """The present secret of a queue's links and sessions; None where the queue is gone."""
    row = database.execute("SELECT secret FROM rating_queues WHERE id = ?", (queue,)).fetchone()
    return None if row is None else str(row[0])


def put_items(
    database: Database,
    places: Sequence[tuple[str, str, int]],
    items: Sequence[Sample] | Sequence[AnswerPair],
    conversations: Iterable[Sample] = (),
) -> None:
    """Writes items of queues, in a transaction that is open: (queue, id, place) of each, and their answers."""
    answers = [item.answers if isinstance(item, AnswerPair) else (item,) for item in items]
    keys = iter(keep_samples(database, [sample for each in answers for sample in each], conversations))
    rows = []
    for place, item, each in zip(places, items, answers, strict=True):
        columns = [column for sample in each for column in (next(keys), sample.fingerprint)]
        about = item.model_dump_json(exclude={"answers"}) if isinstance(item, AnswerPair) else ""
        rows.append((*place, *columns, *([] if len(each) > 1 else ["", ""]), about))
    database.executemany(
        "INSERT INTO rating_items (queue, sample, place, content, fingerprint, other_content, other_fingerprint, "
        "about, ratings, is_complete) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0)",
        rows,
    )
