"""The folder of a judge that learned from ratings: what `assay judges align` writes and `--judge FOLDER` takes.

judge.yaml          the judge's settings; under `aligned` what was learned
calibration.yaml    by kind of question, a map from what the judge says to what the ratings say
examples.jsonl      rated answers; the nearest ones stand beside what is judged
"""

import hashlib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

JUDGE_FILE = "judge.yaml"
CALIBRATION_FILE = "calibration.yaml"
EXAMPLES_FILE = "examples.jsonl"
CALIBRATED, FEW_SHOT = "calibrated", "few-shot"
CANDIDATES = (CALIBRATED, FEW_SHOT)
"""What a judge may learn: a map of its probabilities, or rated examples beside what it judges."""


def is_judge_folder(path: Path) -> bool:
    """Whether a path is a folder that `assay judges align` wrote; not where no file can have its name."""
    try:
        return (path / JUDGE_FILE).is_file()
    except (OSError, ValueError):
        return False


class AlignedJudgeRecord(BaseModel):
    """What `judge.yaml` says of what a judge learned."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    metric: str
    candidate: str
    embedder: str | None = None  # what finds the nearest examples; None without examples
    shown: int = Field(default=3, ge=0, le=1000)
    # agreement with the ratings out of fold, as it was (`before`) and is (`after`, `low`, `high`), and how much that is
    # more (`gain`, `gain_low`, `gain_high`)
    spearman: dict[str, float | None] = {}
    answers: int = Field(default=0, ge=0)
    folder: str = ""  # where the folder is; filled in when it is loaded
    fingerprint: str = ""  # hash of the folder's other files; filled in when it is loaded

    @model_validator(mode="before")
    @classmethod
    def _check_candidate(cls, record: Any) -> Any:
        """Raises where a judge learned what is no longer learned."""
        if isinstance(record, dict) and ("rules" in record or record.get("candidate", CALIBRATED) not in CANDIDATES):
            raise ValueError(
                "is of Assay 0.2, which also tried rules, prompts, isotonic and beta maps; align the judge again with "
                "`assay judges align`, which calibrates it or shows it rated examples"
            )
        return record


def fingerprint_folder(folder: Path) -> str:
    """12 hexadecimal digits over the files of a judge's folder."""
    digest = hashlib.sha256()
    for file in (folder / JUDGE_FILE, folder / CALIBRATION_FILE, folder / EXAMPLES_FILE):
        if file.is_file():
            digest.update(f"{file.relative_to(folder).as_posix()}\x1f".encode() + file.read_bytes() + b"\x1e")
    return digest.hexdigest()[:12]
