"""Which metric picks the better version: agreement with raters on versions, and the sentence that says so."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..presentation.figure import Figure
from ..text.wording import count_of
from .arrays import Bools, Floats, Places
from .estimate import Estimate, clopper_pearson, estimate
from .table import ScoreTable
from .version_swaps import SAME, PairSwaps, RatedVersions, find_swaps, one_sided_p, two_sided_p

GOOD_ON_VERSIONS = 0.8
"""From which soft pairwise accuracy on a metric is called good at telling versions apart."""
GOOD_ON_ANSWERS = 0.3
"""From which agreement (Spearman) on a metric is called good at telling answers apart: `moderately` in the sentence."""
_FEW_PAIRS = 3
_MOST_NAMED = 2
_KNOWN = {
    (True, True): "It is good at both",
    (True, False): "It is good at telling these versions apart and poor at telling answers apart",
    (True, None): "It is good at telling these versions apart; how good at answers is not settled",
    (False, True): "It is good at telling answers apart and poor at telling these versions apart",
    (False, False): "It is good at neither",
    (False, None): "It is poor at telling these versions apart; how good at answers is not settled",
    (None, True): "It is good at telling answers apart; how good at versions is not settled",
    (None, False): "It is poor at telling answers apart; how good at versions is not settled",
    (None, None): "How good it is at either is not settled",
}
"""What is known of it: between versions, and on answers; None where the interval does not tell."""


@dataclass(frozen=True, slots=True)
class VersionPair:
    """Two versions as the raters see them."""

    first: str
    second: str
    questions: int  # how many questions both answered, where they are paired; else how many answers there are
    paired: bool
    groups: int
    difference: float  # the raters' mean of the second less that of the first
    p: float


@dataclass(frozen=True, slots=True)
class MetricVersions:
    """One metric against the raters on the level of versions, on the answers that it scored."""

    metric: str
    baseline: bool
    answers: int
    pairs: int  # of how many pairs of versions the raters' means differ
    ordered: int  # how many of these it orders as the raters do
    soft: Estimate  # the soft pairwise accuracy, in [0, 1], with its interval over groups for these very versions
    by_chance: float | None  # what a metric that says nothing would reach on average
    calls: int  # in how many pairs its own test says that one version is better
    # those pairs of `calls` where the raters' mean says the contrary: (what it calls better, the other)
    contrary: tuple[tuple[str, str], ...]
    unseen: tuple[tuple[str, str], ...]  # those pairs of `calls` where the raters' own test sees no difference
    false_rate: Estimate  # the share of `contrary` in `calls`, with an interval for other versions of this kind
    # its soft pairwise accuracy less that of the measure in question, on the answers that both scored
    difference: float | None = None
    p: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class VersionAgreement:
    """How metrics agree with the raters on which version is better."""

    versions: tuple[str, ...]  # the name of each version
    answers: tuple[int, ...]  # how many rated answers each has
    ratings: tuple[float, ...]  # the raters' mean of each
    pairs: tuple[VersionPair, ...]
    measure: str  # the measure in question: what was chosen, else the metric that agrees best on answers
    # each metric; what was chosen by its scores out of fold, where it is a combination
    metrics: tuple[MetricVersions, ...]
    permutations: int  # the most labels of versions that were swapped for a p-value
    exact: bool  # whether all swaps that there are were made, for every pair
    notes: tuple[str, ...]

    def metric(self, name: str) -> MetricVersions | None:
        """One metric's figures; None for an unknown one."""
        return next((one for one in self.metrics if one.metric == name), None)


def describe_versions(agreement: VersionAgreement, on_answers: Estimate) -> str:
    """Says how well the measure in question tells versions apart, and how well answers.

    Returns two or three sentences. Good and poor are claims of the interval: its lower end reaches, or its upper end
    does not reach, 0.8 for versions and 0.3 for answers.
    """
    one = agreement.metric(agreement.measure)
    if one is None or one.problem:
        why = one.problem if one else "no measure was chosen"
        return f"Between {count_of(len(agreement.versions), 'version')}: nothing can be told, as {why}."
    if not one.pairs:
        return "Between versions: the raters' means are equal, so that no measure can order them as the raters do."
    soft = one.soft
    low, high = (Figure("coefficient", end) for end in (soft.low, soft.high))
    likely = f"; {soft.problem}" if soft.low is None else f", likely {low} to {high}"
    agrees = "" if on_answers.value is None else f"; on answers its agreement is {Figure('rho', on_answers.value)}"
    differ = "" if one.pairs == len(agreement.pairs) else " that differ"
    first = (
        f"Between versions: {one.metric} orders {one.ordered} of {count_of(one.pairs, 'pair')}{differ} as the raters "
        f"do (soft pairwise accuracy {Figure('coefficient', soft.value)}{likely}){agrees}."
    )
    return " ".join(filter(None, (first, _calls(one), _conclusion(agreement, one, on_answers))))


def _calls(one: MetricVersions) -> str:
    """The metric's false winners."""
    if not one.calls:
        return "Its own test calls no winner."
    calls = f"Its own test calls a winner in {count_of(one.calls, 'pair')}"
    unseen = f", {len(one.unseen)} where the raters see no difference" if one.unseen else ""
    if not one.contrary:
        return f"{calls}, none contrary to the raters' mean{unseen}."
    named = [f"{winner} over {loser}" for winner, loser in one.contrary[:_MOST_NAMED]]
    named += ["..."] if len(one.contrary) > _MOST_NAMED else []
    return f"{calls}: {len(one.contrary)} contrary to the raters' mean ({', '.join(named)}){unseen}."


def _conclusion(agreement: VersionAgreement, one: MetricVersions, on_answers: Estimate) -> str:
    """What it is good at, as far as that is known, and how little few versions tell."""
    pairs = len(agreement.pairs)
    if pairs == 1:
        return "One pair of versions tells little: a coin would order it right half of the time."
    text = _KNOWN[_is_good(one.soft, GOOD_ON_VERSIONS), _is_good(on_answers, GOOD_ON_ANSWERS)]
    few = f"; {count_of(pairs, 'pair')} of versions tell little of others" if pairs <= _FEW_PAIRS else ""
    return f"{text}{few}."


def _is_good(estimate: Estimate, least: float) -> bool | None:
    """Whether the value reaches a bound; None where its interval does not tell."""
    if estimate.low is None or estimate.high is None:
        return None
    return True if estimate.low >= least else False if estimate.high < least else None


CALL = 0.05
"""A metric, or the raters, call a version better where the two-sided p-value of their own test is at most this."""
MOST_VERSIONS = 12
FEWEST_ANSWERS = 5
_SWAPS_OF_INPUTS = 499  # of two metrics; each needs all p-values again
_VERSION_SWAPS_OF_INPUTS = 500
_COLUMNS_PER_BLOCK = 256


def version_agreement(
    table: ScoreTable, *, measure: str = "", out_of_fold: Floats | None = None, permutations: int = 2000, seed: int = 0
) -> VersionAgreement | None:
    """Compares metrics with raters on which of two versions is better, for every two versions.

    Soft pairwise accuracy is 1 - the mean over pairs of versions of |p of the raters - p of the metric|, each p being
    the one-sided p-value that the one version is better than the other (Thompson et al., 2024). It is 1 where the
    metric is as sure of the same winners as the raters are. Hard pairwise accuracy, the share of pairs that are ordered
    alike, counts a pair that nobody can tell apart as much as a clear one.

    The p-values come from permutations. Where two versions answered the same questions (at least half of those of the
    smaller one), answers to one question are compared, and the labels of the two versions are swapped in whole groups.
    Else the labels are swapped in groups that have answers of both, and shuffled over groups that have answers of one.
    All swaps are made where they are at most `permutations` (2^7 of 7 groups), else that many at random. Half of the
    swaps that come to the observed difference count as above it, so that the p-values of the two directions sum to 1;
    the two-sided tests behind `calls` count all of them, and so call nothing below six groups.

    Whether two metrics differ is tested by PERM-INPUTS (Deutsch, Dror and Roth, 2021): their standardised scores change
    places in whole groups. Returns the agreement; None where fewer than two versions have at least five rated answers.
    """
    rated = table.rated()
    labels = np.asarray(rated.versions, dtype=object)
    names, notes = _choose_versions(labels)
    if len(names) < 2:
        return None
    columns = {name: rated.column(name) for name in rated.metrics}
    if out_of_fold is not None:
        columns = {measure: out_of_fold} | columns
    answers = RatedVersions.build(rated, labels, names)
    everything = _Design(answers, ~np.isnan(rated.mean_rating), permutations, seed)
    by_metric = {
        name: _metric_versions(name, values, answers, permutations=permutations, seed=seed)
        for name, values in columns.items()
    }
    compared = {
        name: compare_soft_accuracy(answers, columns[name], columns[measure], permutations=permutations, seed=seed)
        for name, result in by_metric.items()
        if measure in columns and name != measure and not result.problem and not by_metric[measure].problem
    }
    counts = answers.counts()
    return VersionAgreement(
        versions=names,
        answers=tuple(map(int, counts)),
        ratings=tuple(answers.means(rated.mean_rating)),
        pairs=tuple(everything.describe_pairs()),
        measure=measure,
        metrics=tuple(
            replace(
                result,
                baseline=name in rated.baselines,
                difference=compared.get(name, (None, None))[0],
                p=compared.get(name, (None, None))[1],
            )
            for name, result in by_metric.items()
        ),
        permutations=max((len(pair.keeps) for pair in everything.pairs), default=0),
        exact=all(pair.exact for pair in everything.pairs),
        notes=(*notes, *everything.notes()),
    )


def _choose_versions(labels: "np.ndarray[tuple[int], np.dtype[np.object_]]") -> tuple[tuple[str, ...], list[str]]:
    """The versions that are compared, in the order of the table, and what to say of the others."""
    counts: dict[str, int] = {}
    for label in labels.tolist():
        counts[label] = counts.get(label, 0) + 1
    notes = []
    if nameless := counts.pop("", 0):
        notes.append(f"{count_of(nameless, 'rated answer names', 'rated answers name')} no version")
    small = [name for name, count in counts.items() if count < FEWEST_ANSWERS]
    if small:
        listed = ", ".join(small[:3]) + (", ..." if len(small) > 3 else "")
        few = f"fewer than {FEWEST_ANSWERS} rated answers and"
        notes.append(f"{count_of(len(small), f'version has {few} is', f'versions have {few} are')} left out: {listed}")
    names = [name for name in counts if name not in small]
    if len(names) > MOST_VERSIONS:
        kept = set(sorted(names, key=lambda name: -counts[name])[:MOST_VERSIONS])
        notes.append(f"of {count_of(len(names), 'version')}, the {MOST_VERSIONS} with most ratings are compared")
        names = [name for name in names if name in kept]
    return tuple(names), notes


class _Design:
    """Every two versions, on the answers that take part."""

    def __init__(self, answers: RatedVersions, takes_part: Bools, permutations: int, seed: int) -> None:
        self._answers = answers
        present = set(np.unique(answers.version[takes_part]).tolist())
        self.pairs = [
            PairSwaps(answers, takes_part, first, second, permutations=permutations, seed=seed)
            for first, second in combinations(range(len(answers.names)), 2)
            if first in present and second in present
        ]
        self.takes_part = takes_part

    def describe_pairs(self) -> Iterator[VersionPair]:
        names = self._answers.names
        for pair in self.pairs:
            differences = pair.differences(pair.sums(self._answers.ratings))
            yield VersionPair(
                names[pair.first],
                names[pair.second],
                pair.questions,
                pair.paired,
                len(pair.groups),
                -float(differences[0, 0]),
                two_sided_p(differences),
            )

    def notes(self) -> Iterator[str]:
        if unpaired := sum(not pair.paired for pair in self.pairs):
            pairs = count_of(len(self.pairs), "pair")
            where = "" if unpaired == len(self.pairs) else f"in {unpaired} of {pairs} "
            yield f"{where}the versions answered different questions: their means are compared"

    def groups(self) -> Places:
        return np.unique(np.concatenate([pair.groups for pair in self.pairs]))

    def soft_accuracy(self, values: Floats, weights: Floats, groups: Places) -> Floats:
        """The soft pairwise accuracy of values (answers,) under weights (groups, columns), (columns,)."""
        gaps = np.zeros(weights.shape[1])
        for pair in self.pairs:
            own = weights[np.searchsorted(groups, pair.groups)]
            ratings, scores = pair.sums(self._answers.ratings), pair.sums(values)
            for first in range(0, weights.shape[1], _COLUMNS_PER_BLOCK):
                block = slice(first, first + _COLUMNS_PER_BLOCK)
                p_raters = one_sided_p(pair.differences(ratings, own[:, block]))
                gaps[block] += np.abs(p_raters - one_sided_p(pair.differences(scores, own[:, block])))
        accuracy: Floats = 1 - gaps / len(self.pairs)
        return accuracy


def _metric_versions(
    name: str, values: Floats, answers: RatedVersions, *, permutations: int, seed: int
) -> MetricVersions:
    """One metric on the answers that it scored."""
    is_scored = ~np.isnan(values) & (answers.version >= 0)
    nothing = Estimate(None, n=int(is_scored.sum()))
    counts = np.bincount(answers.version[is_scored], minlength=len(answers.names))
    if (counts < FEWEST_ANSWERS).any():
        lacking = answers.names[int(np.argmin(counts))]
        problem = f"it scored {count_of(int(counts.min()), 'rated answer')} of {lacking}"
        return MetricVersions(
            name, False, int(is_scored.sum()), 0, 0, nothing, None, 0, (), (), nothing, problem=problem
        )
    design = _Design(answers, is_scored, permutations, seed)
    values = _standardised(values, is_scored)
    ordered = told_apart = calls = 0
    chance = 0.0
    contrary: list[tuple[str, str]] = []
    unseen: list[tuple[str, str]] = []
    for pair in design.pairs:
        by_raters = pair.differences(pair.sums(answers.ratings))
        by_metric = pair.differences(pair.sums(values))
        raters, metric = (_sign(float(one[0, 0])) for one in (by_raters, by_metric))
        told_apart += raters != 0
        ordered += raters != 0 and raters == metric
        p = float(one_sided_p(by_raters)[0])
        chance += 1 - (p**2 + (1 - p) ** 2) / 2
        if metric and two_sided_p(by_metric) <= CALL:
            calls += 1
            winner = (answers.names[pair.first], answers.names[pair.second])[:: 1 if metric > 0 else -1]
            contrary += [(winner[0], winner[1])] if raters == -metric else []
            unseen += [(winner[0], winner[1])] if two_sided_p(by_raters) > CALL else []
    groups = design.groups()
    soft = estimate(
        lambda weights: design.soft_accuracy(values, weights, groups), list(map(str, groups)), scale="logit"
    )
    return MetricVersions(
        name,
        False,
        int(is_scored.sum()),
        told_apart,
        ordered,
        replace(soft, n=int(is_scored.sum())),
        chance / len(design.pairs),
        calls,
        tuple(contrary),
        tuple(unseen),
        _false_rate(len(contrary), calls, len(answers.names)),
    )


def _sign(difference: float) -> int:
    return 0 if abs(difference) < SAME else 1 if difference > 0 else -1


def _standardised(values: Floats, is_scored: Bools) -> Floats:
    """Scores with mean 0 and spread 1, and 0 for what is not scored and takes no part."""
    scored = values[is_scored]
    spread = float(scored.std())
    return np.where(is_scored, (values - scored.mean()) / (spread or 1.0), 0.0)


def _false_rate(contrary: int, calls: int, versions: int) -> Estimate:
    """The share of calls that are contrary, by the exact interval at an effective size.

    The k (k - 1) / 2 pairs of k versions hold no more than k - 1 independent differences, so that c calls count as
    2 c / k (Clopper and Pearson, 1934, at an effective size: Korn and Graubard, 1998).
    """
    if not calls:
        return Estimate(None, n=0, problem="it calls no version better")
    share = contrary / calls
    return Estimate(share, *clopper_pearson(share, 2 * calls / versions), n=calls)


def compare_soft_accuracy(
    answers: RatedVersions, first: Floats, second: Floats, *, permutations: int, seed: int
) -> tuple[float | None, float | None]:
    """Compares two measures' soft pairwise accuracy on the answers that both scored.

    The standardised scores of the two change places in whole groups (PERM-INPUTS). All ways are tried where they are
    few, else 499 at random. Returns the accuracy of the first less that of the second, and its two-sided p-value; None
    where a version has fewer than five such answers.
    """
    has_both = ~np.isnan(first) & ~np.isnan(second) & (answers.version >= 0)
    if (np.bincount(answers.version[has_both], minlength=len(answers.names)) < FEWEST_ANSWERS).any():
        return None, None
    design = _Design(answers, has_both, min(permutations, _VERSION_SWAPS_OF_INPUTS), seed)
    one, other = _standardised(first, has_both), _standardised(second, has_both)
    groups = design.groups()
    stays, _ = find_swaps(
        np.ones(len(groups), dtype=bool),
        np.ones(len(groups), dtype=bool),
        _SWAPS_OF_INPUTS,
        np.random.default_rng([seed, len(groups)]),
    )
    differences = np.zeros(len(stays))
    for pair in design.pairs:
        own = stays[:, np.searchsorted(groups, pair.groups)].T
        p_raters = one_sided_p(pair.differences(pair.sums(answers.ratings)))
        gaps = []
        for mine, theirs in ((one, other), (other, one)):
            sums = tuple(
                own * with_mine + (1 - own) * with_theirs
                for with_mine, with_theirs in zip(pair.sums(mine), pair.sums(theirs), strict=True)
            )
            gaps.append(np.abs(p_raters - one_sided_p(pair.differences((sums[0], sums[1])))))
        differences += (gaps[1] - gaps[0]) / len(design.pairs)
    reached = np.abs(differences) >= abs(differences[0]) - SAME
    return float(differences[0]), float(reached.mean())
