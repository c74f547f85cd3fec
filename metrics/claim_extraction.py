"""The claims of an answer: what it says that is true or false by itself."""

from typing import Literal

from pydantic import BaseModel

from ..eval_sets.sample import Sample
from ..judges import Judge, Question, Usage
from ..languages import language_or_fallback
from ..prompts import Prompts
from ..text.sentences import claiming_sentences

ClaimsBy = Literal["judge", "sentences"]


class Claims(BaseModel):
    """The judge's reply: claims in the answer's order and language, each readable alone."""

    claims: list[str]


def claims_question(sample: Sample, prompts: Prompts) -> Question[Claims]:
    """What the judge is asked for an answer's claims."""
    prompt = prompts.load("claims", sample.language)
    user = prompt.render({"question": sample.user_input, "answer": sample.response})
    return Question(prompt, user, Claims, sample.id, prompts=prompts)


async def claims_by_judge(sample: Sample, judge: Judge, prompts: Prompts) -> tuple[list[str], Usage]:
    """The answer's claims, decontextualised by the judge in one call, and the usage of the call.

    Raises:
        JudgeError: The judge gave no usable reply.
    """
    reply = await judge.ask(claims_question(sample, prompts))
    texts = (" ".join(claim.split()) for claim in reply.value.claims)
    return list(dict.fromkeys(text for text in texts if text)), reply.usage


def claims_by_sentences(sample: Sample) -> list[str]:
    """The answer's sentences that claim something, without a judge."""
    return list(dict.fromkeys(claiming_sentences(sample.response, language_or_fallback(sample.language))))
