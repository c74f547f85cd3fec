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
    """Returns the name of the chosen combination, and by item the rating that it predicts out of fold."""
    selection = evaluation.selection
    if selection is None:
        return "", {}
    predicted = zip(table.items, selection.predictions, strict=True)
    return selection.chosen.name, {item: value for item, value in predicted if value is not None}


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
