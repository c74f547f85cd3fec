"""A statement of your own that a judge finds true of an answer or not."""

from ..arguments import check_type
from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Predicate, Request, open_judge
from ..prompts import BUNDLED, Prompts
from .faithfulness import predicate_claim, require_answers
from .metric import Metric
from .sample_state import read_fields, sample_state
from .score import Score, scored


class PredicateMetric(Metric):
    """How true a statement of yours is of the answer: `predicate:"The answer is polite"`.

    Formula: P(yes), or 1 and 0 where the judge gives no probabilities. Range: [0, 1]. Write the statement so that yes
    is good. Where the judge gives no answer, the sample is failed.

    The same as a yes/no criterion of Ragas's `AspectCritic` or `DiscreteMetric`.

    Args:
        judge: Answers.
        statement: What may be true, one thing, as concrete as you can say it.
        fields: What the judge sees and the sample must have, joined by `+`: `user_input`, `response`,
            `retrieved_contexts`, `reference`.
        prompts: The prompts of the request.

    Raises:
        ValueError: The statement is empty, or a field is unknown.

    Example:
        >>> from assay.judges import LiteLLMJudge
        >>> PredicateMetric(LiteLLMJudge("qwen1.5b"), "The answer is polite", fields="response").needs
        ('response',)
    """

    name = "predicate"
    needs: tuple[str, ...] = ("user_input", "response")
    argument = "statement"

    def __init__(
        self, judge: JudgeLike, statement: str, fields: str = "user_input+response", prompts: Prompts = BUNDLED
    ) -> None:
        check_type("statement", statement, str, "a sentence that may be true of the answer")
        if not statement.strip():
            raise ValueError("the statement is empty; say what may be true of the answer")
        self.judge = open_judge(judge)
        self.statement = statement.strip()
        self.needs = read_fields(fields)
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score, with the statement and its verdict in the evidence.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        request = self.request(sample)
        answers = require_answers(await self.judge.decide(request))
        claim = predicate_claim(answers["statement"])
        evidence = {"claims": [claim.evidence()], "judge": self.judge.name}
        evidence |= self.prompts.evidence([request.task], sample.language)
        return scored(claim.support, f'"{self.statement}": {claim.reason}', evidence, answers.usage)

    def request(self, sample: Sample) -> Request:
        """What the judge is asked: whether the statement is true of the fields."""
        state = sample_state(sample, self.needs)
        predicate = Predicate("statement", self.statement)
        return Request("own_question", state, [predicate], sample.language, sample.id, self.prompts)
