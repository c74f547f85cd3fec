"""The site: every link leads somewhere, and its pages have every public name and command, those of other tools too."""

import importlib
import json
import re
import zlib
from pathlib import Path
from typing import Any

import click
import pytest
from filelock import FileLock

ROOT = Path(__file__).parent.parent.parent


SITE = pytest.mark.extras  # `make docs` builds it after `make test` too


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Builds the site as `make docs` does: a warning, such as a link that leads nowhere, ends it."""
    pytest.importorskip("mkdocstrings", reason="the extra docs is not installed")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    with FileLock(tmp_path_factory.getbasetemp().parent / "site.lock"):  # all builds copy the sources to one folder
        build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


def reference_entries(site):
    """The names in the site's inventory: four lines of heading, then one compressed line per entry."""
    compressed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    return {line.partition(" ")[0] for line in zlib.decompress(compressed).decode().splitlines()}


@pytest.fixture
def reference(monkeypatch):
    """The module that makes the reference."""
    pytest.importorskip("mkdocs")
    monkeypatch.syspath_prepend(ROOT / "docs")
    return importlib.import_module("reference_pages")


def test_every_public_name_is_in_one_group(reference):
    """What `assay` itself offers, and the errors; of other packages what users may rely on, each name once."""
    offered = reference.public_objects(ROOT)
    listed = [name for group in reference.GROUPS for name in group.all_names()]
    assert {"assay.evaluate", "assay.judges.JudgeLike", "assay.errors.BudgetReached"} <= set(listed)
    counts = {tuple(names): sum(name in listed for name in names) for names in offered.values()}
    assert {names: count for names, count in counts.items() if count > 1} == {}
    first = {names for names in counts if any(re.fullmatch(r"assay(\.errors)?\.\w+", name) for name in names)}
    assert {names for names in first if counts[names] != 1} == set()
    assert set(listed) <= {name for names in offered.values() for name in names}


@SITE
def test_every_group_is_a_page_with_its_names(site: Path, reference: Any) -> None:
    entries = reference_entries(site)
    assert reference.GROUPS[0].page == "evaluate"
    for group in reference.GROUPS:
        page = (site / "reference" / f"{group.page}.html").read_text(encoding="utf-8")
        places = [page.index(f'id="{name}"') for name in group.all_names()]
        assert places == sorted(places)
        assert set(group.all_names()) <= entries
    overview = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert overview.index("evaluate.html#assay.evaluate") < overview.index("samples.html#assay.Sample")


@SITE
def test_examples_are_code(site: Path) -> None:
    """What a docstring types at a prompt stands in a block of code on every page."""
    shown = 0
    for page in (site / "reference").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        shown += text.count("&gt;&gt;&gt;")
        assert "&gt;&gt;&gt;" not in re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL), page.name
    assert shown > 50


def test_no_page_of_the_reference_is_endless(site, browser):
    """At 1280 pixels, on the largest pages; the alphabetical page had more than 50,000."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    for name in ("evaluate", "metrics", "computed_metrics", "judges", "runs"):
        page.goto((site / "reference" / f"{name}.html").as_uri())
        height, width = page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
        assert height < 23_000, name
        assert width == 1280, name
    page.close()


@SITE
def test_evaluate_is_shown_with_the_arguments_that_it_takes_from_aevaluate(site: Path) -> None:
    page = (site / "reference" / "evaluate.html").read_text(encoding="utf-8")
    text = re.sub(r"<[^>]+>", "", page[page.index('id="assay.evaluate"') :])
    assert text.index("judge: JudgeLike | None = None") < text.index("Who answers the questions of the metrics")


@SITE
def test_the_commands_page_has_every_command(site: Path) -> None:
    from assay.cli import cli

    page = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    missing = [
        name for name in cli.list_commands(click.Context(cli)) if f'id="assay-{name.replace(" ", "-")}"' not in page
    ]
    assert missing == []
    assert 'id="assay-traces-pull"' in page, "commands below a group have entries too"
    assert "--budget" in page


def test_the_glossary_defines_each_term_once_in_order():
    lines = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    terms = [line.strip("*").casefold() for line in lines if line.startswith("**")]
    assert terms == sorted(set(terms))
    assert len([line for line in lines if line.startswith(":   ")]) == len(terms)


LISTING = json.loads((Path(__file__).parent / "names_of_other_tools.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
TITLES = {"ragas": "Ragas", "deepeval": "DeepEval"}


def mapped_names(tool):
    """The names in the left columns below "Every name of ..."."""
    _, _, rest = PAGE.partition(f"## Every name of {TITLES[tool]} {LISTING[tool]['version']}")
    tables = rest.partition("\n## ")[0]
    assert tables, "the page names the version of the list"
    rows = [line.split("|") for line in tables.splitlines() if line.startswith("| `")]
    assert all(len(row) == 4 and row[2].strip() for row in rows)
    return [name for row in rows for name in re.findall(r"`(\w+)`", row[1])]


@pytest.mark.parametrize("tool", TITLES)
def test_every_name_is_mapped_once(tool):
    names = {name for names in LISTING[tool]["modules"].values() for name in names}
    mapped = mapped_names(tool)
    assert names - set(mapped) == set(), "not on the page"
    assert set(mapped) - names == set(), "not in the tool"
    assert sorted({name for name in mapped if mapped.count(name) > 1}) == []


def test_our_metrics_on_the_page_exist():
    """What stands in the right columns as a name of a metric can be loaded as it is written."""
    from assay.metrics import metric_names

    mapped = PAGE.partition("## Coming from Ragas")[2]
    right = [line.split("|")[2] for line in mapped.splitlines() if line.startswith("| `") and line.count("|") == 3]
    names = {name.partition(":")[0] for cell in right for name in re.findall(r"`([a-z][a-z_0-9]*(?::[^`]*)?)`", cell)}
    known = {*metric_names()}
    fields = "messages user_input response retrieved_contexts reference id metadata language metric rating"
    words = "decide concurrency timeout attempts claim value status scored reason evidence range needs skipped failed"
    names_of_python = "evaluate aevaluate read_samples verdict probability quote assert_score measure"
    others = {*fields.split(), *words.split(), *names_of_python.split()}
    assert names - known - others == set()
