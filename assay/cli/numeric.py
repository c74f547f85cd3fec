"""`assay metrics facts` and `check`: the facts of a table, and a claim against it: understood, computed, judged."""

from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..presentation.result_table import Column, Field, Paragraph, ReportBlock, ResultTable, tabulate
from ..text.wording import count_of
from .output import echo, is_wide, print_result

if TYPE_CHECKING:
    from ..metrics.numeric.numeric_claims import CheckedClaim

_SERIES_PER_TABLE = 3  # with --wide one more


@click.command()
@click.argument("file", metavar="TABLE", type=click.Path(path_type=Path))
@click.option("--sheet", help="Only this sheet or table of the file, by name.")
@click.option("--language", help="Language (en, de, nl) of the table, for ambiguous dates and numbers.")
def facts(*, file: Path, sheet: str | None, language: str | None) -> None:
    """Compute a table's means, extremes, trends, anomalies.

    TABLE is CSV, TSV, JSON, Parquet, Excel or Markdown.

    \b
    assay metrics facts kpi.csv
    assay metrics facts salaries.xlsx --sheet 2026 --json
    """
    from ..installation import require_packages
    from ..languages import find_language, packs_with
    from ..metrics.numeric.facts import facts_of
    from ..metrics.numeric.sample_tables import tables_of_file

    require_packages("numeric", "assay metrics")
    if language and find_language(language) not in (packs := packs_with("notation")):
        known = ", ".join(f"{pack.name} ({pack.code})" for pack in packs)
        raise UsageError(f"no language pack says how numbers are written in {language}; those that do: {known}")
    tables = tables_of_file(file, language)
    chosen = [table for table in tables if sheet in (None, table.name)]
    if not chosen:
        raise UsageError(f"{file} has no table {sheet!r}; it has {', '.join(table.name for table in tables)}")
    computed = [facts_of(table) for table in chosen]
    print_result(lambda: {"tables": computed}, *(part for table in computed for part in _parts(table)))


def _parts(table: dict[str, Any]) -> Iterator[ReportBlock | ResultTable]:
    period = f", {table['from']} to {table['to']} (one {table['period']} per row)" if table["from"] else ""
    first = f"{table['table']}: {count_of(table['rows'], 'row')}{period}"
    yield ReportBlock((Paragraph(first), *(Paragraph(f"note: {note}", indent=2) for note in table["notes"])))
    per_table = _SERIES_PER_TABLE + is_wide()
    for start in range(0, len(table["series"]), per_table):
        group = table["series"][start : start + per_table]
        columns = (Column("", "text"), *(Column(_heading(series)) for series in group))
        yield ResultTable("Series", columns, tuple((label, *cells) for label, cells in _rows(group)))
    yield ReportBlock([Paragraph(line) for series in table["series"] for line in _anomaly_lines(series)])
    if table["pairs"]:
        yield _pair_table(table["pairs"])


def _heading(series: dict[str, Any]) -> str:
    return f"{series['name']} ({series['unit']})" if series["unit"] else str(series["name"])


def _rows(all_series: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    def row(label: str, key: str) -> tuple[str, list[str]]:
        return label, [_number(series.get(key)) for series in all_series]

    def extreme(label: str, key: str) -> list[tuple[str, list[str]]]:
        places = [series.get(f"{key}_at", []) for series in all_series]
        where = [", ".join(names if len(names) <= 2 else [*names[:2], "..."]) for names in places]
        return [row(label, key), ("  at", where)]

    rows = [row("n", "n"), row("missing", "missing")]
    if any(series["unreadable"] for series in all_series):
        rows.append(row("unreadable", "unreadable"))
    rows += [row("mean", "mean"), row("median", "median"), *extreme("minimum", "minimum")]
    rows += [*extreme("maximum", "maximum"), row("deviation, sample", "deviation_sample")]
    rows += [row("deviation, population", "deviation_population"), row("sum", "sum"), row("first", "first")]
    rows += [row("last", "last"), row("change", "change"), row("change, %", "percent_change")]
    trends = [series.get("trend") for series in all_series]
    rows.append(("slope", [f"{_number(t['slope'])} per {t['step']}" if t else "" for t in trends]))
    rows.append(("  p", [f"{t['p']:.2g}" if t and t["p"] is not None else "" for t in trends]))
    rows.append(("  trend", [t["direction"] if t else "" for t in trends]))
    return rows


def _number(value: float | None) -> str:
    from ..metrics.numeric.statistics import format_number

    return "" if value is None else format_number(value)


def _anomaly_lines(series: dict[str, Any]) -> Iterator[str]:
    anomalies = series.get("anomalies")
    if anomalies is None:
        reason = series.get("anomalies_reason") or series.get("reason")
        yield f"anomalies of {series['name']}: not computed: {reason}"
    for method in anomalies or ():
        rows = [f"{row['at']}: {_number(row['value'])} (z={row['z']:.1f})" for row in method["rows"][:5]]
        more = f" and {method['count'] - 5} more" if method["count"] > 5 else ""
        by = f"{method['method']}, |z| > {method['threshold']}"
        yield f"anomalies of {series['name']} by {by}: {', '.join(rows) or 'none'}{more}"


def _pair_table(pairs: list[dict[str, Any]]) -> ResultTable:
    fields = (
        Field("first", "text", itemgetter("first")),
        Field("second", "text", itemgetter("second")),
        Field("n", "count", lambda pair: str(pair["n"]), "wide"),
        Field("mean", "value", lambda pair: _number(pair["mean_difference"])),
        Field("least", "value", lambda pair: _number(pair["least_difference"]), "wide"),
        Field("most", "value", lambda pair: _number(pair["most_difference"]), "wide"),
        Field("ratio of means", "value", lambda pair: _number(pair["ratio_of_means"]), "wide"),
        Field("first higher", "value", lambda pair: _number(pair["first_higher"])),
        Field("second higher", "value", lambda pair: _number(pair["second_higher"]), "wide"),
        Field("corr.", "value", lambda pair: "" if pair["correlation"] is None else f"{pair['correlation']:.3f}"),
        Field("p", "p", lambda pair: "" if pair["correlation_p"] is None else f"{pair['correlation_p']:.2g}", "wide"),
    )
    return tabulate("Pairs (differences: first minus second, in the unit of the first)", pairs, fields)


@click.command()
@click.argument("table", type=click.Path(path_type=Path))
@click.argument("claim")
@click.option("--question", default="", help="The question that the claim answers; its series and times count too.")
@click.option("--language", help="Language (en, de, nl) of the claim; if not given, it is detected.")
def check(*, table: Path, claim: str, question: str, language: str | None) -> None:
    """Check a claim about numbers against a table.

    No model is asked. TABLE is CSV, TSV, JSON, Parquet, Excel or Markdown.

    \b
    assay metrics check kpi.csv "The average throughput in March was 41.2 Mbps."
    assay metrics check loon.xlsx "Het brutoloon daalde in juni met 3,5%." --language nl
    """
    from ..installation import require_packages
    from ..languages import find_language, language_or_fallback, plain_code
    from ..metrics.numeric.lexicon import why_unread
    from ..metrics.numeric.numeric_claims import check_claims, describe_unread
    from ..metrics.numeric.sample_tables import tables_of_file
    from ..text.language_detection import detect_language
    from ..text.sentences import sentences

    require_packages("numeric", "assay metrics")
    if not claim.strip():
        raise UsageError("the claim is empty; give a sentence with a number")
    is_detected = language is None
    language = plain_code(language) or detect_language(question, claim)
    if (not is_detected or find_language(language)) and (unread := why_unread(language)):
        raise UsageError(unread)  # a language without a pack, if it is only detected, is read as English
    claims = sentences(claim, language_or_fallback(language))
    checked = check_claims(claims, tables_of_file(table, language), language, question)
    if not checked:
        raise UsageError("the claim has no words; give a sentence with a number")
    bounds = describe_unread(claims, question)
    print_result(
        lambda: {"claims": [verdict.evidence() for verdict in checked]} | ({"bounds": bounds} if bounds else {}),
        *(_describe(verdict) for verdict in checked),
        *(partial(echo, bound, err=True) for bound in bounds),
    )


def _describe(checked: "CheckedClaim") -> str:
    from ..untrusted import without_unseen

    evidence = checked.evidence()
    where = " over " + evidence["window"] if evidence["window"] else ""
    understood = "not understood"
    if evidence["statistic"]:
        understood = f"{evidence['statistic']} of {evidence['series'] or 'rows'}{where}"
    understood += f" against {evidence['compared']}" if evidence["compared"] else ""
    stated = f", stated {evidence['stated']}" if evidence["stated"] else ""
    lines = [evidence["part"], f"  understood  {understood}{stated}"]
    if evidence["computed"] is not None:
        unit = f" {evidence['unit']}" if evidence["unit"] else ""
        computed = evidence["computed"]
        lines.append(f"  computed    {computed if isinstance(computed, str) else _number(computed)}{unit}")
    lines += [f"  verdict     {evidence['verdict']}: {evidence['reason']}"]
    return without_unseen("\n".join(lines))
