"""Tables: 80 columns wide with no name cut, further columns with --wide; every command that prints them takes it."""

from collections.abc import Callable
from typing import Any

import click
import pytest

from assay.cli.output import is_wide, print_table
from assay.presentation.result_table import Column, ResultTable

Make = Callable[..., Any]
LONG = "a_metric_of_a_team_whose_name_is_longer_than_the_terminal_is_wide" * 2
COLUMNS = (Column("metric", "name"), Column("n", detail="wide"), Column("mean"))


def printed(capfd: pytest.CaptureFixture[str], *, wide: bool) -> str:
    """The table of one metric, as a command prints it."""
    context = click.Context(click.Command("show"))
    context.meta["assay.wide"] = wide
    with context:
        assert is_wide() is wide
        print_table(ResultTable("Means", COLUMNS, ((LONG, "12", "0.50"),)))
    return capfd.readouterr().out


def test_an_extra_column_is_shown_with_wide_only(capfd: pytest.CaptureFixture[str]) -> None:
    assert "12" not in printed(capfd, wide=False)
    assert "12" in printed(capfd, wide=True)


@pytest.mark.parametrize(("wide", "width"), [(False, 80), (True, 140)])
def test_a_long_name_goes_on_in_the_next_line_and_is_whole(
    capfd: pytest.CaptureFixture[str], wide: bool, width: int
) -> None:
    out = printed(capfd, wide=wide)
    assert max(map(len, out.splitlines())) <= width
    name = "".join(line.split("│")[1].strip() for line in out.splitlines() if line.startswith("│"))
    assert name == LONG


def test_without_a_command_tables_are_narrow() -> None:
    assert is_wide() is False


@pytest.mark.parametrize(
    "command",
    [
        "run",
        "show",
        "compare",
        "runs",
        "meta",
        "judges compare",
        "suite",
        "probe",
        "crosseval",
        "cassettes show",
        "numeric facts",
        *(f"generate {stage}" for stage in ("sections", "topics", "folds", "filter", "DOCS")),
    ],
)
def test_a_command_with_tables_takes_wide(assay: Make, command: str) -> None:
    assert "--wide" in assay(*command.split(), "--help").out


@pytest.mark.parametrize(
    "command",
    ["run", "meta", "judges compare", "suite", "probe", "crosseval", "prompts try"]
    + [f"generate {stage}" for stage in ("sections", "topics", "folds", "questions", "filter", "DOCS")],
)
def test_a_command_that_takes_long_takes_quiet(assay: Make, command: str) -> None:
    assert "--quiet" in assay(*command.split(), "--help").out
