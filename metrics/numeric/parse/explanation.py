"""The meaning of each part of a claim: a number, a time, a series, the word that names the statistic."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..specification import Hedge, Specification
from .clause import Clause
from .construction import Interpretation
from .marks import Mark

ROLES = ("number", "hedge", "series", "time", "row", "statistic", "left out", "unread", "")
"""The roles of a claim's parts. "left out": the part is ignored. "unread": because of it the claim is not checked. "":
the part states nothing that can be checked."""


@dataclass(frozen=True)
class ClaimPart:
    """A part of a claim, its role (one of `ROLES`), and its meaning in the table."""

    text: str
    role: str = ""
    meaning: str = ""

    def as_json(self) -> dict[str, str]:
        """The part as JSON values, without what is empty."""
        return {key: value for key, value in vars(self).items() if value or key == "text"}


def explain(
    made: Interpretation, specifications: Sequence[Specification], unknown: Collection[str]
) -> tuple[ClaimPart, ...]:
    """The parts of a clause as an interpretation took them, in order; together they are its text.

    Args:
        made: The interpretation.
        specifications: What it makes of the clause.
        unknown: The words that nothing knows; they are left out.
    """
    series = {name for spec in specifications for name in (spec.series, spec.compared_with) if name}
    statistic = specifications[0].statistic.replace("_", " ") if specifications else ""
    hedges = {mark.hedge_mark: mark.hedge for mark in made.used_marks if mark.hedge_mark is not None}
    parts = []
    for mark in {*made.match.clause.marks, *made.used_marks}:
        part = _part(mark, series, hedges.get(mark))
        if mark not in made.accounted_marks:
            part = ClaimPart(mark.text, "left out" if part.role in ("number", "series", "time", "row") else "")
        elif not part.role and mark in made.head_marks:
            part = ClaimPart(mark.text, "statistic", statistic)
        parts.append((mark, part))
    clause = made.match.clause
    return _with_plain_parts(clause.text, [*parts, *_unknown_parts(clause, unknown, "left out")])


def explain_unread(clause: Clause, unknown: Collection[str]) -> tuple[ClaimPart, ...]:
    """The parts of a clause that no construction accounts for: what is known in it, and the words that are not."""
    parts = [(mark, _part(mark, set(mark.series), mark.hedge)) for mark in clause.marks]
    return _with_plain_parts(clause.text, [*parts, *_unknown_parts(clause, unknown, "unread")])


def _unknown_parts(clause: Clause, unknown: Collection[str], role: str) -> Iterator[tuple[Mark, ClaimPart]]:
    spans = [(mark.start, mark.end) for mark in clause.marks]
    for token in clause.tokens:
        if token.text in unknown and not any(start < token.end and token.start < end for start, end in spans):
            text = clause.text[token.start : token.end]
            yield Mark(token.start, token.end, text), ClaimPart(text, role)


def _part(mark: Mark, series: set[str], hedge: Hedge | None) -> ClaimPart:
    if mark.number is not None:
        unit = mark.number.unit or ""
        return ClaimPart(mark.text, "number", f"{mark.number.value:g}{unit if unit == '%' else f' {unit}'.rstrip()}")
    if mark.time is not None:
        window = str(mark.time.windows[0])
        return ClaimPart(mark.text, "left out" if mark.excluded else "time", window)
    if mark.series:
        return ClaimPart(mark.text, "series", " or ".join(name for name in mark.series if name in series))
    if mark.cells:
        named = " or ".join(f"{column} = {cell}" for column, cell in mark.cells[:3])
        return ClaimPart(mark.text, "left out" if mark.excluded else "row", named)
    if hedge is not None and hedge is not Hedge.EXACT:
        return ClaimPart(mark.text, "hedge", hedge.replace("_", " "))
    return ClaimPart(mark.text)


def _with_plain_parts(text: str, parts: Iterable[tuple[Mark, ClaimPart]]) -> tuple[ClaimPart, ...]:
    """The parts in order, the text between them as parts without a role."""
    joined: list[ClaimPart] = []
    end = 0
    for mark, part in sorted(parts, key=lambda pair: (pair[0].start, -pair[0].end)):
        if mark.start < end or not part.role:
            continue
        joined += [ClaimPart(text[end : mark.start])] if mark.start > end else []
        joined.append(part)
        end = mark.end
    return (*joined, *([ClaimPart(text[end:])] if end < len(text) else []))
