"""What a reader of a decision should know: what is left out or assumed, and whether what is rated is a random part."""

import numpy as np
from scipy import stats

from ...text.wording import count_of, list_first, verb_of
from ..arrays import Bools, Floats
from ..groups import FEWEST_GROUPS, effective_degrees
from .version_decision import Decision
from .version_difference import knows_level
from .version_questions import VersionQuestions
from .version_table import VersionTable

_ERROR = 0.005  # of calling ratings of a random part of the answers chosen


def describe_assumptions(table: VersionTable, questions: VersionQuestions, decision: Decision) -> list[str]:
    """Says what an estimate leaves out or assumes, each a sentence."""
    notes: list[str] = []
    measure = decision.measure or "the score"
    rated = {version.name: version.rated for version in decision.versions}
    missing = int(np.isnan(table.scores).sum())
    if decision.basis in {"ratings and scores", "scores"} and missing:
        have = verb_of(missing, "has", "have")
        notes.append(f"{count_of(missing, 'answer')} {have} no {measure}: the mean stands in for it.")
    if decision.basis == "scores":
        if any(rated.values()):
            listed = list_first([f"{count:,} of {name}" for name, count in rated.items() if count])
            notes.append(
                f"The ratings ({listed}) do not count: it takes questions of {FEWEST_GROUPS} groups that are "
                "rated in both of two versions."
            )
        return notes
    unrated = [name for name, count in rated.items() if not count]
    if unrated and decision.basis != "preferences":
        notes.append(f"{list_first(unrated)} {verb_of(len(unrated), 'is', 'are')} not rated: nothing is decided there.")
    if all(row.low is None for row in decision.differences):
        notes.append(f"There is no interval: the ratings are of fewer than {FEWEST_GROUPS} groups.")
    if decision.basis != "preferences" and not all(knows_level(questions, one) for one in range(len(rated))):
        notes.append(
            "The means have no interval: the answers that are the same in all versions are not rated. Their differences"
            " do not need that."
        )
    return notes


def describe_selection(table: VersionTable, measure: str) -> str:
    """Warns where the rated answers of a version score otherwise than its others: they are no random part of them.

    Welch's t test (1947) over groups, at .5% for all versions and metrics together, by the score that decides, else by
    the other metrics.
    """
    columns = {measure or "the score": table.scores}
    if np.isnan(table.scores).all():
        columns = {name: scores for name, scores in table.others.items() if not np.isnan(scores).all()}
    is_rated = ~np.isnan(table.ratings)
    found: list[tuple[float, str]] = []
    tests = len(columns) * len(table.versions)
    for name, scores in columns.items():
        for place, version in enumerate(table.versions):
            rows = (table.version == place) & ~np.isnan(scores)
            p, rated, other = _compare_means(scores, table, rows & is_rated, rows & ~is_rated)
            if p * tests <= _ERROR:
                means = f"{name} is {rated:.2g} where it is rated, and {other:.2g} elsewhere"
                found.append((p, f"But what is rated of {version} may be no random part of its answers: {means}."))
    return min(found)[1] if found else ""


def _compare_means(scores: Floats, table: VersionTable, rated: Bools, other: Bools) -> tuple[float, float, float]:
    """The p-value of two means that are alike, and the means; 1 where there are too few groups."""
    means, variances, degrees = [], [], []
    for rows in (rated, other):
        sizes = np.bincount(table.group[rows]).astype(float)
        if (sizes > 0).sum() < FEWEST_GROUPS:
            return 1.0, 0.0, 0.0
        mean = float(scores[rows].mean())
        sums = np.bincount(table.group[rows], weights=scores[rows] - mean)
        groups = int((sizes > 0).sum())
        means.append(mean)
        variances.append(float((sums**2).sum()) / sizes.sum() ** 2 * groups / (groups - 1))
        degrees.append(effective_degrees(sizes))
    variance = sum(variances)
    if not variance:
        return (1.0 if means[0] == means[1] else 0.0), means[0], means[1]
    freedom = variance**2 / sum(one**2 / own for one, own in zip(variances, degrees, strict=True))
    return 2 * float(stats.t.sf(abs(means[0] - means[1]) / variance**0.5, freedom)), means[0], means[1]
