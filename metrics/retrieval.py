"""Whether the retrieved contexts help: their order, what of the reference they hold, and what of the question."""

from collections.abc import Sequence
from typing import Literal

from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Level, ScoreQuestion
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.sentences import sentences
from ..text.wording import count_of
from .faithfulness import ClaimsMetric, predicate_claim
from .judged import JudgedMetric, numbered
from .metric import check_choice, compute_for
from .sample_state import sample_state, shown_contexts
from .score import Claim, Score, scored, skipped

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


class ContextPrecision(JudgedMetric):
    """Whether the passages that help to answer are retrieved before those that do not.

    Formula: the average precision of the passages in their order, sum over k of P@k * v_k / sum of v_k; v_k is
    P(useful) of the passage at rank k, or 1 and 0 where the judge gives no probabilities, and P@k the mean of v_1..v_k.
    Range: [0, 1]; 0 where no passage is useful. A passage on which the judge gives no answer makes the sample failed.

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
        check_choice("against", against, Against)
        super().__init__(judge, prompts)
        self.against = against
        self.needs = ("user_input", "retrieved_contexts", against)

    async def measure(self, sample: Sample) -> Score:
        """The score, with the verdict on each passage in the evidence, as claims."""
        words = language_or_fallback(sample.language, "statements").statements
        passages = shown_contexts(sample)
        answer = (sample.reference if self.against == "reference" else sample.response) or ""
        state = {f"passage_{number}": passage for number, passage in enumerate(passages, start=1)}
        state |= {"question": sample.user_input, "answer": answer}
        statements = numbered(words.useful_passage.format(number=place + 1) for place in range(len(passages)))
        answers = await self.decide("context_precision", sample, state, statements)
        claims = [predicate_claim(answer) for answer in answers.values()]
        value = average_precision([claim.support for claim in claims])
        evidence = {
            "against": self.against,
            "claims": [claim.evidence() for claim in claims],
        } | self.asked_with(sample, "context_precision")
        return scored(value, _reason(claims), evidence, answers.usage)


def _reason(claims: Sequence[Claim]) -> str:
    useful = [rank for rank, claim in enumerate(claims, start=1) if claim.verdict == "supported"]
    if not useful:
        return f"none of the {count_of(len(claims), 'passage')} helps to answer"
    ranks = ", ".join(map(str, useful))
    return f"{len(useful)} of {count_of(len(claims), 'passage')} help to answer: at rank {ranks}"


class ContextRecall(ClaimsMetric):
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

    async def measure(self, sample: Sample) -> Score:
        """The score, with every claim of the reference and its verdict in the evidence."""
        _, claims, usage = await self.extract_claims(sample, sample.reference or "")
        evidence = self.claims_evidence(sample, {"claims": []})
        if not claims:
            return skipped("the reference makes no claims", evidence, usage)
        contexts = shown_contexts(sample)
        judged, verdicts_usage = await self.judge_support(sample, claims, "\n\n".join(contexts), passages=contexts)
        supported = sum(claim.verdict == "supported" for claim in judged)
        value = sum(claim.support for claim in judged) / len(judged)
        evidence |= {"claims": [claim.evidence() for claim in judged], "ratio": supported / len(judged)}
        reason = f"the contexts support {supported} of the reference's {count_of(len(judged), 'claim')}"
        if missing := next((claim.text for claim in judged if claim.verdict != "supported"), None):
            reason += f'; not in them: "{missing}"'
        return scored(value, reason, evidence, usage + verdicts_usage)


Unit = Literal["contexts", "sentences"]


class ContextRelevance(JudgedMetric):
    """How far the retrieved contexts hold what the question asks for, whatever the answer says.

    Formula: (the expected level - 1) / 2 of three levels, 1 (nothing that the question asks for), 2 (a part of it) and
    3 (all of it), over the judge's probabilities; without them the level that it chose. With `unit=sentences`: the
    contexts' sentences that help to answer / all their sentences, by P(yes). Range: [0, 1]. Contexts without a sentence
    are skipped; a question that the judge leaves unanswered makes the sample failed.

    The levels are those of Ragas's `ContextRelevance`, which asks in two wordings and takes the mean; the share of
    sentences is DeepEval's `ContextualRelevancyMetric`.

    Args:
        judge: Answers, in one request.
        unit: What is judged: the `contexts` as a whole, or each of their `sentences`.
        prompts: The prompts of the request.

    Raises:
        ValueError: Another value for `unit`.
    """

    name = "context_relevance"
    needs = ("user_input", "retrieved_contexts")

    def __init__(self, judge: JudgeLike, unit: Unit = "contexts", prompts: Prompts = BUNDLED) -> None:
        check_choice("unit", unit, Unit)
        super().__init__(judge, prompts)
        self.unit = unit

    async def measure(self, sample: Sample) -> Score:
        """The score, with the level and its probabilities, or each sentence's verdict, in the evidence."""
        if self.unit == "sentences":
            return await self._measure_sentences(sample)
        words = language_or_fallback(sample.language, "statements").statements
        question = ScoreQuestion(
            "relevance", words.relevance_question, tuple(Level(*level) for level in words.relevance_levels.items())
        )
        state = sample_state(sample, ("user_input", "retrieved_contexts"))
        answers = await self.decide("context_relevance", sample, state, [question])
        (answer,) = answers.values()
        levels = answer.question.options
        expected = float(answer.value or 1)
        evidence = {
            "level": answer.option,
            "expected": expected,
            "probabilities": None if answer.probabilities is None else dict(answer.probabilities),
        } | self.asked_with(sample, "context_relevance")
        reason = f"the judge says {answer.option}; level {expected:.2f} of {len(levels)} on average"
        return scored((expected - 1) / (len(levels) - 1), reason, evidence, answers.usage)

    async def _measure_sentences(self, sample: Sample) -> Score:
        language = language_or_fallback(sample.language)
        text = "\n\n".join(shown_contexts(sample))
        parts = list(dict.fromkeys(await compute_for(sample, sentences, text, language)))
        evidence = {"claims": []} | self.asked_with(sample, "sentence_relevance")
        if not parts:
            return skipped("the contexts have no sentence", evidence)
        state = sample_state(sample, ("user_input",))
        answers = await self.decide("sentence_relevance", sample, state, numbered(parts))
        claims = [predicate_claim(answer) for answer in answers.values()]
        relevant = sum(claim.verdict == "supported" for claim in claims)
        evidence |= {"claims": [claim.evidence() for claim in claims], "ratio": relevant / len(claims)}
        value = sum(claim.support for claim in claims) / len(claims)
        reason = f"{relevant} of {count_of(len(claims), 'sentence')} of the contexts help to answer"
        return scored(value, reason, evidence, answers.usage)
