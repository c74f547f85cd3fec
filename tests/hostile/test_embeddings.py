"""Embedding replies that are wrong: nothing of them is used, and nothing of them is recorded."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai_server import Answer, OpenAIServer, Request

from assay.errors import JudgeError
from assay.judges import Cassette
from assay.judges.embedders import LiteLLMEmbedder

TEXTS = ["one", "two", "three"]
VECTORS = {"one": [1.0, 0.0], "two": [0.0, 2.0], "three": [3.0, 4.0]}

# What becomes of the right items: in the texts' order, with their indexes.
Change = Callable[[list[dict[str, Any]]], list[Any]]
WRONG: dict[str, Change] = {
    "one vector too few": lambda items: items[1:],
    "one vector too many": lambda items: [*items, items[0]],
    "no vector": lambda _: [],
    "an index twice": lambda items: [item | {"index": 0} for item in items],
    "indexes from 1": lambda items: [item | {"index": item["index"] + 1} for item in items],
    "an index that is no number": lambda items: [item | {"index": "first"} for item in items],
    "not a number": lambda items: [*items[:2], items[2] | {"embedding": [float("nan"), 1.0]}],
    "infinite": lambda items: [*items[:2], items[2] | {"embedding": [float("inf"), 1.0]}],
    "too large for 32 bits": lambda items: [*items[:2], items[2] | {"embedding": [1e39, 1.0]}],
    "zero": lambda items: [*items[:2], items[2] | {"embedding": [0.0, 0.0]}],
    "empty": lambda items: [item | {"embedding": []} for item in items],
    "of another length": lambda items: [*items[:2], items[2] | {"embedding": [1.0, 1.0, 1.0]}],
    "nested": lambda items: [item | {"embedding": [item["embedding"]]} for item in items],
    "words": lambda items: [item | {"embedding": ["a", "b"]} for item in items],
    "no embedding": lambda items: [{"object": "embedding", "index": item["index"]} for item in items],
}
RIGHT: dict[str, Change] = {
    "in order": lambda items: items,
    "in another order": lambda items: [items[2], items[0], items[1]],
    "without indexes": lambda items: [
        {name: value for name, value in item.items() if name != "index"} for item in items
    ],
}


def embedding_body(request: Request, change: Change) -> str:
    items = [
        {"object": "embedding", "index": place, "embedding": VECTORS[text]}
        for place, text in enumerate(request.body["input"])
    ]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    return json.dumps({"object": "list", "model": "embed", "data": change(items), "usage": usage})


@pytest.fixture
def embed(openai_server: OpenAIServer, tmp_path: Path) -> Callable[..., Any]:
    """Embeds the texts with a cassette, the server's replies changed; unit vectors, or the error."""

    def run(change: Change, texts: list[str] = TEXTS, mode: Any = "auto") -> Any:
        openai_server.script = lambda request: Answer(raw=embedding_body(request, change))
        with Cassette(tmp_path / "vectors.jsonl", mode) as cassette:
            embedder = LiteLLMEmbedder("openai/embed", cassette, api_base=openai_server.api_base, attempts=1)
            try:
                return asyncio.run(embedder.unit_vectors(texts))
            except JudgeError as error:
                return error

    return run


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_reply_fails_and_leaves_no_recording(
    name: str, embed: Any, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    error = embed(WRONG[name])
    assert isinstance(error, JudgeError), error
    assert "the vectors cannot be used" in str(error) or "the call" in str(error)
    path = tmp_path / "vectors.jsonl"
    assert not path.exists() or not list(Cassette(path).recordings())
    right = embed(RIGHT["in order"])
    assert np.allclose(right, [[1, 0], [0, 1], [0.6, 0.8]]), "the next run is not wrong"
    assert len(openai_server.requests) == 2


@pytest.mark.parametrize("name", RIGHT)
def test_each_text_gets_its_own_vector(name: str, embed: Any) -> None:
    assert np.allclose(embed(RIGHT[name]), [[1, 0], [0, 1], [0.6, 0.8]])
    assert np.allclose(embed(WRONG["no vector"], mode="replay"), [[1, 0], [0, 1], [0.6, 0.8]])


def test_a_model_that_changed_its_dimensions_is_not_mixed_with_its_recordings(embed: Any) -> None:
    embed(RIGHT["in order"], texts=["one"])
    error = embed(lambda items: [item | {"embedding": [1.0, 0.0, 0.0]} for item in items], texts=["one", "two"])
    assert isinstance(error, JudgeError)
    assert "vectors of [2] and [3] dimensions" in str(error)


@pytest.mark.parametrize("usage", [{"prompt_tokens": -5}, {"prompt_tokens": 10**12}, None])
def test_an_impossible_usage_is_counted_here(usage: Any, openai_server: OpenAIServer) -> None:
    items = [{"object": "embedding", "index": 0, "embedding": [1.0, 0.0]}]
    body = {"object": "list", "model": "embed", "data": items}
    openai_server.script = lambda _: Answer(raw=json.dumps(body | ({"usage": usage} if usage else {})))
    embedder = LiteLLMEmbedder("openai/embed", api_base=openai_server.api_base, attempts=1)
    asyncio.run(embedder.unit_vectors(["one two three"]))
    assert embedder.usage.tokens_in == 4  # 13 characters / 3.5 = 3.7
