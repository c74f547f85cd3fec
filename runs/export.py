"""A run's scores as a file that other tools read."""

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from .report import score_as_json

if TYPE_CHECKING:
    from .store import Store


def write_scores(store: "Store", run: str, path: Path) -> None:
    """Writes every score of a run: .jsonl with the evidence, .csv without; a row a sample and metric, atomically.

    Raises `UsageError` as `check_writable` does.
    """
    check_writable(path)
    unfinished = path.with_name(f".{path.name}.part")
    with unfinished.open("w", encoding="utf-8", newline="") as out:
        rows = (score_as_json(*found) for found in store.scores(run))
        if path.suffix == ".jsonl":
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            table = csv.DictWriter(out, ["sample", "metric", "value", "status", "reason"], extrasaction="ignore")
            table.writeheader()
            table.writerows(rows)
    unfinished.replace(path)


def check_writable(path: Path) -> None:
    """Raises `UsageError` for another suffix than .jsonl or .csv, or a folder that is not there."""
    if path.suffix not in {".jsonl", ".csv"}:
        raise UsageError(f"{path}: scores are written as .jsonl or .csv")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}; make it first")
