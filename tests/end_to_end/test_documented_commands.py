"""The documentation's commands, typed again: what a page says that a command prints is what it prints."""

import re
import shlex
from collections.abc import Callable, Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("first-steps.md",)
_RUN = re.compile(r"\b\d{8}-\d{6}(-[0-9a-f]{4})?\b")  # when a run was made
_SECONDS = re.compile(r"\b\d+\.\d s\b")


def documented(page: str) -> Iterator[tuple[str, str]]:
    """(command, output) of each `$ assay ...` in a page's indented blocks; a command ends where the next begins."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    command, output = "", list[str]()
    for line in [*lines, "the end"]:
        inside = not line or line.startswith("    ")
        if command and (not inside or line.startswith("    $ ")):
            yield command, "\n".join(output).strip("\n")
            command, output = "", []
        if line.startswith("    $ "):
            command = line.removeprefix("    $ ")
        elif command:
            output.append(line.removeprefix("    "))


def timeless(text: str) -> str:
    """Without what is another each time: a run's name, the seconds that it took."""
    return _SECONDS.sub("0.0 s", _RUN.sub("RUN", text))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_prints_what_its_commands_print(
    page: str, assay: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the checkout's files; `...` on a line of its own stands for any lines."""
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    for name in ("cassettes", "judges", "prompts"):
        (tmp_path / name).symlink_to(ROOT / name)
    commands = list(documented(page))
    assert commands, f"{page} shows no command"
    for command, said in commands:
        typed, *rest = (shlex.split(part) for part in command.split("; "))
        assert typed[0] == "assay"
        done = assay(*typed[1:])
        got = timeless(done.out + done.err)
        if rest == [["echo", "$?"]]:
            got += f"\n{done.code}"
        same = OutputChecker().check_output(timeless(said) + "\n", got, ELLIPSIS | NORMALIZE_WHITESPACE)
        assert same, f"{page} says that `{command}` prints\n{said}\nbut it prints\n{got}"
