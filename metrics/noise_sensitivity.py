"""Noise sensitivity: how often the answer repeats what its passages say wrongly or beside the point."""

import asyncio
from collections.abc import Sequence
from typing import Any, Literal, get_args

from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Usage, open_judge
from ..prompts import BUNDLED, Prompts
from ..text.wording import count_of
from .faithfulness import ClaimsBy, extract_claims, judge_support, sentence_evidence, sentences_of_answer
from .metric import Metric, compute_for
from .sample_state import shown_contexts
from .score import Claim, Score, scored, skipped

Mode = Literal["relevant", "irrelevant"]


def noise_share(
    incorrect: Sequence[bool], supported: Sequence[Sequence[bool]], relevant: Sequence[bool], mode: Mode
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


class NoiseSensitivity(Metric):
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
    asks_support = True
    higher_is_better = False

    def __init__(
        self, judge: JudgeLike, mode: Mode = "relevant", claims: ClaimsBy = "sentences", prompts: Prompts = BUNDLED
    ) -> None:
        if mode not in get_args(Mode) or claims not in get_args(ClaimsBy):
            raise ValueError("mode is relevant or irrelevant, claims is judge or sentences")
        self.judge = open_judge(judge)
        self.mode: Mode = mode
        self.claims: ClaimsBy = claims
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has each claim with the reference's verdict, and by number the passages behind it.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        reference = sample.reference or ""
        claims, usage = await extract_claims(sample, sample.response, self.claims, self.judge, self.prompts)
        of_reference, more = await extract_claims(sample, reference, self.claims, self.judge, self.prompts)
        usage += more
        evidence: dict[str, Any] = {"mode": self.mode, "claims_by": self.claims, "judge": self.judge.name, "claims": []}
        evidence |= sentence_evidence(await compute_for(sample, sentences_of_answer, sample), self.claims)
        prompt_names = ["claims"] * (self.claims == "judge") + ["support"]
        evidence |= self.prompts.evidence(prompt_names, sample.language)
        if not claims or not of_reference:
            return skipped(f"the {'reference' if claims else 'answer'} makes no claims", evidence, usage)
        judged, more = await judge_support(sample, claims, reference, self.judge, self.prompts)
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
        replies = await asyncio.gather(
            *(judge_support(sample, asked, passage, self.judge, self.prompts) for passage in passages)
        )
        verdicts = [{claim.text for claim in judged if claim.verdict == "supported"} for judged, _ in replies]
        relevant = [not held.isdisjoint(of_reference) for held in verdicts]
        passages_of = {claim: [number for number, held in enumerate(verdicts) if claim in held] for claim in wrong}
        return relevant, passages_of, Usage.total([usage for _, usage in replies])


def _claim_evidence(claim: Claim, passages: Sequence[int] | None) -> dict[str, Any]:
    """A claim with the reference's verdict; a wrong one with the numbers, from 0, of the passages that support it."""
    return claim.evidence() if passages is None else claim.evidence() | {"passages": list(passages)}
