"""What a decision between versions reads: each answer with its version, score and rating; and the same by question."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ...errors import InputError
from ..arrays import Bools, Floats, Places


@dataclass(frozen=True, eq=False)
class VersionTable:
    """Answers of several versions of a chatbot, one row per answer. NaN means missing, and only in this table.

    Raises:
        InputError: Columns differ in length, a version has no answer, there are fewer than two versions, a score is
            infinite, a rating is off the scale, or the scale has no width.
    """

    versions: tuple[str, ...]  # the name of each version; the first is what is in use today
    version: Places  # the version of each answer, as its place in `versions`, (answers,)
    question: Places  # the question of each answer as a number, (answers,): answers with one number are paired
    group: Places  # the group of each answer as a number, (answers,): groups are resampled together
    # the score that decides, (answers,), more is better; NaN without one. On the scale of the ratings where it is a
    # scorer's prediction.
    scores: Floats
    ratings: Floats  # the mean rating of each answer, (answers,); NaN where it is not rated
    # the text of each answer as a number, (answers,): answers to one question with one number are the same answer, of
    # which a rating serves those that have none
    text: Places
    scale: tuple[float, float] = (1.0, 5.0)  # the lowest and the highest rating, or, where nothing is rated, score
    others: dict[str, Floats] = field(default_factory=dict)  # further metrics, which never decide: name -> (answers,)
    # of these, whether higher is better, where it is not; None where neither more nor less is
    directions: Mapping[str, bool | None] = field(default_factory=dict)
    # the lowest and the highest score, where that is another scale; None where it is the same. It counts where the
    # scores alone decide.
    score_scale: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        columns = (self.question, self.group, self.scores, self.ratings, self.text)
        lengths = {len(column) for column in (self.version, *columns, *self.others.values())}
        if len(lengths) != 1:
            raise InputError(f"the columns of a table of versions differ in length: {sorted(lengths)}")
        if len(self.versions) < 2:
            raise InputError("a decision is between two versions or more")
        low, high = self.scale
        if not low < high:
            raise InputError(f"the scale goes from {low:g} to {high:g}: the highest is to be above the lowest")
        off = self.ratings[(self.ratings < low) | (self.ratings > high)]
        if len(off) and not np.isnan(self.ratings).all():
            raise InputError(f"a rating of {off[0]:g} is off the scale of {low:g} to {high:g}")
        if any(np.isinf(column).any() for column in (self.scores, *self.others.values())):
            raise InputError("a score is infinite: leave it out, or mend the metric")
        counts = np.bincount(self.version, minlength=len(self.versions))
        for name, count in zip(self.versions, counts.tolist(), strict=True):
            if not count:
                raise InputError(f"version {name} has no answer")

    @cached_property
    def answers(self) -> Places:
        """The number of each answer, (answers,): one number where question and text are the same."""
        texts, text = np.unique(self.text, return_inverse=True)
        pairs = self.question.astype(np.int64) * len(texts) + text.ravel()
        return np.asarray(np.unique(pairs, return_inverse=True)[1].ravel())


@dataclass(frozen=True, eq=False)
class VersionQuestions:
    """The answers of each version by question: several answers to one question are averaged."""

    question: Places  # the number of each question in the table, (questions,)
    label: Places  # the number of its group in the table, (questions,)
    has: Bools  # which version answered which question, (questions, versions)
    first_text: Places  # the smallest and the largest number of its answers to it
    last_text: Places
    answers: Floats  # how many answers each version gave to it, and how many of these are rated
    rated: Floats
    ratings: Floats  # mean ratings; NaN where none is rated
    scores: Floats  # mean scores; the mean of all stands in for what has none
    group: Places  # the group of each question, from 0 without gaps, (questions,)

    @classmethod
    def of_table(cls, table: VersionTable) -> "VersionQuestions":
        """Sums up a table; a rating of one answer serves the same answer of other versions where it has none."""
        shared = mean_by(table.answers, table.ratings, int(table.answers.max()) + 1)[table.answers]
        return cls.of_columns(table, np.where(np.isnan(table.ratings), shared, table.ratings), table.scores)

    @classmethod
    def of_columns(cls, table: VersionTable, ratings: Floats, scores: Floats) -> "VersionQuestions":
        """Sums up a table with these values in place of its ratings and scores, (answers,) each."""
        numbers, place = np.unique(table.question, return_inverse=True)
        question, versions, count = place.ravel(), len(table.versions), len(numbers)
        cell = question * versions + table.version

        first, last = np.full(count * versions, np.iinfo(np.intp).max), np.full(count * versions, -1)
        np.minimum.at(first, cell, table.answers)
        np.maximum.at(last, cell, table.answers)
        group = np.zeros(count, np.intp)
        group[question] = table.group
        means = mean_by(cell, scores, count * versions).reshape(count, versions)
        known = means[~np.isnan(means)]
        return cls(
            numbers,
            group,
            (last >= 0).reshape(count, versions),
            first.reshape(count, versions),
            last.reshape(count, versions),
            _count(cell, count * versions).reshape(count, versions),
            _count(cell[~np.isnan(ratings)], count * versions).reshape(count, versions),
            mean_by(cell, ratings, count * versions).reshape(count, versions),
            np.where(np.isnan(means), known.mean() if len(known) else 0.0, means),
            np.unique(group, return_inverse=True)[1].ravel(),
        )

    @property
    def differs(self) -> Bools:
        """Which questions not all versions that answered them answer alike, (questions,)."""
        first = np.where(self.has, self.first_text, self.first_text.min(axis=1, keepdims=True))
        last = np.where(self.has, self.last_text, self.last_text.max(axis=1, keepdims=True))
        return np.asarray((first.min(axis=1) != last.max(axis=1)) | (self.has.sum(axis=1) == 1))

    def by_score_alone(self) -> "VersionQuestions":
        """The same with the scores in place of the ratings, which nothing corrects."""
        ratings = np.where(self.has, self.scores, np.nan)
        return replace(self, ratings=ratings, rated=self.answers, scores=np.zeros_like(self.scores))

    def is_alike(self, first: int, second: int) -> Bools:
        """Which questions two versions both answered with one and the same text, (questions,)."""
        texts = (self.first_text[:, first], self.last_text[:, first], self.first_text[:, second])
        return np.asarray(np.all([text == self.last_text[:, second] for text in texts], axis=0))


def _count(number: Places, count: int) -> Floats:
    return np.bincount(number, minlength=count).astype(float)


def mean_by(number: Places, values: Floats, count: int) -> Floats:
    """The mean of the known values of each number, (count,); NaN where there are none."""
    known = ~np.isnan(values)
    counts = np.bincount(number[known], minlength=count)
    sums = np.bincount(number[known], weights=values[known], minlength=count)
    return np.asarray(np.divide(sums, counts, out=np.full(count, np.nan), where=counts > 0))
