"""Each metric against the mean rating: measures of agreement with intervals, and p-values that count the metrics."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from . import bootstrap_statistics
from .arrays import Floats
from .bootstrap import Statistic
from .estimate import Estimate, estimate
from .permutation import max_t
from .table import ScoreTable

CONSTANT = "constant"
FEWEST_ITEMS = 5
_MANY_ITEMS, _MANY_LEVELS = 1000, 100


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """A metric's agreement with the mean rating on the rated items that it scored.

    `coverage` is scored / rated items. `auroc_bad` is P(a bad answer scores below another), bad being rated below the
    scale's middle; `auroc_good` is P(a good answer scores above another). `tie_threshold` is the epsilon of the
    pairwise accuracy. `p` is scipy's for Spearman, items independent (001, Table IV); `p_grouped` that of permuting
    whole groups; `p_by` is `p_grouped` after Benjamini and Yekutieli (2001), `p_max_t` after Westfall and Young's
    single-step max-T (1993), both over the metrics that can be tested, baselines apart. None where `problem` says why.
    """

    name: str
    baseline: bool
    n: int
    groups: int
    coverage: float
    spearman: Estimate
    kendall: Estimate
    pearson: Estimate
    pairwise_accuracy: Estimate
    tie_threshold: float | None
    auroc_bad: Estimate
    auroc_good: Estimate
    p: float | None = None
    p_grouped: float | None = None
    p_by: float | None = None
    p_max_t: float | None = None
    problem: str = ""


def metric_agreements(
    table: ScoreTable, *, resamples: int, permutations: int, level: float = 0.95, seed: int = 0
) -> tuple[MetricAgreement, ...]:
    """The agreement of every metric of the table, in its order, and of a constant, which no metric may fall below."""
    from scipy.stats import false_discovery_control

    rated = table.rated()
    found = [_agreement(rated, name, resamples, level, seed) for name in rated.metrics]
    if CONSTANT not in rated.metrics:
        found.append(_agreement(_with_constant(rated), CONSTANT, resamples, level, seed))
    tested = [each.name for each in found if each.p is not None and not each.baseline]
    beside = [each.name for each in found if each.p is not None and each.baseline]
    by_name: dict[str, tuple[float, float | None, float | None]] = {}
    if tested:
        raw, together = max_t(rated.only(tested), permutations=permutations, seed=seed)
        by = false_discovery_control(raw, method="by")
        by_name |= {name: (p, q, t) for name, p, q, t in zip(tested, raw, map(float, by), together, strict=True)}
    if beside:
        raw, _ = max_t(rated.only(beside), permutations=permutations, seed=seed)
        by_name |= {name: (p, None, None) for name, p in zip(beside, raw, strict=True)}
    return tuple(
        replace(each, p_grouped=ps[0], p_by=ps[1], p_max_t=ps[2]) if (ps := by_name.get(each.name)) else each
        for each in found
    )


def _with_constant(table: ScoreTable) -> ScoreTable:
    return replace(table, metrics=(CONSTANT,), scores=np.zeros((len(table.items), 1)), directions={})


def _agreement(table: ScoreTable, name: str, resamples: int, level: float, seed: int) -> MetricAgreement:
    from scipy.stats import spearmanr

    values, ratings = table.column(name), table.mean_rating
    scored = ~np.isnan(values)
    x, y = values[scored], ratings[scored]
    groups = [group for group, is_scored in zip(table.groups, scored, strict=True) if is_scored]
    coverage = len(x) / len(values) if len(values) else 0.0
    if problem := _problem(x, y):
        none = Estimate(None, problem=problem)
        missing = MetricAgreement(
            name, name in table.baselines, len(x), len(set(groups)), coverage, none, none, none, none, None, none, none
        )
        constant = len(x) >= FEWEST_ITEMS and float(np.ptp(y)) > 0
        return replace(_chance(missing, x, y, table.middle) if constant else missing, problem=problem)

    def told(statistic: Statistic) -> Estimate:
        return estimate(statistic, groups, resamples=resamples, level=level, seed=seed)

    numbers = np.unique(np.asarray(groups), return_inverse=True)[1]
    pairs = bootstrap_statistics.pairwise_accuracy(x, y, numbers, seed=seed)
    return MetricAgreement(
        name,
        name in table.baselines,
        len(x),
        len(set(groups)),
        coverage,
        spearman=told(bootstrap_statistics.spearman(x, y)),
        kendall=_kendall(x, y, told),
        pearson=told(bootstrap_statistics.pearson(x, y)),
        pairwise_accuracy=told(pairs[0]) if pairs else Estimate(None, problem="too few pairs"),
        tie_threshold=pairs[1] if pairs else None,
        auroc_bad=_area(told(bootstrap_statistics.auroc(x, y >= table.middle)), "no bad answers, or nothing else"),
        auroc_good=_area(told(bootstrap_statistics.auroc(x, y > table.middle)), "no good answers, or nothing else"),
        p=float(spearmanr(x, y).pvalue),
    )


def _kendall(x: Floats, y: Floats, told: Callable[[Statistic], Estimate]) -> Estimate:
    """The interval of Kendall's tau takes items x levels of the ratings: with many of both there is none."""
    if len(x) <= _MANY_ITEMS or len(np.unique(y)) <= _MANY_LEVELS:
        return told(bootstrap_statistics.kendall(x, y))
    from scipy.stats import kendalltau

    problem = f"no interval above {_MANY_ITEMS:,} answers with more than {_MANY_LEVELS} different ratings"
    return Estimate(float(kendalltau(x, y).statistic), problem=problem)


def _problem(x: Floats, y: Floats) -> str:
    if len(x) < FEWEST_ITEMS:
        return f"only {len(x)} rated scores"
    if np.ptp(x) == 0:
        return "all values are equal"
    return "all ratings are equal" if np.ptp(y) == 0 else ""


def _chance(missing: MetricAgreement, x: Floats, y: Floats, middle: float) -> MetricAgreement:
    """What a constant is worth: it orders no pair, and calls every pair tied."""
    pairs = bootstrap_statistics.pairwise_accuracy(x, y, np.arange(len(x)))
    ties = Estimate(float(pairs[0](np.ones((len(x), 1)))[0])) if pairs else missing.pairwise_accuracy

    def half(kinds: bool) -> Estimate:
        return Estimate(0.5) if kinds else Estimate(None, problem="one kind of answer only")

    return replace(
        missing,
        pairwise_accuracy=ties,
        auroc_bad=half(bool((y < middle).any() and (y >= middle).any())),
        auroc_good=half(bool((y > middle).any() and (y <= middle).any())),
    )


def _area(found: Estimate, problem: str) -> Estimate:
    return replace(found, problem=problem) if found.value is None else found
