"""Validated values as JSON Lines: the files that each stage hands to the next, and that a person can look at."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..atomic_files import replace_file
from ..errors import InputError
from ..eval_sets.json_file import open_jsonl
from ..eval_sets.rows import BadRow
from ..eval_sets.sources import cannot_read
from ..eval_sets.validation_message import explain_validation_error

Value = TypeVar("Value", bound=BaseModel)


def read_lines(path: str | Path, kind: type[Value], key: Callable[[Value], str], command: str) -> list[Value]:
    """Reads one value per line.

    Args:
        path: The JSON Lines file.
        kind: The model that validates each line.
        key: Returns the part of a value that must be unique in the file.
        command: The command that writes such a file; messages name it.

    Returns:
        The values, in the file's order; at least one.

    Raises:
        InputError: The file is missing or empty, a line is invalid, or a key occurs twice. The message names the
            file, the line, the field and what to do.
    """
    source, name = Path(path).expanduser(), str(path)
    if not source.is_file():
        raise InputError(f"{name}: there is no such file; make it with `{command}`")
    values: dict[str, Value] = {}
    try:
        for row in open_jsonl(source, name).rows:
            if isinstance(row, BadRow):
                raise row.error
            place = f"{name}, {row.place}"
            try:
                value = kind.model_validate(row.values)
            except ValidationError as error:
                field, problem = explain_validation_error(error)
                raise InputError(
                    f"{place}, field {field}: {problem or 'is missing'}; was this file made with `{command}`?"
                ) from None
            if key(value) in values:
                raise InputError(f"{place}: `{key(value)}` occurs twice in the file; remove one of the two lines")
            values[key(value)] = value
    except OSError as error:
        raise cannot_read(name, error) from None
    if not values:
        raise InputError(f"{name}: the file is empty; make it with `{command}`")
    return list(values.values())


def write_lines(values: Iterable[BaseModel], path: str | Path) -> int:
    """Writes one value per line. After an error the file is as it was before.

    Args:
        values: The values; fields that are None are left out.
        path: The file, in a folder that exists.

    Returns:
        The number of lines written.

    Raises:
        InputError: The folder does not exist, or the file cannot be written.
    """
    target = Path(path).expanduser()
    if not target.parent.is_dir():
        raise InputError(f"{path}: the folder `{target.parent}` does not exist; make it first")
    count = 0
    with replace_file(target) as file:
        for value in values:
            file.write(value.model_dump_json(exclude_none=True) + "\n")
            count += 1
    return count
