"""Each metric against the mean rating: measures of agreement with intervals, and p-values that count the metrics."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from . import agreement_statistics
from .arrays import Bools, Floats
from .correlation import FEWEST_ITEMS, auroc, correlation_problem, estimate_correlation
from .estimate import Estimate
from .groups import Statistic
from .randomisation import max_t
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
    pearson: Estimate
    auroc_bad: Estimate  # P(a bad answer scores below another); bad is rated below the scale's middle
    auroc_good: Estimate  # P(a good answer scores above another); good is rated above the scale's middle
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
        *(missing, missing, missing, missing),
        problem=missing.problem,
    )
    if missing.problem:
        is_constant = len(x) >= FEWEST_ITEMS and float(np.ptp(y)) > 0
        return _with_chance_level(agreement, y, table.middle) if is_constant else agreement

    def correlation(prepare: Callable[[Floats, Floats], Statistic]) -> Estimate:
        return estimate_correlation(prepare, x[:, None], y, groups)

    is_not_bad, is_good = y >= table.middle, y > table.middle
    agreement = replace(
        agreement,
        spearman=correlation(agreement_statistics.mean_spearman),
        pearson=correlation(lambda x, y: agreement_statistics.pearson(x[:, 0], y)),
        auroc_bad=_area(auroc(x, is_not_bad, groups), "no bad answers, or nothing else"),
        auroc_good=_area(auroc(x, is_good, groups), "no good answers, or nothing else"),
    )
    if name != QUESTION_ONLY:
        return agreement
    # predicted from the other ratings, which an interval does not know: simulated ones left out the truth in 16 to 18%
    return replace(
        agreement,
        spearman=_without_interval(agreement.spearman),
        pearson=_without_interval(agreement.pearson),
        auroc_bad=_without_interval(agreement.auroc_bad),
        auroc_good=_without_interval(agreement.auroc_good),
    )


def _without_interval(one: Estimate) -> Estimate:
    return replace(one, low=None, high=None, p=None)


def _with_chance_level(agreement: MetricAgreement, y: Floats, middle: float) -> MetricAgreement:
    """Adds the figures of a constant, which separates no two kinds of answers."""

    def half(is_kind: Bools) -> Estimate:
        if is_kind.any() and not is_kind.all():
            return Estimate(0.5)
        return Estimate(None, problem="one kind of answer only")

    return replace(agreement, auroc_bad=half(y < middle), auroc_good=half(y > middle))


def _area(area: Estimate, problem: str) -> Estimate:
    return replace(area, problem=problem) if area.value is None else area
