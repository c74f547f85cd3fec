"""Many who ask one judge: what is asked once, which connections and loops serve, and how it ends."""

import asyncio
from typing import Any

import pytest
from openai_server import Answer

from assay.errors import JudgeError
from assay.judges import LiteLLMJudge


async def closed_after(judge: LiteLLMJudge, *questions: Any) -> list[Any]:
    async with judge:
        return await asyncio.gather(*(judge.ask(question) for question in questions))


def test_identical_questions_in_flight_are_asked_once(openai_server, judge, ask):
    openai_server.latency = 0.05
    asking = judge()
    questions = [ask("Same", sample=f"s{number}") for number in range(10)]
    replies = asyncio.run(closed_after(asking, *questions))
    assert len(openai_server.requests) == 1
    assert {reply.value.text for reply in replies} == {"I see."}
    assert [reply.usage.calls for reply in replies] == [1] + [0] * 9, "what it took is counted once"
    assert asking.usage.calls == 1
    assert not any(reply.from_cassette for reply in replies)


def test_the_same_a_moment_later_is_not_asked_again(openai_server, judge, ask):
    """Ragas asked the same question three times at temperature 0."""

    async def twice() -> list[Any]:
        async with judge() as asking:
            return [await asking.ask(ask("Same")), await asking.ask(ask("Same"))]

    first, second = asyncio.run(twice())
    assert len(openai_server.requests) == 1
    assert (second.value, second.usage.calls, second.from_cassette) == (first.value, 0, False)


def test_one_who_asks_may_go_and_the_others_still_get_the_reply(openai_server, judge, ask):
    openai_server.latency = 0.1

    async def one_goes() -> tuple[Any, LiteLLMJudge]:
        async with judge() as asking:
            goes, stays = (asyncio.create_task(asking.ask(ask("Same"))) for _ in range(2))
            while not openai_server.requests:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
            goes.cancel()
            return await stays, asking

    reply, asking = asyncio.run(one_goes())
    assert reply.value.text == "I see."
    assert len(openai_server.requests) == 1
    assert asking.usage.calls == 1


def test_a_shared_failure_reaches_each_that_shared_it(openai_server, judge, ask):
    openai_server.script = lambda _: Answer(status=401, latency=0.05)

    async def both() -> list[Any]:
        asking = judge()
        calls = [asking.ask(ask("Same", sample=name)) for name in ("anna", "bert")]
        return await asyncio.gather(*calls, return_exceptions=True)

    anna, bert = asyncio.run(both())
    assert isinstance(anna, JudgeError) and "AuthenticationError" in str(anna)
    assert isinstance(bert, JudgeError) and str(bert) == str(anna), "the reason names no sample: equal ones are counted"
    assert len(openai_server.requests) == 1


def test_a_failure_is_not_remembered(openai_server, judge, ask):
    openai_server.script = lambda request: Answer(status=400) if request.number == 1 else None

    async def twice() -> Any:
        asking = judge()
        with pytest.raises(JudgeError):
            await asking.ask(ask("Same"))
        return await asking.ask(ask("Same"))

    assert asyncio.run(twice()).value.text == "I see."


def test_connections_are_used_again(openai_server, judge, ask):
    openai_server.latency = 0.01

    async def rounds() -> None:
        async with judge(concurrency=4) as asking:
            for number in range(10):
                await asyncio.gather(*(asking.ask(ask(f"Question {number}.{each}")) for each in range(4)))

    asyncio.run(rounds())
    assert len(openai_server.requests) == 40
    assert openai_server.connections <= 4


def test_leaving_ends_what_nobody_waits_for(openai_server, judge, ask, tmp_path):
    """Else a call would go on behind the back of a run that was stopped, and write into a closed cassette."""
    openai_server.script = lambda _: Answer(fault="hang")

    async def leave() -> int:
        async with judge(cassette=tmp_path / "a.jsonl") as asking:
            call = asyncio.create_task(asking.ask(ask("Anyone?")))
            while not openai_server.requests:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
            call.cancel()
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(leave()) <= 1  # `asked` itself may not have heard yet
    assert list(tmp_path.iterdir()) == []


QUIET = """
import asyncio, sys
from assay.judges import LiteLLMJudge, PlainText, Question
from assay.prompts import PromptMessage, Prompt

ask = Prompt("ask", "en", (PromptMessage(role="system", content="You answer."),), "$text")

async def main():
    async with LiteLLMJudge("openai/test", api_base=sys.argv[1], attempts=1) as judge:
        for text in ("One", "Two"):
            try:
                await judge.ask(Question(ask, text, PlainText))
                print("fine")
            except Exception as error:
                print(type(error).__name__)

asyncio.run(main())
"""


def test_litellm_prints_nothing(openai_server, warm_python):
    openai_server.script = lambda request: Answer(status=500) if request.user == "Two" else None
    process = warm_python.run("-c", QUIET, openai_server.api_base)
    assert (process.returncode, process.stdout, process.stderr) == (0, "fine\nJudgeError\n", "")
