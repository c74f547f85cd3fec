"""Whether the retrieved contexts help: their order, what of the reference they hold, and what of the question."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Level, Predicate, Request, ScoreQuestion, open_judge
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.sentences import sentences
from ..text.wording import count_of
from .faithfulness import ClaimsBy, extract_claims, judge_support, predicate_claim, require_answers
from .metric import Metric, compute_for
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


Unit = Literal["contexts", "sentences"]


class ContextRelevance(Metric):
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
        if unit not in get_args(Unit):
            raise ValueError(f"unit is contexts or sentences, not {unit!r}")
        self.judge = open_judge(judge)
        self.unit = unit
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score, with the level and its probabilities, or each sentence's verdict, in the evidence.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        if self.unit == "sentences":
            return await self._measure_sentences(sample)
        request = self.level_request(sample)
        answers = require_answers(await self.judge.decide(request))
        (answer,) = answers.values()
        levels = answer.question.options
        expected = float(answer.value or 1)
        evidence = {
            "level": answer.option,
            "expected": expected,
            "probabilities": None if answer.probabilities is None else dict(answer.probabilities),
            "judge": self.judge.name,
        } | self.prompts.evidence([request.task], sample.language)
        reason = f"the judge says {answer.option}; level {expected:.2f} of {len(levels)} on average"
        return scored((expected - 1) / (len(levels) - 1), reason, evidence, answers.usage)

    async def _measure_sentences(self, sample: Sample) -> Score:
        language = language_or_fallback(sample.language)
        text = "\n\n".join(shown_contexts(sample))
        parts = list(dict.fromkeys(await compute_for(sample, sentences, text, language)))
        evidence = {"judge": self.judge.name, "claims": []} | self.prompts.evidence(
            ["sentence_relevance"], sample.language
        )
        if not parts:
            return skipped("the contexts have no sentence", evidence)
        predicates = [Predicate(str(number), part) for number, part in enumerate(parts, start=1)]
        request = Request(
            "sentence_relevance",
            sample_state(sample, ("user_input",)),
            predicates,
            sample.language,
            sample.id,
            self.prompts,
        )
        answers = require_answers(await self.judge.decide(request))
        claims = [predicate_claim(answer) for answer in answers.values()]
        relevant = sum(claim.verdict == "supported" for claim in claims)
        evidence |= {"claims": [claim.evidence() for claim in claims], "ratio": relevant / len(claims)}
        value = sum(claim.support for claim in claims) / len(claims)
        reason = f"{relevant} of {count_of(len(claims), 'sentence')} of the contexts help to answer"
        return scored(value, reason, evidence, answers.usage)

    def level_request(self, sample: Sample) -> Request:
        """What the judge is asked about the contexts as a whole."""
        words = language_or_fallback(sample.language, "statements").statements
        levels = tuple(Level(label, description) for label, description in words.relevance_levels.items())
        question = ScoreQuestion("relevance", words.relevance_question, levels)
        state = sample_state(sample, ("user_input", "retrieved_contexts"))
        return Request("context_relevance", state, [question], sample.language, sample.id, self.prompts)
