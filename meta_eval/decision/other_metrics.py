"""What other metrics say of versions: shown beside a decision, never chosen for it."""

from dataclasses import replace

import numpy as np

from ..arrays import Floats
from .max_t import MaxT
from .version_decision import OtherDifference
from .version_means import FEWEST_RATED_GROUPS, VersionMeans, estimate_version_means
from .version_table import VersionTable

_GROUPS_PER_ROW = 3
_NO_ERROR = 1e-12


def compare_other_metrics(table: VersionTable, *, error: float, seed: int = 0) -> tuple[OtherDifference, ...]:
    """Compares each version with the one in use by each further metric, with bounds that hold for all rows together."""
    estimates: list[tuple[str, int, VersionMeans]] = []
    for name, scores in table.others.items():
        if not np.isnan(scores).all():
            means = estimate_version_means(replace(table, scores=scores), use_ratings=False)
            estimates += [(name, rival, means) for rival in range(1, len(table.versions))]
    if not estimates:
        return ()
    replicates: Floats = np.column_stack(
        [one.replicates[:, rival] - one.replicates[:, 0] for _, rival, one in estimates]
    )
    count = len(replicates)
    deviations = replicates - replicates.mean(axis=0)
    covariance = (count - 1) / count * deviations.T @ deviations
    degrees = min(one.degrees(0, rival) for _, rival, one in estimates)
    known = [
        count >= FEWEST_RATED_GROUPS and degrees > 0 and one.difference(0, rival)[1] > _NO_ERROR
        for _, rival, one in estimates
    ]
    if count < _GROUPS_PER_ROW * len(estimates):  # too few groups to know how the rows go together: as if they did not
        covariance = np.diag(np.diag(covariance))
    largest = MaxT.of_covariance(covariance, degrees, seed=seed) if any(known) else None
    rows = []
    for (name, rival, one), has_error in zip(estimates, known, strict=True):
        difference, standard_error, own = one.difference(0, rival)
        row = OtherDifference(name, table.versions[0], table.versions[rival], difference, None, None, None)
        if largest and has_error and own > 0:
            half = largest.quantile(1 - error, own) * standard_error
            p = largest.p_value(difference / standard_error, own)
            row = replace(row, low=difference - half, high=difference + half, p=p)
        rows.append(row)
    return tuple(rows)
