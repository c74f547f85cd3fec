"""Your own prompts are a value: each run, and each second asking within it, uses those that it was given."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer, Request

from assay import aevaluate
from assay.errors import InputError, UsageError
from assay.eval_sets import Sample
from assay.judges import LiteLLMJudge
from assay.metrics.catalogue import load_metric
from assay.prompts import BUNDLED, Prompts
from assay.prompts.prompt import Prompt

Make = Callable[..., Any]
SAMPLE = Sample(
    id="s", language="en", user_input="How do I save?", response="Press Save.", retrieved_contexts=("Press Save.",)
)


@pytest.fixture
def make_judge(openai_server: OpenAIServer) -> Make:
    """Makes judges at the server."""
    return lambda: LiteLLMJudge("openai/test", api_base=openai_server.api_base, structured="schema", wait=0)


def marked(name: str, mark: str) -> Prompt:
    """The bundled English prompt with another beginning."""
    bundled = BUNDLED.load(name, "en")
    if bundled.task and not bundled.template:
        return Prompt(name, "en", (), "", task=f"{mark} {bundled.task}")
    if not bundled.opening:
        return Prompt(name, "en", (), f"{mark} {bundled.template}")
    first = {**bundled.opening[0], "content": f"{mark} {bundled.opening[0]['content']}"}
    return Prompt(name, "en", (first, *bundled.opening[1:]), bundled.template)  # type: ignore[arg-type]


def test_a_prompt_replaces_only_the_one_of_its_name_and_language(tmp_path):
    own = BUNDLED.replacing(marked("claims", "Short."))
    assert own.load("claims", "en").opening[0]["content"].startswith("Short.")
    assert own.load("claims", None) == own.load("claims", "en")
    assert own.load("claims", "nl") == BUNDLED.load("claims", "nl")
    assert own.load("support", "en") == BUNDLED.load("support", "en")
    assert not BUNDLED.own
    with pytest.raises(InputError, match="this folder has no prompt"):
        Prompts.from_folder(tmp_path)
    (tmp_path / "fix.en.md").write_text("## user\nWrong: $error Again.\n", encoding="utf-8")
    assert Prompts.from_folder(tmp_path).load("fix", "en").template == "Wrong: $error Again."


def test_runs_at_once_ask_with_their_own_prompts(openai_server, make_judge):
    """Three runs share a judge; no run sees another's wording."""

    async def run_all() -> None:
        async with make_judge() as judge:
            await asyncio.gather(
                *(
                    aevaluate([SAMPLE], ["judge_truthfulness"], judge=judge, prompts=prompts)
                    for prompts in (BUNDLED, *(BUNDLED.replacing(marked("rating", mark)) for mark in ("One.", "Two.")))
                )
            )

    asyncio.run(run_all())
    beginnings = sorted(request.body["messages"][0]["content"][:4] for request in openai_server.requests)
    assert beginnings == sorted(["One.", "Two.", BUNDLED.load("rating", "en").task[:4]])


def test_a_second_asking_uses_your_own_words(openai_server, make_judge):
    def last(request: Request) -> str:
        return str(request.body["messages"][-1]["content"])

    def script(request: Request) -> Answer | None:
        return None if last(request).startswith("Mine.") else Answer(text="no JSON")

    openai_server.script = script
    prompts = BUNDLED.replacing(marked("fix", "Mine."))

    async def run() -> None:
        async with make_judge() as judge:
            metric = load_metric("judge_truthfulness", judge, prompts=prompts)
            assert (await metric.assess(SAMPLE)).status == "scored"

    asyncio.run(run())
    assert [last(request).startswith("Mine.") for request in openai_server.requests] == [False, True]


def test_prompts_are_no_option_of_a_metric(make_judge):
    judge: LiteLLMJudge = make_judge()
    with pytest.raises(UsageError, match="'prompts' is not an option of this metric"):
        load_metric("faithfulness:prompts=wording", judge)
