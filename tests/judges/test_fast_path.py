"""The fast path gives what litellm's full path gives, and is left where users set what only litellm takes care of."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import requires
from typing import Any

import pytest
from modules import module_of
from openai_server import Answer, OpenAIServer

from assay.errors import JudgeError
from assay.judges import RawReply, acompletion

fast_path = module_of(acompletion)

PROVIDERS = ["openai", "hosted_vllm"]


@pytest.fixture
def litellm(litellm_ready: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """litellm as nobody has set anything in it, whatever other tests did."""
    import litellm

    for name in fast_path._LEFT_TO_LITELLM:
        value = getattr(litellm, name)
        monkeypatch.setattr(litellm, name, type(value)() if isinstance(value, (list, dict)) else None)
    return litellm


@pytest.fixture
def no_full_path(litellm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(**_: Any) -> None:
        raise AssertionError("the full path was taken")

    monkeypatch.setattr(litellm, "acompletion", refuse)


@pytest.fixture
def only_full_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_path, "_PROVIDERS", frozenset())


def get_reply(judge: Callable[..., Any], ask: Callable[..., Any], **options: Any) -> RawReply:
    """What a judge says, without how long it took."""
    reply = asyncio.run(judge(**options).ask(ask("Are you there?", logprobs=True)))
    return replace(reply.raw, seconds=0.0)


def with_logprobs(server: OpenAIServer) -> None:
    server.script = lambda _: Answer(text="Yes", logprobs=[{"Yes": -0.1, "No": -2.4}], usage=(12, 3))


@pytest.mark.usefixtures("no_full_path")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_fast_path_is_taken(provider, openai_server, judge, ask):
    with_logprobs(openai_server)
    reply = get_reply(judge, ask, model=f"{provider}/test", logprobs=True)
    assert (reply.text, reply.tokens_in, reply.tokens_out, reply.usd) == ("Yes", 12, 3, None)
    assert reply.logprobs == ({"Yes": -0.1, "No": -2.4},)


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_both_paths_say_and_send_the_same(provider, openai_server, judge, ask, request):
    with_logprobs(openai_server)
    options = {"model": f"{provider}/test", "logprobs": True, "parameters": {"temperature": 0, "seed": 7}}
    fast = get_reply(judge, ask, **options)
    request.getfixturevalue("only_full_path")
    assert get_reply(judge, ask, **options) == fast
    sent_fast, sent_full = (each.body for each in openai_server.requests)
    assert sent_fast == sent_full


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_both_paths_fail_alike(provider, openai_server, judge, ask, request):
    def failure(status: int) -> str:
        openai_server.script = lambda _: Answer(status=status, error_message="no, thank you")
        with pytest.raises(JudgeError, match="no, thank you") as caught:
            get_reply(judge, ask, model=f"{provider}/test", attempts=1)
        return str(caught.value)

    statuses = [400, 401, 404, 429, 500]
    fast = [failure(status) for status in statuses]
    request.getfixturevalue("only_full_path")
    assert [failure(status) for status in statuses] == fast


@pytest.mark.usefixtures("no_full_path")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_call_whose_connection_breaks_is_sent_once(provider, openai_server, judge, ask):
    """By itself litellm's HTTP client sends it again, past the judge's attempts and its budget."""
    openai_server.script = lambda _: Answer(fault="reset")
    with pytest.raises(JudgeError, match="Connection error"):
        get_reply(judge, ask, model=f"{provider}/test", attempts=1)
    assert len(openai_server.requests) == 1


@pytest.mark.usefixtures("litellm")
def test_what_is_set_for_openais_client_holds(openai_server, judge, ask, monkeypatch):
    """Only OpenAI's client, on the full path, reads the project from the environment."""
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-7")
    assert get_reply(judge, ask).text
    assert openai_server.requests[0].headers["openai-project"] == "proj-7"


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


def test_a_parameter_for_litellm_itself_takes_the_full_path(openai_server, judge, ask):
    """litellm's fallbacks: the first model fails, another answers, and nobody blocks the event loop meanwhile."""
    openai_server.script = lambda request: Answer(status=400) if request.body["model"] == "test" else None
    fallback = {"model": "openai/other", "api_base": openai_server.api_base}
    assert get_reply(judge, ask, parameters={"fallbacks": [fallback]}).text
    assert [request.body["model"] for request in openai_server.requests] == ["test", "other"]


@pytest.fixture
def other_litellm(litellm: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A litellm whose log of a call takes other arguments."""

    def changed(model: str, messages: list[Any]) -> None:
        raise AssertionError("it is made without the arguments that it takes")

    monkeypatch.setattr("litellm.litellm_core_utils.litellm_logging.Logging", changed)
    fast_path._internals.cache_clear()
    yield
    fast_path._internals.cache_clear()


@pytest.mark.usefixtures("other_litellm")
def test_another_litellm_takes_the_full_path_and_one_line_says_so(openai_server, judge, ask, caplog):
    assert get_reply(judge, ask).text and get_reply(judge, ask).text
    assert len(openai_server.requests) == 2
    (line,) = [record.getMessage() for record in caplog.records if record.name == fast_path.__name__]
    assert "calls take litellm's full path" in line and "'stream'" in line


def test_litellms_range_is_bounded():
    """The fast path uses internals; the bound is the newest version that these tests passed with."""
    (requirement,) = [each for each in requires("assay") or [] if each.startswith("litellm")]
    assert "<" in requirement and ">=" in requirement


@pytest.mark.parametrize(
    ("model", "is_chat"), [("gpt-4o-mini", True), ("gpt-5-pro", False), ("responses/gpt-4o", False)]
)
def test_only_chat_completions_take_the_fast_path(model, is_chat, litellm):
    """litellm reaches gpt-5-pro, and what stands after `responses/`, by another endpoint."""
    assert fast_path._is_chat(model, "openai") is is_chat
