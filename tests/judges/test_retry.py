"""What is worth asking again, and when: by the errors that litellm really raises."""

import asyncio
import threading
import time
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer, Request

from assay.judges import is_passing, is_too_many, load_litellm, retry_after


def error_of(server: OpenAIServer, answer: Answer, **options: Any) -> Exception:
    """What litellm raises for this answer."""
    server.script = lambda _: answer

    async def call() -> Exception:
        messages = [{"role": "user", "content": "Hello"}]
        timeout = 0.5 if answer.fault == "hang" else 60
        place = {"model": "openai/test", "api_base": server.api_base, "max_retries": 0, "timeout": timeout, **options}
        try:
            await load_litellm().acompletion(messages=messages, **place)
        except Exception as error:
            return error
        raise AssertionError("no error")

    return asyncio.run(call())


MODELS = ["openai/test", "hosted_vllm/test"]  # litellm reaches them in two ways, with errors of two makes


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("answer", "passing"),
    [
        (Answer(status=400), False),
        (Answer(status=401), False),
        (Answer(status=404), False),
        (Answer(status=408), True),
        (Answer(status=429), True),
        (Answer(status=500), True),
        (Answer(status=529), True),
        (Answer(fault="reset"), True),
        (Answer(fault="hang"), True),
        (Answer(status=429, error_code="insufficient_quota"), False),
    ],
)
def test_what_may_pass(model, answer, passing, openai_server, litellm_ready):
    if model.startswith("hosted_vllm") and answer.error_code:
        pytest.skip("the code of OpenAI's own accounts")
    error = error_of(openai_server, answer, model=model)
    assert is_passing(error) is passing, repr(error)
    assert is_too_many(error) is (answer.status == 429 and passing)


def test_what_is_wrong_before_anything_is_sent_and_our_own_errors_do_not_pass(
    openai_server, litellm_ready, monkeypatch
):
    # litellm calls these 500.
    assert not is_passing(error_of(openai_server, Answer(), temperature=object()))
    assert not is_passing(error_of(openai_server, Answer(), model="nobody/test"))
    for key in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    for model in ("openai/test", "gemini/gemini-2.0-flash", "anthropic/claude-3-5-haiku-latest"):
        assert not is_passing(error_of(openai_server, Answer(), model=model)), model
    assert not openai_server.requests
    assert not is_passing(ValueError("a defect"))
    assert not is_passing(KeyError("a defect"))
    assert is_passing(TimeoutError())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "-3"}, 0),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_the_providers_word(headers, seconds, model, openai_server, litellm_ready):
    assert retry_after(error_of(openai_server, Answer(status=429, headers=headers), model=model)) == seconds


def test_retry_after_is_waited_for(openai_server, judge, ask):
    came: list[float] = []

    def script(request: Request) -> Answer | None:
        came.append(time.monotonic())
        return Answer(status=429, headers={"Retry-After": "0.3"}) if request.attempt == 1 else None

    openai_server.script = script
    asking = judge(wait=0)
    asyncio.run(asking.ask(ask("Are you there?")))
    assert came[1] - came[0] >= 0.3
    assert asking.retries == 1


def test_without_the_providers_word_the_settings_bound_the_wait(openai_server, judge, ask, monkeypatch):
    """Waits are drawn from 0 to 0.05, 0.1 and 0.2 s."""
    waits, sleep, here = list[float](), asyncio.sleep, threading.current_thread()

    async def wait(seconds: float, *_: Any) -> None:
        if threading.current_thread() is here:
            waits.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", wait)
    openai_server.script = lambda request: Answer(status=500) if request.attempt < 4 else None
    asyncio.run(judge(wait=0.05, attempts=4).ask(ask("Are you there?")))
    assert len(openai_server.requests) == 4
    first, second, third = [seconds for seconds in waits if seconds]
    assert first <= 0.05 and second <= 0.1 and third <= 0.2


def test_waiting_does_not_keep_others_from_asking(openai_server, judge, ask):
    """A call that waits for its next attempt holds no place: at concurrency 1 the second question goes first."""
    order: list[str] = []

    def script(request: Request) -> Answer | None:
        order.append(request.user)
        first = request.user == "One" and request.attempt == 1
        return Answer(status=503, headers={"Retry-After": "0.2"}) if first else None

    openai_server.script = script
    asking = judge(concurrency=1)

    async def both() -> None:
        await asyncio.gather(asking.ask(ask("One")), asking.ask(ask("Two")))

    asyncio.run(both())
    assert order == ["One", "Two", "One"]
