"""Questions that are one question: the more crowded one of the two nearest goes, until none are too near (B.1)."""

from collections.abc import Sequence

from ..judges.embedders import Embedder
from .pair import Pair

_ROWS_AT_ONCE = 1024  # of the matrix of cosines, which for 5,000 questions has 25 million


async def duplicates(pairs: Sequence[Pair], embedder: Embedder, cosine: float) -> dict[str, str]:
    """The ids of the pairs to discard, each with the reason; what stays lies below `cosine` from each other.

    Of two that are too near, nearest first, the one goes that has more near questions (the later one where they tie).
    """
    import numpy as np

    if len(pairs) < 2:
        return {}
    vectors = await embedder.unit_vectors([pair.question for pair in pairs])
    near: list[tuple[float, int, int]] = []
    neighbours = np.zeros(len(pairs), dtype=int)
    for first in range(0, len(pairs), _ROWS_AT_ONCE):
        block = vectors[first : first + _ROWS_AT_ONCE] @ vectors.T
        rows, columns = np.nonzero(block >= cosine)
        for row, column in zip((rows + first).tolist(), columns.tolist(), strict=True):
            if row < column:
                near.append((float(block[row - first, column]), row, column))
                neighbours[[row, column]] += 1
    gone: dict[int, str] = {}
    for value, one, other in sorted(near, key=lambda each: (-each[0], each[1], each[2])):
        if one in gone or other in gone:
            continue
        loser, stays = (one, other) if neighbours[one] > neighbours[other] else (other, one)
        gone[loser] = f'cosine {value:.2f} with "{pairs[stays].question}" ({pairs[stays].id})'
    return {pairs[place].id: reason for place, reason in gone.items()}
