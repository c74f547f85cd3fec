"""Our judge, embedder and metrics as Ragas's LLM, embeddings and metric; importing this needs ragas."""

import asyncio
import logging
import math
import threading
from collections.abc import Coroutine
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from langchain_core.outputs import Generation, LLMResult
from pydantic import BaseModel
from ragas import SingleTurnSample
from ragas.embeddings import BaseRagasEmbedding, BaseRagasEmbeddings
from ragas.llms import InstructorBaseRagasLLM
from ragas.metrics.base import MetricType, SimpleBaseMetric, SingleTurnMetric
from ragas.metrics.result import MetricResult
from ragas.run_config import RunConfig

from ..errors import AssayError
from ..eval_sets.sample import Sample
from ..judges import Judge, Question, Usage
from ..judges.embedders import Embedder
from ..judges.question import PlainText
from ..languages import FALLBACK
from ..prompts import Prompt
from .metric import Metric, run_to_end
from .score import Score

T = TypeVar("T", bound=BaseModel)
Result = TypeVar("Result")

_logger = logging.getLogger("assay.ragas")


@dataclass
class JudgeLog:
    """What a Ragas metric asks our judge while it scores one sample."""

    sample: str = ""
    language: str = FALLBACK
    steps: list[dict[str, Any]] = field(default_factory=list)
    usages: list[Usage] = field(default_factory=list)  # what each reply cost
    error: AssayError | None = None  # the first error; after it no further question is asked


current_log: ContextVar[JudgeLog | None] = ContextVar("current_log", default=None)
"""Ragas's interface to an LLM has no place for it."""


class JudgeLLM(InstructorBaseRagasLLM):  # type: ignore[misc]  # ragas is typed for readers, not for checkers
    """Our judge as Ragas's LLM: cassette, limiter, budget, retries and usage are the judge's own.

    The text that Ragas wrote goes as one user message, neutralised like all that holds text under test. The judge gives
    one reply to one question, so where Ragas wants `n` generations of one prompt, they are the same. After an error
    the rest of the sample's questions fail with it: Ragas would otherwise ask on, or count without the lost reply.
    """

    is_async = True  # Ragas then awaits `agenerate`

    def __init__(self, judge: Judge) -> None:
        self.judge = judge

    async def agenerate(self, prompt: str, response_model: type[T]) -> T:
        """A reply in the shape that Ragas wants. Raises `JudgeError`, `BudgetReached`."""
        return await self._ask(prompt, response_model)

    def generate(self, prompt: str, response_model: type[T]) -> T:
        """`agenerate` outside an event loop."""
        reply: T = run_to_end(self._ask(prompt, response_model))
        return reply

    async def agenerate_text(self, prompt: Any, n: int = 1, *_: Any, **__: Any) -> LLMResult:
        """Free text, for the metrics of Ragas that ask for it. Temperature and stop words are the judge's settings."""
        reply = await self._ask(prompt.to_string(), PlainText)
        return LLMResult(generations=[[Generation(text=reply.text)] * n])

    async def _ask(self, text: str, schema: type[T]) -> T:
        log = current_log.get() or JudgeLog()
        if log.error is not None:
            raise log.error
        prompt = Prompt(name="ragas", language=log.language, opening=(), template="$text")
        question = Question(prompt, prompt.render({"text": text}), schema, log.sample)
        try:
            reply = await self.judge.ask(question)
        except AssayError as error:
            log.error = error
            raise
        log.usages.append(reply.usage)
        log.steps.append({"asked_for": schema.__name__, "reply": reply.value.model_dump(mode="json")})
        return reply.value


class Embeddings(BaseRagasEmbedding):  # type: ignore[misc]
    """Our embedder as the embeddings of `ragas.metrics.collections`; the vectors have unit length."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self.embedder = embedder

    async def aembed_texts(self, texts: list[str], **_: Any) -> list[list[float]]:
        """One vector per text, embedded in one batch."""
        return await _vectors(self.embedder, texts)

    async def aembed_text(self, text: str, **_: Any) -> list[float]:
        """One vector."""
        return (await _vectors(self.embedder, [text]))[0]

    def embed_text(self, text: str, **_: Any) -> list[float]:
        """`aembed_text`, blocking."""
        return _wait_for(self.aembed_text(text))

    def embed_texts(self, texts: list[str], **_: Any) -> list[list[float]]:
        """`aembed_texts`, blocking."""
        return _wait_for(self.aembed_texts(texts))


class OlderEmbeddings(BaseRagasEmbeddings):  # type: ignore[misc]
    """Our embedder as the embeddings of the metrics in `ragas.metrics`; the vectors have unit length."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self.embedder = embedder
        self.set_run_config(RunConfig())

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text, embedded in one batch."""
        return await _vectors(self.embedder, texts)

    async def aembed_query(self, text: str) -> list[float]:
        """One vector."""
        return (await _vectors(self.embedder, [text]))[0]

    def embed_query(self, text: str) -> list[float]:
        """`aembed_query`, blocking."""
        return _wait_for(self.aembed_query(text))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """`aembed_documents`, blocking."""
        return _wait_for(self.aembed_documents(texts))


class MetricForRagas(SingleTurnMetric, SimpleBaseMetric):  # type: ignore[misc]
    """One of our metrics as both of Ragas's kinds: for `ragas.evaluate`, and with `ascore` for its experiments."""

    def __init__(self, metric: Metric, name: str) -> None:
        self.metric = metric
        self.name = name
        low, high = metric.range
        self.allowed_values = (-math.inf if low is None else low, math.inf if high is None else high)
        optional = {"user_input", "response", "retrieved_contexts", "reference"} - {*metric.needs}
        columns = {*metric.needs} | {f"{column}:optional" for column in optional}
        self.required_columns = {MetricType.SINGLE_TURN: columns}

    def __repr__(self) -> str:
        return f"MetricForRagas({self.metric.name})"

    def init(self, run_config: RunConfig) -> None:
        """Nothing to set: the judge has its own time-outs and retries."""

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any) -> float:
        score = await self._assess(sample.model_dump(exclude_none=True))
        if score.status == "failed":
            _logger.warning("%s: %s", self.name, score.reason)
        return math.nan if score.value is None else score.value

    async def ascore(self, **fields: Any) -> MetricResult:
        """The value (nan where there is none) with its reason; the evidence is `traces["output"]`."""
        score = await self._assess(fields)
        value = math.nan if score.value is None else score.value
        return MetricResult(value=value, reason=score.reason, traces={"input": fields, "output": score.evidence})

    def score(self, **fields: Any) -> MetricResult:
        """`ascore` outside an event loop."""
        return run_to_end(self.ascore(**fields))

    async def _assess(self, row: dict[str, Any]) -> Score:
        ours = {name: value for name, value in row.items() if name in Sample.model_fields}
        theirs = {name: value for name, value in row.items() if name not in ours}
        return await self.metric.ascore(**ours, metadata=ours.pop("metadata", {}) | theirs)


async def _vectors(embedder: Embedder, texts: list[str]) -> list[list[float]]:
    vectors: list[list[float]] = (await embedder.unit_vectors(texts)).tolist()
    return vectors


@cache
def _background_loop() -> asyncio.AbstractEventLoop:
    """One for all blocking calls: an HTTP client lives in the loop that it was made in."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True, name="assay-embeddings").start()
    return loop


def _wait_for(work: Coroutine[Any, Any, Result]) -> Result:
    """Ragas calls its embeddings from async code without awaiting them: the work runs in another thread's loop."""
    return asyncio.run_coroutine_threadsafe(work, _background_loop()).result()
