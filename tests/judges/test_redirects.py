"""What is sent to a judge stays at its server: a redirect to another one is refused, whichever way the call takes."""

import asyncio
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import openai
import pytest
from openai_server import Answer

from assay import evaluate
from assay.errors import JudgeUnavailable
from assay.judges import JudgeSettings, LiteLLMEmbedder, LiteLLMJudge, Predicate, Request

FEE = Request("support", {"documentation": "It is free."}, [Predicate("1", "It is free.")], "en")
ROW = {"question": "What is the fee?", "answer": "It is free.", "context": "It is free."}


class SendsOn(BaseHTTPRequestHandler):
    """Answers every request with a redirect."""

    def do_POST(self) -> None:
        self.server.asked += 1
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.send_response(self.server.status)
        self.send_header("Location", self.server.target + self.path.removeprefix("/v1"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


class Redirecting(ThreadingHTTPServer):
    """A server that sends every request on to another one."""

    def __init__(self, target: str, status: int) -> None:
        super().__init__(("127.0.0.1", 0), SendsOn)
        self.asked, self.target, self.status = 0, target, status
        self.api_base = f"http://127.0.0.1:{self.server_port}/v1"


@pytest.fixture
def redirecting(openai_server, litellm_ready):
    """Makes a server that sends every request on to the judge's usual one, with a status."""
    servers = []

    def start(status=307):
        servers.append(Redirecting(openai_server.api_base, status))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def refused(call, server, openai_server):
    with pytest.raises(JudgeUnavailable) as raised:
        call()
    first, second = (each.api_base.removesuffix("/v1") for each in (server, openai_server))
    assert f"the judge's server {first} sends on to {second}, which is another one" in str(raised.value)
    assert "name it in `api_base`" in str(raised.value)
    assert openai_server.requests == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_to_another_server_is_followed(status, redirecting, openai_server):
    server = redirecting(status)
    judge = JudgeSettings(model="openai/test", api_base=server.api_base)
    refused(lambda: evaluate([ROW], "faithfulness", judge=judge, progress=False), server, openai_server)
    assert server.asked == 1  # it is not asked again


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "openai/test", "parameters": {"user": "ann"}},  # by litellm's full path
        {"model": "hosted_vllm/test"},
        {"model": "hosted_vllm/test", "parameters": {"user": "ann"}},
        {"model": "mistral/test"},
        {"model": "anthropic/test"},
        {"model": "openai/test", "decide": "decisions"},
        {"model": "hosted_vllm/test", "decide": "systemone"},
    ],
    ids=lambda settings: "-".join(map(str, settings.values())),
)
def test_nor_on_another_way(settings, redirecting, openai_server, monkeypatch):
    for name in ("MISTRAL_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "k")
    server = redirecting()
    judge = LiteLLMJudge(JudgeSettings(api_base=server.api_base, **settings))
    refused(lambda: asyncio.run(judge.decide(FEE)), server, openai_server)
    assert server.asked == 1


@pytest.mark.parametrize("kind", [openai.OpenAI, openai.AsyncOpenAI])
def test_nor_by_a_client_of_openai(kind, redirecting, openai_server):
    server = redirecting()
    judge = LiteLLMJudge(kind(base_url=server.api_base, api_key="k"), model="test")
    refused(lambda: asyncio.run(judge.decide(FEE)), server, openai_server)


def test_nor_for_embeddings(redirecting, openai_server):
    server = redirecting()
    embedder = LiteLLMEmbedder("openai/embed", api_base=server.api_base)
    refused(lambda: asyncio.run(embedder.unit_vectors(["one"])), server, openai_server)


def test_nor_for_a_batch(assay, set_file, judge_file, redirecting, openai_server):
    judge = judge_file(api_base=redirecting().api_base)
    done = assay("run", set_file(2), "--judge", judge, "--metrics", "faithfulness", "--batch", code=1)
    assert "sends on to" in done.err
    assert openai_server.requests == []


def test_a_redirect_within_the_server_is_followed(openai_server, litellm_ready):
    here = {"Location": f"{openai_server.api_base}/chat/completions"}
    openai_server.script = lambda request: Answer(status=307, headers=here) if request.number == 1 else None
    judge = LiteLLMJudge(JudgeSettings(model="openai/test", api_base=openai_server.api_base))
    assert asyncio.run(judge.decide(FEE))["1"].option == "yes"
    assert len(openai_server.requests) == 2


def test_what_a_program_sends_itself_is_its_own_affair(redirecting, openai_server):
    client = openai.OpenAI(base_url=redirecting().api_base, api_key="k")
    client.chat.completions.create(model="test", messages=[{"role": "user", "content": "Hello"}])
    assert len(openai_server.requests) == 1
