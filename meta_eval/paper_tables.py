"""Tables III to V of Lassche et al. (2024) for any set: message types, correlations, deviations by rating."""

import numpy as np
from scipy import stats

from .arrays import Floats, Places
from .correlation import correlation_problem
from .results import DeviationRow, PaperTables, StarRow, TypeRow
from .table import ScoreTable

TYPE, PREDICTED_TYPE = "message_type", "predicted_type"
SCORED_TYPES = ("binary", "instruction")
HEURISTIC = "heuristic"  # the metric of Lassche et al. (2024), on the rating scale by itself


def paper_tables(table: ScoreTable, predictions: Floats | None, name: str) -> PaperTables:
    """Makes all three tables of the paper.

    Returns:
        The tables. Table V is of the metric `heuristic` where it stands in the table on the rating scale, else of the
        predictions.
    """
    rated = table.rated()
    values = predictions[~np.isnan(table.mean_rating)] if predictions is not None else None
    if HEURISTIC in rated.metrics:
        scores = rated.column(HEURISTIC)
        scored = scores[~np.isnan(scores)]
        if len(scored) and scored.min() >= table.rating_min and scored.max() <= table.rating_max:
            values, name = scores, HEURISTIC
    levels = _levels(table)
    places_by_level = [
        np.flatnonzero(_nearest_level(rated.mean_rating, levels) == place) for place in range(len(levels))
    ]
    if values is not None:
        places_by_level = [places[~np.isnan(values[places])] for places in places_by_level]
    has_types = TYPE in table.attributes and PREDICTED_TYPE in table.attributes
    return PaperTables(
        types=type_table(table.attributes[TYPE], table.attributes[PREDICTED_TYPE]) if has_types else (),
        correlations=tuple(_star_rows(rated)),
        deviations_of=name if values is not None else "",
        levels=tuple(levels.tolist()),
        counts=tuple(len(places) for places in places_by_level),
        deviations=deviations(table, values, places_by_level) if values is not None else (),
    )


def type_table(true: tuple[str, ...], predicted: tuple[str, ...]) -> tuple[TypeRow, ...]:
    """Makes Table III: how well message types are predicted (scikit-learn's F1, accuracy, precision and recall).

    Returns:
        A row of all types, weighted by how often each occurs, one row per scored type, and one of whether an item is of
        a scored type.

    Examples:
        >>> rows = type_table(("binary", "binary", "general"), ("binary", "general", "general"))
        >>> [(row.label, row.n, round(row.recall, 2)) for row in rows[:2]]
        [('all', 3, 0.67), ('binary', 2, 0.5)]
    """
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    pairs = [(label, prediction) for label, prediction in zip(true, predicted, strict=True) if label and prediction]
    if not pairs:
        return ()
    labels, predictions = [label for label, _ in pairs], [prediction for _, prediction in pairs]
    precision, recall, f1, _ = precision_recall_fscore_support(labels, predictions, average="weighted", zero_division=0)
    accuracy = float(accuracy_score(labels, predictions))
    rows = [TypeRow("all", len(pairs), float(f1), accuracy, float(precision), float(recall))]
    for name, types in (
        (SCORED_TYPES[0], SCORED_TYPES[:1]),
        (SCORED_TYPES[1], SCORED_TYPES[1:]),
        ("is binary or instruction", SCORED_TYPES),
    ):
        is_type, is_predicted = [label in types for label in labels], [label in types for label in predictions]
        precision, recall, f1, _ = precision_recall_fscore_support(
            is_type, is_predicted, average="binary", pos_label=True, zero_division=0
        )
        accuracy = float(accuracy_score(is_type, is_predicted))
        rows.append(TypeRow(name, sum(is_type), float(f1), accuracy, float(precision), float(recall)))
    return tuple(rows)


def _star_rows(rated: ScoreTable) -> list[StarRow]:
    languages = sorted(set(rated.attributes.get("language", ())) - {""})
    parts = [("all", rated)]
    if len(languages) > 1:
        parts += [(language, rated.where("language", language)) for language in languages]
    return [_star_row(label, part, name) for label, part in parts for name in part.metrics]


def _star_row(label: str, part: ScoreTable, name: str) -> StarRow:
    values = part.column(name)
    is_scored = ~np.isnan(values)
    x, y = values[is_scored], part.mean_rating[is_scored]
    if correlation_problem(x, y):
        return StarRow(label, name, len(x), None, None, "")
    result = stats.spearmanr(x, y)
    p = float(result.pvalue)
    return StarRow(label, name, len(x), float(result.statistic), p, "**" if p < 0.01 else "*" if p < 0.05 else "")


def _levels(table: ScoreTable) -> Floats:
    """The whole ratings of a scale of up to 10 steps, else five evenly spaced ones."""
    width = table.rating_max - table.rating_min
    is_whole = float(table.rating_min).is_integer() and float(width).is_integer() and width <= 10
    levels: Floats = np.linspace(table.rating_min, table.rating_max, int(width) + 1 if is_whole else 5)
    return levels


def _nearest_level(ratings: Floats, levels: Floats) -> Floats:
    step = levels[1] - levels[0]
    places: Floats = np.floor((ratings - levels[0]) / step + 0.5)  # halves upwards, as a person rounds
    return places


def deviations(table: ScoreTable, values: Floats, places_by_level: list[Places]) -> tuple[DeviationRow, ...]:
    """Makes Table V: of the items at each rating level, the share whose value meets each condition.

    Returns:
        One row per condition. The margin is 1 on the paper's scale of 1 to 5, and a quarter of any other scale.
    """
    low, high, middle = table.rating_min, table.rating_max, table.middle
    margin = (high - low) / 4
    ratings = table.rated().mean_rating
    conditions = {
        f"margin {margin:g}": np.abs(values - ratings) <= margin + 1e-9,
        f"score == {low:g}": values == low,
        f"score < {middle:g}": values < middle,
        f"score > {middle:g}": values > middle,
        f"score == {high:g}": values == high,
    }
    return tuple(
        DeviationRow(name, tuple(float(holds[places].mean()) if len(places) else None for places in places_by_level))
        for name, holds in conditions.items()
    )
