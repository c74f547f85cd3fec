"""Questions of your own about an answer: a statement that is true or not, and a rubric of criteria with levels."""

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from ..eval_sets.sample import Sample
from ..judges import Answer, JudgeLike, Level, Predicate, ScoreQuestion
from ..languages.yaml_file import read_yaml
from ..prompts import BUNDLED, Prompts
from ..value_messages import check_type
from .faithfulness import predicate_claim
from .judged import JudgedMetric
from .sample_state import read_fields, sample_state
from .score import Score, scored

_TASK = "own_question"


class PredicateMetric(JudgedMetric):
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
        super().__init__(judge, prompts)
        self.statement = statement.strip()
        self.needs = read_fields(fields)

    async def measure(self, sample: Sample) -> Score:
        """The score, with the statement and its verdict in the evidence."""
        state = sample_state(sample, self.needs)
        answers = await self.decide(_TASK, sample, state, [Predicate("statement", self.statement)])
        claim = predicate_claim(answers["statement"])
        evidence = {"claims": [claim.evidence()]} | self.asked_with(sample, _TASK)
        return scored(claim.support, f'"{self.statement}": {claim.reason}', evidence, answers.usage)


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
V = TypeVar("V")


def _as_label(label: object) -> object:
    """A number of YAML as the text that it was written as; its yes and no would come out as something else."""
    if isinstance(label, bool):
        raise ValueError(f"YAML reads this label as {str(label).lower()}; put it in quotes")
    return str(label) if isinstance(label, int | float) else label


Label = Annotated[Text, BeforeValidator(_as_label)]


def _different_labels(labels: dict[str, V]) -> dict[str, V]:
    """Refuses labels that differ only in case: a judge's reply is read without regard to it."""
    folded: dict[str, str] = {}
    for label in labels:
        if (other := folded.setdefault(label.casefold(), label)) != label:
            raise ValueError(f"{other!r} and {label!r} differ in nothing but case; rename one")
    return labels


SampleField = Literal["user_input", "response", "retrieved_contexts", "reference"]
"""The fields of a sample that a judge may be shown."""


class Criterion(BaseModel):
    """One thing that a rubric rates."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Text
    question: Text  # what the judge is asked; the clearer, the better a small judge answers
    # how much it counts, above 0, at most 1,000,000
    weight: float = Field(default=1.0, gt=0, le=1e6, allow_inf_nan=False)
    # 2 to 10 levels, the lowest first: each label with what an answer of this level is like
    levels: Annotated[dict[Label, Text], AfterValidator(_different_labels)] = Field(min_length=2, max_length=10)


class Rubric(BaseModel):
    """Criteria, and the fields of a sample that they are about.

    Example:
        >>> levels = {"no": "It names no step.", "yes": "It names every step."}
        >>> Rubric(criteria=[{"name": "steps", "question": "Does the answer name the steps?", "levels": levels}]).fields
        ('user_input', 'response')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = ""  # what it rates, for people
    # the sample's fields that the judge sees, and that a sample must have
    fields: tuple[SampleField, ...] = Field(default=("user_input", "response"), min_length=1)
    criteria: tuple[Criterion, ...] = Field(min_length=1, max_length=100)  # one or more; their names differ

    @model_validator(mode="after")
    def _different_names(self) -> "Rubric":
        names = [criterion.name for criterion in self.criteria]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"several criteria are called {twice[0]!r}; give each its own name")
        return self


def read_rubric(file: str | Path) -> Rubric:
    """Reads a rubric from a YAML file."""
    return read_yaml(Path(file).expanduser(), Rubric)


class RubricMetric(JudgedMetric):
    """How good the answer is by criteria in a file of yours: `rubric:helpful.yaml`.

    Formula: the weighted mean over the criteria of (E - 1) / (n - 1), with n the criterion's levels and E the expected
    level, the sum over l = 1..n of l * P(l); without probabilities the level that the judge chose. Range: [0, 1], 0
    where every criterion is at its lowest level. A criterion without an answer makes the sample failed. The file: see
    `Rubric`.

    The expected value over probabilities is that of G-Eval (Liu et al., 2023), and of DeepEval's `GEval`; Ragas has
    `RubricsScore`.

    Args:
        judge: Rates by all criteria in one request.
        file: A YAML file, or a `Rubric`.
        prompts: The prompts of the request.

    Raises:
        InputError: The file cannot be read, or holds no rubric.
    """

    name = "rubric"
    needs: tuple[str, ...] = ("user_input", "response")
    argument = "file"

    def __init__(self, judge: JudgeLike, file: str | Path | Rubric, prompts: Prompts = BUNDLED) -> None:
        check_type("file", file, (Rubric, str, Path), "the path of a rubric, or a Rubric")
        super().__init__(judge, prompts)
        self.rubric = file if isinstance(file, Rubric) else read_rubric(file)
        self.needs = self.rubric.fields

    async def measure(self, sample: Sample) -> Score:
        """The score, with each criterion's level, expected level and probabilities in the evidence."""
        questions = [
            ScoreQuestion(str(number), criterion.question, tuple(Level(*level) for level in criterion.levels.items()))
            for number, criterion in enumerate(self.rubric.criteria, start=1)
        ]
        answers = await self.decide(_TASK, sample, sample_state(sample, self.needs), questions)
        criteria = [
            _criterion_evidence(criterion, answer)
            for criterion, answer in zip(self.rubric.criteria, answers.values(), strict=True)
        ]
        total = sum(criterion["weight"] for criterion in criteria)
        value = sum(criterion["weight"] * criterion["share"] for criterion in criteria) / total
        evidence = {"rubric": self.rubric.name, "criteria": criteria} | self.asked_with(sample, _TASK)
        reason = "; ".join(
            f"{criterion['text']}: {criterion['level']} ({criterion['share']:.2f})" for criterion in criteria
        )
        return scored(min(1.0, max(0.0, value)), reason, evidence, answers.usage)


def _criterion_evidence(criterion: Criterion, answer: Answer) -> dict[str, Any]:
    """A criterion as JSON values; `share` is the expected level from 0, the lowest, to 1, the highest."""
    expected = float(answer.value or 1)
    reason = f"{answer.option}, level {expected:.2f} of {len(criterion.levels)}"
    if answer.probabilities is not None:
        reason += ": " + ", ".join(f"P({label}) = {share:.2f}" for label, share in answer.probabilities.items())
    return {
        "text": criterion.name,
        "reason": reason,
        "question": criterion.question,
        "weight": criterion.weight,
        "level": answer.option,
        "expected": expected,
        "share": (expected - 1) / (len(criterion.levels) - 1),
        "probabilities": None if answer.probabilities is None else dict(answer.probabilities),
    }
