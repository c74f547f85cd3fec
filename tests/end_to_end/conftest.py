"""The wheel of this checkout, and a command in a process that cannot reach a network and has no litellm."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from warm_python import WarmPython

_OFFLINE = """
import socket, sys
def refuse(*_, **__):
    raise RuntimeError("this command must reach no network")
for name in ("connect", "connect_ex", "bind", "sendto", "sendmsg"):
    setattr(socket.socket, name, refuse)
socket.getaddrinfo = socket.create_connection = refuse
for name in {"litellm", "openai"} | set(sys.modules):
    if name.partition(".")[0] in ("litellm", "openai"):
        sys.modules[name] = None  # importing it is an error
from assay.cli import main
main()
"""

_PROGRESS = re.compile(r"assay: \d+ of \d+ samples, .*\n")  # on a slow machine
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built from a copy: a build writes beside its sources, where another process may build too."""
    folder = tmp_path_factory.mktemp("wheel")
    left_out = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "tests", "docs", "benchmarks")
    shutil.copytree(ROOT, folder / "source", ignore=left_out)
    options = ("-q", "--no-deps", "--no-build-isolation", "-w", folder)
    command = [sys.executable, "-m", "pip", "wheel", *options, folder / "source"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture
def offline(
    warm_python: WarmPython, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Types `assay ...` in an empty folder, in a process of its own without network, litellm or a key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def typed(*words: str | Path) -> subprocess.CompletedProcess[str]:
        done = warm_python.run("-c", _OFFLINE, *words, cwd=tmp_path)
        done.stderr = _PROGRESS.sub("", done.stderr)
        return done

    return typed
