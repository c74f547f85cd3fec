"""Versions that a judge compares: its choices between their answers are the score that decides."""

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from ...errors import JudgeError
from ...eval_sets import Sample
from ...judges import JudgeLike
from ...metrics.pairwise import Pairwise
from ...text.wording import count_of, verb_of
from ..answers.pairing import PairedAnswer
from ..judging.pairwise_preferences import CONCURRENCY, net_preferences, prefer_versions
from .versions import VersionReading

if TYPE_CHECKING:
    from ..score.execute import Keep

_SCALE = (-1.0, 1.0)


async def compare_by_judge(
    reading: VersionReading, judge: JudgeLike, *, concurrency: int = CONCURRENCY, keep: "Keep | None" = None
) -> VersionReading:
    """Asks a judge which version's answer to each question is better, in both orders; that is the score of the answers.

    The score of an answer is the share of its comparisons that it won less the share that it lost, from -1 to 1. Where
    a version has several answers to a question, the first is compared. Answers that have neither a comparison nor a
    rating are left out: a comparison that failed is no tie.
    """
    names, questions = reading.names, _read_questions(reading)
    judged = await prefer_versions(questions, judge, keep=keep, concurrency=concurrency)
    if judged.failures and all(score.value is None for score in judged.scores):
        raise JudgeError(
            f"the judge gave no usable choice in any of {count_of(len(judged.failures), 'comparison')}. The first: "
            f"{judged.failures[0].rstrip('.')}. Name another judge (--judge), or decide by ratings or another metric"
        )
    net = net_preferences(judged.preferences)
    compared = [
        replace(answer, score=net.get(str(answer.question), {}).get(names[answer.version]))
        if questions[str(answer.question)][names[answer.version]].has_same_texts(answer.sample)
        else replace(answer, score=None)
        for answer in reading.answers
    ]
    # all answers of a version stay that has neither: it must not vanish
    known = {answer.version for answer in compared if _is_known(answer)}
    kept = [answer for answer in compared if _is_known(answer) or answer.version not in known]
    left_out = len(compared) - len(kept)
    missing = (
        [f"{count_of(left_out, 'answer')} without a comparison {verb_of(left_out, 'does', 'do')} not count."]
        if left_out
        else []
    )
    return replace(
        reading,
        answers=tuple(kept),
        measure=Pairwise.name,
        score_scale=_SCALE,
        notes=(judged.position.sentence, *judged.notes, *missing, *reading.notes),
    )


def _is_known(answer: PairedAnswer) -> bool:
    return answer.score is not None or answer.rating is not None


def count_comparisons(reading: VersionReading) -> int:
    """How many comparisons the judge will be asked for: of each two versions, by question, whose answers differ."""
    return sum(
        not one.has_same_texts(other)
        for answers in _read_questions(reading).values()
        for one, other in combinations(answers.values(), 2)
    )


def _read_questions(reading: VersionReading) -> dict[str, dict[str, Sample]]:
    """By question the first answer of each version, in the order of the versions."""
    names = reading.names
    questions: dict[str, dict[str, Sample]] = {}
    for answer in sorted(reading.answers, key=lambda answer: answer.version):
        questions.setdefault(str(answer.question), {}).setdefault(names[answer.version], answer.sample)
    return questions
