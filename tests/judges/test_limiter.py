"""The limiter: never more than its limit at once, halved once a burst, no place ever lost."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from openai_server import Answer, Request

from assay.judges import AdaptiveLimiter


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
