"""Judge ratings: the judge asked outright for 1-5, by the definitions of the AFAS paper (001, section III)."""

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


class _JudgeRating(Metric):
    """One of the three; asked together, the judge answers once."""

    range = (1.0, 5.0)
    needs = ("user_input", "response", "retrieved_contexts")
    requirement: str

    def __init__(self, judge: Judge, prompts: Prompts = BUNDLED) -> None:
        self.judge = judge
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The expected stars over the digit's alternatives, else the stars that the judge wrote."""
        question = rating_question(sample, self.prompts, logprobs=self.judge.logprobs)
        reply = await self.judge.ask(question)
        stars: int = getattr(reply.value, self.requirement)
        expected = _expected_stars(reply, self.requirement)
        evidence = {
            "stars": stars,
            "expected": expected,
            "judge": self.judge.name,
            "prompts": [question.prompt.identity],
        }
        value = float(stars) if expected is None else expected
        return scored(value, f"the judge gives {stars} of 5 for {self.requirement}", evidence, reply.usage)


class JudgeTruthfulness(_JudgeRating):
    """The judge's 1-5 for "the quality of only saying what is true"."""

    name = "judge_truthfulness"
    requirement = "truthfulness"


class JudgeRelatedness(_JudgeRating):
    """The judge's 1-5 for "a close connection with the subject you are discussing or the situation you are in"."""

    name = "judge_relatedness"
    requirement = "relatedness"


class JudgeCompleteness(_JudgeRating):
    """The judge's 1-5 for "including all the parts that are necessary; being whole"."""

    name = "judge_completeness"
    requirement = "completeness"


def _expected_stars(reply: Reply[Ratings], requirement: str) -> float | None:
    """From the alternatives at the digit's place: the n-th digit of the reply belongs to the n-th requirement in it."""
    if not reply.raw.logprobs:
        return None
    order = sorted(Ratings.model_fields, key=reply.raw.text.find)
    said_a_star = [place for place in reply.raw.logprobs if next(iter(place)).strip() in {"1", "2", "3", "4", "5"}]
    if len(said_a_star) != len(order):
        return None
    return expected_value(said_a_star[order.index(requirement)], _SCALE)
