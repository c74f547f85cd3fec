"""The pages of a loaded fold, and the search for those near a question (Twente paper, 4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from ...judges.embedders import Embedder
from ..section import Fold, Section, Split

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Page:
    """An emulated page: whole sections of one document, in their order, about 842 tokens (Twente paper, 4.1)."""

    id: str
    text: str


def build_pages(sections: Sequence[Section], folds: Sequence[Fold], fold: int, split: Split) -> list[Page]:
    """Builds the emulated pages of one fold and split from the sections in it."""
    ids = {row.section for row in folds if row.fold == fold and row.split == split}
    inside = [section for section in sections if section.id in ids]
    inside.sort(key=lambda section: (section.document, section.emulated_page, section.position))
    return [
        Page(f"{document}, page {number}", "\n\n".join(section.full_text for section in page_sections))
        for (document, number), page_sections in groupby(
            inside, key=lambda section: (section.document, section.emulated_page)
        )
    ]


class PageStore:
    """The pages of the fold that is loaded, by their vectors."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._pages: list[Page] = []
        self._vectors: Vectors | None = None

    async def load(self, pages: Sequence[Page]) -> None:
        """Puts pages into the store, in place of those before."""
        self._pages = list(pages)
        self._vectors = await self._embedder.unit_vectors([page.text for page in pages])

    async def nearest(self, question: str, count: int, least_cosine: float = -1.0) -> list[Page]:
        """Finds the pages nearest to a question, the nearest first."""
        assert self._vectors is not None  # pages are loaded first
        (vector,) = await self._embedder.unit_vectors([question])
        cosines = self._vectors @ vector
        order = (-cosines).argsort(kind="stable")[:count].tolist()
        return [self._pages[place] for place in order if cosines[place] >= least_cosine]
