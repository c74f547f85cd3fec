"""Judge ratings: the judge is asked for 1-5 directly, by the definitions of the AFAS paper (001, section III)."""

from typing import Literal

from pydantic import BaseModel

from ..eval_sets.sample import Sample
from ..judges import Judge, Question, Reply
from ..judges.probabilities import expected_value
from ..prompts import BUNDLED, Prompts
from .metric import Metric, Score, scored

Stars = Literal[1, 2, 3, 4, 5]
_SCALE = (1, 2, 3, 4, 5)


class Ratings(BaseModel):
    """The judge's reply: all three requirements in one call."""

    truthfulness: Stars
    relatedness: Stars
    completeness: Stars


def rating_question(sample: Sample, prompts: Prompts, *, logprobs: bool) -> Question[Ratings]:
    """What the judge is asked for its ratings."""
    prompt = prompts.load("rating", sample.language)
    documentation = "\n\n".join(sample.retrieved_contexts)
    fields = {"documentation": documentation, "question": sample.user_input, "answer": sample.response}
    return Question(prompt, prompt.render(fields), Ratings, sample.id, logprobs=logprobs, prompts=prompts)


class JudgeRating(Metric):
    """One of three requirements that the judge rates from 1 to 5; asked together, the judge answers once.

    Formula: where the judge gives log probabilities, the expected stars, sum over s = 1..5 of s * P(s) at the digit's
    place in the reply; else the stars that it wrote. Range: [1, 5]. Source: the definitions of 001, section III.
    """

    range = (1.0, 5.0)
    needs = ("user_input", "response", "retrieved_contexts")
    requirement: str
    """The field of the reply that holds this requirement."""

    def __init__(self, judge: Judge, prompts: Prompts = BUNDLED) -> None:
        self.judge = judge
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score, with the stars that the judge wrote and the expected ones (or null) in the evidence.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        question = rating_question(sample, self.prompts, logprobs=self.judge.logprobs)
        reply = await self.judge.ask(question)
        stars: int = getattr(reply.value, self.requirement)
        expected = _expected_stars(reply, self.requirement)
        evidence = {
            "stars": stars,
            "expected": expected,
            "judge": self.judge.name,
        } | self.prompts.evidence(["rating"], sample.language)
        reason = f"the judge gives {stars} of 5 for {self.requirement}"
        if expected is None:
            return scored(float(stars), reason, evidence, reply.usage)
        return scored(expected, f"{reason}; over its alternatives {expected:.2f} on average", evidence, reply.usage)


def _expected_stars(reply: Reply[Ratings], requirement: str) -> float | None:
    """From the alternatives at the digit's place: the n-th digit of the reply belongs to the n-th requirement in it."""
    if not reply.raw.logprobs:
        return None
    order = sorted(Ratings.model_fields, key=reply.raw.text.find)
    said_a_star = [place for place in reply.raw.logprobs if next(iter(place)).strip() in {"1", "2", "3", "4", "5"}]
    if len(said_a_star) != len(order):
        return None
    return expected_value(said_a_star[order.index(requirement)], _SCALE)
