"""Versions that a judge compares: its choices between their answers are the score that decides."""

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ...errors import JudgeError
from ...eval_sets import Sample
from ...judges import JudgeLike
from ...metrics.pairwise import Pairwise
from ...text.wording import count_of, verb_of
from ..judging.pairwise_preferences import CONCURRENCY, net_preferences, prefer_versions

if TYPE_CHECKING:
    from ...meta_eval.arrays import Bools
    from ...meta_eval.decision import VersionTable
    from ..score.execute import Keep
    from .decide import VersionReading

_SCALE = (-1.0, 1.0)
_COLUMNS = ("version", "question", "group", "scores", "ratings", "text")


async def compare_by_judge(
    reading: "VersionReading", judge: JudgeLike, *, concurrency: int = CONCURRENCY, keep: "Keep | None" = None
) -> "VersionReading":
    """Asks a judge which version's answer to each question is better, in both orders; that is the score of the answers.

    The score of an answer is the share of its comparisons that it won less the share that it lost, from -1 to 1. Where
    a version has several answers to a question, the first is compared. Answers that have neither a comparison nor a
    rating are left out: a comparison that failed is no tie.
    """
    names, questions = reading.table.versions, _read_questions(reading)
    judged = await prefer_versions(questions, judge, keep=keep, concurrency=concurrency)
    if judged.failures and all(score.value is None for score in judged.scores):
        raise JudgeError(
            f"the judge gave no usable choice in any of {count_of(len(judged.failures), 'comparison')}. The first: "
            f"{judged.failures[0].rstrip('.')}. Name another judge (--judge), or decide by ratings or another metric"
        )
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
    table = replace(table, scores=scores, score_scale=_SCALE)
    is_kept = _is_known(table)
    left_out = int((~is_kept).sum())
    missing = (
        [f"{count_of(left_out, 'answer')} without a comparison {verb_of(left_out, 'does', 'do')} not count."]
        if left_out
        else []
    )
    return replace(
        reading,
        table=_keep_rows(table, is_kept),
        answers=tuple(answer for answer, stays in zip(reading.answers, is_kept.tolist(), strict=True) if stays),
        measure=Pairwise.name,
        notes=(judged.position.sentence, *judged.notes, *missing, *reading.notes),
    )


def _is_known(table: "VersionTable") -> "Bools":
    """Which answers have a score or a rating, (answers,); all of a version that has neither, which must not vanish."""
    is_known: Bools = ~(np.isnan(table.scores) & np.isnan(table.ratings))
    counts = np.bincount(table.version[is_known], minlength=len(table.versions))
    is_alone: Bools = (counts == 0)[table.version]
    return is_known | is_alone


def _keep_rows(table: "VersionTable", rows: "Bools") -> "VersionTable":
    columns = {name: getattr(table, name)[rows] for name in _COLUMNS}
    others = {name: one[rows] for name, one in table.others.items()}
    return replace(table, **columns, others=others)


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
