"""Judge ratings: the judge is asked for 1-5 directly, by the definitions of Lassche et al. (2024, III)."""

from typing import Literal, get_args

from ..errors import JudgeError
from ..eval_sets.sample import Sample
from ..judges import Judge, Level, Request, ScoreQuestion
from ..languages import language_or_fallback
from ..prompts import Prompts
from .judged import JudgedMetric
from .sample_state import sample_state
from .score import Score, scored

Requirement = Literal["truthfulness", "relatedness", "completeness"]
_STARS = tuple(map(Level, "12345"))


def rating_request(sample: Sample, prompts: Prompts) -> Request:
    """What the judge is asked for its ratings: one question for each requirement; the task says what a star means."""
    words = language_or_fallback(sample.language, "statements").statements.rating_questions
    questions = [ScoreQuestion(name, getattr(words, name), _STARS) for name in get_args(Requirement)]
    state = sample_state(sample, ("retrieved_contexts", "user_input", "response"))
    return Request("rating", state, questions, sample.language, sample.id, prompts)


class JudgeRating(JudgedMetric):
    """One of three requirements that the judge rates from 1 to 5; they are asked together, in one request.

    Formula: where the judge gives log probabilities, the expected stars, sum over s = 1..5 of s * P(s) (as in G-Eval,
    Liu et al., 2023); else the stars that it chose. Range: [1, 5]. Source: Lassche et al., 2024, III.
    """

    range = (1.0, 5.0)
    needs = ("user_input", "response", "retrieved_contexts")
    judge: Judge
    requirement: Requirement
    """The requirement that this metric rates."""

    async def measure(self, sample: Sample) -> Score:
        """The score, with the stars that the judge chose, the expected ones and each one's probability (or null)."""
        request = rating_request(sample, self.prompts)
        answers = await self.judge.decide(request)  # one requirement may have its answer, and another none
        answer = answers[self.requirement]
        if answer.option is None:
            raise JudgeError(f"there is no rating of {self.requirement}: {answer.problem or 'the judge declined'}")
        stars, expected = int(answer.option), float(answer.value or answer.option)
        evidence = {
            "stars": stars,
            "expected": None if answer.probabilities is None else expected,
            "probabilities": None if answer.probabilities is None else dict(answer.probabilities),
        } | self.asked_with(sample, request.task)
        reason = f"the judge gives {stars} of 5 for {self.requirement}"
        if answer.probabilities is not None:
            reason += f"; over its alternatives {expected:.2f} on average"
        return scored(expected, reason, evidence, answers.usage)


class JudgeTruthfulness(JudgeRating):
    """The judge's 1-5 for "the quality of only saying what is true" (Lassche et al., 2024, III).

    Formula and edge cases: see `JudgeRating`. One request per sample, shared with the other two requirements.
    """

    name = "judge_truthfulness"
    requirement = "truthfulness"


class JudgeRelatedness(JudgeRating):
    """The judge's 1-5 for "a close connection with the subject you are discussing or the situation you are in".

    Source: Lassche et al., 2024, III. Formula and edge cases: see `JudgeRating`. One request per sample, shared with
    the other two requirements.
    """

    name = "judge_relatedness"
    requirement = "relatedness"


class JudgeCompleteness(JudgeRating):
    """The judge's 1-5 for "including all the parts that are necessary; being whole" (Lassche et al., 2024, III).

    Formula and edge cases: see `JudgeRating`. One request per sample, shared with the other two requirements.
    """

    name = "judge_completeness"
    requirement = "completeness"
