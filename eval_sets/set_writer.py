"""Writing evaluation sets, so that `load_set` reads the same samples."""

import csv
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from pydantic_core import PydanticSerializationError

from ..errors import InputError
from .cell_values import to_json_value
from .sample import Sample
from .sample_columns import FIELDS


def write_set(samples: Iterable[Sample], path: str | Path) -> int:
    """Writes samples to a .jsonl or .csv file and returns how many; the file is whole or, after an error, as it was.

    JSON Lines keeps every sample exactly. CSV holds lists and objects as JSON in their cells, and cannot tell an empty
    optional text from none. Raises `InputError` on another suffix, a folder that does not exist, an id that comes
    twice, or a value that JSON cannot hold.
    """
    target = Path(path).expanduser()
    suffix = target.suffix.lower()
    if suffix not in (".jsonl", ".csv"):
        raise InputError(f"{path}: sets are written as .jsonl or .csv, not `{suffix}`; name the file so")
    if not target.parent.is_dir():
        raise InputError(f"{path}: there is no folder `{target.parent}`; make it first")
    with replace_file(target) as file:
        rows = _rows(samples, str(path))
        return _write_lines(rows, file) if suffix == ".jsonl" else _write_cells(rows, file)


@contextmanager
def replace_file(target: Path) -> Iterator[IO[str]]:
    """A file that takes the target's place when all went well; beside it, since only within a disk is that one step."""
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error}); check folder and space") from None
    finally:
        draft.unlink(missing_ok=True)


def _rows(samples: Iterable[Sample], name: str) -> Iterator[dict[str, Any]]:
    places: dict[str, int] = {}
    for number, sample in enumerate(samples, 1):
        first = places.setdefault(sample.id, number)
        if first != number:
            raise InputError(f"{name}: samples {first} and {number} both have the id {sample.id}; make the ids differ")
        try:
            row = sample.model_dump(mode="json", exclude_defaults=True)
        except PydanticSerializationError as error:
            raise InputError(
                f"{name}, sample {sample.id}, field metadata: {error}; write it as text or number"
            ) from None
        if "metadata" in row:
            row["metadata"] = to_json_value(row["metadata"])
        yield row


def _write_lines(rows: Iterable[dict[str, Any]], file: IO[str]) -> int:
    count = 0
    for row in rows:
        file.write(_json(row) + "\n")
        count += 1
    return count


def _write_cells(rows: Iterable[dict[str, Any]], file: IO[str]) -> int:
    writer = csv.DictWriter(file, FIELDS)
    writer.writeheader()
    count = 0
    for row in rows:
        writer.writerow({name: value if isinstance(value, str) else _json(value) for name, value in row.items()})
        count += 1
    return count


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        # half a character in the metadata: only its escape can be written
        return json.dumps(value)
    return text
