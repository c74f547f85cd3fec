"""The catalogue: names, options and directions of metrics, as declared, as typed, and as docs/metrics.md has them."""

import doctest
import re
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Literal

import pytest
from case_files import cases_beside

from assay.errors import UsageError
from assay.installation import registered_entries
from assay.metrics import (
    coerce_options,
    describe_metric,
    higher_is_better,
    load_metric,
    metric_names,
    option_types,
    parse_specification,
)

CASES = cases_beside(__file__)

LEVELS = "criteria: [{name: Tone, question: Is it polite?, levels: {rude: it is rude, polite: it is not}}]"


@pytest.mark.parametrize("name", metric_names())
def test_the_catalogue_repeats_what_the_metric_declares(judge, tmp_path, name):
    if describe_metric(name).argument:
        (tmp_path / "own.yaml").write_text(LEVELS, encoding="utf-8")
        name = f"{name}:{tmp_path / 'own.yaml'}"
    assert higher_is_better(name) is load_metric(name, judge()).higher_is_better


@pytest.mark.parametrize(("text", "path", "name", "argument", "options"), CASES["specifications"])
def test_a_specification_has_parts_and_keeps_its_text(text, path, name, argument, options):
    specification = parse_specification(text)
    parts = (specification.path, specification.name, specification.argument, dict(specification.options))
    assert parts == (path, name, argument, options)
    assert str(specification) == text, "scores are recorded under what was typed"
    assert parse_specification(str(specification)) == specification


@pytest.mark.parametrize(("text", "ours"), CASES["other_names"])
def test_a_name_of_another_tool_becomes_ours_with_the_options_of_its_variant(text, ours):
    specification = parse_specification(text)
    assert specification.text == ours
    assert specification == parse_specification(ours)


@pytest.mark.parametrize(("text", "message"), CASES["not_loaded"])
def test_what_cannot_be_loaded_is_said(text, message):
    with pytest.raises(UsageError) as error:
        load_metric(text, judge=object())
    assert message in str(error.value)


Make = Callable[..., Any]


class Example:
    def __init__(
        self,
        judge: object,
        *,
        switch: bool | None = None,
        count: int = 1,
        share: float = 0.5,
        kind: Literal["plain", "fancy"] | Make = "plain",
        file: str | None = None,
        level: Literal[1, 2] = 1,
        make: Make | None = None,
    ) -> None: ...


@pytest.mark.parametrize(("name", "text", "value"), CASES["values"])
def test_a_text_becomes_a_value_of_the_annotated_type(name, text, value):
    (coerced,) = coerce_options("example", Example, {name: text}).values()
    assert (coerced, type(coerced)) == (value, type(value))


@pytest.mark.parametrize(("name", "text", "choices"), CASES["refused"])
def test_another_text_is_refused_with_the_option_and_its_choices(name, text, choices):
    with pytest.raises(UsageError, match=f"^example: the option {name} takes {choices}"):
        coerce_options("example", Example, {name: text})


@pytest.mark.parametrize("name", ["judge", "make", "colour"])
def test_what_text_cannot_give_is_no_option(name):
    assert name not in option_types(Example)
    with pytest.raises(UsageError, match=f"{name!r} is not an option.*: count, file, kind, level, share, switch$"):
        coerce_options("example", Example, {name: "x"})


def test_an_option_reaches_the_metric_as_its_type(judge):
    assert load_metric("faithfulness:numeric=no", judge()).numeric is False
    assert load_metric("answer_relevance:questions=5", judge()).questions == 5


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


def rows_of_other_tools():
    """The names and our cells of the tables of metrics and classifiers of "Every name of ...", without links."""
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8").partition("## Every name of Ragas")[2]
    tables = re.findall(r"\*\*(?:Metrics|Classifiers)\*\*\n(.*?)(?=\n\*\*|\n## )", text, re.DOTALL)
    rows = [line.split("|") for table in tables for line in table.splitlines() if line.startswith("| `")]
    return [(re.findall(r"`(\w+)`", row[1]), re.sub(r"\[(.*?)\]\(.*?\)", r"\1", row[2]).strip()) for row in rows]


def test_a_metric_that_a_package_registers_under_a_name_of_another_tool_is_that_metric(monkeypatch):
    """DeepEval's class of that name, and every name that is registered by nobody, is ours still."""
    ours = registered_entries("assay.metrics")
    own = EntryPoint("knowledge_retention", "other_package:KnowledgeRetention", "assay.metrics")
    monkeypatch.setattr("assay.installation.registered_entries", lambda group: {**ours, own.name: own})
    parse_specification.cache_clear()
    names = ("knowledge_retention", "knowledge_retention:limit=2", "KnowledgeRetention", "conversation_completeness")
    parsed = [parse_specification(name).text for name in names]
    parse_specification.cache_clear()
    assert parsed == ["knowledge_retention", "knowledge_retention:limit=2", "effort", "resolved"]


def test_every_metric_of_other_tools_runs_as_its_row_says_or_is_answered_with_its_row(judge):
    """A row that begins with a metric of ours, and nothing else before a colon or comma, runs it with these options."""
    rows = rows_of_other_tools()
    assert len([name for names, _ in rows for name in names]) > 150
    for names, ours in rows:
        first = re.match(r"`([a-z_0-9]+(?::\w+=\w+)*)`(?=$|[,:])", ours)
        for name in names:
            if first:
                assert (name, parse_specification(name).text) == (name, first[1])
                assert load_metric(name, judge()).name == first[1]
            else:
                with pytest.raises(UsageError) as error:
                    load_metric(name, judge())
                words = re.sub("[`*]", "", ours)
                assert (
                    str(error.value) == f"no metric is called {name!r}; {words} (docs/python.md has other tools' names)"
                )


def test_a_stored_metric_of_ragas_has_the_direction_of_its_name():
    """Ragas's aspects harmfulness and maliciousness, and its noise sensitivity, count mistakes."""
    lower = ["ragas:noise_sensitivity", "ragas:noise_sensitivity(mode=irrelevant)", "ragas:harmfulness", "ragas:bias"]
    assert [higher_is_better(name) for name in lower] == [False] * 4
    assert higher_is_better("ragas:faithfulness") and higher_is_better("ragas:coherence")


def test_the_examples_give_what_the_page_prints(monkeypatch):
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted >= 20
    assert not results.failed
