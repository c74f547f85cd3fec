"""What an answer claims, against its reference: factual and answer correctness, and noise sensitivity."""

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Usage
from ..judges.embedders import Embedder, open_embedder
from ..prompts import BUNDLED, Prompts
from ..text.sentences import answer_to_its_reader
from ..text.wording import count_of
from .f_score import Mode, score_by_mode
from .faithfulness import ClaimsBy, ClaimsMetric, sentence_evidence
from .metric import check_choice
from .sample_state import shown_contexts
from .score import Claim, Score, scored, skipped

Counts = tuple[float, float, float]
"""True positives, false positives and false negatives, by support."""


def _reason(by_reference: Sequence[Claim], by_answer: Sequence[Claim]) -> str:
    """The verdicts in one sentence."""
    stated = "the answer makes no claims"
    if by_reference:
        supported = sum(claim.verdict == "supported" for claim in by_reference)
        stated = f"the reference supports {supported} of the answer's {count_of(len(by_reference), 'claim')}"
    if not by_answer:
        return stated
    supported = sum(claim.verdict == "supported" for claim in by_answer)
    return f"{stated}, the answer states {supported} of the reference's {len(by_answer)}"


class ReferenceMetric(ClaimsMetric):
    """A metric that compares the claims of an answer with those of its reference; `beta` weighs recall in F-beta."""

    needs = ("response", "reference")

    def __init__(
        self, judge: JudgeLike, beta: float = 1.0, claims: ClaimsBy = "sentences", prompts: Prompts = BUNDLED
    ) -> None:
        if beta <= 0:
            raise ValueError(f"beta is above 0, not {beta}")
        super().__init__(judge, claims, prompts)
        self.beta = beta

    async def measure(self, sample: Sample) -> Score:
        """The score, with the claims of both texts and their verdicts in the evidence.

        The answer's claims are judged by the reference and, where they count, the reference's claims by the answer.
        """
        response, reference = sample.response, sample.reference or ""
        split, of_answer, usage = await self.extract_claims(sample, response)
        _, of_reference, more = await self.extract_claims(sample, reference)
        usage += more
        by_reference, by_answer = list[Claim](), list[Claim]()
        if of_reference:
            (by_reference, forth), (by_answer, back) = await asyncio.gather(
                self.judge_support(sample, of_answer, reference),
                self.judge_support(
                    sample, () if self.mode == "precision" else of_reference, answer_to_its_reader(response, split)
                ),
            )
            usage += forth + back
        true_positives = sum(claim.support for claim in by_reference)
        counts = true_positives, len(by_reference) - true_positives, sum(1 - claim.support for claim in by_answer)
        found = {
            "claims": [
                {"of": text} | claim.evidence()
                for text, claims in (("response", by_reference), ("reference", by_answer))
                for claim in claims
            ],
            **sentence_evidence(split, self.claims),
            **dict(zip(("true_positives", "false_positives", "false_negatives"), counts, strict=True)),
        }
        evidence = self.claims_evidence(sample, found)
        if not of_reference:
            return skipped("the reference makes no claims to compare with", evidence, usage)
        return await self.score_counts(sample, counts, _reason(by_reference, by_answer), evidence, usage)

    @abstractmethod
    async def score_counts(
        self, sample: Sample, counts: Counts, reason: str, evidence: dict[str, Any], usage: Usage
    ) -> Score:
        """The formula; the evidence has the claims already."""


class FactualCorrectness(ReferenceMetric):
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

    def __init__(
        self,
        judge: JudgeLike,
        mode: Mode = "f1",
        beta: float = 1.0,
        claims: ClaimsBy = "sentences",
        prompts: Prompts = BUNDLED,
    ) -> None:
        check_choice("mode", mode, Mode)
        super().__init__(judge, beta, claims, prompts)
        self.mode: Mode = mode

    async def score_counts(
        self, sample: Sample, counts: Counts, reason: str, evidence: dict[str, Any], usage: Usage
    ) -> Score:
        """Precision, recall or F-beta; skipped where that has nothing to divide by."""
        value = score_by_mode(self.mode, *counts, self.beta)
        return skipped(reason, evidence, usage) if value is None else scored(value, reason, evidence, usage)


class AnswerCorrectness(ReferenceMetric):
    """How correct the answer is: the F1 of its claims against the reference, and how near both texts are in meaning.

    Formula: w * F-beta + (1 - w) * cosine(E(response), E(reference)), with F-beta that of `factual_correctness` and a
    negative cosine as 0 (before: `cosine` in the evidence). Range: [0, 1]. A reference without claims is skipped; an
    answer without claims has F-beta 0.

    The same as Ragas's `AnswerCorrectness`, whose weights are [0.75, 0.25]. Beside `factual_correctness` with the same
    options it asks nothing more.

    Args:
        judge: Gives the verdicts.
        embedder: Turns the texts into vectors: an `Embedder`, or its name (`use`, `st:MODEL`, `litellm:MODEL`).
        weight: w, the weight of the facts, in [0, 1]; the meaning has the rest.
        beta: Above 1 recall weighs more, below 1 precision.
        claims: `sentences` (no call), or `judge`: claims that the judge writes (one call per text).
        prompts: The prompts of the requests.

    Raises:
        ValueError: `weight`, `beta` or `claims` is not one of these values.
    """

    name = "answer_correctness"

    def __init__(
        self,
        judge: JudgeLike,
        embedder: Embedder | str = "use",
        *,
        weight: float = 0.75,
        beta: float = 1.0,
        claims: ClaimsBy = "sentences",
        prompts: Prompts = BUNDLED,
    ) -> None:
        if not 0 <= weight <= 1:
            raise ValueError(f"weight is the share of the facts, from 0 to 1, not {weight}")
        super().__init__(judge, beta, claims, prompts)
        self.embedder = open_embedder(embedder)
        self.weight = weight

    async def score_counts(
        self, sample: Sample, counts: Counts, reason: str, evidence: dict[str, Any], usage: Usage
    ) -> Score:
        """The weighted sum of both parts. Raises `JudgeError` where the embedder gives no usable reply."""
        factual = score_by_mode("f1", *counts, self.beta) or 0.0
        cosine = 0.0
        if self.weight < 1:
            (cosine,) = await self.embedder.cosines(sample.reference or "", [sample.response])
        value = self.weight * factual + (1 - self.weight) * min(1.0, max(0.0, cosine))
        evidence |= {"factual": factual, "cosine": cosine, "weight": self.weight, "embedder": self.embedder.name}
        return scored(value, f"{reason}: F = {factual:.2f}; both texts lie at cosine {cosine:.2f}", evidence, usage)


NoiseMode = Literal["relevant", "irrelevant"]


def noise_share(
    incorrect: Sequence[bool], supported: Sequence[Sequence[bool]], relevant: Sequence[bool], mode: NoiseMode
) -> float:
    """Computes the share of an answer's claims that are wrong and come from passages of one kind.

    Example:
        >>> noise_share([True, True, False], [[True, False], [False, True], [True, True]], [True, False], "relevant")
        0.3333333333333333
    """
    count = 0
    for is_incorrect, by_passage in zip(incorrect, supported, strict=True):
        if not is_incorrect:
            continue
        from_relevant = any(held and kept for held, kept in zip(by_passage, relevant, strict=True))
        count += from_relevant if mode == "relevant" else (any(by_passage) and not from_relevant)
    return count / len(incorrect)


class NoiseSensitivity(ClaimsMetric):
    """The share of the answer's claims that are wrong and were taken from the passages; lower is better.

    Formula: claims of the answer that the reference does not support and that a relevant passage supports (`mode`
    relevant), or that irrelevant passages alone support (`irrelevant`), divided by all claims of the answer. A passage
    is relevant when it supports a claim of the reference. Range: [0, 1]. An answer or a reference without claims is
    skipped; a claim on which the judge gives no answer counts as not supported by that text.

    The same as Ragas's `NoiseSensitivity`. Verdicts count as yes or no, at P = 0.5. Passages are asked about only where
    a claim is wrong, and then only for the wrong claims.

    Args:
        judge: Gives the verdicts: one request about the reference and, where a claim is wrong, one per passage.
        mode: Which wrong claims count.
        claims: `sentences` (no call), or `judge`: claims that the judge writes (one call per text).
        prompts: The prompts of the requests.

    Raises:
        ValueError: Another value for `mode` or `claims`.
    """

    name = "noise_sensitivity"
    needs = ("response", "reference", "retrieved_contexts")
    higher_is_better = False

    def __init__(
        self, judge: JudgeLike, mode: NoiseMode = "relevant", claims: ClaimsBy = "sentences", prompts: Prompts = BUNDLED
    ) -> None:
        check_choice("mode", mode, NoiseMode)
        super().__init__(judge, claims, prompts)
        self.mode: NoiseMode = mode

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has each claim with the reference's verdict, and by number the passages behind it."""
        reference = sample.reference or ""
        split, claims, usage = await self.extract_claims(sample, sample.response)
        _, of_reference, more = await self.extract_claims(sample, reference)
        usage += more
        evidence = self.claims_evidence(sample, {"claims": [], **sentence_evidence(split, self.claims)})
        if not claims or not of_reference:
            return skipped(f"the {'reference' if claims else 'answer'} makes no claims", evidence, usage)
        judged, more = await self.judge_support(sample, claims, reference)
        incorrect = [claim.verdict != "supported" for claim in judged]
        wrong = [claim for claim, is_wrong in zip(claims, incorrect, strict=True) if is_wrong]
        relevant, passages_of, passages_usage = await self._passages(sample, wrong, of_reference)
        supported = [
            [number in passages_of.get(claim, ()) for number in range(len(sample.retrieved_contexts))]
            for claim in claims
        ]
        value = noise_share(incorrect, supported, relevant, self.mode)
        evidence |= {
            "claims": [_claim_evidence(claim, passages_of.get(claim.text)) for claim in judged],
            "relevant_passages": [number for number, is_relevant in enumerate(relevant) if is_relevant],
        }
        reason = f"{len(wrong)} of the answer's {count_of(len(claims), 'claim')} are not in the reference"
        if wrong:
            reason += f"; {round(value * len(claims))} of them come from {self.mode} passages"
        return scored(value, reason, evidence, usage + more + passages_usage)

    async def _passages(
        self, sample: Sample, wrong: Sequence[str], of_reference: Sequence[str]
    ) -> tuple[list[bool], dict[str, list[int]], Usage]:
        """Whether each passage is relevant, which passages (by number) support each wrong claim, and the usage."""
        passages = shown_contexts(sample)
        if not wrong:
            return [False] * len(passages), {}, Usage()
        # a claim of both texts is asked about once
        asked = list(dict.fromkeys([*wrong, *of_reference]))
        replies = await asyncio.gather(*(self.judge_support(sample, asked, passage) for passage in passages))
        verdicts = [{claim.text for claim in judged if claim.verdict == "supported"} for judged, _ in replies]
        relevant = [not held.isdisjoint(of_reference) for held in verdicts]
        passages_of = {claim: [number for number, held in enumerate(verdicts) if claim in held] for claim in wrong}
        return relevant, passages_of, Usage.total([usage for _, usage in replies])


def _claim_evidence(claim: Claim, passages: Sequence[int] | None) -> dict[str, Any]:
    """A claim with the reference's verdict; a wrong one with the numbers, from 0, of the passages that support it."""
    return claim.evidence() if passages is None else claim.evidence() | {"passages": list(passages)}
