"""Fitting a scorer to ratings, with an interval and thresholds from answers that the fit left out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .. import __version__
from ..errors import UsageError
from .arrays import Floats, Places
from .folds import grouped_folds
from .policy import BOUND, triage_policy
from .results import MetaEvaluation
from .scorer import (
    AgreementRecord,
    JudgeRecord,
    Knots,
    Scorer,
    ScorerPart,
    fingerprint_ratings,
    interpolate,
    percentile_knots,
    range_knots,
)
from .table import ScoreTable

LEVEL = 0.9
_FOLDS = 10
_PENALTIES = np.logspace(-2, 3, 11)


@dataclass(frozen=True, slots=True)
class FittedCombination:
    """Weights and maps of a combination: what `Scorer` needs besides intervals and records."""

    metrics: tuple[str, ...]
    weights: tuple[float, ...]
    percentiles: tuple[Knots, ...]
    ratings: Knots

    def predict(self, scores: Floats) -> Floats:
        """Expected ratings (items,) of scores (items, metrics), higher is better, NaN where one is missing."""
        combined = np.zeros(len(scores))
        for column, (weight, knots) in enumerate(zip(self.weights, self.percentiles, strict=True)):
            combined += weight * _shares(knots, scores[:, column])
        return np.array([interpolate(self.ratings, float(value)) for value in combined])


def _shares(knots: Knots, values: Floats) -> Floats:
    """Percentiles less a half; 0 where the value is missing."""
    known = ~np.isnan(values)
    shares = np.zeros(len(values))
    points = np.array(knots)
    shares[known] = np.interp(values[known], points[:, 0], points[:, 1]) - 0.5
    return shares


def fit_combination(
    kind: str, metrics: Sequence[str], scores: Floats, ratings: Floats, middle: float
) -> FittedCombination:
    """Fits a linear combination of percentiles, and its map to the rating scale.

    Args:
        kind: `subset` and `mean-rank` weigh the percentiles of all metrics alike, `normalised-sum` their places between
            minimum and maximum; `ridge` and `logistic` learn the weights of percentiles.
        metrics: The metrics' names.
        scores: Their scores, (items, metrics), higher is better, NaN where one is missing.
        ratings: The mean rating of each item, (items,).
        middle: The middle of the rating scale; `logistic` tells ratings above it from the others.
    """
    from sklearn.isotonic import IsotonicRegression

    scale = range_knots if kind == "normalised-sum" else percentile_knots
    percentiles = tuple(scale(column[~np.isnan(column)].tolist()) for column in scores.T)
    shares = np.column_stack([_shares(knots, column) for knots, column in zip(percentiles, scores.T, strict=True)])
    weights = _weights(kind, shares, ratings, middle)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(shares @ weights, ratings)
    knots = tuple((float(x), float(y)) for x, y in zip(isotonic.X_thresholds_, isotonic.y_thresholds_, strict=True))
    return FittedCombination(tuple(metrics), tuple(float(weight) for weight in weights), percentiles, knots)


def _weights(kind: str, shares: Floats, ratings: Floats, middle: float) -> Floats:
    if kind == "ridge":
        from sklearn.linear_model import RidgeCV

        return np.asarray(RidgeCV(alphas=_PENALTIES).fit(shares, ratings).coef_, float)
    is_good = ratings > middle
    if kind == "logistic" and 0 < int(is_good.sum()) < len(is_good):
        from sklearn.linear_model import LogisticRegression

        spread = shares.std(axis=0) + 1e-12
        return np.asarray(
            LogisticRegression(C=1.0, solver="newton-cholesky").fit(shares / spread, is_good).coef_[0] / spread, float
        )
    return np.full(shares.shape[1], 1 / shares.shape[1])


def conformal_half_width(residuals: Floats, groups: Places, level: float) -> float:
    """Half the width of an interval that covers a new group's answer with probability `level`.

    Conformal for items in groups that are exchangeable as wholes: each group weighs the same, and the quantile of the
    absolute residuals is taken at (G + 1) / G x level (Dunn, Wasserman and Ramdas, 2023, "Distribution-Free Prediction
    Sets for Two-Layer Hierarchical Models", pooling).

    Args:
        residuals: Rating less prediction, out of fold, (items,).
        groups: The group of each item as a number, (items,).
        level: The probability.

    Returns:
        The half width; the largest residual where there are too few groups for the level.
    """
    sizes = np.bincount(groups, minlength=int(groups.max()) + 1)
    weights = 1 / sizes[groups]
    count = int((sizes > 0).sum())
    order = np.argsort(np.abs(residuals))
    reached = np.cumsum(weights[order]) / count
    place = int(np.searchsorted(reached, min(1.0, level * (count + 1) / count) - 1e-12))
    return float(np.abs(residuals)[order][min(place, len(order) - 1)])


def fit_scorer(
    table: ScoreTable,
    evaluation: MetaEvaluation,
    *,
    judge: JudgeRecord | None = None,
    embedder: str | None = None,
    prompts: Sequence[str] = (),
    level: float = LEVEL,
    bound: float = BOUND,
    seed: int = 0,
) -> Scorer:
    """Fits the combination that a meta-evaluation chose, as a scorer.

    The interval and the thresholds come from predictions of `cross_predict`, which fits without each answer's group.

    Args:
        table: The scores and ratings that were evaluated.
        evaluation: What was chosen, and how well it agrees out of fold.
        judge: The judge of the parts.
        embedder: The embedder of the parts, if one uses one.
        prompts: The prompts of the parts.
        level: Level of the interval.
        bound: Largest share of bad answers among those sent.
        seed: Seed of the folds.

    Raises:
        UsageError: Nothing was chosen, or nothing agrees with the ratings.
    """
    selection = evaluation.selection
    validates = evaluation.raters is None or evaluation.raters.validates
    if selection is None or not validates or not selection.is_beyond_chance:
        raise UsageError(f"there is no scorer to save. {evaluation.recommendation}")
    chosen = selection.chosen
    rated = table.rated().only(chosen.metrics)
    scores, ratings = rated.oriented, rated.mean_rating
    kind = "normalised-sum" if selection.combine == "sum" else chosen.kind
    fitted = fit_combination(kind, chosen.metrics, scores, ratings, rated.middle)

    def fit(training: Places) -> FittedCombination:
        return fit_combination(kind, chosen.metrics, scores[training], ratings[training], rated.middle)

    predicted = cross_predict(fit, scores, rated.group_numbers, seed=seed)
    policy = triage_policy(rated, predicted, bound=bound, seed=seed)
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
            for place, name in enumerate(chosen.metrics)
        ),
        judge=judge,
        embedder=embedder,
        prompts=tuple(sorted(prompts)),
        rating_min=table.rating_min,
        rating_max=table.rating_max,
        ratings=fitted.ratings,
        level=level,
        half_width=conformal_half_width(ratings - predicted, rated.group_numbers, level),
        send_at=policy.send_at,
        hold_below=policy.hold_below,
        agreement=AgreementRecord(
            items=len(rated.items),
            groups=len(set(rated.groups)),
            spearman=selection.agreement.value or 0.0,
            low=selection.agreement.low,
            high=selection.agreement.high,
            rater_ceiling=evaluation.raters.ceiling.value if evaluation.raters else None,
            ratings=fingerprint_ratings(rated),
        ),
    )


def cross_predict(fit: Callable[[Places], FittedCombination], scores: Floats, groups: Places, *, seed: int) -> Floats:
    """Predictions (items,) of each item by a fit that did not see its group; ten folds."""
    predicted = np.full(len(scores), np.nan)
    for held_out in grouped_folds(groups, _FOLDS, seed=seed):
        training = np.setdiff1d(np.arange(len(scores)), held_out)
        predicted[held_out] = fit(training).predict(scores[held_out])
    return predicted
