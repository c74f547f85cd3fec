"""The results of a meta-evaluation: plain values for a command and a report to show. Nothing here computes."""

from dataclasses import dataclass

from ..presentation.verdict import Verdict
from .agreement import MetricAgreement
from .comparison import Comparison
from .estimate import Estimate
from .pass_fail import PassFail, Trials
from .raters import Raters
from .selection import Selection
from .sending import Policy
from .version_agreement import VersionAgreement


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
class EvaluationSettings:
    """How every number was made."""

    items: int
    rated: int
    groups: int
    rating_min: float
    rating_max: float
    seed: int
    level: float  # confidence level of the intervals
    permutations: int
    versions: dict[str, str]  # the version of each package that computes


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """Which metric, alone or combined, agrees with the ratings, how far, and what that would save.

    Parts are None where the table does not allow them.
    """

    verdict: Verdict  # what a reader sees first
    metrics: tuple[MetricAgreement, ...]  # the agreement of each metric with the mean rating, and of a constant
    raters: Raters | None  # the agreement of the raters with each other
    severity: str  # which rater rates far lower or higher than the others; empty where none is known to
    selection: Selection | None
    # the choice with the best single metric and baseline; then the best single metric with each other
    comparisons: tuple[Comparison, ...]
    policy: Policy | None  # which answers could be sent or held back without a person
    slices: tuple[SliceAgreement, ...]  # the agreement by language, message type or another attribute
    # the agreement on which of two versions is better; None with ratings of fewer than two versions
    versions: VersionAgreement | None
    agreement: dict[str, PassFail]  # by metric, how far it passes and fails answers as people do
    trials: tuple[Trials, ...]  # how often repeated trials of a question pass; empty without any
    settings: EvaluationSettings

    @property
    def recommendation(self) -> str:
        """The verdict in one line: which metric to trust, and for what."""
        _, *lines = self.verdict.lines()
        return " ".join(f"{about}: {says}." for about, says in lines)

    def __str__(self) -> str:
        """The verdict."""
        return str(self.verdict)
