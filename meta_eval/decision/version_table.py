"""What a decision between versions reads: each answer with its version, question, group, score and rating."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...errors import InputError
from ..arrays import Floats, Places


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
    # which one rating serves all
    text: Places
    scale: tuple[float, float] = (1.0, 5.0)  # the lowest and the highest rating, or, where nothing is rated, score
    # further metrics, which never decide: name -> (answers,), more is better
    others: dict[str, Floats] = field(default_factory=dict)
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
        return _number(self.question, text.ravel(), len(texts))

    @cached_property
    def question_of_answer(self) -> Places:
        """The question of each number in `answers`."""
        question = np.zeros(int(self.answers.max()) + 1, np.intp)
        question[self.answers] = self.question
        return question


def _number(first: Places, second: Places, count: int) -> Places:
    """Numbers pairs of numbers, of which the second is below `count`."""
    return np.asarray(np.unique(first.astype(np.int64) * count + second, return_inverse=True)[1].ravel())
