"""Which of the interpretations of a clause counts: one that accounts for every word, then the more specific one."""

from collections.abc import Sequence
from dataclasses import replace

from ..compute.verify import verify
from ..specification import Specification
from . import changes, counts, extremes, patterns, relations, shares, values
from .accounting import may_be_left_out, unaccounted_words
from .checks import ClauseCheck
from .clause import Clause
from .construction import Construction, Interpretation, interpret
from .feasibility import possible_checks

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


def interpretations(
    clause: Clause, shared: frozenset[str], constructions: Sequence[Construction] = CONSTRUCTIONS
) -> list[Interpretation]:
    """The best interpretations of a clause, equally specific and complete; `shared` stems set the scene.

    An interpretation that accounts for every word goes before one that leaves out unknown words.
    """
    complete: list[Interpretation] = []
    loose: list[Interpretation] = []
    for construction in constructions:
        made = interpret(construction, clause)
        checks = possible_checks(made.checks, clause) if made is not None else None
        if made is None or checks is None:
            continue
        made = replace(made, reading=replace(made.reading, checks=tuple(checks)))
        if not unaccounted_words(made, shared):
            complete.append(made)
        elif may_be_left_out(made, shared):
            loose.append(made)
    best = complete or loose
    most = max((made.specificity for made in best), default=0)
    return [made for made in best if made.specificity == most]


def choose_interpretation(best: Sequence[Interpretation]) -> tuple[Interpretation, tuple[ClauseCheck, ...]]:
    """Chooses among equally good interpretations, and gives the checks.

    One that can be computed goes before one that cannot. Where two have different verdicts, the check has a reading of
    each, which makes it unverifiable.
    """
    if len(best) == 1:
        return best[0], best[0].checks
    by_verdict: dict[str, tuple[Interpretation, Specification]] = {}
    for made in best:
        verdict, specification = _decision(made)
        by_verdict.setdefault(verdict, (made, specification))
    decided = [decision for verdict, decision in by_verdict.items() if verdict != "unverifiable"]
    if len(decided) == 2:
        return decided[0][0], (ClauseCheck((tuple(specification for _, specification in decided),)),)
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


def _check_decision(check: ClauseCheck, clause: Clause) -> tuple[str, Specification]:
    for tier in check.tiers:
        decided = {verify(spec, clause.table).verdict: spec for spec in tier}
        decided.pop("unverifiable", None)
        if len(decided) == 1:
            return next(iter(decided.items()))
        if decided:
            break
    return "unverifiable", check.tiers[0][0]
