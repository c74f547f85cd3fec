"""Where the best measure and the raters disagree: the answers to read."""

from dataclasses import dataclass

import numpy as np

from ..meta_evaluation import MetaEvaluation
from ..table import ScoreTable

MOST_EACH_WAY = 5


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item with the rating that its score stands for (`scored`) and people's mean rating (`rated`)."""

    item: str
    scored: float
    rated: float
    labels: tuple[str, ...]

    @property
    def gap(self) -> float:
        """Scored - rated: above 0 the answer is better for the measure than for the raters."""
        return self.scored - self.rated


def predictions(table: ScoreTable, evaluation: MetaEvaluation) -> tuple[str, dict[str, float]]:
    """Returns the name of the measure, and the rating that its score stands for, by item.

    These are the chosen combination's predictions, out of fold; without one, the best metric's scores replaced by the
    ratings of the same rank.
    """
    selection = evaluation.selection
    if selection is not None and selection.predictions and selection.chosen.metrics:
        values_by_item = zip(table.items, selection.predictions, strict=True)
        return " + ".join(selection.chosen.metrics), {
            item: value for item, value in values_by_item if value is not None
        }
    candidates = [metric for metric in evaluation.metrics if metric.spearman.value is not None and not metric.baseline]
    if not candidates:
        return "", {}
    best = max(candidates, key=lambda metric: metric.spearman.value or -1).name
    scores, ratings = table.column(best), table.mean_rating
    is_scored, is_rated = ~np.isnan(scores), ~np.isnan(ratings)
    order = np.argsort(np.argsort(scores[is_scored], kind="stable"), kind="stable")
    shares = (order + 0.5) / max(1, len(order))
    values = np.quantile(ratings[is_rated], shares)
    items = [item for item, scored in zip(table.items, is_scored, strict=True) if scored]
    return best, dict(zip(items, map(float, values), strict=True))


def worst_disagreements(
    table: ScoreTable, predicted: dict[str, float]
) -> tuple[tuple[Disagreement, ...], tuple[Disagreement, ...]]:
    """Returns the items that were scored high and rated low, and those scored low and rated high, widest gaps first."""
    disagreements = []
    for row, item in enumerate(table.items):
        rating = table.mean_rating[row]
        if item in predicted and not np.isnan(rating):
            labels = tuple(label for column in table.attributes.values() if (label := column[row]))
            disagreements.append(Disagreement(item, predicted[item], float(rating), labels))
    disagreements.sort(key=lambda disagreement: disagreement.gap)
    over = tuple(disagreement for disagreement in reversed(disagreements[-MOST_EACH_WAY:]) if disagreement.gap > 0)
    under = tuple(disagreement for disagreement in disagreements[:MOST_EACH_WAY] if disagreement.gap < 0)
    return over, under
