"""The results of a meta-evaluation: plain values for a command and a report to show. Nothing here computes."""

from dataclasses import dataclass, field
from typing import Literal

from ..presentation.figure import Figure
from ..presentation.verdict import Verdict
from .agreement import MetricAgreement
from .difference import Standing
from .estimate import Estimate
from .pass_fail import PassFail, Trials
from .prediction_powered import MeanRating
from .version_results import VersionAgreement

BEYOND_CHANCE = 0.01
"""A claim is made where chance alone would do as well once in a hundred times: a scorer decides every night on it."""


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters on the items that both rated."""

    first: str
    second: str
    n: int
    kappa: float | None  # Cohen's kappa, as in Lassche et al. (2024) IV-C, at most 1.
    weighted_kappa: float | None  # the quadratic-weighted kappa, at most 1


@dataclass(frozen=True, slots=True)
class RaterCeiling:
    """One rater against the mean of the others."""

    rater: str
    n: int  # how many items the rater shares with any other
    rho: float | None  # Spearman's rank correlation, in [-1, 1]; None with fewer than five shared items


RaterVerdict = Literal["agree", "hardly agree", "too few"]
"""Whether the raters agree, or too few answers have two ratings to tell."""


@dataclass(frozen=True, slots=True)
class Raters:
    """How far the raters agree with each other, and what a metric can reach at best."""

    count: int
    items_rated_twice: int  # how many items two or more of them rated
    alpha: Estimate  # Krippendorff's alpha for ordinal ratings
    ac2: Estimate  # Gwet's AC2 with ordinal weights, which stays high where nearly all ratings are alike
    verdict: RaterVerdict
    more_answers: int | None  # about how many more items two of them should rate, to tell; None where one can
    problem: str  # what to say of the verdict; empty where they agree
    ceiling: Estimate  # the best Spearman with the mean rating that any measure could reach
    one_rater: Estimate  # the mean over raters of each one's Spearman with the mean of the others
    by_rater: tuple[RaterCeiling, ...]  # the same by rater
    pairs: tuple[RaterPair, ...]  # every two raters with shared items

    @property
    def validates(self) -> bool:
        """Whether a metric can be checked against these raters: unless the evidence says that they hardly agree."""
        return self.verdict != "hardly agree"

    @property
    def ceiling_sentence(self) -> str:
        """What a measure, and what one rater, can reach."""
        best, one = (_describe_agreement(estimate) for estimate in (self.ceiling, self.one_rater))
        return (
            f"The best that any measure could reach with these ratings: about {best}; one of your raters, against the "
            f"mean of the others: {one}."
        )


def _describe_agreement(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"unknown ({estimate.problem})"
    text = f"{Figure('rho', estimate.value)} of 1"
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} (likely {Figure('rho', estimate.low)} to {Figure('rho', estimate.high)})"


@dataclass(frozen=True, slots=True)
class Combination:
    """One way to combine metrics: what it reaches on the data that chose it, and on data that did not."""

    kind: str  # `subset` (the best subset, equal weights), or the combiner that takes all metrics
    size: int
    metrics: tuple[str, ...]
    in_sample: float | None  # Spearman's rho on the items that chose it, in [-1, 1]
    out_of_fold: Estimate  # rho of the whole way of choosing, repeated inside each training part
    optimism: float | None
    candidates: int
    chosen: bool = False
    cost: float | None = None  # what its metrics cost per 1,000 answers; None where that is unknown
    most_cost: float | None = None  # the bound on the cost of the subsets that it was chosen from; None without one


@dataclass(frozen=True, slots=True)
class ChosenCombination:
    """What one rule chooses among all combinations."""

    # `best`; `simple`, the fewest metrics within one standard error of the best; `cheap`, the lowest cost within one;
    # or `shown`, the metric or combiner without a fit that is claimed where the preferred choice is not shown beyond
    # chance
    rule: str
    # what it chooses on all rated items. `out_of_fold` is that of the rule, repeated inside each training part.
    combination: Combination
    # Spearman out of fold of what it chooses on all rated items less that of what the best one does; None for the best.
    # (The rules themselves choose the same in many folds, and differ by less.)
    difference: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """All combinations, the one chosen, and what chance gives."""

    combine: str
    prefer: str  # the rule that the recommendation follows: `best`, `simple` or `cheap`
    # the best subset of each size and within each bound on cost, then the combiners of all metrics
    combinations: tuple[Combination, ...]
    # what each rule chooses, the best first; a rule that chooses the same as an earlier one is left out
    choices: tuple[ChosenCombination, ...]
    # what the claim is about: the choice of the rule that is preferred; where that is not shown beyond chance and a
    # single metric (or the combiners' unfitted mean) is, the latter
    chosen: Combination
    best_by_chance: float  # the mean over shuffled ratings of the best in-sample rho of all subsets
    best_in_sample: float
    p_of_best: float  # how often chance reaches `best_in_sample`
    # the p-value of the claim about `chosen`: how often chance alone would do as well, with all counted that it was
    # chosen from
    p_of_selection: float
    # by metric, the share of resampled tables whose best subset of any size contains it
    stability: tuple[tuple[str, float], ...]
    left_out: tuple[tuple[str, str], ...]
    repeats: int
    folds: int
    # how far `chosen` agrees with the ratings, given that it was chosen and is claimed: the one figure that every
    # sentence, table and saved scorer quotes. Where nothing is claimed, `chosen.out_of_fold`.
    agreement: Estimate
    cost_unit: str = ""  # the unit of the costs; empty where they are unknown
    # the chosen combination's score of each item of the table on the rating scale, out of fold where the item is rated;
    # None where there is none
    predictions: tuple[float | None, ...] = field(repr=False, default=())

    @property
    def is_beyond_chance(self) -> bool:
        """Whether `chosen` is claimed to agree with the ratings."""
        return self.p_of_selection <= BEYOND_CHANCE

    def agreement_of(self, combination: Combination) -> Estimate:
        """How far a combination agrees on answers that did not choose it: of the chosen one `agreement`."""
        is_chosen = (combination.kind, combination.metrics) == (self.chosen.kind, self.chosen.metrics)
        return self.agreement if is_chosen else combination.out_of_fold

    def optimism_of(self, combination: Combination) -> float | None:
        """How much more a combination reaches on the answers that chose it than by `agreement_of`."""
        reached = self.agreement_of(combination).value
        return None if reached is None or combination.in_sample is None else combination.in_sample - reached


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sets of scores of the same items against the same ratings: rho(first) - rho(second)."""

    first: str  # the name of the first set
    second: str  # the name of the second set
    n: int
    rho_first: float | None  # Spearman of the first set with the ratings
    rho_second: float | None  # Spearman of the second
    difference: Estimate  # rho_first - rho_second, with interval and p-value
    margin: float
    standing: Standing  # what the difference shows: better, worse, equivalent, or how many more ratings would tell
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SliceAgreement:
    """The agreement on the items with one label of an attribute, such as language nl."""

    attribute: str  # the attribute, such as language
    label: str  # the label, such as nl
    n: int
    mean_rating: float | None  # their mean rating
    metrics: tuple[tuple[str, Estimate], ...]  # Spearman of each metric
    chosen: Estimate


@dataclass(frozen=True, slots=True)
class Threshold:
    """What one threshold does with scores out of fold: answers at or above it are sent, those below it held back.

    Bad is rated below the middle of the scale, good above it.
    """

    at: float
    sent: int
    sent_bad: int
    sent_good: int
    held: int
    held_bad: int
    held_good: int
    wrong_rate: Estimate  # the share of bad answers among those sent, with its Clopper-Pearson interval
    hours_saved: float  # hours that sent answers save a person, per 1,000 answers


@dataclass(frozen=True, slots=True)
class Policy:
    """Table V of Lassche et al. (2024) as a policy: two thresholds, and a person for what lies between.

    The counts are those of the check, out of fold: each fold's answers are treated by thresholds that were chosen
    without them.
    """

    thresholds: tuple[Threshold, ...]  # what each possible threshold would do
    bound: float  # the aim: the largest share of bad answers among those sent
    confidence: float
    minutes: float
    # answers at or above it are sent; chosen on all rated items. None where no threshold keeps the bound, or where the
    # check found more bad answers than the bound.
    send_at: float | None
    # answers below it are held back; None where no threshold keeps the bound, or the check broke it
    hold_below: float | None
    n: int
    bad: int
    good: int
    sent: int
    sent_bad: int
    held: int
    held_good: int
    to_person: int
    wrong_rate: Estimate  # the share of bad answers among those sent
    right_held_rate: Estimate  # the share of good answers among those held back
    hours_saved: float  # hours saved per 1,000 answers
    problem: str = ""


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How every number was made."""

    items: int
    rated: int
    groups: int
    rating_min: float
    rating_max: float
    seed: int
    level: float  # confidence level of the intervals
    bootstrap: int  # how often the groups were drawn again, for how often each metric is chosen
    permutations: int
    versions: dict[str, str]  # the version of each package that computes


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """Which metric, alone or combined, agrees with the ratings, how far, and what that would save.

    Parts are None where the table does not allow them.
    """

    verdict: Verdict  # what a reader sees first
    recommendation: str  # one sentence for a support lead: which measure follows the team, and what it may be used for
    # what is known in figures, in three short lines: how far the choice agrees, its difference from the others, and
    # what the raters reach. A fourth says how it tells versions apart, where several are rated.
    explanation: str
    metrics: tuple[MetricAgreement, ...]  # the agreement of each metric with the mean rating, and of a constant
    raters: Raters | None  # the agreement of the raters with each other
    selection: Selection | None
    # the choice with the best single metric and baseline; then the best single metric with each other
    comparisons: tuple[Comparison, ...]
    policy: Policy | None  # which answers could be sent or held back without a person
    mean_rating: MeanRating | None  # the mean rating of all answers from few ratings
    slices: tuple[SliceAgreement, ...]  # the agreement by language, message type or another attribute
    # the agreement on which of two versions is better; None with ratings of fewer than two versions
    versions: VersionAgreement | None
    agreement: dict[str, PassFail]  # by metric, how far it passes and fails answers as people do
    trials: tuple[Trials, ...]  # how often repeated trials of a question pass; empty without any
    settings: EvaluationSettings

    def __str__(self) -> str:
        """The verdict."""
        return str(self.verdict)
