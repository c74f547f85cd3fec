"""Several judges as one: the mean, the majority, weights, and a cheap judge that calls a dear one when it is unsure."""

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
    """How a way of putting judges together agrees with the ratings; what it was fitted on is never what it is shown on.

    `cost` is what 1,000 answers take, in the comparison's unit. `dear_share` and `saving` are a cascade's: the share of
    samples that went to the dear judge, and the part of its cost that was saved (None where it costs nothing).
    """

    name: str
    agreement: Estimate
    cost: float
    dear_share: float | None = None
    saving: float | None = None


def panels(
    samples: Sequence[Sample], scores: Mapping[str, Mapping[str, Score]], costs: Mapping[str, float], *, seed: int = 0
) -> tuple[Panel, ...]:
    """Panels of two judges and more, over the samples that all scored and that are rated.

    `scores` by judge and sample; `costs` of 1,000 answers by judge, in one unit: the cascade asks the cheapest first.
    """
    import numpy as np

    judged = [
        sample
        for sample in samples
        if sample.rating_share is not None
        and all(sample.id in found and found[sample.id].value is not None for found in scores.values())
    ]
    if len(scores) < 2 or not judged:
        return ()
    ratings = np.array([sample.rating_share for sample in judged], float)
    groups = [sample.source for sample in judged]
    values = np.array([[scores[judge][sample.id].value for judge in scores] for sample in judged], float)

    def panel(name: str, combined: "Floats") -> Panel:
        told = spearman(combined.tolist(), ratings.tolist(), groups, seed=seed)
        return Panel(name, told, sum(costs.values()))

    found = [panel("mean", values.mean(axis=1))]
    if (majority := _majority(judged, scores)) is not None:
        found.append(panel("majority", majority))
    found.append(panel("weighted by agreement", _weighted(values, ratings, groups, seed)))
    cheap, dear = min(costs, key=lambda judge: costs[judge]), max(costs, key=lambda judge: costs[judge])
    doubts = [_doubt(scores[cheap][sample.id]) for sample in judged]
    if cheap != dear and None not in doubts:
        order = list(scores)
        pair = values[:, [order.index(cheap), order.index(dear)]]
        combined, share = _cascade(pair, np.array(doubts, float), ratings, groups, seed)
        cost = costs[cheap] + share * costs[dear]
        told = spearman(combined.tolist(), ratings.tolist(), groups, seed=seed)
        saving = 1 - cost / costs[dear] if costs[dear] else None
        found.append(Panel(f"cascade: {cheap}, then {dear}", told, cost, share, saving))
    return tuple(found)


def supported_claims(score: Score) -> dict[str, bool]:
    """A score's claims by their words, and whether each is supported."""
    return {words: claim["verdict"] == "supported" for words, claim in claims_by_words(score).items()}


def claims_by_words(score: Score) -> dict[str, dict[str, Any]]:
    """A score's claims by their words, without case and white space."""
    return {" ".join(claim["text"].casefold().split()): claim for claim in score.evidence.get("claims", [])}


def _majority(judged: Sequence[Sample], scores: Mapping[str, Mapping[str, Score]]) -> "Floats | None":
    """The share of an answer's claims that more than half of the judges support; None unless all judged the same."""
    import numpy as np

    shares = []
    for sample in judged:
        by_judge = [supported_claims(found[sample.id]) for found in scores.values()]
        if not by_judge[0] or any(each.keys() != by_judge[0].keys() for each in by_judge):
            return None
        votes = [sum(each[claim] for each in by_judge) for claim in by_judge[0]]
        shares.append(sum(2 * vote > len(by_judge) for vote in votes) / len(votes))
    return np.array(shares)


def _folds(groups: Sequence[str], seed: int) -> "list[np.ndarray[tuple[int], np.dtype[np.intp]]]":
    import numpy as np

    from ..meta_eval.folds import grouped_folds

    return grouped_folds(np.unique(np.asarray(groups), return_inverse=True)[1], FOLDS, seed=seed)


def _weighted(values: "Floats", ratings: "Floats", groups: Sequence[str], seed: int) -> "Floats":
    """Each judge weighs as much as it agrees (Spearman, not below 0) on the other folds; alike where none does."""
    import numpy as np

    combined: Floats = values.mean(axis=1)
    for held in _folds(groups, seed):
        rest = np.setdiff1d(np.arange(len(ratings)), held)
        weights = np.array([max(0.0, _rho(column[rest], ratings[rest])) for column in values.T])
        if weights.sum():
            combined[held] = values[held] @ weights / weights.sum()
    return combined


def _doubt(score: Score) -> float | None:
    """How near the least certain claim lies to even odds, in [0, 0.5]: 0.5 is no idea."""
    told = [claim["probability"] for claim in score.evidence.get("claims", [])]
    if not told or None in told:
        return None
    least_sure: float = min(abs(probability - 0.5) for probability in told)
    return 0.5 - least_sure


def _cascade(
    values: "Floats", doubts: "Floats", ratings: "Floats", groups: Sequence[str], seed: int
) -> "tuple[Floats, float]":
    """The cheap judge's value, or where its doubt reaches a threshold the dear one's, and the share of those.

    The threshold is chosen on the other folds: the one that asks the dear judge least among those whose Spearman is
    within one standard error ((1 - rho^2) / sqrt(n - 1)) of the best.
    """
    import numpy as np

    combined, asked = values[:, 0].copy(), np.zeros(len(ratings), bool)
    for held in _folds(groups, seed):
        rest = np.setdiff1d(np.arange(len(ratings)), held)
        thresholds = [*np.unique(np.quantile(doubts[rest], np.linspace(0, 1, _QUANTILES))), 1.0]
        rhos = [_rho(np.where(doubts[rest] >= t, values[rest, 1], values[rest, 0]), ratings[rest]) for t in thresholds]
        best = max(rhos)
        enough = best - (1 - best**2) / np.sqrt(max(1, len(rest) - 1))
        threshold = max(t for t, rho in zip(thresholds, rhos, strict=True) if rho >= enough)
        asked[held] = doubts[held] >= threshold
    return np.where(asked, values[:, 1], combined), float(asked.mean())


def _rho(x: "Floats", y: "Floats") -> float:
    import numpy as np
    from scipy import stats

    return 0.0 if np.ptp(x) == 0 or np.ptp(y) == 0 else float(stats.spearmanr(x, y).statistic)
