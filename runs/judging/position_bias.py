"""How far a judge's choices between two answers depend on which of them it reads first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...meta_eval.estimate import Estimate, estimate, estimate_mean
from ...metrics import Score

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How far a judge's choices between two answers depend on which of them it reads first."""

    comparisons: int  # how many pairs of answers it was asked about, each in both orders
    # of its choices, the share that fell on the answer that it read first; 0.5 without a bias. No value where it never
    # chose.
    first_shown: Estimate
    # the share of the comparisons in which it preferred one answer in one order and the other answer in the other
    # order; these are ties
    contradictions: Estimate


def measure_position_bias(scores: Sequence[Score], groups: Sequence[str]) -> PositionBias:
    """Measures how far the order of two answers decides which one a judge prefers, by scores of `pairwise`."""
    import numpy as np

    first, chosen, turned, sources = [], [], [], []
    for score, group in zip(scores, groups, strict=True):
        orders = score.evidence.get("orders") or ()
        if score.value is None or not orders:
            continue
        choices = [order for order in orders if order["choice"] != "tie"]
        first.append(float(sum(order["choice"] == order["shown_first"] for order in choices)))
        chosen.append(float(len(choices)))
        turned.append(float(score.evidence["contradiction"]))
        sources.append(group)
    firsts, counts = np.array(first), np.array(chosen)

    def share(weights: "Floats") -> "Floats":
        with np.errstate(invalid="ignore", divide="ignore"):
            values: Floats = (firsts @ weights) / (counts @ weights)
        return values

    if not counts.sum():
        first_shown = Estimate(None, n=0, problem="the judge chose neither answer in every comparison")
    else:
        first_shown = estimate(share, sources, scale="logit")
    return PositionBias(len(turned), first_shown, estimate_mean(turned, sources, bounds=(0, 1)))
