"""A run's scores as a file that other tools read."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..atomic_files import check_writable, replace_file
from ..errors import UsageError
from ..eval_sets.csv_cells import CsvWriter
from .report import score_rows

if TYPE_CHECKING:
    from .store import Store

_COLUMNS = ("sample", "metric", "value", "status", "reason", "user_input", "response", "rating")


def write_scores(store: "Store", run: str, path: Path) -> None:
    """Writes every score of a run, one row per sample and metric; the file is whole or, after an error, as it was.

    Args:
        store: Where the run is kept.
        run: The run's id.
        path: A `.jsonl` file, which gets the evidence too, or a `.csv` file, in which no text is a formula.

    Raises:
        UsageError: The path has another suffix.
        InputError: The file cannot be written.
    """
    check_scores_file(path)
    rows = score_rows(store, run)
    with replace_file(path) as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            writer = CsvWriter(file)
            writer.write_row(_COLUMNS)
            for row in rows:
                writer.write_row(row[column] for column in _COLUMNS)


def check_scores_file(path: Path) -> None:
    """Finds out whether the scores of a run can be written to a file, before the run is paid for.

    Raises:
        UsageError: The path has another suffix than .jsonl or .csv, or the file cannot be written.
    """
    if path.suffix not in {".jsonl", ".csv"}:
        raise UsageError(f"{path}: scores are written as .jsonl or .csv; name the file so")
    check_writable(path)
