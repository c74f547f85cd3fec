"""The page on Python has every public name of the versions that they name."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
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
    known = {*metric_names(), "ragas"}
    fields = "messages user_input response retrieved_contexts reference id metadata language metric rating"
    words = "decide concurrency timeout attempts claim value status scored reason evidence range needs skipped failed"
    names_of_python = "evaluate aevaluate from_ragas to_ragas verdict probability quote assert_score measure"
    others = {*fields.split(), *words.split(), *names_of_python.split()}
    assert names - known - others == set()
