"""What scenarios gave, as text to read and compare, and as values to compare to 1e-12."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent
SCENARIOS = sorted(FOLDER.glob("scenarios/*.yaml"))
"""The scenarios with a golden output beside them."""
SETS = sorted(FOLDER.glob("sets/*.yaml"))
"""Whole bundled sets, which only `make against` compares."""
WIDTH = 140
"""Of a line of JSON that holds several values."""
LONGEST = 300
"""Of a longer file or output the golden output has this many lines at its start and a count of the others."""


class Typist:
    """A process that types scenarios with some Python's `assay`."""

    def __init__(self, python: str | Path = sys.executable, *, earlier_names: bool = False, locale: str = "") -> None:
        pipe = subprocess.PIPE
        names = {"ASSAY_EARLIER_NAMES": "1"} if earlier_names else {}
        names |= {"ASSAY_GOLDEN_LOCALE": locale} if locale else {}
        command, environment = [python, FOLDER / "typist.py"], os.environ | names
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

    def play(self, scenario: Path) -> list[dict[str, Any]]:
        """The outcome of each step of a scenario."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{scenario}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"{scenario.name}: the process that types it ended; its standard error says why"
        steps: list[dict[str, Any]] = json.loads(line)
        return steps

    def stop(self) -> None:
        """Ends the process."""
        self.process.communicate()


def golden_text(scenario: Path, steps: list[dict[str, Any]]) -> str:
    """What is written beside a scenario: all that its field `compare` names, by default all there is."""
    compared = yaml.safe_load(scenario.read_text(encoding="utf-8")).get("compare", ["out", "err", "files", "pages"])
    return "".join(f"{line}\n" for step in steps for line in _lines(step, compared))


def _lines(step: dict[str, Any], compared: list[str]) -> Iterator[str]:
    yield f"$ assay {step['typed']}"
    if "out" in compared:
        yield from _shortened(_readable(step["out"]))
    if "err" in compared:
        yield from (f"! {line}".rstrip() for line in step["err"].splitlines())
    if step["exit"]:
        yield f"exit code {step['exit']}"
    for name, text in step["files"].items():
        yield f"--- file {name}"
        if "files" in compared:
            yield from _shortened(_readable(text))
    yield from (f"--- gone: {name}" for name in step["gone"])
    for page in step["pages"] if "pages" in compared else ():
        yield from _shortened([f"--- {line}" if number == 0 else line for number, line in enumerate(page.splitlines())])
    yield ""


def _shortened(lines: list[str]) -> list[str]:
    return lines if len(lines) <= LONGEST else [*lines[:LONGEST], f"... and {len(lines) - LONGEST} more lines"]


def _readable(text: str) -> list[str]:
    values = json_values(text)
    if values is None:
        return [line.rstrip() for line in text.splitlines()]
    return [line for value in values for line in _laid_out(_rounded(value))]


def _laid_out(value: Any, key: str = "", indent: str = "") -> Iterator[str]:
    """The lines of a value as JSON: what fits on one line stands on one."""
    line = f"{indent}{key}{json.dumps(value, ensure_ascii=False)}"
    if len(line) <= WIDTH or not value or not isinstance(value, dict | list):
        yield line
        return
    items = value.items() if isinstance(value, dict) else (("", item) for item in value)
    yield f"{indent}{key}{'{' if isinstance(value, dict) else '['}"
    for name, item in items:
        yield from _laid_out(item, f'"{name}": ' if name else "", f"{indent} ")
    yield f"{indent}{'}' if isinstance(value, dict) else ']'}"


def json_values(text: str) -> list[Any] | None:
    """The value of a JSON text, the values of JSON Lines; None where it is neither."""
    if not text.startswith(("{", "[")):
        return None
    for parts in ([text], text.splitlines()):
        with contextlib.suppress(ValueError):
            return [json.loads(part) for part in parts]
    return None


def _rounded(value: Any) -> Any:
    """The value with floats of nine digits: what differs beyond depends on the processor."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.9g}") if isinstance(value, float) and abs(value) > 1e-12 else value


def step_values(steps: list[dict[str, Any]]) -> dict[str, Any]:
    """By the number of the step: its exit code, and the JSON that it printed and wrote."""
    values = dict[str, Any]()
    for number, step in enumerate(steps, 1):
        texts = {"out": step["out"]} | step["files"]
        values[str(number)] = {name: found for name, text in texts.items() if (found := json_values(text))}
        values[str(number)]["exit"] = step["exit"]
    return values


def differences(first: Any, second: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two values differ by more than 1e-12: the path, and both."""
    if isinstance(first, dict) and isinstance(second, dict):
        for key in first | second:
            yield from differences(first.get(key, "(absent)"), second.get(key, "(absent)"), f"{path}.{key}".strip("."))
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for number, pair in enumerate(zip(first, second, strict=True)):
            yield from differences(*pair, f"{path}.{number}")
    elif isinstance(first, float) and isinstance(second, int | float):
        if abs(first - second) > 1e-12 * max(1, abs(first)):
            yield path, first, second
    elif first != second:
        yield path, first, second
