"""What tests of several folders need."""

from collections.abc import Iterator

import pytest
from openai_server import OpenAIServer


@pytest.fixture
def openai_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """A judge's server on this machine; it replies sensibly until its `script` says otherwise."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with OpenAIServer() as server:
        yield server
