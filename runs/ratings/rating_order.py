"""Which answers to rate first: at random, spread over a score, where metrics disagree, or by weighted draws."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from ...text.wording import count_of

if TYPE_CHECKING:
    import numpy as np

    from ...meta_eval.arrays import Floats

Choose = Literal["random", "spread", "disagreement", "active"]
STRATA = 5  # of a score: enough to cover its range, few enough that each has answers in a small set
_RANDOM_SHARE = 0.5  # of the active draw: keeps every answer likely enough that no weight explodes


def rating_order(choose: Choose, scores: "Floats", *, seed: int = 0) -> tuple[list[int], list[float] | None]:
    """The order in which answers are rated.

    - `random`: every order is as likely as every other.
    - `spread`: the answers are cut into five strata by the first metric; the strata take turns, so that few ratings
      cover its whole range.
    - `disagreement`: the answers on whose rank the metrics differ most come first.
    - `active`: answers are drawn one by one, half at random and half in proportion to how far their rank on the first
      metric lies from the middle, which is what determines a rank correlation. The probability of each draw allows
      an unbiased estimate (Farquhar, Gal and Rainforth, 2021).

    Returns:
        Places in `scores` in the order of rating; for `active` the probability of each draw, else None.

    Raises:
        ValueError: `scores` has too few metrics for the choice.
    """
    import numpy as np

    draw = np.random.default_rng(seed)
    count = len(scores)
    shuffled = draw.permutation(count)
    if choose == "random":
        return shuffled.tolist(), None
    needed = 2 if choose == "disagreement" else 1
    if scores.shape[1] < needed:
        raise ValueError(f"choosing by {choose} needs the scores of {count_of(needed, 'metric')}")
    ranks = _ranks(scores)
    if choose == "disagreement":
        return shuffled[np.argsort(-ranks.std(axis=1)[shuffled], kind="stable")].tolist(), None
    if choose == "spread":
        by_score = shuffled[np.argsort(ranks[shuffled, 0], kind="stable")]
        strata = [draw.permutation(stratum) for stratum in np.array_split(by_score, STRATA)]
        longest = max(map(len, strata))
        return [int(stratum[turn]) for turn in range(longest) for stratum in strata if turn < len(stratum)], None
    return _draw_actively(np.abs(ranks[:, 0] - 0.5), draw)


def _draw_actively(importance: "Floats", draw: "np.random.Generator") -> tuple[list[int], list[float]]:
    """Sequential draws without replacement, with the probability that each had when it was drawn."""
    import numpy as np

    left = np.arange(len(importance))
    order, probabilities = [], []
    while len(left):
        total = importance[left].sum()
        uniform = np.full(len(left), 1 / len(left))
        chances = uniform if total == 0 else _RANDOM_SHARE * uniform + (1 - _RANDOM_SHARE) * importance[left] / total
        place = int(draw.choice(len(left), p=chances))
        order.append(int(left[place]))
        probabilities.append(float(chances[place]))
        left = np.delete(left, place)
    return order, probabilities


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
