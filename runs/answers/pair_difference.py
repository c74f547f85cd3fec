"""Differences between two runs on the same samples: the mean, its interval, and how often chance gives as much."""

from collections.abc import Sequence

from ...meta_eval.estimate import Estimate, estimate_mean

_DRAWS = 9999


def paired_difference(differences: Sequence[float], groups: Sequence[str], *, seed: int = 0) -> Estimate:
    """Estimates the mean of paired differences, with an interval over groups and the p-value of a sign-flip test.

    The null hypothesis: without a change the differences are as often up as down (Fisher's randomisation test; the
    two runs of one group change places together). p = (b + 1) / (m + 1), where b of m = 9,999
    random flips reach what was observed (Phipson and Smyth, 2010), so that p is never 0.

    Returns:
        The estimate; without a value where there are no differences, without an interval where there are few groups.

    Example:
        >>> change = paired_difference([0.1, 0.3, 0.2, 0.2], ["a", "b", "c", "d"])
        >>> round(change.value, 3), change.n
        (0.2, 4)
    """
    import numpy as np

    from ...meta_eval.randomisation import sign_flip_p_value

    if not differences:
        return Estimate(None, n=0, groups=0, problem="no sample was scored in both runs")

    sums = np.bincount(np.unique(np.asarray(groups), return_inverse=True)[1], weights=np.asarray(differences, float))
    p = sign_flip_p_value(sums.astype(float), permutations=_DRAWS, seed=seed)
    most = max(map(abs, differences))  # a change up is as possible as one down, though none may have been seen
    return estimate_mean(differences, groups, bounds=(-most, most), p=p)
