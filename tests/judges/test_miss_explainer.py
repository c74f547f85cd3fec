"""What a miss in replay says: prompt, sample, the nearest recording, what differs, and the cure."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer

from assay.errors import CassetteMiss
from assay.judges import Cassette, Choice, LiteLLMJudge, RawReply
from assay.judges.recording import make_recording as kept_as
from assay.metrics import AnswerRelevance, Faithfulness


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


def test_all_that_a_person_needs(path: Path, judge: Any, ask: Any) -> None:
    record(judge(cassette=path), ask("How do I save?", sample="a7"), ask("Where is the menu?", sample="a8"))
    message = miss(judge(cassette=path, mode="replay"), ask("How do I save it?", sample="a7"))
    identity = ask("x").prompt.identity
    assert f"no recording in {path} for prompt {identity}, sample a7" in message
    assert f"the nearest recording ({identity}, sample a7)" in message
    assert "text (recorded '…How do I save?', asked '…How do I save it?')" in message
    assert "--mode auto" in message


def test_the_nearest_by_its_words_where_no_sample_is_named_alike(path: Path, judge: Any, ask: Any) -> None:
    record(judge(cassette=path), ask("Where is the menu?", sample="b"), ask("How do I save this?", sample="c"))
    assert "sample c) differs" in miss(judge(cassette=path, mode="replay"), ask("How do I save that?", sample="x"))


def test_the_same_sample_is_found_among_many(path: Path, judge: Any, ask: Any) -> None:
    reply = RawReply(model="openai/test", text="")
    with Cassette(path, "record") as cassette:
        for number in range(1000):
            question = ask(f"Question {number} of many", sample=f"s{number}")
            cassette.put(kept_as(f"{number:032}", question, {"temperature": 0}, reply))
    message = miss(judge(cassette=path, mode="replay"), ask("Something else", sample="s999"))
    assert "sample s999) differs in text (recorded '…Question 999 of many', asked '…Something else')" in message


def test_another_model(path: Path, judge: Any, ask: Any) -> None:
    record(judge(cassette=path), ask("How?"))
    message = miss(judge(cassette=path, mode="replay", model="openai/other"), ask("How?"))
    assert "differs in model (recorded 'openai/test', asked 'openai/other')." in message


def test_another_parameter(path: Path, judge: Any, ask: Any) -> None:
    record(judge(cassette=path), ask("How?"))
    message = miss(judge(cassette=path, mode="replay", parameters={"temperature": 1}), ask("How?"))
    assert "differs in parameters (recorded 'temperature=0', asked 'temperature=1')." in message


def test_a_changed_prompt(path: Path, judge: Any, ask: Any, known: Any) -> None:
    from dataclasses import replace

    record(judge(cassette=path), ask("How?"))
    question = ask("How?")
    changed = replace(question, prompt=replace(question.prompt, opening=()))
    message = miss(judge(cassette=path, mode="replay"), changed)
    assert f"prompt (recorded '{question.prompt.identity}', asked '{changed.prompt.identity}')" in message


def test_another_shape(path: Path, judge: Any, ask: Any) -> None:
    from dataclasses import replace

    record(judge(cassette=path), ask("How?"))
    message = miss(judge(cassette=path, mode="replay"), replace(ask("How?"), schema=Choice))
    assert "schema (recorded 'PlainText', asked 'Choice')" in message


def test_words_before_those_that_are_shown(path: Path, judge: Any, ask: Any) -> None:
    record(judge(cassette=path), ask("One. " + "and so on " * 60))
    message = miss(judge(cassette=path, mode="replay"), ask("Two. " + "and so on " * 60))
    assert "differs in text (before its last words)." in message


def test_what_a_recording_does_not_show(path: Path, judge: Any, ask: Any) -> None:
    record(judge(cassette=path), ask("How?"))
    assert "max_tokens" in miss(judge(cassette=path, mode="replay", max_tokens=7), ask("How?"))


def test_an_empty_cassette(path: Path, judge: Any, ask: Any) -> None:
    path.write_bytes(b"")
    assert "the cassette is empty" in miss(judge(cassette=path, mode="replay"), ask("How?"))


def test_a_sample_without_recordings_fails_with_that_message_and_the_others_are_scored(
    path: Path, openai_server: OpenAIServer, judge: Any, known: Any
) -> None:
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
