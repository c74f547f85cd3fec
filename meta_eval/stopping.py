"""Whether more ratings would change anything: a prediction of what the next ones do to the choice and its interval."""

from dataclasses import dataclass

import numpy as np

from ..presentation.figure import Figure
from ..text.wording import Phrase, phrase
from .arrays import Floats
from .estimate import Estimate, estimate
from .groups import FEWEST_RATED, Scale
from .ranks import spearman_statistic
from .table import ScoreTable

MORE = 20
TOLERANCE = 0.05
CONFIDENCE = 0.9
_FUTURES = 400
_STEP = 0.001  # from 1, whose z is infinite


@dataclass(frozen=True, slots=True)
class Stability:
    """What more ratings would do."""

    metric: str  # the metric that agrees best with the ratings so far, baselines aside
    rho: Estimate  # Spearman's correlation of this metric with the ratings, with its interval
    rated: int
    more: int
    tolerance: float  # the largest change of the interval's ends that counts as none
    # the probability that after `more` ratings the metric is still the best and neither end of its interval has moved
    # by more than `tolerance`
    stable: float

    @property
    def may_stop(self) -> bool:
        """Whether the probability is at least 0.9."""
        return self.stable >= CONFIDENCE

    def describe(self) -> Phrase:
        """The rule in a sentence, without a name: that of the verdict may be a combination, or a simpler metric."""
        return phrase(
            "may_stop" if self.may_stop else "rate_on",
            more=self.more,
            tolerance=Figure("coefficient", self.tolerance),
            stable=Figure("share", self.stable),
            rated=phrase("answers_are_rated", count=self.rated),
        )


def predict_stability(table: ScoreTable, *, seed: int = 0) -> Stability | None:
    """Predicts whether more ratings would change the best metric, or its interval by more than a tolerance.

    The method is predictive resampling (Fong, Holmes and Walker, 2023, "Martingale posterior distributions"): what the
    answers are like that are not rated yet is drawn from a Bayesian bootstrap of the groups that are, then as many
    groups as hold `more` answers are drawn from it, and the correlations are computed anew. The interval of such a
    future is today's, moved to the new correlation and narrowed by sqrt(n / (n + more)), on the scale of Fisher's z.
    Returns the prediction; None with fewer than 10 rated answers, or where no metric has a correlation and an interval.
    """
    rated = table.rated()
    names = [name for name in rated.metrics if name not in rated.baselines] or list(rated.metrics)
    columns = {name: rated.column(name) for name in names}
    # answers without a score of a metric stand in the middle of its scores: all metrics are compared on all answers
    columns = {
        name: np.where(np.isnan(column), np.nanmedian(column), column)
        for name, column in columns.items()
        if not np.isnan(column).all()
    }
    if len(rated.items) < FEWEST_RATED or not columns:
        return None
    ratings = rated.mean_rating
    statistics = {name: spearman_statistic(column, ratings) for name, column in columns.items()}
    once = np.ones((len(rated.items), 1))
    today = {name: float(statistic(once)[0]) for name, statistic in statistics.items()}
    today = {name: rho for name, rho in today.items() if not np.isnan(rho)}
    if not today:
        return None
    best = max(today, key=today.__getitem__)
    interval = estimate(statistics[best], rated.groups, scale="fisher")
    if interval.value is None or interval.low is None or interval.high is None:
        return None
    weights = once + _future_counts(rated.groups, seed)
    futures = {name: statistics[name](weights) for name in today}
    keeps_choice = np.all([~(futures[name] > futures[best]) for name in today], axis=0)
    narrower = np.sqrt(len(rated.items) / (len(rated.items) + MORE))
    ends, scale = np.array([interval.low, interval.high]), Scale("fisher")
    centre, *moves = scale.scaled(np.array([interval.value, *ends]), _STEP)
    later = scale.scaled(futures[best], _STEP) + (np.array(moves)[:, None] - centre) * narrower
    changes = np.abs(scale.unscaled(later) - ends[:, None])
    is_stable = keeps_choice & (changes.max(axis=0) <= TOLERANCE)
    return Stability(best, interval, len(rated.items), MORE, TOLERANCE, float(np.mean(is_stable)))


def _future_counts(groups: tuple[str, ...], seed: int) -> Floats:
    """How often each item stands among the next ratings, (items, futures)."""
    draw = np.random.default_rng(seed)
    group_of = np.unique(np.asarray(groups), return_inverse=True)[1]
    count = int(group_of.max()) + 1
    drawn = max(1, round(MORE * count / len(groups)))
    weights = draw.dirichlet(np.ones(count), size=_FUTURES)
    counts: Floats = np.stack([draw.multinomial(drawn, shares) for shares in weights], axis=1)[group_of].astype(float)
    return counts
