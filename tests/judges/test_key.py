"""The key covers all that determines a reply; a missing recording is explained."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from assay.errors import CassetteMiss
from assay.judges import Choice, JudgeSettings, LiteLLMJudge, Question, QuestionKeys
from assay.metrics import AnswerRelevance, Faithfulness
from assay.prompts import Prompt, PromptMessage


class Shape(BaseModel):
    """A reply's shape."""

    words: list[str]


def other_shape() -> type[BaseModel]:
    class Shape(BaseModel):  # the same name, another schema
        words: list[str] = Field(max_length=3)

    return Shape


PROMPT = Prompt("ask", "en", (PromptMessage(role="system", content="You answer."),), "$text")
SETTINGS = JudgeSettings(model="openai/a", logprobs=True)
QUESTION = Question(PROMPT, "What?", Shape, "s1")


def key(settings: JudgeSettings = SETTINGS, **changes: Any) -> str:
    return QuestionKeys(settings).compute(replace(QUESTION, **changes))


def test_the_key_is_the_one_that_recordings_have():
    # A change here makes every recorded cassette useless; then record them all again.
    assert key() == "679fff4af4e15d473f8b5d11bee2536e"
    here, there = (JudgeSettings(model=f"gguf:{folder}/q.gguf") for folder in ("~/models", "/srv"))
    assert key(here) == key(there)
    # A judge without probabilities must not leave recordings that one with them would take for its own.
    silent = SETTINGS.with_changes(logprobs=False)
    assert key(silent, logprobs=True) == key(silent, logprobs=False) == key(SETTINGS, logprobs=False)
    assert key(silent, logprobs=True) != key(SETTINGS, logprobs=True)


DIFFERENT = {
    "model": lambda: key(SETTINGS.with_changes(model="openai/b")),
    "name that it is served as": lambda: key(SETTINGS.with_changes(served_as="a")),
    "a parameter's value": lambda: key(SETTINGS.with_changes(parameters={"temperature": 1})),
    "one parameter more": lambda: key(SETTINGS.with_changes(parameters={"temperature": 0, "seed": 1})),
    "no parameters": lambda: key(SETTINGS.with_changes(parameters={})),
    "max_tokens of the judge": lambda: key(SETTINGS.with_changes(max_tokens=999)),
    "max_tokens of the question": lambda: key(max_tokens=10),
    "how a shape is asked for": lambda: key(SETTINGS.with_changes(structured="json")),
    "the user's message": lambda: key(user="What"),
    "the system's message": lambda: key(
        prompt=replace(PROMPT, opening=(PromptMessage(role="system", content="Answer."),))
    ),
    "an example": lambda: key(
        prompt=replace(PROMPT, opening=(*PROMPT.opening, PromptMessage(role="user", content="So?")))
    ),
    "a role": lambda: key(prompt=replace(PROMPT, opening=(PromptMessage(role="user", content="You answer."),))),
    "a follow-up": lambda: key(follow_up=(PromptMessage(role="user", content="Again."),)),
    "another follow-up": lambda: key(follow_up=(PromptMessage(role="user", content="Again!"),)),
    "the follow-up's role": lambda: key(follow_up=(PromptMessage(role="assistant", content="Again."),)),
    "the schema's name": lambda: key(schema=Choice),
    "the schema's content": lambda: key(schema=other_shape()),
    "options": lambda: key(options=("Yes", "No")),
    "other options": lambda: key(options=("Yes", "Never")),
    "the options' order": lambda: key(options=("No", "Yes")),
    "the alternatives": lambda: key(logprobs=True),
}


def test_every_component_makes_another_key():
    keys = {name: make() for name, make in DIFFERENT.items()}
    same = [(one, other) for one in keys for other in keys if one < other and keys[one] == keys[other]]
    assert not same
    assert key() not in keys.values()


SAME = {
    "sample": lambda: key(sample="s2"),
    "price": lambda: key(SETTINGS.with_changes(price={"input": 1, "output": 1})),
    "patience": lambda: key(SETTINGS.with_changes(timeout=1, attempts=1, wait=9)),
    "concurrency": lambda: key(SETTINGS.with_changes(concurrency=1)),
    "address": lambda: key(SETTINGS.with_changes(api_base="http://elsewhere/v1")),
    "the judge's max_tokens, said by the question": lambda: key(max_tokens=SETTINGS.max_tokens),
    "the order of parameters": lambda: (
        "same"
        if key(SETTINGS.with_changes(parameters={"a": 1, "b": 2}))
        == key(SETTINGS.with_changes(parameters={"b": 2, "a": 1}))
        else "other"
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_nothing_else_does(name):
    assert SAME[name]() in {key(), "same"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "desk.jsonl"


def record(judge: LiteLLMJudge, *questions: Any) -> None:
    async def ask_all() -> None:
        async with judge:
            for question in questions:
                await judge.ask(question)

    asyncio.run(ask_all())


def miss(judge: LiteLLMJudge, question: Any) -> str:
    with pytest.raises(CassetteMiss) as caught:
        asyncio.run(judge.ask(question))
    return str(caught.value)


def test_all_that_a_person_needs(path, judge, ask):
    record(judge(cassette=path), ask("How do I save?", sample="a7"), ask("Where is the menu?", sample="a8"))
    message = miss(judge(cassette=path, mode="replay"), ask("How do I save it?", sample="a7"))
    identity = ask("x").prompt.identity
    assert f"no recording in {path} for prompt {identity}, sample a7" in message
    assert f"the nearest recording ({identity}, sample a7)" in message
    assert "text (recorded '…How do I save?', asked '…How do I save it?')" in message
    assert "--mode auto" in message and 'in Python mode="auto"' in message
    other = miss(judge(cassette=path, mode="replay", model="openai/other"), ask("How do I save?", sample="a7"))
    assert "sample a7; the nearest recording differs in model (recorded 'openai/test', asked 'openai/other')." in other


def test_the_nearest_by_its_words_where_no_sample_is_named_alike(path, judge, ask):
    record(judge(cassette=path), ask("Where is the menu?", sample="b"), ask("How do I save this?", sample="c"))
    assert "sample c) differs" in miss(judge(cassette=path, mode="replay"), ask("How do I save that?", sample="x"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": "openai/other"}, "differs in model (recorded 'openai/test', asked 'openai/other')."),
        ({"parameters": {"temperature": 1}}, "parameters (recorded 'temperature=0', asked 'temperature=1')."),
        ({"max_tokens": 7}, "max_tokens"),  # which a recording does not show
    ],
)
def test_another_judge(path, judge, ask, options, told):
    record(judge(cassette=path), ask("How?"))
    assert told in miss(judge(cassette=path, mode="replay", **options), ask("How?"))


def test_a_sample_without_recordings_fails_with_that_message_and_the_others_are_scored(
    path, openai_server, judge, known
):
    async def assess(asking: LiteLLMJudge, *numbers: int) -> list[Any]:
        async with asking:
            metrics = [Faithfulness(asking, claims="judge"), AnswerRelevance(asking)]
            return [await metric.assess(known(number).sample) for number in numbers for metric in metrics]

    live = asyncio.run(assess(judge(cassette=path), 0, 1))
    request_count = len(openai_server.requests)
    replayed = asyncio.run(assess(judge(cassette=path, mode="replay"), 0, 1, 2))
    assert [score.value for score in replayed[:4]] == [score.value for score in live]
    assert [score.status for score in replayed[4:]] == ["failed", "failed"]
    assert all("sample s2" in score.reason and "--mode auto" in score.reason for score in replayed[4:])
    assert len(openai_server.requests) == request_count, "replay asks nobody"
