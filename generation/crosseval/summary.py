"""What a split of a cross-evaluation comes to: rates and means, averaged over iterations, with intervals (003, 4.7)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...meta_eval.estimate import Estimate, estimate
from .exchange import Exchange

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ANSWER_RATE = "answer rate"
HALLUCINATION_RATE = "hallucination rate"
FACTS = "facts correct"
RATES = (ANSWER_RATE, HALLUCINATION_RATE, FACTS)


@dataclass(frozen=True)
class SplitSummary:
    """A split in numbers. `by_fold[name][fold]` is of the questions of that fold; `average[name]` over iterations.

    `answered[loaded][fold]` is the share of the questions of `fold` that were answered while `loaded` was: Table 3's
    first rows. `failed` counts exchanges without an answer, which stand in no number.
    """

    bot: str
    split: str
    folds: tuple[int, ...]
    exchanges: int
    failed: int
    answered: dict[int, dict[int, Estimate]]
    by_fold: dict[str, dict[int, Estimate]]
    average: dict[str, Estimate]
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def balance(self) -> float | None:
        """The mean of the answer rate and the share of unanswerable questions declined: what validation chooses by."""
        answered, hallucinated = self.average[ANSWER_RATE].value, self.average[HALLUCINATION_RATE].value
        return None if answered is None or hallucinated is None else (answered + 1 - hallucinated) / 2


_Value = Callable[[Exchange], float | None]


def summarise_split(exchanges: Sequence[Exchange], metrics: Sequence[str]) -> SplitSummary:
    """The numbers of one bot on one split. Intervals resample documents; averages are of iterations, as in 4.3."""
    told = [exchange for exchange in exchanges if exchange.declined is not None]
    folds = tuple(sorted({exchange.loaded for exchange in exchanges}))
    values: dict[str, _Value] = {
        ANSWER_RATE: lambda each: float(not each.declined) if each.answerable else None,
        HALLUCINATION_RATE: lambda each: None if each.answerable else float(not each.declined),
        FACTS: lambda each: _score(each, "factoid"),
    }
    for metric in metrics:
        if metric != "factoid":
            values[metric] = lambda each, metric=metric: _score(each, metric)  # type: ignore[misc]
    return SplitSummary(
        bot=exchanges[0].bot,
        split=exchanges[0].split,
        folds=folds,
        exchanges=len(exchanges),
        failed=len(exchanges) - len(told),
        answered={loaded: {fold: _answered(told, loaded, fold) for fold in folds} for loaded in folds},
        by_fold={
            name: {
                fold: figure([each for each in told if each.fold == fold], value, rate=name in RATES) for fold in folds
            }
            for name, value in values.items()
        },
        average={name: figure(told, value, rate=name in RATES) for name, value in values.items()},
        skipped={metric: reason for metric in metrics if (reason := _skipped(told, metric))},
    )


def figure(exchanges: Sequence[Exchange], value: _Value, *, rate: bool) -> Estimate:
    """The mean over iterations of the mean within each, with a bootstrap interval over documents.

    Where a `rate` is 0 or 1, resampling tells nothing: the interval is then Wilson's with the number of documents for
    n, since questions of one document are not independent.
    """
    import numpy as np

    pairs = [(found, each) for each in exchanges if (found := value(each)) is not None]
    if not pairs:
        return Estimate(None, n=0, problem="no exchange has a value")
    values = np.array([found for found, _ in pairs])
    iterations = np.array([each.loaded for _, each in pairs])
    groups = [each.sample.source for _, each in pairs]
    statistic = _mean_of_iterations(values, iterations)
    if rate and np.ptp(values) == 0 and values[0] in {0.0, 1.0}:
        from ..review import share

        count = len(set(groups))
        mean, low, high = share(int(values[0]) * count, count)
        return Estimate(mean, low, high, n=len(pairs), groups=count)
    return estimate(statistic, groups)


def _mean_of_iterations(
    values: "NDArray[np.float64]", iterations: "NDArray[np.int64]"
) -> "Callable[[NDArray[np.float64]], NDArray[np.float64]]":
    import numpy as np

    member = np.array([iterations == each for each in np.unique(iterations)], dtype=float)  # (iterations, items)

    def statistic(weights: "NDArray[np.float64]") -> "NDArray[np.float64]":
        totals = (member * values) @ weights
        counts = member @ weights
        means = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
        average: NDArray[np.float64] = means.mean(axis=0)  # NaN where an iteration has no item in the resample
        return average

    return statistic


def _answered(exchanges: Sequence[Exchange], loaded: int, fold: int) -> Estimate:
    here = [each for each in exchanges if each.loaded == loaded and each.fold == fold]
    return figure(here, lambda each: float(not each.declined), rate=True)


def _score(exchange: Exchange, metric: str) -> float | None:
    found = exchange.scores.get(metric)
    return None if found is None else found.value


def _skipped(exchanges: Sequence[Exchange], metric: str) -> str:
    """Why a metric has no value at all, as the first one says."""
    scores = [each.scores[metric] for each in exchanges if metric in each.scores]
    if not scores or any(score.value is not None for score in scores):
        return ""
    return scores[0].reason
