"""Budgets: never passed, however many calls are under way, and ended so that nothing paid for is lost."""

import asyncio
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer

from assay.errors import BudgetReached
from assay.judges import Budget, LiteLLMJudge

PRICE = {"input": 10, "output": 20}  # with 30 tokens in and 50 out: 0.0003 + 0.001 = 0.0013 USD per call
ROOM = 50  # max_tokens: a call of 21 or 22 bytes, with 8 around both messages, reserves 87 or 88 tokens and takes 80


@pytest.fixture
def server(openai_server: OpenAIServer) -> OpenAIServer:
    openai_server.script = lambda _: Answer(usage=(30, 50))
    openai_server.latency = 0.005
    return openai_server


def ask_many(judge: LiteLLMJudge, ask: Any, count: int) -> list[Any]:
    async def together() -> list[Any]:
        async with judge:
            calls = [judge.ask(ask(f"Question {number}")) for number in range(count)]
            return await asyncio.gather(*calls, return_exceptions=True)

    return asyncio.run(together())


@pytest.mark.parametrize("concurrency", [1, 3, 48])
@pytest.mark.parametrize(
    ("budget", "calls", "bound"),
    [
        ({"calls": 7}, 7, "7 calls"),
        ({"tokens": 1000}, 12, "1,000 tokens"),  # 11 x 80 + 88 = 968, 12 x 80 + 88 would be 1048
        ({"tokens": 900}, 11, "900 tokens"),
        ({"usd": 0.0101}, 7, "0.0101 USD"),  # 6 x 0.0013 + 0.00138 = 0.00918, 7 x 0.0013 + 0.00138 would be 0.01048
        ({"calls": 4, "tokens": 10_000, "usd": 1}, 4, "4 calls"),
        ({"calls": 0}, 0, "0 calls"),
    ],
)
def test_a_bound_is_reached_and_not_passed(*, budget, calls, bound, concurrency, server, judge, ask):
    asking = judge(budget=Budget(**budget), price=PRICE, concurrency=concurrency, max_tokens=ROOM)
    replies = ask_many(asking, ask, 48)
    refused = [each for each in replies if isinstance(each, BudgetReached)]
    assert len(server.requests) == calls
    assert len(refused) == 48 - calls
    assert all(f"the budget of {bound} is reached" in str(each) for each in refused)


@pytest.mark.parametrize("budget", [{}, {"tokens": 10**6}])
def test_the_first_call_does_not_go_alone(budget, server, judge, ask):
    server.latency = 0.2
    ask_many(judge(concurrency=10, budget=Budget(**budget)), ask, 10)
    assert server.most_at_once == 10


def test_a_call_larger_than_the_budget_is_not_made(server, judge, ask):
    """A token for each of 21 bytes, and 8 for each message, make 37; 500 for the reply."""
    (reply,) = ask_many(judge(budget=Budget(tokens=536), max_tokens=500), ask, 1)
    assert isinstance(reply, BudgetReached)
    assert "0 calls took 0 tokens, cost 0.0000 USD; the next call may take 537 tokens" in str(reply)
    assert not server.requests


def test_nothing_begins_after_the_call_that_does_not_fit(server, judge, ask):
    """A smaller call would still fit: then what the error says was paid would be less than what the run paid.

    The small prompts have 21 bytes and take 80 tokens each. After six of them 520 of 1,000 are left: too few for the
    long prompt, of over 600 bytes.
    """
    asking = judge(budget=Budget(tokens=1000), max_tokens=ROOM)

    async def in_turn() -> list[Any]:
        async with asking:
            for number in range(6):
                await asking.ask(ask(f"Question {number}"))
            later = [asking.ask(ask(text)) for text in ("Long " * 120, "Question 7")]
            return await asyncio.gather(*later, return_exceptions=True)

    replies = asyncio.run(in_turn())
    assert [type(each).__name__ for each in replies] == ["BudgetReached"] * 2
    assert all("6 calls took 480 tokens" in str(each) for each in replies)
    assert len(server.requests) == 6


def test_calls_that_are_made_again_count(openai_server, judge, ask):
    openai_server.script = lambda request: Answer(status=500)
    replies = ask_many(judge(budget=Budget(calls=2), attempts=5), ask, 1)
    assert isinstance(replies[0], BudgetReached)
    assert len(openai_server.requests) == 2


def test_replies_from_the_cassette_cost_nothing(server, judge, ask, tmp_path):
    ask_many(judge(cassette=tmp_path / "a.jsonl"), ask, 5)
    budget = Budget(calls=1)
    replies = ask_many(judge(cassette=tmp_path / "a.jsonl", budget=budget), ask, 7)
    assert [type(each).__name__ for each in replies].count("BudgetReached") == 1
    assert (budget.begun, budget.spent_tokens) == (1, 80)


def usage_of(judge: LiteLLMJudge, ask: Any) -> Any:
    return asyncio.run(judge.ask(ask("How much?"))).usage


def test_prices(server, judge, ask):
    usage = usage_of(judge(price=PRICE), ask)
    assert (usage.tokens_in, usage.tokens_out, usage.usd) == (30, 50, pytest.approx(0.0013))


def test_an_unknown_cost_is_none_and_never_0(server, judge, ask):
    asking = judge()
    assert usage_of(asking, ask).usd is None
    assert asking.usage.usd is None


def test_litellms_price_where_it_knows_the_model(server, judge, ask):
    """gpt-4o-mini has cost 0.15 and 0.60 USD a million tokens since 2024: 30 x 0.15 + 50 x 0.60 = 34.5 a million."""
    assert usage_of(judge(model="openai/gpt-4o-mini"), ask).usd == pytest.approx(34.5e-6)


def test_a_provider_that_tells_no_usage(openai_server, judge, ask):
    """It counts with the most that it may have taken: a token per byte in, `max_tokens` out; its cost is unknown."""
    openai_server.script = lambda _: Answer(usage=None)
    usage = usage_of(judge(model="openai/gpt-4o-mini", max_tokens=ROOM), ask)
    assert (usage.tokens_in, usage.tokens_out) == (11 + 9 + 2 * 8, ROOM)
    assert (usage.usd, usage.unstated) == (None, 1)
    replies = ask_many(judge(budget=Budget(tokens=2 * (37 + ROOM)), max_tokens=ROOM), ask, 5)
    assert len(openai_server.requests) == 1 + 2
    assert any(isinstance(each, BudgetReached) for each in replies)


@pytest.mark.parametrize("usage", [(0, 5), (0, 0), (-1_000_000, 5), (20, -1_000_000), (10**12, 5), (100, 10**15)])
def test_what_no_request_can_take_counts_as_unstated(usage, openai_server, judge, ask):
    """A prompt of 11 + 9 bytes is at most 36 tokens with two times 8 around it.

    Both bounds count: 36 tokens x 10 + 50 x 20 are 0.00136 USD, and a budget of that is not passed.
    """
    openai_server.script = lambda _: Answer(text="yes", usage=usage)
    budget = Budget(usd=0.00136)
    taken = usage_of(judge(price=PRICE, max_tokens=ROOM, budget=budget), ask)
    assert (taken.tokens_in, taken.tokens_out, taken.unstated) == (36, ROOM, 1)
    assert taken.usd == pytest.approx(0.00136)
    assert budget.spent_usd == pytest.approx(0.00136)


def test_usage_below_what_the_text_must_take_counts_as_unstated(openai_server, judge, ask, caplog):
    """11 + 973 + 2 x 8 = 1,000 bytes are 50 tokens or more, at 20 a token, and a reply of 200 is 10, or 58 at most.

    More tokens out than may be are believed: it may have reasoned.
    """
    asking = judge(max_tokens=ROOM)

    def taken(letter, usage, size):
        openai_server.script = lambda _: Answer(text="x" * size, usage=usage)
        used = usage_of(asking, lambda _: ask(letter * 973))
        return used.tokens_in, used.tokens_out, used.unstated

    assert taken("a", (50, 10), 200) == (50, 10, 0)
    assert not caplog.messages
    assert taken("b", (49, 1), 3) == (1000, 50, 1)
    assert taken("c", (50, 9), 200) == (1000, 58, 1)
    assert taken("d", (1, 700), 3) == (1000, 700, 1)
    assert sum("fewer tokens than" in each for each in caplog.messages) == 1


def test_the_reply_of_a_call_under_way_makes_room_for_the_next(openai_server, judge, ask):
    """A reservation of 200 for the reply is settled at 1: five calls of some 20 tokens fit into 400, one by one."""
    openai_server.script = lambda _: Answer(text="yes", usage=(20, 1), latency=0.01)
    budget = Budget(tokens=400)
    replies = ask_many(judge(budget=budget, max_tokens=200), ask, 5)
    assert [type(reply).__name__ for reply in replies] == ["Reply"] * 5
    assert budget.spent_tokens == 5 * 21


def test_reasoning_beyond_max_tokens_is_believed(openai_server, judge, ask):
    openai_server.script = lambda _: Answer(text="yes", usage=(100, 5000))
    taken = usage_of(judge(price=PRICE, max_tokens=ROOM), ask)
    assert (taken.tokens_in, taken.tokens_out, taken.unstated) == (100, 5000, 0)
