"""A local Langfuse, and what goes to it."""

import pytest
from langfuse_server import PUBLIC, SECRET, LangfuseServer
from traces_of_tests import trace_score

from assay.traces import TraceOrigin


@pytest.fixture
def server(monkeypatch):
    """A local server that follows Langfuse's published API, and its keys in the environment."""
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", PUBLIC)
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    with LangfuseServer() as running:
        yield running


@pytest.fixture
def score():
    """Makes a score of a trace."""

    def make(number=1, origin=None, **fields):
        where = TraceOrigin(**({"address": "langfuse://localhost/", "id": f"t{number}"} | (origin or {})))
        return trace_score(key=f"{number:032x}", origin=where, **fields)

    return make
