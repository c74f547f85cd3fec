"""How metrics agree with the raters on which version is better: plain values. Nothing here computes."""

from dataclasses import dataclass

from .estimate import Estimate


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
