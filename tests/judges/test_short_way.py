"""litellm's short way gives what its long way gives, and is left where users set what the long way sees to."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer

from assay.errors import JudgeError
from assay.judges import RawReply
from assay.judges.short_way import _AROUND

PROVIDERS = ["openai", "hosted_vllm"]


@pytest.fixture
def litellm(litellm_ready: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """litellm as nobody has set anything in it, whatever other tests did."""
    import litellm

    for name in _AROUND:
        monkeypatch.setattr(litellm, name, [] if isinstance(getattr(litellm, name), list) else None)
    return litellm


@pytest.fixture
def no_long_way(litellm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(**_: Any) -> None:
        raise AssertionError("the long way was taken")

    monkeypatch.setattr(litellm, "acompletion", refuse)


@pytest.fixture
def only_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.judges.short_way._PROVIDERS", ())


def said(judge: Callable[..., Any], ask: Callable[..., Any], **options: Any) -> RawReply:
    """What a judge says, without how long it took."""
    reply = asyncio.run(judge(**options).ask(ask("Are you there?", logprobs=True)))
    return replace(reply.raw, seconds=0.0)


def with_logprobs(server: OpenAIServer) -> None:
    server.script = lambda _: Answer(text="Yes", logprobs=[{"Yes": -0.1, "No": -2.4}], usage=(12, 3))


@pytest.mark.usefixtures("no_long_way")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_short_way_is_taken(provider: str, openai_server: OpenAIServer, judge: Any, ask: Any) -> None:
    with_logprobs(openai_server)
    reply = said(judge, ask, model=f"{provider}/test", logprobs=True)
    assert (reply.text, reply.tokens_in, reply.tokens_out, reply.usd) == ("Yes", 12, 3, None)
    assert reply.logprobs == ({"Yes": -0.1, "No": -2.4},)


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_both_ways_say_and_send_the_same(
    provider: str, openai_server: OpenAIServer, judge: Any, ask: Any, request: pytest.FixtureRequest
) -> None:
    with_logprobs(openai_server)
    options = {"model": f"{provider}/test", "logprobs": True, "parameters": {"temperature": 0, "seed": 7}}
    short = said(judge, ask, **options)
    request.getfixturevalue("only_long_way")
    assert said(judge, ask, **options) == short
    sent_short, sent_long = (each.body for each in openai_server.requests)
    assert sent_short == sent_long


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_both_ways_fail_alike(
    provider: str, openai_server: OpenAIServer, judge: Any, ask: Any, request: pytest.FixtureRequest
) -> None:
    def failure(status: int) -> str:
        openai_server.script = lambda _: Answer(status=status, error_message="no, thank you")
        with pytest.raises(JudgeError, match="no, thank you") as caught:
            said(judge, ask, model=f"{provider}/test", attempts=1)
        return str(caught.value)

    statuses = [400, 401, 404, 429, 500]
    short = [failure(status) for status in statuses]
    request.getfixturevalue("only_long_way")
    assert [failure(status) for status in statuses] == short


def test_who_listens_to_litellm_hears_of_the_call(
    openai_server: OpenAIServer, judge: Any, ask: Any, litellm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    told = asyncio.Event()

    async def listen(call: dict[str, Any], *_: Any) -> None:
        heard.append(call["model"])
        told.set()

    monkeypatch.setattr(litellm, "success_callback", [listen])

    async def ask_and_wait() -> None:
        await judge().ask(ask("Are you there?"))
        await asyncio.wait_for(told.wait(), 10)

    asyncio.run(ask_and_wait())
    assert heard == ["test"]


def test_a_parameter_that_litellm_sees_to_is_seen_to(openai_server: OpenAIServer, judge: Any, ask: Any) -> None:
    """litellm's fallbacks: the first model fails, another answers, and nobody blocks the event loop meanwhile."""
    openai_server.script = lambda request: Answer(status=400) if request.body["model"] == "test" else None
    fallback = {"model": "openai/other", "api_base": openai_server.api_base}
    assert said(judge, ask, parameters={"fallbacks": [fallback]}).text
    assert [request.body["model"] for request in openai_server.requests] == ["test", "other"]


@pytest.mark.usefixtures("litellm")
def test_another_version_of_litellm_goes_the_long_way(
    openai_server: OpenAIServer, judge: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(*_: Any, **__: Any) -> None:
        raise TypeError("unexpected keyword argument 'function_id'")

    monkeypatch.setattr("litellm.litellm_core_utils.litellm_logging.Logging", changed)
    assert said(judge, ask).text
    assert len(openai_server.requests) == 1


def test_a_price_that_litellm_lacks_is_looked_for_once_until_it_has_it(
    openai_server: OpenAIServer, judge: Any, ask: Any, litellm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    completion_cost = litellm.completion_cost

    def look(response: Any, model: str) -> float:
        looked.append(model)
        return float(completion_cost(response, model=model))

    monkeypatch.setattr(litellm, "completion_cost", look)
    monkeypatch.setattr(litellm, "model_cost", dict(litellm.model_cost))
    openai_server.script = lambda _: Answer(text="Yes", usage=(12, 3))
    model = "hosted_vllm/nobody-has-heard-of"
    assert [said(judge, ask, model=model).usd for _ in range(3)] == [None] * 3
    assert looked == [model]
    price = {
        "litellm_provider": "hosted_vllm",
        "mode": "chat",
        "input_cost_per_token": 0.5,
        "output_cost_per_token": 2.0,
    }
    litellm.register_model({model: price})
    assert said(judge, ask, model=model).usd == 12 * 0.5 + 3 * 2.0
