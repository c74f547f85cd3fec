"""The wheel of this checkout, and a command in a process that cannot reach a network and has no litellm."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_CUT_OFF = """
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
"""
_TYPED = "main()"
_TYPED_IN_TURN = """
import io, json
from contextlib import redirect_stdout, suppress
for words in json.loads(sys.argv[1]):
    sys.argv = ["assay", *words]
    with redirect_stdout(io.StringIO()) as printed, suppress(SystemExit):
        main()
    print(json.dumps(printed.getvalue()))
"""

_PROGRESS = re.compile(r"assay: \d+ of \d+ samples, .*\n")  # on a slow machine
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
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
def offline(warm_python, tmp_path, monkeypatch):
    """Types `assay ...` in an empty folder, in a process of its own without network, litellm or a key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def typed(*words):
        done = warm_python.run("-c", _CUT_OFF + _TYPED, *words, cwd=tmp_path)
        done.stderr = _PROGRESS.sub("", done.stderr)
        return done

    return typed


@pytest.fixture
def offline_in_turn(warm_python, tmp_path, monkeypatch):
    """Types several commands as `offline` does, in one process that loads all once; gives what each prints."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def typed(commands):
        done = warm_python.run("-c", _CUT_OFF + _TYPED_IN_TURN, json.dumps(commands), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return typed
