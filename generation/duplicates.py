"""Questions that ask the same: discarded until no two are too similar (Twente paper, B.1)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..judges.embedders import Embedder
from ..worker_threads import compute_beside
from .pair import Pair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROWS_PER_BLOCK = 1024  # the whole matrix of cosines has 25 million cells for 5,000 questions


async def find_duplicates(pairs: Sequence[Pair], embedder: Embedder, cosine: float) -> dict[str, str]:
    """Finds the pairs to discard so that no two questions that are left are too similar.

    Couples of similar questions are taken in order of similarity, the most similar first. Of each couple the question
    with more similar ones is discarded; where both have equally many, the later one.

    Returns:
        The ids of the pairs to discard, each with the reason.
    """
    if len(pairs) < 2:
        return {}
    vectors = await embedder.unit_vectors([pair.question for pair in pairs])
    return await compute_beside(_discard_similar, pairs, vectors, cosine)


def _discard_similar(pairs: Sequence[Pair], vectors: "NDArray[np.float32]", cosine: float) -> dict[str, str]:
    import numpy as np

    couples: list[tuple[float, int, int]] = []
    neighbours = np.zeros(len(pairs), dtype=int)
    for start in range(0, len(pairs), _ROWS_PER_BLOCK):
        cosines = vectors[start : start + _ROWS_PER_BLOCK] @ vectors.T
        rows, columns = np.nonzero(cosines >= cosine)
        for row, column in zip((rows + start).tolist(), columns.tolist(), strict=True):
            if row < column:
                couples.append((float(cosines[row - start, column]), row, column))
                neighbours[[row, column]] += 1
    reasons: dict[int, str] = {}
    for similarity, first, second in sorted(couples, key=lambda couple: (-couple[0], *couple[1:])):
        if first in reasons or second in reasons:
            continue
        discarded, retained = (first, second) if neighbours[first] > neighbours[second] else (second, first)
        reasons[discarded] = f'cosine {similarity:.2f} with "{pairs[retained].question}" ({pairs[retained].id})'
    return {pairs[place].id: reason for place, reason in reasons.items()}
