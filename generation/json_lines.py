"""Values of one kind as JSON Lines: what every stage hands to the next, in files that one can look at."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import InputError
from ..eval_sets.json_file import open_jsonl
from ..eval_sets.rows import BadRow
from ..eval_sets.set_writer import replace_file
from ..eval_sets.sources import cannot_read
from ..eval_sets.validation_message import explain_validation_error

Value = TypeVar("Value", bound=BaseModel)


def read_lines(path: str | Path, kind: type[Value], key: Callable[[Value], str], made_by: str) -> list[Value]:
    """The values in a JSON Lines file, in its order. `key` names what is to differ; `made_by` is the command for it.

    Raises `InputError` with file, line, field and cure: no such file, a bad line, an unknown field, a key given twice.
    """
    source, name = Path(path).expanduser(), str(path)
    if not source.is_file():
        raise InputError(f"{name}: there is no such file; make it with `{made_by}`")
    values: dict[str, Value] = {}
    try:
        for row in open_jsonl(source, name).rows:
            if isinstance(row, BadRow):
                raise row.error
            place = f"{name}, {row.place}"
            try:
                value = kind.model_validate(row.values)
            except ValidationError as error:
                field, said = explain_validation_error(error)
                raise InputError(
                    f"{place}, field {field}: {said or 'is missing'}; is this a file of `{made_by}`?"
                ) from None
            if key(value) in values:
                raise InputError(f"{place}: `{key(value)}` stands in the file twice; keep one of the two")
            values[key(value)] = value
    except OSError as error:
        raise cannot_read(name, error) from None
    if not values:
        raise InputError(f"{name}: the file is empty; make it with `{made_by}`")
    return list(values.values())


def write_lines(values: Iterable[BaseModel], path: str | Path) -> int:
    """Writes values as JSON Lines and returns how many; the file is whole or, after an error, as it was."""
    target = Path(path).expanduser()
    if not target.parent.is_dir():
        raise InputError(f"{path}: there is no folder `{target.parent}`; make it first")
    count = 0
    with replace_file(target) as file:
        for value in values:
            file.write(value.model_dump_json(exclude_none=True) + "\n")
            count += 1
    return count
