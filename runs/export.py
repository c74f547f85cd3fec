"""Scores as a file that other tools read."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from ..atomic_files import check_writable, replace_file
from ..errors import UsageError
from ..eval_sets.csv_cells import CsvWriter
from ..installation import require_extra
from .report import score_rows

if TYPE_CHECKING:
    from .store import Store

# a column that comes later stands last, so that who reads them by their place finds what was there before
_COLUMNS = (
    *("sample", "metric", "value", "status", "reason", "user_input", "response"),
    *("rating", "rating_min", "rating_max", "other_response"),
)


def write_scores(store: "Store", run: str, path: Path) -> None:
    """Writes every score of a run, one row per sample and metric; the file is whole or, after an error, as it was."""
    check_scores_file(path)
    write_rows(score_rows(store, run), path)


def write_rows(rows: Iterable[Mapping[str, Any]], path: Path, *, run: str | None = None) -> None:
    """Writes scores as rows; the file is whole or, after an error, as it was."""
    if path.suffix == ".csv":
        with replace_file(path) as file:
            writer = CsvWriter(file)
            writer.write_row(_COLUMNS)
            for row in rows:
                writer.write_row(row[column] for column in _COLUMNS)
    elif path.suffix == ".jsonl":
        with replace_file(path) as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    elif path.suffix == ".json":
        with replace_file(path, binary=True) as file:
            file.write(to_json({"run": run, "scores": list(rows)}, indent=1, inf_nan_mode="null"))
    else:
        with require_extra("tables", f"{path}: writing a Parquet file"):
            import pyarrow
            from pyarrow import parquet
        texts = [{**row, "evidence": _text(row["evidence"]), "usage": _text(row["usage"])} for row in rows]
        with replace_file(path, binary=True) as file:
            parquet.write_table(pyarrow.Table.from_pylist(texts), file)


def _text(value: Any) -> str:
    return to_json(value, inf_nan_mode="null").decode()


def check_scores_file(path: Path) -> None:
    """Finds out whether the scores of a run can be written to a file, before the run is paid for."""
    if path.suffix not in {".jsonl", ".csv"}:
        raise UsageError(f"{path}: scores are written as .jsonl or .csv; name the file so")
    check_writable(path)
