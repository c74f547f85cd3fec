"""The help: every summary fits its line, commands stand by what they are for; what there is can be listed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from assay.cli import cli
from assay.cli.command_list import COMMANDS

ROOT = Path(__file__).parents[2]


def all_commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command, groups before their own commands."""
    context = click.Context(group)
    for name in group.list_commands(context):
        if name.strip():  # a group may have a command without a name, for what is typed without one
            command = group.get_command(context, name)
            yield (*words, name)
            if isinstance(command, click.Group):
                yield from all_commands(command, (*words, name))


@pytest.mark.parametrize("words", [(), *all_commands(cli)], ids=" ".join)
def test_help_fits_80_columns_and_cuts_no_summary(assay, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = assay(*words, "--help")
    assert (done.code, done.err) == (0, "")
    listed = done.out.split("\nOptions:")[-1]
    assert not [line for line in listed.splitlines() if line.rstrip().endswith("...")]
    prose = [line for line in done.out.splitlines() if not line.strip().startswith("assay ")]
    assert max(map(len, prose)) <= 80


def test_commands_stand_by_what_they_are_for(assay):
    headings = [line.rstrip(":") for line in assay("--help").out.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings == ["Options", "Evaluate", "Trust", "Production", "CI", "Build sets", "Tools"]
    summaries = [pair for listed in COMMANDS.values() for pair in listed.items()]
    assert len(dict(summaries)) == len(summaries), "every command is listed, once"


def test_a_command_is_listed_with_the_summary_of_its_own_help():
    """The list is written out, since it is printed without importing the commands."""
    context = click.Context(cli)
    for name, summary in (pair for listed in COMMANDS.values() for pair in listed.items()):
        command = cli.get_command(context, name)
        assert command is not None and (command.name, command.get_short_help_str(80)) == (name, summary)


def test_every_command_of_a_module_is_listed():
    """A command, or a group, that no list names and no other group has could not be typed."""
    context = click.Context(cli)
    groups = [cli.get_command(context, name) for name in cli.list_commands(context)]
    reachable = {id(command) for command in groups}
    for group in groups:  # grows while it is read
        if isinstance(group, click.Group):
            reachable |= {id(command) for command in group.commands.values()}
            groups += group.commands.values()
    modules = [import_module(f"assay.cli.{path.stem}") for path in (ROOT / "assay/cli").glob("[!_]*.py")]
    commands = {id(value): name for module in modules for name, value in vars(module).items() if _is_command(value)}
    assert [name for key, name in commands.items() if key not in reachable] == []


def _is_command(value: object) -> bool:
    return isinstance(value, click.Command) and value is not cli


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_documented_shell_completion_works(shell):
    """README.md says how to turn it on; the shell then asks the command what may follow."""
    documented = f"_ASSAY_COMPLETE={shell}_source assay"
    assert documented in (ROOT / "README.md").read_text(encoding="utf-8")
    command = [str(Path(sys.executable).with_name("assay"))]
    typed = {"_ASSAY_COMPLETE": f"{shell}_source"}
    script = subprocess.run(command, env=os.environ | typed, capture_output=True, text=True, check=True).stdout
    assert "_ASSAY_COMPLETE" in script
    typed = {
        "_ASSAY_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "assay sh",
        "COMP_CWORD": "1" if shell != "fish" else "sh",
    }
    completed = subprocess.run(command, env=os.environ | typed, capture_output=True, text=True, check=True).stdout
    assert "show" in completed
