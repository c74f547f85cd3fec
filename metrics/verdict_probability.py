"""Verdicts by probability: one yes/no question per claim, and how probable the judge finds the yes."""

from collections.abc import Sequence

from ..eval_sets.sample import Sample
from ..judges import Choice, Judge, Question, Usage
from ..judges.probabilities import option_probabilities
from ..languages import language_or_fallback
from ..prompts import Prompts
from .claim import Claim, Verdict


def support_question(sample: Sample, claim: str, prompts: Prompts) -> Question[Choice]:
    """What the judge is asked about one claim; not the customer's question, which a small judge answers instead."""
    prompt = prompts.load("support", sample.language)
    documentation = "\n\n".join(sample.retrieved_contexts)
    user = prompt.render({"documentation": documentation, "statement": claim})
    return Question(
        prompt,
        user,
        Choice,
        sample.id,
        options=language_or_fallback(prompt.language).profile.yes_no,
        logprobs=True,
        prompts=prompts,
    )


async def probability_verdicts(
    sample: Sample, claims: Sequence[str], judge: Judge, prompts: Prompts
) -> tuple[list[Claim], Usage]:
    """P(supported) of each claim, in order, from the alternatives to the judge's one word, and the usage of the calls.

    A claim is `supported` at 0.5 and above; where the judge gives no probabilities, by its word. The context comes
    before the claim and the claims are asked one after another, so that a judge with a prefix cache reads the context
    once per sample.

    Raises:
        JudgeError: The judge gave no usable reply.
    """
    answers = [await _ask(support_question(sample, claim, prompts), claim, judge) for claim in claims]
    return [claim for claim, _ in answers], Usage.total([usage for _, usage in answers])


async def _ask(question: Question[Choice], claim: str, judge: Judge) -> tuple[Claim, Usage]:
    reply = await judge.ask(question)
    yes, word = question.options[0], reply.value.word
    probabilities = option_probabilities(reply.raw, question.options)
    if probabilities is None:
        verdict: Verdict = "supported" if word == yes else "not_found"
        return Claim(claim, verdict, f"the judge says {word}, and gives no probability"), reply.usage
    probability = probabilities[yes]
    verdict = "supported" if probability >= 0.5 else "not_found"
    reason = f"the judge says {word}, P(supported) = {probability:.2f}"
    return Claim(claim, verdict, reason, probability=probability), reply.usage
