"""How far a measure agrees, given that it was chosen as the best of several and that its rho passed a test."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from scipy.special import ndtr

from .arrays import Floats, Places
from .estimate import Estimate
from .groups import LEVEL
from .ranks import standard_ranks

_SHARE_OF_BOUND = 0.01
_WEIGHT_OF_PLAIN = 0.4
_GRID = 2001
LARGEST_RHO = 0.9999
_LEAST_RHO = 1e-6  # the test has ruled out 0
_SMALLEST_ERROR = 1e-6
_BELIEVED = 1.5  # times the error that the influences say (simulated: docs/meta.md)


def estimate_winner(
    plain: Estimate,
    *,
    quoted: tuple[float, float] = (-1.0, 1.0),
    rivals: int = 0,
    widening: float = 1.0,
    largest_error: float = math.inf,
) -> Estimate:
    """Corrects a rank correlation for being quoted only because it was large.

    A rho that did not pass its test, or that a rival exceeded, is never quoted, so that one that is quoted is too high
    as it stands (the winner's curse). On Fisher's z scale it is taken as normal with mean theta and the error s of its
    plain interval, truncated to where it would have been quoted (Lee, Sun, Sun and Taylor, 2016). Theta itself lies
    within z +- b s, where b is the simultaneous quantile of all rivals (Sidak, 1967), but for a hundredth of the error
    allowed; this keeps the conditional interval from growing without end where rivals are close: the hybrid interval
    of Andrews, Kitagawa and McCloskey (2024).

    The value is two fifths of the plain z and three fifths of the theta under which a z as large has a chance of one
    half. The plain value is too high on average, the conditional one too low; Zhong and Prentice (2008) and Ghosh, Zou
    and Wright (2008) average the two, and these weights left the least bias in our simulations. The interval starts at
    0 at least, because the test has ruled out less, and reaches the plain value. Returns the corrected estimate; the
    plain one where that has no interval, or where the agreement is perfect.
    """
    if plain.value is None or plain.low is None or plain.high is None or plain.value > LARGEST_RHO:
        return plain  # a perfect order has no error on the z scale; its interval counts the exceptions not seen
    z, low_z, high_z, least, most = np.arctanh(
        np.clip([plain.value, plain.low, plain.high, *quoted], -LARGEST_RHO, LARGEST_RHO)
    ).tolist()
    normal, error_allowed = NormalDist(), 1 - LEVEL
    # not half the width: an interval ends at 1
    half_width = max(high_z - z, z - low_z) / normal.inv_cdf(1 - error_allowed / 2)
    s = max(widening * min(half_width, largest_error), _SMALLEST_ERROR)
    outside = _SHARE_OF_BOUND * error_allowed
    bound = s * normal.inv_cdf((1 + (1 - outside) ** (1 / (1 + rivals))) / 2)
    least, most = min(least, z), max(most, z)
    theta = np.linspace(z - bound, z + bound, _GRID)
    largest = np.minimum(most, theta + bound)
    above, below = (ndtr((theta - end) / s) - ndtr((theta - largest) / s) for end in (z, least))
    # the probability of a z as large as this one, given that one is quoted; it rises with theta
    share = np.maximum.accumulate(np.divide(above, below, out=np.ones_like(above), where=below > 0))
    tail = (error_allowed - outside) / (1 - outside) / 2
    low, median, high = np.interp([tail, 0.5, 1 - tail], share, theta)
    value = _WEIGHT_OF_PLAIN * z + (1 - _WEIGHT_OF_PLAIN) * median
    rho, low_rho, high_rho = np.maximum(np.tanh([value, low, high]), _LEAST_RHO).tolist()
    return replace(plain, value=rho, low=min(low_rho, rho), high=max(high_rho, plain.value))


def winning_limits(winner: Floats, rivals: Floats, ratings: Floats, group_numbers: Places) -> tuple[float, float]:
    """Finds between which rho a measure would still have won against its rivals, all that is unrelated to it equal.

    With Z_k = b_k Z + W_k, where b_k is the slope of a rival's z on the winner's over samples of the same size, and W_k
    what is unrelated, Z is the largest where Z >= W_k / (1 - b_k) for every b_k < 1, and at most that for b_k > 1 (Lee,
    Sun, Sun and Taylor, 2016; Reid, Taylor and Tibshirani, 2017). The slopes come from the influence of each group on
    each rho. Returns the limits on the scale of rho; -1 and 1 without rivals.
    """
    z, by_group = _influences(np.column_stack([winner, rivals]), ratings, group_numbers)
    variance = float(by_group[:, 0] @ by_group[:, 0])
    if variance <= 0 or len(z) == 1:
        return -1.0, 1.0
    slopes = by_group[:, 1:].T @ by_group[:, 0] / variance
    unrelated = z[1:] - slopes * z[0]
    limits = np.divide(unrelated, 1 - slopes, out=np.full_like(slopes, np.nan), where=np.abs(1 - slopes) > 1e-9)
    low = np.max(limits[slopes < 1 - 1e-9], initial=-np.inf)
    high = np.min(limits[slopes > 1 + 1e-9], initial=np.inf)
    return float(np.tanh(low)), float(np.tanh(high))


def believable_error(values: Floats, ratings: Floats, group_numbers: Places) -> float:
    """Computes the largest error of a measure's z that is believed: half as much again as the influences say.

    The infinitesimal jackknife (Jaeckel, 1972) takes how z moves with the weight of each group, where the jackknife
    takes it away; the two agree but where z without one group is that of a perfect agreement. Returns the error;
    infinite where the agreement is perfect as it is, so that no group moves it.

    Examples:
        >>> believable_error(np.arange(6.0), np.arange(6.0), np.arange(6))
        inf
    """
    z, by_group = _influences(values[:, None], ratings, group_numbers)
    error = float(np.sqrt((by_group[:, 0] ** 2).sum())) / len(values)
    return _BELIEVED * error if z[0] < math.atanh(LARGEST_RHO) and error > 0 else math.inf


def _influences(columns: Floats, ratings: Floats, group_numbers: Places) -> tuple[Floats, Floats]:
    """Fisher's z of each column, (columns,), and how each group moves it, (groups, columns), times the items."""
    ranks = standard_ranks(np.column_stack([columns, ratings]))
    x, y = ranks[:, :-1], ranks[:, -1:]
    rho = np.clip((x * y).mean(axis=0), -LARGEST_RHO, LARGEST_RHO)
    # how much each item moves each z (Hampel, 1974, "The influence curve"), summed by group
    influence = (x * y - rho / 2 * (x**2 + y**2)) / (1 - rho**2)
    by_group = np.zeros((int(group_numbers.max()) + 1, len(rho)))
    np.add.at(by_group, group_numbers, influence)
    return np.arctanh(rho), by_group
