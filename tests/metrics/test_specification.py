"""What names a metric is parsed once: its name, its argument, its options, its file."""

import pytest

from assay.errors import UsageError
from assay.metrics.catalogue import load_metric
from assay.metrics.specification import parse_specification


@pytest.mark.parametrize(
    ("text", "path", "name", "argument", "options"),
    [
        ("faithfulness:claims=judge:numeric=no", "", "faithfulness", "", {"claims": "judge", "numeric": "no"}),
        ("heuristic.hal:nlp_en=a=b", "", "heuristic.hal", "", {"nlp_en": "a=b"}),
        ("predicate:Is it so: a = b:threshold=1", "", "predicate", "Is it so: a = b", {"threshold": "1"}),
        ('predicate:"It says x:y=1":threshold=1', "", "predicate", "It says x:y=1", {"threshold": "1"}),
        ("ragas:noise_sensitivity(mode=irrelevant)", "", "ragas", "noise_sensitivity(mode=irrelevant)", {}),
        ("scorer:C:\\s.yaml:allow_changed=true", "", "scorer", "C:\\s.yaml", {"allow_changed": "true"}),
        ("C:/my metrics.py:is_short:limit=80", "C:/my metrics.py", "is_short", "", {"limit": "80"}),
        ("a.py:polite:in Dutch", "a.py", "polite", "in Dutch", {}),
        ('predicate:"Use a.py:run"', "", "predicate", "Use a.py:run", {}),
        ("", "", "", "", {}),
    ],
)
def test_a_specification_has_parts_and_keeps_its_text(text, path, name, argument, options):
    specification = parse_specification(text)
    parts = (specification.path, specification.name, specification.argument, dict(specification.options))
    assert parts == (path, name, argument, options)
    assert str(specification) == text, "scores are recorded under what was typed"
    assert parse_specification(str(specification)) == specification


def test_what_is_behind_a_name():
    assert parse_specification("ragas:faithfulness").is_ragas and parse_specification("scorer:s.yaml").is_scorer
    assert not any(parse_specification(text).is_ragas for text in ("ragas", "ragas.py:ragas", "faithfulness"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("token_overlap:fast", "token_overlap:fast: write options as name=value, not 'fast'"),
        ("token_overlap:my-option=1", "'my-option' is not an option of this metric"),
        ("ragas:", "no metric is called 'ragas'"),
        ("token_overlap:", "token_overlap:: write options as name=value, not ''"),
        ("token_overlap: fast=1", "' fast' is not an option of this metric"),
        ("scorer:", "scorer:: name the scorer's file (scorer:FILE); make one with: assay meta RUN --save FILE"),
        ("rubric:dir=1/x.yaml", "write rubric:FILE (in double quotes where it looks like an option)"),
    ],
)
def test_what_cannot_be_loaded_is_said(text, message):
    with pytest.raises(UsageError) as error:
        load_metric(text, judge=object())  # type: ignore[arg-type]
    assert message in str(error.value)


@pytest.mark.parametrize("path", ["a=b.yaml", "v=1/team.yaml", "C:/runs/team.yaml"])
def test_a_scorers_file_may_look_like_an_option(path):
    specification = parse_specification(f"scorer:{path}:allow_changed=true")
    assert specification.is_scorer
    assert (specification.argument, specification.options) == (path, {"allow_changed": "true"})
