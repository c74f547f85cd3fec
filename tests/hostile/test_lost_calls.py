"""Budgets while replies are lost: a server counts what it would have charged, and no bound is ever passed."""

import asyncio
import json
import random
import threading
from dataclasses import dataclass
from typing import Any

import openai
import pytest
from interrupted_runs import command_at_request
from modules import module_of
from openai_server import Answer

from assay.errors import AssayError, BudgetReached
from assay.judges import Budget, JudgeSettings, LiteLLMEmbedder, LiteLLMJudge, PlainText, Question, acompletion
from assay.prompts import Prompt, PromptMessage

METRICS = "faithfulness:claims=judge"
ASK = Prompt("ask", "en", (PromptMessage(role="system", content="You answer."),), "$text")
PRICE = {"input": 2.0, "output": 6.0}  # USD per million tokens
MOST_OUT = 100
TEXTS = ("Is it open? ", "0123456789", "naïve café 😀 ", '{"a": [1, 2]} ', "één twee drie vier ")

# What comes after the server has done the work, and charged it.
LOST = {
    "cut": Answer(fault="cut"),
    "reset": Answer(fault="reset"),
    "time-out": Answer(fault="hang"),
    "500": Answer(status=500),
    "no JSON": Answer(raw="<html>"),
    "null": Answer(raw="null"),
    "no choices": Answer(raw='{"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": []}'),
}
for code in (429, 401, "rate_limit"):  # a body that looks like a refusal, after the work was done
    LOST[f"error {code}"] = Answer(raw=json.dumps({"error": {"message": "Rate limit reached", "code": code}}))
LOST["error in words"] = Answer(raw='{"error": "busy"}')
NO_USAGE = "no usage"
IN_A_200 = [kind for kind in LOST if kind.startswith("error")]


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
    def draw(cls, seed):
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

    def __init__(self, kind, share, seed, *, is_sensible=False):
        self.tokens, self.usd = 0, 0.0
        self._kind, self._share = kind, share
        self._is_sensible = is_sensible
        self._draw = random.Random(seed)

    def __call__(self, request):
        """Charges a request, and answers it or loses the reply."""
        sent = [message["content"] for message in request.body["messages"]]
        tokens_in = sum(len(text.encode()) // 2 + 4 for text in sent)
        tokens_out = self._draw.randint(1, request.body["max_tokens"])
        self.tokens += tokens_in + tokens_out
        self.usd += (tokens_in * PRICE["input"] + tokens_out * PRICE["output"]) / 1e6
        is_lost = self._draw.random() < self._share
        if is_lost and self._kind in LOST:
            return LOST[self._kind]
        usage = None if is_lost else (tokens_in, tokens_out)
        return Answer(text=None if self._is_sensible else "word " * tokens_out, usage=usage, latency=0.005)

    def assert_within(self, bound):
        """The bound is kept, apart from rounding."""
        assert self.tokens <= bound.get("tokens", self.tokens)
        assert self.usd <= bound.get("usd", self.usd) + 1e-9


def make_questions(draw, count=60):
    """Questions of other lengths and characters each."""
    return [
        Question(ASK, f"{number} " + draw.choice(TEXTS) * draw.choice([1, 10, 60]), PlainText)
        for number in range(count)
    ]


def check_live_calls(server, seed, case, questions):
    """Asks questions at once under a bound, of a provider that loses replies."""
    server.forget()
    server.script = charges = Charges(case.kind, case.share, seed)
    settings = JudgeSettings(
        model=f"{case.provider}/test",
        api_base=server.api_base,
        price=PRICE,
        max_tokens=MOST_OUT,
        concurrency=case.concurrency,
        attempts=case.attempts,
        timeout=0.2 if case.kind == "time-out" else 20,
        wait=0,
    )
    budget = Budget(**case.bound)

    async def ask_all():
        async with LiteLLMJudge(settings, budget=budget) as judge:
            return await asyncio.gather(*(judge.ask(question) for question in questions), return_exceptions=True)

    replies = asyncio.run(ask_all())
    charges.assert_within(case.bound)
    assert charges.tokens <= budget.spent_tokens, "what is shown is the most that it may have taken"
    return replies, budget, charges


SLOW = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(48) if seed not in (0, 1, 5, 7)]


@pytest.mark.parametrize("seed", [0, 1, 5, 7, *SLOW])
def test_no_bound_is_passed_while_replies_are_lost(seed, openai_server):
    check_live_calls(openai_server, seed, Case.draw(seed), make_questions(random.Random(seed)))


@pytest.mark.parametrize("bound", [{"tokens": 30_000}, {"usd": 0.06}, {"tokens": 3_000}, {"calls": 25}])
def test_twenty_small_questions_and_then_large_ones(bound, openai_server):
    """Measured before: --budget-tokens 30000 took 195,938."""
    texts = [f"Small {n}." for n in range(20)] + [f"Large {n}: " + "words and words " * 600 for n in range(40)]
    questions = [Question(ASK, text, PlainText) for text in texts]
    case = Case("", 0.0, concurrency=16, attempts=1, bound=bound, provider="openai")
    replies, budget, charges = check_live_calls(openai_server, 1, case, questions)
    assert budget.spent_tokens == charges.tokens
    assert 5 <= len(openai_server.requests) <= bound.get("calls", 60)
    assert any(isinstance(reply, BudgetReached) for reply in replies)
    assert sum(not isinstance(reply, Exception) for reply in replies) == len(openai_server.requests)


@pytest.mark.parametrize("kind", IN_A_200)
@pytest.mark.parametrize("path", ["fast", "full", "parameters", "client"])
@pytest.mark.parametrize("provider", ["openai", "hosted_vllm"])
def test_what_a_200_says_is_no_refusal(kind, path, provider, openai_server, monkeypatch):
    """Measured before: an error in the body of a 200 counted as refused, so that 27 times the bound was charged."""
    if path == "full":
        monkeypatch.setattr(module_of(acompletion), "_PROVIDERS", frozenset())
    openai_server.script = charges = Charges(kind, 1.0, 3)
    parameters = {"temperature": 0} | ({"reasoning_effort": "low"} if path == "parameters" else {})
    settings = {"max_tokens": MOST_OUT, "attempts": 3, "wait": 0, "parameters": parameters}
    budget = Budget(tokens=1_000)

    async def ask_all():
        source = JudgeSettings(model=f"{provider}/test", api_base=openai_server.api_base)
        if path == "client":
            source = openai.AsyncOpenAI(api_key="x", base_url=openai_server.api_base)
            settings["model"] = "test"
        async with LiteLLMJudge(source, budget=budget, **settings) as judge:
            questions = make_questions(random.Random(1), 12)
            await asyncio.gather(*(judge.ask(question) for question in questions), return_exceptions=True)

    asyncio.run(ask_all())
    charges.assert_within({"tokens": 1_000})
    assert charges.tokens <= budget.spent_tokens
    assert budget.lost.calls == len(openai_server.requests) > 0


@pytest.mark.parametrize("kind", IN_A_200)
def test_embeddings_that_a_200_fails_count_at_most(kind, openai_server):
    openai_server.script = lambda _: LOST[kind]
    budget = Budget(tokens=1_000)
    embedder = LiteLLMEmbedder("openai/test", budget=budget, attempts=1, api_base=openai_server.api_base)
    with pytest.raises(AssayError):
        asyncio.run(embedder.embed(["Is it open?"]))
    assert budget.lost.calls == len(openai_server.requests) == 1


def lose_lines(batch):
    """A third of the replies has no line."""
    del batch.output[::3]


def break_bodies(batch):
    """Every second reply cannot be read."""
    for place in range(0, len(batch.output), 2):
        line = json.loads(batch.output[place])
        line["response"]["body"] = {"choices": []}
        batch.output[place] = json.dumps(line).encode()


def refuse_in_bodies(batch):
    """Every second reply is an error, in the body of a 200."""
    for place in range(0, len(batch.output), 2):
        line = json.loads(batch.output[place])
        line["response"]["body"] = {"error": {"message": "Rate limit reached", "code": 429}}
        batch.output[place] = json.dumps(line).encode()


def lose_all(batch):
    """The files are empty."""
    batch.output.clear()


@pytest.fixture
def judge(judge_file):
    """A judge with a price, whose lost calls are made again."""
    return judge_file(price=PRICE, max_tokens=MOST_OUT, attempts=3, concurrency=8)


@pytest.mark.parametrize("spoil", [lose_lines, break_bodies, refuse_in_bodies, lose_all])
def test_batches_that_lose_replies_keep_the_bound(assay, set_file, judge, openai_server, spoil):
    """Measured before: a request without a reply counted as nothing, and was submitted again and again."""
    openai_server.script = charges = Charges("", 0.0, 1, is_sensible=True)
    openai_server.batches.spoil = spoil
    bound = 20_000
    words = ["run", set_file(12), "--judge", judge, "--metrics", METRICS, "--batch", "--budget-tokens", bound]
    told = ""
    for _ in range(3):  # the same command goes on
        done = assay(*map(str, words))
        assert "Traceback" not in done.err
        assert charges.tokens <= bound
        told += done.err
    assert "count with the most that they may have taken" in told


@pytest.mark.parametrize("kind", ["cut", "500"])
def test_parts_that_lose_replies_keep_the_bound(assay, judge, openai_server, tmp_path, kind):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = {"question": ["How?"] * 24, "answer": [f"Press {n}." for n in range(24)], "context": ["Press 1."] * 24}
    for first in range(0, 24, 6):
        parquet.write_table(pyarrow.table(rows).slice(first, 6), tmp_path / f"answers-{first}.parquet")
    openai_server.script = charges = Charges(kind, 0.7, 2, is_sensible=True)
    words = ["run", "*.parquet", "--out", "scores"]
    stopped = assay(*words, "--judge", str(judge), "--metrics", METRICS, "--budget-usd", "0.05", "--json", code=3)
    assert 0 < charges.usd <= 0.05
    assert stopped.json["usage"]["usd"] + stopped.json["lost"]["usd"] <= 0.05


@pytest.mark.parametrize("budget", [["--budget", "12calls"], []])
def test_calls_under_way_when_a_run_is_killed_count_in_its_budget(
    *, budget, assay, set_file, judge, openai_server, warm_python, tmp_path
):
    """Killed at its 9th request, which gets no reply: 8 calls are settled, and of 12 at most 3 are left."""
    words = ["run", str(set_file(24)), "--judge", str(judge), "--metrics", METRICS, "--concurrency", "1"]
    with command_at_request(warm_python, tmp_path, openai_server, [*words, *budget], 9):
        pass  # it is killed there
    resumed = assay("run", "--resume", "last", "--budget", "12calls", "--json", code=3)
    assert len(openai_server.requests) == 12
    assert resumed.json["lost_of_run"]["calls"] == 1


def test_what_lost_calls_count_for_is_said(assay, set_file, judge, openai_server):
    openai_server.script = lambda request: LOST["500"] if request.attempt == 1 else None
    words = ["run", str(set_file(2)), "--judge", str(judge), "--metrics", METRICS]
    shown = assay(*words, code=0)
    assert "4 calls without a reply count with the most that they may have taken" in " ".join(shown.out.split())
    as_json = assay(*words, "--json").json
    assert as_json["lost"].keys() == {"calls", "tokens", "usd"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_completion_tokens": 4000},
        {"best_of": 4},
        *({"extra_body": {name: 5000}} for name in ("max_tokens", "max_completion_tokens", "n", "best_of")),
        *({"extra_body": {name: 5000}} for name in ("max_new_tokens", "max_output_tokens")),
    ],
)
def test_parameters_do_not_lengthen_a_reply_past_the_bound(assay, set_file, judge_file, openai_server, parameters):
    """Measured before: the budget reserved `max_tokens`, and the request asked for more."""
    judge = judge_file(price=PRICE, max_tokens=50, parameters=parameters)
    done = assay("run", str(set_file(2)), "--judge", str(judge), "--metrics", METRICS, "--budget-tokens", "5000")
    assert (done.code, openai_server.requests) == (1, []), done.err
    (name, value), *_ = parameters.items()
    field = f"{name}.{next(iter(value))}" if isinstance(value, dict) else name
    shown = " ".join(done.err.split())
    assert judge.name in shown and f"{field} cannot be a parameter" in shown and "`max_tokens: ...`" in shown


@pytest.mark.parametrize(
    ("status", "is_lost"),
    [
        *((status, False) for status in (401, 403, 404, 413, 422, 429, 501, 503, 529)),
        *((status, True) for status in (400, 408, 409, 500, 502, 504)),
    ],
)
def test_a_refusal_costs_nothing_and_what_may_have_been_charged_counts_at_most(status, is_lost, openai_server):
    openai_server.script = lambda _: Answer(status=status, error_message="Rate limit reached")
    budget = Budget(tokens=10_000)
    ask_once(JudgeSettings(model="openai/test", api_base=openai_server.api_base, attempts=2, wait=0), budget)
    assert budget.spent_tokens == budget.lost.tokens
    assert (budget.spent_tokens > 1000, budget.lost.calls >= 1) == (is_lost, is_lost)
    assert len(openai_server.requests) >= 1


@pytest.mark.parametrize("api_base", ["http://127.0.0.1:9/v1", "http://no-such-host.invalid/v1"])
def test_a_provider_that_cannot_be_reached_costs_nothing(api_base, openai_server):
    budget = Budget(tokens=10_000)
    ask_once(JudgeSettings(model="openai/test", api_base=api_base, attempts=1), budget)
    assert (budget.begun, budget.spent_tokens) == (1, 0)


def test_a_call_that_is_cancelled_counts_at_most(openai_server):
    """Ctrl-C while the provider works."""
    is_asked = threading.Event()

    def hang(_):
        is_asked.set()
        return Answer(fault="hang")

    openai_server.script = hang
    settings = JudgeSettings(model="openai/test", api_base=openai_server.api_base, max_tokens=500)
    budget = Budget(tokens=10_000)

    async def ask_and_leave():
        async with LiteLLMJudge(settings, budget=budget) as judge:
            asking = asyncio.create_task(judge.ask(Question(ASK, "Is it open?", PlainText)))
            await asyncio.to_thread(is_asked.wait)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await judge.cancel_calls()
            return judge.lost

    assert asyncio.run(ask_and_leave()) == budget.lost
    assert budget.lost.calls == 1 and budget.spent_tokens > 500


def ask_once(settings, budget):
    """The error of one question."""

    async def ask():
        async with LiteLLMJudge(settings, budget=budget) as judge:
            await judge.ask(Question(ASK, "Is it open?", PlainText))

    with pytest.raises(AssayError) as raised:
        asyncio.run(ask())
    return raised.value
