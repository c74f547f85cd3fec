"""Vectors of many texts, batch by batch, with progress: what texts are clustered by."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .embedders import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHARACTERS = 800  # the encoders of the Twente paper read 128 tokens; a text's beginning says what it is about
_BATCH = 256


async def embed_texts(
    texts: Sequence[str], embedder: Embedder, on_progress: Callable[[int], None] = lambda _: None
) -> "NDArray[np.float64]":
    """Embeds the beginnings of texts, their first 800 characters.

    Returns:
        Unit vectors, shape (texts, dimensions of the embedder).

    Raises:
        JudgeError: There is no usable vector of a text.
    """
    import numpy as np

    beginnings = [text[:_CHARACTERS] for text in texts]
    batches = []
    for start in range(0, len(beginnings), _BATCH):
        batches.append(await embedder.unit_vectors(beginnings[start : start + _BATCH]))
        on_progress(min(start + _BATCH, len(beginnings)))
    return np.vstack(batches).astype(np.float64)
