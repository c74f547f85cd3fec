"""Every command and option that a text of the package suggests exists: what a message says to type can be typed."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from test_house import modules, nodes

from assay.cli import cli

ROOT = Path(__file__).parents[2]
FOLDERS = (
    *("assay", "eval_sets", "generation", "judges", "languages", "meta_eval", "metrics", "presentation", "prompts"),
    *("runs", "testing", "text", "traces", "web"),
)
_COMMAND = re.compile(r"(?<![\w./-])assay ((?:[a-z_]+|--)[^`\n;]*)")
_OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
_END = re.compile(r"[),:](?:\s|$)|\.\s|\.$|\s[|&#>]\s|\s\(")
FOREIGN = frozenset(
    {"--no-deps", "--python", "--create-dirs", "--assay-judge", "--assay-mode", "--help", "--allowed-hosts"}
)
"""Options of pip, uv, curl, pytest and mlflow, and what click adds itself."""


class Text(NamedTuple):
    """A text of the sources, with `{}` where a value is put in, and its file and line."""

    place: str
    text: str


def _texts(path: Path) -> Iterator[Text]:
    file, parts_of_others = path.relative_to(ROOT), set[int]()
    for node in nodes(path):
        if isinstance(node, ast.JoinedStr):
            parts_of_others |= {id(value) for value in node.values}
            text = "".join(str(value.value) if isinstance(value, ast.Constant) else "{}" for value in node.values)
            yield Text(f"{file}:{node.lineno}", text)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts_of_others:
            yield Text(f"{file}:{node.lineno}", node.value)


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    """All texts in the package's Python files, docstrings and help among them."""
    return [text for file in modules(*FOLDERS) for text in _texts(file)]


def find_command(words: list[str]) -> tuple[click.Command | None, int]:
    """The command that words begin with, and how many of them are its name; None where they name none."""
    command: click.Command = cli
    context = click.Context(cli)
    if below := cli.get_command(context, " ".join(words[:2])):
        if not isinstance(below, click.Group):
            return below, 2
        inner, place = find_command_of(below, words[2:])
        return inner or below, place + 2
    return find_command_of(command, words)


def find_command_of(command: click.Command, words: list[str]) -> tuple[click.Command | None, int]:
    """The command of a group that words begin with, as `find_command`."""
    context = click.Context(command)
    for place, word in enumerate(words):
        if not isinstance(command, click.Group):
            return command, place
        named = command.get_command(context, word)
        if named is None:
            return (command if place else None), place
        command = named
    return command, len(words)


def options_of(command: click.Command) -> set[str]:
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    if isinstance(command, click.Group):  # "`assay cassettes` with --out" speaks of its commands
        context = click.Context(command)
        for name in command.list_commands(context):
            if inner := command.get_command(context, name):
                options |= options_of(inner)
    return options


def describe_fault(suggestion: str, *, quoted: bool) -> str | None:
    """Says what of a suggested command does not exist; prose ("assay can read") is none unless it is quoted."""
    words = _END.split(suggestion, maxsplit=1)[0].split()
    command, _ = find_command(words)
    if command is None:
        return f"there is no command `assay {words[0]}`" if quoted else None
    known = options_of(command) | FOREIGN
    unknown = [option for option in _OPTION.findall(" ".join(words)) if option not in known]
    return f"`assay {command.name}` has no {', '.join(unknown)}" if unknown else None


def test_every_suggested_command_exists_with_its_options(texts):
    suggested = [(text, match) for text in texts for match in _COMMAND.finditer(text.text)]
    assert len(suggested) > 200
    faults = [
        f"{text.place}: {fault} (assay {match[1][:60]})"
        for text, match in suggested
        if (fault := describe_fault(match[1], quoted=text.text[: match.start()].endswith("`")))
    ]
    assert not faults, "\n".join(faults)


def test_every_option_that_a_text_names_is_one_of_a_command(texts):
    known = options_of(cli) | FOREIGN
    faults = [
        f"{text.place}: no command has {option}"
        for text in texts
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+(?![\w])", text.text)
        if option not in known
    ]
    assert not faults, "\n".join(faults)
