"""Items in groups: the error that leaving out one group at a time shows, Student's t, and folds of whole groups.

Items of one source are not independent. The statistics of the package get their errors here and nowhere else.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ..eval_sets import Sample
    from .arrays import Floats, Places

Statistic = Callable[["Floats"], "Floats"]
"""Maps weights (items, columns), how often each item counts in each column, to one value per column (columns,).

The value is NaN where the statistic is undefined."""

Predict = Callable[["Places", "Places"], "Floats"]
"""Learns from the items at some places, and predicts those at others, (others,)."""
LEVEL = 0.95
"""The level of confidence of every interval that stands by itself."""
FEWEST_GROUPS = 5
"""With fewer groups nothing says how much groups differ: there is no interval."""
FEWEST_RATED = 10
"""With fewer rated answers nothing is said of the mean rating of others."""
FEWEST_TO_CHOOSE = 20
"""With fewer rated answers no metric is named as one to trust, and none are combined."""
ENOUGH_PAIRED = 0.5
"""The share of the questions of the version with the fewest that two versions share to be compared by pairs."""
_SAME = 1e-9
_CELLS_PER_BLOCK = 500_000  # about what fits the processor's cache
_MANY_ITEMS = 20_000
_MOST_PARTS, _PARTS_OF_MANY_ITEMS = 200, 50  # with more groups, parts of several groups are left out
_MANY_DEGREES = 8
_LITTLE = 0.1  # of the largest move


ScaleName = Literal["plain", "fisher", "logit"]
"""On which scale a statistic's distribution is nearly normal: a difference as it is, a correlation on Fisher's z
(1921), an area, a share or a mean between bounds on that of log odds."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale on which a statistic is nearly normal."""

    name: ScaleName
    low: float = 0.0  # the bounds of a statistic on log odds
    high: float = 1.0

    def scaled(self, values: "Floats", step: float) -> "Floats":
        """Brings values to the scale; one at a bound is taken to lie `step` of the range inside it."""
        import numpy as np

        if self.name == "plain":
            return values
        if self.name == "fisher":
            return np.arctanh(np.clip(values, step - 1, 1 - step))
        shares = np.clip((values - self.low) / (self.high - self.low), step, 1 - step)
        log_odds: Floats = np.log(shares / (1 - shares))
        return log_odds

    def unscaled(self, values: "Floats") -> "Floats":
        """Brings values of the scale back."""
        import numpy as np

        if self.name == "plain":
            return values
        back: Floats = np.tanh(values)
        if self.name == "logit":
            back = self.low + (self.high - self.low) * (np.tanh(values / 2) + 1) / 2
        return back


def replicate_error(replicates: "Floats") -> float:
    """Computes the standard error of a value from what it is without each group: sqrt((G - 1) / G sum of squares).

    Source: Tukey (1958); for few and unequal groups MacKinnon, Nielsen and Webb (2023).

    Example:
        The mean of 1 to 5 without each of them is 3.5, 3.25, 3, 2.75, 2.5: sqrt(4 / 5 * 0.625), which is sqrt(2.5 / 5).

        >>> import numpy as np
        >>> round(replicate_error(np.array([3.5, 3.25, 3, 2.75, 2.5])), 4)
        0.7071
    """
    count, deviations = len(replicates), replicates - replicates.mean()
    return math.sqrt((count - 1) / count * float(deviations @ deviations))


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval and the p-value of the same statistic: p is below 1 - level where it leaves out `null`."""

    low: float
    high: float
    p: float | None = None  # two-sided; None where nothing is tested


def interval_from_replicates(
    value: float,
    replicates: "Floats",
    degrees: float,
    *,
    scale: Scale,
    level: float,
    step: float,
    null: float | None = None,
) -> Interval:
    """An interval of a value from what it is without each group: f(value) +- t error, with f the scale.

    The interval holds the value. `step` is how near to a bound of the scale a value is told from it, and `null` the
    value that is tested.
    """
    import numpy as np

    middle, *scaled = scale.scaled(np.array([value, *replicates]), step)
    error = replicate_error(np.array(scaled))
    away = t_quantile((1 + level) / 2, degrees) * error
    low, high = scale.unscaled(np.array([middle - away, middle + away])).tolist()
    p = None
    if null is not None:
        distance = abs(float(middle - scale.scaled(np.array([null]), step)[0]))
        p = t_p_value(distance / error, degrees) if error else float(not distance)
    return Interval(min(low, value), max(high, value), p)


def t_p_value(t: float, degrees: float) -> float:
    """The two-sided p-value of Student's t."""
    from scipy.special import stdtr  # scipy.stats takes a second to import

    return float(2 * stdtr(degrees, -abs(t)))


def leave_one_out(statistic: Statistic, groups: Sequence[str]) -> "Floats | None":
    """Computes a statistic without one group at a time, (parts,).

    Above 200 groups, one of 200 parts of the groups is left out at a time (50 above 20,000 items). Returns the values;
    None with fewer than five groups, or where the statistic is undefined without one of them.
    """
    import numpy as np

    group_of = np.unique(np.asarray(groups), return_inverse=True)[1]
    count, items = int(group_of.max()) + 1, len(group_of)
    if count < FEWEST_GROUPS:
        return None
    parts = min(count, _MOST_PARTS if items <= _MANY_ITEMS else _PARTS_OF_MANY_ITEMS)
    part_of = (np.arange(count) * parts // count)[group_of]
    width = max(1, _CELLS_PER_BLOCK // items)
    left_out = np.concatenate(
        [
            statistic((part_of[:, None] != np.arange(first, min(first + width, parts))).astype(float))
            for first in range(0, parts, width)
        ]
    )
    return left_out if np.isfinite(left_out).all() else None


def jackknife_interval(
    statistic: Statistic,
    value: float,
    groups: Sequence[str],
    *,
    level: float = LEVEL,
    scale: ScaleName = "plain",
    carriers: int | None = None,
    null: float | None = None,
) -> Interval | None:
    """Computes a confidence interval of a statistic of grouped items by leaving out one group at a time.

    `interval_from_replicates` with G - 1 degrees of freedom. Returns the interval; None with fewer than five groups,
    where the statistic is undefined without one of them, or where it is the same without any of them. A perfect value
    (a correlation or an area at its bound in all of them) has an interval: up to 1 - tail^(1 / carriers) of the groups
    could be exceptions though none is among these (Clopper and Pearson, 1934). An exception takes its share from an
    area, and up to four times its share from a correlation (simulated, with rare kinds of answers).
    """
    import numpy as np

    left_out = leave_one_out(statistic, groups)
    if left_out is None:
        return None
    if np.ptp(np.array([value, *left_out])) < _SAME:
        return _perfect_interval(value, carriers or len(set(groups)), level, scale)
    # a correlation of 1 cannot be told from one that is this much less; and where one group alone keeps the value from
    # its bound, the bound's place on the scale is no number: leaving it out counts as a move by the factor e, to which
    # small moves add up
    distance = 1 - abs(value) if scale == "fisher" else min(value, 1 - value)
    step = max(1 / len(groups) ** 2, distance / math.e)
    degrees = len(left_out) - 1
    return interval_from_replicates(value, left_out, degrees, scale=Scale(scale), level=level, step=step, null=null)


def _perfect_interval(value: float, carriers: int, level: float, scale: ScaleName) -> Interval | None:
    """The interval of a value that is at its bound without any of the groups; None of another one."""
    lowest, highest, worth = (-1.0, 1.0, 4.0) if scale == "fisher" else (0.0, 1.0, 1.0)
    if scale == "plain" or min(abs(value - lowest), abs(value - highest)) >= _SAME:
        return None
    exceptions = worth * unseen_share(carriers, level)
    # the share of exceptions at which nothing is left of the agreement
    p = min(1.0, 2 * (1 - (highest - lowest) / 2 / worth) ** carriers)
    if abs(value - highest) < _SAME:
        return Interval(max(lowest, highest - exceptions), highest, p)
    return Interval(lowest, min(highest, lowest + exceptions), p)


def unseen_share(count: int, level: float) -> float:
    """How large the share of something may be of which none is seen among `count` (Clopper and Pearson, 1934).

    Example:
        >>> round(unseen_share(29, 0.95), 3)
        0.119
    """
    return float(1 - ((1 - level) / 2) ** (1 / count))


def t_quantile(share: float, degrees: float) -> float:
    """Computes a quantile of Student's t distribution.

    From 8 degrees of freedom on by the expansion of Abramowitz and Stegun (1964, 26.7.5), which for levels up to 99% is
    right to one part in 10,000 there and needs no SciPy, whose import would take half of the time of `assay show`.
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


def name_questions(asked: Sequence[str], groups: Sequence[str], versions: Sequence[str] = ()) -> tuple[str, ...]:
    """Returns what answers to one question have in common, by what was asked; empty where that is unknown.

    A text that one version was asked in several groups, such as a greeting, is another question in each group.

    Args:
        asked: What each answer replies to, with what was said before it.
        groups: The group that each answer names; empty where it names none.
        versions: The version of each; empty where all are of one.
    """
    texts = [" ".join(text.split()) for text in asked]
    groups_of = defaultdict[tuple[str, str], set[str]](set)
    for text, version, group in zip(texts, versions or [""] * len(texts), groups, strict=True):
        groups_of[text, version].add(group)
    repeated = {text for (text, _), of_text in groups_of.items() if len(of_text) > 1} - {""}
    return tuple(f"{group}: {text}" if text in repeated else text for text, group in zip(texts, groups, strict=True))


def merge_groups(groups: Sequence[str], questions: Sequence[str]) -> tuple[str, ...]:
    """Joins the groups of answers to one question, so that these stay together: the first label of each, (answers,)."""
    parent = {group: group for group in groups}

    def root(group: str) -> str:
        while parent[group] != group:
            parent[group] = group = parent[parent[group]]
        return group

    first: dict[str, str] = {}
    for group, question in zip(groups, questions, strict=True):
        if question:
            parent[root(group)] = root(first.setdefault(question, group))
    return tuple(map(root, groups))


def effective_degrees(sizes: "Floats | Places") -> float:
    """Computes the degrees of freedom that groups leave: their effective number less one, sum(n)^2 / sum(n^2) - 1.

    Groups of unequal size count for fewer (Kish, 1965): one with half of the answers leaves three at most.

    Example:
        >>> import numpy as np
        >>> effective_degrees(np.array([5.0, 5, 5, 0])), effective_degrees(np.array([6.0, 2, 2, 2]))
        (2.0, 2.0)
    """
    squares = float((sizes.astype(float) ** 2).sum())
    return max(float(sizes.sum()) ** 2 / squares - 1, 1.0) if squares else 1.0


def few_that_move(moves: "Floats", degrees: float) -> int:
    """How many groups move a figure by a tenth of the largest move or more; 0 where these k are many or none moves it.

    They are few where 2 k - 1 is less than the degrees of freedom: then it stands for these.

    Example:
        One answer of ten is below 5: of how often that comes it says less than ten groups would.

        >>> import numpy as np
        >>> few_that_move(np.array([0.0] * 9 + [0.4]), 9.0), few_that_move(np.array([-0.1, 0.1] * 5), 9.0)
        (1, 0)
    """
    import numpy as np

    sizes = np.abs(moves)
    few = int((sizes > _LITTLE * sizes.max(initial=0.0)).sum())
    return few if 2 * few - 1 < degrees else 0


def cr2_degrees(shares: "Floats") -> float:
    """The degrees of freedom of a cluster-robust variance whose groups have these shares (Bell and McCaffrey, 2002).

    Satterthwaite's: of G equal groups G - 1.

    Example:
        >>> import numpy as np
        >>> round(cr2_degrees(np.full(5, 0.2)), 9)
        4.0
    """
    spread = (shares**2 * (1 - 2 * shares) / (1 - shares) ** 2).sum() + (shares**2 / (1 - shares)).sum() ** 2
    return float(1 / spread)


def welch_degrees(variances: Sequence[float], degrees: Sequence[float]) -> float:
    """The degrees of freedom of a sum of variances that have these (Welch, 1947)."""
    return sum(variances) ** 2 / sum(one**2 / own for one, own in zip(variances, degrees, strict=True))


def intraclass_correlation(values: "Floats", groups: "Places") -> float:
    """Estimates how much items of one group are alike, on the safe side: the estimate plus half its standard error.

    The analysis-of-variance estimate (Donner and Koval, 1980), with the standard error of Swiger et al. (1964). With
    few groups the estimate alone is often near 0 by chance, and a share that rests on it is thought too certain.
    Returns the correlation in [0, 1]; 0 where each item is its own group, 1 where all are one group.
    """
    import numpy as np

    group_of, sizes = np.unique(groups, return_inverse=True, return_counts=True)[1:]
    n, count = len(values), len(sizes)
    if n == count:
        return 0.0
    if count < 2:
        return 1.0
    means = np.bincount(group_of, weights=values) / sizes
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (count - 1)
    within = float(((values - means[group_of]) ** 2).sum()) / (n - count)
    typical_size = (n - float((sizes**2).sum()) / n) / (count - 1)
    total = between + (typical_size - 1) * within
    estimate = min(1.0, max(0.0, (between - within) / total)) if total > 0 else 0.0
    spread = math.sqrt(2 * (n - 1) / (typical_size**2 * (n - count) * (count - 1)))
    error = (1 - estimate) * (1 + (typical_size - 1) * estimate) * spread
    return min(1.0, estimate + error / 2)


def variance_of_mean(values: "Floats", groups: "Places") -> float:
    """Computes the variance of a mean when items come in groups.

    G / (G - 1) times the sum over the G groups of (sum of the group's deviations from the mean)^2, divided by n^2: the
    cluster-robust variance of an intercept (Liang and Zeger, 1986; statsmodels' `cov_cluster` gives the same number).
    Returns the variance, in the values' unit squared; infinity of one group, which tells none.
    """
    import numpy as np

    group_of = np.unique(groups, return_inverse=True)[1]
    count = int(group_of.max()) + 1
    if count < 2:
        return math.inf
    sums = np.bincount(group_of, weights=values - values.mean(), minlength=count)
    return float(count / (count - 1) * (sums**2).sum() / len(values) ** 2)


def grouped_folds(group_numbers: "Places", folds: int, *, seed: int) -> "list[Places]":
    """Deals whole groups into folds of about equal size.

    Groups go in random order, large ones first, each to the fold that is smallest so far. `sklearn.GroupKFold` deals
    alike but breaks ties by an unstable sort, so that equal seeds could give other folds on another processor. Returns
    the places of the items of each fold; empty where there is only one group.
    """
    import numpy as np

    groups, group_of, sizes = np.unique(group_numbers, return_inverse=True, return_counts=True)
    folds = min(folds, len(groups))
    if folds < 2:
        return []
    order = np.random.default_rng(seed).permutation(len(groups))
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold_of, fold_sizes = np.empty(len(groups), dtype=np.intp), np.zeros(folds)
    for group in order:
        smallest = int(np.argmin(fold_sizes))
        fold_of[group] = smallest
        fold_sizes[smallest] += sizes[group]
    return [np.flatnonzero(fold_of[group_of] == fold) for fold in range(folds)]


def cross_predict(predict: Predict, group_numbers: "Places", folds: int, *, seed: int) -> "Floats":
    """Predicts each item, (items,), from the items of other groups, in folds; NaN where there is only one group."""
    import numpy as np

    predicted, everything = np.full(len(group_numbers), np.nan), np.arange(len(group_numbers))
    for held_out in grouped_folds(group_numbers, folds, seed=seed):
        predicted[held_out] = predict(np.setdiff1d(everything, held_out), held_out)
    return predicted


def group_answers(samples: Iterable["Sample"]) -> list[str]:
    """Returns the group of each answer: the one that it names, else that of all answers to its question.

    The rule that `assay meta` has for answers of files too.

    Example:
        >>> from assay.eval_sets import Sample
        >>> asked = {"a": "Is it free?", "b": "Is it  free?", "c": "How?"}
        >>> samples = [Sample(id=name, user_input=text, response="Yes.") for name, text in asked.items()]
        >>> group_answers([*samples, samples[0].model_copy(update={"id": "d", "group": "page 1"})])
        ['a', 'a', 'c', 'page 1']
    """
    answers = list(samples)
    return list(merge_groups([answer.source for answer in answers], [question_text(answer) for answer in answers]))


def named_group(sample: "Sample") -> str:
    """The group that an answer names; empty where it names none."""
    from ..eval_sets.items import as_label  # the statistics are imported without it

    return sample.group or as_label(sample.metadata.get("group"))


def question_text(sample: "Sample") -> str:
    """What answers that name no group have in common with others to their question; empty of one that names one.

    In turns of long conversations it is long.
    """
    from ..eval_sets.conversation import asked_text  # late: whoever brings groups of their own needs no set

    return " ".join(asked_text(sample).split()) if sample.user_input and not named_group(sample) else ""
