"""`assay numeric`: the ground truths of a table, and claims checked against it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .numeric_check import check
from .options import json_option

if TYPE_CHECKING:
    from ..metrics.numeric.facts import Facts

_WIDE = 120
_SIDE_BY_SIDE = 4  # series in one table


@click.group()
def numeric() -> None:
    """Numbers: the facts of a table, and claims checked against it."""


numeric.add_command(check)


@numeric.command()
@click.argument("file", metavar="TABLE", type=click.Path(path_type=Path))
@click.option("--sheet", help="Only this sheet or table of the file, by name.")
@click.option("--series", "names", multiple=True, help="Only this series; repeatable.")
@click.option("--language", help="Language (nl, en) of the table, for dates and numbers that can be read in two ways.")
@click.option("--pairs/--no-pairs", default=None, help="Also pairs of series; if not said, up to 12 series.")
@json_option
def facts(file: Path, sheet: str | None, names: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Compute what there is to say of TABLE: CSV, TSV, JSON, Parquet, Excel, or a table in Markdown.

    \b
    assay numeric facts kpi.csv
    assay numeric facts salaries.xlsx --sheet 2026 --json
    """
    from ..errors import UsageError
    from ..metrics.numeric.facts import facts_of
    from ..metrics.numeric.sample_tables import tables_of_file

    tables = tables_of_file(file, options["language"])
    chosen = [table for table in tables if sheet in (None, table.name)]
    if not chosen:
        raise UsageError(f"{file} has no table {sheet!r}; it has {', '.join(table.name for table in tables)}")
    for name in names:
        for table in chosen:
            if name not in table.columns:
                raise UsageError(f"{table.name} has no series {name!r}; it has {', '.join(table.columns) or 'none'}")
    computed = [facts_of(table.only(names) if names else table, options["pairs"]) for table in chosen]
    if as_json:
        click.echo(json.dumps({"tables": [each.as_json() for each in computed]}, ensure_ascii=False, allow_nan=False))
        return
    for each in computed:
        _print(each)


def _print(facts: "Facts") -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=max(_WIDE, console.width))
    told = facts.table
    reach = f", {told['from']} to {told['to']} (a {told['period']} a row)" if told["from"] else ""
    _say(console, f"{told['table']}: {told['rows']} rows{reach}")
    for note in told["notes"]:
        _say(console, f"  note: {note}")
    for start in range(0, len(facts.series), _SIDE_BY_SIDE):
        beside = facts.series[start : start + _SIDE_BY_SIDE]
        shown = Table(title="Series", title_justify="left")
        for heading in ("", *(_heading(series) for series in beside)):
            shown.add_column(_plain(heading), justify="right" if heading else "left")
        for label, cells in _rows(beside):
            shown.add_row(label, *map(_plain, cells))
        console.print(shown)
    for series in facts.series:
        _print_anomalies(console, series)
    if facts.pairs:
        console.print(_pairs(facts.pairs))


def _say(console: Any, text: str) -> None:
    console.print(_plain(text))


def _plain(text: str) -> str:
    from rich.markup import escape

    from ..prompts.untrusted import without_unseen

    return escape(without_unseen(text))


def _heading(series: dict[str, Any]) -> str:
    return f"{series['name']} ({series['unit']})" if series["unit"] else str(series["name"])


def _rows(all_series: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    def row(label: str, key: str) -> tuple[str, list[str]]:
        return label, [_number(series.get(key)) for series in all_series]

    def extreme(label: str, key: str) -> list[tuple[str, list[str]]]:
        where = [", ".join(series.get(f"{key}_at", [])[:2]) for series in all_series]
        return [row(label, key), ("  at", where)]

    rows = [row("n", "n"), row("missing", "missing")]
    if any(series["unreadable"] for series in all_series):
        rows.append(row("unreadable", "unreadable"))
    rows += [row("mean", "mean"), row("median", "median"), *extreme("minimum", "minimum")]
    rows += [*extreme("maximum", "maximum"), row("deviation, sample", "deviation_sample")]
    rows += [row("deviation, population", "deviation_population"), row("sum", "sum"), row("first", "first")]
    rows += [row("last", "last"), row("change", "change"), row("change, %", "percent_change")]
    trends = [series.get("trend") for series in all_series]
    rows.append(("slope", [f"{_number(t['slope'])} a {t['step']}" if t else "" for t in trends]))
    rows.append(("  p", [f"{t['p']:.2g}" if t and t["p"] is not None else "" for t in trends]))
    rows.append(("  trend", [t["direction"] if t else "" for t in trends]))
    return rows


def _number(value: float | None) -> str:
    from ..metrics.numeric.computed import shown

    return "" if value is None else shown(value)


def _print_anomalies(console: Any, series: dict[str, Any]) -> None:
    found = series.get("anomalies")
    if found is None:
        why = series.get("anomalies_reason") or series.get("reason")
        _say(console, f"anomalies of {series['name']}: not computed: {why}")
        return
    for method in found:
        rows = [f"{row['at']}: {_number(row['value'])} (z={row['z']:.1f})" for row in method["rows"][:5]]
        more = f" and {method['count'] - 5} more" if method["count"] > 5 else ""
        by = f"{method['method']}, |z| > {method['threshold']}"
        _say(console, f"anomalies of {series['name']} by {by}: {', '.join(rows) or 'none'}{more}")


def _pairs(pairs: list[dict[str, Any]]) -> Any:
    from rich.table import Table

    shown = Table(title="Pairs (differences: first minus second, in the unit of the first)", title_justify="left")
    for heading in ("first", "second"):
        shown.add_column(heading, overflow="fold")
    for heading in ("n", "mean", "least", "most", "ratio of means", "first higher", "second higher", "corr.", "p"):
        shown.add_column(heading, justify="right", min_width=min(len(heading), 6))
    keys = ("mean_difference", "least_difference", "most_difference", "ratio_of_means", "first_higher", "second_higher")
    for pair in pairs:
        numbers = [_number(pair[key]) for key in keys]
        correlation = "" if pair["correlation"] is None else f"{pair['correlation']:.3f}"
        p = "" if pair["correlation_p"] is None else f"{pair['correlation_p']:.2g}"
        shown.add_row(_plain(pair["first"]), _plain(pair["second"]), str(pair["n"]), *numbers, correlation, p)
    return shown
