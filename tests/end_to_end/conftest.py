"""A command in a process that cannot reach a network and has no litellm."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

_OFFLINE = """
import socket, sys
def refuse(*_, **__):
    raise RuntimeError("this command must reach no network")
for name in ("connect", "connect_ex", "bind", "sendto", "sendmsg"):
    setattr(socket.socket, name, refuse)
socket.getaddrinfo = socket.create_connection = refuse
sys.modules["litellm"] = sys.modules["openai"] = None  # importing either is an error
from assay.cli import main
main()
"""


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Types `assay ...` in an empty folder, in a process of its own without network, litellm or a key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def typed(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", _OFFLINE, *map(str, words)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return typed
