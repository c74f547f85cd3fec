"""No secret reaches a store, a cassette, a file or the terminal, however it was given and whoever repeats it."""

import asyncio
import html
import json
import random
import string
from urllib.parse import quote

import pytest
from openai_server import Answer

from assay.errors import JudgeError
from assay.generation import BotQuestion, HttpBot
from assay.judges import (
    Cassette,
    JudgeSettings,
    PlainText,
    Question,
    RawReply,
    Scrubber,
    format_line,
    make_recording,
    recordable_parameters,
    recordable_url,
)
from assay.prompts import Prompt
from assay.runs import Plan, Store, without_password

KEY = "sk-secret-of-the-test"  # OPENAI_API_KEY of the fixture
METRICS = "faithfulness:claims=judge"


def written(folder):
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
    *, assay, set_file, judge_file, openai_server, tmp_path, settings, secret, status
):
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
    assert (resumed.code, "name the judge again" in resumed.err) == (2, True)
    if status == 200:
        again = assay("run", *words, "--resume", "last", "--json")
        assert (again.code, again.json["metrics"][METRICS]["scored"]) == (0, 3)


def test_an_address_is_written_without_what_may_be_secret(tmp_path):
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
        ("https://host/3f9a0c2e/v1", "https://host/(withheld)/v1"),
        ("https://host/v1/sk-hunter2hunter2", "https://host/v1/(withheld)"),
        ("https://host/hunter2%2Fhunter2/openai/v1/", "https://host/(withheld)/openai/v1/"),
        ("https://host/v1;key=hunter2", "https://host/(withheld)"),
        ("https://ann:pw@host/HUNTER2/v1?api-key=hunter2", "https://(withheld)@host/(withheld)/v1?(withheld)"),
    ],
)
def test_addresses(url, shown):
    assert recordable_url(url) == shown


def test_parameters_that_are_harmless_are_written_as_they_are():
    harmless = {"temperature": 0.5, "stop": ["\n"], "logit_bias": {"50256": -100}, "reasoning_effort": "minimal"}
    assert recordable_parameters(harmless) == harmless
    nested = {"extra_body": {"top_k": 5, "chat_template_kwargs": {"enable_thinking": False}}}
    assert recordable_parameters(nested) == nested
    assert recordable_parameters({"stop": "x" * 41, "seed": {"a": "b"}}) == {"stop": "(withheld)", "seed": "(withheld)"}


@pytest.mark.parametrize("name", ["api_key", "extra_headers", "cookies", "bearer", "vertex_credentials", "aws_token"])
def test_what_is_clearly_a_secret_is_refused_with_the_cure(name):
    with pytest.raises(ValueError, match="set the provider's environment variable instead"):
        JudgeSettings(model="a/b", parameters={"extra_body": {name: "x"}})


def test_a_recording_holds_no_parameter_that_may_be_secret():
    question = Question(Prompt("ask", "en", (), "$text"), "Q", PlainText)
    reply = RawReply(model="m", text="Yes")
    parameters = {"temperature": 0, "extra_query": {"api-version": "1", "code": "hunter2"}}
    line = format_line(make_recording("0" * 32, question, parameters, reply))
    assert b"hunter2" not in line
    assert json.loads(line)["parameters"] == {"extra_query": "(withheld)", "temperature": 0}


def test_a_key_that_a_model_repeats_in_its_reply_is_not_written(assay, set_file, judge_file, openai_server, tmp_path):
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
        "key-eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM",
        f"token eyJ{'a' * 5000}.eyJzdWIiOi.SflKxwRJSM expired",  # a head with a chain of certificates
    ],
    ids=lambda text: text[:40],
)
def test_what_looks_like_a_key_is_taken_out_of_an_error(text):
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
def test_the_password_of_a_server_is_never_shown(assay, url):
    assert "hunter2" not in without_password(url)
    result = assay("show", "--store", url, code=2)
    assert "hunter2" not in result.out + result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("status", [200, 500])
def test_the_secrets_of_an_http_bot_stay_where_they_are(status, openai_server, tmp_path):
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


ALPHABETS = (
    string.ascii_letters + string.digits,
    string.ascii_letters + string.digits + "+/=_-.",
    string.ascii_letters + string.digits + "!$%&*,;:<>?@#'\"\\ {}|~é",
)
NAMES = (
    *("MYAPIKEY", "GITHUB_PAT", "FOO_CREDENTIALS", "SENTRY_DSN", "AZURE_CONNECTION_STRING", "PGPASSWORD", "DB_PASS"),
    *("MY_PASSPHRASE", "SECRET_KEY_BASE", "AWS_ACCESS_KEY_ID", "OPENAI_API_KEY_2", "NPM_AUTH", "SLACK_WEBHOOK_URL"),
)
TELLTALE = """
import os
from assay import metric
from assay.metrics.score import failed, scored

def all_secrets(): return [value for name, value in os.environ.items() if name.startswith("TEST_ECHO_")]

@metric
def raising(sample): raise RuntimeError("connecting with " + " and ".join(all_secrets()))

@metric
def telling(sample): return scored(0.5, " ".join(all_secrets()), {"settings": [{"of": tuple(all_secrets())}]})

@metric
def failing(sample): return failed("with " + " ".join(all_secrets()), {s: 1 for s in all_secrets()})
"""


def forms_of(secret):
    """A secret as files may hold it: plain, in JSON, in an address, in a page."""
    plain = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], quote(secret, safe="")}
    return plain | {html.escape(form) for form in plain}


def make_secrets(draw, monkeypatch):
    """Sets secret variables to random values, and connection strings with passwords; the secrets in them."""
    secrets = []
    for name in NAMES:
        secret = "".join(draw.choices(draw.choice(ALPHABETS), k=draw.randint(12, 40)))
        monkeypatch.setenv(name, f"x{secret}x")
        secrets.append(f"x{secret}x")
    for name, form in (
        ("DATABASE_URL", "postgresql://ann:{}@db.example.org:5432/assay?sslmode=require"),
        ("REDIS_URL", "redis://:{}@localhost:6379/0"),
        ("ACCOUNT", "DefaultEndpointsProtocol=https;AccountName=ann;AccountKey={};EndpointSuffix=core"),
        ("LIBPQ", "host=db user=ann password={} dbname=assay"),
        ("SERVICE", '{{"type": "service_account", "private_key": "{}"}}'),
    ):
        secret = "".join(draw.choices(ALPHABETS[0], k=24))
        monkeypatch.setenv(name, form.format(secret))
        secrets.append(secret)
    for number, secret in enumerate(secrets):
        monkeypatch.setenv(f"TEST_ECHO_{number}", secret)
    return secrets


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 20))])
@pytest.mark.parametrize("status", [200, 500])
def test_no_secret_is_in_any_byte_of_any_file(
    *, seed, status, assay, set_file, judge_file, openai_server, tmp_path, monkeypatch
):
    """A provider and metrics that repeat all they can; runs that work and runs that fail, suites, reports and pages."""
    draw = random.Random(seed)
    secrets = make_secrets(draw, monkeypatch)
    in_path, in_body = ("".join(draw.choices(ALPHABETS[0], k=20)) for _ in range(2))
    secrets += [in_path, in_body, KEY]
    everything = " and ".join(secrets)

    def script(request):
        if status != 200:
            return Answer(status=status, error_message=f"{request.path}: {everything}")
        return Answer(text=json.dumps({"claims": [f"It is {everything}."]})) if request.schema == "Claims" else None

    openai_server.script = script
    base = openai_server.api_base.replace("/v1", f"/{in_path}/v1")
    judge = judge_file(api_base=base, attempts=1, parameters={"extra_body": {"session": in_body}})
    (tmp_path / "local.py").write_text(TELLTALE)
    metrics = [METRICS, "local.py:raising", "local.py:telling", "local.py:failing", "token_overlap"]
    words = [set_file(12, "local.jsonl"), "--judge", judge, "--metrics", ",".join(metrics)]
    outputs = [assay("run", *words, "--cassette", "replies.jsonl", "--out", "out.jsonl", "--max-failed", "0")]
    outputs += [assay("run", *words, "--no-such-option", everything), assay("show", "last", "--json")]
    outputs += [assay("show", "last", "s1"), assay("show", "runs", "--json")]
    outputs.append(assay("meta", "last", "--report", "report.html", "--bootstrap", "100", "--repeats", "1"))
    suite = {"sets": ["local.jsonl"], "metrics": metrics, "judges": [judge.name], "max_failed": 12, "outputs": {}}
    suite["outputs"] = {"site": "site", "summary": "s.md", "json": "r.json", "junit": "j.xml"}
    (tmp_path / "local.yml").write_text(json.dumps(suite))
    outputs.append(assay("suite", "local.yml"))
    assert (tmp_path / "site" / "index.html").exists(), outputs[-1]
    if status == 200:
        assert openai_server.asked_for("Claims"), outputs[0]
        assert in_path in openai_server.requests[0].path and in_body in json.dumps(openai_server.requests[0].body)
    files = written(tmp_path)
    assert outputs[0].code in (1, 4) and [output.code for output in outputs[1:5]] == [2, 0, 0, 0], outputs
    for secret in secrets:
        for form in forms_of(secret):
            for output in (*outputs[:1], *outputs[2:]):  # the second repeats what was typed
                assert form not in output.out + output.err, output
            assert not [name for name, content in files.items() if form.encode() in content], (secret, form)
    assert b"(withheld)/v1" in b"".join(files.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_secret_variable_is_taken_out_of_texts(name, monkeypatch):
    monkeypatch.setenv(name, 'hunter2 "the" \\ secret')
    for form in forms_of('hunter2 "the" \\ secret') - {html.escape('hunter2 "the" \\ secret')}:
        if "&" not in form:
            assert Scrubber().scrub(f"it is {form}!") == "it is ***!"


@pytest.mark.parametrize(
    "name", ["PATH", "HOME", "PWD", "OLDPWD", "LANG", "KEYBOARD", "AUTHOR", "PATTERN", "TOKENIZER", "MY_FILE_KEY"]
)
def test_harmless_variables_stay(name, monkeypatch, tmp_path):
    monkeypatch.setenv(name, str(tmp_path))
    assert Scrubber().scrub(f"see {tmp_path}") == f"see {tmp_path}"
