"""Former names keep working, and one line says what they are called now."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from assay import former_names
from assay.former_names import FORMER_NAMES, FormerNameWarning, current_name, recorded_name

Make = Callable[..., Any]


def test_a_former_name_gives_the_current_one_and_a_warning() -> None:
    with pytest.warns(FormerNameWarning, match="the gate `fall` is now called `regression`"):
        assert current_name("gate", "fall") == "regression"


def test_current_names_and_recorded_names_warn_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert current_name("gate", "regression") == "regression"
        assert recorded_name("report", "held") == "passed"


def test_no_current_name_is_also_a_former_one() -> None:
    """Else a name would be renamed twice, or a current name refused."""
    for kind, names in FORMER_NAMES.items():
        assert not set(names.values()) & set(names), kind


def test_a_former_command_and_option_work_with_one_line_each(
    assay: Make, monkeypatch: pytest.MonkeyPatch, set_file: Make
) -> None:
    names = {"judge-set": "run", "measures": "metrics"}
    monkeypatch.setitem(former_names.FORMER_NAMES, "command or option", names)  # type: ignore[arg-type]
    done = assay("judge-set", set_file(2), "--measures", "token_overlap", "--json")
    assert (done.code, "token_overlap" in done.json["metrics"]) == (0, True)
    assert done.err.splitlines() == [
        "assay: the command or option `judge-set` is now called `run`: use the new name",
        "assay: the command or option `measures` is now called `metrics`: use the new name",
    ]
