"""Which of the interpretations of a clause counts: one that accounts for every word, then the more specific one."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..compute.computation import UnitRule
from ..compute.statistics import statistics_in
from ..compute.verify import verify
from ..quantities import can_be_in
from ..specification import Specification
from ..tables import Table
from . import changes, counts, extremes, patterns, relations, shares, values
from .accounting import left_open, may_be_left_out
from .checks import Check
from .clause import Clause
from .construction import Construction, Interpretation, interpret

CONSTRUCTIONS: tuple[Construction, ...] = (
    *values.CONSTRUCTIONS,
    *extremes.CONSTRUCTIONS,
    *counts.CONSTRUCTIONS,
    *relations.CONSTRUCTIONS,
    *changes.CONSTRUCTIONS,
    *shares.CONSTRUCTIONS,
    *patterns.CONSTRUCTIONS,
)
"""All constructions. Their order means nothing."""

_VALUES = statistics_in(UnitRule.LEVEL)
_SIZES = statistics_in(UnitRule.LEVEL, UnitRule.DISTANCE)


def interpretations(
    clause: Clause, shared: frozenset[str], constructions: Sequence[Construction] = CONSTRUCTIONS
) -> list[Interpretation]:
    """The best interpretations of a clause, as specific and as complete as each other; `shared` stems set the scene.

    One that accounts for every word goes before one that leaves out words that say nothing known.
    """
    complete: list[Interpretation] = []
    loose: list[Interpretation] = []
    for construction in constructions:
        made = interpret(construction, clause)
        checks = _fitting(made.checks, clause.table) if made is not None else None
        if made is None or checks is None:
            continue
        made = replace(made, reading=replace(made.reading, checks=tuple(checks)))
        if not left_open(made, shared):
            complete.append(made)
        elif may_be_left_out(made, shared):
            loose.append(made)
    best = complete or loose
    most = max((made.specificity for made in best), default=0)
    return [made for made in best if made.specificity == most]


def agree(best: Sequence[Interpretation]) -> tuple[Interpretation, tuple[Check, ...]]:
    """Of interpretations that are as good the one that counts, and its checks.

    One that can be computed goes before one that cannot. Where two differ in verdict, the check has a reading of each,
    and is thereby unverifiable.
    """
    if len(best) == 1:
        return best[0], best[0].checks
    by_verdict: dict[str, tuple[Interpretation, Specification]] = {}
    for made in best:
        verdict, specification = _decision(made)
        by_verdict.setdefault(verdict, (made, specification))
    decided = [found for verdict, found in by_verdict.items() if verdict != "unverifiable"]
    if len(decided) == 2:
        return decided[0][0], (Check((tuple(specification for _, specification in decided),)),)
    chosen = decided[0][0] if decided else best[0]
    return chosen, chosen.checks


def _decision(made: Interpretation) -> tuple[str, Specification]:
    """The verdict on an interpretation's checks, which all have to hold, and a specification that decides it."""
    decisions = [_check_decision(check, made.match.clause) for check in made.checks]
    for verdict in ("contradicted", "unverifiable"):
        for decision in decisions:
            if decision[0] == verdict:
                return decision
    return decisions[0]


def _check_decision(check: Check, clause: Clause) -> tuple[str, Specification]:
    for tier in check.tiers:
        decided = {verify(spec, clause.table).verdict: spec for spec in tier}
        decided.pop("unverifiable", None)
        if len(decided) == 1:
            return next(iter(decided.items()))
        if decided:
            break
    return "unverifiable", check.tiers[0][0]


def _fitting(checks: Iterable[Check], table: Table) -> list[Check] | None:
    """The checks less the readings whose unit the series cannot have; None where one of them has no other."""
    left = [Check(tuple(kept for tier in check.tiers if (kept := _fit(tier, table)))) for check in checks]
    return left if all(check.tiers for check in left) else None


def _fit(tier: tuple[Specification, ...], table: Table) -> tuple[Specification, ...]:
    return tuple(spec for spec in tier if _can_be(spec, table))


def _can_be(spec: Specification, table: Table) -> bool:
    if spec.series not in table.columns:
        return True
    if spec.threshold_unit is not None and not can_be_in(table, spec.series, spec.threshold_unit):
        return False
    if spec.value is None or spec.unit is None or spec.statistic not in _SIZES:
        return True
    if spec.unit == "pp" and spec.statistic in _VALUES:
        return False  # a value is in percent, and only what lies between two is in percentage points
    return can_be_in(table, spec.series, spec.unit)
