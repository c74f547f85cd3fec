"""Claims of a text, and whether another text supports them: what the metrics that compare two texts share."""

from collections.abc import Sequence

from ..errors import JudgeError
from ..eval_sets.sample import Sample
from ..judges import Answer, Answers, Judge, Predicate, Request, Usage
from ..judges.typed_questions import YES
from ..prompts import Prompts
from .claim import Claim
from .claim_extraction import ClaimsBy, claims_by_judge, claims_by_sentences
from .worker import compute_for


async def extract_claims(
    sample: Sample, text: str, claims_by: ClaimsBy, judge: Judge, prompts: Prompts
) -> tuple[list[str], Usage]:
    """Lists the claims of a text of a sample: its answer, or its reference as if it were the answer.

    Raises:
        JudgeError: The judge gave no usable reply.
    """
    speaking = sample if text == sample.response else sample.model_copy(update={"response": text})
    if claims_by == "judge":
        return await claims_by_judge(speaking, judge, prompts)
    return await compute_for(speaking, claims_by_sentences, speaking), Usage()


def support_request(sample: Sample, claims: Sequence[str], documentation: str, prompts: Prompts) -> Request:
    """What a judge is asked: of each claim, whether the documentation supports it."""
    predicates = [Predicate(str(number), claim) for number, claim in enumerate(claims, start=1)]
    return Request("support", {"documentation": documentation}, predicates, sample.language, sample.id, prompts)


async def judge_support(
    sample: Sample, claims: Sequence[str], documentation: str, judge: Judge, prompts: Prompts
) -> tuple[list[Claim], Usage]:
    """Has a judge say of each claim whether a text supports it; without claims nobody is asked.

    Returns:
        The claims with their verdicts, in order, and the usage.

    Raises:
        JudgeError: The judge gave no usable reply.
    """
    if not claims:
        return [], Usage()
    answers = await judge.decide(support_request(sample, claims, documentation, prompts))
    return [predicate_claim(answer, claim) for answer, claim in zip(answers.values(), claims, strict=True)], (
        answers.usage
    )


def predicate_claim(answer: Answer, text: str = "") -> Claim:
    """The answer to a predicate as a claim with its verdict, the shape that reports show.

    Args:
        answer: The answer: yes is `supported`, no is `not_found`, none is `unverifiable`.
        text: The claim; the predicate's statement if left out.

    Example:
        >>> answer = Answer(Predicate("1", "It is free."), "yes", {"yes": 0.75, "no": 0.25})
        >>> predicate_claim(answer).evidence()["probability"]
        0.75
    """
    statement = text or (answer.question.statement if isinstance(answer.question, Predicate) else "")
    if answer.option is None:
        return Claim(statement, "unverifiable", answer.problem or "the judge gave no answer")
    probability = answer.probability
    reason = f"the judge says {answer.option}"
    reason += ", and gives no probability" if probability is None else f", P(yes) = {probability:.2f}"
    return Claim(statement, "supported" if answer.option == YES else "not_found", reason, probability=probability)


def require_answers(answers: Answers) -> Answers:
    """Returns the answers, where every question has one.

    Raises:
        JudgeError: A question has none, so that a score would count without it.
    """
    for number, answer in enumerate(answers.values(), start=1):
        if answer.option is None:
            raise JudgeError(
                f"question {number} of {len(answers)} has no answer: {answer.problem or 'the judge declined'}"
            )
    return answers
