"""Student's t distribution: its quantiles, and how many degrees of freedom unequal groups leave."""

from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arrays import Floats

_MANY_DEGREES = 8


def t_quantile(share: float, degrees: float) -> float:
    """Computes a quantile of Student's t distribution.

    From 8 degrees of freedom on by the expansion of Abramowitz and Stegun (1964, 26.7.5), which for levels up to 99% is
    right to one part in 10,000 there and needs no SciPy, whose import would take half of the time of `assay show`.

    Example:
        >>> round(t_quantile(0.975, 9), 3), round(t_quantile(0.975, 100), 3)
        (2.262, 1.984)
    """
    if degrees < _MANY_DEGREES:
        from scipy.special import stdtrit

        return float(stdtrit(degrees, share))
    z, d = NormalDist().inv_cdf(share), degrees
    terms = (
        (z**3 + z) / (4 * d),
        (5 * z**5 + 16 * z**3 + 3 * z) / (96 * d**2),
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * d**3),
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * d**4),
    )
    return z + sum(terms)


def effective_degrees(sizes: "Floats") -> float:
    """Computes the degrees of freedom that groups leave: their effective number less one, sum(n)^2 / sum(n^2) - 1.

    Groups of unequal size count for fewer (Kish, 1965): one with half of the answers leaves three at most.

    Example:
        >>> import numpy as np
        >>> effective_degrees(np.array([5.0, 5, 5, 0])), effective_degrees(np.array([6.0, 2, 2, 2]))
        (2.0, 2.0)
    """
    squares = float((sizes**2).sum())
    return max(float(sizes.sum()) ** 2 / squares - 1, 1.0) if squares else 1.0
