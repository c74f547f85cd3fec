"""The judge at a real server: what is sent, what is kept, and that a replay is the same."""

import asyncio
import json
from dataclasses import replace
from math import log
from typing import Any

import pytest
from openai_server import Answer, Request

from assay.errors import JudgeError
from assay.judges import Choice, LiteLLMJudge, option_probabilities
from assay.metrics import Faithfulness, JudgeTruthfulness


async def closed_after(judge: LiteLLMJudge, *questions: Any) -> list[Any]:
    async with judge:
        return await asyncio.gather(*(judge.ask(question) for question in questions))


def test_a_request_as_it_is_sent(openai_server, judge, known):
    asking = judge(parameters={"temperature": 0, "seed": 7}, max_tokens=123)
    asyncio.run(Faithfulness(asking, claims="judge").assess(known(0).sample))
    body = openai_server.asked_for("Claims")[0].body
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == ("test", 0, 7, 123)
    schema = body["response_format"]["json_schema"]
    assert (schema["name"], schema["strict"]) == ("Claims", True)
    assert (schema["schema"]["required"], schema["schema"]["additionalProperties"]) == (["claims"], False)
    assert body["messages"][0]["role"] == "system"
    assert "logprobs" not in body


@pytest.mark.parametrize("structured", ["json", "auto"])
def test_a_judge_without_schemas_is_shown_the_schema(structured, openai_server, judge, known):
    """litellm does not know of `openai/test` that it takes schemas."""
    asking = judge(structured=structured)
    score = asyncio.run(Faithfulness(asking, claims="judge").assess(known(1).sample))
    assert score.value == pytest.approx(known(1).score)
    body = openai_server.requests[0].body
    assert body["response_format"] == {"type": "json_object"}
    shown = body["messages"][0]["content"].partition("JSON schema: ")[2]
    assert json.loads(shown)["properties"]["claims"] == {
        "items": {"type": "string"},
        "title": "Claims",
        "type": "array",
    }


def test_one_word_is_one_token_with_its_alternatives(openai_server, judge, ask):
    openai_server.script = lambda _: Answer(text="No", logprobs=[{"No": log(0.7), "Yes": log(0.3)}])
    question = replace(ask("Is it?"), schema=Choice, options=("Yes", "No"), logprobs=True)
    (reply,) = asyncio.run(closed_after(judge(logprobs=True), question))
    body = openai_server.requests[0].body
    assert (body["max_tokens"], body["logprobs"], body["top_logprobs"]) == (1, True, 10)
    assert "response_format" not in body
    assert reply.value.word == "No"
    assert option_probabilities(reply.raw, ("Yes", "No")) == pytest.approx({"Yes": 0.3, "No": 0.7}, abs=1e-4)


def test_probabilities_are_asked_for_only_of_a_judge_that_tells_them(openai_server, judge, ask):
    asyncio.run(closed_after(judge(logprobs=False), replace(ask("Is it?"), logprobs=True)))
    assert "logprobs" not in openai_server.requests[0].body


def test_a_replayed_score_is_the_live_one_to_the_last_digit(openai_server, judge, known, tmp_path):
    """The alternatives are rounded for the cassette: a live score must be made of the rounded ones too."""
    unround = {"No": log(0.876543210), "Yes": log(0.123456789), "Maybe": log(1e-9)}
    stars = {"5": log(0.7654321), "1": log(0.2345679)}

    def script(request: Request) -> Answer | None:
        place = unround if "<statement>" in request.user else stars
        return Answer(text=max(place, key=place.__getitem__), logprobs=[place])

    openai_server.script = script

    async def assess(mode: str) -> list[Any]:
        async with judge(cassette=tmp_path / "a.jsonl", mode=mode, logprobs=True) as asking:
            metrics = [Faithfulness(asking), JudgeTruthfulness(asking)]
            return [await metric.assess(known(2).sample) for metric in metrics]

    live, replayed = asyncio.run(assess("record")), asyncio.run(assess("replay"))
    assert [score.value for score in live] == [score.value for score in replayed]
    assert [score.evidence for score in live] == [score.evidence for score in replayed]
    assert live[0].value == pytest.approx(0.123456789, abs=1e-4)
    assert live[1].value == pytest.approx(5 * 0.7654321 + 1 * 0.2345679, abs=1e-3)


def reply_with_logprob(logprob: str) -> str:
    place = f'{{"token": "Yes", "logprob": {logprob}, "bytes": null, "top_logprobs": []}}'
    choice = '{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes"}, '
    choice += f'"logprobs": {{"content": [{place}]}}}}'
    return f'{{"id": "1", "object": "chat.completion", "created": 0, "model": "t", "choices": [{choice}]}}'


def test_what_litellm_cannot_read_is_told_without_its_traceback(openai_server, judge, ask):
    openai_server.script = lambda _: Answer(raw=reply_with_logprob("null"))
    with pytest.raises(JudgeError, match="Invalid response object") as caught:
        asyncio.run(closed_after(judge(), ask("Is it?")))
    assert "Traceback" not in str(caught.value)


def test_the_cassette_holds_no_key_and_no_address(openai_server, judge, known, tmp_path):
    async def assess() -> None:
        async with judge(cassette=tmp_path / "a.jsonl") as asking:
            await Faithfulness(asking, claims="judge").assess(known(0).sample)

    asyncio.run(assess())
    assert openai_server.requests[0].headers["authorization"] == "Bearer sk-secret-of-the-test"
    content = (tmp_path / "a.jsonl").read_text()
    assert len(content.splitlines()) == 2
    assert "sk-secret" not in content and "127.0.0.1" not in content


class Shelf:
    """A store of replies in memory, as a run's store is one on disk."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def get(self, key: str) -> Any:
        return self.kept.get(key)

    def put(self, recording: Any) -> None:
        self.kept[recording.key] = recording


def test_every_store_keeps_and_any_may_answer(openai_server, judge, ask):
    shelf, other = Shelf(), Shelf()

    def asked_with(*shelves: Shelf) -> Any:
        asking = judge()
        for each in reversed(shelves):
            asking.keep_in(each)
        return asyncio.run(closed_after(asking, ask("Same")))[0]

    assert not asked_with(shelf).from_cassette
    assert asked_with(other, shelf).from_cassette
    assert (len(openai_server.requests), len(shelf.kept), len(other.kept)) == (1, 1, 0)


def test_a_reply_is_kept_before_it_is_read(openai_server, judge, ask):
    """One that turns out to be of no use was paid for too."""
    openai_server.script = lambda _: Answer(text="of no use")
    shelf, asking = Shelf(), judge()
    asking.keep_in(shelf)
    with pytest.raises(JudgeError):
        asyncio.run(closed_after(asking, replace(ask("?"), schema=Choice)))
    assert [recording.reply.text for recording in shelf.kept.values()] == ["of no use", "of no use"]
