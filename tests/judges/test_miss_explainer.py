"""What a miss in replay says: prompt, sample, the nearest recording, what differs, and the cure."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

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


def test_all_that_a_person_needs(path, judge, ask):
    record(judge(cassette=path), ask("How do I save?", sample="a7"), ask("Where is the menu?", sample="a8"))
    message = miss(judge(cassette=path, mode="replay"), ask("How do I save it?", sample="a7"))
    identity = ask("x").prompt.identity
    assert f"no recording in {path} for prompt {identity}, sample a7" in message
    assert f"the nearest recording ({identity}, sample a7)" in message
    assert "text (recorded '…How do I save?', asked '…How do I save it?')" in message
    assert "--mode auto" in message


def test_the_nearest_by_its_words_where_no_sample_is_named_alike(path, judge, ask):
    record(judge(cassette=path), ask("Where is the menu?", sample="b"), ask("How do I save this?", sample="c"))
    assert "sample c) differs" in miss(judge(cassette=path, mode="replay"), ask("How do I save that?", sample="x"))


def test_the_same_sample_is_found_among_many(path, judge, ask):
    reply = RawReply(model="openai/test", text="")
    with Cassette(path, "record") as cassette:
        for number in range(1000):
            question = ask(f"Question {number} of many", sample=f"s{number}")
            cassette.put(kept_as(f"{number:032}", question, {"temperature": 0}, reply))
    message = miss(judge(cassette=path, mode="replay"), ask("Something else", sample="s999"))
    assert "sample s999) differs in text (recorded '…Question 999 of many', asked '…Something else')" in message


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


def test_another_question(path, judge, ask):
    path.write_bytes(b"")
    question, tail = ask("How?"), "and so on " * 60
    assert "the cassette is empty" in miss(judge(cassette=path, mode="replay"), question)
    record(judge(cassette=path), question, ask(f"One. {tail}"))
    replaying = judge(cassette=path, mode="replay")
    changed = replace(question, prompt=replace(question.prompt, opening=()))
    prompts = f"prompt (recorded '{question.prompt.identity}', asked '{changed.prompt.identity}')"
    assert prompts in miss(replaying, changed)
    assert "schema (recorded 'PlainText', asked 'Choice')" in miss(replaying, replace(question, schema=Choice))
    assert "differs in text (before its last words)." in miss(replaying, ask(f"Two. {tail}"))


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
