"""`assay metrics check`: one claim against a table, as understood, computed and judged."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .output import echo, echo_json, is_json
from .word_picture import draw_words

if TYPE_CHECKING:
    from ..metrics.numeric.numeric_claims import CheckedClaim


@click.command()
@click.argument("table", type=click.Path(path_type=Path))
@click.argument("claim")
@click.option("--question", default="", help="The question that the claim answers; its series and times count too.")
@click.option("--language", help="Language (en, de, nl) of the claim; if not given, it is detected.")
@click.option("--explain", is_flag=True, help="Also show what each word of the claim was taken for.")
def check(*, table: Path, claim: str, question: str, language: str | None, explain: bool) -> None:
    """Check a claim about numbers against a table.

    No model is asked. TABLE is CSV, TSV, JSON, Parquet, Excel or Markdown.

    \b
    assay metrics check kpi.csv "The average throughput in March was 41.2 Mbps."
    assay metrics check kpi.csv "Throughput rose by 5% in March." --explain
    assay metrics check loon.xlsx "Het brutoloon daalde in juni met 3,5%." --language nl
    """
    from ..errors import UsageError
    from ..installation import require_packages
    from ..languages import find_language, language_or_fallback, plain_code
    from ..metrics.numeric.lexicon import why_unread
    from ..metrics.numeric.numeric_claims import check_claims, describe_unread
    from ..metrics.numeric.tables.sample_tables import tables_of_file
    from ..text.language_detection import detect_language
    from ..text.sentences import describe_cut_lines, sentences

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
    bounds = [*describe_cut_lines(claim), *describe_unread(claims, question)]
    if is_json():
        echo_json({"claims": [verdict.evidence() for verdict in checked]} | ({"bounds": bounds} if bounds else {}))
        return
    for verdict in checked:
        _print(verdict, explain)
    for bound in bounds:
        echo(bound, err=True)


def _print(checked: "CheckedClaim", explain: bool) -> None:
    from ..untrusted import without_unseen

    evidence = checked.evidence()
    where = " over " + evidence["window"] if evidence["window"] else ""
    understood = (
        f"{evidence['statistic']} of {evidence['series'] or 'rows'}{where}"
        if evidence["statistic"]
        else "not understood"
    )
    understood += f" against {evidence['compared']}" if evidence["compared"] else ""
    stated = f", stated {evidence['stated']}" if evidence["stated"] else ""
    picture = draw_words(checked.words, shutil.get_terminal_size().columns) if explain else []
    lines = [*(picture or [evidence["part"]]), f"  understood  {understood}{stated}"]
    if evidence["computed"] is not None:
        unit = f" {evidence['unit']}" if evidence["unit"] else ""
        lines.append(f"  computed    {_shown(evidence['computed'])}{unit}")
    lines += [f"  verdict     {evidence['verdict']}: {evidence['reason']}"]
    echo(without_unseen("\n".join(lines)))


def _shown(value: float | str) -> str:
    from ..metrics.numeric.compute.computation import format_number

    return value if isinstance(value, str) else format_number(value)
