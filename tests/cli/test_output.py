"""Tables: 80 columns wide with no name cut, further columns with --wide; every command that prints them takes it."""

import click
import pytest

from assay.cli.output import is_wide, print_table
from assay.presentation.result_table import Column, ResultTable

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


def test_an_extra_column_is_shown_with_wide_only(capfd):
    assert "12" not in printed(capfd, wide=False)
    assert "12" in printed(capfd, wide=True)


@pytest.mark.parametrize(("wide", "width"), [(False, 80), (True, 140)])
def test_a_long_name_goes_on_in_the_next_line_and_is_whole(capfd, wide, width):
    out = printed(capfd, wide=wide)
    assert max(map(len, out.splitlines())) <= width
    name = "".join(line.split("│")[1].strip() for line in out.splitlines() if line.startswith("│"))
    assert name == LONG


_GENERATE = ("sections", "topics", "folds", "filter", "DOCS")
_WIDE = ("run", "show", "compare", "runs", "meta", "judges compare", "suite", "crosseval", "cassettes show")
_QUIET = ("run", "meta", "judges compare", "suite", "crosseval", "prompts try", "generate questions")


@pytest.mark.parametrize(
    ("option", "commands"), [("--wide", (*_WIDE, "numeric facts")), ("--quiet", _QUIET)], ids=["wide", "quiet"]
)
def test_a_command_with_tables_takes_wide_and_one_that_takes_long_takes_quiet(assay, option, commands):
    for command in (*commands, *(f"generate {stage}" for stage in _GENERATE)):
        assert option in assay(*command.split(), "--help").out, command
