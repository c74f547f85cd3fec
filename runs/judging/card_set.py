"""One set of a judge's card: which answers are taken, by which metric, and what their ratings are."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.public.set_facts import first_by_hash
from ...eval_sets.sources import bundled_sets
from ...metrics.catalogue import measures_conversation, needs_judge
from ...presentation.texts import one_line
from ...text.wording import count_of
from ..answers.rating_direction import PAIRWISE, check_ratings_fit, is_pairwise

FAITHFULNESS, RESOLVED = "faithfulness", "resolved"
_LONGEST_RATED = 400
_CONSTRUCTED = "constructed by the authors of Assay, and no person's judgement"

Kind = Literal["answers", "pairs", "conversations"]


@dataclass(frozen=True, slots=True)
class CardSet:
    """The samples of one set that a judge's card is about."""

    name: str  # as the card names the set
    samples: tuple[Sample, ...]  # in the order of the hash of their ids
    metric: str  # what the judge is asked for
    most: int  # at most so many samples were taken
    unrated: int = 0  # how many samples of the set have no rating, and are left out

    @property
    def kind(self) -> Kind:
        """What the metric scores."""
        if is_pairwise(self.metric):
            return "pairs"
        return "conversations" if measures_conversation(self.metric) else "answers"

    @property
    def digest(self) -> str:
        """16 hexadecimal digits that differ where the answers' ids, their ratings or the scale do."""
        lines = sorted(
            json.dumps([s.id, s.rating, sorted(s.ratings.items()), float(s.rating_min), float(s.rating_max)])
            for s in self.samples
        )
        return sha256("\n".join(lines).encode()).hexdigest()[:16]

    @property
    def rated(self) -> str:
        """What was rated and by whom, in words, as far as the set says one thing of all."""
        rated = [sample for sample in self.samples if sample.human_rating is not None]
        if not rated:
            return "nothing"
        scales = sorted({(sample.rating_min, sample.rating_max) for sample in rated})
        listed = " and ".join(f"{low:g} to {high:g}" for low, high in scales)
        meanings = {self._meaning(sample) for sample in rated}
        meaning = meanings.pop() if len(meanings) == 1 else ""
        return one_line(f"{self.kind}, {listed}{meaning and f': {meaning}'}", _LONGEST_RATED)

    def _meaning(self, sample: Sample) -> str:
        meaning = sample.metadata.get("rating_scale") or sample.metadata.get("rating_is")
        if meaning is None and self.name in bundled_sets():
            return _CONSTRUCTED
        return meaning if isinstance(meaning, str) else ""


def make_card_set(name: str, samples: Sequence[Sample], most: int, metric: str | None = None) -> CardSet:
    """Takes the samples of a set that the card is about: rated ones, since no figure needs any other.

    At most `most` are taken, the first rated ones by the hash of their ids. Without a metric it goes by what the set
    rates: `pairwise` where each sample has two answers; `resolved` for conversations without contexts to be faithful
    to; else `faithfulness`.

    Raises:
        UsageError: The set is empty, none of it is rated, it has an id twice, the metric asks no judge, or the ratings
            are not of what the metric scores.
    """
    if not samples:
        raise UsageError(f"{name}: no answer to judge; name another set")
    if repeated := len(samples) - len({sample.id for sample in samples}):
        raise UsageError(f"{name}: {count_of(repeated, 'id stands', 'ids stand')} twice; give each answer its own id")
    rated = [sample for sample in samples if sample.human_rating is not None]
    if not rated:
        raise UsageError(
            f"{name}: {count_of(len(samples), 'answer')} and no rating, so that nothing can be said of a judge; rate "
            "some (a column `rating`, or `assay rate`), or name a rated set (`assay sets`)"
        )
    chosen = metric or _choose_metric(rated)
    if not needs_judge(chosen):
        raise UsageError(f"--metric {chosen} asks no judge; take faithfulness, for one")
    card_set = CardSet(name, tuple(first_by_hash(rated, most)), chosen, most, len(samples) - len(rated))
    check_ratings_fit(name, card_set.samples, chosen)
    return card_set


def _choose_metric(samples: Sequence[Sample]) -> str:
    if all(sample.other_response for sample in samples):
        return PAIRWISE
    if all(sample.messages for sample in samples) and not any(sample.retrieved_contexts for sample in samples):
        return RESOLVED
    return FAITHFULNESS
