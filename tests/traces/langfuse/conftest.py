"""A local Langfuse, and what goes to it."""

from typing import Any

import pytest
from langfuse_server import PUBLIC, SECRET, LangfuseServer

from assay.traces import TraceOrigin, TraceScore


@pytest.fixture
def server(monkeypatch):
    """A local server that follows Langfuse's published API, and its keys in the environment."""
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", PUBLIC)
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    for name in ("LANGFUSE_BASE_URL", "LANGFUSE_HOST", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    with LangfuseServer() as running:
        yield running


@pytest.fixture
def waits(monkeypatch):
    """The seconds that were waited, which no test really waits."""
    waited: list[float] = []
    monkeypatch.setattr("tenacity.nap.sleep", waited.append)
    return waited


@pytest.fixture
def score():
    """Makes a score of a trace."""

    def make(number=1, origin=None, **fields):
        where = {"address": "langfuse://localhost/", "id": f"t{number}", **(origin or {})}
        values: dict[str, Any] = {
            **{"key": f"{number:032x}", "origin": TraceOrigin(**where), "name": "faithfulness", "value": 0.5},
            **{"low": 0.0, "high": 1.0, "higher_is_better": True, "label": "", "reason": "Two of four claims hold."},
            **{"link": "http://localhost/answers/1", "judge": "local", "prompts": "abc", "run": "r1"},
            **{"sample": f"t{number}", "at": "2026-11-20T11:00:00+00:00"},
        }
        return TraceScore(**(values | fields))

    return make
