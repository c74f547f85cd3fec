"""Where the best measure and the raters disagree most: the answers that a person should read."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..results import MetaEvaluation

if TYPE_CHECKING:
    from ..table import ScoreTable

EACH_WAY = 5


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item, the rating that its score stands for, and the one that people gave; both on the rating scale."""

    item: str
    scored: float
    rated: float
    labels: tuple[str, ...]

    @property
    def gap(self) -> float:
        """Scored - rated: above 0 the answer is better for the measure than for the raters."""
        return self.scored - self.rated


def predictions(table: "ScoreTable", evaluation: MetaEvaluation) -> tuple[str, dict[str, float]]:
    """The measure, and the rating that it stands for of each item that it scored.

    That of the chosen combination, out of fold; without one the best metric's, its scores set to the ratings of the
    same rank.
    """
    import numpy as np

    selection = evaluation.selection
    if selection is not None and selection.predictions and selection.chosen.metrics:
        found = dict(zip(table.items, selection.predictions, strict=True))
        return " + ".join(selection.chosen.metrics), {item: value for item, value in found.items() if value is not None}
    tried = [each for each in evaluation.metrics if each.spearman.value is not None and not each.baseline]
    if not tried:
        return "", {}
    best = max(tried, key=lambda each: each.spearman.value or -1).name
    scores, ratings = table.column(best), table.mean_rating
    scored, rated = ~np.isnan(scores), ~np.isnan(ratings)
    order = np.argsort(np.argsort(scores[scored], kind="stable"), kind="stable")
    shares = (order + 0.5) / max(1, len(order))
    values = np.quantile(ratings[rated], shares)
    items = [item for item, is_scored in zip(table.items, scored, strict=True) if is_scored]
    return best, dict(zip(items, map(float, values), strict=True))


def worst_disagreements(
    table: "ScoreTable", predicted: dict[str, float]
) -> tuple[tuple[Disagreement, ...], tuple[Disagreement, ...]]:
    """(scored high and rated low, scored low and rated high), the widest gaps first."""
    import numpy as np

    found = []
    for row, item in enumerate(table.items):
        rating = table.mean_rating[row]
        if item in predicted and not np.isnan(rating):
            labels = tuple(label for column in table.attributes.values() if (label := column[row]))
            found.append(Disagreement(item, predicted[item], float(rating), labels))
    found.sort(key=lambda each: each.gap)
    over = tuple(each for each in reversed(found[-EACH_WAY:]) if each.gap > 0)
    under = tuple(each for each in found[:EACH_WAY] if each.gap < 0)
    return over, under
