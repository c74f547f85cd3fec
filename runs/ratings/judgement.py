"""What people said, in which queues: one type for a rating and for a choice between two, and one way to read it."""

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...text.wording import count_of, verb_of
from ...value_messages import join_words
from ..store.database import Database

RatedTurns = Literal["none", "each"]
_FINGERPRINTS_AT_ONCE = 10_000  # of one question to the database
_COLUMNS = (
    "rating.queue, rater, rating.sample, item.fingerprint, rating.series, is_repeat, number, value, reason, "
    "wrong_sentences, seconds, rated_at, shown_first"
)


class QueueSettings(BaseModel):
    """How a queue is worked through.

    Attributes:
        per_answer: How many raters rate each answer.
        repeat_share: Share of a rater's answers that come back once, unmarked, in [0, 0.5].
        lock_seconds: How long an answer is kept for the rater who has it open.
        seed: Seed of the hidden repeats.
        choose: How Assay 0.2 chose the order of the answers; today it is random.
        turns: What of a conversation is rated: `none` of its turns but the whole, or `each` of its answers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    raters: tuple[str, ...] = Field(min_length=1)
    per_answer: int = Field(default=2, ge=1)
    rating_min: int = 1
    rating_max: int = 5
    repeat_share: float = Field(default=0.05, ge=0, le=0.5)
    lock_seconds: float = Field(default=900, gt=0)
    seed: int = 0
    choose: str = "random"
    turns: RatedTurns = "none"

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest level."""
        return float(self.rating_min), float(self.rating_max)

    @model_validator(mode="after")
    def _consistent(self) -> "QueueSettings":
        if len(set(self.raters)) < len(self.raters):
            raise ValueError("two raters have the same name; give each their own")
        if self.per_answer > len(self.raters):
            raise ValueError(
                f"each answer is to be rated by {count_of(self.per_answer, 'rater')}, but there are "
                f"{len(self.raters)}; "
                "name more raters or lower per_answer"
            )
        if self.rating_min >= self.rating_max:
            raise ValueError(f"the scale {self.rating_min}-{self.rating_max} has no two levels; write it as 1-5")
        return self


class AnswerQueue(NamedTuple):
    """How the answers of a queue are rated at present."""

    settings: QueueSettings
    guideline: str
    series: int


def read_answer_queues(database: Database) -> dict[str, AnswerQueue]:
    """The queues of answers by their ids, the one first whose present guideline was given last."""
    rows = database.execute(
        "SELECT queue.id, settings, guideline, queue.series FROM rating_queues AS queue "
        "JOIN rating_guidelines AS present ON present.queue = queue.id AND present.series = queue.series "
        "WHERE queue.about = '' ORDER BY present.created DESC, queue.created DESC, queue.id DESC"
    )
    return {
        str(queue): AnswerQueue(QueueSettings.model_validate_json(settings), str(guideline), int(series))
        for queue, settings, guideline, series in rows
    }


def rating_state(database: Database) -> tuple[tuple[str, int], ...]:
    """The queues with the numbers of their changes: what depends on the ratings of a store holds while this does."""
    rows = database.execute("SELECT id, changes FROM rating_queues ORDER BY id")
    return tuple((str(name), int(changes)) for name, changes in rows)


def queue_ids(database: Database, *, has_pairs: bool | None = None, source: str | None = None) -> list[str]:
    """The ids of the rating queues, the newest first: of answers or of pairs, and of one source."""
    kind = "1 = 1" if has_pairs is None else "about <> ''" if has_pairs else "about = ''"
    sql = f"SELECT id FROM rating_queues WHERE {kind} AND source = coalesce(?, source) ORDER BY created DESC, id DESC"
    return [str(queue) for (queue,) in database.execute(sql, (source,))]


def describe_left_out(count: int, noun: str, queue: str, series: int) -> str:
    """Says that what a series has does not count at present, and how it is used all the same."""
    export = join_words("assay", "rate", "export", queue, "--series", str(series), "--out", "rated.jsonl")
    return (
        f"{count_of(count, noun)} of series {series} of {queue} {verb_of(count, 'is', 'are')} left out, since the "
        f"guideline was another then (put its text back, or export what was rated: {export})"
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
        condition = f"item.other_fingerprint = '' AND item.fingerprint IN ({', '.join('?' * len(part))})"
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
