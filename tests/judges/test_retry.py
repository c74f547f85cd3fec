"""What is worth asking again, and when, by the errors that litellm really raises; and how many ask at once."""

import asyncio
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from modules import module_of
from openai_server import Answer, OpenAIServer

from assay.errors import JudgeError
from assay.judges import (
    AdaptiveLimiter,
    LiteLLMJudge,
    Predicate,
    Request,
    is_passing,
    is_too_many,
    load_litellm,
    retry_after,
)

costs_nothing = module_of(is_passing).costs_nothing


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


def test_errors_that_are_each_others_cause_are_looked_at_once_each():
    """As litellm's time-out of a decision model; measured before: no end, and more memory each second."""
    first, second = TimeoutError("first"), RuntimeError("second")
    first.__context__, second.__cause__ = second, first
    assert [costs_nothing(error) for error in (first, second)] == [False, False]
    second.__context__ = second.__cause__ = ConnectionRefusedError()  # an end that is reached: it was never sent
    assert [costs_nothing(error) for error in (first, second)] == [True, True]


@pytest.mark.parametrize("protocol", ["decisions", "systemone"])
def test_a_decision_model_that_hangs_or_breaks_off_ends_with_its_error(protocol, openai_server, settings):
    model = "openai/test" if protocol == "decisions" else "hosted_vllm/test"
    asking = LiteLLMJudge(settings.with_changes(model=model, decide=protocol, attempts=1, timeout=0.5))
    request = Request("support", {"documentation": "It is free."}, [Predicate("1", "It is free.")], "en")
    for fault in ("hang", "cut"):
        openai_server.script = lambda _, fault=fault: Answer(fault=fault)
        with pytest.raises(JudgeError, match="the call failed once"):
            asyncio.run(asking.decide(request))


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


def test_a_burst_of_429s_halves_once():
    async def burst() -> AdaptiveLimiter:
        limiter = AdaptiveLimiter(16)

        async def call() -> None:
            async with limiter.slot() as ticket:
                await asyncio.sleep(0)  # all 16 are under way before one hears
                limiter.halve(ticket)

        await asyncio.gather(*(call() for _ in range(16)))
        return limiter

    assert asyncio.run(burst()).limit == 8


def test_it_halves_down_to_one_and_grows_back_by_one_each_limit_calls():
    async def work() -> list[int]:
        limiter, limits = AdaptiveLimiter(4), []
        for _ in range(4):
            async with limiter.slot() as ticket:
                limiter.halve(ticket)
            limits.append(limiter.limit)
        for _ in range(12):
            async with limiter.slot():
                limiter.count_success()
            limits.append(limiter.limit)
        return limits

    # 4 -> 2 -> 1 -> 1 -> 1; then 2 after 1 call, 3 after 2 more, 4 after 3 more, and no further
    assert asyncio.run(work()) == [2, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4]


@given(
    most=st.integers(1, 4),
    fates=st.lists(st.sampled_from(["well", "halve", "raise", "cancel", "cancel later"]), min_size=1, max_size=24),
)
@settings(max_examples=60)
def test_law_no_place_is_lost(most, fates):
    """Whatever becomes of the callers, all come to an end, never more than `most` are in, and all places come back."""

    async def everything() -> None:
        limiter, most_in = AdaptiveLimiter(most), 0

        async def call(fate: str) -> None:
            nonlocal most_in
            async with limiter.slot() as ticket:
                most_in = max(most_in, limiter.running)
                await asyncio.sleep(0)
                if fate == "halve":
                    limiter.halve(ticket)
                elif fate == "raise":
                    raise ValueError
                limiter.count_success()

        tasks = [asyncio.create_task(call(fate)) for fate in fates]
        for turn in range(2):
            await asyncio.sleep(0)
            for task, fate in zip(tasks, fates, strict=True):
                if fate == ("cancel", "cancel later")[turn]:
                    task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert most_in <= most
        assert limiter.running == 0
        async with limiter.slot():
            assert limiter.running == 1

    asyncio.run(everything())


def test_429s_halve_what_is_under_way(openai_server, judge, ask):
    """The first 16 come together and hear 429; from then on at most 8 are under way, and a few more as it goes well."""
    at_once: list[int] = []

    def script(request: Request) -> Answer:
        if request.number <= 16:
            return Answer(status=429, latency=0.5)
        at_once.append(openai_server.under_way + 1)
        return Answer(latency=0.05)

    openai_server.script = script
    asking = judge(concurrency=16)

    async def all_at_once() -> None:
        await asyncio.gather(*(asking.ask(ask(f"Question {number}")) for number in range(24)))

    asyncio.run(all_at_once())
    assert openai_server.most_at_once == 16
    assert max(at_once[:8]) <= 8
    assert max(at_once) <= 8 + 2, "24 calls that go well at limit 8 make it grow by 1 after 8 and 1 after 9 more"
    assert asking.retries == 16


@pytest.mark.parametrize("status", [500, 400])
def test_other_faults_do_not_halve(status, openai_server, judge, ask):
    openai_server.script = lambda request: Answer(status=status) if request.number == 1 else None
    asking = judge(concurrency=8)
    asyncio.run(asyncio.wait_for(_any_way(asking, ask("Are you there?")), 5))
    assert [limiter.limit for limiter in asking.connection.limiters.values()] in ([8], [])


async def _any_way(asking: Any, question: Any) -> None:
    await asyncio.gather(asking.ask(question), return_exceptions=True)
