"""Context relevance: how far the retrieved passages hold what the question asks for."""

from typing import Literal, get_args

from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Level, Predicate, Request, ScoreQuestion, open_judge
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.sentences import sentences
from ..text.wording import count_of
from .faithfulness import predicate_claim, require_answers
from .metric import Metric, compute_for
from .sample_state import sample_state, shown_contexts
from .score import Score, scored, skipped

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
