"""The answers that decide between versions: those to the questions on which the versions differ most."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from ...eval_sets import Sample

if TYPE_CHECKING:
    from ...meta_eval.decision import PreferenceTable
    from .decide import VersionReading

Distinction = Literal["rating", "preference", "score"]
_DISTINCTIONS: tuple[Distinction, ...] = get_args(Distinction)
_NOISE = 1e-9  # a smaller difference is one of rounding in the computer


@dataclass(frozen=True, slots=True)
class DecidingAnswer:
    """One version's answer to a question."""

    version: str
    question: str  # what the question is called in all versions: the id in the version that is in use today
    sample: Sample
    rating: float | None = None  # its mean rating; None where it is not rated
    score: float | None = None  # its score by the measure that decides, more is better; None without one
    # of the choices between this answer and another version's, the share that prefer this one, a tie counting half;
    # None where nobody chose
    preferred: float | None = None


@dataclass(frozen=True, slots=True)
class DecidingQuestion:
    """A question on which versions differ."""

    id: str
    answers: tuple[DecidingAnswer, ...]  # the answers to it, that of the version in use first
    by: Distinction  # whether the versions differ by ratings, by what people prefer side by side, or by scores only
    gap: float  # by how much the best version on it and the worst differ, above 0


def read_deciding_answers(reading: "VersionReading") -> list[DecidingAnswer]:
    """Returns the answers of versions that were read, with the ratings and scores that the decision counts."""
    table = reading.table
    names: dict[int, str] = {}
    for answer in sorted(reading.answers, key=lambda answer: answer.version):
        names.setdefault(answer.question, answer.sample.id)
    preferred = _preferred_shares(reading.preferences) if reading.preferences is not None else {}
    return [
        DecidingAnswer(
            table.versions[answer.version],
            names[answer.question],
            answer.sample,
            _known(rating),
            _known(score),
            preferred.get((answer.question, answer.version)),
        )
        for answer, rating, score in zip(reading.answers, table.ratings.tolist(), table.scores.tolist(), strict=True)
    ]


def _preferred_shares(preferences: "PreferenceTable") -> dict[tuple[int, int], float]:
    """By question and version, the share of the choices that prefer it, a tie counting half."""
    shares: dict[tuple[int, int], list[float]] = {}
    columns = (preferences.question, preferences.first, preferences.second, preferences.choice)
    for question, first, second, choice in zip(*(column.tolist() for column in columns), strict=True):
        shares.setdefault((question, first), []).append((1 - choice) / 2)
        shares.setdefault((question, second), []).append((1 + choice) / 2)
    return {key: sum(listed) / len(listed) for key, listed in shares.items()}


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def find_deciding_questions(answers: Iterable[DecidingAnswer]) -> list[DecidingQuestion]:
    """Finds the questions on which versions differ, those that say most of the decision first.

    A question counts where two versions gave it different texts. Where answers of two versions or more are rated, the
    ratings say how far these differ; where these are the same or missing, what people prefer side by side; and where
    nobody judged, the scores. Questions that differ by ratings come first, then those by preferences, then those by
    scores; of each kind those with the largest difference. Where people see no difference, nothing is decided.

    Example:
        >>> def answer(version, question, text, **figures):
        ...     return DecidingAnswer(version, question, Sample(user_input="How?", response=text), **figures)
        >>> both = [answer("old", "q1", "Press OK.", score=0.1), answer("new", "q1", "Press Save.", score=0.9)]
        >>> both += [answer("old", "q2", "No.", rating=2), answer("new", "q2", "Yes.", rating=5)]
        >>> [(one.id, one.by, one.gap) for one in find_deciding_questions(both)]
        [('q2', 'rating', 3.0), ('q1', 'score', 0.8)]
    """
    by_question: dict[str, list[DecidingAnswer]] = {}
    for answer in answers:
        by_question.setdefault(answer.question, []).append(answer)
    deciding = [one for question, listed in by_question.items() if (one := _differ(question, listed)) is not None]
    return sorted(deciding, key=lambda one: (_DISTINCTIONS.index(one.by), -one.gap))


def _differ(question: str, answers: Sequence[DecidingAnswer]) -> DecidingQuestion | None:
    """How far the versions differ on a question; None where they do not."""
    if all(answer.sample.has_same_texts(answers[0].sample) for answer in answers):
        return None
    gaps: dict[Distinction, float | None] = {
        "rating": _gap([(answer.version, answer.rating) for answer in answers]),
        "preference": _gap([(answer.version, answer.preferred) for answer in answers]),
    }
    if all(gap is None for gap in gaps.values()):
        gaps = {"score": _gap([(answer.version, answer.score) for answer in answers])}
    return next(
        (
            DecidingQuestion(question, tuple(answers), by, gap)
            for by, gap in gaps.items()
            if gap is not None and gap > _NOISE
        ),
        None,
    )


def _gap(values: Iterable[tuple[str, float | None]]) -> float | None:
    """By how much the highest mean of a version exceeds the lowest; None where fewer than two versions have one."""
    by_version: dict[str, list[float]] = {}
    for version, value in values:
        if value is not None:
            by_version.setdefault(version, []).append(float(value))
    means = [sum(listed) / len(listed) for listed in by_version.values()]
    return max(means) - min(means) if len(means) > 1 else None
