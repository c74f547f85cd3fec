"""What people said: one type for the rating of an answer and for the choice between two, and one way to read it."""

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from ..store.database import Database

_FINGERPRINTS_AT_ONCE = 10_000  # of one question to the database
_COLUMNS = (
    "rating.queue, rater, rating.sample, item.fingerprint, rating.series, is_repeat, number, value, reason, "
    "wrong_sentences, seconds, rated_at, shown_first"
)


class Judgement(NamedTuple):
    """One rater's rating of an answer, or choice between two.

    `value` is None for "can't tell"; of a choice it is 1 where the pair's second answer is better, -1 where its first
    is, and 0 for a tie. `wrong_sentences` are texts of the answer marked as wrong.
    """

    queue: str
    rater: str
    sample: str  # the item's id in its queue
    fingerprint: str  # of the answer, or of the first of two
    series: int
    is_repeat: bool
    number: int
    value: float | None
    reason: str
    wrong_sentences: tuple[str, ...]
    seconds: float
    rated_at: str
    shown_first: str | None  # the version whose answer stood first (left), where two were compared


def read_judgements(database: Database, condition: str, values: Sequence[Any]) -> Iterator[Judgement]:
    """The judgements of a store that meet a condition on `rating`, its `item` and its `queue`: the newest queue first.

    Of one queue the newest series comes first, in the order in which people judged.
    """
    rows = database.execute(
        f"SELECT {_COLUMNS} FROM ratings AS rating JOIN rating_queues AS queue ON queue.id = rating.queue "
        "JOIN rating_items AS item ON item.queue = rating.queue AND item.sample = rating.sample "
        f"WHERE {condition} ORDER BY queue.created DESC, queue.id DESC, rating.series DESC, number",
        values,
    )
    for *first, is_repeat, number, value, reason, wrong, seconds, rated_at, shown_first in rows:
        marked = tuple(json.loads(wrong))
        columns = *first, bool(is_repeat), number, value, reason, marked, seconds, rated_at, shown_first
        yield Judgement._make(columns)


def find_judgements(database: Database, fingerprints: Collection[str]) -> list[Judgement]:
    """The ratings that people gave answers with these fingerprints in a store, of all series, with hidden repeats."""
    names, judgements = list(dict.fromkeys(fingerprints)), list[Judgement]()
    if database.execute("SELECT 1 FROM ratings LIMIT 1").fetchone() is None:
        return []
    for start in range(0, len(names), _FINGERPRINTS_AT_ONCE):
        part = names[start : start + _FINGERPRINTS_AT_ONCE]
        condition = f"queue.kind = 'answers' AND item.fingerprint IN ({', '.join('?' * len(part))})"
        judgements += read_judgements(database, condition, part)
    return judgements


def read_adjudications(database: Database) -> list[tuple[str, str, str, float]]:
    """What teams agreed on in the present series: the queue, the item, its fingerprint and the value."""
    rows = database.execute(
        "SELECT agreed.queue, agreed.sample, item.fingerprint, agreed.value FROM rating_adjudications AS agreed "
        "JOIN rating_queues AS queue ON queue.id = agreed.queue AND queue.series = agreed.series "
        "JOIN rating_items AS item ON item.queue = agreed.queue AND item.sample = agreed.sample"
    )
    return [(str(queue), str(item), str(fingerprint), float(value)) for queue, item, fingerprint, value in rows]
