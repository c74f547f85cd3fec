"""A request in a batch is what a live call sends; a reply in a batch is read as a live one."""

import asyncio
from typing import Any

import pytest
from openai_server import Answer
from pydantic import BaseModel

from assay.judges import (
    Choice,
    Failure,
    JudgeSettings,
    LiteLLMJudge,
    PlainText,
    Question,
    find_provider,
    read_results,
    request_body,
)
from assay.prompts import Prompt, PromptMessage

ASK = Prompt("ask", "en", (PromptMessage(role="system", content="You answer."),), "$text")


class Word(BaseModel):
    """A reply with a shape."""

    word: str


@pytest.mark.parametrize(
    ("model", "settings", "question"),
    [
        ("openai/test", {}, {"schema": PlainText}),
        ("openai/gpt-4o-mini", {"logprobs": True}, {"schema": Choice, "options": ("Yes", "No"), "logprobs": True}),
        ("openai/o3-mini", {}, {"schema": Word}),  # other names of parameters; takes no temperature
        ("openai/test", {"structured": "json", "parameters": {"extra_body": {"top_k": 5}}}, {"schema": Word}),
        ("openai/test", {"parameters": {"top_k": 5, "seed": 1, "stop": ["."]}}, {"schema": Word, "max_tokens": 7}),
        ("hosted_vllm/test", {"parameters": {"top_k": 5, "temperature": 0.5}}, {"schema": Word}),
        ("azure/test", {}, {"schema": Word}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_request_is_what_a_live_call_sends(*, openai_server, litellm_ready, monkeypatch, model, settings, question):
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "of the test")
    monkeypatch.setenv("AZURE_API_KEY", "of the test")
    monkeypatch.setenv("AZURE_API_VERSION", "2024-10-21")
    base = openai_server.api_base.removesuffix("/v1") if model.startswith("azure") else openai_server.api_base
    judge = JudgeSettings(model=model, api_base=base, attempts=1, **settings)
    asked: Question[Any] = Question(ASK, 'Is it "free"? Één ☃', **question)
    openai_server.script = lambda _: Answer(text='{"word": "Yes"}' if asked.schema is Word else "Yes")
    asyncio.run(LiteLLMJudge(judge).ask(asked))
    assert openai_server.requests[-1].body == request_body(asked, judge, *find_provider(judge))


def line(key: str, status: int = 200, body: str = '{"id": "1"}', error: str = "null") -> bytes:
    response = f'{{"status_code": {status}, "body": {body}}}'
    return f'{{"custom_id": "{key}", "response": {response}, "error": {error}}}\n'.encode()


@pytest.mark.parametrize(
    ("content", "failure"),
    [
        (line("a", 400, '{"error": {"message": "too\\nlong"}}'), Failure("HTTP 400: too long", True)),
        (line("a", 429, '{"error": {"message": "busy"}}'), Failure("HTTP 429: busy", False, is_free=True)),
        (line("a", 503, '"down"'), Failure("HTTP 503: down", False, is_free=True)),
        (
            b'{"custom_id": "a", "response": null, "error": {"code": "batch_expired", "message": "late"}}',
            Failure("batch_expired: late", False, is_free=True),
        ),
        (line("a", 200, error='{"code": "batch_expired"}'), Failure("batch_expired: no reason is given", False)),
        (line("a", body="null"), Failure("no reason is given", False)),
        (b'{"custom_id": "a"}', Failure("no reason is given", False)),
        (b'{"custom_id": "a", "response": "hello", "error": []}', Failure("no reason is given", False)),
    ],
)
def test_why_a_request_failed(content, failure):
    assert read_results([content], {"a"}) == {"a": failure}


def test_replies_stand_before_failures_and_what_is_no_result_is_passed_over():
    ends_well = [line("a", 500), line("a"), line("a", 500), line("a")]
    results = read_results([b"".join(ends_well)], {"a", "b"})
    assert results == {"a": {"id": "1"}}
    twice = [line("a"), line("b"), line("a", body='{"id": "2"}'), line("a")]
    failure = Failure("the batch has two replies to it, which differ", is_final=False)
    assert read_results([b"".join(twice)], {"a", "b"}) == {"a": failure, "b": {"id": "1"}}
    hostile = [b"\xff\xfe", b"[" * 100_000, b"null", b'{"custom_id": ["a"]}', b'{"custom_id": "z"}', b"  "]
    assert read_results([b"\n".join(hostile)], {"a"}) == {}
