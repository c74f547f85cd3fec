"""How well a metric's values tell good answers from bad ones: area under the ROC curve with a bootstrap interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .bootstrap import bca_interval
from .ranks import Ranks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Auroc:
    """P(a good answer's value is above a bad one's), ties half, with a 95% interval; None where undefined."""

    good: int
    bad: int
    area: float | None
    low: float | None
    high: float | None


def auroc(
    values: Sequence[float],
    good: Sequence[bool],
    groups: Sequence[str],
    *,
    resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Auroc:
    """AUROC by the rank-sum (Mann-Whitney), equal lengths, with a BCa interval over groups. None without both kinds."""
    import numpy as np

    x, of_good = np.asarray(values, float), np.asarray(good, bool)
    number = int(of_good.sum())
    if number in {0, len(x)}:
        return Auroc(number, len(x) - number, None, None, None)
    ranks = Ranks(x)

    def areas(weights: "Floats") -> "Floats":
        good_weights = weights[of_good]
        total, of_both = good_weights.sum(axis=0), weights.sum(axis=0)
        rank_sum = np.einsum("ij,ij->j", good_weights, ranks.weighted(weights)[of_good])
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = (rank_sum - total * (total + 1) / 2) / (total * (of_both - total))
        found[~np.isfinite(found)] = np.nan
        return found

    area = float(areas(np.ones((len(x), 1)))[0])
    interval = bca_interval(areas, area, groups, resamples=resamples, level=level, seed=seed)
    low, high = interval or (None, None)
    return Auroc(number, len(x) - number, area, low, high)
