"""Answer correctness: the facts of the reference, and how near its meaning is."""

from typing import get_args

from ..eval_sets.sample import Sample
from ..judges import JudgeLike, open_judge
from ..judges.embedders import Embedder, open_embedder
from ..prompts import BUNDLED, Prompts
from .factual_correctness import compare_with_reference
from .faithfulness import ClaimsBy
from .metric import Metric
from .score import Score, scored, skipped


class AnswerCorrectness(Metric):
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
    needs = ("response", "reference")
    asks_support = True

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
        if beta <= 0 or claims not in get_args(ClaimsBy):
            raise ValueError("beta is above 0, claims is judge or sentences")
        self.judge = open_judge(judge)
        self.embedder = open_embedder(embedder)
        self.weight = weight
        self.beta = beta
        self.claims: ClaimsBy = claims
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score, with its two parts and every claim in the evidence.

        Raises:
            JudgeError: The judge or the embedder gave no usable reply.
        """
        compared = await compare_with_reference(sample, self.judge, self.claims, self.prompts)
        prompt_names = ["claims"] * (self.claims == "judge") + ["support"]
        evidence = {"claims_by": self.claims, "judge": self.judge.name} | compared.evidence()
        evidence |= self.prompts.evidence(prompt_names, sample.language)
        if not compared.reference_has_claims:
            return skipped("the reference makes no claims to compare with", evidence, compared.usage)
        factual = compared.value("f1", self.beta) or 0.0
        cosine = 0.0
        if self.weight < 1:
            (cosine,) = await self.embedder.cosines(sample.reference or "", [sample.response])
        value = self.weight * factual + (1 - self.weight) * min(1.0, max(0.0, cosine))
        evidence |= {"factual": factual, "cosine": cosine, "weight": self.weight, "embedder": self.embedder.name}
        reason = f"{compared.reason()}: F = {factual:.2f}; both texts lie at cosine {cosine:.2f}"
        return scored(value, reason, evidence, compared.usage)
