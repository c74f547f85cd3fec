"""What a judge learned from a team's ratings: rated examples beside the state, or probabilities calibrated.

It is kept in a folder (`judge_folder`), which is written and read here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, isfinite, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import InputError
from ..json_text import parse_json
from ..languages.yaml_file import dump_yaml, read_yaml
from ..regular_files import read_text_file
from ..value_messages import describe_first_mistake, quote_word
from .settings import (
    CALIBRATION_FILE,
    EXAMPLES_FILE,
    JUDGE_FILE,
    AlignedJudgeRecord,
    fingerprint_folder,
)
from .typed_questions import NO, YES, Answer, Answers, ChoiceQuestion, Predicate, Request, ScoreQuestion, TypedQuestion

if TYPE_CHECKING:
    from .embedders import Embedder

EXAMPLES = "rated_examples"  # the part of the state that holds them
_MOST_CHARACTERS = 600  # of an example's text, so that a few fit beside any state

_MOST_EXPONENT = 700.0  # that exp takes
_LEAST_SHARE = 1e-4  # and so the largest odds of a judge that says 0 or 1

Calibration = tuple[float, float]
"""A map of log odds: intercept and slope (Platt, 1999); the slope is at least 0."""


class RatedExample(BaseModel):
    """A rated answer that a judge is shown."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    id: str  # the sample's id; neither it nor an example of its group is shown when this very sample is judged
    group: str = ""
    question: str
    answer: str
    rating: float
    scale: float
    reasons: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The example as a judge reads it.

        Example:
            >>> RatedExample(id="a", question="Free?", answer="Yes.", rating=1, scale=5, reasons=("not so",)).text
            'question: Free?\\nanswer: Yes.\\nrating: 1 of 5 (not so)'
        """
        reasons = f" ({'; '.join(self.reasons)[:_MOST_CHARACTERS]})" if self.reasons else ""
        question, answer = self.question[:_MOST_CHARACTERS], self.answer[:_MOST_CHARACTERS]
        return f"question: {question}\nanswer: {answer}\nrating: {self.rating:g} of {self.scale:g}{reasons}"


@dataclass(frozen=True)
class Alignment:
    """What stands beside a request, and how its answers are corrected."""

    # rated answers, of which the nearest stand before the state as `rated_examples`
    examples: Sequence[RatedExample] = ()
    shown: int = 3
    embedder: "Embedder | None" = None
    # by kind of question (`question_kind`), the map from what the judge says to what the ratings say
    calibration: Mapping[str, Calibration] = field(default_factory=dict)

    async def prepare(self, request: Request) -> Request:
        """The request with the nearest examples before its state."""
        if not self.examples or self.embedder is None:
            return request
        nearest = "\n\n".join(example.text for example in await self._nearest(request, self.embedder))
        return replace(request, state={EXAMPLES: nearest, **request.state})

    async def _nearest(self, request: Request, embedder: "Embedder") -> list[RatedExample]:
        """The examples whose answers are nearest to what is judged, the nearest last; none of its own group.

        So the judge agrees with ratings that it learned from no better than with those of answers that it never saw.
        """
        own = {example.group or example.id for example in self.examples if example.id == request.sample}
        others = [example for example in self.examples if (example.group or example.id) not in own]
        if not others:
            return []
        statements = [question.statement for question in request.questions if isinstance(question, Predicate)]
        judged = request.state.get("answer") or " ".join(statements) or " ".join(request.state.values())
        answers = [example.answer[:_MOST_CHARACTERS] for example in others]
        cosines = await embedder.cosines(judged[:_MOST_CHARACTERS], answers)
        order = sorted(range(len(others)), key=lambda place: (-cosines[place], others[place].id))[: self.shown]
        return [others[place] for place in reversed(order)]

    def calibrate(self, request: Request, answers: Answers) -> Answers:
        """The answers with their probabilities as the ratings say; an answer without a map stays as it is."""
        corrected = {}
        for name, answer in answers.answers.items():
            calibration = self.calibration.get(question_kind(request.task, answer.question))
            corrected[name] = answer if calibration is None else _calibrate_answer(answer, calibration)
        return replace(answers, answers=corrected)


def question_kind(task: str, question: TypedQuestion) -> str:
    """What questions share one calibration: those of one task and type.

    Example:
        >>> question_kind("support", Predicate("1", "It is free."))
        'support.predicate'
    """
    kinds = {Predicate: "predicate", ChoiceQuestion: "choice", ScoreQuestion: "score"}
    return f"{task}.{kinds[type(question)]}"


def answer_share(answer: Answer) -> float | None:
    """What an answer says as a number in [0, 1], which calibration maps; None where it says none.

    P(yes) of a predicate, else 1 or 0; the expected level of a scale, from its lowest to its highest. Other questions
    have no order.
    """
    if answer.option is None or isinstance(answer.question, ChoiceQuestion):
        return None
    if isinstance(answer.question, Predicate):
        return answer.support
    value = answer.value
    return (float(value) - 1) / (len(answer.question.options) - 1) if isinstance(value, float) else None


def log_odds(share: float) -> float:
    """ln(share / (1 - share)); of 0 and 1 that of what lies 0.0001 inside."""
    inside = min(1 - _LEAST_SHARE, max(_LEAST_SHARE, share))
    return log(inside / (1 - inside))


def _calibrate_answer(answer: Answer, calibration: Calibration) -> Answer:
    share = answer_share(answer)
    if share is None:
        return answer
    intercept, slope = calibration
    mapped = 1 / (1 + exp(min(_MOST_EXPONENT, -intercept - slope * log_odds(share))))
    if isinstance(answer.question, Predicate):
        return replace(answer, option=YES if mapped >= 0.5 else NO, probabilities={YES: mapped, NO: 1 - mapped})
    options = answer.question.options
    below = min(int(mapped * (len(options) - 1)), len(options) - 2)
    above_share = mapped * (len(options) - 1) - below
    probabilities = dict.fromkeys(options, 0.0) | {options[below]: 1 - above_share, options[below + 1]: above_share}
    return replace(answer, option=max(options, key=probabilities.__getitem__), probabilities=probabilities)


def write_folder(
    folder: Path,
    settings: Mapping[str, Any],
    record: AlignedJudgeRecord,
    alignment: Alignment,
) -> None:
    """Writes a judge's folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if alignment.calibration:
            maps = {kind: list(calibration) for kind, calibration in alignment.calibration.items()}
            text = "# By kind of question: intercept and slope, from the judge's log odds to those of the ratings\n"
            text += dump_yaml(maps, sort_keys=True, flow=None)
            (folder / CALIBRATION_FILE).write_text(text, encoding="utf-8")
        if alignment.examples:
            lines = "".join(example.model_dump_json() + "\n" for example in alignment.examples)
            (folder / EXAMPLES_FILE).write_text(lines, encoding="utf-8")
        aligned = record.model_dump(mode="json", exclude={"folder", "fingerprint"})
        text = "# Made by `assay judges align`. Use it with: --judge FOLDER\n"
        text += dump_yaml({**settings, "aligned": aligned})
        (folder / JUDGE_FILE).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: the judge's folder cannot be written: {error.strerror or error}") from error


def load_alignment(record: AlignedJudgeRecord) -> Alignment:
    """Reads what a judge's folder holds beside its settings."""
    folder = Path(record.folder)
    if fingerprint_folder(folder) != record.fingerprint:
        raise InputError(
            f"{folder}: this judge's folder is gone or changed since it was named; name it again "
            f"(--judge {quote_word(folder)})"
        )
    from .embedders import load_embedder

    examples = _read_examples(folder / EXAMPLES_FILE)
    return Alignment(
        examples=examples,
        shown=record.shown,
        embedder=load_embedder(record.embedder or "use") if examples else None,
        calibration=_read_calibration(folder / CALIBRATION_FILE),
    )


def _read_examples(file: Path) -> tuple[RatedExample, ...]:
    if not file.is_file():
        return ()
    examples = []
    for number, line in enumerate(read_text_file(file, "the examples").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            examples.append(RatedExample.model_validate(parse_json(line)))
        except ValueError as error:
            problem = describe_first_mistake(error) if isinstance(error, ValidationError) else str(error)
            raise InputError(f"{file}, line {number}: not a rated example: {problem}; align the judge again") from error
    return tuple(examples)


def _read_calibration(file: Path) -> dict[str, Calibration]:
    if not file.is_file():
        return {}
    try:
        maps = read_yaml(file, dict[str, Calibration])
    except InputError as error:
        raise InputError(f"{error}\n(a calibration has kind: [intercept, slope]; align the judge again)") from error
    for kind, (intercept, slope) in maps.items():
        if not (isfinite(intercept) and isfinite(slope) and slope >= 0):
            raise InputError(f"{file}, {kind}: both must be numbers, and the slope not below 0; align the judge again")
    return maps
