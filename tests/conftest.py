"""What tests of several folders need."""

import gc
import itertools
import json
import logging
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from modules import module_of
from network_guard import GUARD, UNGUARD
from openai_server import OpenAIServer
from phoenix_server import PhoenixServer, find_phoenix
from postgres_server import PostgresServer, find_program
from warm_python import COMMANDS, LITELLM, WarmPython

pytest_plugins = ["pytester"]

# No clock and no chance decides a test: the same examples in every run, however long each takes.
settings.register_profile("assay", deadline=None, derandomize=True)
settings.load_profile("assay")
# Hypothesis also tries the constants of the modules that are loaded: which ones the tests before have decided.
providers._get_local_constants = lambda: providers._local_constants

# Tests begin dozens of processes: each would compile all modules anew where none may be kept.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The libraries stay for good: to look through them again and again while they are loaded, and in each collection
# after that, took a third of the time to collect.
gc.disable()
_ended = itertools.count()


def pytest_collection_finish():
    """From here on only what the tests make is looked through."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)  # at Python's own rate a tenth of the processor's time goes into it
    gc.enable()


def pytest_runtest_logfinish(nodeid):
    """What earlier tests left for good (language packs, models, outcomes) is not looked through by every collection."""
    if next(_ended) % 200 == 199:
        gc.collect()
        gc.freeze()


def pytest_collection_modifyitems(items):
    """Marks what needs a browser as needing an extra."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.extras("playwright"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Skips what needs a library that is not installed."""
    needed = [name for mark in item.iter_markers("extras") for name in mark.args]
    if missing := [name for name in needed if find_spec(name) is None]:
        pytest.skip(f"needs {', '.join(missing)}: make extras")


@pytest.fixture
def openai_server(monkeypatch):
    """A judge's server on this machine; it replies sensibly until its `script` says otherwise."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with OpenAIServer() as server:
        yield server


class Typed(NamedTuple):
    """How a typed command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What `--json` printed."""
        return json.loads(self.out)


@pytest.fixture
def assay(tmp_path, monkeypatch, capfd):
    """Types `assay ...` in an empty folder, as the installed command does, but in this process."""
    monkeypatch.chdir(tmp_path)
    if "ASSAY_PUBLIC_SETS" not in os.environ:  # a public set that a developer has downloaded is none of a test's
        monkeypatch.setenv("ASSAY_PUBLIC_SETS", str(tmp_path))

    from assay.runs import progress_line

    for name in ("FIRST_LINE_SECONDS", "SECONDS_PER_LINE"):  # a busy machine would print lines of progress too
        monkeypatch.setattr(module_of(progress_line), name, 3600)

    def typed(*words, code=None):
        """`code` is how the command has to end, where a test says so."""
        from assay.cli import main

        monkeypatch.setattr(sys, "argv", ["assay", *map(str, words)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        ended_with = ended.value.code if isinstance(ended.value.code, int) else 0
        done = Typed(ended_with, *capfd.readouterr())
        assert code in (None, done.code), f"{' '.join(map(str, words))} ended with {done.code}\n{done.out}{done.err}"
        return done

    return typed


@pytest.fixture(scope="session")
def warm_python():
    """Begins processes that have loaded the command line and litellm already, which reached no other machine."""
    python = WarmPython(GUARD, COMMANDS, LITELLM, "import pytest", UNGUARD)
    yield python
    python.stop()


@pytest.fixture(scope="session")
def light_python():
    """As `warm_python`, without litellm: its processes begin in a quarter of the time."""
    python = WarmPython(COMMANDS)
    yield python
    python.stop()


@pytest.fixture
def judge_file(tmp_path, openai_server):
    """Writes the settings of a judge at the server; further settings by keyword."""

    def write(name="local.yaml", **settings):
        fields = {"model": "openai/test", "api_base": openai_server.api_base, "structured": "schema", "wait": 0}
        path = tmp_path / name
        path.write_text(json.dumps(fields | settings), encoding="utf-8")  # JSON is YAML
        return path

    return write


@pytest.fixture
def set_file(tmp_path):
    """Writes a set of `count` samples, rated 1 to 5 in turn; every third names a button that is in no context."""

    def write(count=6, name="set.jsonl", **fields):
        rows = [
            {
                "id": f"s{number}",
                "user_input": f"How do I do step {number}?",
                "response": f"Open menu {number}. " + (f"Press button {number}." if number % 3 else "Send flowers."),
                "retrieved_contexts": [f"Open menu {number}. Press button {number}. It is stored as file {number}."],
                "language": "en",
                "rating": 1 + number % 5,
            }
            for number in range(count)
        ]
        path = tmp_path / name
        path.write_text("".join(json.dumps(row | fields) + os.linesep for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def postgres_server():
    """A real PostgreSQL server; what needs it skips where there is none."""
    pytest.importorskip("psycopg")
    if not (find_program("postgres") and find_program("initdb")):
        pytest.skip("no PostgreSQL server here")
    with TemporaryDirectory() as folder:
        server = PostgresServer(Path(folder))
        yield server
        server.stop()


@pytest.fixture
def postgres_url(postgres_server, request):
    """The URL of a database of the test's own."""
    import psycopg

    name = f"t{abs(hash(request.node.nodeid))}"
    with psycopg.connect(f"{postgres_server.url}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres_server.url + name


@pytest.fixture(scope="session")
def phoenix_server(tmp_path_factory):
    """A real Phoenix server, whose projects the tests share: each test has one of its own name."""
    pytest.importorskip("phoenix.client")
    if not find_phoenix():
        pytest.skip("no Phoenix server here: set ASSAY_PHOENIX to the command `phoenix` of arize-phoenix")
    server = PhoenixServer(tmp_path_factory.mktemp("phoenix"))
    yield server
    server.stop()


@pytest.fixture(scope="module")  # playwright has an event loop of its own, which no other test may meet
def browser():
    """A real Chromium; what needs it skips where there is none."""
    from playwright import sync_api as playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with playwright.sync_playwright() as started:
        try:
            opened = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no browser: {error.message.splitlines()[0]}")
        yield opened
        opened.close()


def pytest_unconfigure():
    """litellm keeps a client for each event loop, and tests run hundreds: what it leaves open at exit is no news."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
