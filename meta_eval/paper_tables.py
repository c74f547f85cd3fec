"""Tables III, IV and V of 001 for any set: message types, correlations with stars, deviations by rating level."""

import numpy as np
from scipy import stats

from .arrays import Floats, Places
from .results import DeviationRow, PaperTables, StarRow, TypeRow
from .table import ScoreTable

TYPE, PREDICTED = "message_type", "predicted_type"
SCORED_TYPES = ("binary", "instruction")
ON_SCALE = "heuristic"  # the metric of 001, on the rating scale by itself
_FEWEST_ITEMS = 5


def paper_tables(table: ScoreTable, predictions: Floats | None, name: str) -> PaperTables:
    """All three tables. `predictions` (an item each, on the rating scale, NaN missing) are those of the choice `name`.

    Table III needs the attributes message_type and predicted_type. Table IV has every metric, for all rated items and
    by language. Table V is of the metric `heuristic` where it stands in the table on the rating scale, else of the
    predictions.
    """
    rated = table.rated()
    known = predictions[~np.isnan(table.mean_rating)] if predictions is not None else None
    values, of = known, name
    if ON_SCALE in rated.metrics:
        own = rated.column(ON_SCALE)
        scored = own[~np.isnan(own)]
        if len(scored) and scored.min() >= table.rating_min and scored.max() <= table.rating_max:
            values, of = own, ON_SCALE
    levels = _levels(table)
    at = [np.flatnonzero(_nearest(rated.mean_rating, levels) == place) for place in range(len(levels))]
    if values is not None:
        at = [places[~np.isnan(values[places])] for places in at]
    types = TYPE in table.attributes and PREDICTED in table.attributes
    return PaperTables(
        types=type_table(table.attributes[TYPE], table.attributes[PREDICTED]) if types else (),
        correlations=tuple(_star_rows(rated)),
        deviations_of=of if values is not None else "",
        levels=tuple(levels.tolist()),
        counts=tuple(len(places) for places in at),
        deviations=deviations(table, values, at) if values is not None else (),
    )


def type_table(true: tuple[str, ...], predicted: tuple[str, ...]) -> tuple[TypeRow, ...]:
    """Table III: all types (weighted by how often each occurs), each scored type, and whether it is one of them.

    Items without a true or predicted type are left out.
    """
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    pairs = [(is_type, told) for is_type, told in zip(true, predicted, strict=True) if is_type and told]
    if not pairs:
        return ()
    y, found = [is_type for is_type, _ in pairs], [told for _, told in pairs]
    precision, recall, f1, _ = precision_recall_fscore_support(y, found, average="weighted", zero_division=0)
    rows = [TypeRow("all", len(pairs), float(f1), float(accuracy_score(y, found)), float(precision), float(recall))]
    for label, types in (
        (SCORED_TYPES[0], SCORED_TYPES[:1]),
        (SCORED_TYPES[1], SCORED_TYPES[1:]),
        ("is binary or instruction", SCORED_TYPES),
    ):
        is_one, told_one = [kind in types for kind in y], [kind in types for kind in found]
        precision, recall, f1, _ = precision_recall_fscore_support(
            is_one, told_one, average="binary", pos_label=True, zero_division=0
        )
        accuracy = float(accuracy_score(is_one, told_one))
        rows.append(TypeRow(label, sum(is_one), float(f1), accuracy, float(precision), float(recall)))
    return tuple(rows)


def _star_rows(rated: ScoreTable) -> list[StarRow]:
    languages = sorted(set(rated.attributes.get("language", ())) - {""})
    parts = [("all", rated)]
    if len(languages) > 1:
        parts += [(language, rated.where("language", language)) for language in languages]
    return [_star_row(label, part, name) for label, part in parts for name in part.metrics]


def _star_row(label: str, part: ScoreTable, name: str) -> StarRow:
    values = part.column(name)
    scored = ~np.isnan(values)
    x, y = values[scored], part.mean_rating[scored]
    if len(x) < _FEWEST_ITEMS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return StarRow(label, name, len(x), None, None, "")
    found = stats.spearmanr(x, y)
    p = float(found.pvalue)
    return StarRow(label, name, len(x), float(found.statistic), p, "**" if p < 0.01 else "*" if p < 0.05 else "")


def _levels(table: ScoreTable) -> Floats:
    """The whole ratings of a scale of up to 10 steps, else five even ones."""
    width = table.rating_max - table.rating_min
    whole = float(table.rating_min).is_integer() and float(width).is_integer() and width <= 10
    found: Floats = np.linspace(table.rating_min, table.rating_max, int(width) + 1 if whole else 5)
    return found


def _nearest(ratings: Floats, levels: Floats) -> Floats:
    step = levels[1] - levels[0]
    found: Floats = np.floor((ratings - levels[0]) / step + 0.5)  # halves upwards, as a person rounds
    return found


def deviations(table: ScoreTable, values: Floats, at: list[Places]) -> tuple[DeviationRow, ...]:
    """Table V: of the rated items at each level (`at`, their places), the share whose value meets each condition.

    The margin is 1 on the paper's scale of 1 to 5, a quarter of the scale on others.
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
        DeviationRow(name, tuple(float(holds[places].mean()) if len(places) else None for places in at))
        for name, holds in conditions.items()
    )
