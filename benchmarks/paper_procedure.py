"""The procedure of Lassche et al. (2024, V-B) and its tables III to V, on files of scores and ratings of your own.

    python benchmarks/paper_procedure.py scores.csv [more.csv ...] [--ratings ratings.csv] [--json]

Reads what `assay meta --scores` reads. The procedure keeps metrics that correlate with the ratings or separate true
from untrue answers, then ablates them; its result stands beside what it gives on answers that did not choose. Table
III needs the columns `message_type` and `predicted_type`. Table V is of the metric `heuristic` where it stands on the
rating scale, else of the ratings that the choice of `assay meta` expects.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_table
from scipy import stats

from assay.eval_sets import ReadOptions, read_score_files
from assay.meta_eval import (
    Estimate,
    Floats,
    Places,
    ScoreTable,
    correlation_problem,
    estimate,
    evaluate_table,
    grouped_folds,
    join_sources,
    mean_spearman,
)
from assay.presentation import Figure

_LARGEST_P = 0.10
_FEWEST_AT_AN_END = 5
TYPE, PREDICTED_TYPE = "message_type", "predicted_type"
SCORED_TYPES = ("binary", "instruction")
HEURISTIC = "heuristic"  # the metric of Lassche et al. (2024), on the rating scale by itself


@dataclass(frozen=True, slots=True)
class PaperStep:
    """What the paper's procedure (Lassche et al., 2024, V-B) did with one metric."""

    metric: str  # the metric's name
    rho: float | None  # its Spearman correlation with the rating
    p: float | None  # scipy's p-value of it
    kept_by: str  # `correlation`, `separates`, or empty where it was dropped at the first step
    ablation: float | None  # the combined correlation without it; None where it was dropped at the first step
    kept: bool  # whether it is kept


@dataclass(frozen=True, slots=True)
class PaperProcedure:
    """The paper's procedure (Lassche et al., 2024, V-B): keep metrics that correlate or separate, then ablate."""

    steps: tuple[PaperStep, ...]
    metrics: tuple[str, ...]
    rho: float | None
    p: float | None
    out_of_fold: Estimate


@dataclass(frozen=True, slots=True)
class TypeRow:
    """One row of Table III of Lassche et al. (2024): how well a message type is predicted; all shares in [0, 1]."""

    label: str
    n: int
    f1: float
    accuracy: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class StarRow:
    """One row of Table IV of Lassche et al. (2024): Spearman with its stars (* p < 0.05, ** p < 0.01)."""

    label: str
    metric: str
    n: int
    rho: float | None
    p: float | None
    stars: str


@dataclass(frozen=True, slots=True)
class DeviationRow:
    """One row of Table V of Lassche et al. (2024): per rating level, the share of answers that meet the condition."""

    condition: str
    shares: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class PaperTables:
    """Tables III, IV and V of Lassche et al. (2024)."""

    types: tuple[TypeRow, ...]
    correlations: tuple[StarRow, ...]
    deviations_of: str
    levels: tuple[float, ...]
    counts: tuple[int, ...]
    deviations: tuple[DeviationRow, ...]


def paper_procedure(
    table: ScoreTable, *, repeats: int = 10, folds: int = 5, level: float = 0.95, seed: int = 0
) -> PaperProcedure | None:
    """Keeps the metrics that correlate or separate true from untrue answers, then ablates them (Lassche et al., V-B).

    A metric correlates where rho > 0 and p < 0.10. It separates where the five or more answers at its low end are all
    untrue (rated below the middle), or those at its high end all true. Ablation drops each metric by itself from the
    normalised sum of all that came so far, and keeps it if the correlation falls. Baselines take no part.
    """
    rated = table.rated()
    names = tuple(name for name in rated.metrics if name not in rated.baselines)
    if not names or len(rated.items) < _FEWEST_AT_AN_END or float(np.ptp(rated.mean_rating)) == 0:
        return None
    scores = rated.only(names).oriented
    steps, chosen = _choose(names, scores, rated.mean_rating, rated.middle)
    rho, p = _sum_correlation(scores, chosen, rated.mean_rating)
    predictions = np.zeros((len(rated.items), repeats))
    for repeat in range(repeats):
        for held_out in grouped_folds(rated.group_numbers, folds, seed=seed + repeat):
            training = np.setdiff1d(np.arange(len(rated.items)), held_out)
            _, places = _choose(names, scores[training], rated.mean_rating[training], rated.middle)
            predictions[held_out, repeat] = _held_out_sum(scores, list(places), training, held_out)
    if (np.ptp(predictions, axis=0) == 0).any():
        out_of_fold = Estimate(None, problem="it keeps nothing in some part of the data")
    else:
        statistic = mean_spearman(predictions, rated.mean_rating)
        out_of_fold = estimate(statistic, rated.groups, scale="fisher", level=level)
    return PaperProcedure(steps, tuple(names[place] for place in chosen), rho, p, out_of_fold)


def _choose(
    names: tuple[str, ...], scores: Floats, ratings: Floats, middle: float
) -> tuple[tuple[PaperStep, ...], tuple[int, ...]]:
    """What the procedure did with each metric, and the places of those that it keeps."""
    correlations = [_correlation(column, ratings) for column in scores.T]
    reasons = [
        "correlation"
        if rho is not None and rho > 0 and p is not None and p < _LARGEST_P
        else "separates"
        if is_separating(column, ratings, middle)
        else ""
        for (rho, p), column in zip(correlations, scores.T, strict=True)
    ]
    candidates = tuple(place for place, reason in enumerate(reasons) if reason)
    with_all, _ = _sum_correlation(scores, candidates, ratings)
    without: dict[int, float | None] = {}
    for place in candidates:
        others = tuple(other for other in candidates if other != place)
        without[place] = _sum_correlation(scores, others, ratings)[0] if others else 0.0
    places = tuple(place for place in candidates if (without[place] or 0.0) < (with_all or 0.0))
    steps = tuple(
        PaperStep(name, *correlations[place], reasons[place], without.get(place), place in places)
        for place, name in enumerate(names)
    )
    return steps, places


def is_separating(values: Floats, ratings: Floats, middle: float) -> bool:
    """Whether at least five answers at the low end are all untrue, or at the high end all true (Lassche et al., V-B).

    Examples:
        The five lowest values are all of answers rated 1, and the next of one rated 5:

        >>> is_separating(np.arange(8.0), np.array([1.0, 1, 1, 1, 1, 5, 1, 5]), 3)
        True
        >>> is_separating(np.arange(8.0), np.array([1.0, 1, 1, 1, 5, 1, 1, 5]), 3)
        False
    """
    is_scored = ~np.isnan(values)
    x, y = values[is_scored], ratings[is_scored]
    if len(x) < _FEWEST_AT_AN_END or np.ptp(x) == 0:
        return False
    lowest_not_untrue = np.min(x[y >= middle], initial=np.inf)
    highest_not_true = np.max(x[y <= middle], initial=-np.inf)
    return bool((x < lowest_not_untrue).sum() >= _FEWEST_AT_AN_END or (x > highest_not_true).sum() >= _FEWEST_AT_AN_END)


def _correlation(values: Floats, ratings: Floats) -> tuple[float | None, float | None]:
    is_scored = ~np.isnan(values)
    x, y = values[is_scored], ratings[is_scored]
    if correlation_problem(x, y):
        return None, None
    result = stats.spearmanr(x, y)
    return float(result.statistic), float(result.pvalue)


def _sum_correlation(scores: Floats, places: tuple[int, ...], ratings: Floats) -> tuple[float | None, float | None]:
    if not places:
        return None, None
    columns = scores[:, list(places)]
    return _correlation(_scale(columns, columns).sum(axis=1), ratings)


def _held_out_sum(scores: Floats, places: list[int], training: Places, held_out: Places) -> Floats:
    if not places:
        return np.zeros(len(held_out))
    known = scores[training][:, places]
    spread = float(_scale(known, known).sum(axis=1).std()) or 1.0
    sums: Floats = _scale(known, scores[held_out][:, places]).sum(axis=1) / spread
    return sums


def _scale(known: Floats, others: Floats) -> Floats:
    """Scores between the least and the largest known one of their metric, less its mean; a missing score becomes 0."""
    least, largest = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    spread = np.where(largest > least, largest - least, np.inf)
    return np.nan_to_num((np.clip(others, least, largest) - np.nanmean(known, axis=0)) / spread)


def paper_tables(table: ScoreTable, predictions: Floats | None, name: str) -> PaperTables:
    """Makes all three tables of the paper."""
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
    spoken = np.array(rated.attributes.get("language", ()))
    languages = sorted(set(spoken.tolist()) - {""})
    of_each = [(one, rated.take(np.flatnonzero(spoken == one))) for one in languages]
    parts = [("all", rated), *(of_each if len(of_each) > 1 else ())]
    return [_star_row(label, part, name) for label, part in parts for name in part.metrics]


def _star_row(label: str, part: ScoreTable, name: str) -> StarRow:
    values = part.column(name)
    rho, p = _correlation(values, part.mean_rating)
    stars = "" if p is None else "**" if p < 0.01 else "*" if p < 0.05 else ""
    return StarRow(label, name, int((~np.isnan(values)).sum()), rho, p, stars)


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
    """Makes Table V: of the items at each rating level, the share whose value meets each condition."""
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


def evaluate(table: ScoreTable) -> tuple[PaperProcedure | None, PaperTables]:
    """The procedure and the tables, of the choice of `assay meta` where the heuristic is not on the rating scale."""
    selection = evaluate_table(table).selection
    if selection is None:
        return paper_procedure(table), paper_tables(table, None, "")
    predictions = np.array([np.nan if value is None else value for value in selection.predictions])
    return paper_procedure(table), paper_tables(table, predictions, selection.chosen.name)


def print_evaluation(procedure: PaperProcedure | None, tables: PaperTables) -> None:
    """Prints the procedure step by step, then the tables that there is something for."""
    if procedure:
        header = ("metric", "Spearman", "p", "kept at first by", "all without it", "kept")
        rows = [
            (one.metric, one.rho, one.p, one.kept_by or "dropped", one.ablation, "yes" if one.kept else "no")
            for one in procedure.steps
        ]
        print_table("The procedure, step by step", header, rows)
        in_sample = Figure("rho", procedure.rho, problem="none")
        print(
            f"It keeps {' + '.join(procedure.metrics) or 'nothing'}: {in_sample} on the answers that chose it, "
            f"{Figure.from_estimate('rho', procedure.out_of_fold)} on answers it had not seen"
        )
    if tables.types:
        header = ("", "n", "F1", "accuracy", "precision", "recall")
        print_table("Table III: message types", header, [tuple(asdict(one).values()) for one in tables.types])
    stars = [
        (one.metric, one.label, one.n, "" if one.rho is None else f"{one.rho:.2f}{one.stars}")
        for one in tables.correlations
    ]
    print_table("Table IV: Spearman (* p < 0.05, ** p < 0.01)", ("metric", "", "n", "Spearman"), stars)
    if tables.deviations:
        header = ("", *(f"{level:g} (n = {n})" for level, n in zip(tables.levels, tables.counts, strict=True)))
        shares = [(one.condition, *(str(Figure("share", share)) for share in one.shares)) for one in tables.deviations]
        print_table(f"Table V: {tables.deviations_of}, by rating", header, shares)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores", nargs="+", type=Path, help="files of scores")
    parser.add_argument("--ratings", type=Path, help="the file of ratings; left out, they stand in the first file")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    reading = ReadOptions(by=())
    sources, ratings = read_score_files(options.scores, options.ratings or options.scores[0], reading)
    assert ratings is not None
    table = join_sources(sources, ratings, reading).table
    procedure, tables = evaluate(table)
    if options.json:
        print(json.dumps({"procedure": asdict(procedure) if procedure else None, "tables": asdict(tables)}, indent=1))
    else:
        print_evaluation(procedure, tables)


if __name__ == "__main__":
    main()
