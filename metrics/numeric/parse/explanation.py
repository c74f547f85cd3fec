"""The meaning of each part of a claim: a number, a time, a series, the word that names the statistic."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..lexicon import Token
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
    clause: Clause,
    unknown: Collection[Token],
    made: Interpretation | None = None,
    specifications: Sequence[Specification] = (),
) -> tuple[ClaimPart, ...]:
    """The parts of a clause, in order; together they are its text."""
    text = clause.text
    hedges = {mark.hedge_mark: mark.hedge for mark in clause.numbers}
    series = {name for spec in specifications for name in (spec.series, spec.compared_with)}
    parts = [(token.start, token.end, "left out" if made else "unread", "") for token in unknown]
    for mark in clause.marks:
        role, meaning = _role_and_meaning(mark, hedges.get(mark))
        if made and mark not in made.accounted_marks:
            role, meaning = "left out" if role in ("number", "series", "time", "row") else "", ""
        elif made and role == "series":
            meaning = " or ".join(name for name in mark.series if name in series)
        elif made and not role and specifications and mark in made.head_marks:
            role, meaning = "statistic", specifications[0].statistic.replace("_", " ")
        parts.append((mark.start, mark.end, role, meaning))
    joined: list[ClaimPart] = []
    reached = 0
    for start, end, role, meaning in [*sorted(part for part in parts if part[2]), (len(text), len(text), "", "")]:
        joined += [ClaimPart(text[reached:start])] if reached < start else []
        joined += [ClaimPart(text[start:end], role, meaning)] if role else []
        reached = end
    return tuple(joined)


def understood(clause: Clause) -> list[str]:
    """What is known in a clause, in order: "series orders", "time March", "number 3"; a word that relates in quotes."""
    hedges = {mark.hedge_mark: mark.hedge for mark in clause.numbers}
    known = []
    for mark in clause.marks:
        role, meaning = _role_and_meaning(mark, hedges.get(mark))
        if role:
            known.append(f"{role} {meaning if role in ('series', 'number') else mark.text.strip()}")
        elif mark.kinds:
            known.append(repr(mark.text.strip()))
    return list(dict.fromkeys(known))


def _role_and_meaning(mark: Mark, hedge: Hedge | None) -> tuple[str, str]:
    if mark.number is not None:
        unit = mark.number.unit or ""
        return "number", f"{mark.number.value:g}{unit if unit == '%' else f' {unit}'.rstrip()}"
    if mark.time is not None:
        return "left out" if mark.excluded else "time", str(mark.window)
    if mark.series:
        return "series", " or ".join(mark.series)
    if mark.cells:
        named = " or ".join(f"{column} = {cell}" for column, cell in mark.cells[:3])
        return "left out" if mark.excluded else "row", named
    return ("hedge", hedge.replace("_", " ")) if hedge else ("", "")
