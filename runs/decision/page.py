"""The decision between versions as one HTML file."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...meta_eval.decision import Decision, give_decision_verdict
from ...presentation.charts import Forest, draw_forest
from ...presentation.figure import Figure, format_rating
from ...presentation.page import render_page, write_page
from ...presentation.verdict import describe_report
from ...text.wording import Phrase, count_of, phrase, verb_of
from ..answers.pairing import PairedAnswer
from .answer_contrast import AnswerContrast, NamedAnswer, contrast_answers
from .deciding_answers import DecidingQuestion
from .tables import (
    IN_USE,
    better_version,
    difference_table,
    list_notes,
    look_sentence,
    other_table,
    pair_name,
    rating_unit,
    version_table,
)

_KINDS = {"rating": "ratings", "preference": "preferences", "score": "scores"}
_MOST_QUESTIONS = 20
_MOST_ANSWERS = 2  # of one version to one question


def write_decision_report(
    path: Path, decision: Decision, questions: Sequence[DecidingQuestion] = (), about: Phrase | None = None
) -> None:
    """Writes the report of a decision to a file. Raises `InputError` when it cannot be written.

    Args:
        path: The file.
        decision: The decision.
        questions: The questions on which the versions differ, as `find_deciding_questions` orders them; the first 20
            are shown.
        about: The runs and files that it is of, and who rated (`VersionReading.about`).
    """
    write_page(path, render_decision_report(decision, questions, about))


def render_decision_report(
    decision: Decision, questions: Sequence[DecidingQuestion] = (), about: Phrase | None = None
) -> str:
    """Renders the report as HTML: no script, no network; names, questions and answers are escaped.

    Args:
        decision: The decision.
        questions: The questions on which the versions differ; see `write_decision_report`.
        about: What it is of; see `write_decision_report`.
    """
    shown = questions[:_MOST_QUESTIONS]
    view = view_decision(decision) | {
        "questions": [
            (one, contrast_question(one, decision), _describe_gap(one), _left_out(one, decision)) for one in shown
        ],
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
        "others": other_table(decision) if decision.others else None,
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


def _left_out(question: DecidingQuestion, decision: Decision) -> str:
    """Which versions have no answer to a question, and how many of their answers are not shown, in words."""
    counts = Counter(answer.version for answer in question.answers)
    missing = [version.name for place, version in enumerate(decision.versions) if not counts[place]]
    more = sum(max(0, count - _MOST_ANSWERS) for count in counts.values())
    parts = [f"no answer of {', '.join(missing)}"] if missing else []
    parts += [f"{count_of(more, 'more answer')} to it {verb_of(more, 'is', 'are')} not shown"] if more else []
    return "; ".join(parts)


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
