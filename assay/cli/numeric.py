"""`assay metrics check`: a claim about numbers against a table: understood, computed, judged."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from .output import echo, print_result

if TYPE_CHECKING:
    from ..metrics.numeric.numeric_claims import CheckedClaim


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
    from ..metrics.numeric.statistics import format_number
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
        lines.append(f"  computed    {computed if isinstance(computed, str) else format_number(computed)}{unit}")
    lines += [f"  verdict     {evidence['verdict']}: {evidence['reason']}"]
    return without_unseen("\n".join(lines))
