"""A judge at the local server, and samples whose right score is known."""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from openai_server import OpenAIServer

from assay.eval_sets import Sample
from assay.judges import JudgeSettings, LiteLLMJudge, PlainText, Question
from assay.prompts import Prompt, PromptMessage

ASK = Prompt("ask", "en", (PromptMessage(role="system", content="You answer."),), "$text")


def plain_question(text: str, **changes: Any) -> Question[PlainText]:
    """A question that costs one call and wants no shape."""
    return Question(ASK, text, PlainText, **changes)


@pytest.fixture
def ask() -> Callable[..., Question[PlainText]]:
    return plain_question


@pytest.fixture(scope="session")
def litellm_ready() -> None:
    """The first call of a process loads litellm for seconds; tests with a short time-out must not pay for it."""
    with pytest.MonkeyPatch.context() as patch, OpenAIServer() as server:
        patch.setenv("OPENAI_API_KEY", "sk-warm")
        judge = LiteLLMJudge("openai/test", api_base=server.api_base)
        asyncio.run(judge.ask(plain_question("Are you there?")))


@pytest.fixture
def settings(openai_server: OpenAIServer) -> JudgeSettings:
    """A judge's settings that lose no time."""
    return JudgeSettings(
        model="openai/test", api_base=openai_server.api_base, structured="schema", wait=0, timeout=60, attempts=3
    )


@pytest.fixture
def judge(settings: JudgeSettings, litellm_ready: None) -> Callable[..., LiteLLMJudge]:
    """Makes judges at the server; options as `LiteLLMJudge` takes them."""
    return lambda **options: LiteLLMJudge(settings, **options)


class Known(NamedTuple):
    """A sample and its right faithfulness."""

    sample: Sample
    score: float


@pytest.fixture
def known() -> Callable[[int], Known]:
    """The n-th sample: 3 of 3, 2 of 3 or 1 of 2 of its claims stand in its context."""

    def build(number: int) -> Known:
        stated = [f"Step {number} begins in menu {number}.", f"Press button {number} to go on."]
        context = f"{stated[0]} {stated[1]} The result is stored as file {number}."
        invented = f"Button {number} sends a manager flowers."
        replied, score = [
            ([*stated, f"The result is stored as file {number}."], 3 / 3),
            ([*stated, invented], 2 / 3),
            ([stated[1], invented], 1 / 2),
        ][number % 3]
        sample = Sample(
            id=f"s{number}",
            user_input=f"How do I do step {number}?",
            response=" ".join(replied),
            retrieved_contexts=(context,),
            language="en",
        )
        return Known(sample, score)

    return build
