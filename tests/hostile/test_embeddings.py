"""Embedding replies that are wrong: nothing of them is used, and nothing of them is recorded."""

import asyncio
import base64
import json

import numpy as np
import pytest
from openai_server import Answer

from assay.errors import InputError, JudgeError
from assay.judges import Cassette, LiteLLMEmbedder

TEXTS = ["one", "two", "three"]
VECTORS = {"one": [1.0, 0.0], "two": [0.0, 2.0], "three": [3.0, 4.0], "four": [1.0, 1.0]}

# What becomes of the right items: in the texts' order, with their indexes.
WRONG = {
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
    "a word among numbers": lambda items: [*items[:2], items[2] | {"embedding": [3.0, "four"]}],
    "null among numbers": lambda items: [*items[:2], items[2] | {"embedding": [3.0, None]}],
    "larger than any float": lambda items: [*items[:2], items[2] | {"embedding": [10**400, 1]}],
    "deeply nested": lambda items: [*items[:2], items[2] | {"embedding": [[[[[[1.0]]]]], 1.0]}],
    "no embedding": lambda items: [{"object": "embedding", "index": item["index"]} for item in items],
}
RIGHT = {
    "in order": lambda items: items,
    "in another order": lambda items: [items[2], items[0], items[1]],
    "without indexes": lambda items: [
        {name: value for name, value in item.items() if name != "index"} for item in items
    ],
}


def embedding_body(request, change):
    items = [
        {"object": "embedding", "index": place, "embedding": VECTORS[text]}
        for place, text in enumerate(request.body["input"])
    ]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    return json.dumps({"object": "list", "model": "embed", "data": change(items), "usage": usage})


@pytest.fixture
def embed(openai_server, tmp_path):
    """Embeds the texts with a cassette, the server's replies changed; unit vectors, or the error."""

    def run(change, texts=TEXTS, mode="auto"):
        openai_server.script = lambda request: Answer(raw=embedding_body(request, change))
        with Cassette(tmp_path / "vectors.jsonl", mode) as cassette:
            embedder = LiteLLMEmbedder("openai/embed", cassette, api_base=openai_server.api_base, attempts=1)
            try:
                return asyncio.run(embedder.unit_vectors(texts))
            except JudgeError as error:
                return error

    return run


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_reply_fails_and_leaves_no_recording(name, embed, openai_server, tmp_path):
    error = embed(WRONG[name])
    assert isinstance(error, JudgeError), error
    assert "the vectors cannot be used" in str(error) or "the call" in str(error)
    path = tmp_path / "vectors.jsonl"
    assert not path.exists() or not list(Cassette(path).recordings())
    right = embed(RIGHT["in order"])
    assert np.allclose(right, [[1, 0], [0, 1], [0.6, 0.8]]), "the next run is not wrong"
    assert len(openai_server.requests) == 2


@pytest.mark.parametrize("name", RIGHT)
def test_each_text_gets_its_own_vector(name, embed):
    assert np.allclose(embed(RIGHT[name]), [[1, 0], [0, 1], [0.6, 0.8]])
    assert np.allclose(embed(WRONG["no vector"], mode="replay"), [[1, 0], [0, 1], [0.6, 0.8]])


def longer(items):
    """A reply that is consistent in itself, of another dimension."""
    return [item | {"embedding": [*item["embedding"], 0.5]} for item in items]


def recorded_lengths(path):
    """How many numbers each recorded vector has, read from the file without the embedder."""
    entries = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [len(base64.b64decode(entry["text"])) // 4 for entry in entries if entry["schema"] == "float32"]


def test_a_reply_of_another_dimension_than_the_recorded_ones_is_not_recorded(embed, tmp_path):
    embed(RIGHT["in order"], texts=["one"])
    error = embed(longer, texts=["one", "two", "three"])
    assert isinstance(error, JudgeError)
    assert "vectors of [2] and [3] dimensions" in str(error) and "--mode record" in str(error)
    assert recorded_lengths(tmp_path / "vectors.jsonl") == [2]


def test_all_vectors_can_be_recorded_anew_by_a_model_of_another_dimension(embed, tmp_path):
    """The cure that the message names."""
    embed(RIGHT["in order"])
    assert embed(longer, mode="record").shape == (3, 3)
    assert recorded_lengths(tmp_path / "vectors.jsonl") == [3, 3, 3]
    assert embed(longer).shape == (3, 3)


@pytest.mark.parametrize("text", ["!!!", "AAAA", "AAAAAAAAAA=="], ids=["no base64", "three bytes", "seven bytes"])
def test_a_recording_that_is_no_vector_names_its_line(text, embed, tmp_path):
    path = tmp_path / "vectors.jsonl"
    embed(RIGHT["in order"], texts=["one"])
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    changed = [entry | ({"text": text} if entry["schema"] == "float32" else {}) for entry in entries]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in changed))
    with pytest.raises(InputError, match=r"vectors\.jsonl: the recording \w{32} is no vector .*record it again"):
        embed(RIGHT["in order"], texts=["one"], mode="replay")


@pytest.mark.parametrize("usage", [{"prompt_tokens": -5}, {"prompt_tokens": 10**12}, None])
def test_an_impossible_usage_counts_as_the_most_that_the_texts_may_be(usage, openai_server):
    items = [{"object": "embedding", "index": 0, "embedding": [1.0, 0.0]}]
    body = {"object": "list", "model": "embed", "data": items}
    openai_server.script = lambda _: Answer(raw=json.dumps(body | ({"usage": usage} if usage else {})))
    embedder = LiteLLMEmbedder("openai/embed", api_base=openai_server.api_base, attempts=1)
    asyncio.run(embedder.unit_vectors(["one two three"]))
    assert embedder.usage.tokens_in == 13 + 8  # the most: one a byte, and what may stand around a text
