"""Support: which statements the contexts of a sample support, asked of a judge in one request."""

from collections.abc import Sequence

from ..eval_sets.sample import Sample
from ..judges import Answer, Judge, Predicate, Request, Usage
from ..prompts import Prompts
from ..text.sentences import AnswerSentence
from .claim import Claim, Verdict


def support_request(sample: Sample, claims: Sequence[AnswerSentence], prompts: Prompts) -> Request:
    """What the judge is asked about an answer's claims.

    The state is the contexts alone: the customer's question is left out, since a small judge answers it instead.
    """
    questions = [Predicate(str(number), claim.text, claim.context) for number, claim in enumerate(claims, start=1)]
    state = {"documentation": "\n\n".join(sample.retrieved_contexts)}
    return Request("support", state, questions, sample.language, sample.id, prompts)


async def judge_support(
    sample: Sample, claims: Sequence[AnswerSentence], judge: Judge, prompts: Prompts
) -> tuple[list[Claim], Usage]:
    """The verdict on each claim, in order, and the usage of the calls.

    A claim is `supported` where P(supported) is 0.5 or more, or where the judge gives no probability and says so; else
    `not_found`. One that the judge gives no usable answer to is `unverifiable`.

    Raises:
        JudgeError: The judge gave no usable reply.
    """
    answers = await judge.decide(support_request(sample, claims, prompts))
    return [_verdict(claim.text, answer) for claim, answer in zip(claims, answers.values(), strict=True)], answers.usage


def _verdict(claim: str, answer: Answer) -> Claim:
    if answer.option is None:
        reason = "the judge declined to answer" if answer.declined else f"no verdict, asked twice: {answer.problem}"
        return Claim(claim, "unverifiable", reason)
    verdict: Verdict = "supported" if answer.support >= 0.5 else "not_found"
    if answer.probability is None:
        return Claim(claim, verdict, f"the judge says {answer.option}, and gives no probability")
    reason = f"the judge says {answer.option}, P(supported) = {answer.probability:.2f}"
    return Claim(claim, verdict, reason, probability=answer.probability)
