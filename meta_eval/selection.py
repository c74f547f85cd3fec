"""Which combination to take: in sample beside out of fold, by size, and what may be claimed of it.

A combination is the mean rank of some metrics, or of all with weights that are learned from the ratings: there is no
tree among them, so that what is chosen can be written to a file that people read, one weight per metric.

One error in a hundred counts for everything that could be claimed, by gatekeeping (Dmitrienko and Tamhane, 2007). The
gate is one test of two: of the measures that no rating chose or weighed (each metric alone, and the mean rank of all),
all at once, with four fifths of the error, and of the best of all subsets with one fifth. Only where it shows that
anything agrees may a measure be claimed, and only if it passes the test of its own kind, in which its choice or its fit
is repeated for each shuffling of the ratings. Where all is noise, a claim is made as often as the gate errs, whatever
comes after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from ..text.wording import count_of
from .arrays import Floats
from .chance import BEYOND_CHANCE, Chance, chance_of_any, chance_of_best, chance_of_measures, chance_of_weights
from .combinations import largest_size, subset_names
from .correlation import estimate_correlation, estimate_rho_difference, spearman
from .cross_validation import RULES, CombinationTask, FittedWays, OutOfFold, cross_validate, fit_ways
from .estimate import Estimate
from .groups import FEWEST_TO_CHOOSE, LEVEL
from .ranks import column_spearmans, mean_spearman
from .table import SENTINELS, ScoreTable
from .winner_estimate import LARGEST_RHO, believable_error, estimate_winner, winning_limits

_LEAST_COVERAGE = 0.5
_LEAST_CLAIMED = 0.005  # less is printed as 0.00
_MOST_NAMED = 4  # metrics of a combination
_REPEATS_OF_FIT = 2
_SHARES_OF_GATE = (0.8, 0.2)
"""Of the test of the measures that nobody chose, and of that of the best subset (simulated: docs/meta.md)."""
SPREAD_OF_FITS = 1.2
"""How much more a figure out of fold varies than with the folds' fits taken as given (simulated)."""
_SPREAD_ABOVE = 1.5
"""The same above the figure: what fewer answers chose is often worse than what all of them chose (simulated)."""
REPEATS = 5
"""How often the folds are dealt: a figure out of fold is the mean over them."""


Kind = Literal["subset", "weighed"]
"""The mean rank of the best subset of a size, or of all metrics, weighed by ridge regression."""


@dataclass(frozen=True, slots=True)
class Combination:
    """One way to combine metrics: what it reaches on the data that chose it, and on data that did not."""

    kind: Kind
    size: int
    metrics: tuple[str, ...]
    in_sample: float | None  # Spearman's rho on the items that chose it, in [-1, 1]
    out_of_fold: Estimate  # rho of the whole way of choosing, repeated inside each training part
    candidates: int  # how many it was chosen from
    chosen: bool = False

    @property
    def name(self) -> str:
        """Its metrics, and whether they are weighed."""
        first, count = self.metrics[:2], len(self.metrics)
        joined = " + ".join(self.metrics) if count <= _MOST_NAMED else f"{count} metrics ({', '.join(first)}, ...)"
        return f"{joined}, weighed" if self.kind == "weighed" else joined

    def is_same(self, other: "Combination") -> bool:
        """Whether two combinations are the same, however they were found."""
        return (self.kind, self.metrics) == (other.kind, other.metrics)


@dataclass(frozen=True, slots=True)
class Selection:
    """All combinations, the one chosen, and what chance gives."""

    combinations: tuple[Combination, ...]  # the best subset of each size, the small ones first, then all weighed
    # what the claim is about: the choice of the rule that is preferred; where that is not shown beyond chance and a
    # single metric (or the mean rank of all) is, the latter
    chosen: Combination
    # by which rule it was chosen: `best`; `simple`, the fewest metrics within one standard error of the best; or
    # `shown`, what is claimed where the preferred choice is not shown beyond chance
    rule: str
    best_by_chance: float  # the mean over shuffled ratings of the best in-sample rho of all subsets
    best_in_sample: float
    p_of_best: float  # how often chance reaches `best_in_sample`
    # the p-value of the claim about `chosen`: how often chance alone would do as well, with all counted that it was
    # chosen from
    p_of_selection: float
    left_out: tuple[tuple[str, str], ...]
    repeats: int
    folds: int
    # how far `chosen` agrees with the ratings, given that it was chosen and is claimed: the one figure that every
    # sentence, table and saved scorer quotes. Where nothing is claimed, `chosen.out_of_fold`.
    agreement: Estimate
    # the chosen combination's score of each item of the table on the rating scale, out of fold where the item is rated;
    # None where there is none
    predictions: tuple[float | None, ...] = field(repr=False, default=())

    @property
    def is_beyond_chance(self) -> bool:
        """Whether `chosen` is claimed to agree with the ratings."""
        return self.p_of_selection <= BEYOND_CHANCE

    def agreement_of(self, combination: Combination) -> Estimate:
        """How far a combination agrees on answers that did not choose it: of the chosen one `agreement`."""
        return self.agreement if combination.is_same(self.chosen) else combination.out_of_fold

    def optimism_of(self, combination: Combination) -> float | None:
        """How much more a combination reaches on the answers that chose it than by `agreement_of`."""
        reached = self.agreement_of(combination).value
        return None if reached is None or combination.in_sample is None else combination.in_sample - reached


@dataclass(frozen=True, eq=False)
class Predictions:
    """The scores that the chosen combination gives."""

    chosen: Floats  # of the rated items, out of fold, (items, repeats); of a single metric its own places, (items, 1)
    unrated: Floats  # of the unrated items, by the choice on all rated ones, in the table's order, (unrated,)


def select(
    table: ScoreTable,
    *,
    repeats: int = REPEATS,
    folds: int = 5,
    permutations: int,
    seed: int = 0,
) -> tuple[Selection, Predictions] | None:
    """Chooses among the combinations of the table's metrics.

    Baselines that read the answer, such as token overlap, are candidates like any metric; answer length, a constant and
    the question alone are not. A metric is a candidate where its values vary and it scored at least half of the rated
    items; an item that it did not score stands at its middle. Returns the selection and the predictions behind it; None
    with fewer than twenty rated items, no candidate, ratings that are all equal, or one group only.
    """
    rated = table.rated()
    names, left_out = _candidates(rated)
    if not names or len(rated.items) < FEWEST_TO_CHOOSE or float(np.ptp(rated.mean_rating)) == 0:
        return None
    task = CombinationTask.build(
        rated.only(names).oriented,
        rated.mean_rating,
        rated.group_numbers,
        largest=largest_size(len(names)),
    )
    out_of_fold = cross_validate(task, repeats=repeats, folds=folds, seed=seed)
    if out_of_fold is None:
        return None
    trial = _Trial(rated, names, task, fit_ways(task, np.arange(len(rated.items))), out_of_fold, permutations, seed)
    combinations = trial.combinations()
    rule, place = trial.choose(combinations)
    predictions = out_of_fold.chosen[rule]
    reached = trial.estimate_out_of_fold(predictions)
    tried = len(task.subsets) + trial.fitted.weighed.shape[1]
    preferred = replace(combinations[place], out_of_fold=reached, candidates=tried)
    claim = trial.claim(place, predictions)
    if claim.place != place:
        rule, place, predictions = "shown", claim.place, out_of_fold.predictions[claim.place]
        preferred = combinations[place]
    of_best = trial.best_subset
    selection = Selection(
        combinations=tuple(replace(one, chosen=one.is_same(preferred)) for one in combinations),
        chosen=replace(preferred, chosen=True),
        rule=rule,
        best_by_chance=float(of_best.by_chance.mean()),
        best_in_sample=float(of_best.reached[0]),
        p_of_best=of_best.p(float(of_best.reached[0])),
        p_of_selection=claim.p,
        agreement=claim.agreement if claim.p <= BEYOND_CHANCE else preferred.out_of_fold,
        left_out=left_out,
        repeats=out_of_fold.repeats,
        folds=out_of_fold.scores.folds,
    )
    unrated = trial.fitted.predict(table.only(names).oriented[np.isnan(table.mean_rating)])[:, place]
    if trial.is_single(place):
        predictions = trial.predictions(place)
    return selection, Predictions(predictions, unrated)


@dataclass(frozen=True, slots=True)
class _Claim:
    """What may be claimed of one way to combine."""

    place: int  # of the way among all
    p: float  # the one-sided p-value of its agreement, with all counted that it was chosen from
    agreement: Estimate  # how far it agrees, given that it was chosen and that the claim is made

    def checked(self, p_alone: float = 0.0) -> "_Claim":
        """The claim; where the table's own p of the metric shows nothing, or of the figure 0.00 is left, not one.

        A figure of 0 is reached by chance alone in every second table.
        """
        p = p_alone if p_alone > 1 - LEVEL else 0.0
        return replace(self, p=max(self.p, p, 0.5 if (self.agreement.value or 0.0) < _LEAST_CLAIMED else 0.0))


@dataclass(frozen=True, eq=False)
class _Trial:
    """All ways to combine metrics, fitted to all rated items and without each fold, and the tests behind a claim."""

    rated: ScoreTable
    names: tuple[str, ...]  # the metrics that may be combined
    task: CombinationTask
    fitted: FittedWays
    out_of_fold: OutOfFold
    permutations: int
    seed: int  # seed of the shuffling, and of the folds in `out_of_fold`

    def is_single(self, place: int) -> bool:
        """Whether a way takes one metric as it is."""
        return place == 0

    def estimate_rho(self, predictions: Floats) -> Estimate:
        """Spearman of predictions, with its interval."""
        return estimate_correlation(mean_spearman, predictions, self.rated.mean_rating, self.rated.groups)

    def estimate_out_of_fold(self, predictions: Floats) -> Estimate:
        """Spearman of predictions by choices or fits in folds, with its interval.

        Dealing the folds again makes no new items, so that the error is that of one repeat, and not of the mean over
        them; and the fits of other answers would differ too, above it more than below. On Fisher's z.
        """
        each = [self.estimate_rho(column[:, None]) for column in predictions.T]
        ends = np.array([[one.value, one.low, one.high] for one in each], float)
        if np.isnan(ends).any() or np.abs(ends).max() > LARGEST_RHO:
            return self.estimate_rho(predictions)
        z, low, high = np.arctanh(ends).T
        value = float(ends[:, 0].mean())
        spread = np.array([SPREAD_OF_FITS * (low - z).mean(), _SPREAD_ABOVE * (high - z).mean()])
        ends = np.arctanh(value) + spread
        return replace(each[0], value=value, low=float(np.tanh(ends[0])), high=float(np.tanh(ends[1])))

    def predictions(self, place: int) -> Floats:
        """What stands for a way under the name of what it takes on all items: a metric is not chosen in each fold."""
        if self.is_single(place):
            return self.task.place_subset(int(self.fitted.rows[place]))[:, None]
        predictions: Floats = self.out_of_fold.predictions[place]
        return predictions

    def combinations(self) -> list[Combination]:
        """What each way reaches, in sample and out of fold."""
        task, in_sample = self.task, column_spearmans(self._columns, self.task.ratings).tolist()
        combinations = []
        for place, (rho, predictions) in enumerate(zip(in_sample, self.out_of_fold.predictions, strict=True)):
            if is_weighed := place == len(self.fitted.rows):
                metrics, candidates = self.names, 1
            else:
                metrics = subset_names(task.subsets[self.fitted.rows[place]], self.names)
                candidates = int((task.sizes == len(metrics)).sum())
            is_fixed = candidates == 1 and not is_weighed
            reached = (self.estimate_rho if is_fixed else self.estimate_out_of_fold)(predictions)
            kind: Kind = "weighed" if is_weighed else "subset"
            combinations.append(Combination(kind, len(metrics), metrics, rho, reached, candidates))
        return combinations

    def choose(self, combinations: Sequence[Combination]) -> tuple[str, int]:
        """The rule that is followed, and the way it chooses: the best where the simple one is known to be worse."""
        best, place = (RULES[rule](self.out_of_fold.scores) for rule in ("best", "simple"))
        if place == best:
            return "best", best
        own, others = self.predictions(place), self.predictions(best)
        gain = estimate_rho_difference(own, others, self.rated.mean_rating, self.rated.groups)
        return ("best", best) if gain.high is not None and gain.high < 0 else ("simple", place)

    def claim(self, preferred: int, predictions: Floats) -> _Claim:
        """Claims the preferred way, or else the best metric, or the mean rank of all, that is shown beyond chance.

        Returns the claim. Where nothing is shown, it is that of the preferred way, with its p-value and its estimate
        out of fold: nothing is claimed, so that nothing has to be corrected for it.
        """
        first = self._test(preferred, predictions)
        if first.p <= BEYOND_CHANCE:
            return first
        claims = (self._test(place, self.out_of_fold.predictions[place]) for place in (0, self._of_all))
        return next((claim for claim in claims if claim.p <= BEYOND_CHANCE), first)

    @cached_property
    def best_subset(self) -> Chance:
        """The test of the best of all subsets."""
        return chance_of_best(self.task, permutations=self.permutations, seed=self.seed)

    @cached_property
    def _gate(self) -> Chance:
        """The test that any measure or any subset agrees with the ratings."""
        return chance_of_any([self._simple, self.best_subset], _SHARES_OF_GATE)

    @cached_property
    def _simple(self) -> Chance:
        """The test of all measures that no rating chose or weighed: each metric, and the mean rank of all."""
        measures = np.hstack([self.task.scaled, self._columns[:, [self._of_all]]])
        return chance_of_measures(self.task, measures, permutations=self.permutations, seed=self.seed)

    @property
    def _of_all(self) -> int:
        """The place of the mean rank of all metrics."""
        return len(self.fitted.rows) - 1

    @cached_property
    def _columns(self) -> Floats:
        """What each way predicts of the items that it was fitted to, (items, ways)."""
        return self.fitted.predict_known(np.arange(len(self.task.ratings)))

    def _test(self, place: int, predictions: Floats) -> _Claim:
        """Tests a way whose predictions out of fold are these, and estimates how far it agrees if it passes."""
        column, plain = self._columns[:, [place]], self.estimate_rho(predictions)
        if place > self._of_all:
            chance = self._chance_of_weights()
            rho = float(chance.reached[0])
        else:
            chance = self._simple if self.is_single(place) or place == self._of_all else self.best_subset
            rho = float(column_spearmans(column, self.task.ratings)[0])
        p = max(chance.p(rho), self._gate.p(float(self._gate.reached[0])))
        if p > BEYOND_CHANCE or plain.value is None:
            return _Claim(place, p, plain)
        least = chance.critical_rho(self._error_of(chance))
        largest = believable_error(column[:, 0], self.task.ratings, self.task.group_numbers)
        correct = partial(estimate_winner, largest_error=largest)
        if self.is_single(place):
            rivals = self._rivals(place)
            low, high = winning_limits(column[:, 0], rivals, self.task.ratings, self.task.group_numbers)
            plain, quoted = self.estimate_rho(column), (max(least, low), high)
            return _Claim(place, p, correct(plain, quoted=quoted, rivals=rivals.shape[1])).checked(self._p_alone(place))
        # the choice is made inside the folds, so that only the test remains to be corrected for: what is quoted lies as
        # far above the least that would be as the tested rho does
        z, tested, critical = np.arctanh(np.clip([plain.value, rho, least], -LARGEST_RHO, LARGEST_RHO))
        quoted = (float(np.tanh(z - max(tested - critical, 0.0))), 1.0)
        return _Claim(place, p, correct(plain, quoted=quoted, widening=SPREAD_OF_FITS)).checked()

    def _p_alone(self, place: int) -> float:
        """The p-value of the metric's own interval, on the answers that it scored."""
        (name,) = subset_names(self.task.subsets[self.fitted.rows[place]], self.names)
        values = self.rated.column(name)
        scored = ~np.isnan(values)
        groups = [group for group, is_scored in zip(self.rated.groups, scored, strict=True) if is_scored]
        return spearman(values[scored].tolist(), self.rated.mean_rating[scored].tolist(), groups).p or 0.0

    def _error_of(self, chance: Chance) -> float:
        """The p-value at which a test shows something, all else equal: less than the whole where it opens the gate."""
        if chance not in (self._simple, self.best_subset):
            return BEYOND_CHANCE
        largest_p = -self._gate.critical_rho(BEYOND_CHANCE)
        for other, share in zip((self.best_subset, self._simple), reversed(_SHARES_OF_GATE), strict=True):
            if other is not chance and other.p(float(other.reached.max())) / share < largest_p:
                return BEYOND_CHANCE
        own = _SHARES_OF_GATE[0 if chance is self._simple else 1]
        return min(BEYOND_CHANCE, own * largest_p)

    def _chance_of_weights(self) -> Chance:
        return chance_of_weights(
            self.task,
            repeats=min(self.out_of_fold.repeats, _REPEATS_OF_FIT),
            folds=self.out_of_fold.scores.folds,
            permutations=self.permutations,
            seed=self.seed,
        )

    def _rivals(self, place: int) -> Floats:
        """The other metrics alone, where a way's metric is the best of all, (items, metrics)."""
        own = int(self.fitted.rows[place])
        rho = column_spearmans(self.task.scaled, self.task.ratings)
        return np.delete(self.task.scaled, own, axis=1)[:, : None if rho[own] >= rho.max() - 1e-9 else 0]


def _candidates(rated: ScoreTable) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The metrics that may be combined, and the others with the reason why not."""
    names, left_out = [], []
    for name in rated.metrics:
        values = rated.column(name)
        scored = values[~np.isnan(values)]
        if name in SENTINELS:
            left_out.append((name, "it says nothing of what an answer says"))
        elif len(scored) < _LEAST_COVERAGE * len(values):
            left_out.append((name, f"scored {len(scored)} of {count_of(len(values), 'rated answer')}, less than half"))
        elif not len(scored) or np.ptp(scored) == 0:
            left_out.append((name, "all values are equal"))
        else:
            names.append(name)
    return tuple(names), tuple(left_out)
