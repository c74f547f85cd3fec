"""Validated values as JSON Lines: the files that each stage hands to the next, and that a person can look at."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from ..atomic_files import replace_file
from ..errors import InputError
from ..eval_sets.columns import explain_validation_error
from ..eval_sets.rows import BadRow
from ..eval_sets.sources import cannot_read
from ..eval_sets.text_files import open_jsonl

Value = TypeVar("Value", bound=BaseModel)
_COMMAND = "assay sets generate DOCS -o set.jsonl"  # that writes them


class LinesFile(Generic[Value]):
    """The kind of file that a stage writes: one value per line."""

    def __init__(self, kind: type[Value], key: Callable[[Value], str]) -> None:
        self._kind, self._key = kind, key

    def read(self, path: str | Path) -> list[Value]:
        """Reads a file that the command wrote."""
        source, name = Path(path).expanduser(), str(path)
        if not source.is_file():
            raise InputError(f"{name}: there is no such file; make it with `{_COMMAND}`")
        values: dict[str, Value] = {}
        try:
            for row in open_jsonl(source, name).rows:
                if isinstance(row, BadRow):
                    raise row.error
                place = f"{name}, {row.place}"
                try:
                    value = self._kind.model_validate(row.values)
                except ValidationError as error:
                    field, problem = explain_validation_error(error)
                    made = f"was this file made with `{_COMMAND}`?"
                    raise InputError(f"{place}, field {field}: {problem or 'is missing'}; {made}") from None
                key = self._key(value)
                if key in values:
                    raise InputError(f"{place}: `{key}` occurs twice in the file; remove one of the two lines")
                values[key] = value
        except OSError as error:
            raise cannot_read(name, error) from None
        if not values:
            raise InputError(f"{name}: the file is empty; make it with `{_COMMAND}`")
        return list(values.values())

    def write(self, values: Iterable[Value], path: str | Path) -> None:
        """Writes one value per line. After an error the file is as it was before."""
        target = Path(path).expanduser()
        if not target.parent.is_dir():
            raise InputError(f"{path}: the folder `{target.parent}` does not exist; make it first")
        with replace_file(target) as file:
            for value in values:
                file.write(value.model_dump_json(exclude_none=True) + "\n")
