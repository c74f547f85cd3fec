"""The answers that decide between versions: those to the questions on which the versions differ most."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from ..answers.pairing import PairedAnswer

if TYPE_CHECKING:
    from ...meta_eval.decision import PreferenceTable

Distinction = Literal["rating", "preference", "score"]
_DISTINCTIONS: tuple[Distinction, ...] = get_args(Distinction)
_NOISE = 1e-9  # a smaller difference is one of rounding in the computer
Shares = Mapping[tuple[int, int], float]
"""By question and version: of the choices between it and another version, the share that prefer it, a tie half."""


@dataclass(frozen=True, slots=True)
class DecidingQuestion:
    """A question on which versions differ."""

    id: str  # what it is called: its id in the first version that has it
    answers: tuple[PairedAnswer, ...]  # the answers to it, that of the version in use first
    by: Distinction  # whether the versions differ by ratings, by what people prefer side by side, or by scores only
    gap: float  # by how much the best version on it and the worst differ, above 0
    preferred: Mapping[int, float] = field(default_factory=dict)  # by version, the share of choices that prefer it


def preferred_shares(preferences: "PreferenceTable | None") -> dict[tuple[int, int], float]:
    """By question and version, the share of the choices that prefer it, a tie counting half."""
    shares: dict[tuple[int, int], list[float]] = {}
    if preferences is not None:
        columns = (preferences.question, preferences.first, preferences.second, preferences.choice)
        for question, first, second, choice in zip(*(column.tolist() for column in columns), strict=True):
            shares.setdefault((question, first), []).append((1 - choice) / 2)
            shares.setdefault((question, second), []).append((1 + choice) / 2)
    return {key: sum(listed) / len(listed) for key, listed in shares.items()}


def find_deciding_questions(answers: Iterable[PairedAnswer], preferred: Shares | None = None) -> list[DecidingQuestion]:
    """Finds the questions on which versions differ, those that say most of the decision first.

    A question counts where two versions gave it different texts. Where answers of two versions or more are rated, the
    ratings say how far these differ; where these are the same or missing, what people prefer side by side; and where
    nobody judged, the scores. Questions that differ by ratings come first, then those by preferences, then those by
    scores; of each kind those with the largest difference. Where people see no difference, nothing is decided.

    Example:
        >>> from assay.eval_sets import Sample
        >>> def answer(version, question, text, **figures):
        ...     sample = Sample(id=f"q{question}", user_input="How?", response=text)
        ...     return PairedAnswer(version, sample, question, version, **figures)
        >>> both = [answer(0, 1, "Press OK.", score=0.1), answer(1, 1, "Press Save.", score=0.9)]
        >>> both += [answer(0, 2, "No.", rating=2), answer(1, 2, "Yes.", rating=5)]
        >>> [(one.id, one.by, one.gap) for one in find_deciding_questions(both)]
        [('q2', 'rating', 3.0), ('q1', 'score', 0.8)]
    """
    by_question: dict[int, list[PairedAnswer]] = {}
    for answer in answers:
        by_question.setdefault(answer.question, []).append(answer)
    deciding = [one for listed in by_question.values() if (one := _differ(listed, preferred or {})) is not None]
    return sorted(deciding, key=lambda one: (_DISTINCTIONS.index(one.by), -one.gap))


def _differ(listed: Sequence[PairedAnswer], shares: Shares) -> DecidingQuestion | None:
    """How far the versions differ on a question; None where they do not."""
    answers = sorted(listed, key=lambda answer: answer.version)
    keys = {answer.version: (answer.question, answer.version) for answer in answers}
    preferred = {version: shares[key] for version, key in keys.items() if key in shares}
    if all(answer.sample.has_same_texts(answers[0].sample) for answer in answers):
        return None
    gaps: dict[Distinction, float | None] = {
        "rating": _gap([(answer.version, answer.rating) for answer in answers]),
        "preference": _gap(preferred.items()),
    }
    if all(gap is None for gap in gaps.values()):
        gaps = {"score": _gap([(answer.version, answer.score) for answer in answers])}
    return next(
        (
            DecidingQuestion(answers[0].sample.id, tuple(answers), by, gap, preferred)
            for by, gap in gaps.items()
            if gap is not None and gap > _NOISE
        ),
        None,
    )


def _gap(values: Iterable[tuple[int, float | None]]) -> float | None:
    """By how much the highest mean of a version exceeds the lowest; None where fewer than two versions have one."""
    by_version: dict[int, list[float]] = {}
    for version, value in values:
        if value is not None:
            by_version.setdefault(version, []).append(float(value))
    means = [sum(listed) / len(listed) for listed in by_version.values()]
    return max(means) - min(means) if len(means) > 1 else None
