"""Python processes that begin at once: forked from one that has loaded already what takes a second or more.

Each is a process of its own, with its own memory, folder, environment and end; it can be killed like any other. Only
the imports are shared. What tests the start itself (the installed command, a script, lazy imports) begins a real one.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

# The command line with all its commands and what they load when they run, but for litellm.
COMMANDS = """
import importlib, pkgutil, sys
import assay, assay.eval_sets, assay.judges, assay.meta_eval, assay.metrics, assay.runs
from assay.cli import cli
def load(group):
    for name in group.list_commands(None):
        if hasattr(command := group.get_command(None, name), "list_commands"):
            load(command)
load(cli)
for package in (assay, assay.eval_sets, assay.judges, assay.metrics, assay.runs):
    for name in package.__all__:
        getattr(package, name)
for module in pkgutil.walk_packages(assay.meta_eval.__path__, "assay.meta_eval."):
    importlib.import_module(module.name)
for name in ("jinja2", "numpy", "pydantic", "rich.progress", "rich.table", "scipy.stats", "sentencex", "yaml"):
    importlib.import_module(name)
assert not {"litellm", "openai"} & set(sys.modules), "the command line loads litellm before it asks anybody"
"""
LITELLM = """
from assay.judges.litellm_lookup import load_litellm
load_litellm()
import openai.resources
"""

# The first one waits for requests; each comes with the streams of the new process, and a socket on which the number
# of that is said, and how it ended. It ends without freeing what was loaded, which takes seconds.
_FORKS = """
import atexit, gc, json, os, runpy, select, signal, socket, sys, threading, time

def begin(request):
    told = json.loads(b"".join(iter(lambda: request.recv(65536), b"")))
    request.close()
    if told["new_session"]:
        os.setsid()
    os.environ.clear()
    os.environ.update(told["environment"])
    time.tzset()
    os.chdir(told["folder"])
    return told["words"]

def run(words):
    first, *rest = words
    if first == "-m":
        sys.path[0], sys.argv = os.getcwd(), rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.argv = ["-c", *rest[1:]]
        main = type(sys)("__main__")
        sys.modules["__main__"] = main
        exec(compile(rest[0], "<string>", "exec"), main.__dict__)
    else:
        sys.path[0], sys.argv = os.path.dirname(os.path.abspath(first)), words
        runpy.run_path(first, run_name="__main__")

def run_to_end(words):
    code = 0
    try:
        run(words)
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.raise_signal(signal.SIGINT)
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    os._exit(code & 255)

def wait_for_requests(requests):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal of the tests is theirs
    ends, ended = os.pipe()
    os.set_blocking(ended, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ended)
    running = {}
    waiting = select.poll()
    waiting.register(requests, select.POLLIN)
    waiting.register(ends, select.POLLIN)
    gc.collect()
    gc.freeze()
    while True:
        ready = {descriptor for descriptor, _ in waiting.poll()}
        if ends in ready:
            os.read(ends, 4096)
            for pid in [*running]:
                if (end := os.waitpid(pid, os.WNOHANG))[0]:
                    with running.pop(pid) as answers:
                        try:
                            answers.sendall(f"{os.waitstatus_to_exitcode(end[1])}\\n".encode())
                        except OSError:  # nobody waits for it
                            pass
        if requests.fileno() not in ready:
            continue
        message, descriptors, _, _ = socket.recv_fds(requests, 1, 4)
        if not message:
            os._exit(0)
        request = socket.socket(fileno=descriptors[0])
        if pid := os.fork():
            request.sendall(f"{pid}\\n".encode())
            running[pid] = request
            for descriptor in descriptors[1:]:
                os.close(descriptor)
            continue
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, descriptor in enumerate(descriptors[1:]):
            os.dup2(descriptor, number)
            os.close(descriptor)
        for open_file in (requests, *running.values()):
            open_file.close()
        os.close(ends)
        os.close(ended)
        return begin(request)

run_to_end(wait_for_requests(socket.socket(fileno=int(sys.argv[1]))))
"""


class WarmProcess:
    """A process begun by a `WarmPython`; to be used like a `subprocess.Popen`."""

    def __init__(self, answers: socket.socket, stdin: Any, stdout: Any, stderr: Any) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.returncode: int | None = None
        self._answers = answers.makefile("rb", buffering=0)
        try:
            self.pid = int(self._answers.readline())
        except (OSError, ValueError) as error:
            raise RuntimeError("what the first process loads has ended it; its standard error says why") from error

    def poll(self) -> int | None:
        """How it ended, if it has."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """How it ended; waits until it has."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return code

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None:
            answers = select.poll()  # select takes no descriptor above 1023; litellm leaves many open
            answers.register(self._answers, select.POLLIN)
            if answers.poll(None if timeout is None else 1000 * timeout):
                self.returncode = int(self._answers.readline())
                self._answers.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Sends a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """kill -9."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[Any, Any]:
        """All that it printed; waits until it has ended."""
        read: dict[Any, Any] = {}
        streams = [stream for stream in (self.stdout, self.stderr) if stream]
        readers = [
            threading.Thread(target=lambda stream=stream: read.update({stream: stream.read()}), daemon=True)
            for stream in streams
        ]
        deadline = None if timeout is None else time.monotonic() + timeout
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(None if deadline is None else max(0, deadline - time.monotonic()))
            if reader.is_alive():
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        self.wait(None if deadline is None else max(0, deadline - time.monotonic()))
        self._close()
        return read.get(self.stdout), read.get(self.stderr)

    def _close(self) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream:
                stream.close()

    def __enter__(self) -> "WarmProcess":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()
        self.wait()


class WarmPython:
    """A Python that has run some code, from which processes are forked.

    Where nothing can be forked (on Windows) each process begins by itself.

    Args:
        loaded: The code: imports, and nothing that the processes need to be right.
        environment: Of the first process; that of the others is given when they begin.
    """

    def __init__(self, *loaded: str, environment: Mapping[str, str] | None = None) -> None:
        if not hasattr(os, "fork"):
            return
        self._requests, theirs = socket.socketpair()
        command = [sys.executable, "-c", "\n".join([*loaded, _FORKS]), str(theirs.fileno())]
        self._process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env=environment, cwd="/"
        )
        theirs.close()

    def start(
        self,
        *words: str | Path,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: int | None = subprocess.DEVNULL,
        stdout: int | None = subprocess.PIPE,
        stderr: int | None = subprocess.PIPE,
        encoding: str | None = None,
        start_new_session: bool = False,
    ) -> Any:
        """Begins a process: `start("-m", "assay", "run")` as `Popen([sys.executable, "-m", "assay", "run"])`."""
        if not hasattr(os, "fork"):
            command = [sys.executable, *map(str, words)]
            return subprocess.Popen(
                command, cwd=cwd, env=env, stdin=stdin, stdout=stdout, stderr=stderr, encoding=encoding
            )
        told = {
            "words": [str(word) for word in words],
            "folder": os.fspath(cwd or Path.cwd()),
            "environment": dict(os.environ if env is None else env),
            "new_session": start_new_session,
        }
        ours, theirs = socket.socketpair()
        streams, given = list[Any](), [theirs.fileno()]
        for number, kind in enumerate((stdin, stdout, stderr)):
            if kind == subprocess.PIPE:
                reads, writes = os.pipe()
                mine, child = (writes, reads) if number == 0 else (reads, writes)
                mode = "w" if number == 0 else "r"
                streams.append(open(mine, mode if encoding else f"{mode}b", encoding=encoding))  # noqa: SIM115, PTH123
                given.append(child)
            else:
                streams.append(None)
                given.append(os.open(os.devnull, os.O_RDWR) if kind == subprocess.DEVNULL else os.dup(number))
        socket.send_fds(self._requests, [b"!"], given)
        for descriptor in given[1:]:
            os.close(descriptor)
        theirs.close()
        ours.sendall(json.dumps(told).encode())
        ours.shutdown(socket.SHUT_WR)
        return WarmProcess(ours, *streams)

    def run(self, *words: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        """Runs a process to its end; options as of `start`."""
        process = self.start(*words, **{"encoding": "utf-8"} | options)
        out, err = process.communicate()
        return subprocess.CompletedProcess([*words], process.wait(), out, err)

    def stop(self) -> None:
        """Ends the first process; no more can begin."""
        if hasattr(os, "fork"):
            self._requests.close()
            self._process.wait()
