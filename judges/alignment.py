"""What a judge learned from a team's ratings: a map from its probabilities to what the ratings say.

It is kept in a folder (`judge_folder`), which is written and read here.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import exp, isfinite, log
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..languages.yaml_file import dump_yaml, read_yaml
from ..value_messages import quote_word
from .settings import (
    CALIBRATION_FILE,
    JUDGE_FILE,
    AlignedJudgeRecord,
    fingerprint_folder,
)
from .typed_questions import NO, YES, Answer, Answers, ChoiceQuestion, Predicate, Request, ScoreQuestion, TypedQuestion

_MOST_EXPONENT = 700.0  # that exp takes
_LEAST_SHARE = 1e-4  # and so the largest odds of a judge that says 0 or 1

Calibration = tuple[float, float]
"""A map of log odds: intercept and slope (Platt, 1999); the slope is at least 0."""


def calibrate(calibrations: Mapping[str, Calibration], request: Request, answers: Answers) -> Answers:
    """The answers with their probabilities as the ratings say; an answer without a map stays as it is.

    Args:
        calibrations: By kind of question (`question_kind`), the map from what the judge says to what the ratings say.
    """
    corrected = {}
    for name, answer in answers.answers.items():
        calibration = calibrations.get(question_kind(request.task, answer.question))
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
    calibrations: Mapping[str, Calibration],
) -> None:
    """Writes a judge's folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        maps = {kind: list(calibration) for kind, calibration in calibrations.items()}
        text = "# By kind of question: intercept and slope, from the judge's log odds to those of the ratings\n"
        text += dump_yaml(maps, sort_keys=True, flow=None)
        (folder / CALIBRATION_FILE).write_text(text, encoding="utf-8")
        aligned = record.model_dump(mode="json", exclude={"folder", "fingerprint"})
        text = "# Made by `assay judges align`. Use it with: --judge FOLDER\n"
        text += dump_yaml({**settings, "aligned": aligned})
        (folder / JUDGE_FILE).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: the judge's folder cannot be written: {error.strerror or error}") from error


def load_calibrations(record: AlignedJudgeRecord) -> dict[str, Calibration]:
    """Reads what a judge's folder holds beside its settings."""
    folder = Path(record.folder)
    if fingerprint_folder(folder) != record.fingerprint:
        raise InputError(
            f"{folder}: this judge's folder is gone or changed since it was named; name it again "
            f"(--judge {quote_word(folder)})"
        )
    file = folder / CALIBRATION_FILE
    try:
        maps = read_yaml(file, dict[str, Calibration])
    except InputError as error:
        raise InputError(f"{error}\n(a calibration has kind: [intercept, slope]; align the judge again)") from error
    for kind, (intercept, slope) in maps.items():
        if not (isfinite(intercept) and isfinite(slope) and slope >= 0):
            raise InputError(f"{file}, {kind}: both must be numbers, and the slope not below 0; align the judge again")
    return maps
