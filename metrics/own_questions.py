"""Questions of your own about an answer: a statement that is true or not, and a question with options."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ..arguments import check_type
from ..eval_sets.sample import Sample
from ..judges import ChoiceQuestion, JudgeLike, Predicate, Request, open_judge
from ..languages.yaml_file import read_yaml
from ..prompts import BUNDLED, Prompts
from .faithfulness import predicate_claim, require_answers
from .metric import Metric
from .rubric import Label, SampleField, Text, different_labels
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


class Option(BaseModel):
    """One option."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # the score of an answer for which it is chosen, -1,000,000,000 to 1,000,000,000
    value: float = Field(ge=-1e9, le=1e9, allow_inf_nan=False)
    description: Text


class OptionChoice(BaseModel):
    """A question with its options.

    Example:
        >>> options = {"you": {"value": 1, "description": "says you"}, "thou": {"value": 0, "description": "says thou"}}
        >>> OptionChoice(question="How is the customer addressed?", options=options).range
        (0.0, 1.0)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Text
    # the sample's fields that the judge sees, and that a sample must have
    fields: tuple[SampleField, ...] = Field(default=("user_input", "response"), min_length=1)
    # 2 to 255 options by their labels
    options: Annotated[dict[Label, Option], AfterValidator(different_labels)] = Field(min_length=2, max_length=255)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and highest value of an option."""
        values = [option.value for option in self.options.values()]
        return min(values), max(values)


def read_choice(file: str | Path) -> OptionChoice:
    """Reads a choice from a YAML file."""
    return read_yaml(Path(file).expanduser(), OptionChoice)


class ChoiceMetric(Metric):
    """The value of the option that fits the answer, of a question in a file of yours: `choice:tone.yaml`.

    Formula: the expected value, the sum over the options of value * P(option); without probabilities the value of the
    option that the judge chose. Range: from the lowest value of an option to the highest. Where the judge gives no
    answer, the sample is failed. The file: see `OptionChoice`.

    The same as Ragas's `DiscreteMetric` with values.

    Args:
        judge: Chooses.
        file: A YAML file, or an `OptionChoice`.
        prompts: The prompts of the request.

    Raises:
        InputError: The file cannot be read, or holds no choice.
    """

    name = "choice"
    needs: tuple[str, ...] = ("user_input", "response")
    range: tuple[float | None, float | None] = (None, None)
    argument = "file"

    def __init__(self, judge: JudgeLike, file: str | Path | OptionChoice, prompts: Prompts = BUNDLED) -> None:
        check_type("file", file, (OptionChoice, str, Path), "the path of a file of options, or an OptionChoice")
        self.judge = open_judge(judge)
        self.choice = file if isinstance(file, OptionChoice) else read_choice(file)
        self.range = self.choice.range
        self.needs = self.choice.fields
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score, with the chosen option and all probabilities in the evidence.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        request = self.request(sample)
        answers = require_answers(await self.judge.decide(request))
        answer = answers["choice"]
        option = answer.option or ""
        chosen = self.choice.options[option].value
        shares = None if answer.probabilities is None else dict(answer.probabilities)
        expected = None if shares is None else sum(self.choice.options[label].value * p for label, p in shares.items())
        evidence = {
            "question": self.choice.question,
            "option": option,
            "value": chosen,
            "probabilities": shares,
            "judge": self.judge.name,
        } | self.prompts.evidence([request.task], sample.language)
        reason = f"the judge chooses {option} ({chosen:g})"
        if shares is None or expected is None:
            return scored(chosen, f"{reason}, and gives no probability", evidence, answers.usage)
        low, high = self.choice.range
        value = min(high, max(low, expected))  # a sum of shares may be off by a rounding error
        return scored(value, f"{reason}, P = {shares[option]:.2f}", evidence, answers.usage)

    def request(self, sample: Sample) -> Request:
        """What the judge is asked: the question with its options, about the fields."""
        criteria = {label: option.description for label, option in self.choice.options.items()}
        question = ChoiceQuestion("choice", self.choice.question, criteria)
        state = sample_state(sample, self.choice.fields)
        return Request("own_question", state, [question], sample.language, sample.id, self.prompts)
