"""How metrics agree with the raters on which version is better, and the sentence that says so."""

from dataclasses import dataclass

from ..presentation.figure import Figure
from ..text.wording import count_of
from .estimate import Estimate

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
