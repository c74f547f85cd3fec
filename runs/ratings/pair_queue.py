"""The queue of pairs of answers to compare: which side a version stands on is drawn, and kept with the choice."""

import random
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.opening_question import count_turns
from ..store.database import Database
from .answer_pair import AnswerPair, PairedQuestion, Side
from .item_queue import ItemQueue, Judgement, QueueItem, QueueSettings, read_queue_kind
from .rating_queue import RatingQueue

_LEFT_FIRST: dict[Side, float] = {"left": -1.0, "same": 0.0, "right": 1.0}  # the value where the first stands left


class ComparedVersion(BaseModel):
    """A version of a queue."""

    model_config = ConfigDict(frozen=True)

    name: str
    source: str  # the id of its run, or the name of its set
    # the field of metadata that tells the versions of one source apart; "" where the source is one version
    field: str = ""


class PairComparison(BaseModel):
    """What a queue of pairs compares."""

    model_config = ConfigDict(frozen=True)

    versions: tuple[ComparedVersion, ...]  # the versions; the first is the one in use today
    # questions to which two versions gave the same answer, each with its place among those of the queue: ties that
    # nobody is asked about
    same: tuple[tuple[int, PairedQuestion], ...] = ()


class PairAssignment(NamedTuple):
    """Two answers that one rater has open, and which of them stands left."""

    name: str  # the pair's id in the queue, which tells nothing of the versions
    pair: AnswerPair
    is_first_left: bool  # whether the answer of the pair's first version stands left
    is_repeat: bool  # whether it is a hidden repeat, in which the sides are exchanged
    showing: str  # as in `OpenItem`

    @property
    def is_of_turns(self) -> bool:
        """Whether the last answers of the two conversations are compared, and not the whole conversations."""
        return not any(map(count_turns, self.pair.answers))

    @property
    def sides(self) -> tuple[Sample, Sample]:
        """The answer on the left and the one on the right, without what tells their versions."""
        first, second = self.pair.blind_answers()
        return (first, second) if self.is_first_left else (second, first)


class PairQueue(ItemQueue):
    """The pairs of answers to compare, who has which, and the choices so far; see `ItemQueue`.

    A choice is kept as a rating from -1 to 1: 1 where the pair's second answer is better, -1 where its first is, 0 for
    a tie, None for "can't tell".
    """

    kind = "pairs"

    @classmethod
    def create(
        cls,
        database: Database,
        pairs: Sequence[AnswerPair],
        settings: QueueSettings,
        *,
        comparison: PairComparison,
        source: str,
        guideline: str = "",
        clock: Callable[[], float] = time.time,
    ) -> "PairQueue":
        """Makes a queue of pairs, in the order in which they are to be compared.

        Args:
            database: The store's database.
            pairs: The pairs, the first to be compared first.
            settings: Raters, repeats, seed; the scale is -1 to 1.
            comparison: What is compared.
            source: The versions, for people.
            guideline: The raters' guideline (Markdown), the first series.
            clock: Seconds since the epoch.

        Raises:
            UsageError: There is nothing to compare.
        """
        if not pairs:
            raise UsageError(f"{source}: there are no two different answers to one question to compare")
        items = [QueueItem(f"pair-{number}", pair.model_dump_json()) for number, pair in enumerate(pairs, 1)]
        about = comparison.model_dump_json()
        return cls._create(database, items, settings, source=source, guideline=guideline, clock=clock, about=about)

    @property
    def comparison(self) -> PairComparison:
        """What is compared."""
        (about,) = self._db.execute("SELECT about FROM rating_queues WHERE id = ?", (self.id,)).fetchone()
        return PairComparison.model_validate_json(about)

    def next_pair(self, rater: str) -> PairAssignment | None:
        """Returns the rater's open pair, else locks the next one for the rater; None when none is left.

        Raises:
            UsageError: The queue has no such rater.
        """
        item = self._next_item(rater)
        if item is None:
            return None
        is_first_left = self._is_first_left(rater, item.name, item.is_repeat)
        return PairAssignment(item.name, self.pair(item.name), is_first_left, item.is_repeat, item.showing)

    def choose(self, rater: str, pair: str, side: Side | None, *, reason: str = "", showing: str | None = None) -> bool:
        """Keeps a choice between the two answers that the rater has open; see `ItemQueue` for what comes twice or late.

        Args:
            rater: Who chooses.
            pair: The pair's id in the queue.
            side: Which side is better; None for "can't tell".
            reason: Why, in a sentence.
            showing: That of the assignment; None takes it for the present one.

        Returns:
            Whether it was new: False for one that is there already.

        Raises:
            UsageError: The rater is unknown, or the pair is not open for the rater.
        """
        asked = self.question(pair)

        def judge(is_repeat: bool) -> Judgement:
            is_first_left = self._is_first_left(rater, pair, is_repeat)
            value = None if side is None else _LEFT_FIRST[side] * (1 if is_first_left else -1) + 0.0
            return Judgement(value, reason, shown_first=asked.first if is_first_left else asked.second)

        return self._save(rater, pair, judge, showing)

    def pair(self, name: str) -> AnswerPair:
        """One pair of the queue. Raises `UsageError` for an id that it does not have."""
        return AnswerPair.model_validate_json(self._content(name))

    def question(self, name: str) -> PairedQuestion:
        """The question and the versions of a pair, without the answers, which take longer to read."""
        return PairedQuestion.model_validate_json(self._content(name))

    def names(self) -> list[str]:
        """The ids of the pairs, in the order in which they are compared."""
        rows = self._db.execute("SELECT sample FROM rating_items WHERE queue = ? ORDER BY place", (self.id,))
        return [str(name) for (name,) in rows]

    def _is_first_left(self, rater: str, pair: str, is_repeat: bool) -> bool:
        """Draws the sides, once per rater and pair; a hidden repeat exchanges them, which shows who clicks one side.

        Every queue draws anew: whoever has learnt the sides of one knows nothing of the next.
        """
        draw = random.Random(f"side {self.id} {self.settings.seed} {rater} {pair}")
        return (draw.random() < 0.5) is not is_repeat


def open_item_queue(database: Database, queue: str) -> RatingQueue | PairQueue:
    """Opens a queue of either kind."""
    return PairQueue(database, queue) if read_queue_kind(database, queue) == "pairs" else RatingQueue(database, queue)
