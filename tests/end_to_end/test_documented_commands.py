"""The documentation's commands, typed again: what a page says that a command prints is what it prints."""

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(400)  # a dozen commands a page; seconds where nothing else runs
PAGES = ("first-steps.md", "judges.md", "prompts.md")
_RUN = re.compile(r"\b\d{8}-\d{6}(-[0-9a-f]{4})?\b")  # when a run was made
_SECONDS = re.compile(r"\b\d+\.\d s\b")


def documented(page: str) -> Iterator[tuple[str, str]]:
    """(command, output) of each `$ ...` in a page's indented blocks; a command ends where the next begins."""
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
    """In a folder with the checkout's files. `...` on a line of its own stands for any lines, RUN_A and RUN_B for the
    runs that the page made, in that order; what is no `assay` is typed into a shell.
    """
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    for name in ("cassettes", "judges", "prompts"):
        (tmp_path / name).symlink_to(ROOT / name)
    commands = list(documented(page))
    assert commands, f"{page} shows no command"
    runs, code = list[str](), 0
    for command, documented_output in commands:
        if command == "echo $?":
            output = str(code)
        elif command.startswith("assay "):
            named = dict(zip(("RUN_A", "RUN_B"), runs, strict=False))
            done = assay(*(named.get(word, word) for word in shlex.split(command, comments=True)[1:]))
            output, code = done.out + done.err, done.code
            if match := re.match(r"Run (\S+)", output):
                runs.append(match[1])
        else:
            shell = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
            output = shell.stdout
        same = OutputChecker().check_output(
            timeless(documented_output) + "\n", timeless(output) + "\n", ELLIPSIS | NORMALIZE_WHITESPACE
        )
        assert same, f"{page} says that `{command}` prints\n{documented_output}\nbut it prints\n{output}"
