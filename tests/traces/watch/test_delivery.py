"""Alarms reach a real web server and a real command; what customers wrote does nothing on its way."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest
from pydantic import ValidationError

from assay.errors import UsageError
from assay.traces.watch.alarm_message import AlarmAnswer, AlarmMessage
from assay.traces.watch.alarm_target import AlarmTarget
from assay.traces.watch.delivery import deliver_alarm
from assay.traces.watch.slack_form import slack_form

HOSTILE = "<!channel> $(touch pwned) `touch pwned`; touch pwned\x1b[31m\n*bold*"
MESSAGE = AlarmMessage(
    id="watch-3-fired",
    watch="support bot",
    event="fired",
    bound="mean at least 3.8",
    sentence="The mean rating is 3.2 [3.0, 3.4], below 3.8, since 2026-11-20.",
    since="2026-11-20",
    value=3.2,
    low=3.0,
    high=3.4,
    answers=(AlarmAnswer("t1", HOSTILE, HOSTILE, 0.1, HOSTILE, "https://view.example.org/a?b=1&c=<2>"),),
    page="https://view.example.org/watch/1",
    at="2026-11-23T00:00:00Z",
)


class Webhook:
    """A web server that keeps what it gets and answers with the statuses that it is given, then 200."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], Any]] = []
        self.statuses: list[int] = []
        self.headers: dict[str, str] = {}
        self.is_slow = False  # it sends one byte, and then nothing until it is closed
        self.closed = threading.Event()
        webhook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                webhook.got.append((dict(self.headers), json.loads(body)))
                self.send_response(webhook.statuses.pop(0) if webhook.statuses else 200)
                for name, value in webhook.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if webhook.is_slow:
                    self.wfile.write(b"z")
                    webhook.closed.wait()
                    return
                self.wfile.write(b"no such hook " + self.path.encode() + b"x" * 5_000)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/services/T0/SECRET-PATH"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.closed.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    server = Webhook()
    yield server
    server.close()


def deliver(*targets: AlarmTarget) -> list[str]:
    return [delivery.problem for delivery in deliver_alarm(MESSAGE, targets, first_wait=0.001)]


def test_a_webhook_gets_the_message_once_with_its_id(webhook: Webhook) -> None:
    assert deliver(AlarmTarget(webhook=webhook.url)) == [""]
    ((headers, body),) = webhook.got
    assert headers["Idempotency-Key"] == "watch-3-fired"
    assert body == json.loads(json.dumps(MESSAGE.as_json()))


def test_what_passes_is_tried_again_and_a_refusal_is_not(webhook: Webhook) -> None:
    webhook.statuses = [503, 429]
    assert deliver(AlarmTarget(webhook=webhook.url)) == [""]
    assert len(webhook.got) == 3
    webhook.statuses = [404]
    (problem,) = deliver(AlarmTarget(webhook=webhook.url))
    assert problem.startswith("the webhook answered 404: no such hook")
    assert len(problem) <= 300
    assert len(webhook.got) == 4
    webhook.statuses = [500, 500, 500, 500]
    (problem,) = deliver(AlarmTarget(webhook=webhook.url))
    assert problem.startswith("the webhook answered 500")
    assert len(webhook.got) == 7


def test_a_redirect_is_not_followed(webhook: Webhook) -> None:
    webhook.statuses, webhook.headers = [307], {"Location": "http://127.0.0.1:9/elsewhere"}
    (problem,) = deliver(AlarmTarget(webhook=webhook.url))
    assert problem.startswith("the webhook answered 307")
    assert len(webhook.got) == 1


def test_one_target_that_fails_keeps_it_from_no_other(webhook: Webhook) -> None:
    gone = AlarmTarget(webhook="http://127.0.0.1:9/gone")
    first, second = deliver(gone, AlarmTarget(webhook=webhook.url))
    assert first.startswith("the webhook cannot be reached")
    assert second == ""


def test_slack_shows_what_was_written_and_obeys_none_of_it(webhook: Webhook) -> None:
    assert deliver(AlarmTarget(slack=webhook.url)) == [""]
    form = webhook.got[0][1]
    assert form == json.loads(json.dumps(slack_form(MESSAGE)))
    obeyed = [form["text"], *(block["text"]["text"] for block in form["blocks"] if block["text"]["type"] == "mrkdwn")]
    assert not any("<!" in text or "\x1b" in text for text in obeyed)
    assert "<https://view.example.org/a?b=1&amp;c=%3C2%3E|the page of t1>" in obeyed
    shown = form["blocks"][3]["text"]
    assert shown["type"] == "plain_text"
    assert "<!channel>" in shown["text"]
    assert "\x1b" not in shown["text"]


def test_a_command_gets_the_message_on_its_input_and_no_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = "import sys; open('got.json', 'w').write(sys.stdin.read())"
    assert deliver(AlarmTarget(command=(sys.executable, "-c", script, "; touch pwned"))) == [""]
    assert json.loads((tmp_path / "got.json").read_text()) == json.loads(json.dumps(MESSAGE.as_json()))
    assert [path.name for path in tmp_path.iterdir()] == ["got.json"]


def test_a_command_that_fails_or_hangs_is_told(tmp_path: Path) -> None:
    fails = "import sys; print('first', file=sys.stderr); print('no pager today', file=sys.stderr); sys.exit(3)"
    hangs = AlarmTarget(command=(sys.executable, "-c", "import time; time.sleep(60)"), seconds=0.2)
    assert deliver(
        AlarmTarget(command=(sys.executable, "-c", fails)), hangs, AlarmTarget(command=(str(tmp_path / "none"),))
    ) == [
        "the command ended with 3: no pager today",
        "the command did not end in 0.2 s: raise `seconds`, or make it quicker",
        "the command cannot be run: No such file or directory",
    ]


def test_a_server_that_answers_bit_by_bit_holds_nothing(webhook: Webhook) -> None:
    """It sends one character, and the second only when the connection is closed: the clock says that time is over."""
    webhook.is_slow = True
    assert deliver(AlarmTarget(webhook=webhook.url)) == [""]  # it took the message: its words are not read
    webhook.statuses = [404]
    (delivery,) = deliver_alarm(MESSAGE, [AlarmTarget(webhook=webhook.url)], clock=iter((0.0, 100.0)).__next__)
    assert delivery.problem == "the webhook answered 404: z"


def test_of_a_command_that_writes_much_the_end_is_kept() -> None:
    writes = "import sys\nfor _ in range(300): sys.stderr.write('x' * 100_000 + '\\n')\nsys.exit('the pager is full')"
    (problem,) = deliver(AlarmTarget(command=(sys.executable, "-c", writes)))
    assert problem == "the command ended with 1: the pager is full"


def test_what_a_command_has_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is over when it has started another process."""
    started, wait = tmp_path / "started", subprocess.Popen.wait
    script = f"sleep 600 & echo $! > {tmp_path}/pid; mv {tmp_path}/pid {started}; wait"

    def wait_for_start(process: Any, timeout: float | None = None) -> int:
        if timeout is None:
            return wait(process)
        while not started.exists():
            pass
        raise subprocess.TimeoutExpired("sh", timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", wait_for_start)
    (problem,) = deliver(AlarmTarget(command=("sh", "-c", script), seconds=1))
    assert problem.startswith("the command did not end in 1 s")
    pid = int(started.read_text())
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        pass  # until the system has ended what was killed


def test_a_url_of_the_environment_is_read_late_and_never_shown(
    webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = AlarmTarget(slack="env:SUPPORT_SLACK_URL")
    (problem,) = deliver(target)
    assert problem == "alarms: the environment variable SUPPORT_SLACK_URL is not set: set it to the webhook's URL"
    monkeypatch.setenv("SUPPORT_SLACK_URL", "hooks.slack.com/SECRET-PATH")
    (problem,) = deliver(target)
    assert "SECRET-PATH" not in problem
    assert "is no URL of a webhook" in problem
    monkeypatch.setenv("SUPPORT_SLACK_URL", webhook.url)
    webhook.statuses = [403]
    (problem,) = deliver(target)
    assert "403" in problem
    assert "SECRET-PATH" not in problem
    assert target.shown == "slack (env:SUPPORT_SLACK_URL)"
    with pytest.raises(UsageError, match="NOT_SET_AT_ALL"):
        _ = AlarmTarget(webhook="env:NOT_SET_AT_ALL").url


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"webhook": "https://a.example", "slack": "https://b.example"},
        {"webhook": "ftp://a.example/x"},
        {"webhook": "file:///etc/passwd"},
        {"webhook": "https:///no-host"},
        {"slack": "https://a.example/\x00"},
        {"command": ["x"], "seconds": 0},
        {"command": ["x"], "email": "a@b"},
    ],
)
def test_a_target_that_cannot_be_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AlarmTarget(**values)
