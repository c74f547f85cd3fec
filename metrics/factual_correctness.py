"""Factual correctness: how far an answer claims what its reference claims."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..eval_sets.sample import Sample
from ..judges import Judge, JudgeLike, Usage, open_judge
from ..prompts import BUNDLED, Prompts
from ..text.sentences import answer_to_its_reader
from ..text.wording import count_of
from .faithfulness import ClaimsBy, extract_claims, judge_support, sentence_evidence, sentences_of_answer
from .fbeta import f_beta, precision, recall
from .metric import Metric, compute_for
from .score import Claim, Score, scored, skipped

Mode = Literal["f1", "precision", "recall"]


@dataclass(frozen=True, slots=True)
class FactualComparison:
    """The claims of an answer and of its reference, each judged by the other text."""

    answer_claims: Sequence[Claim]
    # the reference's claims with the answer's verdicts; empty where they were not asked about
    reference_claims: Sequence[Claim]
    reference_has_claims: bool
    usage: Usage
    sentences: Mapping[str, Any]  # what the evidence says of the answer's sentences (`sentence_evidence`)

    @property
    def true_positives(self) -> float:
        """TP: the answer's claims that the reference supports, each by its support."""
        return sum(claim.support for claim in self.answer_claims)

    @property
    def false_positives(self) -> float:
        """FP: the answer's claims that the reference does not support."""
        return len(self.answer_claims) - self.true_positives

    @property
    def false_negatives(self) -> float:
        """FN: the reference's claims that the answer does not support."""
        return sum(1 - claim.support for claim in self.reference_claims)

    def value(self, mode: Mode, beta: float) -> float | None:
        """Precision, recall or F-beta; None where it has no value."""
        if mode == "precision":
            return precision(self.true_positives, self.false_positives)
        if mode == "recall":
            return recall(self.true_positives, self.false_negatives)
        return f_beta(self.true_positives, self.false_positives, self.false_negatives, beta)

    def evidence(self) -> dict[str, Any]:
        """The claims of both texts (`of`: response or reference) and the counts, as JSON values."""
        claims = [{"of": "response"} | claim.evidence() for claim in self.answer_claims]
        claims += [{"of": "reference"} | claim.evidence() for claim in self.reference_claims]
        return {
            "claims": claims,
            **self.sentences,
            "true_positives": self.true_positives,
            "false_positives": self.false_positives,
            "false_negatives": self.false_negatives,
        }

    def reason(self) -> str:
        """The verdicts in one sentence."""
        parts = []
        if self.answer_claims:
            supported = sum(claim.verdict == "supported" for claim in self.answer_claims)
            parts.append(
                f"the reference supports {supported} of the answer's {count_of(len(self.answer_claims), 'claim')}"
            )
        else:
            parts.append("the answer makes no claims")
        if self.reference_claims:
            stated = sum(claim.verdict == "supported" for claim in self.reference_claims)
            parts.append(f"the answer states {stated} of the reference's {len(self.reference_claims)}")
        return ", ".join(parts)


async def compare_with_reference(
    sample: Sample, judge: Judge, claims_by: ClaimsBy, prompts: Prompts, *, both_ways: bool = True
) -> FactualComparison:
    """Judges the answer's claims by the reference and, `both_ways`, the reference's claims by the answer."""
    response, reference = sample.response, sample.reference or ""
    of_answer, answer_usage = await extract_claims(sample, response, claims_by, judge, prompts)
    of_reference, reference_usage = await extract_claims(sample, reference, claims_by, judge, prompts)
    usage = answer_usage + reference_usage
    split = await compute_for(sample, sentences_of_answer, sample)
    sentences = sentence_evidence(split, claims_by)
    if not of_reference:
        return FactualComparison((), (), False, usage, sentences)
    evidence = answer_to_its_reader(response, split)
    (by_reference, forth), (by_answer, back) = await asyncio.gather(
        judge_support(sample, of_answer, reference, judge, prompts),
        judge_support(sample, of_reference if both_ways else (), evidence, judge, prompts),
    )
    return FactualComparison(by_reference, by_answer, True, usage + forth + back, sentences)


class FactualCorrectness(Metric):
    """How far the answer claims what the reference claims: precision, recall or F1 of its claims.

    Formula: TP = the answer's claims that the reference supports, FP = the others, FN = the reference's claims that the
    answer does not support. Precision = TP / (TP + FP), recall = TP / (TP + FN), F-beta = (1 + b^2) TP / ((1 + b^2) TP
    + b^2 FN + FP). With probabilities a claim counts by P(supported). Range: [0, 1].

    An answer without claims (a refusal) scores 0, for `precision` it is skipped; so is, always, a reference without
    claims. The same as Ragas's `FactualCorrectness`, with the answer's sentences as claims if not said otherwise.

    Args:
        judge: Gives the verdicts: one request for each direction.
        mode: `f1`, `precision` (one request instead of two) or `recall`.
        beta: For `f1`: above 1 recall weighs more, below 1 precision.
        claims: `sentences` (no call), or `judge`: claims that the judge writes (one call per text).
        prompts: The prompts of the requests.

    Raises:
        ValueError: Another value for `mode` or `claims`, or `beta` is not above 0.
    """

    name = "factual_correctness"
    needs = ("response", "reference")
    asks_support = True

    def __init__(
        self,
        judge: JudgeLike,
        mode: Mode = "f1",
        beta: float = 1.0,
        claims: ClaimsBy = "sentences",
        prompts: Prompts = BUNDLED,
    ) -> None:
        if mode not in get_args(Mode) or claims not in get_args(ClaimsBy):
            raise ValueError("mode is f1, precision or recall, claims is judge or sentences")
        if beta <= 0:
            raise ValueError(f"beta is above 0, not {beta}")
        self.judge = open_judge(judge)
        self.mode: Mode = mode
        self.beta = beta
        self.claims: ClaimsBy = claims
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score, with the claims of both texts and their verdicts in the evidence.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        compared = await compare_with_reference(
            sample, self.judge, self.claims, self.prompts, both_ways=self.mode != "precision"
        )
        prompt_names = ["claims"] * (self.claims == "judge") + ["support"]
        evidence = {"mode": self.mode, "claims_by": self.claims, "judge": self.judge.name} | compared.evidence()
        evidence |= self.prompts.evidence(prompt_names, sample.language)
        if not compared.reference_has_claims:
            return skipped("the reference makes no claims to compare with", evidence, compared.usage)
        value = compared.value(self.mode, self.beta)
        if value is None:
            return skipped(compared.reason(), evidence, compared.usage)
        return scored(value, compared.reason(), evidence, compared.usage)
