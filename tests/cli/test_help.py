"""The help and the tables: summaries fit their line, no name is cut; and what messages say to type can be typed."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from case_files import cases_beside
from test_house import modules, nodes

from assay.cli import cli
from assay.cli.command_list import COMMANDS, RENAMED
from assay.cli.output import is_wide, print_table
from assay.presentation import Column, ResultTable

ROOT = Path(__file__).parents[2]


def all_commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command, groups before their own commands."""
    context = click.Context(group)
    for name in group.list_commands(context):
        if name.strip():  # a group may have a command without a name, for what is typed without one
            command = group.get_command(context, name)
            yield (*words, *name.split())
            if isinstance(command, click.Group):
                yield from all_commands(command, (*words, *name.split()))


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
    assert headings == ["Options", "Start", "Score", "Trust", "Guard", "Material"]
    summaries = [pair for listed in COMMANDS.values() for pair in listed.items()]
    assert len(dict(summaries)) == len(summaries) == 16, "every command is listed, once"


@pytest.mark.parametrize(("earlier", "now"), RENAMED.items())
def test_an_earlier_name_goes_on_and_says_the_new_one(assay, earlier, now):
    words = (
        [earlier, "--help"]
        if now != "metrics"
        else [earlier, "explain" if earlier == "heuristic" else "check", "--help"]
    )
    done = assay(*words)
    assert (done.code, done.err) == (0, f"assay: `assay {earlier}` is now `assay {now}`\n")
    assert done.out == assay(*now.split(), *words[1:]).out


def test_a_word_that_is_no_command_gets_the_nearest(assay):
    done = assay("shw", "last")
    assert (done.code, done.out) == (2, "")
    assert "No such command 'shw'. Did you mean show?" in done.err


def test_the_command_alone_says_what_to_do_first(assay):
    done = assay()
    assert done.code == 0 and "assay demo" in done.out and len(done.out.splitlines()) <= 8


def test_a_command_is_listed_with_the_summary_of_its_own_help():
    """The list is written out, since it is printed without importing the commands."""
    context = click.Context(cli)
    for name, summary in (pair for listed in COMMANDS.values() for pair in listed.items()):
        command = cli.get_command(context, name)
        assert command is not None and (command.name, command.get_short_help_str(80)) == (name, summary)


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


LONG = "a_metric_of_a_team_whose_name_is_longer_than_the_terminal_is_wide" * 2
COLUMNS = (Column("metric", "name"), Column("n", detail="wide"), Column("mean"))


def printed(capfd: pytest.CaptureFixture[str], *, wide: bool) -> str:
    """The table of one metric, as a command prints it."""
    context = click.Context(click.Command("show"))
    context.meta["assay.wide"] = wide
    with context:
        assert is_wide() is wide
        print_table(ResultTable("Means", COLUMNS, ((LONG, "12", "0.50"),)))
    return capfd.readouterr().out


def test_an_extra_column_is_shown_with_wide_only(capfd):
    assert "12" not in printed(capfd, wide=False)
    assert "12" in printed(capfd, wide=True)


_WIDE = ("run", "show", "compare", "runs", "meta", "judges compare", "suite", "crosseval", "cassettes show", "generate")
_QUIET = ("run", "meta", "judges compare", "suite", "crosseval", "prompts try", "generate")


@pytest.mark.parametrize(("option", "commands"), [("--wide", _WIDE), ("--quiet", _QUIET)], ids=["wide", "quiet"])
def test_a_command_with_tables_takes_wide_and_one_that_takes_long_takes_quiet(assay, option, commands):
    for command in commands:
        asked = "--help-all" if command in ("run", "meta") else "--help"
        assert option in assay(*command.split(), asked).out, command


@pytest.mark.parametrize(("command", "most", "hidden"), [("run", 18, "--embedder"), ("meta", 14, "--bootstrap")])
def test_help_shows_few_options_and_help_all_shows_the_others_too(assay, command, most, hidden):
    few, every = (assay(command, asked).out for asked in ("--help", "--help-all"))
    options = re.compile(r"^  (?:-\w, )?(--[\w-]+)", re.MULTILINE)
    assert len(options.findall(few)) <= most
    assert hidden not in options.findall(few)
    assert hidden in options.findall(every)
    assert set(options.findall(few)) < set(options.findall(every))
    assert "--budget-usd" not in every


@pytest.mark.parametrize(("words", "place"), cases_beside(__file__)["went"])
def test_what_went_names_what_stands_in_its_place(assay, words, place):
    refused = assay(*words.split())
    assert refused.code == 2 and "It went: " in refused.err and place in refused.err


def test_what_never_was_is_said_as_before(assay):
    assert "It went" not in assay("run", "x.jsonl", "--shardrows", "5").err
    assert "It went" not in assay("run", "helpdesk_en", "--judge", "nobody").err
    assert "It went" not in assay("decide", "a.jsonl", "b.jsonl", "--all").err, "another command's option"
    for command in ("diff", "render"):  # commands that went, and no metrics
        refused = assay("run", "helpdesk_en", "--metrics", command).err
        assert f"no metric is called '{command}'" in refused and "It went" not in refused


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
