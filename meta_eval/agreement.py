"""Each metric against the mean rating: measures of agreement with intervals, and p-values that count the metrics."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from .correlation import FEWEST_ITEMS, auroc, correlation_problem, estimate_correlation
from .estimate import Estimate
from .randomisation import max_t
from .ranks import mean_spearman
from .table import QUESTION_ONLY, ScoreTable

CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """One metric's agreement with the mean rating, on the rated items that it scored.

    All measures are computed on scores that are negated where lower is better, so that agreement is always positive.
    """

    name: str
    baseline: bool  # whether the metric is a baseline, which others should beat
    higher_is_better: bool
    n: int
    groups: int
    coverage: float  # scored / rated items, in [0, 1]
    spearman: Estimate
    auroc_bad: Estimate  # P(a bad answer scores below another); bad is rated below the scale's middle
    # how often chance alone makes one of all metrics agree as far: ratings shuffled by whole groups, the largest
    # statistic of all metrics (max-T; Westfall and Young, 1993), a baseline counted alone; at least the p-value of the
    # interval of `spearman`
    p: float | None = None
    problem: str = ""


def baselines_among(metrics: Iterable[MetricAgreement]) -> set[str]:
    """The names of the metrics that are baselines."""
    return {metric.name for metric in metrics if metric.baseline}


def metric_agreements(table: ScoreTable, *, permutations: int, seed: int = 0) -> tuple[MetricAgreement, ...]:
    """Computes the agreement of every metric with the ratings, in the table's order, and last that of a constant.

    Examples:
        `declined` is 1 for bad answers and 0 for good ones. As lower is better, it agrees perfectly:

        >>> ratings = np.array([[1.0], [1], [1], [5], [5], [5]])
        >>> scores = np.where(ratings == 1, 1.0, 0.0)
        >>> table = ScoreTable(tuple("abcdef"), ("declined",), scores, ratings, directions={"declined": False})
        >>> declined, constant = metric_agreements(table, permutations=99)
        >>> declined.spearman.value, declined.auroc_bad.value, constant.auroc_bad.value
        (1.0, 1.0, 0.5)
    """
    rated = table.rated()
    agreements = [_agreement(rated, name) for name in rated.metrics]
    if CONSTANT not in rated.metrics:
        constant = replace(rated, metrics=(CONSTANT,), scores=np.zeros((len(rated.items), 1)), directions={})
        agreements.append(_agreement(constant, CONSTANT))
    tested = [agreement for agreement in agreements if agreement.spearman.value is not None]
    p_values: dict[str, float] = {}
    for place, kind in enumerate((False, True)):
        names = [agreement.name for agreement in tested if agreement.baseline == kind]
        if names:
            corrected_and_alone = max_t(rated.only(names), permutations=permutations, seed=seed)[::-1]
            p_values |= dict(zip(names, corrected_and_alone[place], strict=True))
    return tuple(
        replace(agreement, p=max(p_values[agreement.name], agreement.spearman.p or 0.0))
        if agreement.name in p_values
        else agreement
        for agreement in agreements
    )


def _agreement(table: ScoreTable, name: str) -> MetricAgreement:
    values, ratings = table.column(name), table.mean_rating
    is_scored = ~np.isnan(values)
    x, y = values[is_scored], ratings[is_scored]
    groups = [group for group, scored in zip(table.groups, is_scored, strict=True) if scored]
    missing = Estimate(None, problem=correlation_problem(x, y))
    agreement = MetricAgreement(
        name,
        name in table.baselines,
        table.directions[name],
        len(x),
        len(set(groups)),
        len(x) / len(values) if len(values) else 0.0,
        missing,
        missing,
        problem=missing.problem,
    )
    if missing.problem:
        is_constant = len(x) >= FEWEST_ITEMS and float(np.ptp(y)) > 0
        separates_none = is_constant and len(set((y < table.middle).tolist())) == 2
        return replace(agreement, auroc_bad=Estimate(0.5)) if separates_none else agreement

    figures = [estimate_correlation(mean_spearman, x[:, None], y, groups), auroc(x, y >= table.middle, groups)]
    if name == QUESTION_ONLY:
        # predicted from the other ratings, which an interval does not know: simulated ones left out the truth in 16 to
        # 18%
        figures = [replace(one, low=None, high=None, p=None) for one in figures]
    return replace(agreement, spearman=figures[0], auroc_bad=figures[1])
