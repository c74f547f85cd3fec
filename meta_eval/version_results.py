"""How metrics agree with the raters on which version is better: plain values. Nothing here computes."""

from dataclasses import dataclass

from .estimate import Estimate


@dataclass(frozen=True, slots=True)
class VersionPair:
    """Two versions as the raters see them.

    Attributes:
        questions: How many questions both answered, where they are paired; else how many answers there are.
        difference: The raters' mean of the second less that of the first.
    """

    first: str
    second: str
    questions: int
    paired: bool
    groups: int
    difference: float
    p: float


@dataclass(frozen=True, slots=True)
class MetricVersions:
    """One metric against the raters on the level of versions, on the answers that it scored.

    Attributes:
        pairs: Of how many pairs of versions the raters' means differ.
        ordered: How many of these it orders as the raters do.
        soft: The soft pairwise accuracy, in [0, 1], with its interval over groups for these very versions.
        by_chance: What a metric that says nothing would reach on average.
        calls: In how many pairs its own test says that one version is better.
        contrary: Those pairs of `calls` where the raters' mean says the contrary: (what it calls better, the other).
        unseen: Those pairs of `calls` where the raters' own test sees no difference.
        false_rate: The share of `contrary` in `calls`, with an interval for other versions of this kind.
        difference: Its soft pairwise accuracy less that of the measure in question, on the answers that both scored.
    """

    metric: str
    baseline: bool
    answers: int
    pairs: int
    ordered: int
    soft: Estimate
    by_chance: float | None
    calls: int
    contrary: tuple[tuple[str, str], ...]
    unseen: tuple[tuple[str, str], ...]
    false_rate: Estimate
    difference: float | None = None
    p: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class VersionAgreement:
    """How metrics agree with the raters on which version is better.

    Attributes:
        versions: The name of each version.
        answers: How many rated answers each has.
        ratings: The raters' mean of each.
        measure: The measure in question: what was chosen, else the metric that agrees best on answers.
        metrics: Each metric; what was chosen by its scores out of fold, where it is a combination.
        permutations: The most labels of versions that were swapped for a p-value.
        exact: Whether all swaps that there are were made, for every pair.
    """

    versions: tuple[str, ...]
    answers: tuple[int, ...]
    ratings: tuple[float, ...]
    pairs: tuple[VersionPair, ...]
    measure: str
    metrics: tuple[MetricVersions, ...]
    permutations: int
    exact: bool
    notes: tuple[str, ...]

    def metric(self, name: str) -> MetricVersions | None:
        """One metric's figures; None for an unknown one."""
        return next((one for one in self.metrics if one.metric == name), None)
