"""A rubric of your own: criteria with levels and weights that a judge rates an answer by; the file of one."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from ..arguments import check_type
from ..errors import InputError
from ..eval_sets.sample import Sample
from ..judges import Answer, JudgeLike, Level, Request, ScoreQuestion, open_judge
from ..languages.yaml_file import read_yaml
from ..prompts import BUNDLED, Prompts
from ..regular_files import read_text_file
from ..value_messages import describe_mistake
from .faithfulness import require_answers
from .metric import Metric
from .sample_state import sample_state
from .score import Score, scored

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
V = TypeVar("V")


def _as_label(label: object) -> object:
    """A number of YAML as the text that it was written as; its yes and no would come out as something else."""
    if isinstance(label, bool):
        raise ValueError(f"YAML reads this label as {str(label).lower()}; put it in quotes")
    return str(label) if isinstance(label, int | float) else label


Label = Annotated[Text, BeforeValidator(_as_label)]


def different_labels(labels: dict[str, V]) -> dict[str, V]:
    """Refuses labels that differ only in case: a judge's reply is read without regard to it."""
    folded: dict[str, str] = {}
    for label in labels:
        if (other := folded.setdefault(label.casefold(), label)) != label:
            raise ValueError(f"{other!r} and {label!r} differ in nothing but case; rename one")
    return labels


SampleField = Literal["user_input", "response", "retrieved_contexts", "reference"]
"""The fields of a sample that a judge may be shown."""

_WEIGHT = re.compile(r"(?<!\s)\s*\(weight:?\s++([^)]{0,100})\)\s*$", re.IGNORECASE)
_FIELDS = re.compile(r"fields:\s*(.*)", re.IGNORECASE)
_LABEL = re.compile(r"([^:]{1,60}):\s+(.+)", re.DOTALL)


class Criterion(BaseModel):
    """One thing that a rubric rates."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Text
    question: Text  # what the judge is asked; the clearer, the better a small judge answers
    # how much it counts, above 0, at most 1,000,000
    weight: float = Field(default=1.0, gt=0, le=1e6, allow_inf_nan=False)
    # 2 to 10 levels, the lowest first: each label with what an answer of this level is like
    levels: Annotated[dict[Label, Text], AfterValidator(different_labels)] = Field(min_length=2, max_length=10)


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
    """Reads a rubric from a YAML file, or from a Markdown file (`.md`).

    In Markdown, each heading of the second level is a criterion, `(weight 2)` after its name its weight; the text under
    it is the question, and the numbered list has the levels, the lowest first, as `label: description`. A line
    `fields: user_input, response` under the title says what the judge sees.
    """
    path = Path(file).expanduser()
    if path.suffix.lower() not in {".md", ".markdown"}:
        return read_yaml(path, Rubric)
    return parse_markdown_rubric(read_text_file(path), str(path))


def parse_markdown_rubric(text: str, origin: str) -> Rubric:
    """Reads a rubric from Markdown; `origin` stands for the file in errors, which are those of `read_rubric`.

    Example:
        >>> text = "## Steps (weight 2)\\nDoes it name the steps?\\n1. no: It names none.\\n2. yes: It names all.\\n"
        >>> criterion = parse_markdown_rubric(text, "rubric.md").criteria[0]
        >>> criterion.name, criterion.weight, criterion.question, list(criterion.levels)
        ('Steps', 2.0, 'Does it name the steps?', ['no', 'yes'])
    """
    from markdown_it import MarkdownIt

    values: dict[str, Any] = {"criteria": []}
    lines: dict[tuple[Any, ...], int] = {}
    heading = ""
    number = 0  # of the list item, from 1; 0 outside a list
    line = 1
    for token in MarkdownIt().parse(text):
        line = token.map[0] + 1 if token.map else line
        if token.type == "heading_open":
            heading = token.tag
        elif token.type == "ordered_list_open":
            number = int(token.attrs.get("start", 1)) - 1
        elif token.type == "list_item_open":
            number += 1
        elif token.type == "ordered_list_close":
            number = 0
        elif token.type == "inline":
            if heading:
                _read_heading(token.content, heading, values, lines, line)
                heading = ""
            else:
                _read_text(token.content, number, values, lines, line=line, origin=origin)
    try:
        return Rubric.model_validate(values)
    except ValidationError as error:
        mistakes = [(mistake["loc"], mistake) for mistake in error.errors(include_url=False)]
        described = [
            f"{origin}, line {_line_of(place, lines)}, {'.'.join(map(str, place)) or 'the whole file'}: "
            f"{describe_mistake(mistake, _cure(place))}"
            for place, mistake in mistakes
        ]
        raise InputError("\n".join(described)) from error


def _read_heading(content: str, tag: str, values: dict[str, Any], lines: dict[tuple[Any, ...], int], line: int) -> None:
    if tag == "h1":
        values["name"] = content
    elif tag == "h2":
        weight = _WEIGHT.search(content)
        criterion: dict[str, Any] = {"name": _WEIGHT.sub("", content)}
        if weight:
            criterion["weight"] = weight[1].strip()
        lines["criteria", len(values["criteria"])] = line
        values["criteria"].append(criterion)


def _read_text(
    content: str,
    number: int,
    values: dict[str, Any],
    lines: dict[tuple[Any, ...], int],
    *,
    line: int,
    origin: str,
) -> None:
    """A paragraph, or a level where `number` is that of a list's item."""
    if not values["criteria"]:
        if fields := _FIELDS.search(content):
            lines["fields",] = line
            values["fields"] = [name.strip(" `") for name in fields[1].split(",")]
        return
    place, criterion = len(values["criteria"]) - 1, values["criteria"][-1]
    if not number:
        before = f"{criterion['question']}\n\n" if "question" in criterion else ""
        criterion["question"] = before + content
        lines.setdefault(("criteria", place, "question"), line)
        return
    match = _LABEL.fullmatch(content)
    label, description = (match[1].strip(), match[2]) if match else (str(number), content)
    levels = criterion.setdefault("levels", {})
    if label in levels:
        raise InputError(f"{origin}, line {line}, criteria.{place}.levels: {label!r} is a level already; rename one")
    levels[label] = " ".join(description.split())
    lines.setdefault(("criteria", place, "levels"), line)
    lines["criteria", place, "levels", label] = line


def _line_of(place: tuple[Any, ...], lines: dict[tuple[Any, ...], int]) -> int:
    """The line of the deepest part of a place that the file has."""
    return next((lines[place[:depth]] for depth in range(len(place), 0, -1) if place[:depth] in lines), 1)


def _cure(place: tuple[Any, ...]) -> str:
    """What to write in Markdown for a field that is missing or wrong; empty where the message says it already."""
    cures = {
        "criteria": "write a heading ## NAME for each criterion",
        "question": "write the question under the heading",
        "levels": "write 2 to 10 levels as a numbered list, the lowest first: 1. label: description",
        "weight": "write (weight 2) after the criterion's name",
    }
    return next((cures[part] for part in reversed(place) if part in cures), "")


class RubricMetric(Metric):
    """How good the answer is by criteria in a file of yours: `rubric:helpful.yaml`, `rubric:helpful.md`.

    Formula: the weighted mean over the criteria of (E - 1) / (n - 1), with n the criterion's levels and E the expected
    level, the sum over l = 1..n of l * P(l); without probabilities the level that the judge chose. Range: [0, 1], 0
    where every criterion is at its lowest level. A criterion without an answer makes the sample failed. The file: see
    `Rubric` and `read_rubric`.

    The expected value over probabilities is that of G-Eval (Liu et al., 2023), and of DeepEval's `GEval`; Ragas has
    `RubricsScore`.

    Args:
        judge: Rates by all criteria in one request.
        file: A YAML or a Markdown file, or a `Rubric`.
        prompts: The prompts of the request.

    Raises:
        InputError: The file cannot be read, or holds no rubric.
    """

    name = "rubric"
    needs: tuple[str, ...] = ("user_input", "response")
    argument = "file"

    def __init__(self, judge: JudgeLike, file: str | Path | Rubric, prompts: Prompts = BUNDLED) -> None:
        check_type("file", file, (Rubric, str, Path), "the path of a rubric, or a Rubric")
        self.judge = open_judge(judge)
        self.rubric = file if isinstance(file, Rubric) else read_rubric(file)
        self.needs = self.rubric.fields
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score, with each criterion's level, expected level and probabilities in the evidence.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        request = self.request(sample)
        answers = require_answers(await self.judge.decide(request))
        criteria = [
            _criterion_evidence(criterion, answer)
            for criterion, answer in zip(self.rubric.criteria, answers.values(), strict=True)
        ]
        total = sum(criterion["weight"] for criterion in criteria)
        value = sum(criterion["weight"] * criterion["share"] for criterion in criteria) / total
        evidence = {"rubric": self.rubric.name, "criteria": criteria, "judge": self.judge.name}
        evidence |= self.prompts.evidence([request.task], sample.language)
        reason = "; ".join(
            f"{criterion['text']}: {criterion['level']} ({criterion['share']:.2f})" for criterion in criteria
        )
        return scored(min(1.0, max(0.0, value)), reason, evidence, answers.usage)

    def request(self, sample: Sample) -> Request:
        """What the judge is asked: one question per criterion, about the fields."""
        questions = [
            ScoreQuestion(
                str(number),
                criterion.question,
                tuple(Level(label, description) for label, description in criterion.levels.items()),
            )
            for number, criterion in enumerate(self.rubric.criteria, start=1)
        ]
        state = sample_state(sample, self.rubric.fields)
        return Request("own_question", state, questions, sample.language, sample.id, self.prompts)


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
