"""CONTRIBUTING.md: its examples can be used as they stand, its commands exist, and its files are where it says."""

import doctest
import importlib.util
import re
import shlex
import tomllib
from datetime import date
from importlib.metadata import EntryPoint
from itertools import pairwise
from pathlib import Path

import click
import pytest
import yaml

from assay import __version__
from assay.cli import cli
from assay.eval_sets import load_set
from assay.judges import load_settings
from assay.languages import GROUP as LANGUAGES, Profile, read_yaml
from assay.metrics import GROUP
from assay.prompts import parse_prompt

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (assay .*)$|`(assay [^`]*)`", PAGE, re.MULTILINE)


def block(language, text):
    """The one block of code of a language that has a text in it."""
    (match,) = (
        code for code in re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE) if text in code
    )
    return match


def test_the_metric_works_and_its_entry_names_it(tmp_path):
    """As a module of `assay.metrics`; its own example is the expected value."""
    entries = tomllib.loads(block("toml", GROUP))["project"]["entry-points"][GROUP]
    ((name, target),) = entries.items()
    entry = EntryPoint(name, target, GROUP)
    file = tmp_path / "metric.py"
    file.write_text(block("python", "ComputedMetric"), encoding="utf-8")
    specification = importlib.util.spec_from_file_location(entry.module, file)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    assert getattr(module, entry.attr).name == name
    assert doctest.testmod(module) == (0, 1)
    without_link = module.HasLink().score(response="See the form.")
    assert (without_link.value, without_link.reason) == (0.0, "it names no web address")


def test_the_groups_of_another_package_are_those_that_assay_reads():
    entries = tomllib.loads(block("toml", LANGUAGES))["project"]["entry-points"]
    assert entries.keys() == {LANGUAGES}


def test_the_judge_can_be_loaded(tmp_path):
    file = tmp_path / "my-judge.yaml"
    file.write_text(block("yaml", "gpt-4o-mini"), encoding="utf-8")
    settings = load_settings(str(file))
    assert settings.logprobs
    assert settings.price
    assert settings.price.output == 0.6


def test_the_prompt_can_be_parsed():
    prompt = parse_prompt(block("markdown", "## user"), "polite", "en", "CONTRIBUTING.md")
    assert [message["role"] for message in prompt.opening] == ["system", "user", "assistant"]
    assert prompt.fields == {"answer"}


def test_the_language_is_valid(tmp_path):
    file = tmp_path / "language.yaml"
    file.write_text(block("yaml", "yes_no"), encoding="utf-8")
    assert read_yaml(file, Profile).yes_no == ("Sì", "No")


def test_the_set_can_be_read(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text(block("json", "user_input"), encoding="utf-8")
    (sample,) = load_set(file)
    assert (sample.rating, sample.metadata) == (5, {})


@pytest.mark.parametrize("typed", [indented or inline for indented, inline in COMMANDS])
def test_the_commands_exist_with_their_options(typed):
    command = cli
    words = shlex.split(typed)[1:]
    context = click.Context(cli)
    while isinstance(command, click.Group) and words:
        name, command, words = command.resolve_command(context, words)
        assert command, f"{typed}: there is no command {name}"
    if words:
        command.make_context(typed, words)


def test_every_path_exists():
    """The examples that it tells to write do not exist yet, and words in capitals stand for a name."""
    written = {"metrics/has_link.py", "path/to/my-judge.yaml"}
    paths = {
        path for path in re.findall(r"`([a-z_]+/[\w/.-]*)`", PAGE) if not re.search("CODE|NAME|NNNN", path)
    } - written
    assert {"metrics/faithfulness.py", "runs/store/schema/"} <= paths
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


HEADINGS = re.findall(r"^## (?!Unreleased$)(.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_version_stands_in_one_place():
    """`pyproject.toml` reads it from the sources."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        settings = tomllib.load(file)
    assert "version" not in settings["project"]
    assert settings["project"]["dynamic"] == ["version"]
    assert settings["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "assay.__version__"}


def test_the_changelog_is_by_version_the_newest_first():
    matches = [re.fullmatch(r"(\d+\.\d+\.\d+)(?: - (\d{4}-\d\d-\d\d))?", heading) for heading in HEADINGS]
    assert all(matches), HEADINGS
    versions = [tuple(map(int, match[1].split("."))) for match in matches if match]
    assert all(newer > older for newer, older in pairwise(versions))
    assert HEADINGS[0].startswith(f"{__version__} - ")


def test_the_citation_has_the_fields_of_its_format():
    """The required fields of CFF 1.2.0 and those given, with their types; the version and the day of the changelog."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    fields = {"cff-version", "message", "title", "authors"}
    optional = {"type", "abstract", "version", "date-released", "license", "keywords"}
    assert fields <= citation.keys() <= fields | optional
    assert (citation["cff-version"], citation["type"], citation["license"]) == ("1.2.0", "software", "Apache-2.0")
    assert [list(author) for author in citation["authors"]] == [["name"]]
    assert len(citation["keywords"]) == len(set(citation["keywords"])) > 0
    assert str(citation["version"]) == __version__
    day = date.fromisoformat(citation["date-released"])
    assert HEADINGS[0] == f"{__version__} - {day.isoformat()}"
