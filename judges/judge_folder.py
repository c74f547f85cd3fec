"""The folder of a judge that learned from ratings: what `assay align` writes and `--judge FOLDER` takes.

judge.yaml          the judge's settings; under `aligned` what was learned, and the rules
calibration.yaml    by kind of question, a map from what the judge says to what the ratings say
examples.jsonl      rated answers; the nearest ones stand beside what is judged
prompts/            prompts in place of the bundled ones
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import InputError
from ..prompts import Prompts
from .alignment import Alignment, Knots, RatedExample

JUDGE_FILE = "judge.yaml"
_CALIBRATION_FILE = "calibration.yaml"
_EXAMPLES_FILE = "examples.jsonl"
_PROMPTS_FOLDER = "prompts"


class AlignedJudgeRecord(BaseModel):
    """What `judge.yaml` says of what a judge learned.

    Attributes:
        metric: The metric that it was aligned with.
        candidate: What won.
        embedder: What finds the nearest examples; None without examples.
        shown: How many examples stand beside what is judged.
        rules: The team's rules, as the judge distilled them; empty without.
        spearman: Agreement with the ratings out of fold, as it was and as it is: `before`, `after`, `low`, `high`.
        answers: How many rated answers it learned from.
        folder: Where the folder is; filled in when it is loaded.
        fingerprint: Hash of the folder's other files; filled in when it is loaded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    metric: str
    candidate: str
    embedder: str | None = None
    shown: int = 3
    rules: str = ""
    spearman: dict[str, float | None] = {}
    answers: int = 0
    folder: str = ""
    fingerprint: str = ""


def write_folder(
    folder: Path,
    settings: Mapping[str, Any],
    record: AlignedJudgeRecord,
    alignment: Alignment,
    prompt_files: Sequence[Path] = (),
) -> None:
    """Writes a judge's folder.

    Args:
        folder: A folder that does not exist or is empty.
        settings: The judge's settings, as in a settings file.
        record: What was learned.
        alignment: The calibration and the examples.
        prompt_files: The prompts to copy.

    Raises:
        InputError: The folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if alignment.calibration:
            maps = {kind: [list(point) for point in knots] for kind, knots in alignment.calibration.items()}
            text = "# By kind of question: [what the judge says, what the ratings say], linear between the points\n"
            text += yaml.safe_dump(maps, sort_keys=True, default_flow_style=None, width=120)
            (folder / _CALIBRATION_FILE).write_text(text, encoding="utf-8")
        if alignment.examples:
            lines = "".join(example.model_dump_json() + "\n" for example in alignment.examples)
            (folder / _EXAMPLES_FILE).write_text(lines, encoding="utf-8")
        if prompt_files:
            (folder / _PROMPTS_FOLDER).mkdir(exist_ok=True)
            for file in prompt_files:
                (folder / _PROMPTS_FOLDER / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
        aligned = record.model_dump(mode="json", exclude={"folder", "fingerprint"})
        text = "# Made by `assay align`. Use it with: --judge FOLDER\n"
        text += yaml.safe_dump({**settings, "aligned": aligned}, sort_keys=False, allow_unicode=True, width=120)
        (folder / JUDGE_FILE).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: the judge's folder cannot be written: {error.strerror or error}") from error


def fingerprint_folder(folder: Path) -> str:
    """12 hexadecimal digits over the files of a judge's folder."""
    names = [folder / _CALIBRATION_FILE, folder / _EXAMPLES_FILE, *sorted((folder / _PROMPTS_FOLDER).glob("*.md"))]
    digest = hashlib.sha256()
    for file in [folder / JUDGE_FILE, *names]:
        if file.is_file():
            digest.update(f"{file.relative_to(folder).as_posix()}\x1f".encode() + file.read_bytes() + b"\x1e")
    return digest.hexdigest()[:12]


def load_alignment(record: AlignedJudgeRecord) -> Alignment:
    """Reads what a judge's folder holds beside its settings.

    Raises:
        InputError: A file of the folder cannot be read, or changed since the judge was loaded.
    """
    folder = Path(record.folder)
    if fingerprint_folder(folder) != record.fingerprint:
        raise InputError(
            f"{folder}: this judge's folder is gone or changed since it was named; name it again (--judge {folder})"
        )
    from .embedders import load_embedder

    examples = _read_examples(folder / _EXAMPLES_FILE)
    prompts = folder / _PROMPTS_FOLDER
    return Alignment(
        rules=record.rules,
        examples=examples,
        shown=record.shown,
        embedder=load_embedder(record.embedder or "use") if examples else None,
        prompts=Prompts.from_folder(prompts) if prompts.is_dir() else None,
        calibration=_read_calibration(folder / _CALIBRATION_FILE),
    )


def _read_examples(file: Path) -> tuple[RatedExample, ...]:
    if not file.is_file():
        return ()
    examples = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            examples.append(RatedExample.model_validate(json.loads(line)))
        except (ValidationError, json.JSONDecodeError) as error:
            problem = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            raise InputError(f"{file}, line {number}: not a rated example: {problem}; align the judge again") from error
    return tuple(examples)


def _read_calibration(file: Path) -> dict[str, Knots]:
    if not file.is_file():
        return {}
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
        maps = {str(kind): tuple((float(x), float(y)) for x, y in knots) for kind, knots in content.items()}
    except (yaml.YAMLError, AttributeError, TypeError, ValueError) as error:
        raise InputError(
            f"{file}: not a calibration (kind: [[from, to], ...]): {error}; align the judge again"
        ) from error
    for kind, knots in maps.items():
        if not knots or any(a[0] >= b[0] or a[1] > b[1] for a, b in pairwise(knots)):
            raise InputError(f"{file}, {kind}: the points must rise; align the judge again")
    return maps
