"""HAL (Lassche et al., 2024, V-B; Lund and Burgess, 1996): words together in the answer are together in the context."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from ...text.wording import count_of
from ..score import Score, scored, skipped
from .feature import Feature, SampleTexts

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOWS = (2, 5, 10)

_NOT_IN_ANSWER = -1


def nearness(distance: int, windows: Sequence[int] = WINDOWS) -> float:
    """Computes how near two words `distance` places apart are, in [0, 1]: the mean over windows of (w - d + 1) / w.

    Neighbours (distance 1) have 1, words beyond the widest window 0.
    """
    return sum(max(0, window - distance + 1) / window for window in windows) / len(windows)


class Pairs(NamedTuple):
    """The answer's unordered pairs of different words, and how near the words of each are; one element per pair."""

    words: tuple[str, ...]
    first: "NDArray[Any]"  # for each pair, the place in `words` of its first word
    second: "NDArray[Any]"  # the place of its second word
    total: "NDArray[Any]"
    nearest: "NDArray[Any]"
    in_context: "NDArray[Any]"

    @property
    def hal(self) -> float | None:
        """The share of the answer's nearness that the contexts have too, in [0, 1]; None without pairs.

        Sum over pairs of total * min(1, in_context / nearest), over the sum of total.
        """
        if not len(self.total):
            return None
        matching = self.total * (self.in_context / self.nearest).clip(max=1.0)
        return min(1.0, float(matching.sum() / self.total.sum()))  # a sum may end a rounding error above 1

    def not_in_context(self, most: int) -> list[str]:
        """Lists at most `most` pairs that are near each other in no context; those nearest in the answer come first."""
        import numpy as np

        absent = np.flatnonzero(self.in_context == 0)
        foremost = absent[np.argsort(-self.total[absent], kind="stable")][:most]
        return [f"{self.words[self.first[pair]]} {self.words[self.second[pair]]}" for pair in foremost]


def find_pairs(answer: Sequence[str], contexts: Iterable[Sequence[str]], windows: tuple[int, ...] = WINDOWS) -> Pairs:
    """Finds the answer's pairs and compares them with the contexts, of which only the answer's words are looked at."""
    import numpy as np

    nearness_at = _nearness_by_distance(windows)
    place = {word: number for number, word in enumerate(dict.fromkeys(answer))}
    keys, distances = _keys([place[word] for word in answer], len(place), max(windows))
    pairs, which = np.unique(keys, return_inverse=True)
    total = np.bincount(which, weights=nearness_at[distances], minlength=len(pairs))
    nearest, in_context = np.zeros(len(pairs)), np.zeros(len(pairs))
    nearest[which] = nearness_at[distances]
    separator = [_NOT_IN_ANSWER] * max(windows)
    all_contexts = [
        word for context in contexts for word in (*map(place.get, context, repeat(_NOT_IN_ANSWER)), *separator)
    ]
    keys, distances = _keys(all_contexts, len(place), max(windows))
    if len(pairs):
        place_of_key = np.minimum(np.searchsorted(pairs, keys), len(pairs) - 1)
        is_pair = pairs[place_of_key] == keys
        in_context[place_of_key[is_pair]] = nearness_at[distances[is_pair]]
    return Pairs(tuple(place), pairs // len(place or "_"), pairs % len(place or "_"), total, nearest, in_context)


def _keys(text: Sequence[int], size: int, widest: int) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Lists the pairs of different known words at most `widest` places apart, as smaller * size + greater.

    The distance of each pair is the second array. The farthest pairs come first, so that where values are assigned by
    pair, the nearest, which is assigned last, stays.
    """
    import numpy as np

    padded = np.array([*text, *[_NOT_IN_ANSWER] * widest], dtype=np.int64)
    known, further = np.flatnonzero(padded != _NOT_IN_ANSWER), np.arange(widest, 0, -1)[:, None]
    left, right = padded[known], padded[known + further]
    wanted = (left != right) & (right != _NOT_IN_ANSWER)
    keys = np.minimum(left, right) * size + np.maximum(left, right)
    return keys[wanted], np.broadcast_to(further, wanted.shape)[wanted]


@cache
def _nearness_by_distance(windows: tuple[int, ...]) -> "NDArray[Any]":
    import numpy as np

    return np.array([0.0, *(nearness(distance, windows) for distance in range(1, max(windows) + 1))])


class Hal(Feature):
    """The share of the nearness of the answer's word pairs that the contexts have too, in [0, 1]."""

    name = "heuristic.hal"
    starred = True

    def score_texts(self, texts: SampleTexts) -> Score:
        """Skipped when the answer has no two different words."""
        pairs = find_pairs(texts.answer_parsed.lemmas, [context.lemmas for context in texts.contexts_parsed])
        value = pairs.hal
        if value is None:
            return skipped("the answer has no two different words to pair")
        together = int((pairs.in_context > 0).sum())
        reason = f"{together} of the answer's {count_of(len(pairs.total), 'word pair')} stand together in the context"
        return scored(value, reason, {"pairs_not_in_context": pairs.not_in_context(10)})
