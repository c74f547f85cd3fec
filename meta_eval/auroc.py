"""How well a metric's values tell good answers from bad ones: area under the ROC curve with a bootstrap interval."""

from collections.abc import Sequence

from .estimate import Estimate, estimate


def auroc(
    values: Sequence[float],
    good: Sequence[bool],
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimates the area under the ROC curve, with an interval over whole groups.

    The area is P(a good answer's value is above a bad one's), a tie counting half: the Mann-Whitney statistic divided
    by the number of pairs (Hanley and McNeil, 1982).

    Args:
        values: One metric value per item, higher for better answers.
        good: Whether each item is good, as many as `values`.
        groups: The group label of each item; items that share a label are resampled together.
        resamples: Number of bootstrap resamples; None as in `bca_interval`.
        level: Confidence level, between 0 and 1.
        seed: Seed of the resampling.

    Returns:
        The area in [0, 1] with its BCa interval; no value where all items are good, or none is.

    Examples:
        Good 3 and 1 against bad 2 and 0: of the four pairs 3>2, 3>0 and 1>0 are right, 1>2 is wrong.

        >>> auroc([3, 1, 2, 0], [True, True, False, False], list("abcd")).value
        0.75
    """
    import numpy as np

    from . import bootstrap_statistics

    x, is_good = np.asarray(values, float), np.asarray(good, bool)
    if is_good.all() or not is_good.any():
        kind = "bad" if is_good.any() else "good"
        return Estimate(None, n=len(x), groups=len(set(groups)), problem=f"no {kind} answers")
    return estimate(bootstrap_statistics.auroc(x, is_good), groups, resamples=resamples, level=level, seed=seed)
