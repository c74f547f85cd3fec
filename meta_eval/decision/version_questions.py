"""The answers of versions by question: what each version answered, how it was rated, and how it scored."""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Bools, Floats, Places
from .version_table import VersionTable


@dataclass(frozen=True, eq=False)
class VersionQuestions:
    """The answers of each version by question: several answers to one question are averaged."""

    question: Places  # the number of each question in the table, (questions,)
    label: Places  # the number of its group in the table, (questions,)
    has: Bools  # which version answered which question, (questions, versions)
    first_text: Places  # the smallest and the largest number of its answers to it
    last_text: Places
    ratings: Floats  # mean ratings; NaN where none is rated
    scores: Floats  # mean scores; the mean of all stands in for what has none
    group: Places  # the group of each question, from 0 without gaps, (questions,)

    @classmethod
    def of_table(cls, table: VersionTable) -> "VersionQuestions":
        """Sums up a table; a rating of one answer serves the same answer of other versions."""
        return cls.of_columns(table, shared_ratings(table), table.scores)

    @classmethod
    def of_columns(cls, table: VersionTable, ratings: Floats, scores: Floats) -> "VersionQuestions":
        """Sums up a table with these values in place of its ratings and scores, (answers,) each."""
        numbers, place = np.unique(table.question, return_inverse=True)
        question, versions, count = place.ravel(), len(table.versions), len(numbers)
        cell = question * versions + table.version

        def mean(values: Floats) -> Floats:
            known = ~np.isnan(values)
            counts = np.bincount(cell[known], minlength=count * versions)
            sums = np.asarray(np.bincount(cell[known], weights=values[known], minlength=len(counts)), float)
            averages = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
            return np.asarray(averages.reshape(count, versions))

        first, last = np.full(count * versions, np.iinfo(np.intp).max), np.full(count * versions, -1)
        np.minimum.at(first, cell, table.answers)
        np.maximum.at(last, cell, table.answers)
        group = np.zeros(count, np.intp)
        group[question] = table.group
        means = mean(scores)
        known = means[~np.isnan(means)]
        return cls(
            numbers,
            group,
            (last >= 0).reshape(count, versions),
            first.reshape(count, versions),
            last.reshape(count, versions),
            mean(ratings),
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
        return replace(self, ratings=np.where(self.has, self.scores, np.nan), scores=np.zeros_like(self.scores))

    def is_alike(self, first: int, second: int) -> Bools:
        """Which questions two versions both answered with one and the same text, (questions,)."""
        texts = (self.first_text[:, first], self.last_text[:, first], self.first_text[:, second])
        return np.asarray(np.all([text == self.last_text[:, second] for text in texts], axis=0))


def shared_ratings(table: VersionTable) -> Floats:
    """The rating of each answer, (answers,), where a rating of one answer serves the same answer of other versions."""
    is_known = ~np.isnan(table.ratings)
    counts = np.bincount(table.answers[is_known], minlength=len(table.question_of_answer))
    sums = np.bincount(table.answers[is_known], weights=table.ratings[is_known], minlength=len(counts))
    means = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return np.asarray(means[table.answers])
