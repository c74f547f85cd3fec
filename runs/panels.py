"""Several judges as one: the mean, the majority, weights, and a cheap judge that asks an expensive one if in doubt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..eval_sets import Sample
from ..meta_eval.correlation import spearman
from ..meta_eval.estimate import Estimate
from ..metrics import Score

if TYPE_CHECKING:
    import numpy as np

    from ..meta_eval.arrays import Floats

FOLDS = 5
_QUANTILES = 20  # of the cheap judge's doubt: the thresholds that a cascade is chosen from


@dataclass(frozen=True, slots=True)
class Panel:
    """How judges that are put together agree with the ratings; nothing is shown on the answers that it was fitted on.

    Attributes:
        name: How they are put together.
        agreement: Spearman's rho with the ratings.
        cost: What 1,000 answers take, in the comparison's unit.
        expensive_share: Of a cascade: the share of samples that went to the expensive judge, in [0, 1].
        saving: Of a cascade: the part of the expensive judge's cost that is saved; None where that judge is free.
    """

    name: str
    agreement: Estimate
    cost: float
    expensive_share: float | None = None
    saving: float | None = None


def compare_panels(
    samples: Sequence[Sample], scores: Mapping[str, Mapping[str, Score]], costs: Mapping[str, float], *, seed: int = 0
) -> tuple[Panel, ...]:
    """Puts two judges or more together, over the rated samples that all of them scored.

    Returns:
        One panel per way; none with fewer than two judges or without a rated sample.
    """
    import numpy as np

    common = [
        sample
        for sample in samples
        if sample.rating_share is not None
        and all(sample.id in by_sample and by_sample[sample.id].value is not None for by_sample in scores.values())
    ]
    if len(scores) < 2 or not common:
        return ()
    ratings = np.array([sample.rating_share for sample in common], float)
    groups = [sample.source for sample in common]
    values = np.array([[scores[judge][sample.id].value for judge in scores] for sample in common], float)

    def agreement(combined: "Floats") -> Estimate:
        return spearman(combined.tolist(), ratings.tolist(), groups)

    ways = [("mean", values.mean(axis=1))]
    if (majority := _majority(common, scores)) is not None:
        ways.append(("majority", majority))
    ways.append(("weighted by agreement", _weighted(values, ratings, groups, seed)))
    panels = [Panel(name, agreement(combined), sum(costs.values())) for name, combined in ways]
    cheap, expensive = min(costs, key=lambda judge: costs[judge]), max(costs, key=lambda judge: costs[judge])
    doubts = [_doubt(scores[cheap][sample.id]) for sample in common]
    if cheap != expensive and None not in doubts:
        order = list(scores)
        pair = values[:, [order.index(cheap), order.index(expensive)]]
        combined, share = _cascade(pair, np.array(doubts, float), ratings, groups, seed)
        cost = costs[cheap] + share * costs[expensive]
        saving = 1 - cost / costs[expensive] if costs[expensive] else None
        panels.append(Panel(f"cascade: {cheap}, then {expensive}", agreement(combined), cost, share, saving))
    return tuple(panels)


def supported_claims(score: Score) -> dict[str, bool]:
    """Lists a score's claims by their text, and whether each is supported."""
    return {text: claim["verdict"] == "supported" for text, claim in claims_by_text(score).items()}


def claims_by_text(score: Score) -> dict[str, dict[str, Any]]:
    """Lists a score's claims, as its evidence has them, by their text without case and white space."""
    return {" ".join(claim["text"].casefold().split()): claim for claim in score.evidence.get("claims", [])}


def _majority(samples: Sequence[Sample], scores: Mapping[str, Mapping[str, Score]]) -> "Floats | None":
    """The share of an answer's claims that more than half of the judges support; None unless all judged the same."""
    import numpy as np

    shares = []
    for sample in samples:
        by_judge = [supported_claims(by_sample[sample.id]) for by_sample in scores.values()]
        if not by_judge[0] or any(claims.keys() != by_judge[0].keys() for claims in by_judge):
            return None
        votes = [sum(claims[text] for claims in by_judge) for text in by_judge[0]]
        shares.append(sum(2 * vote > len(by_judge) for vote in votes) / len(votes))
    return np.array(shares)


def _folds(groups: Sequence[str], seed: int) -> "list[np.ndarray[tuple[int], np.dtype[np.intp]]]":
    import numpy as np

    from ..meta_eval.folds import grouped_folds

    return grouped_folds(np.unique(np.asarray(groups), return_inverse=True)[1], FOLDS, seed=seed)


def _weighted(values: "Floats", ratings: "Floats", groups: Sequence[str], seed: int) -> "Floats":
    """Weights each judge by its agreement on the other folds (Spearman, at least 0); equally where none agrees."""
    import numpy as np

    combined: Floats = values.mean(axis=1)
    for fold in _folds(groups, seed):
        rest = np.setdiff1d(np.arange(len(ratings)), fold)
        weights = np.array([max(0.0, _rho(column[rest], ratings[rest])) for column in values.T])
        if weights.sum():
            combined[fold] = values[fold] @ weights / weights.sum()
    return combined


def _doubt(score: Score) -> float | None:
    """Measures how near the least certain claim is to even odds, in [0, 0.5]; 0.5 is total uncertainty."""
    probabilities = [claim["probability"] for claim in score.evidence.get("claims", [])]
    if not probabilities or None in probabilities:
        return None
    least_sure: float = min(abs(probability - 0.5) for probability in probabilities)
    return 0.5 - least_sure


def _cascade(
    values: "Floats", doubts: "Floats", ratings: "Floats", groups: Sequence[str], seed: int
) -> "tuple[Floats, float]":
    """Takes the cheap judge's value, or the expensive one's where the doubt reaches a threshold; also their share.

    The threshold is chosen on the other folds: the one that asks the expensive judge least among those whose Spearman
    is within one standard error ((1 - rho^2) / sqrt(n - 1)) of the best.
    """
    import numpy as np

    combined, is_passed_on = values[:, 0].copy(), np.zeros(len(ratings), bool)
    for fold in _folds(groups, seed):
        rest = np.setdiff1d(np.arange(len(ratings)), fold)
        thresholds = [*np.unique(np.quantile(doubts[rest], np.linspace(0, 1, _QUANTILES))), 1.0]
        rhos = [_rho(np.where(doubts[rest] >= t, values[rest, 1], values[rest, 0]), ratings[rest]) for t in thresholds]
        best = max(rhos)
        lowest = best - (1 - best**2) / np.sqrt(max(1, len(rest) - 1))
        threshold = max(t for t, rho in zip(thresholds, rhos, strict=True) if rho >= lowest)
        is_passed_on[fold] = doubts[fold] >= threshold
    return np.where(is_passed_on, values[:, 1], combined), float(is_passed_on.mean())


def _rho(x: "Floats", y: "Floats") -> float:
    import numpy as np
    from scipy import stats

    return 0.0 if np.ptp(x) == 0 or np.ptp(y) == 0 else float(stats.spearmanr(x, y).statistic)
