"""The judge at a real server; and that the fast path gives what litellm's full path gives."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import requires
from math import log
from typing import Any

import pytest
from modules import module_of
from openai_server import Answer, OpenAIServer, Request

from assay.errors import JudgeError
from assay.judges import Budget, Choice, LiteLLMJudge, RawReply, acompletion, option_probabilities
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


fast_path = module_of(acompletion)

PROVIDERS = ["openai", "hosted_vllm"]


@pytest.fixture
def litellm(litellm_ready: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """litellm as nobody has set anything in it, whatever other tests did."""
    import litellm

    for name in fast_path._LEFT_TO_LITELLM:
        value = getattr(litellm, name)
        monkeypatch.setattr(litellm, name, type(value)() if isinstance(value, (list, dict)) else None)
    return litellm


@pytest.fixture
def no_full_path(litellm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(**_: Any) -> None:
        raise AssertionError("the full path was taken")

    monkeypatch.setattr(litellm, "acompletion", refuse)


@pytest.fixture
def only_full_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_path, "_PROVIDERS", frozenset())


def get_reply(judge: Callable[..., Any], ask: Callable[..., Any], **options: Any) -> RawReply:
    """What a judge says, without how long it took."""
    reply = asyncio.run(judge(**options).ask(ask("Are you there?", logprobs=True)))
    return replace(reply.raw, seconds=0.0)


def with_logprobs(server: OpenAIServer) -> None:
    server.script = lambda _: Answer(text="Yes", logprobs=[{"Yes": -0.1, "No": -2.4}], usage=(12, 3))


@pytest.mark.usefixtures("no_full_path")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_fast_path_is_taken(provider, openai_server, judge, ask):
    with_logprobs(openai_server)
    reply = get_reply(judge, ask, model=f"{provider}/test", logprobs=True)
    assert (reply.text, reply.tokens_in, reply.tokens_out, reply.usd) == ("Yes", 12, 3, None)
    assert reply.logprobs == ({"Yes": -0.1, "No": -2.4},)


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_both_paths_say_and_send_the_same(provider, openai_server, judge, ask, request):
    with_logprobs(openai_server)
    options = {"model": f"{provider}/test", "logprobs": True, "parameters": {"temperature": 0, "seed": 7}}
    fast = get_reply(judge, ask, **options)
    request.getfixturevalue("only_full_path")
    assert get_reply(judge, ask, **options) == fast
    sent_fast, sent_full = (each.body for each in openai_server.requests)
    assert sent_fast == sent_full


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_both_paths_fail_alike(provider, openai_server, judge, ask, request):
    def failure(status: int) -> str:
        openai_server.script = lambda _: Answer(status=status, error_message="no, thank you")
        with pytest.raises(JudgeError, match="no, thank you") as caught:
            get_reply(judge, ask, model=f"{provider}/test", attempts=1)
        return str(caught.value)

    statuses = [400, 401, 404, 429, 500]
    fast = [failure(status) for status in statuses]
    request.getfixturevalue("only_full_path")
    assert [failure(status) for status in statuses] == fast


@pytest.mark.parametrize("path", ["no_full_path", "only_full_path"])
@pytest.mark.parametrize("fault", ["reset", "cut"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_call_whose_connection_breaks_is_sent_once(*, path, fault, provider, openai_server, judge, ask, request):
    """By itself litellm's HTTP client sends it again, past the judge's attempts and its budget."""
    request.getfixturevalue(path)
    openai_server.script = lambda _: Answer(fault=fault)
    budget = Budget(tokens=10_000)
    with pytest.raises(JudgeError, match="Connection error"):
        get_reply(judge, ask, model=f"{provider}/test", attempts=1, budget=budget)
    assert (len(openai_server.requests), budget.lost.calls) == (1, 1)


@pytest.mark.usefixtures("litellm")
def test_what_is_set_for_openais_client_holds(openai_server, judge, ask, monkeypatch):
    """Only OpenAI's client, on the full path, reads the project from the environment."""
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-7")
    assert get_reply(judge, ask).text
    assert openai_server.requests[0].headers["openai-project"] == "proj-7"


def test_who_listens_to_litellm_hears_of_the_call(openai_server, judge, ask, litellm, monkeypatch):
    heard: list[str] = []
    is_called = asyncio.Event()

    async def listen(call: dict[str, Any], *_: Any) -> None:
        if call["model"] == "test":  # litellm may tell late, in its own thread, of a call that an earlier test made
            heard.append(call["model"])
            is_called.set()

    monkeypatch.setattr(litellm, "success_callback", [listen])

    async def ask_and_wait() -> None:
        await judge().ask(ask("Are you there?"))
        await asyncio.wait_for(is_called.wait(), 10)

    asyncio.run(ask_and_wait())
    assert heard == ["test"]


def test_a_parameter_for_litellm_itself_takes_the_full_path(openai_server, judge, ask):
    """litellm's fallbacks: the first model fails, another answers, and nobody blocks the event loop meanwhile."""
    openai_server.script = lambda request: Answer(status=400) if request.body["model"] == "test" else None
    fallback = {"model": "openai/other", "api_base": openai_server.api_base}
    assert get_reply(judge, ask, parameters={"fallbacks": [fallback]}).text
    assert [request.body["model"] for request in openai_server.requests] == ["test", "other"]


@pytest.fixture
def other_litellm(litellm: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A litellm whose log of a call takes other arguments."""

    def changed(model: str, messages: list[Any]) -> None:
        raise AssertionError("it is made without the arguments that it takes")

    monkeypatch.setattr("litellm.litellm_core_utils.litellm_logging.Logging", changed)
    fast_path._internals.cache_clear()
    yield
    fast_path._internals.cache_clear()


@pytest.mark.usefixtures("other_litellm")
def test_another_litellm_takes_the_full_path_and_one_line_says_so(openai_server, judge, ask, caplog):
    assert get_reply(judge, ask).text and get_reply(judge, ask).text
    assert len(openai_server.requests) == 2
    (line,) = [record.getMessage() for record in caplog.records if record.name == fast_path.__name__]
    assert "calls take litellm's full path" in line and "'stream'" in line


def test_litellms_range_is_bounded():
    """The fast path uses internals; the bound is the newest version that these tests passed with."""
    (requirement,) = [each for each in requires("assay") or [] if each.startswith("litellm")]
    assert "<" in requirement and ">=" in requirement


@pytest.mark.parametrize(
    ("model", "is_chat"), [("gpt-4o-mini", True), ("gpt-5-pro", False), ("responses/gpt-4o", False)]
)
def test_only_chat_completions_take_the_fast_path(model, is_chat, litellm):
    """litellm reaches gpt-5-pro, and what stands after `responses/`, by another endpoint."""
    assert fast_path._is_chat(model, "openai") is is_chat
