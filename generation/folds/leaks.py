"""Whether folds share information: nearest neighbours by meaning, and runs of eight words that both hold."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

WORDS = 8
# From here on two sections say the same
ALIKE = 0.9
_ROWS = 1024
_WORD = re.compile(r"\w+")


class Leaks(NamedTuple):
    """What the folds share. `mean`, `p95` and `highest`: the cosine of each section with its nearest of another fold.

    `alike` and `sharing` are shares of the sections: with a neighbour from cosine 0.9 on, and with eight words in a row
    that a section of another fold has too. `runs` counts these runs of words, each once.
    """

    sections: int
    mean: float
    p95: float
    highest: float
    alike: float
    sharing: float
    runs: int


def leaks(texts: Sequence[str], vectors: "Vectors", folds: Sequence[int]) -> Leaks:
    """What folds share (texts, unit vectors and the fold of each section); at least two folds."""
    import numpy as np

    nearest = _nearest(vectors, np.array(folds))
    sharing, runs = shared_runs(texts, folds)
    return Leaks(
        len(texts),
        float(nearest.mean()),
        float(np.quantile(nearest, 0.95)),
        float(nearest.max()),
        float((nearest >= ALIKE).mean()),
        len(sharing) / len(texts),
        runs,
    )


def shared_runs(texts: Sequence[str], folds: Sequence[int], words: int = WORDS) -> tuple[set[int], int]:
    """The places of texts that share a run of words (case and signs aside) with another fold's; how many runs."""
    holders: Mapping[str, set[int]] = defaultdict(set)
    for place, text in enumerate(texts):
        found = _WORD.findall(text.casefold())
        for start in range(len(found) - words + 1):
            holders[" ".join(found[start : start + words])].add(place)
    shared = [places for places in holders.values() if len({folds[place] for place in places}) > 1]
    return {place for places in shared for place in places}, len(shared)


def _nearest(vectors: "Vectors", folds: "NDArray[np.int64]") -> "Vectors":
    import numpy as np

    best = np.full(len(vectors), -1.0, dtype=np.float32)
    for fold in np.unique(folds):
        inside, outside = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        for start, end in pairwise([*range(0, len(inside), _ROWS), len(inside)]):
            rows = inside[start:end]
            best[rows] = (vectors[rows] @ vectors[outside].T).max(axis=1)
    return best
