"""In how many months without a change the evidence for one reaches so many standard errors at some look."""

import math

LONGEST = 30
"""Evidence is added up over at most so many looks, one a day; as many are a month."""

FURTHEST = 38.0
"""The normal distribution function is 0 beyond so many standard errors."""

_ALARMS = (1.963, 0.1355, -0.4866)  # see `monthly_p_value`


def monthly_p_value(z: float) -> float:
    """Returns in how many months without a change the evidence reaches z standard errors at some time.

    The evidence of a nightly run is the largest of the standardised falls of the last 1, 2, ..., 30 nightly runs (the
    window-limited generalised likelihood ratio of Lai, 1995, "Sequential changepoint detection"; with a baseline that
    is itself a few runs, the changepoint model of Hawkins, Qiu and Kang, 2003). The share is 1 - exp(-exp(1.963 +
    0.1355 z - 0.4866 z^2)), fitted to two million simulated months of 30 nightly runs and right to 6% of itself for
    shares from 0.0002 to 0.9. A baseline that varies makes the looks more alike, and the share smaller.

    Example:
        >>> round(monthly_p_value(3.33), 3), round(monthly_p_value(2.0), 2)
        (0.049, 0.74)
    """
    constant, linear, square = _ALARMS
    z = min(max(z, 0.5), FURTHEST)  # the fit bends below, where the share is 1
    return -math.expm1(-math.exp(constant + linear * z + square * z * z))


def needed_z(level: float) -> float:
    """Returns how many standard errors are reached in so many months without a change: `monthly_p_value` inverted."""
    constant, linear, square = _ALARMS
    offset = constant - math.log(-math.log1p(-level))
    return (linear + math.sqrt(linear * linear - 4 * square * offset)) / (-2 * square)
