"""The decision between versions as one HTML file, with the answers that decide: those on which versions differ most."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...meta_eval.decision import Decision, give_decision_verdict
from ...presentation.charts import Forest, draw_forest
from ...presentation.figure import Figure, format_rating
from ...presentation.page import render_page, write_page
from ...presentation.verdict import describe_report
from ...text.wording import Phrase, phrase
from ..answers.pairing import PairedAnswer
from .answer_contrast import AnswerContrast, NamedAnswer, contrast_answers
from .tables import (
    IN_USE,
    OTHER_METRICS,
    better_version,
    difference_table,
    list_notes,
    look_sentence,
    metric_table,
    pair_name,
    rating_unit,
    version_table,
)

if TYPE_CHECKING:
    from ...meta_eval.decision import PreferenceTable


Distinction = Literal["rating", "preference", "score"]
_NOISE = 1e-9  # a smaller difference is one of rounding in the computer
_KINDS: dict[Distinction, str] = {"rating": "ratings", "preference": "preferences", "score": "scores"}
_MOST_QUESTIONS = 20
_MOST_ANSWERS = 2  # of one version to one question
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
    return sorted(deciding, key=lambda one: ([*_KINDS].index(one.by), -one.gap))


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


def write_decision_report(
    path: Path, decision: Decision, questions: Sequence[DecidingQuestion] = (), about: Phrase | None = None
) -> None:
    """Writes the report of a decision to a file. Raises `InputError` when it cannot be written.

    Args:
        questions: The questions on which the versions differ, as `find_deciding_questions` orders them; the first 20
            are shown.
        about: The runs and files that it is of, and who rated (`VersionReading.about`).
    """
    write_page(path, render_decision_report(decision, questions, about))


def render_decision_report(
    decision: Decision, questions: Sequence[DecidingQuestion] = (), about: Phrase | None = None
) -> str:
    """Renders the report as HTML: no script, no network; names, questions and answers are escaped."""
    shown = questions[:_MOST_QUESTIONS]
    view = view_decision(decision) | {
        "questions": [(one, contrast_question(one, decision), _describe_gap(one)) for one in shown],
        "count": len(questions),
        "about": about or describe_report([phrase("file", name=one.name) for one in decision.versions]),
        "kinds": [words for by, words in _KINDS.items() if any(one.by == by for one in questions)],
    }
    return render_page(__package__, "decision.html", view)


def view_decision(decision: Decision) -> dict[str, Any]:
    """Returns what a page shows of a decision, by the names that the templates know."""
    return {
        "decision": decision,
        "verdict": give_decision_verdict(decision),
        "notes": list_notes(decision),
        "unit": rating_unit(decision),
        "look": look_sentence(decision),
        "means": version_chart(decision),
        "changes": difference_chart(decision),
        "versions": version_table(decision),
        "differences": difference_table(decision),
        "others": metric_table(decision.others, OTHER_METRICS) if decision.others else None,
    }


def contrast_question(question: DecidingQuestion, decision: Decision) -> AnswerContrast:
    """Puts the answers to a question side by side, with their ratings and scores.

    Of a version that answered it several times the first two answers stand there.
    """
    answers = [
        answer
        for place in range(len(decision.versions))
        for answer in [one for one in question.answers if one.version == place][:_MOST_ANSWERS]
    ]
    return contrast_answers(
        [
            NamedAnswer(
                decision.versions[answer.version].name,
                answer.sample,
                facts=_facts(answer, question.preferred.get(answer.version), decision),
            )
            for answer in answers
        ]
    )


def _describe_gap(question: DecidingQuestion) -> str:
    if question.by == "preference":
        return f"shares of the choices differ by {Figure('share', question.gap)}"
    return f"{_KINDS[question.by]} differ by {Figure('mean', question.gap)}"


def _facts(answer: PairedAnswer, preferred: float | None, decision: Decision) -> tuple[str, ...]:
    facts = []
    if answer.rating is not None:
        rating = round(answer.rating, 2)
        has_scale = decision.basis not in ("scores", "preferences")  # else the decision is on another one
        facts.append(f"rated {format_rating(rating, *decision.scale) if has_scale else Figure('rating', rating)}")
    elif decision.basis not in ("scores", "preferences"):
        facts.append("not rated")
    if preferred is not None:
        facts.append(f"preferred in {Figure('share', preferred)} of the choices")
    if answer.score is not None:
        facts.append(f"{decision.measure or 'score'} {Figure('value', answer.score)}")
    return tuple(facts)


def version_chart(decision: Decision) -> Forest:
    """Draws the mean of each version; the version that is better stands out, if one is."""
    winner = better_version(decision)
    rows = [
        (
            version.name,
            "chosen" if version.name == winner else "metric",
            Figure("mean", version.mean, version.low, version.high),
            "" if place else IN_USE,
        )
        for place, version in enumerate(decision.versions)
    ]
    return draw_forest(rows, within=decision.scale, has_zero=False)


def difference_chart(decision: Decision) -> Forest:
    """Draws the difference of each pair."""
    rows = [
        (pair_name(one), "metric", Figure("change", one.difference, one.low, one.high), "")
        for one in decision.differences
    ]
    return draw_forest(rows, margin=decision.margin or None)
