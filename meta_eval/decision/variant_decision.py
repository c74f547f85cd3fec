"""Which variant of a measure, a prompt or a judge, agrees better with the raters than the one in use."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ...text.wording import count_of
from ..comparison import RHO_MARGIN, Comparison, compare_metrics, describe_more_ratings, find_standing
from ..groups import FEWEST_GROUPS, LEVEL, unseen_share
from ..table import ScoreTable
from .version_decision import Outcome, VersionDifference

_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class VariantDecision:
    """Which of several variants of a measure to use."""

    # `ship` (the variant `best` agrees better than the one in use), `keep` (none does, and some surely less),
    # `equivalent` (none differs from it by more than the margin) or `unsettled`
    verdict: Outcome
    best: str  # the variant that agrees best; of a `keep` the one in use
    # how much better each other variant agrees than the one in use, by Spearman's rho; their intervals hold together
    differences: tuple[VersionDifference, ...]
    ratings: int | None  # about how many more ratings would settle what is unsettled; None where nobody can tell
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The decision in a sentence."""
        if self.verdict == "ship":
            row = next(row for row in self.differences if row.second == self.best)
        else:
            row = max(self.differences, key=lambda row: row.difference or 0.0)
        likely = "" if row.low is None or row.high is None else f", likely {row.low:+.2f} to {row.high:+.2f}"
        how_far = f"({row.difference:+.2f}{likely}, on {count_of(row.rated, 'answer')})"
        if self.verdict == "ship":
            return f"Ship {row.second}: it agrees better with your raters than {row.first} {how_far}."
        if self.verdict == "keep":
            next_best = f"the next best being {row.second} {how_far}"
            return f"Keep {row.first}: no other agrees better with your raters, {next_best}."
        if self.verdict == "equivalent":
            beside = f"{row.second} agrees with your raters as {row.first} does, within {RHO_MARGIN:.3g}"
            return f"No difference that matters: {beside} {how_far}."
        more = "nobody can tell how many" if self.ratings is None else describe_more_ratings(self.ratings)
        return (
            f"Not settled: {row.second} may agree better with your raters than {row.first}, or worse {how_far}; {more} "
            "ratings would settle it."
        )

    def as_json(self) -> dict[str, Any]:
        """The sentence and all values as JSON values."""
        values = asdict(self)
        for row in values["differences"]:
            del row["differing"], row["changed"]  # of two versions; here the answers are the same
        return {"sentence": self.sentence} | values


def decide_variants(table: ScoreTable) -> VariantDecision | None:
    """Decides which variant of a measure agrees best with the raters, or says how many more ratings would tell.

    Each variant is compared with the one in use on the rated answers that both scored (`compare`: the difference of
    Spearman's rho, with an interval from leaving out one group at a time), at the level 95% of all of them together: of
    k variants each at 1 - 0.05 / k (Bonferroni), because the best of several looks better than it is. `ship`: the
    interval of one variant, or of several of which it agrees best, lies above 0. `keep`: none agrees better, and at
    least one surely worse. `equivalent`: all lie within the margin by two one-sided tests at 5%, which need no
    correction: all must (Berger, 1982). Otherwise `unsettled`. Returns the decision; None where no variant can be
    compared with the one in use.

    Args:
        table: The variants' scores of the same answers, one column per variant; the first is what is in use today.

    Example:
        >>> import numpy as np
        >>> ratings = np.tile([1.0, 2, 3, 4, 5], 8)
        >>> noise = np.random.default_rng(0).normal(size=40)
        >>> scores = np.column_stack([noise, ratings + noise])
        >>> table = ScoreTable(tuple(map(str, range(40))), ("old", "new"), scores, ratings[:, None])
        >>> decide_variants(table).verdict
        'ship'
    """
    in_use, *others = table.metrics
    level = 1 - (1 - LEVEL) / max(1, len(others))
    rows = [_with_bound_of_same(compare_metrics(table, other, in_use, level=level), level) for other in others]
    comparable = [row for row in rows if row.difference.value is not None]
    if not comparable:
        return None
    verdict, best = _verdict(comparable)
    more = [row.standing.more_ratings for row in comparable if row.standing.kind == "unsettled"]
    known = [count for count in more if count is not None]
    notes = [
        f"{row.first} cannot be compared with {in_use}: {row.problem}." for row in rows if row.difference.value is None
    ]
    if len(rows) > 1:
        notes.append(f"The intervals of the {count_of(len(rows), 'comparison')} hold for all of them together.")
    return VariantDecision(
        verdict,
        best,
        tuple(_difference(row, len(rows)) for row in comparable),
        max(known) if verdict == "unsettled" and known else None,
        tuple(notes),
    )


def variant_sentences(decision: VariantDecision | None, in_use: str) -> list[str]:
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


def _verdict(rows: Sequence[Comparison]) -> tuple[Outcome, str]:
    kinds = [row.standing.kind for row in rows]
    better = [row for row in rows if row.standing.kind == "better"]
    highest = max(better or rows, key=lambda row: row.difference.value or 0.0)
    in_use = highest.second
    best = highest.first if (highest.difference.value or 0.0) > 0 else in_use
    if better:
        return "ship", best
    if "unsettled" in kinds:
        return "unsettled", best
    return ("keep", in_use) if "worse" in kinds else ("equivalent", best)


def _difference(row: Comparison, comparisons: int) -> VersionDifference:
    value, low, high = row.difference.value or 0.0, row.difference.low, row.difference.high
    p = None if row.difference.p is None else min(1.0, comparisons * row.difference.p)
    return VersionDifference(row.second, row.first, value, low, high, p, row.n, row.n, row.n)
