"""Estimates a proportion with Wilson's interval."""

from .estimate import Estimate


def estimate_proportion(count: int, total: int) -> Estimate:
    """Estimates a proportion with its 95% interval (Wilson, 1927).

    The interval holds the proportions p for which the observed one is within 1.96 standard errors sqrt(p (1 - p) / n).

    Args:
        count: How many of the items have the property.
        total: The number of items; each is independent of the others.

    Returns:
        count / total in [0, 1]; without items there is no value.

    Example:
        >>> proportion = estimate_proportion(1, 4)
        >>> proportion.value, round(proportion.low, 3), round(proportion.high, 3)
        (0.25, 0.046, 0.699)
    """
    from scipy.stats import binomtest

    if not total:
        return Estimate(None, n=0, problem="there is nothing to count")
    interval = binomtest(count, total).proportion_ci(method="wilson")
    return Estimate(count / total, float(interval.low), float(interval.high), n=total)
