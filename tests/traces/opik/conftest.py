"""A local Opik, and what goes to it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opik_server import OpikServer, trace_uuid

from assay.traces import TraceOrigin, TraceScore


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpikServer]:
    """A local server that follows Opik's published API, which needs no key."""
    names = ("API_KEY", "WORKSPACE", "PROJECT_NAME", "URL_OVERRIDE")
    for name in (*(f"OPIK_{name}" for name in names), "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    with OpikServer() as running:
        yield running


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited, which no test really waits."""
    waited: list[float] = []
    monkeypatch.setattr("tenacity.nap.sleep", waited.append)
    return waited


@pytest.fixture
def score() -> Callable[..., TraceScore]:
    """Makes a score of a trace."""

    def make(number: int = 1, origin: dict[str, Any] | None = None, **fields: Any) -> TraceScore:
        time = f"2026-11-20T10:{number % 60:02}:00+00:00"
        where = {"address": "opik://localhost/p", "id": trace_uuid(number), "time": time, **(origin or {})}
        values: dict[str, Any] = {
            **{"key": f"{number:032x}", "origin": TraceOrigin(**where), "name": "faithfulness", "value": 0.5},
            **{"low": 0.0, "high": 1.0, "higher_is_better": True, "label": "", "reason": "Two of four claims hold."},
            **{"link": "http://localhost/answers/1", "judge": "local", "prompts": "abc", "run": "r1"},
            **{"sample": trace_uuid(number), "at": "2026-11-20T11:00:00+00:00"},
        }
        return TraceScore(**(values | fields))

    return make
