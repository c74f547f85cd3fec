"""docs/metrics.md: every metric stands on it, and its examples give what it prints."""

import doctest
from pathlib import Path

import pytest

from assay.metrics.catalogue import higher_is_better, metric_names

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/metrics.md"


def test_every_metric_stands_on_the_page_with_its_direction():
    text = PAGE.read_text(encoding="utf-8")
    missing = [name for name in metric_names() if f"`{name}`" not in text and not name.startswith("heuristic.")]
    assert not missing
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| [`")]
    better = {name: row[3] for row in rows for name in metric_names() if f"`{name}`" in row[1]}
    lower = {name for name, direction in better.items() if "lower" in direction}
    assert lower == {name for name in better if not higher_is_better(name)}


@pytest.mark.parametrize(("page", "least"), [("metrics.md", 20), ("testing.md", 3)])
def test_the_examples_give_what_the_page_prints(monkeypatch, page, least):
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(PAGE.with_name(page)), module_relative=False, encoding="utf-8")
    assert results.attempted >= least
    assert not results.failed
