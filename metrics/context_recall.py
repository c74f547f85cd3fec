"""Context recall: the share of the reference that the retrieved passages contain."""

from typing import Any, get_args

from ..eval_sets.sample import Sample
from ..judges import JudgeLike, open_judge
from ..prompts import BUNDLED, Prompts
from ..text.wording import count_of
from .faithfulness import ClaimsBy, extract_claims, judge_support
from .metric import Metric
from .sample_state import shown_contexts
from .score import Score, scored, skipped


class ContextRecall(Metric):
    """The share of the reference's claims that the retrieved contexts support.

    Formula: claims of the reference that the contexts support / claims of the reference; with probabilities the mean
    P(supported), and the plain share stands as `ratio` in the evidence. Range: [0, 1]. A reference without claims is
    skipped; a claim on which the judge gives no answer counts as not supported.

    The same as Ragas's `ContextRecall` and DeepEval's `ContextualRecallMetric`. It rates the retrieval, not the answer.

    Args:
        judge: Gives the verdicts, all in one request.
        claims: What a claim is: `sentences`, the reference's sentences that claim something (no call), or `judge`,
            claims that the judge writes so that each can be read alone (one call).
        prompts: The prompts of the requests.

    Raises:
        ValueError: Another value for `claims`.
    """

    name = "context_recall"
    needs = ("retrieved_contexts", "reference")
    asks_support = True

    def __init__(self, judge: JudgeLike, claims: ClaimsBy = "sentences", prompts: Prompts = BUNDLED) -> None:
        if claims not in get_args(ClaimsBy):
            raise ValueError(f"claims is judge or sentences, not {claims!r}")
        self.judge = open_judge(judge)
        self.claims = claims
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score, with every claim of the reference and its verdict in the evidence.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        reference = sample.reference or ""
        claims, usage = await extract_claims(sample, reference, self.claims, self.judge, self.prompts)
        prompt_names = ["claims"] * (self.claims == "judge") + ["support"]
        evidence: dict[str, Any] = {"claims_by": self.claims, "judge": self.judge.name, "claims": []}
        evidence |= self.prompts.evidence(prompt_names, sample.language)
        if not claims:
            return skipped("the reference makes no claims", evidence, usage)
        contexts = shown_contexts(sample)
        judged, verdicts_usage = await judge_support(
            sample, claims, "\n\n".join(contexts), self.judge, self.prompts, passages=contexts
        )
        supported = sum(claim.verdict == "supported" for claim in judged)
        value = sum(claim.support for claim in judged) / len(judged)
        evidence |= {"claims": [claim.evidence() for claim in judged], "ratio": supported / len(judged)}
        reason = f"the contexts support {supported} of the reference's {count_of(len(judged), 'claim')}"
        if missing := next((claim.text for claim in judged if claim.verdict != "supported"), None):
            reason += f'; not in them: "{missing}"'
        return scored(value, reason, evidence, usage + verdicts_usage)
