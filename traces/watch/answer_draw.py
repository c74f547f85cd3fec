"""Drawing answers for the judge and for raters, with probabilities that are known and the same draw each time."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta

import numpy as np

from ...meta_eval.arrays import Floats

STRATA = 5
FEWEST = 8  # scores of a stratum that say how much they vary in it
LEAST_WEIGHT = 1 / 3
"""The least weight, as a share of the largest: no answer is less than a third as likely as another."""


def draw_answers(
    names: Sequence[str], weights: Floats, expected: float, *, seed: str
) -> tuple[dict[str, float], set[str]]:
    """Draws answers without replacement, each with the probability that its weight gives it.

    Systematic sampling in a random order (Madow, 1949): as many are drawn as are expected, rounded up or down, and each
    answer's probability is exact. Order and start are hashes of the seed and the names, so that the same answers give
    the same draw, in whatever order they come.

    Returns:
        The probability of each, in (0, 1]; and those that are drawn.

    Example:
        >>> chances, drawn = draw_answers(["a", "b", "c", "d"], np.array([1.0, 1.0, 1.0, 1.0]), 2, seed="s")
        >>> list(chances.values()), len(drawn)
        ([0.5, 0.5, 0.5, 0.5], 2)
        >>> draw_answers(["a", "b", "c"], np.array([8.0, 1.0, 1.0]), 2, seed="s")[0]
        {'a': 1.0, 'b': 0.5, 'c': 0.5}
    """
    chances = _chances(weights, expected)
    order = sorted(range(len(names)), key=lambda place: hash_share(seed, names[place]))
    if not order:
        return {}, set()
    start = hash_share(f"{seed} start", names[order[0]])
    ends = np.cumsum(chances[order])
    ends[-1] = round(ends[-1], 9)  # a whole number of expected answers is drawn whole
    # an answer is drawn where a whole number, shifted by the start, lies in its stretch of the sum
    counts = np.floor(ends - start)
    drawn = np.diff(counts, prepend=np.floor(-start)) > 0
    by_name = dict(zip(names, map(float, chances), strict=True))
    return by_name, {names[place] for place, is_drawn in zip(order, drawn, strict=True) if is_drawn}


def hash_share(seed: str, name: str) -> float:
    """Returns a number in [0, 1) that only depends on a seed and a name, and is as good as random."""
    digest = hashlib.sha256(f"{len(seed)}:{seed}:{name}".encode(errors="surrogatepass")).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def spread_weights(known: Floats, spread_of: Floats, asked: Floats) -> Floats:
    """Returns how much a figure varies among answers with about the same score: where it is worth measuring.

    The known answers are cut into strata of about equal size by their score. A weight is the standard deviation of the
    figure within the stratum, at least a third of the largest (Neyman, 1934). Where fewer than eight are known, and for
    a missing score, it is the largest; with fewer than two strata's worth of known answers all weights are equal.

    Example:
        >>> known = np.repeat([0.1, 0.9], 10)
        >>> figure = np.concatenate([np.tile([0.0, 1.0], 5), np.full(10, 0.5)])
        >>> weights = spread_weights(known, figure, np.array([0.1, 0.9]))
        >>> (weights / weights[0]).round(2).tolist()
        [1.0, 0.33]
    """
    usable = np.isfinite(known) & np.isfinite(spread_of)
    known, spread_of = known[usable], spread_of[usable]
    equal = np.ones(len(asked))
    if len(known) < 2 * FEWEST:
        return equal
    edges = np.unique(np.quantile(known, np.linspace(0, 1, STRATA + 1)[1:-1]))
    edges = edges[edges > known.min()]
    strata = np.searchsorted(edges, known, side="right")
    spreads = np.full(len(edges) + 1, np.nan)
    for stratum in range(len(edges) + 1):
        values = spread_of[strata == stratum]
        if len(values) >= FEWEST:
            spreads[stratum] = values.std(ddof=1)
    largest = np.nanmax(spreads) if np.isfinite(spreads).any() else 0.0
    if largest <= 0:
        return equal
    spreads = np.where(np.isfinite(spreads), np.maximum(spreads, LEAST_WEIGHT * largest), largest)
    weights: Floats = np.where(np.isfinite(asked), spreads[np.searchsorted(edges, asked, side="right")], largest)
    return weights


def _chances(weights: Floats, expected: float) -> Floats:
    """The probabilities in proportion to the weights, at most 1, that add up to what is expected."""
    count = len(weights)
    chances: Floats = np.ones(count)
    if expected >= count:
        return chances
    is_sure = np.zeros(count, dtype=bool)
    while True:
        rest = expected - is_sure.sum()
        chances = np.where(is_sure, 1.0, weights * (rest / weights[~is_sure].sum()))
        beyond = ~is_sure & (chances >= 1)
        if not beyond.any():
            return chances
        is_sure |= beyond


_FIRST_SHARE = 0.5
_DAY = timedelta(days=1)


def pace(per_day: int, used: int, last: datetime | None, now: datetime) -> float:
    """Returns how many of a day's number are due: in proportion to the time since the last step, at most what is left.

    What earlier steps of the day left over is spread over the rest of the day. The first step, which has older answers
    before it, may use half.

    Example:
        >>> noon = datetime(2026, 11, 23, 12, tzinfo=UTC)
        >>> pace(200, 0, None, noon), pace(200, 200, None, noon)
        (100.0, 0.0)
        >>> round(pace(96, 48, noon - timedelta(minutes=15), noon), 2)  # 96 quarters of an hour
        1.0
        >>> pace(200, 0, noon - timedelta(days=1), noon)  # once a day
        200.0
    """
    left = max(0, per_day - used)
    if last is None:
        return min(float(left), per_day * _FIRST_SHARE)
    midnight = datetime.combine(now.date(), time(), UTC)
    gone = max(timedelta(), now - last)
    gone_today = min(gone, now - midnight)
    rest = midnight + _DAY - now
    return min(float(left), max(per_day * (gone / _DAY), left * (gone_today / (gone_today + rest))))
