"""Which answers to rate first: at random, spread over a score, or where metrics disagree."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from ...text.wording import count_of

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats

Choose = Literal["random", "spread", "disagreement", "active"]  # `active`: of queues that Assay 0.2 drew
STRATA = 5  # of a score: enough to cover its range, few enough that each has answers in a small set


def rating_order(choose: Choose, scores: "Floats", *, seed: int = 0) -> list[int]:
    """The order in which answers are rated, as places in `scores`.

    - `random`: every order is as likely as every other.
    - `spread`: the answers are cut into five strata by the first metric; the strata take turns, so that few ratings
      cover its whole range.
    - `disagreement`: the answers on whose rank the metrics differ most come first.

    Raises:
        ValueError: `scores` has too few metrics for the choice.
    """
    import numpy as np

    draw = np.random.default_rng(seed)
    count = len(scores)
    shuffled = draw.permutation(count)
    if choose == "random":
        return [int(place) for place in shuffled]
    needed = 2 if choose == "disagreement" else 1
    if scores.shape[1] < needed:
        raise ValueError(f"choosing by {choose} needs the scores of {count_of(needed, 'metric')}")
    ranks = _ranks(scores)
    if choose == "disagreement":
        return [int(place) for place in shuffled[np.argsort(-ranks.std(axis=1)[shuffled], kind="stable")]]
    by_score = shuffled[np.argsort(ranks[shuffled, 0], kind="stable")]
    strata = [draw.permutation(stratum) for stratum in np.array_split(by_score, STRATA)]
    longest = max(map(len, strata))
    return [int(stratum[turn]) for turn in range(longest) for stratum in strata if turn < len(stratum)]


def score_columns(scores: Mapping[str, Mapping[str, float]], ids: Sequence[str]) -> "Floats":
    """Scores by metric and sample id as an array (ids, metrics), NaN where one is missing."""
    import numpy as np

    return np.array([[column.get(name, np.nan) for column in scores.values()] for name in ids], dtype=float).reshape(
        len(ids), len(scores)
    )


def _ranks(scores: "Floats") -> "Floats":
    """Mid-ranks of each column in (0, 1); a missing score is in the middle."""
    import numpy as np
    from scipy.stats import rankdata

    ranks = np.full(scores.shape, 0.5)
    for column in range(scores.shape[1]):
        known = ~np.isnan(scores[:, column].astype(float))
        if known.any():
            ranks[known, column] = (rankdata(scores[known, column].astype(float)) - 0.5) / known.sum()
    return ranks
