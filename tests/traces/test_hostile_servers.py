"""Servers of tools that answer too slowly, with keys, or as no such tool does."""

import base64
import gzip
import json
from importlib import import_module

import pytest
from api_server import ApiServer, Reply

from assay.errors import InputError
from assay.traces import TraceAddress, server_words

KEY = "a-key-of-the-test/with+marks"
PUBLIC = "pk-lf-of-the-test"
NAMES = {"phoenix": "Phoenix", "mlflow": "MLflow", "langfuse": "Langfuse"}
all_tools = pytest.mark.parametrize("tool", NAMES)


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name in ("PHOENIX_API_KEY", "MLFLOW_TRACKING_TOKEN", "LANGFUSE_SECRET_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", PUBLIC)


class Scripted(ApiServer):
    """Answers everything in one way."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer


def open_source(tool, host):
    module = import_module(f"assay.traces.{tool}.source")
    return getattr(module, f"{tool.capitalize()}Source")(TraceAddress.parse(f"{tool}://{host}/p"))


def problem_of(tool, host):
    with pytest.raises(InputError) as error:
        list(open_source(tool, host).read(None, None))
    assert str(error.value).isprintable()
    return str(error.value)


@all_tools
def test_no_server_is_said_at_once(tool, waits):
    problem = problem_of(tool, "127.0.0.1:9")
    assert f"{NAMES[tool]} at http://127.0.0.1:9 cannot be reached (" in problem and "refused): start it" in problem
    assert waits == []


def echo(call):
    return " ".join(f"{name}: {value}" for name, value in call.headers.items())


def assert_no_key(problem):
    sent = base64.b64encode(f"{PUBLIC}:{KEY}".encode()).decode()
    for secret in (KEY, "a-key-of-the-test", sent, sent[:20]):
        assert secret not in problem, problem


@all_tools
@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 500])
def test_a_key_that_the_server_echoes_is_in_no_message(tool, status):
    def answer(call):
        return Reply(status, dict.fromkeys(("message", "error", "detail"), f"bad {echo(call)}"))

    with Scripted(answer) as server:
        assert_no_key(problem_of(tool, server.host))


@all_tools
def test_a_redirect_is_refused_and_its_address_shows_no_key(tool):
    with Scripted(lambda call: Reply(200, {})) as elsewhere:

        def answer(call):
            key = call.headers.get("authorization", call.headers.get("Authorization", ""))
            return Reply(302, None, {"location": f"http://{elsewhere.host}/?k={key.replace(' ', '%20')}"})

        with Scripted(answer) as server:
            problem = problem_of(tool, server.host)
        assert f"sends on to http://{elsewhere.host}/?k=" in problem
        assert_no_key(problem)
        assert not elsewhere.calls


def test_keys_are_taken_out_however_they_are_written():
    for text in (KEY, "a-key-of-the\x1b-test/with+marks"):
        assert server_words(f"no {text}", [KEY]) == "no ***"
    assert server_words(f"{'k' * 3000} " * 20 + "end", ["k" * 3000]) == "*** " * 20 + "end"
    assert server_words("nothing", ["", "n"]) == "nothing"


@all_tools
def test_a_packed_reply_is_read(tool):
    body = gzip.compress(b'{"error": "from a packed reply"}')
    with Scripted(lambda call: Reply(400, body, {"content-encoding": "gzip"})) as server:
        assert "from a packed reply" in problem_of(tool, server.host)


@all_tools
@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_outage_at_the_first_call_is_no_wrong_address(tool, status, waits):
    reply = Reply(status, {}, {"retry-after": "99999999"} if status == 429 else {})
    with Scripted(lambda call: reply) as server:
        problem = problem_of(tool, server.host)
    assert ("is asked too often" if status == 429 else "fails") in problem
    assert f"status {status}" in problem
    assert "try again later" in problem
    assert "correct the address" not in problem
    assert sum(waits) <= 600


@all_tools
@pytest.mark.parametrize(
    "body", [None, [], 5, {}, {"error": "no\x1b[2J"}, {"data": "x", "experiment": [], "traces": 5, "name": 3}]
)
def test_a_reply_of_another_form_names_the_server_and_the_call(tool, body):
    with Scripted(lambda call: Reply(200, json.dumps(body))) as server:
        problem = problem_of(tool, server.host)
    assert server.host in problem
    assert f"as no {NAMES[tool]} does" in problem
