"""Versions that a judge compares: its choices between their answers are the score that decides."""

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ..eval_sets import Sample
from ..judges import JudgeLike
from ..metrics.pairwise import Pairwise
from .pairwise_preferences import CONCURRENCY, net_preferences, prefer_versions

if TYPE_CHECKING:
    from .decide import VersionReading
    from .execute import Keep

_SCALE = (-1.0, 1.0)


async def compare_by_judge(
    reading: "VersionReading", judge: JudgeLike, *, concurrency: int = CONCURRENCY, keep: "Keep | None" = None
) -> "VersionReading":
    """Asks a judge which version's answer to each question is better, in both orders; that is the score of the answers.

    The score of an answer is the share of its comparisons that it won less the share that it lost, from -1 to 1. Where
    a version has several answers to a question, the first is compared.

    Args:
        reading: The versions as they were read.
        judge: Who is asked.
        concurrency: How many comparisons are under way at once.
        keep: Called with each comparison and its score as soon as it is done.

    Returns:
        The versions with these scores, and what a reader should know: the judge's position bias first.

    Raises:
        BudgetReached: The next call would pass the judge's budget.
    """
    names, questions = reading.table.versions, _read_questions(reading)
    judged = await prefer_versions(questions, judge, keep=keep, concurrency=concurrency)
    net = net_preferences(judged.preferences)
    scores = np.array(
        [
            net.get(str(answer.question), {}).get(names[answer.version], math.nan)
            if questions[str(answer.question)][names[answer.version]].has_same_texts(answer.sample)
            else math.nan
            for answer in reading.answers
        ]
    )
    table = reading.table
    notes = (judged.position.sentence, *judged.notes, *reading.notes)
    return replace(reading, table=replace(table, scores=scores, score_scale=_SCALE), measure=Pairwise.name, notes=notes)


def count_comparisons(reading: "VersionReading") -> int:
    """How many comparisons the judge will be asked for: of each two versions, by question, whose answers differ."""
    return sum(
        not one.has_same_texts(other)
        for answers in _read_questions(reading).values()
        for one, other in combinations(answers.values(), 2)
    )


def _read_questions(reading: "VersionReading") -> dict[str, dict[str, Sample]]:
    """By question the first answer of each version, in the order of the versions."""
    names = reading.table.versions
    questions: dict[str, dict[str, Sample]] = {}
    for answer in sorted(reading.answers, key=lambda answer: answer.version):
        questions.setdefault(str(answer.question), {}).setdefault(names[answer.version], answer.sample)
    return questions
