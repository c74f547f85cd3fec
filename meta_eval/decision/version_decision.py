"""The decision between versions: its values, and the sentence that says it."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from ...text.wording import count_of
from ..difference import describe_more_ratings

Verdict = Literal["ship", "keep", "equivalent", "unsettled"]
Basis = Literal["ratings and scores", "ratings", "preferences", "scores", "agreement"]
"""`agreement`: which measure agrees better with the raters, not which answers they like better."""

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
        p_best: How probable it is that no other version has a higher mean, in [0, 1]; None without an interval, or
            where only a score tells the versions apart: how far it likes one of them, nobody knows.
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
        by_score: Whether one of the versions has no ratings that count, so that the score alone tells them apart.
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
    by_score: bool = False


@dataclass(frozen=True, slots=True)
class OtherDifference:
    """How another metric sees a version: shown beside the decision, never chosen for it.

    Attributes:
        metric: The metric.
        first: The version in use today.
        second: The other version.
        difference: Mean of the second less that of the first, on the metric's scale; more is better.
        low: Lower end of the interval for a single look that holds for all rows of this table; None without one.
        high: Its upper end.
        p: The p-value for a single look, corrected for all rows (max-T).
    """

    metric: str
    first: str
    second: str
    difference: float
    low: float | None
    high: float | None
    p: float | None


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
        others: What other metrics say, corrected for how many they are.
        notes: What a reader should know, each a sentence: what is left out or assumed.
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
    others: tuple[OtherDifference, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The decision in one or two sentences, which every command and page shows.

        Example:
            >>> versions = (VersionEstimate("A", 80, 30, 3.1, 2.9, 3.3, 0.0, (2, 2)),
            ...             VersionEstimate("B", 80, 30, 3.6, 3.4, 3.8, 1.0, (1, 1)))
            >>> difference = VersionDifference("A", "B", 0.5, 0.2, 0.8, 0.001, 0.3, 0.7, 0.0001)
            >>> Decision("ship", "B", versions, (difference,), Needs(), 0.1, "ratings", (1, 5)).sentence
            'Ship B: your raters rate its answers 0.50 higher than those of A (likely 0.20 to 0.80, on 1 to 5).'
        """
        return (
            self._basis_clause
            + {
                "ship": self._ship,
                "keep": self._keep,
                "equivalent": self._equivalent,
                "unsettled": self._unsettled,
            }[self.verdict]()
        )

    def as_json(self) -> dict[str, Any]:
        """Returns the sentence and all values as JSON values."""
        return {"sentence": self.sentence} | asdict(self)

    @property
    def in_use(self) -> str:
        """The version that is in use today."""
        return self.versions[0].name

    @property
    def deciding(self) -> VersionDifference:
        """The difference that the sentence is about: of the version in use and the one to ship, or its best rival."""
        rivals = [row for row in self.differences if row.first == self.in_use]
        if self.verdict == "ship":
            return next(row for row in rivals if row.second == self.best)
        return max(rivals, key=lambda row: row.difference)

    @property
    def _basis_clause(self) -> str:
        if self.basis != "scores" or self._is_same:
            return ""
        return f"By {self.measure or 'the score'} alone, which no rating of these answers corrects: "

    @property
    def _subject(self) -> str:
        """Who rates: the raters, or the score that stands for them."""
        return f"{self.measure or 'the score'} rates" if self.basis == "scores" else "your raters rate"

    def _is_higher(self, amount: float, rival: str) -> str:
        if self.basis == "agreement":
            return f"its scores agree {amount:.2f} better with your raters than {rival}"
        if self.basis == "preferences":
            return f"your raters prefer its answers to {rival}, by a net share of wins of {amount:.2f}"
        return f"{self._subject} its answers {amount:.2f} higher than {rival}"

    @property
    def _unit(self) -> str:
        if self.basis == "agreement":
            return f"on {count_of(self.deciding.rated, 'answer')}"
        return f"on {self.scale[0]:g} to {self.scale[1]:g}"

    def _ship(self) -> str:
        row = self.deciding
        return self._start(
            f"ship {row.second}: {self._is_higher(row.difference, f'those of {row.first}')} "
            f"(likely {_range(row)}, {self._unit})."
        )

    def _keep(self) -> str:
        row = self.deciding
        rival = f"those of {row.second}" if len(self.versions) == 2 else f"those of the next best, {row.second}"
        likely = f"{-(row.high or 0.0):.2f} to {-(row.low or 0.0):.2f}"
        if row.high is not None and row.high >= 0:
            rest = f"no other is better, and the next best, {row.second}, differs by less than {self.margin:.3g}"
            return self._start(f"keep {row.first}: {rest} (likely {_range(row)}, {self._unit}).")
        return self._start(
            f"keep {row.first}: {self._is_higher(-row.difference, rival)} (likely {likely}, {self._unit})."
        )

    def _equivalent(self) -> str:
        row = self.deciding
        if len(self.versions) == 2:
            how = "no difference" if f"{abs(row.difference):.2f}" == "0.00" else f"{row.difference:+.2f}"
            rest = f"{row.second} and {row.first} differ by less than {self.margin:.3g} ({how}, {self._unit})."
        else:
            rest = f"no other version differs from {row.first} by {self.margin:.3g} or more ({self._unit})."
        return self._start(f"no difference that matters: {rest}")

    def _unsettled(self) -> str:
        row = self.deciding
        advice = self._advice()
        if row.low is None or row.high is None:
            return self._start(f"not settled: nothing says how sure the difference of {row.second} is{advice}.")
        worse, better = f"{max(-row.low, 0.0):.2f}", f"{max(row.high, 0.0):.2f}"
        if self.basis == "agreement":
            return self._start(
                f"not settled: {row.second} agrees with your raters somewhere between {worse} worse and {better} "
                f"better than {row.first} ({self._unit}){advice}."
            )
        if self.basis == "preferences":
            return self._start(
                f"not settled: the net share of wins of {row.second} over {row.first} is somewhere between "
                f"{row.low:+.2f} and {row.high:+.2f}{advice}."
            )
        return self._start(
            f"not settled: {self._subject} {row.second} somewhere between {worse} lower and {better} higher than "
            f"{row.first} ({self._unit}){advice}."
        )

    def _advice(self) -> str:
        answers, ratings = self.needs.answers, self.needs.ratings
        if (more := ratings) is not None and self.basis == "agreement":
            return f"; {describe_more_ratings(more)} ratings would settle it"
        parts = []
        if ratings is not None:
            parts.append(f"about {count_of(round_up(ratings), 'more rated answer')} of each")
        if answers is not None:
            answered = f"about {count_of(round_up(answers), 'more answer')} of each"
            parts.append(f"{answered}, rated alike," if self.basis != "scores" else answered)
        return (
            f"; {' or '.join(parts)} would settle it" if parts else "; nobody can tell how many ratings would settle it"
        )

    @property
    def _is_same(self) -> bool:
        """Whether no version gives another answer than the one in use: no score takes part in that."""
        return all(row.low == row.high == 0 for row in self.differences if row.first == self.in_use)

    def _start(self, text: str) -> str:
        return text if self._basis_clause else text[0].upper() + text[1:]


def round_up(count: int) -> int:
    """A number to come, as roughly as it is known: two digits, rounded up.

    Example:
        >>> round_up(43), round_up(1234), round_up(7)
        (43, 1300, 7)
    """
    step = int(10 ** max(0, len(str(count)) - 2))
    return -(-count // step) * step


def _range(row: VersionDifference) -> str:
    low, high = row.low or 0.0, row.high or 0.0
    return f"{low:.2f} to {high:.2f}" if low >= 0 else f"{low:+.2f} to {high:+.2f}"
