"""Tables in faithfulness: as text for the judge, and the computed verdicts that take the place of the judge's."""

from collections.abc import Sequence

from ...eval_sets.sample import Cell, Sample, Table as SampleTable
from ...languages import FALLBACK
from ..claim import Claim
from ..sample_state import TableContext
from .checking import CheckedClaim
from .lexicon import LANGUAGES
from .numeric_claims import check_by_sentence, tables_of_claims

_MOST_ROWS = 100


def with_computed_verdicts(sample: Sample, judged: Sequence[Claim]) -> list[Claim]:
    """The claims: a computable claim with the computed verdict, any other with the judge's.

    A claim with several numbers is decided when one of them is wrong, or when all of it could be checked. Of an answer
    with more than `MOST_SENTENCES` claims the first ones are computed.
    """
    tables = tables_of_claims(sample)
    language = sample.language or FALLBACK
    if not tables or language not in LANGUAGES:
        return list(judged)
    checked = check_by_sentence([claim.text for claim in judged], tables, language, sample.user_input)
    decided = [_overrule(claim, checks) for claim, checks in zip(judged, checked, strict=False)]
    return [*decided, *judged[len(decided) :]]


def _overrule(claim: Claim, checked: Sequence[CheckedClaim]) -> Claim:
    deciding = next((part for part in checked if part.verdict == "contradicted"), None)
    if deciding is None and checked and all(part.verdict == "supported" for part in checked):
        deciding = checked[0]
    if deciding is None:
        return claim
    evidence = tuple(part.evidence() for part in checked)
    return Claim(claim.text, deciding.verdict, deciding.reason, computed=evidence, overruled=claim)


def tables_as_contexts(tables: Sequence[SampleTable]) -> tuple[str, ...]:
    """Each table as lines with pipes, its name above; of a longer one the first 100 rows, and a line that says so."""
    return tuple(TableContext(_as_text(table)) for table in tables)


def _as_text(table: SampleTable) -> str:
    heads = [f"{name} ({table.units[name]})" if name in table.units else name for name in table.columns]
    rows = list(zip(*table.columns.values(), strict=True))
    lines = [table.name, _line(heads), *(_line(row) for row in rows[:_MOST_ROWS])]
    if len(rows) > _MOST_ROWS:
        lines.append(f"({len(rows) - _MOST_ROWS} more rows)")
    return "\n".join(lines)


def _line(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join("" if cell is None else " ".join(str(cell).split()) for cell in cells) + " |"
