"""The decision between versions: its values, and the sentence that says it."""

from dataclasses import dataclass, field
from typing import Literal

from .version_table import VersionTable

Verdict = Literal["ship", "keep", "equivalent", "unsettled"]
Basis = Literal["ratings and scores", "ratings", "scores"]

MARGIN = 0.1
"""The largest difference of mean ratings, in points of the rating scale, that does not matter."""


@dataclass(frozen=True, slots=True)
class VersionEstimate:
    """What is known of one version.

    Attributes:
        name: Its name.
        n: How many of its answers take part.
        rated: How many of them are rated.
        mean: Its mean on the scale of the ratings (of the score, where nothing is rated).
        low: Lower end of the interval, which holds for all versions together; None without one.
        high: Its upper end.
        p_best: How probable it is that no other version has a higher mean, in [0, 1]; None without an interval.
        ranks: The best and the worst rank that it may have, 1 being the best.
    """

    name: str
    n: int
    rated: int
    mean: float
    low: float | None
    high: float | None
    p_best: float | None
    ranks: tuple[int, int]


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """How much better the second version is than the first.

    Attributes:
        first: The first version's name.
        second: The second's.
        difference: Mean of the second less that of the first.
        low: Lower end of the interval that holds at every look, and for all pairs together; None without one.
        high: Its upper end.
        p: The p-value that holds at every look, for all pairs together; None without an interval.
        fixed_low: Lower end of the interval for a single look that was planned before, for all pairs together.
        fixed_high: Its upper end.
        fixed_p: Its p-value.
        questions: How many questions both versions answered.
        changed: How many of these have another answer in the second version.
        rated: How many questions are rated in both versions (the same answer counts as rated in both).
        adjusted: The difference at equal length and style; None where that cannot be told.
        adjusted_low: Lower end of its interval for a single look.
        adjusted_high: Its upper end.
    """

    first: str
    second: str
    difference: float
    low: float | None
    high: float | None
    p: float | None
    fixed_low: float | None
    fixed_high: float | None
    fixed_p: float | None
    questions: int = 0
    changed: int = 0
    rated: int = 0
    adjusted: float | None = None
    adjusted_low: float | None = None
    adjusted_high: float | None = None


@dataclass(frozen=True, slots=True)
class Needs:
    """About what would settle an unsettled decision, in 8 of 10 cases.

    Attributes:
        answers: So many more answers per version, scored and rated as those at hand; None where it is settled or
            nobody can tell.
        ratings: So many more rated answers per version of those at hand; None where these would not do.
    """

    answers: int | None = None
    ratings: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Which version is better for the raters.

    Attributes:
        verdict: `ship` (the version `best` is better than the one in use), `keep` (the one in use is better than each
            other), `equivalent` (no other differs from it by more than the margin) or `unsettled`.
        best: The version with the highest mean; of a `ship`, the one to ship.
        versions: What is known of each version, in the order that they were named; the first is in use today.
        differences: Every pair of versions, those with the one in use first.
        needs: What would settle it.
        margin: The largest difference that does not matter.
        basis: What the decision rests on.
        scale: The lowest and the highest rating, or score.
        measure: The scorer or metric that decides; "" where ratings alone do.
        notes: What a reader should know, each a sentence: what is left out, assumed or adjusted.
    """

    verdict: Verdict
    best: str
    versions: tuple[VersionEstimate, ...]
    differences: tuple[VersionDifference, ...]
    needs: Needs
    margin: float
    basis: Basis
    scale: tuple[float, float]
    measure: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def sentence(self) -> str:
        """The decision in one or two sentences, which every command and page shows."""
        raise NotImplementedError


def decide_versions(table: VersionTable, *, margin: float = MARGIN, measure: str = "", seed: int = 0) -> Decision:
    """Decides between versions."""
    raise NotImplementedError
