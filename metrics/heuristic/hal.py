"""HAL (001, section V-B; Lund and Burgess, 1996): words together in the answer are together in the context."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ..metric import Score, scored, skipped
from .reading import Feature, Reading

WINDOWS = (2, 5, 10)

Pair = tuple[str, str]


def nearness(distance: int, windows: Sequence[int] = WINDOWS) -> float:
    """How near two words are that stand `distance` places apart, in [0, 1]: the mean over windows of (w - d + 1) / w.

    Neighbours (distance 1) have 1, words beyond the widest window 0.
    """
    return sum(max(0, window - distance + 1) / window for window in windows) / len(windows)


def hal(answer: Sequence[str], contexts: Iterable[Sequence[str]], windows: tuple[int, ...] = WINDOWS) -> float | None:
    """The share of the answer's nearness that the contexts have too, in [0, 1]; None when the answer has no pair.

    For each unordered pair p of different words, A(p) sums its nearness over the answer and N(p) is its greatest
    nearness in a text. The value is sum of A(p) * min(1, N_context(p) / N_answer(p)) / sum of A(p).
    """
    tables = [_nearest(tuple(context), windows) for context in contexts]
    nearest_in_answer = _nearest(tuple(answer), windows)
    total = kept = 0.0
    for pair, weight in summed(tuple(answer), windows).items():
        total += weight
        of_context = 0.0
        for table in tables:
            of_context = max(of_context, table.get(pair, 0.0))
        kept += weight * min(1.0, of_context / nearest_in_answer[pair])
    return kept / total if total else None


@lru_cache(maxsize=16)  # the value and its evidence both read it
def summed(words: tuple[str, ...], windows: tuple[int, ...] = WINDOWS) -> dict[Pair, float]:
    """The nearness of every unordered pair of different words, summed over the text."""
    near = [nearness(distance, windows) for distance in range(1, max(windows) + 1)]
    table: dict[Pair, float] = {}
    for place, word in enumerate(words):
        for weight, other in zip(near, words[place + 1 : place + 1 + len(near)], strict=False):
            if word != other:
                pair = (word, other) if word < other else (other, word)
                table[pair] = table.get(pair, 0.0) + weight
    return table


@lru_cache(maxsize=256)  # contexts are shared by samples
def _nearest(words: tuple[str, ...], windows: tuple[int, ...]) -> dict[Pair, float]:
    near = [nearness(distance, windows) for distance in range(1, max(windows) + 1)]
    table: dict[Pair, float] = {}
    for place, word in enumerate(words):
        for weight, other in zip(near, words[place + 1 : place + 1 + len(near)], strict=False):
            pair = (word, other) if word < other else (other, word)
            if weight > table.get(pair, 0.0):
                table[pair] = weight
    return table


class Hal(Feature):
    """How far the answer's word pairs stand as close together in the contexts, in [0, 1]."""

    name = "heuristic.hal"

    def of(self, reading: Reading) -> Score:
        """Skipped when the answer has no two different words."""
        answer, contexts = reading.answer_parsed.lemmas, [each.lemmas for each in reading.contexts_parsed]
        value = hal(answer, contexts)
        if value is None:
            return skipped("the answer has no two different words to pair")
        tables = [_nearest(context, WINDOWS) for context in contexts]
        pairs = summed(answer, WINDOWS)
        strange = [pair for pair in pairs if not any(pair in table for table in tables)]
        strange.sort(key=lambda pair: -pairs[pair])
        reason = f"{len(pairs) - len(strange)} of the answer's {len(pairs)} word pairs stand together in the context"
        return scored(value, reason, {"pairs_not_in_context": [" ".join(pair) for pair in strange[:10]]})
