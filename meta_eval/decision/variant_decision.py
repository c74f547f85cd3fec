"""Which variant of a measure, a prompt or a judge, agrees better with the raters: the same verdicts and sentence."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...text.wording import count_of
from ..comparison import RHO_MARGIN, Comparison, compare_metrics, find_standing
from ..correlation import spearman
from ..groups import FEWEST_GROUPS, LEVEL, unseen_share
from ..table import ScoreTable
from .version_decision import Decision, Needs, Outcome, VersionDifference, VersionEstimate

_SAME = 1e-9


def decide_variants(table: ScoreTable, *, measure: str = "") -> Decision | None:
    """Decides which variant of a measure agrees best with the raters, or says how many more ratings would tell.

    Each variant is compared with the one in use on the rated answers that both scored (`compare`: the difference of
    Spearman's rho, with an interval from leaving out one group at a time), at the level 95% of all of them together: of
    k variants each at 1 - 0.05 / k (Bonferroni), because the best of several looks better than it is. `ship`: the
    interval of one variant, or of several of which it agrees best, lies above 0. `keep`: none agrees better, and at
    least one surely worse. `equivalent`: all lie within the margin by two one-sided tests at 5%, which need no
    correction: all must (Berger, 1982). Otherwise `unsettled`. Returns the decision. Its intervals are for a single
    look, at the level of all of them together. None where no variant can be compared with the one in use.

    Args:
        table: The variants' scores of the same answers, one column per variant; the first is what is in use today.
        measure: The metric that the variants compute, for the notes.

    Raises:
        InputError: The table has fewer than two variants.

    Example:
        >>> import numpy as np
        >>> ratings = np.tile([1.0, 2, 3, 4, 5], 8)
        >>> noise = np.random.default_rng(0).normal(size=40)
        >>> scores = np.column_stack([noise, ratings + noise])
        >>> table = ScoreTable(tuple(map(str, range(40))), ("old", "new"), scores, ratings[:, None])
        >>> decide_variants(table).verdict
        'ship'
    """
    names = table.metrics
    level = 1 - (1 - LEVEL) / max(1, len(names) - 1)
    rows = [compare_metrics(table, other, names[0], level=level) for other in names[1:]]
    comparisons = [_with_bound_of_same(row, level) for row in rows]
    comparable = [row for row in comparisons if row.difference.value is not None]
    if not comparable:
        return None
    problems = [row for row in comparisons if row.difference.value is None]
    versions = _estimates(table, [names[0], *(row.first for row in comparable)], comparable)
    verdict, best = _verdict(comparable, versions)
    more = [row.standing.more_ratings for row in comparable if row.standing.kind == "unsettled"]
    known = [count for count in more if count is not None]
    notes = [f"{row.first} cannot be compared with {row.second}: {row.problem}." for row in problems]
    if len(comparisons) > 1:
        notes.append(f"The intervals of the {count_of(len(comparisons), 'comparison')} hold for all of them together.")
    return Decision(
        verdict,
        best,
        versions,
        tuple(_difference(row, len(comparisons)) for row in comparable),
        Needs(ratings=max(known) if verdict == "unsettled" and known else None),
        RHO_MARGIN,
        "agreement",
        (-1.0, 1.0),
        measure,
        notes=tuple(notes),
    )


def variant_sentences(decision: Decision | None, in_use: str) -> list[str]:
    """Says what a reader should know of a decision between variants, and last the decision in a sentence."""
    if decision is None:
        return [f"Not settled: no agreement with ratings can be compared with that of {in_use}."]
    return [*decision.notes, decision.sentence]


def _with_bound_of_same(row: Comparison, level: float) -> Comparison:
    """Bounds a difference that no group shows: of G groups up to 1 - tail^(1 / G) may rank otherwise.

    Each exception takes up to four times its share from a correlation, as in `jackknife_intervals`. Without this two
    variants that rank all answers alike would have no interval, and nothing could be said of them.
    """
    difference = row.difference
    has_groups = (difference.groups or 0) >= FEWEST_GROUPS
    if difference.value is None or abs(difference.value) > _SAME or difference.low is not None or not has_groups:
        return row
    bound = min(2.0, 4 * unseen_share(difference.groups or 1, level))
    bounded = replace(difference, low=-bound, high=bound, problem="")
    return replace(row, difference=bounded, standing=find_standing(bounded, level=level))


def _verdict(rows: Sequence[Comparison], versions: Sequence[VersionEstimate]) -> tuple[Outcome, str]:
    kinds = [row.standing.kind for row in rows]
    if "better" in kinds:
        better = [row for row in rows if row.standing.kind == "better"]
        return "ship", max(better, key=lambda row: row.difference.value or 0.0).first
    highest = max(versions, key=lambda version: version.mean).name
    if "unsettled" in kinds:
        return "unsettled", highest
    return ("keep", versions[0].name) if "worse" in kinds else ("equivalent", highest)


def _estimates(table: ScoreTable, names: Sequence[str], rows: Sequence[Comparison]) -> tuple[VersionEstimate, ...]:
    """The agreement of each variant on all rated answers that it scored, with intervals that hold together."""
    rated, level = table.rated(), 1 - (1 - LEVEL) / len(names)
    kinds = {row.first: row.standing.kind for row in rows}
    better, worse = (list(kinds.values()).count(kind) for kind in ("better", "worse"))
    estimates = []
    for name in names:
        scores = rated.column(name)
        known = np.flatnonzero(~np.isnan(scores))
        agreement = spearman(
            scores[known].tolist(),
            rated.mean_rating[known].tolist(),
            [rated.groups[place] for place in known],
            level=level,
        )
        kind, last = kinds.get(name), len(names)
        ranks = (1 + better, last - worse) if kind is None else (1 + (kind == "worse"), last - (kind == "better"))
        count = len(known)
        value = agreement.value or 0.0
        estimates.append(VersionEstimate(name, count, count, value, agreement.low, agreement.high, None, ranks))
    return tuple(estimates)


def _difference(row: Comparison, comparisons: int) -> VersionDifference:
    value, low, high = row.difference.value or 0.0, row.difference.low, row.difference.high
    p = None if row.difference.p is None else min(1.0, comparisons * row.difference.p)
    return VersionDifference(row.second, row.first, value, low, high, p, row.n, row.n, row.n)
