"""Several judges as one: the mean of their scores, and the majority of their verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...eval_sets import Sample
from ...meta_eval.correlation import spearman
from ...meta_eval.estimate import Estimate
from ...metrics import Score

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats


@dataclass(frozen=True, slots=True)
class Panel:
    """How judges that are put together agree with the ratings."""

    name: str
    agreement: Estimate
    cost: float  # what 1,000 answers take, in the comparison's unit


def compare_panels(
    samples: Sequence[Sample], scores: Mapping[str, Mapping[str, Score]], costs: Mapping[str, float]
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
    values = np.array([[scores[judge][sample.id].value for judge in scores] for sample in common], float)
    ways = [("mean", values.mean(axis=1))]
    if (majority := _majority(common, scores)) is not None:
        ways.append(("majority", majority))
    ratings = [float(sample.rating_share or 0.0) for sample in common]
    groups = [sample.source for sample in common]
    cost = sum(costs.values())
    return tuple(Panel(name, spearman(combined.tolist(), ratings, groups), cost) for name, combined in ways)


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
