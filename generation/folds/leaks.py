"""Whether folds share information: nearest neighbours by meaning, and runs of eight words that both hold."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from ...judges.embedders import Embedder
from ..section import Section
from ..topics.discovery import section_vectors
from .fold_search import FoldPlan

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


async def compare_leaks(
    sections: Sequence[Section], folding: FoldPlan, embedder: Embedder, seed: int, on_progress: Callable[[int], None]
) -> dict[str, Leaks]:
    """What folds share: with the same sections put at random, by topic before separation, and as they are."""
    inside = [section for section in sections if section.id in folding.before]
    vectors = (await section_vectors(inside, embedder, on_progress)).astype("float32")
    after = {fold.section: fold.fold for fold in folding.folds}
    drawn = [folding.before[section.id] for section in inside]
    Random(seed).shuffle(drawn)
    kept = [place for place, section in enumerate(inside) if section.id in after]
    texts = [section.text for section in inside]
    return {
        "sections at random": leaks(texts, vectors, drawn),
        "by topic": leaks(texts, vectors, [folding.before[section.id] for section in inside]),
        "by topic, separated": leaks(
            [texts[place] for place in kept], vectors[kept], [after[inside[place].id] for place in kept]
        ),
    }


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
