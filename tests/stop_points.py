"""Programs that are ended at their k-th change of a file, so that a test can do it for every k, as SQLite's tests do.

A change is a file opened for writing, a write (of which only the first half is done), an fsync, a rename, a removal, a
new folder, or the begin or the commit of a transaction of SQLite, which itself sees to what is between them.
"""

import builtins
import io
import itertools
import os
import runpy
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_IMPORT = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import stop_points"
_CHANGES = {"os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Stopped(NamedTuple):
    """How a program ended, what it printed, and whether it came to the change at which it was to end."""

    code: int
    out: str
    err: str
    is_reached: bool


def stop_at_change(python, folder, number, *words, program="", signals="KILL"):
    """Runs a program until its change of a file of this number, where it sends itself signals.

    Args:
        python: Begins it.
        folder: Where it runs. Changes of files elsewhere do not count.
        number: Of the change, from 1.
        words: The words of `assay`, or of the program.
        program: Python code; by default, `assay`.
        signals: The signals, with commas: the first at the change, each other one at the next change.
    """
    reached = folder.with_name(f"{folder.name}.reached")
    reached.unlink(missing_ok=True)
    process = python.start(
        "-c", f"{_IMPORT}; stop_points.main()", str(number), signals, reached, program, *words,
        cwd=folder, stdin=subprocess.DEVNULL, encoding="utf-8",
    )  # fmt: skip
    out, err = process.communicate()
    return Stopped(process.returncode, out, err, reached.exists())


def stop_at_every_change(python, folder, *words, **options):
    """Runs a program until its first change, then until its second, and so on; ends when one gets to its end."""
    for number in itertools.count(1):
        stopped = stop_at_change(python, folder, number, *words, **options)
        yield stopped
        if not stopped.is_reached:
            return


def kill_at_change(number):
    """Code that kills the process that runs it at its change of this number."""
    return f"{_IMPORT}; stop_points.kill_at({number})"


def kill_at(number):
    """Kills this process at its change of this number."""
    _count_changes(lambda count: signal.raise_signal(signal.SIGKILL) if count == number else None)


def main():
    """Runs in the new process."""
    number, signals, reached, program, *sys.argv[1:] = sys.argv[1:]
    pending = [signal.Signals[f"SIG{name}"] for name in signals.split(",")]

    def stop(count):
        if count >= int(number) and pending:
            signal_number = pending.pop(0)
            os.close(_open(reached, os.O_WRONLY | os.O_CREAT))
            signal.raise_signal(signal_number)

    _count_changes(stop)
    if program:
        exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
    else:
        runpy.run_module("assay", run_name="__main__", alter_sys=True)


_open, _write, _fsync, _connect, _open_file = os.open, os.write, os.fsync, sqlite3.connect, io.open


def _count_changes(stop):
    """Calls `stop` with the number of each change, just before it is done; of a write, when half of it is done."""
    sys.dont_write_bytecode = True
    numbers, folder = itertools.count(1), Path.cwd()

    def is_here(path):
        return isinstance(path, str | os.PathLike) and Path(path).absolute().is_relative_to(folder)

    def change(*_):
        stop(next(numbers))

    def see(event, values):
        is_change = event in _CHANGES or (event == "open" and isinstance(values[2], int) and values[2] & _WRITES)
        if is_change and is_here(values[0]):
            change()

    class File(io.FileIO):
        def write(self, data):
            view = memoryview(data).cast("B")
            half = super().write(view[: len(view) // 2]) if len(view) > 1 else 0
            change()
            return half + super().write(view[half:])

    def open_file(file, mode="r", buffering=-1, encoding=None, *rest, **named):
        if not (set(mode) & set("wax+") and is_here(file)):
            return _open_file(file, mode, buffering, encoding, *rest, **named)
        raw = File(file, mode.replace("b", "").replace("t", ""))
        if "b" in mode and buffering == 0:
            return raw
        buffer = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffer if "b" in mode else io.TextIOWrapper(buffer, encoding, *rest, **named)

    def sync(descriptor):
        change()
        _fsync(descriptor)

    def connect(*words, **named):
        connection = _connect(*words, **named)

        def see_statement(sql):
            if sql == "COMMIT" or not (connection.in_transaction or sql.startswith(("SELECT", "PRAGMA", "--"))):
                change()

        connection.set_trace_callback(see_statement)
        return connection

    sys.addaudithook(see)
    builtins.open = io.open = open_file  # type: ignore[assignment]
    os.fsync, sqlite3.connect = sync, connect  # type: ignore[assignment]
