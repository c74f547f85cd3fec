"""The queue of answers to rate."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pydantic_core import from_json, to_json

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.message import Message
from ...eval_sets.turns import is_turn
from ..store.database import Database
from .item_queue import ItemQueue, Judgement, QueueItem, QueueSettings

_KEPT_AT, _COUNT = "messages_at", "message_count"
_START = f'{{"{_KEPT_AT}":'


class Assignment(NamedTuple):
    """One answer that one rater has open: `is_repeat` and `showing` as in `OpenItem`."""

    sample: Sample
    is_repeat: bool
    showing: str = ""


class RatingQueue(ItemQueue):
    """The answers to rate, who has which, and the ratings so far, in a store's database; see `ItemQueue`."""

    kind = "answers"

    @classmethod
    def create(
        cls,
        database: Database,
        samples: Sequence[Sample],
        settings: QueueSettings,
        *,
        source: str,
        guideline: str = "",
        clock: Callable[[], float] = time.time,
    ) -> "RatingQueue":
        """Makes a queue of the samples, in the order in which they are to be rated.

        Args:
            database: The store's database.
            samples: The answers, the first to be rated first.
            settings: Raters, scale, repeats.
            source: The set or run that the answers come from, for people.
            guideline: The raters' guideline (Markdown), the first series.
            clock: Seconds since the epoch.

        Raises:
            UsageError: There is no answer to rate, or two samples share an id.
        """
        if not samples:
            raise UsageError(f"{source}: there is no answer to rate")
        if len({sample.id for sample in samples}) < len(samples):
            raise UsageError(f"{source}: two samples have one id; make their ids differ")
        contents = write_contents(samples)
        items = [QueueItem(sample.id, content) for sample, content in zip(samples, contents, strict=True)]
        return cls._create(database, items, settings, source=source, guideline=guideline, clock=clock)

    def next_answer(self, rater: str) -> Assignment | None:
        """Returns the rater's open answer, else locks the next one for the rater; None when none is left.

        Raises:
            UsageError: The queue has no such rater.
        """
        item = self._next_item(rater)
        return None if item is None else Assignment(self.sample(item.name), item.is_repeat, item.showing)

    def save(
        self,
        rater: str,
        sample: str,
        value: float | None,
        *,
        reason: str = "",
        wrong_sentences: Sequence[str] = (),
        showing: str | None = None,
    ) -> bool:
        """Keeps a rating of the answer that the rater has open; see `ItemQueue` for what comes twice or late.

        Args:
            rater: Who rates.
            sample: The answer's id.
            value: A level of the scale; None for "can't tell".
            reason: Why, in a sentence.
            wrong_sentences: Sentences of the answer that the rater marked as wrong.
            showing: That of the assignment; None takes it for the present one.

        Returns:
            Whether it was new: False for one that is there already.

        Raises:
            UsageError: The value is not on the scale, the rater is unknown, or the answer is not open for the rater.
        """
        rating = Judgement(value, reason, wrong_sentences)
        return self._save(rater, sample, lambda _: rating, showing)

    def add(self, sample: Sample) -> bool:
        """Adds an answer at the end of the queue.

        Returns:
            Whether it is new: False for an answer that is in the queue already.

        Raises:
            UsageError: The queue has another answer with this id.
        """
        with self._changing():
            content = self._find_content(sample.id)
            if content is not None:
                known = self._reader().read(content)
                if not known.is_same_answer(sample):
                    raise UsageError(f"the rating queue {self.id} has another answer with the id {sample.id!r}")
                return False
            self._db.execute(
                "INSERT INTO rating_items SELECT ?, ?, coalesce(max(place), -1) + 1, NULL, 0, 0, ? "
                "FROM rating_items WHERE queue = ?",
                (self.id, sample.id, sample.model_dump_json(), self.id),
            )
            return True

    def samples(
        self, only: Collection[str] | None = None, known: Mapping[str, Sample] = MappingProxyType({})
    ) -> Iterator[Sample]:
        """The answers in the order in which they are rated.

        Args:
            only: The ids of those that are read; None for all.
            known: Answers by id that were read already: those of the queue that are the same are not read again.
        """
        rows = self._db.execute("SELECT sample, content FROM rating_items WHERE queue = ? ORDER BY place", (self.id,))
        reader = self._reader()
        for name, content in rows:  # one by one: together they may be larger than the memory
            if only is None or name in only:
                sample = known.get(name)
                is_known = sample is not None and sample.model_dump_json() == content
                yield sample if sample is not None and is_known else reader.read(content)

    def sample(self, sample: str) -> Sample:
        """One answer of the queue. Raises `UsageError` for an id that it does not have."""
        return self._reader().read(self._content(sample))

    def _reader(self) -> "QueueContentReader":
        return QueueContentReader(self._content)


def write_contents(samples: Sequence[Sample]) -> list[str]:
    """Writes the answers of a queue as JSON, so that n turns of a conversation take the room of one.

    A turn whose messages are the first of those of the longest turn of its conversation has their number only.
    """
    longest: dict[str, Sample] = {}
    for sample in filter(is_turn, samples):
        conversation = str(sample.metadata["conversation"])
        if len(longest.setdefault(conversation, sample).messages) < len(sample.messages):
            longest[conversation] = sample
    return [_write(sample, longest.get(str(sample.metadata.get("conversation")))) for sample in samples]


def _write(sample: Sample, keeper: Sample | None) -> str:
    count = len(sample.messages)
    if keeper is None or keeper is sample or not is_turn(sample) or keeper.messages[:count] != sample.messages:
        return sample.model_dump_json()
    reference = to_json({_KEPT_AT: keeper.id, _COUNT: count}).decode()
    return f"{reference[:-1]},{sample.model_dump_json(exclude={'messages'})[1:]}"


class QueueContentReader:
    """Reads what `write_contents` wrote."""

    def __init__(self, find: Callable[[str], str]) -> None:
        self._find = find
        self._messages: dict[str, tuple[Message, ...]] = {}

    def read(self, content: str) -> Sample:
        """Reads an answer, with all its messages.

        Raises:
            ValueError: The content is damaged.
        """
        if not content.startswith(_START):
            return Sample.model_validate_json(content)
        fields = from_json(content)
        keeper, count = fields.pop(_KEPT_AT), fields.pop(_COUNT)
        if keeper not in self._messages:
            self._messages[keeper] = Sample.model_validate_json(self._find(keeper)).messages
        return Sample.model_validate(fields).model_copy(update={"messages": self._messages[keeper][:count]})
