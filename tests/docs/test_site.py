"""The site: every link leads somewhere, and the reference has every public name and every command."""

import importlib
import re
import tomllib
import zlib
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the site as `make docs` does: a warning, such as a link that leads nowhere, ends it."""
    pytest.importorskip("mkdocstrings", reason="the extra docs is not installed")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


def reference_entries(site: Path) -> set[str]:
    """The names in the site's inventory: four lines of heading, then one compressed line per entry."""
    compressed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    return {line.partition(" ")[0] for line in zlib.decompress(compressed).decode().splitlines()}


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    public = {
        f"{package}.{name}"
        for package in packages
        for name in getattr(importlib.import_module(package), "__all__", ())
        if not name.startswith("__")
    }
    assert {"assay.evaluate", "assay.metrics.Faithfulness", "assay.runs.Store"} <= public
    assert public - reference_entries(site) == set()


def test_evaluate_is_shown_with_the_arguments_that_it_takes_from_aevaluate(site: Path) -> None:
    page = (site / "reference" / "assay.html").read_text(encoding="utf-8")
    text = re.sub(r"<[^>]+>", "", page[page.index('id="assay.evaluate"') :])
    assert text.index("judge: JudgeLike | None = None") < text.index("Who answers the questions of the metrics")


def test_the_commands_page_has_every_command(site: Path) -> None:
    from assay.cli import cli

    page = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    missing = [name for name in cli.list_commands(click.Context(cli)) if f'id="assay-{name}"' not in page]
    assert missing == []
    assert 'id="assay-generate-folds"' in page, "commands below a group have entries too"
    assert "--budget-usd" in page


def test_the_glossary_defines_each_term_once_in_order() -> None:
    lines = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    terms = [line.strip("*").casefold() for line in lines if line.startswith("**")]
    assert terms == sorted(set(terms))
    assert len([line for line in lines if line.startswith(":   ")]) == len(terms)
