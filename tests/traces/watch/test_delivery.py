"""Alarms reach a real web server, and a URL that is secret stays so."""

import json

import pytest
from api_server import Reply
from pydantic import ValidationError

from assay.errors import InputError, UsageError
from assay.traces import AlarmAnswer, AlarmMessage, WatchSettings, deliver_alarm

HOSTILE = "<!channel> $(touch pwned)\x1b[31m\n*bold*"
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
    answers=(AlarmAnswer("t1", HOSTILE, HOSTILE, 0.1, HOSTILE, "https://view.example.org/a?b=1"),),
    page="https://view.example.org/watch/1",
    at="2026-11-23T00:00:00Z",
)


def problem_of(url):
    with pytest.raises(InputError) as error:
        deliver_alarm(MESSAGE, url, first_wait=0.001)
    assert len(str(error.value)) <= 300
    assert "SECRET-PATH" not in str(error.value)
    return str(error.value)


def test_a_webhook_gets_text_for_people_and_the_values_with_the_id(webhook):
    deliver_alarm(MESSAGE, webhook.url)
    (call,) = webhook.calls
    assert (call.method, call.headers["Idempotency-Key"]) == ("POST", "watch-3-fired")
    assert call.headers["Content-Type"] == "application/json"
    assert call.body == json.loads(json.dumps(MESSAGE.as_json()))
    assert call.body["text"] == (
        "support bot: alarm: The mean rating is 3.2 [3.0, 3.4], below 3.8, since 2026-11-20. "
        "https://view.example.org/watch/1"
    )
    assert (call.body["value"], call.body["low"], call.body["answers"][0]["question"]) == (3.2, 3.0, HOSTILE)


@pytest.mark.parametrize(
    ("statuses", "calls", "problem"),
    [
        ([503, 429], 3, ""),
        ([404], 1, "the webhook answered 404: no such hook /***/T0/***"),
        ([307], 1, "the webhook answered 307"),  # a redirect is not followed
        ([500, 500, 500, 500], 3, "the webhook answered 500"),
    ],
)
def test_what_passes_is_tried_again_and_a_refusal_is_not(webhook, statuses, calls, problem):
    words = f"no such hook /services/T0/SECRET-PATH {'x' * 5_000}"
    webhook.script = lambda call: (
        Reply(statuses.pop(0), words, {"location": "http://127.0.0.1:9/elsewhere"}) if statuses else None
    )
    if problem:
        assert problem_of(webhook.url).startswith(problem)
    else:
        deliver_alarm(MESSAGE, webhook.url, first_wait=0.001)
    assert len(webhook.calls) == calls


def test_a_webhook_that_is_not_there_is_told():
    assert problem_of("http://127.0.0.1:9/SECRET-PATH").startswith("the webhook cannot be reached")


def settings(webhook):
    return WatchSettings(name="bot", source="otel:x", webhook=webhook)


def test_a_url_of_the_environment_is_read_late_and_never_shown(monkeypatch):
    watch = settings("env:SUPPORT_CHAT_URL")
    assert watch.webhook_shown == "webhook (env:SUPPORT_CHAT_URL)"
    with pytest.raises(UsageError, match="the environment variable SUPPORT_CHAT_URL is not set: set it to the webhook"):
        _ = watch.webhook_url
    monkeypatch.setenv("SUPPORT_CHAT_URL", "chat.example.org/SECRET-PATH")
    with pytest.raises(UsageError, match="is no URL of a webhook") as error:
        _ = watch.webhook_url
    assert "SECRET-PATH" not in str(error.value)
    monkeypatch.setenv("SUPPORT_CHAT_URL", "https://chat.example.org/SECRET-PATH")
    assert watch.webhook_url == "https://chat.example.org/SECRET-PATH"
    assert settings("https://chat.example.org/SECRET-PATH").as_json()["webhook"] == "webhook at chat.example.org"


@pytest.mark.parametrize(
    "url", ["", "ftp://a.example/x", "file:///etc/passwd", "https:///no-host", "https://a.example/\x00", "http://[bad"]
)
def test_what_is_no_url_is_refused(url):
    with pytest.raises(ValidationError):
        settings(url)
