"""Calls through litellm: sent once, heard by those who listen, and by nobody else."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import requires
from typing import Any

import pytest
from modules import module_of
from openai_server import Answer

from assay.errors import JudgeError
from assay.judges import RawReply, acompletion

litellm_calls = module_of(acompletion)

PROVIDERS = ["openai", "hosted_vllm"]


@pytest.fixture
def litellm(litellm_ready: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """litellm to which nobody listens, whatever other tests did."""
    import litellm

    for name in litellm_calls._LISTENERS:
        monkeypatch.setattr(litellm, name, [])
    return litellm


def get_reply(judge: Callable[..., Any], ask: Callable[..., Any], **options: Any) -> RawReply:
    """What a judge says, without how long it took."""
    reply = asyncio.run(judge(**options).ask(ask("Are you there?", logprobs=True)))
    return replace(reply.raw, seconds=0.0)


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_reply_has_its_words_probabilities_and_usage(provider, openai_server, judge, ask):
    openai_server.script = lambda _: Answer(text="Yes", logprobs=[{"Yes": -0.1, "No": -2.4}], usage=(12, 3))
    reply = get_reply(judge, ask, model=f"{provider}/test", logprobs=True)
    assert (reply.text, reply.tokens_in, reply.tokens_out, reply.usd) == ("Yes", 12, 3, None)
    assert reply.logprobs == ({"Yes": -0.1, "No": -2.4},)


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_call_whose_connection_breaks_is_sent_once(provider, openai_server, judge, ask):
    """By itself litellm's HTTP client sends it again, past the judge's attempts and its budget."""
    openai_server.script = lambda _: Answer(fault="reset")
    with pytest.raises(JudgeError, match="Connection error"):
        get_reply(judge, ask, model=f"{provider}/test", attempts=1)
    assert len(openai_server.requests) == 1


def test_who_listens_to_litellm_hears_of_the_call(openai_server, judge, ask, litellm, monkeypatch):
    heard: list[str] = []
    is_called = asyncio.Event()

    async def listen(call: dict[str, Any], *_: Any) -> None:
        if call["model"] == "test":  # litellm may tell late, in its own thread, of a call that an earlier test made
            heard.append(call["model"])
            is_called.set()

    monkeypatch.setattr(litellm, "success_callback", [listen])

    async def ask_and_wait() -> None:
        await judge().ask(ask("Are you there?"))
        await asyncio.wait_for(is_called.wait(), 10)

    asyncio.run(ask_and_wait())
    assert heard == ["test"]


def test_a_litellm_without_the_switch_of_its_log_is_asked_too(openai_server, judge, ask, monkeypatch):
    monkeypatch.setattr(litellm_calls, "_find_switch", lambda: None)
    assert get_reply(judge, ask).text
    assert len(openai_server.requests) == 1


def test_litellms_range_is_bounded():
    """Calls use internals; the bound is the newest version that these tests passed with."""
    (requirement,) = [each for each in requires("assay") or [] if each.startswith("litellm")]
    assert "<" in requirement and ">=" in requirement
