"""Which metric picks the better version: the raters and each metric on every two versions, by the test of `decide`."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ..text.wording import count_of
from .arrays import Floats, Places
from .groups import merge_groups
from .table import ScoreTable

if TYPE_CHECKING:
    from .decision.version_table import VersionTable

CALL = 0.05
"""A metric, or the raters, call a version better where the two-sided p-value of their own test is at most this."""
MOST_VERSIONS = 12
FEWEST_ANSWERS = 5
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class VersionPair:
    """Two versions by their ratings, or by a metric."""

    first: str
    second: str
    is_paired: bool  # whether they are compared question by question
    questions: int  # how many questions both answered, where they are paired; else how many either did
    groups: int
    difference: float  # the mean of the second less that of the first
    p: float | None  # as `decide` has it; None where nothing says how sure the difference is

    @property
    def better(self) -> str:
        """The better version; "" where they are equal."""
        return "" if abs(self.difference) < _SAME else self.second if self.difference > 0 else self.first

    @property
    def is_called(self) -> bool:
        """Whether the test says that one is better."""
        return self.better != "" and self.p is not None and self.p <= CALL


@dataclass(frozen=True, slots=True)
class MetricVersions:
    """One metric against the raters on the level of versions, on the answers that it scored."""

    metric: str
    baseline: bool
    answers: int
    pairs: int = 0  # of how many pairs of versions the raters' means differ
    ordered: int = 0  # how many of these it orders as the raters do
    calls: int = 0  # in how many pairs its own test says that one version is better
    # those pairs of `calls` where the raters' mean says the contrary: (what it calls better, the other)
    contrary: tuple[tuple[str, str], ...] = ()
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
    notes: tuple[str, ...]


def version_agreement(
    table: ScoreTable, *, measure: str = "", out_of_fold: Floats | None = None
) -> VersionAgreement | None:
    """Compares metrics with raters on which of two versions is better, for every two versions.

    Differences and p-values, of the raters and of each metric on the answers that it scored, are those that `decide`
    has of two versions whose answers are all rated. Returns the agreement; None where fewer than two versions have at
    least five rated answers.
    """
    rated = table.rated()
    names, notes = _choose_versions(rated.versions)
    if len(names) < 2:
        return None
    columns = {name: rated.column(name) for name in rated.metrics}
    if out_of_fold is not None:
        columns = {measure: out_of_fold} | columns
    answers = _RatedAnswers(rated, names)
    by_raters = list(answers.compare(answers.places))
    if unpaired := sum(not pair.is_paired for pair in by_raters):
        where = "" if unpaired == len(by_raters) else f"in {unpaired} of {count_of(len(by_raters), 'pair')} "
        notes.append(f"{where}the versions answered different questions: their means are compared")
    return VersionAgreement(
        versions=names,
        answers=tuple(answers.counts(answers.places).tolist()),
        ratings=tuple(float(rated.mean_rating[answers.version == place].mean()) for place in range(len(names))),
        pairs=tuple(by_raters),
        measure=measure,
        metrics=tuple(
            answers.describe(name, values, name in rated.baselines, by_raters) for name, values in columns.items()
        ),
        notes=tuple(notes),
    )


def _choose_versions(labels: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """The versions that are compared, in the order of the table, and what to say of the others."""
    counts: dict[str, int] = {}
    for label in labels:
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


class _RatedAnswers:
    """The rated answers as `decide` takes them."""

    def __init__(self, rated: ScoreTable, names: tuple[str, ...]) -> None:
        self._names, self._ratings = names, rated.mean_rating
        self._width = rated.rating_max - rated.rating_min
        by_name = {name: place for place, name in enumerate(names)}
        self.version = np.array([by_name.get(label, -1) for label in rated.versions], dtype=np.intp)
        self.places = np.flatnonzero(self.version >= 0)
        named = [question or f"\0{item}" for question, item in zip(rated.questions, rated.items, strict=True)]
        self._question = np.unique(np.array(named, dtype=object).astype(str), return_inverse=True)[1]
        groups = merge_groups(rated.groups, rated.questions)
        self._group = np.unique(np.array(groups, dtype=object).astype(str), return_inverse=True)[1]

    def counts(self, places: Places) -> Places:
        """How many of some answers each version has, (versions,)."""
        return np.bincount(self.version[places], minlength=len(self._names))

    def _table(self, places: Places) -> "VersionTable":
        from .decision.version_table import VersionTable  # loads scipy.stats, which only versions need

        nothing = np.full(len(places), np.nan)
        columns = (self.version[places], self._question[places], self._group[places])
        return VersionTable(self._names, *columns, nothing, nothing, text=np.arange(len(places)))

    def compare(self, places: Places, scores: Floats | None = None) -> Iterator[VersionPair]:
        """Compares every two versions by the answers at some places: by their ratings, or by scores (answers,)."""
        from .decision.decision_rule import difference_interval
        from .decision.version_difference import estimate_difference
        from .decision.version_table import VersionQuestions
        from .sequence import Look

        values = (self._ratings if scores is None else scores)[places]
        width = self._width if scores is None else float(np.ptp(values)) or 1.0
        questions = VersionQuestions.of_columns(self._table(places), values, np.zeros(len(places)))
        for first, second in combinations(range(len(self._names)), 2):
            pair = estimate_difference(questions, first, second, width=width)
            interval = difference_interval(pair, Look(), 1, width, width)
            p = None if interval is None else interval[4]
            names = self._names[first], self._names[second]
            yield VersionPair(*names, pair.is_paired, pair.questions, pair.groups, pair.value, p)

    def describe(self, name: str, values: Floats, is_baseline: bool, by_raters: list[VersionPair]) -> MetricVersions:
        """One metric beside the raters on the answers that it scored; `by_raters` are the raters on all answers."""
        places = self.places[~np.isnan(values[self.places])]
        counts = self.counts(places)
        if (counts < FEWEST_ANSWERS).any():
            few = int(counts.min())
            problem = f"it scored {count_of(few, 'rated answer')} of {self._names[int(np.argmin(counts))]}"
            return MetricVersions(name, is_baseline, len(places), problem=problem)
        raters_there = by_raters if len(places) == len(self.places) else self.compare(places)
        pairs = list(zip(raters_there, self.compare(places, values), strict=True))
        called = [(own, raters) for raters, own in pairs if own.is_called]
        return MetricVersions(
            name,
            is_baseline,
            len(places),
            pairs=sum(raters.better != "" for raters, _ in pairs),
            ordered=sum(raters.better != "" and raters.better == own.better for raters, own in pairs),
            calls=len(called),
            contrary=tuple(
                (own.better, raters.better) for own, raters in called if raters.better not in {"", own.better}
            ),
        )
