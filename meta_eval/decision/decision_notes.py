"""What a reader of a decision should know: what is left out or assumed."""

import numpy as np

from ...text.wording import count_of, verb_of
from ..arrays import Bools
from .version_decision import Decision
from .version_means import FEWEST_RATED_GROUPS, changed_answers, knows_level, shared_ratings, usable_ratings
from .version_table import VersionTable


def describe_assumptions(table: VersionTable, decision: Decision, is_rated: Bools) -> list[str]:
    """Says what an estimate leaves out or assumes, each a sentence."""
    notes: list[str] = []
    measure = decision.measure or "the score"
    rated, used = ~np.isnan(shared_ratings(table)), ~np.isnan(usable_ratings(table))
    if decision.basis == "scores":
        notes.append(
            f"Nothing but {measure} decides: it may like the style of one version, which only ratings of these answers "
            "can tell. It never says that versions are equally good."
        )
    for place, name in enumerate(table.versions):
        dropped = int(((table.version == place) & rated & ~used).sum())
        if dropped:
            notes.append(
                f"{count_of(dropped, 'rating')} of {name} {verb_of(dropped, 'does', 'do')} not count: ratings of fewer "
                f"than {FEWEST_RATED_GROUPS} groups do not say what a version is worth."
            )
        if is_rated.any() and not is_rated[place]:
            notes.append(f"No rating of {name} counts: its mean rests on {measure} alone.")
    alone = [name for place, name in enumerate(table.versions) if (used & (table.version == place)).any()]
    if not is_rated.any() and len(alone) == 1:
        ratings = count_of(int(used.sum()), "rating")
        notes.append(f"The {ratings} of {alone[0]} do not count: those of one version say nothing of a difference.")
    groups = len(np.unique(table.group[used & changed_answers(table)]))
    if is_rated.any() and groups < FEWEST_RATED_GROUPS and all(row.low is None for row in decision.differences):
        notes.append(f"There is no interval: the ratings are of fewer than {FEWEST_RATED_GROUPS} groups.")
    if not knows_level(table):
        notes.append(
            "The means have no interval: the answers that are the same in all versions are not rated. Their differences"
            " do not need that."
        )
    missing = int(np.isnan(table.scores).sum())
    if missing and missing < len(table.scores) and decision.basis != "ratings":
        have = verb_of(missing, "has", "have")
        notes.append(f"{count_of(missing, 'answer')} {have} no {measure}: the mean stands in for it.")
    unrated = int((np.isnan(usable_ratings(table)) & changed_answers(table) & (table.version == 0)).sum())
    if is_rated.any() and decision.verdict == "unsettled" and unrated and decision.needs.ratings is None:
        notes.append(
            f"{count_of(unrated, 'answer')} of {decision.in_use} that {verb_of(unrated, 'differs', 'differ')} "
            f"{verb_of(unrated, 'is', 'are')} not rated yet: rate these first. It may settle it, not in 8 of 10 cases."
        )
    return notes
