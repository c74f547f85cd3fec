"""Budgets under attack: sizes that change, calls at once, and a provider whose usage is nonsense."""

import asyncio
import random

import pytest
from openai_server import Answer

from assay.errors import BudgetReached
from assay.judges import Budget, JudgeSettings, LiteLLMJudge, PlainText, Question
from assay.prompts import Prompt, PromptMessage

ASK = Prompt("ask", "en", (PromptMessage(role="system", content="You answer."),), "$text")
PRICE = {"input": 1.0, "output": 2.0}  # USD per million tokens


def spend(server, questions, budget, **settings):
    """Asks all questions at once under a budget; the replies and errors."""
    options = {"max_tokens": 200, "concurrency": 16, "attempts": 1, "timeout": 30, "price": PRICE} | settings
    judge = LiteLLMJudge(JudgeSettings(model="openai/test", api_base=server.api_base, **options), budget=budget)

    async def ask_all():
        async with judge:
            calls = [judge.ask(Question(ASK, text, PlainText)) for text in questions]
            return await asyncio.gather(*calls, return_exceptions=True)

    return asyncio.run(ask_all())


def taken_by(server):
    """Tokens and USD of all calls, as the server counts: a token per 4 characters in, and the words of its reply."""
    tokens_in = sum(sum(len(m["content"]) for m in r.body["messages"]) // 4 for r in server.requests)
    tokens_out = sum(reply_tokens(request) for request in server.requests)
    return tokens_in + tokens_out, (tokens_in * PRICE["input"] + tokens_out * PRICE["output"]) / 1e6


def reply_tokens(request):
    """From 1 to 200 tokens, by the question alone."""
    return 1 + hash_of(request.user) % 200


def hash_of(text):
    return sum(text.encode())


def honest(request):
    sent = sum(len(message["content"]) for message in request.body["messages"])
    return Answer(text="word " * reply_tokens(request), usage=(sent // 4, reply_tokens(request)), latency=0.01)


SMALL_THEN_LARGE = [f"Small {n}." for n in range(20)] + [f"Large {n}: " + "words and words " * 600 for n in range(40)]


@pytest.mark.parametrize("bound", [{"tokens": 30_000}, {"usd": 0.03}, {"tokens": 3_000}, {"calls": 25}])
def test_twenty_small_samples_and_then_large_ones(bound, openai_server):
    """Measured before: --budget-tokens 30000 took 195,938, --budget-usd 0.03 took 0.17."""
    openai_server.script = honest
    budget = Budget(**bound)
    replies = spend(openai_server, SMALL_THEN_LARGE, budget)
    tokens, usd = taken_by(openai_server)
    assert tokens <= bound.get("tokens", tokens)
    assert usd <= bound.get("usd", usd)
    assert len(openai_server.requests) <= bound.get("calls", 60)
    assert budget.spent_tokens == tokens
    assert any(isinstance(reply, BudgetReached) for reply in replies)
    assert sum(not isinstance(reply, Exception) for reply in replies) == len(openai_server.requests) >= 5


def check_random_sizes(server, seed):
    """Questions of random sizes, in a random order, at a random concurrency, never pass a random bound."""
    draw = random.Random(seed)
    server.script = honest
    server.forget()
    questions = [f"{n} " + "word " * draw.choice([1, 20, 400, 3000]) for n in range(40)]
    bound = draw.choice([500, 5_000, 20_000])
    spend(server, questions, Budget(tokens=bound), concurrency=draw.choice([1, 4, 32]))
    assert taken_by(server)[0] <= bound


@pytest.mark.parametrize("seed", range(4))
def test_random_sizes(seed, openai_server):
    check_random_sizes(openai_server, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_random_sizes_at_length(seed, openai_server):
    check_random_sizes(openai_server, seed)


NONSENSE = {
    "negative": (-1_000_000, 5),
    "a negative reply": (20, -1_000_000),
    "zero": (0, 0),
    "far too many": (10**15, 10**15),
    "left out": None,
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_in_the_usage_cannot_disarm_a_bound(name, openai_server):
    """Each call sends 11,000 characters: at least 11,000 / 4 tokens, so that 5 calls pass 12,000."""
    openai_server.script = lambda _: Answer(text="word " * 100, usage=NONSENSE[name], latency=0.01)
    budget = Budget(tokens=12_000)
    replies = spend(openai_server, [f"{n} " + "words of a text " * 690 for n in range(30)], budget)
    assert 1 <= len(openai_server.requests) <= 4
    assert 0 < budget.spent_tokens <= 12_000
    answered = [reply for reply in replies if not isinstance(reply, Exception)]
    assert all(0 < reply.usage.tokens_in < 12_000 and 0 < reply.usage.tokens_out < 2_000 for reply in answered)
    assert all(reply.usage.usd > 0 for reply in answered)


def test_the_reply_of_a_call_under_way_makes_room_for_the_next(openai_server):
    """A reservation of 200 for the reply is settled at 1: five calls of some 20 tokens fit into 400, one by one."""
    openai_server.script = lambda _: Answer(text="yes", usage=(20, 1), latency=0.01)
    budget = Budget(tokens=400)
    replies = spend(openai_server, [f"Question {n}" for n in range(5)], budget)
    assert [type(reply).__name__ for reply in replies] == ["Reply"] * 5
    assert budget.spent_tokens == 5 * 21
