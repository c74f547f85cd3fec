"""No secret reaches a store, a cassette, a file or the terminal, however it was given and whoever repeats it."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer

from assay.errors import JudgeError
from assay.generation.crosseval.bots import BotQuestion, HttpBot
from assay.judges import Cassette, JudgeSettings, PlainText, Question, RawReply, body_limit
from assay.judges.recording import format_line, make_recording
from assay.judges.secrets import Scrubber, recordable_parameters, recordable_url
from assay.prompts import Prompt
from assay.runs import Plan, Store
from assay.runs.postgres import without_password

Make = Callable[..., Any]
KEY = "sk-secret-of-the-test"  # OPENAI_API_KEY of the fixture
METRICS = "faithfulness:claims=judge"


def written(folder: Path) -> dict[str, bytes]:
    """Every file in a folder, but for the settings that the user wrote."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("local"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("settings", "secret"),
    [
        ({"parameters": {"extra_query": {"sig": "hunter2-in-the-query"}}}, "hunter2-in-the-query"),
        ({"parameters": {"extra_body": {"session": "hunter2-in-the-body"}}}, "hunter2-in-the-body"),
        ({"parameters": {"extra_body": {"deep": [{"er": "hunter2-deep-inside"}]}}}, "hunter2-deep-inside"),
        ({"parameters": {"user": "hunter2-as-the-user"}}, "hunter2-as-the-user"),
    ],
    ids=["query", "body", "deep", "user"],
)
@pytest.mark.parametrize("status", [200, 500])
def test_parameters_are_written_only_where_they_are_known_to_be_harmless(
    *, assay: Make, set_file: Make, judge_file: Make, openai_server: OpenAIServer, tmp_path: Path, settings: Any,
    secret: str, status: int,
) -> None:  # fmt: skip
    """Where the provider fails, it repeats the secret and the key."""
    if status != 200:
        openai_server.script = lambda _: Answer(status=status, error_message=f"{secret} and {KEY}")
    judge = judge_file(**settings, attempts=1)
    words = [set_file(3), "--judge", judge, "--metrics", METRICS, "--cassette", "replies.jsonl", "--out", "out.jsonl"]
    done = assay("run", *words)
    assert secret not in done.out + done.err and KEY not in done.out + done.err
    shown = assay("show", "last", "--json")
    assert secret not in shown.out and KEY not in shown.out
    for name, content in written(tmp_path).items():
        assert secret.encode() not in content, name
        assert KEY.encode() not in content, name
    resumed = assay("run", "--resume", "last")
    assert (resumed.code, "name the sets and the judge again" in resumed.err) == (2, True)
    if status == 200:
        again = assay("run", *words, "--resume", "last", "--json")
        assert (again.code, again.json["metrics"][METRICS]["scored"]) == (0, 3)


def test_an_address_is_written_without_what_may_be_secret(tmp_path: Path) -> None:
    settings = JudgeSettings(model="openai/m", api_base="https://ann:hunter2pass@host:81/v1?api_key=hunter2query")
    store = Store(tmp_path)
    run = store.begin(Plan(sets=("a.jsonl",), metrics=("faithfulness",), judge=settings))
    recorded = store.run(run).plan.judge
    assert recorded is not None and recorded.api_base == "https://(withheld)@host:81/v1?(withheld)"
    assert not [name for name, content in written(tmp_path).items() if b"hunter2" in content]
    error_text = "Connection error at https://ann:hunter2pass@host:81/v1?api_key=hunter2query: refused"
    assert "hunter2" not in settings.scrubber.scrub_error(error_text)
    assert "host" in settings.scrubber.scrub_error(error_text)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("https://ann@host/v1", "https://(withheld)@host/v1"),
        ("https://host/v1#hunter2", "https://host/v1?(withheld)"),
        ("https://ann:hun/ter2@host/v1", "(withheld)"),
        ("https://ann:1/ter2@host/v1", "(withheld)"),
        ("host:hunter2", "(withheld)"),
    ],
)
def test_addresses(url: str, shown: str) -> None:
    assert recordable_url(url) == shown


def test_parameters_that_are_harmless_are_written_as_they_are() -> None:
    harmless = {"temperature": 0.5, "stop": ["\n"], "logit_bias": {"50256": -100}, "reasoning_effort": "minimal"}
    assert recordable_parameters(harmless) == harmless
    nested = {"extra_body": {"top_k": 5, "chat_template_kwargs": {"enable_thinking": False}}}
    assert recordable_parameters(nested) == nested
    assert recordable_parameters({"stop": "x" * 41, "seed": {"a": "b"}}) == {"stop": "(withheld)", "seed": "(withheld)"}


@pytest.mark.parametrize("name", ["api_key", "extra_headers", "cookies", "bearer", "vertex_credentials", "aws_token"])
def test_what_is_clearly_a_secret_is_refused_with_the_cure(name: str) -> None:
    with pytest.raises(ValueError, match="set the provider's environment variable instead"):
        JudgeSettings(model="a/b", parameters={"extra_body": {name: "x"}})


def test_a_recording_holds_no_parameter_that_may_be_secret() -> None:
    question = Question(Prompt("ask", "en", (), "$text"), "Q", PlainText)
    reply = RawReply(model="m", text="Yes")
    parameters = {"temperature": 0, "extra_query": {"api-version": "1", "code": "hunter2"}}
    line = format_line(make_recording("0" * 32, question, parameters, reply))
    assert b"hunter2" not in line
    assert json.loads(line)["parameters"] == {"extra_query": "(withheld)", "temperature": 0}


def test_a_key_that_a_model_repeats_in_its_reply_is_not_written(
    *, assay: Make, set_file: Make, judge_file: Make, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    openai_server.script = lambda request: (
        Answer(text=json.dumps({"claims": [f"Your key is {KEY}."]})) if request.schema == "Claims" else None
    )
    assay("run", set_file(2), "--judge", judge_file(), "--metrics", METRICS, "--cassette", "replies.jsonl")
    for name, content in written(tmp_path).items():
        assert KEY.encode() not in content, name


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-0123456789abcdef.",
        "Authorization: Bearer abcdefgh12345678",
        "for url https://ann:hunter2@host/v1",
        "GET /v1?api_key=abcdefgh12345678&x=1",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv is not valid",
        "token eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM expired",
    ],
)
def test_what_looks_like_a_key_is_taken_out_of_an_error(text: str) -> None:
    scrubbed = Scrubber().scrub_error(text)
    assert "***" in scrubbed
    assert not [secret for secret in ("0123456789abcdef", "hunter2", "abcdefgh12345678", "eyJ") if secret in scrubbed]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:hunter2@host/db",
        "postgres://ann:hun@ter2hunter2@host/db",
        "postgresql://ann:pw/hunter2@host/db",
        "postgresql://ann:pw?hunter2@host/db",
        "postgresql://ann:pw#hunter2@host/db",
        "postgresql://ann:5432/hunter2@host/db",
        "postgresql://host/db?password=hunter2&sslmode=require",
        "postgresql://host/db?user=ann&passfile=x&options=hunter2",
        "postgresql://ann:hunter2@[host/db",
        "postgresql://ann:hunter2@host:port/db",
    ],
)
def test_the_password_of_a_server_is_never_shown(assay: Make, url: str) -> None:
    assert "hunter2" not in without_password(url)
    result = assay("show", "--store", url)
    assert result.code == 2
    assert "hunter2" not in result.out + result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("status", [200, 500])
def test_the_secrets_of_an_http_bot_stay_where_they_are(
    status: int, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """The endpoint repeats the password and the parameter of its address, and the key in its template."""
    secrets = ("hunter2-the-password", "hunter2-the-parameter", "hunter2-in-the-template")
    host = openai_server.api_base.removeprefix("http://")
    url = f"http://ann:{secrets[0]}@{host}/chat/completions?token={secrets[1]}"
    template = {"model": "m", "messages": [{"role": "user", "content": "$question"}], "api_key": secrets[2]}
    said = " and ".join(secrets[:2] if status == 200 else secrets)
    openai_server.script = lambda _: Answer(text=f"Ask {said}.", status=status, error_message=said)
    cassette = Cassette(tmp_path / "bot.jsonl", mode="auto")
    bot = HttpBot(url, template, "choices.0.message.content", cassette)
    question = BotQuestion("How?", [], 1, "en")
    if status == 200:
        outcome = asyncio.run(bot.answer(question)).text
        assert outcome == "Ask *** and ***."
    else:
        with pytest.raises(JudgeError, match="status 500") as raised:
            asyncio.run(bot.answer(question))
        outcome = str(raised.value)
    cassette.close()
    everything = f"{outcome} {bot.name} " + "".join(map(str, written(tmp_path).values()))
    assert not [secret for secret in secrets if secret in everything]
    assert openai_server.requests[0].body["api_key"] == secrets[2]  # it was sent


def test_an_http_bots_reply_without_end_is_cut_off(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limit, "MOST_BYTES", 1 << 20)
    openai_server.script = lambda _: Answer(fault="endless_zipped")
    template = {"messages": [{"role": "user", "content": "$question"}]}
    bot = HttpBot(f"{openai_server.api_base}/chat/completions", template, "answer")
    with pytest.raises(JudgeError, match="the reply was cut off: its body is longer than 1 MB"):
        asyncio.run(bot.answer(BotQuestion("How?", [], 1, "en")))
