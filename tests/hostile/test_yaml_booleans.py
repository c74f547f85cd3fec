"""Words that YAML takes for booleans where a number belongs: refused with file, line, field and cure in every file."""

from typing import Any

import pytest
from pydantic import BaseModel, Field

from assay.errors import InputError
from assay.judges import load_settings
from assay.languages import parse_yaml
from assay.metrics import read_rubric
from assay.runs.suite import load_suite

SUITE = "sets: a.csv\nmetrics: token_overlap\n"
JUDGE = "model: openai/m\nserved_as: m\n"
BOOLEANS = ["yes", "False", "OFF"]
# by what a field is: the reader, what comes before, the field as YAML, and as the message calls it
FIELDS = {
    **{
        name: (load_suite, SUITE, f"{name}: {{}}", name)
        for name in ("limit", "max_failed", "concurrency", "store_wait", "false_alarms")
    },
    **{
        f"budget.{name}": (load_suite, SUITE, f"budget: {{{{{name}: {{}}}}}}", f"budget.{name}")
        for name in ("usd", "tokens", "calls")
    },
    **{
        f"gate {kind} {name}": (
            load_suite,
            SUITE,
            f"gates: [{{{{gate: {kind}{others}, {name}: {{}}}}}}]",
            f"gates.0.{name}",
        )
        for kind, name, others in (
            ("mean", "at_least", ", metric: token_overlap"),
            ("mean", "at_most", ", metric: token_overlap"),
            ("share", "reach", ", metric: token_overlap, at_least: 0.5"),
            ("share", "at_least", ", metric: token_overlap, reach: 0.5"),
            ("regression", "more_than", ", metric: token_overlap"),
            ("coverage", "at_least", ""),
            ("cost", "at_most", ""),
        )
    },
    **{
        f"judge {name}": (lambda path: load_settings(str(path)), JUDGE, f"{name}: {{}}", name)
        for name in ("max_tokens", "concurrency", "timeout", "attempts", "wait")
    },
    "weight of a criterion": (
        read_rubric,
        "criteria:\n- name: tone\n  question: Kind?\n  levels: {1: rude, 2: kind}\n",
        "  weight: {}",
        "criteria.0.weight",
    ),
    "price input": (lambda path: load_settings(str(path)), JUDGE, "price: {{input: {}, output: 1}}", "price.input"),
}


@pytest.mark.parametrize("word", BOOLEANS)
@pytest.mark.parametrize("name", FIELDS)
def test_a_boolean_is_no_number(name, word, tmp_path):
    read, before, field, shown = FIELDS[name]
    path = tmp_path / "file.yaml"
    path.write_text(before + field.format(word), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read(path)
    line = before.count("\n") + 1
    start = f"{path}, line {line}, {shown}: is true or false, not a "
    assert str(error.value).startswith(start), error.value
    assert "number; write 4" in str(error.value)


@pytest.mark.parametrize("name", FIELDS)
def test_a_number_is_still_one(name, tmp_path):
    read, before, field, _ = FIELDS[name]
    path = tmp_path / "file.yaml"
    path.write_text(before + field.format("0.5" if name in {"false_alarms"} or "gate" in name else "1"), "utf-8")
    read(path)


class _Part(BaseModel):
    weight: float = Field(alias="share")
    kept: bool = False
    anything: Any = None
    either: bool | int = 0
    by_name: dict[str, tuple[float, ...]] = {}


def test_booleans_stay_where_they_belong_and_numbers_are_found_wherever_they_stand():
    text = "- {share: 2, kept: yes, anything: {a: true}, either: no, by_name: {x: [1, 2]}}"
    (part,) = parse_yaml(text, list[_Part], "a.yaml")
    assert (part.kept, part.anything, part.either) == (True, {"a": True}, False)
    text = "- share: 2\n  by_name:\n    x: [1, yes]\n- {share: on}"
    with pytest.raises(InputError) as error:
        parse_yaml(text, list[_Part], "a.yaml")
    assert str(error.value).splitlines() == [
        "a.yaml, line 3, 0.by_name.x.1: is true or false, not a number; write 4 or 4.5",
        "a.yaml, line 4, 1.share: is true or false, not a number; write 4 or 4.5",
    ]
