"""Whether folds share information: nearest neighbours by meaning, and runs of eight words that are in both."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from ...judges.embedders import Embedder
from ...worker_threads import compute_beside
from ..section import Section
from ..topics.discovery import section_vectors
from .fold_search import FoldPlan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

RUN_LENGTH = 8
"""The number of words in a run."""

SAME_MEANING = 0.9
"""From this cosine on two sections say the same."""

_ROWS_PER_BLOCK = 1024
_WORD = re.compile(r"\w+")


class Leaks(NamedTuple):
    """What the folds share."""

    sections: int
    mean: float  # the mean over sections of the cosine with the nearest section of another fold
    p95: float  # the 95th percentile of these cosines
    highest: float
    alike: float  # the share of sections whose nearest section of another fold has a cosine of 0.9 or more
    sharing: float  # the share of sections with a run of eight words that is in another fold too
    runs: int  # the number of different runs that are in more than one fold


def measure_leaks(texts: Sequence[str], vectors: "Vectors", folds: Sequence[int]) -> Leaks:
    """Measures what folds share."""
    import numpy as np

    nearest = _nearest_cosines(vectors, np.array(folds))
    sharing, runs = find_shared_runs(texts, folds)
    return Leaks(
        len(texts),
        float(nearest.mean()),
        float(np.quantile(nearest, 0.95)),
        float(nearest.max()),
        float((nearest >= SAME_MEANING).mean()),
        len(sharing) / len(texts),
        runs,
    )


async def compare_leaks(
    sections: Sequence[Section], plan: FoldPlan, embedder: Embedder, seed: int, on_progress: Callable[[int], None]
) -> dict[str, Leaks]:
    """Measures what folds share, beside two simpler ways to make them.

    Returns:
        Leaks by name: with the same sections put into folds at random, by topic before shared documents are removed,
        and by topic as the folds are.
    """
    inside = [section for section in sections if section.id in plan.before]
    vectors = (await section_vectors(inside, embedder, on_progress)).astype("float32")
    return await compute_beside(_compare, inside, plan, vectors, seed)


def _compare(inside: Sequence[Section], plan: FoldPlan, vectors: "Vectors", seed: int) -> dict[str, Leaks]:
    after = {fold.section: fold.fold for fold in plan.folds}
    by_topic = [plan.before[section.id] for section in inside]
    at_random = list(by_topic)
    Random(seed).shuffle(at_random)
    separated = [place for place, section in enumerate(inside) if section.id in after]
    texts = [section.text for section in inside]
    return {
        "sections at random": measure_leaks(texts, vectors, at_random),
        "by topic": measure_leaks(texts, vectors, by_topic),
        "by topic, separated": measure_leaks(
            [texts[place] for place in separated], vectors[separated], [after[inside[place].id] for place in separated]
        ),
    }


def find_shared_runs(texts: Sequence[str], folds: Sequence[int], length: int = RUN_LENGTH) -> tuple[set[int], int]:
    """Finds runs of words, without case and punctuation, that are in more than one fold.

    Returns:
        The places of the texts with such a run, and the number of different runs.

    Example:
        >>> find_shared_runs(["Keep it dry.", "You must keep it dry!", "Eat well."], [1, 2, 1], length=3)
        ({0, 1}, 1)
    """
    holders: Mapping[str, set[int]] = defaultdict(set)
    for place, text in enumerate(texts):
        words = _WORD.findall(text.casefold())
        for start in range(len(words) - length + 1):
            holders[" ".join(words[start : start + length])].add(place)
    shared = [places for places in holders.values() if len({folds[place] for place in places}) > 1]
    return {place for places in shared for place in places}, len(shared)


def _nearest_cosines(vectors: "Vectors", folds: "NDArray[np.int64]") -> "Vectors":
    """Returns the cosine of each section with its nearest section of another fold, shape (sections,)."""
    import numpy as np

    nearest = np.full(len(vectors), -1.0, dtype=np.float32)
    for fold in np.unique(folds):
        inside, outside = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        for start, end in pairwise([*range(0, len(inside), _ROWS_PER_BLOCK), len(inside)]):
            rows = inside[start:end]
            nearest[rows] = (vectors[rows] @ vectors[outside].T).max(axis=1)
    return nearest
