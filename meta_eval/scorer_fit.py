"""Fitting a scorer to ratings, with an interval and thresholds from answers that the fit left out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .. import __version__
from ..errors import UsageError
from .arrays import Floats, Places
from .combinations import fit_ridge
from .groups import cross_predict, intraclass_correlation
from .meta_evaluation import MetaEvaluation
from .scorer import (
    DECIMALS,
    AgreementRecord,
    Bands,
    JudgeRecord,
    Knots,
    Scorer,
    ScorerPart,
    fingerprint_answer,
    fingerprint_ratings,
    interpolate,
    isotonic_knots,
    percentile_knots,
)
from .selection import Selection
from .table import ScoreTable

LEVEL = 0.9
_FOLDS = 10
_RATING_BANDS, _PREDICTION_BANDS = 5, 3
_FEWEST_PER_BAND = 10  # a quantile at 0.9 needs nine groups
_LARGEST_BAND = 1.5  # of a fifth: 10% outside a lowest band of 0.3 are 15% of the lowest fifth at most


@dataclass(frozen=True, slots=True)
class FittedCombination:
    """Weights and maps of a combination: what `Scorer` needs besides intervals and records."""

    weights: tuple[float, ...]
    percentiles: tuple[Knots, ...]
    ratings: Knots

    def predict(self, scores: Floats) -> Floats:
        """Expected ratings (items,) of scores (items, metrics), higher is better, NaN where one is missing."""
        combined = np.zeros(len(scores))
        for column, (weight, knots) in enumerate(zip(self.weights, self.percentiles, strict=True)):
            combined += weight * _shares(knots, scores[:, column])
        return interpolate(self.ratings, combined)


def _shares(knots: Knots, values: Floats) -> Floats:
    """Percentiles less a half; 0 where the value is missing."""
    return np.nan_to_num(interpolate(knots, values) - 0.5)


def fit_combination(kind: str, scores: Floats, ratings: Floats) -> FittedCombination:
    """Fits the mean of the metrics' percentiles, or their `weighed` sum, and its map to the rating scale."""
    percentiles = tuple(percentile_knots(column[~np.isnan(column)].tolist()) for column in scores.T)
    shares = np.column_stack([_shares(knots, column) for knots, column in zip(percentiles, scores.T, strict=True)])
    metrics = len(percentiles)
    weights = fit_ridge(shares, ratings[:, None])[:, 0] if kind == "weighed" else np.full(metrics, 1 / metrics)
    return FittedCombination(tuple(weights.tolist()), percentiles, isotonic_knots(shares @ weights, ratings))


def conformal_half_width(residuals: Floats, groups: Places, level: float) -> float:
    """Half the width of an interval that covers a new group's answer with probability `level`.

    Conformal for items in groups that are exchangeable as wholes: each group weighs the same, and the quantile of the
    absolute residuals is taken at (m + 1) / m x level (Dunn, Wasserman and Ramdas, 2023, "Distribution-Free Prediction
    Sets for Two-Layer Hierarchical Models", pooling). m is what the residuals are worth in independent ones, n / (1 +
    (mean size - 1) rho) (Kish, 1965), and at least the number of groups, which is right even where all residuals of a
    group are equal. Returns the half width; the largest residual where there are too few groups for the level.
    """
    sizes = np.bincount(groups, minlength=int(groups.max()) + 1)
    weights = 1 / sizes[groups]
    count = int((sizes > 0).sum())
    sorted_places = np.argsort(np.abs(residuals))
    reached = np.cumsum(weights[sorted_places]) / count
    mean_size = float((sizes**2).sum()) / len(residuals)
    correlation = intraclass_correlation(np.abs(residuals), groups)
    worth = max(count, len(residuals) / (1 + (mean_size - 1) * correlation))
    place = int(np.searchsorted(reached, min(1.0, level * (worth + 1) / worth) - 1e-12))
    return float(np.abs(residuals)[sorted_places][min(place, len(residuals) - 1)])


def conformal_bands(
    values: Floats, residuals: Floats, groups: Places, level: float, *, scale: tuple[float, float], most: int
) -> Bands:
    """Bands of values with the half width of each: one `conformal_half_width` from the items of the band.

    With ratings as values the bands are label-conditional, with predictions Mondrian (`Scorer`). A band has a share
    1 / most of the items at least, and ten; a value that many items have is not divided.

    The lowest band may be smaller: where most items share a value (80% are rated 5), the quantile of a band with them
    is theirs, and says nothing of the few below. Those are a band of their own from ten on. Fewer below a value that
    more than half of all items have are too few for a quantile: nobody knows how far off they are, and their half width
    is the whole scale. Returns pairs of a band's start, halfway between its lowest value and the value below, and its
    half width.
    """
    levels, counts = np.unique(values, return_counts=True)
    fewest = max(_FEWEST_PER_BAND, len(values) / most - 1e-9)
    first = _place_above_few(counts, fewest)
    starts, count = [scale[0]], 0
    for place in range(len(levels) - 1):
        count += int(counts[place])
        if place + 1 == first or (count >= fewest and int(counts[place + 1 :].sum()) >= fewest):
            starts.append(round(float(levels[place] + levels[place + 1]) / 2, DECIMALS))
            count = 0
    # of two values that are equal but for rounding, the start between them is the lower one: its band is empty
    reached = np.unique(np.searchsorted(starts, values, side="right") - 1)
    starts = [scale[0], *(starts[band] for band in reached[1:])]
    band_of = np.searchsorted(starts, values, side="right") - 1
    bands = [band_of == band for band in range(len(starts))]
    widths = [conformal_half_width(residuals[inside], groups[inside], level) for inside in bands]
    if first and int(counts[:first].sum()) < _FEWEST_PER_BAND:
        widths[0] = scale[1] - scale[0]
    # rounded up, so that the answer that is so far off stays within; up to rounding errors
    return tuple(zip(starts, (math.ceil(width * 10**DECIMALS - 1e-3) / 10**DECIMALS for width in widths), strict=True))


def _place_above_few(counts: Places, fewest: float) -> int:
    """The place of the value below which there are few items that need a band of their own; 0 without one."""
    upto = np.cumsum(counts)
    first = int(np.searchsorted(upto, fewest))
    if first == len(counts) or upto[first] <= _LARGEST_BAND * fewest:
        return 0
    below = int(upto[first] - counts[first])
    return first if below >= _FEWEST_PER_BAND or counts[first] > upto[-1] / 2 else 0


def fit_scorer(
    table: ScoreTable,
    evaluation: MetaEvaluation,
    *,
    judge: JudgeRecord | None = None,
    embedder: str | None = None,
    prompts: Sequence[str] = (),
    answers: Mapping[str, tuple[str, str]] | None = None,
) -> Scorer:
    """Fits the combination that a meta-evaluation chose, as a scorer.

    The interval comes from predictions of `cross_predict`, which fits without each answer's group; the thresholds and
    the seed are those of the evaluation, so that the scorer sends what the recommendation says.
    """
    selection = evaluation.selection
    validates = evaluation.raters is None or evaluation.raters.validates
    if selection is None or not validates or not selection.is_beyond_chance:
        raise UsageError(f"there is no scorer to save. {evaluation.recommendation}")
    chosen = selection.chosen
    agreement = selection.agreement
    rated = table.rated().only(chosen.metrics)
    record = AgreementRecord(
        items=len(rated.items),
        groups=len(set(rated.groups)),
        spearman=agreement.value or 0.0,
        low=agreement.low,
        high=agreement.high,
        rater_ceiling=evaluation.raters.ceiling.value if evaluation.raters else None,
        ratings=fingerprint_ratings(rated),
    )
    scorer = build_scorer(rated, chosen.kind, record, seed=evaluation.settings.seed)
    policy = evaluation.policy
    return scorer.model_copy(
        update={
            "judge": judge,
            "embedder": embedder,
            "prompts": tuple(sorted(prompts)),
            "answers": _fingerprints(rated, answers or {}),
            "send_at": policy.send_at if policy else None,
            "hold_below": policy.hold_below if policy else None,
        }
    )


def _fingerprints(rated: ScoreTable, answers: Mapping[str, tuple[str, str]]) -> tuple[str, ...] | None:
    known = [answers[item] for item in rated.items if item in answers]
    return tuple(sorted({fingerprint_answer(*texts) for texts in known})) if len(known) == len(rated.items) else None


def predict_choice(rated: ScoreTable, selection: Selection, *, seed: int) -> Floats:
    """Predicts each rating, (items,), by the chosen combination as it is saved, fitted without the item's group.

    One metric alone is fitted to all: its order is its own, whatever the ratings are, and the fits of several folds
    would tell answers of one score apart. NaN where no metric scored the item: nothing sends it.
    """
    table, kind = rated.only(selection.chosen.metrics), selection.chosen.kind
    if len(table.metrics) == 1:
        predicted = fit_combination(kind, table.oriented, table.mean_rating).predict(table.oriented)
    else:
        predicted = _predict_out_of_fold(table, kind, seed=seed)
    return np.where(table.is_scored, predicted, np.nan)


def build_scorer(
    rated: ScoreTable, kind: str, agreement: AgreementRecord, *, level: float = LEVEL, seed: int = 0
) -> Scorer:
    """Fits all metrics of a table as a scorer, with its interval and without thresholds."""
    scores, ratings = rated.oriented, rated.mean_rating
    fitted = fit_combination(kind, scores, ratings)
    predicted = _predict_out_of_fold(rated, kind, seed=seed)
    scale = (rated.rating_min, rated.rating_max)
    by_rating, by_prediction = (
        conformal_bands(values, ratings - predicted, rated.group_numbers, level, scale=scale, most=most)
        for values, most in ((ratings, _RATING_BANDS), (predicted, _PREDICTION_BANDS))
    )
    return Scorer(
        assay=__version__,
        kind=kind,
        parts=tuple(
            ScorerPart(
                metric=name,
                higher_is_better=rated.directions[name],
                weight=fitted.weights[place],
                percentiles=fitted.percentiles[place],
                missing=float(np.isnan(scores[:, place]).mean()),
            )
            for place, name in enumerate(rated.metrics)
        ),
        rating_min=rated.rating_min,
        rating_max=rated.rating_max,
        ratings=fitted.ratings,
        level=level,
        by_rating=by_rating,
        by_prediction=by_prediction,
        agreement=agreement,
    )


def _predict_out_of_fold(rated: ScoreTable, kind: str, *, seed: int) -> Floats:
    scores, ratings = rated.oriented, rated.mean_rating

    def predict(training: Places, others: Places) -> Floats:
        return fit_combination(kind, scores[training], ratings[training]).predict(scores[others])

    return cross_predict(predict, rated.group_numbers, _FOLDS, seed=seed)
