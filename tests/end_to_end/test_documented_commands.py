"""The documentation's commands, typed again: what a page says that a command prints is what it prints.

`UPDATE_DOCS=1 python -m pytest tests/end_to_end/test_documented_commands.py` writes into the pages what is printed now.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from documented_pages import PAGES, ROOT, PageError, is_same, refreshed, steps

pytestmark = pytest.mark.timeout(400)  # a dozen commands a page; seconds where nothing else runs
WITH_OUTPUT = [page for page in PAGES if "\n    $ " in page.read_text(encoding="utf-8")]
_NAMED = re.compile(r"([A-Z_]+) = (assay .*)")
ERROR, USAGE = 1, 2
_SERVES = re.compile(r"assay (rate|view)\b")


class Reader:
    """Types what a page says, in a folder with the checkout's files."""

    def __init__(self, assay, python, folder):
        self.assay, self.python, self.folder, self.code = assay, python, folder, 0
        self.names, self.runs = dict[str, str](), list[str]()

    def type(self, command):
        """Types a command; returns what it prints."""
        named = _NAMED.fullmatch(command)
        command = named[2] if named else command
        if command == "echo $?":
            return str(self.code)
        if _SERVES.match(command):
            return self._serve(command)
        if not command.startswith("assay "):
            environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
            shell = subprocess.run(
                ["sh", "-ec", command], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
            )
            assert shell.returncode == 0, f"{command}\n{shell.stderr}"
            return shell.stdout
        known = dict(zip(("RUN_A", "RUN_B"), self.runs, strict=False)) | self.names
        done = self.assay(*(known.get(word, word) for word in shlex.split(command, comments=True)[1:]))
        self.code = done.code
        if match := re.search(r"^Run (\S+)", done.out + done.err, re.MULTILINE):
            self.runs.append(match[1])
            if named:
                self.names[named[1]] = match[1]
        return str(done.out + done.err).replace(f"{self.folder}/", "")

    def _serve(self, command):
        """What a server prints before it waits for its visitors."""
        words = shlex.split(command, comments=True)[1:]
        server = self.python.start("-m", "assay", *words, cwd=self.folder, stderr=None, encoding="utf-8")
        with server:
            printed = ""
            for line in server.stdout:
                printed += line
                if "Ctrl-C" in line:
                    break
            server.kill()
        self.code = 0
        return printed


def take(reader, step):
    """Does one step of a page; returns what is printed."""
    if step.kind == "file":
        (reader.folder / step.name).write_text(step.text, encoding="utf-8")
        return ""
    if step.kind == "typed":
        printed = reader.type(step.text)
        if step.text.startswith("assay "):
            is_error = reader.code in (ERROR, USAGE)
            marked = "marks as an error" if step.shows_error else "does not mark as an error"
            assert is_error == step.shows_error, (
                f"{step.text} ends with {reader.code}, which the page {marked}\n{printed}"
            )
        return printed
    shell = list[str]()
    for line in [*step.text.splitlines(), "assay"]:
        if not (line.startswith("assay") or _NAMED.fullmatch(line)):
            shell.append(line)
            continue
        if any(map(str.strip, shell)):
            reader.type("\n".join(shell))
        shell = []
        if line != "assay":
            printed = reader.type(line)
            assert reader.code in (0, 5), f"{line}\n{printed}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_output_of_a_page_has_its_command(page):
    try:
        list(steps(page.read_text(encoding="utf-8")))
    except PageError as error:
        pytest.fail(f"{page.relative_to(ROOT)}, {error}; see documented_pages.py", pytrace=False)


@pytest.mark.parametrize("page", WITH_OUTPUT, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_prints_what_its_commands_print(page, assay, light_python, tmp_path, monkeypatch):
    """In a folder with the checkout's files; RUN_A and RUN_B stand for the page's first two runs."""
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "of nobody")  # no page asks the judge that it names
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in ("cassettes", "judges", "prompts", "benchmarks", "generation"):
        (tmp_path / name).symlink_to(ROOT / name)
    reader = Reader(assay, light_python, tmp_path)
    text = page.read_text(encoding="utf-8")
    lines, changes = text.splitlines(), list[tuple[tuple[int, int], list[str]]]()
    for step in steps(text):
        printed = take(reader, step)
        if step.kind != "typed" or is_same(step.output, printed):
            continue
        if not os.environ.get("UPDATE_DOCS"):
            documented = "\n".join(step.output)
            pytest.fail(f"{page.name} says that `{step.text}` prints\n{documented}\nbut it prints\n{printed}")
        changes.append((step.lines, refreshed(step.output, printed)))
    for (start, end), shown in reversed(changes):
        lines[start:end] = [f"    {line}".rstrip() for line in shown]
    if changes:
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        pytest.fail(f"{page.name}: {len(changes)} outputs are written anew; look at them", pytrace=False)
