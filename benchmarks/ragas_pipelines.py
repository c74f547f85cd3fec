"""Ragas's faithfulness and answer relevancy as its users run them, against the local judge."""

import asyncio
import logging
import math
import threading
import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

import checkout  # noqa: F401

from assay import Sample
from assay.judges import Embedder

warnings.filterwarnings("ignore", category=DeprecationWarning)
# Ragas says once per sample that the server gives one generation where it asked for three; its clients and LangChain's
# are closed by the garbage collector after their event loop, which asyncio tells with a traceback each.
logging.getLogger("ragas").setLevel(logging.ERROR)
logging.getLogger("asyncio").setLevel(logging.CRITICAL)

MODEL = "gpt-4o-mini"


def collections_metrics(api_base: str, cache: Any = None, embedder: Embedder | None = None) -> list[Any]:
    """`ragas.metrics.collections`, an OpenAI client and instructor: what Ragas 0.4 recommends.

    With an `embedder` the texts are embedded in this process, as Assay does; without, over HTTP, Ragas's default.
    """
    from openai import AsyncOpenAI
    from ragas.embeddings import OpenAIEmbeddings
    from ragas.llms import llm_factory
    from ragas.metrics.collections import AnswerRelevancy, Faithfulness

    client = AsyncOpenAI(base_url=api_base, api_key="none")
    llm = llm_factory(MODEL, client=client, cache=cache)
    if embedder is None:
        embeddings: Any = OpenAIEmbeddings(client=client, cache=cache)
    else:
        embeddings = newer_embeddings(embedder)
    return [Faithfulness(llm=llm), AnswerRelevancy(llm=llm, embeddings=embeddings)]


async def score_collections(metrics: Sequence[Any], samples: Sequence[Sample], concurrency: int) -> list[float]:
    """Each metric of each sample, `concurrency` at once. Raises what Ragas raises."""
    turn = asyncio.Semaphore(concurrency)

    async def one(metric: Any, sample: Sample) -> float:
        fields: dict[str, Any] = {"user_input": sample.user_input, "response": sample.response}
        if metric.name == "faithfulness":
            fields["retrieved_contexts"] = list(sample.retrieved_contexts)
        async with turn:
            return float((await metric.ascore(**fields)).value)

    return list(await asyncio.gather(*(one(metric, sample) for sample in samples for metric in metrics)))


def score_evaluate(
    api_base: str,
    samples: Sequence[Sample],
    concurrency: int,
    *,
    embedder: Embedder | None = None,
) -> list[float]:
    """`ragas.evaluate` with its older metrics and LangChain's client: what most of its documentation shows."""
    import httpx
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings as LangchainEmbeddings
    from ragas import EvaluationDataset, RunConfig, evaluate
    from ragas.embeddings import LangchainEmbeddingsWrapper
    from ragas.llms import LangchainLLMWrapper
    from ragas.metrics._answer_relevance import ResponseRelevancy
    from ragas.metrics._faithfulness import Faithfulness

    client = httpx.AsyncClient(timeout=60)  # LangChain's own outlives the event loop that its connections are of
    chat = ChatOpenAI(model=MODEL, base_url=api_base, api_key="none", http_async_client=client)
    llm = LangchainLLMWrapper(chat)
    if embedder is None:
        embeddings: Any = LangchainEmbeddingsWrapper(
            LangchainEmbeddings(base_url=api_base, api_key="none", check_embedding_ctx_length=False)
        )
    else:
        embeddings = older_embeddings(embedder)
    metrics = [Faithfulness(llm=llm), ResponseRelevancy(llm=llm, embeddings=embeddings)]
    fields = ("user_input", "response", "retrieved_contexts", "reference")
    dataset = EvaluationDataset.from_list([sample.model_dump(include={*fields}) for sample in samples])
    result = evaluate(dataset, metrics=metrics, run_config=RunConfig(max_workers=concurrency), show_progress=False)
    return [float(value) for metric in metrics for value in result[metric.name]]


def newer_embeddings(embedder: Embedder) -> Any:
    """Our embedder as the embeddings of `ragas.metrics.collections`."""
    from ragas.embeddings import BaseRagasEmbedding

    class Embeddings(BaseRagasEmbedding):  # type: ignore[misc]
        async def aembed_text(self, text: str, **_: Any) -> list[float]:
            return (await _vectors(embedder, [text]))[0]

        async def aembed_texts(self, texts: list[str], **_: Any) -> list[list[float]]:
            return await _vectors(embedder, texts)

        def embed_text(self, text: str, **_: Any) -> list[float]:
            return run_beside(self.aembed_text(text))

        def embed_texts(self, texts: list[str], **_: Any) -> list[list[float]]:
            return run_beside(self.aembed_texts(texts))

    return Embeddings()


def older_embeddings(embedder: Embedder) -> Any:
    """Our embedder as the embeddings of `ragas.metrics`."""
    from ragas import RunConfig
    from ragas.embeddings import BaseRagasEmbeddings

    class Embeddings(BaseRagasEmbeddings):  # type: ignore[misc]
        async def aembed_query(self, text: str) -> list[float]:
            return (await _vectors(embedder, [text]))[0]

        async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
            return await _vectors(embedder, texts)

        def embed_query(self, text: str) -> list[float]:
            return run_beside(self.aembed_query(text))

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return run_beside(self.aembed_documents(texts))

    embeddings = Embeddings()
    embeddings.set_run_config(RunConfig())
    return embeddings


async def _vectors(embedder: Embedder, texts: list[str]) -> list[list[float]]:
    vectors: list[list[float]] = (await embedder.unit_vectors(texts)).tolist()
    return vectors


def run_beside(work: Any) -> Any:
    """Runs a coroutine to its end in another thread: Ragas embeds from async code without awaiting."""
    return asyncio.run_coroutine_threadsafe(work, _background_loop()).result()


@cache
def _background_loop() -> asyncio.AbstractEventLoop:
    """One for all calls: an HTTP client lives in the loop that it was made in."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


def scored_share(values: Sequence[float]) -> float:
    """How many values are numbers: a fast pipeline that loses its scores would be no rival."""
    return sum(not math.isnan(value) for value in values) / len(values)
