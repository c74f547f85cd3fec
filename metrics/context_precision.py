"""Context precision: whether the passages that help to answer stand before those that do not."""

from collections.abc import Sequence
from typing import Literal, get_args

from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Predicate, Request, open_judge
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.wording import count_of
from .faithfulness import predicate_claim, require_answers
from .metric import Metric
from .sample_state import shown_contexts
from .score import Claim, Score, scored

Against = Literal["reference", "response"]


def average_precision(relevance: Sequence[float]) -> float:
    """Computes the average precision of passages in their order.

    Formula: the sum over k of P@k * v_k, divided by the sum of v_k, with v_k the relevance of the passage at rank k and
    P@k the mean of v_1..v_k. For relevances of 0 and 1 it is the usual one; with probabilities each passage counts as
    far as it is relevant.

    Returns:
        A number in [0, 1]; 0 where no passage is relevant.

    Example:
        >>> average_precision([1, 0, 1]), average_precision([0, 0])
        (0.8333333333333333, 0.0)
    """
    total = sum(relevance)
    if not total:
        return 0.0
    weighted, before = 0.0, 0.0
    for rank, value in enumerate(relevance, start=1):
        before += value
        weighted += before / rank * value
    return weighted / total


class ContextPrecision(Metric):
    """Whether the passages that help to answer are retrieved before those that do not.

    Formula: the average precision of the passages in their order, sum over k of P@k * v_k / sum of v_k; v_k is
    P(useful) of the passage at rank k, or 1 and 0 where the judge gives no probabilities, and P@k the mean of v_1..v_k.
    By plain verdicts (useful at 0.5 and above) it stands as `by_verdicts` in the evidence. Range: [0, 1]; 0 where no
    passage is useful. A passage on which the judge gives no answer makes the sample failed.

    The same as Ragas's `ContextPrecision` and DeepEval's `ContextualPrecisionMetric`, and with `against=response`
    Ragas's `ContextUtilization`.

    Args:
        judge: Says of each passage whether it helps to give the answer, all in one request.
        against: The answer that the passages are to help with: the `reference`, or the chatbot's `response` where there
            is no reference.
        prompts: The prompts of the request.

    Raises:
        ValueError: Another value for `against`.
    """

    name = "context_precision"
    needs = ("user_input", "retrieved_contexts", "reference")

    def __init__(self, judge: JudgeLike, against: Against = "reference", prompts: Prompts = BUNDLED) -> None:
        if against not in get_args(Against):
            raise ValueError(f"against is reference or response, not {against!r}")
        self.judge = open_judge(judge)
        self.against = against
        self.prompts = prompts
        self.needs = ("user_input", "retrieved_contexts", against)

    async def measure(self, sample: Sample) -> Score:
        """The score, with the verdict on each passage in the evidence, as claims.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        request = self.request(sample)
        answers = require_answers(await self.judge.decide(request))
        claims = [predicate_claim(answer) for answer in answers.values()]
        value = average_precision([claim.support for claim in claims])
        by_verdicts = average_precision([float(claim.verdict == "supported") for claim in claims])
        evidence = {
            "against": self.against,
            "claims": [claim.evidence() for claim in claims],
            "by_verdicts": by_verdicts,
            "judge": self.judge.name,
        } | self.prompts.evidence([request.task], sample.language)
        return scored(value, _reason(claims), evidence, answers.usage)

    def request(self, sample: Sample) -> Request:
        """What the judge is asked: one predicate per passage, about the question, the answer and all passages."""
        words = language_or_fallback(sample.language, "statements").statements
        passages = shown_contexts(sample)
        answer = (sample.reference if self.against == "reference" else sample.response) or ""
        state = {f"passage_{number}": passage for number, passage in enumerate(passages, start=1)}
        state |= {"question": sample.user_input, "answer": answer}
        predicates = [
            Predicate(str(number), words.useful_passage.format(number=number)) for number in range(1, len(passages) + 1)
        ]
        return Request("context_precision", state, predicates, sample.language, sample.id, self.prompts)


def _reason(claims: Sequence[Claim]) -> str:
    useful = [rank for rank, claim in enumerate(claims, start=1) if claim.verdict == "supported"]
    if not useful:
        return f"none of the {count_of(len(claims), 'passage')} helps to answer"
    ranks = ", ".join(map(str, useful))
    return f"{len(useful)} of {count_of(len(claims), 'passage')} help to answer: at rank {ranks}"
