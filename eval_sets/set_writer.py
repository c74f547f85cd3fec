"""Writing evaluation sets, so that `load_set` reads the same samples."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import PydanticSerializationError

from ..atomic_files import replace_file
from ..errors import InputError
from ..value_messages import check_type
from .cell_values import to_json_value
from .columns import FIELDS
from .sample import ACCEPTED_SAMPLES, Sample
from .text_files import CsvWriter


def write_set(samples: Iterable[Sample], path: str | Path) -> int:
    """Writes samples to a .jsonl or .csv file. After an error the file is as it was before.

    JSON Lines keeps every sample exactly. CSV holds lists and objects as JSON in their cells, and cannot distinguish an
    empty optional text from a missing one.

    Args:
        samples: The samples.
        path: The file; its suffix decides the format.

    Returns:
        How many samples were written.

    Raises:
        UsageError: It is no list of samples.
        InputError: Another suffix, a folder that does not exist, a duplicate id, or a value that JSON cannot hold.
    """
    check_type("samples", samples, Iterable, ACCEPTED_SAMPLES)
    return write_rows(_rows(samples, str(path)), FIELDS, path, "sets")


def write_rows(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], path: str | Path, what: str) -> int:
    """Writes rows to a .jsonl or .csv file, whose cells hold lists and objects as JSON, and returns their number.

    `what` says for messages what they are. After an error the file is as it was before. Raises `InputError` for another
    suffix, and for a folder that does not exist.
    """
    check_type("path", path, (str, Path), "the path of a .jsonl or .csv file")
    target = Path(path).expanduser()
    suffix = target.suffix.lower()
    if suffix not in (".jsonl", ".csv"):
        raise InputError(f"{path}: {what} are written as .jsonl or .csv, not `{suffix}`; name the file so")
    if not target.parent.is_dir():
        raise InputError(f"{path}: there is no folder `{target.parent}`; make it first")
    count = 0
    with replace_file(target) as file:
        writer = CsvWriter(file) if suffix == ".csv" else None
        if writer is not None:
            writer.write_row(columns)
        for row in rows:
            if writer is None:
                file.write(_json(row) + "\n")
            else:
                cells = (row.get(name) for name in columns)
                writer.write_row(cell if cell is None or isinstance(cell, str) else _json(cell) for cell in cells)
            count += 1
    return count


def _rows(samples: Iterable[Sample], name: str) -> Iterator[dict[str, Any]]:
    places: dict[str, int] = {}
    for number, sample in enumerate(samples, 1):
        check_type(f"samples, index {number - 1}", sample, Sample, ACCEPTED_SAMPLES)
        first = places.setdefault(sample.id, number)
        if first != number:
            raise InputError(f"{name}: samples {first} and {number} both have the id {sample.id}; make the ids differ")
        try:
            row = sample.as_row()
        except PydanticSerializationError as error:
            raise InputError(
                f"{name}, sample {sample.id}, field metadata: {error}; write it as text or number"
            ) from None
        if "metadata" in row:
            row["metadata"] = to_json_value(row["metadata"])
        yield row


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        # half a character in the metadata: only its escape can be written
        return json.dumps(value)
    return text
