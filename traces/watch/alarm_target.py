"""Where alarms go: a webhook, Slack, or a command; as `alarms` of a watch file says."""

import os
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from ...errors import UsageError

_VARIABLE = "env:"
_Url = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
_Word = Annotated[str, StringConstraints(max_length=10_000)]


class AlarmTarget(BaseModel):
    """One target of alarms; exactly one of `webhook`, `slack` and `command`.

    Attributes:
        webhook: The URL that gets the message as JSON, or `env:NAME` for the environment variable that holds it.
        slack: The URL of an incoming webhook of Slack, likewise. Such a URL is a secret: better in a variable.
        command: A program and its arguments; it gets the message as JSON on its standard input.
        seconds: How long one delivery may take.

    Example:
        >>> AlarmTarget(slack="env:SLACK_URL").shown
        'slack (env:SLACK_URL)'
        >>> AlarmTarget(webhook="https://hooks.example.org/secret").shown
        'webhook at hooks.example.org'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    webhook: _Url | None = None
    slack: _Url | None = None
    command: tuple[_Word, ...] = ()
    seconds: float = Field(default=10.0, gt=0, le=600)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if sum(map(bool, (self.webhook, self.slack, self.command))) != 1:
            raise ValueError("an alarm goes to one of webhook, slack and command; write one entry for each")
        for url in filter(None, (self.webhook, self.slack)):
            if not url.startswith(_VARIABLE):
                _check_url(url, "it")
        return self

    @property
    def url(self) -> str:
        """The URL of a webhook, read from its environment variable where it names one.

        Raises:
            UsageError: The variable is not set, or holds no URL.
        """
        url = self.webhook or self.slack or ""
        if not url.startswith(_VARIABLE):
            return url
        name = url.removeprefix(_VARIABLE)
        value = os.environ.get(name, "")
        if not value:
            raise UsageError(f"alarms: the environment variable {name} is not set: set it to the webhook's URL")
        try:
            _check_url(value, f"the environment variable {name}")
        except ValueError as error:
            raise UsageError(f"alarms: {error}") from None
        return value

    @property
    def shown(self) -> str:
        """The target as it may be shown: of a URL only the host, since its path may be a secret."""
        if self.command:
            return f"command {self.command[0]}"
        kind, url = ("webhook", self.webhook) if self.webhook else ("slack", self.slack)
        assert url is not None  # one of the three is set
        return f"{kind} ({url})" if url.startswith(_VARIABLE) else f"{kind} at {urlsplit(url).hostname}"


def _check_url(url: str, what: str) -> None:
    """Raises ValueError for what is no URL of a web server; the message does not repeat it."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        is_web = False
    if not is_web or url != url.strip() or not url.isprintable():
        raise ValueError(f"{what} is no URL of a webhook: write https://HOST/PATH, or env:NAME")
