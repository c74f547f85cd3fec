"""In how many months without a change the evidence for one reaches so many standard errors at some look."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arrays import Floats, Places

LONGEST = 30
"""Evidence is added up over at most so many looks, one a day; as many are a month."""

FURTHEST = 38.0
"""The normal distribution function is 0 beyond so many standard errors."""

_MOST_CORRELATED = 0.9
_ALARMS = (1.963, 0.1355, -0.4866)  # see `monthly_p_value`


def monthly_p_value(z: "float | Floats") -> "Floats":
    """Returns in how many months without a change the evidence reaches z standard errors at some time.

    The evidence of a nightly run is the largest of the standardised falls of the last 1, 2, ..., 30 nightly runs (the
    window-limited generalised likelihood ratio of Lai, 1995, "Sequential changepoint detection"; with a baseline that
    is itself a few runs, the changepoint model of Hawkins, Qiu and Kang, 2003). The share is 1 - exp(-exp(1.963 +
    0.1355 z - 0.4866 z^2)), fitted to two million simulated months of 30 nightly runs and right to 6% of itself for
    shares from 0.0002 to 0.9. A baseline that varies makes the looks more alike, and the share smaller.
    """
    import numpy as np

    constant, linear, square = _ALARMS
    z = np.clip(z, 0.5, FURTHEST)  # the fit bends below, where the share is 1
    return np.asarray(-np.expm1(-np.exp(constant + linear * z + square * z * z)))


def needed_z(level: float) -> float:
    """Returns how many standard errors are reached in so many months without a change: `monthly_p_value` inverted."""
    constant, linear, square = _ALARMS
    offset = constant - math.log(-math.log1p(-level))
    return (linear + math.sqrt(linear * linear - 4 * square * offset)) / (-2 * square)


def variance_of_mean(lengths: "Places", correlation: "float | Floats") -> "Floats":
    """Returns the variance of the mean of so many successive values, where one has variance 1.

    Neighbours correlate by `correlation`, and those k apart by its k-th power.

    Example:
        Two values: (1 + 0.5) / 2.

        >>> import numpy as np
        >>> variance_of_mean(np.array([1, 2]), 0.5).tolist()
        [1.0, 0.75]
    """
    far = (1 - correlation**lengths) / (1 - correlation)
    variance: Floats = ((1 + correlation) - 2 * correlation * far / lengths) / (1 - correlation) / lengths
    return variance


def night_correlation(one_apart: float, two_apart: float) -> float:
    """Returns how much neighbours correlate, from the squared differences of values one and two apart.

    Where the correlation falls as its powers, the second are (1 - r^2) / (1 - r) = 1 + r times the first.

    Example:
        >>> night_correlation(2.0, 3.0), night_correlation(2.0, 2.0), night_correlation(0.0, 0.0)
        (0.5, 0.0, 0.0)
    """
    return min(_MOST_CORRELATED, max(0.0, two_apart / one_apart - 1)) if one_apart > 0 else 0.0
