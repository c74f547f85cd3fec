"""One limit and one budget for all workers; what a dead worker held is free again, and counts as spent."""

import asyncio

from assay.judges.question import RawReply
from assay.judges.request_size import RequestSize
from assay.runs.shards.cluster_limits import ClusterBudget, ClusterLimits

SIZE = RequestSize(tokens_in=60, tokens_out=40, most_in=60)
REPLY = RawReply("m", "text", tokens_in=60, tokens_out=10)


def test_workers_share_the_places() -> None:
    async def check() -> None:
        limits = ClusterLimits(2, ClusterBudget())
        await limits.take_place("a")
        ticket = await limits.take_place("b")
        third = asyncio.create_task(limits.take_place("a"))
        await asyncio.sleep(0)
        assert not third.done()
        await limits.leave_place("b")
        await third
        await limits.halve(ticket)  # too many calls: one place from now on, which "a" holds twice
        fourth = asyncio.create_task(limits.take_place("b"))
        await limits.leave_place("a")
        await asyncio.sleep(0)
        assert not fourth.done()
        await limits.leave_place("a")
        await fourth

    asyncio.run(check())


def test_the_budget_is_one_for_all_workers() -> None:
    """250 tokens: two calls of 100 at most fit; the first took 70, so that 30 more of it are free for the third."""

    async def check() -> None:
        limits = ClusterLimits(9, ClusterBudget(tokens=250))
        first = await limits.begin("a", SIZE)
        assert isinstance(first, int)
        await limits.end("a", first, REPLY)
        second = await limits.begin("b", SIZE)
        third = asyncio.create_task(limits.begin("a", SIZE))
        await asyncio.sleep(0)
        assert not third.done()  # 70 + 100 + 100 is more than 250: it waits for the second
        assert isinstance(second, int)
        await limits.end("b", second, REPLY)
        assert isinstance(await third, int)
        refused = limits.begin("b", SIZE)
        await limits.end("a", third.result(), REPLY)  # type: ignore[arg-type]
        answer = await refused
        assert answer == ("BudgetReached", answer[1])  # type: ignore[index]
        assert await limits.spent() == (3, 210, 0.0)

    asyncio.run(check())


def test_a_dead_worker_keeps_no_place_and_its_calls_count_as_spent() -> None:
    async def check() -> None:
        limits = ClusterLimits(1, ClusterBudget(calls=2, tokens=1000), lease_seconds=-1)  # everybody is dead at once
        await limits.take_place("dead")
        assert isinstance(await limits.begin("dead", SIZE), int)
        limits.take_from_dead()
        await limits.take_place("alive")
        number = await limits.begin("alive", SIZE)
        assert isinstance(number, int)
        await limits.end("alive", number, REPLY)
        assert await limits.spent() == (2, 170, 0.0)  # 100 at most of the lost call, and 70
        assert isinstance(await limits.begin("alive", SIZE), tuple)
        await limits.end("dead", 1, REPLY)  # a late sign of one that was not dead changes nothing
        assert await limits.spent() == (2, 170, 0.0)

    asyncio.run(check())
