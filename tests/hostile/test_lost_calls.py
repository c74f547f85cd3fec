"""Budgets while replies are lost: a server counts what it would have charged, and no bound is ever passed."""

import asyncio
import random
from dataclasses import dataclass
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer, Request

from assay.errors import AssayError
from assay.judges import Budget, JudgeSettings, LiteLLMJudge, PlainText, Question
from assay.prompts import Message, Prompt

ASK = Prompt("ask", "en", (Message(role="system", content="You answer."),), "$text")
PRICE = {"input": 2.0, "output": 6.0}  # USD per million tokens
MOST_OUT = 100
TEXTS = ("Is it open? ", "0123456789", "naïve café 😀 ", '{"a": [1, 2]} ', "één twee drie vier ")

# What comes after the server has done the work, and charged it.
LOST: dict[str, Answer] = {
    "cut": Answer(fault="cut"),
    "reset": Answer(fault="reset"),
    "time-out": Answer(fault="hang"),
    "500": Answer(status=500),
    "no JSON": Answer(raw="<html>"),
    "null": Answer(raw="null"),
    "no choices": Answer(raw='{"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": []}'),
}
NO_USAGE = "no usage"


@dataclass(frozen=True)
class Case:
    """One way to lose replies, drawn by its seed."""

    kind: str
    share: float
    concurrency: int
    attempts: int
    bound: dict[str, Any]
    provider: str

    @classmethod
    def draw(cls, seed: int) -> "Case":
        """Every kind, share and concurrency comes up; the rest is random."""
        drawn = random.Random(seed)
        kinds = [*LOST, NO_USAGE]
        return cls(
            kinds[seed % len(kinds)],
            (0.3, 0.7, 1.0, 0.0)[(seed // len(kinds)) % 4],
            drawn.choice([1, 8, 32]),
            drawn.choice([1, 3]),
            drawn.choice([{"tokens": 4_000}, {"tokens": 10_000}, {"usd": 0.01}, {"usd": 0.03}]),
            drawn.choice(["openai", "hosted_vllm"]),
        )


class Charges:
    """A provider that charges each request that it works on, whatever becomes of the reply.

    It counts a token per two bytes of a prompt, 4 per message, and as many of the reply as it draws.
    """

    def __init__(self, case: Case, seed: int) -> None:
        self.tokens, self.usd = 0, 0.0
        self._case = case
        self._draw = random.Random(seed)

    def __call__(self, request: Request) -> Answer:
        """Charges a request, and answers it or loses the reply."""
        sent = [message["content"] for message in request.body["messages"]]
        tokens_in = sum(len(text.encode()) // 2 + 4 for text in sent)
        tokens_out = self._draw.randint(1, request.body["max_tokens"])
        self.tokens += tokens_in + tokens_out
        self.usd += (tokens_in * PRICE["input"] + tokens_out * PRICE["output"]) / 1e6
        is_lost = self._draw.random() < self._case.share
        if is_lost and self._case.kind in LOST:
            return LOST[self._case.kind]
        usage = None if is_lost else (tokens_in, tokens_out)
        return Answer(text="word " * tokens_out, usage=usage, latency=0.005)

    def assert_within(self, bound: dict[str, Any]) -> None:
        """The bound is kept, apart from rounding."""
        assert self.tokens <= bound.get("tokens", self.tokens)
        assert self.usd <= bound.get("usd", self.usd) + 1e-9


def make_questions(draw: random.Random, count: int = 60) -> list[Question[PlainText]]:
    """Questions of other lengths and characters each."""
    return [
        Question(ASK, f"{number} " + draw.choice(TEXTS) * draw.choice([1, 10, 60]), PlainText)
        for number in range(count)
    ]


def check_live_calls(server: OpenAIServer, seed: int) -> tuple[Budget, Charges]:
    """Asks questions at once under a bound, of a provider that loses replies."""
    case = Case.draw(seed)
    server.forget()
    server.script = charges = Charges(case, seed)
    settings = JudgeSettings(
        model=f"{case.provider}/test",
        api_base=server.api_base,
        price=PRICE,  # type: ignore[arg-type]
        max_tokens=MOST_OUT,
        concurrency=case.concurrency,
        attempts=case.attempts,
        timeout=0.2 if case.kind == "time-out" else 20,
        wait=0,
    )
    budget = Budget(**case.bound)

    async def ask_all() -> None:
        async with LiteLLMJudge(settings, budget=budget) as judge:
            questions = make_questions(random.Random(seed))
            await asyncio.gather(*(judge.ask(question) for question in questions), return_exceptions=True)

    asyncio.run(ask_all())
    return budget, charges


@pytest.mark.parametrize("seed", [0, 1, 5, 7])
def test_no_bound_is_passed_while_replies_are_lost(seed: int, openai_server: OpenAIServer) -> None:
    budget, charges = check_live_calls(openai_server, seed)
    charges.assert_within(Case.draw(seed).bound)
    assert charges.tokens <= budget.spent_tokens, "what is shown is the most that it may have taken"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(32))
def test_no_bound_is_passed_in_32_settings(seed: int, openai_server: OpenAIServer) -> None:
    budget, charges = check_live_calls(openai_server, seed)
    charges.assert_within(Case.draw(seed).bound)
    assert charges.tokens <= budget.spent_tokens


@pytest.mark.parametrize("kind", ["reset", "cut"])
@pytest.mark.parametrize("provider", ["openai", "hosted_vllm"])
def test_litellms_full_path_sends_a_call_once(
    kind: str, provider: str, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Measured before: a reset was sent again, unasked, so that one reservation stood for two charged calls."""
    monkeypatch.setattr("assay.judges.fast_path._PROVIDERS", frozenset())
    openai_server.script = lambda _: LOST[kind]
    budget = Budget(tokens=10_000)
    ask_once(JudgeSettings(model=f"{provider}/test", api_base=openai_server.api_base, attempts=1), budget)
    assert (len(openai_server.requests), budget.lost.calls) == (1, 1)


@pytest.mark.parametrize("status", [401, 403, 404, 413, 422, 429, 501])
def test_a_refusal_costs_nothing(status: int, openai_server: OpenAIServer) -> None:
    openai_server.script = lambda _: Answer(status=status)
    budget = Budget(tokens=10_000)
    ask_once(JudgeSettings(model="openai/test", api_base=openai_server.api_base, attempts=2, wait=0), budget)
    assert (budget.spent_tokens, budget.lost.calls) == (0, 0)
    assert len(openai_server.requests) >= 1


@pytest.mark.parametrize("api_base", ["http://127.0.0.1:9/v1", "http://no-such-host.invalid/v1"])
def test_a_provider_that_cannot_be_reached_costs_nothing(api_base: str, openai_server: OpenAIServer) -> None:
    budget = Budget(tokens=10_000)
    ask_once(JudgeSettings(model="openai/test", api_base=api_base, attempts=1), budget)
    assert (budget.begun, budget.spent_tokens) == (1, 0)


@pytest.mark.parametrize("status", [400, 408, 409, 500, 502, 503, 529])
def test_a_failure_that_may_have_been_charged_counts_at_most(status: int, openai_server: OpenAIServer) -> None:
    openai_server.script = lambda _: Answer(status=status, error_message="Rate limit reached")
    budget = Budget(tokens=10_000)
    ask_once(JudgeSettings(model="openai/test", api_base=openai_server.api_base, attempts=1, max_tokens=500), budget)
    assert budget.spent_tokens == budget.lost.tokens > 500


def test_a_call_that_is_cancelled_counts_at_most(openai_server: OpenAIServer) -> None:
    """Ctrl-C while the provider works."""
    openai_server.script = lambda _: Answer(fault="hang")
    settings = JudgeSettings(model="openai/test", api_base=openai_server.api_base, max_tokens=500)
    budget = Budget(tokens=10_000)

    async def ask_and_leave() -> Any:
        async with LiteLLMJudge(settings, budget=budget) as judge:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(judge.ask(Question(ASK, "Is it open?", PlainText)), 0.5)
            await judge.cancel_calls()
            return judge.lost

    assert asyncio.run(ask_and_leave()) == budget.lost
    assert budget.lost.calls == 1 and budget.spent_tokens > 500


def test_a_bound_in_usd_without_a_price_stops_at_the_first_lost_reply(openai_server: OpenAIServer) -> None:
    """Measured before: such calls cost 0, and went on for ever."""
    openai_server.script = lambda _: Answer(fault="cut")
    budget = Budget(usd=1)
    settings = JudgeSettings(model="openai/test", api_base=openai_server.api_base, attempts=5, wait=0)
    assert "the cost of a call without a reply is unknown" in str(ask_once(settings, budget))
    assert len(openai_server.requests) == 1


def ask_once(settings: JudgeSettings, budget: Budget) -> BaseException:
    """The error of one question."""

    async def ask() -> None:
        async with LiteLLMJudge(settings, budget=budget) as judge:
            await judge.ask(Question(ASK, "Is it open?", PlainText))

    with pytest.raises(AssayError) as raised:
        asyncio.run(ask())
    return raised.value
