"""Metric options: coerced once, by the constructor's annotations."""

from collections.abc import Callable
from typing import Any, Literal

import pytest

from assay.errors import UsageError
from assay.metrics.catalogue import load_metric
from assay.metrics.options import coerce_options, option_types

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


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("switch", "true", True),
        ("switch", "False", False),
        ("switch", "none", None),
        ("count", "-3", -3),
        ("share", "1e-3", 0.001),
        ("kind", "fancy", "fancy"),
        ("file", "None", None),
        ("level", "2", 2),
    ],
)
def test_a_text_becomes_a_value_of_the_annotated_type(name, text, value):
    (coerced,) = coerce_options("example", Example, {name: text}).values()
    assert (coerced, type(coerced)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "text", "choices"),
    [
        ("switch", "maybe", "true or false or none, not 'maybe'"),
        ("count", "3.5", "a whole number, not '3.5'"),
        ("share", "nan", "a number, not 'nan'"),
        ("kind", "Plain", "'plain' or 'fancy', not 'Plain'"),
        ("level", "3", "1 or 2, not '3'"),
    ],
)
def test_another_text_is_refused_with_the_option_and_its_choices(name, text, choices):
    with pytest.raises(UsageError, match=f"^example: the option {name} takes {choices}"):
        coerce_options("example", Example, {name: text})


@pytest.mark.parametrize("name", ["judge", "make", "colour"])
def test_what_text_cannot_give_is_no_option(name):
    assert name not in option_types(Example)
    with pytest.raises(UsageError, match=f"{name!r} is not an option.*: count, file, kind, level, share, switch$"):
        coerce_options("example", Example, {name: "x"})


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ("faithfulness:claims=words", "the option claims takes 'judge' or 'sentences' or none, not 'words'"),
        ("answer_relevance:questions=2.5", "the option questions takes a whole number, not '2.5'"),
        ("token_overlap:n=2", "'n' is not an option of this metric; its options are: none"),
    ],
)
def test_every_metric_refuses_a_wrong_option_alike(judge, specification, message):
    with pytest.raises(UsageError, match=f"^{specification}: {message}"):
        load_metric(specification, judge())


def test_an_option_reaches_the_metric_as_its_type(judge):
    assert load_metric("faithfulness:numeric=no", judge()).numeric is False  # type: ignore[attr-defined]
    assert load_metric("answer_relevance:questions=5", judge()).questions == 5  # type: ignore[attr-defined]
