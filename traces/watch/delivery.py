"""Delivers alarms to webhooks, Slack and commands."""

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

import httpx
import psutil

from ...errors import AssayError, InputError
from ...judges.retry import read_retry_after
from ...judges.secrets import Scrubber
from ...presentation.texts import one_line
from ..retrying import FailedAttempt, call_again, is_passing
from .alarm_message import AlarmMessage
from .alarm_target import AlarmTarget
from .slack_form import slack_form

_TRIES = 3
_LONGEST_WAIT = 8.0  # seconds between two tries
_LONGEST_PROBLEM = 300  # characters of what a server or a command says


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of one message at one target.

    Attributes:
        target: The target, as it may be shown.
        problem: Why it was not delivered; empty where it was.
    """

    target: str
    problem: str = ""


def deliver_alarm(
    message: AlarmMessage,
    targets: Sequence[AlarmTarget],
    *,
    first_wait: float = 0.5,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Delivery]:
    """Delivers a message to all targets; one that fails does not keep it from the others.

    A webhook gets it by POST, as JSON, with its id in the header `Idempotency-Key`; no redirect is followed. What
    passes (a time-out, too many requests, an error of the server) is tried three times. A command gets it on its
    standard input, and never as an argument: what customers wrote reaches no shell.

    Yields:
        One result per target, in their order.
    """
    for target in targets:
        try:
            if target.command:
                _run_command(message, target)
            else:
                _post(message, target, first_wait, clock)
        except AssayError as error:
            yield Delivery(target.shown, one_line(Scrubber().scrub_error(str(error)), _LONGEST_PROBLEM))
        else:
            yield Delivery(target.shown)


def _post(message: AlarmMessage, target: AlarmTarget, first_wait: float, clock: Callable[[], float]) -> None:
    url = target.url
    body = json.dumps(slack_form(message) if target.slack else message.as_json(), ensure_ascii=True)
    try:
        call_again(
            lambda: _post_once(url, body, message.id, target.seconds, clock),
            attempts=_TRIES,
            first_wait=first_wait,
            longest_wait=_LONGEST_WAIT,
        )
    except FailedAttempt as error:
        raise InputError(Scrubber(url).scrub(f"{error} ({_TRIES} tries)")) from None


def _post_once(url: str, body: str, key: str, seconds: float, clock: Callable[[], float]) -> None:
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    try:
        # a time-out of httpx is one of each step: the body, which only an error needs, is read until the time is over
        end = clock() + seconds
        with httpx.stream("POST", url, content=body, headers=headers, timeout=seconds) as response:
            start = "" if response.is_success else _read_start(response, end, clock)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise FailedAttempt(f"the webhook cannot be reached: {error or type(error).__name__}") from None
    if response.is_success:
        return
    start = one_line(Scrubber(url).scrub(start), _LONGEST_PROBLEM)  # the URL is a secret, and may be in it
    problem = f"the webhook answered {response.status_code}: {start or 'nothing'}"
    if is_passing(response.status_code):
        raise FailedAttempt(problem, read_retry_after(response.headers))
    raise InputError(problem)


def _read_start(response: httpx.Response, end: float, clock: Callable[[], float]) -> str:
    """The first characters of an answer, as far as they come before the time is over."""
    start = ""
    for part in response.iter_text():  # as it comes: parts of a size would be waited for
        start += part
        if len(start) >= _LONGEST_PROBLEM or clock() > end:
            break
    return start[:_LONGEST_PROBLEM]


def _run_command(message: AlarmMessage, target: AlarmTarget) -> None:
    body = json.dumps(message.as_json(), ensure_ascii=True).encode()
    with TemporaryFile() as sent:
        sent.write(body)
        sent.seek(0)
        try:
            command = subprocess.Popen(target.command, stdin=sent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except OSError as error:
            raise InputError(f"the command cannot be run: {error.strerror or error}") from None
    last = bytearray()
    reader = threading.Thread(target=_keep_end, args=(command.stderr, last), daemon=True)
    reader.start()
    try:
        code = command.wait(target.seconds)
    except subprocess.TimeoutExpired:
        _kill(command)
        problem = f"the command did not end in {target.seconds:g} s: raise `seconds`, or make it quicker"
        raise InputError(problem) from None
    reader.join(1)  # what it left running may hold its error output
    if code:
        written = last.decode(errors="replace").strip().rsplit("\n", 1)[-1]
        raise InputError(f"the command ended with {code}: {written or 'it wrote no error'}")


def _kill(command: "subprocess.Popen[bytes]") -> None:
    """Ends a command, and what it has started."""
    with suppress(psutil.NoSuchProcess):
        for process in [*psutil.Process(command.pid).children(recursive=True), psutil.Process(command.pid)]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
    command.wait()


def _keep_end(stream: IO[bytes] | None, end: bytearray) -> None:
    """Reads a stream to its end, and keeps the last characters: a command may write more than memory holds."""
    while stream is not None and (part := os.read(stream.fileno(), 65_536)):
        end += part
        del end[:-_LONGEST_PROBLEM]
