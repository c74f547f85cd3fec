"""The pages of a loaded fold in a vector store, and the search for those near a question (Twente paper, 4.3)."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...installation import require_extra
from ...judges.embedders import Embedder
from ..section import Fold, Section, Split

if TYPE_CHECKING:
    from qdrant_client import QdrantClient


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
    """Pages in Qdrant, in this process or on a server. A context manager: leaving it removes the pages."""

    def __init__(self, embedder: Embedder, url: str = "") -> None:
        self._embedder = embedder
        self._url = url
        self._pages: list[Page] = []
        self._name = f"assay-{secrets.token_hex(6)}"
        self._client: QdrantClient | None = None
        self._loaded = False

    async def load(self, pages: Sequence[Page]) -> None:
        """Puts pages into the store, in place of those before."""
        with require_extra("generation", "cross-evaluation"):
            from qdrant_client import models

        self._pages = list(pages)
        vectors = await self._embedder.unit_vectors([page.text for page in pages])
        size = models.VectorParams(size=int(vectors.shape[1]), distance=models.Distance.COSINE)
        points = [
            models.PointStruct(id=place, vector=vector.tolist(), payload={"page": pages[place].id})
            for place, vector in enumerate(vectors)
        ]
        client = self._connect()
        try:
            if self._loaded:
                client.delete_collection(self._name)
            client.create_collection(self._name, vectors_config=size)
            self._loaded = True
            client.upsert(self._name, points)
        except Exception as error:  # the client has different errors for each protocol
            raise UsageError(f"the pages cannot be stored in Qdrant at {self._url or 'memory'}: {error}") from error

    async def nearest(self, question: str, count: int, least_cosine: float = -1.0) -> list[Page]:
        """Finds the pages nearest to a question."""
        (vector,) = await self._embedder.unit_vectors([question])
        response: Any = self._connect().query_points(
            self._name, query=vector.tolist(), limit=count, score_threshold=least_cosine
        )
        return [self._pages[point.id] for point in response.points]

    def __enter__(self) -> "PageStore":
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            if self._loaded:
                self._client.delete_collection(self._name)
            self._client.close()
            self._client = None

    def _connect(self) -> "QdrantClient":
        if self._client is None:
            with require_extra("generation", "cross-evaluation"):
                from qdrant_client import QdrantClient
            place: dict[str, Any] = {"url": self._url, "check_compatibility": False} if self._url else {}
            self._client = QdrantClient(**place or {"location": ":memory:"})
        return self._client
