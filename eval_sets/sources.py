"""Where a set is: a file, a folder, a bundled set or a set on the Hub, and the format that it is in."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib.resources import as_file
from pathlib import Path
from typing import Protocol

from ..errors import InputError
from .bundled import bundled_file, bundled_sets
from .columnar import open_hub, open_parquet, open_saved
from .csv_file import open_csv
from .json_file import open_json, open_jsonl
from .logs.conversations import open_chat_log
from .logs.log_format import read_logs
from .name_suggestions import nearest_names, quote_names
from .rows import Rows

DELIMITED = (".csv", ".tsv", ".txt")


class _Opener(Protocol):
    def __call__(self, path: Path, name: str) -> Rows: ...


_OPENERS: Mapping[str, _Opener] = {
    ".jsonl": open_jsonl,
    ".ndjson": open_jsonl,
    ".json": open_json,
    ".parquet": open_parquet,
    ".log": open_chat_log,
}
_OBJECTS = (open_jsonl, open_json)
SUFFIXES = (*_OPENERS, *DELIMITED)
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?(:[\w.-]+)?")


def open_source(source: str | Path, *, split: str | None, known: Collection[str], logs: bool = True) -> Rows:
    """The rows of what `source` names: a file or folder if there is one, else a bundled set, else a set on the Hub.

    `known` column names help to tell a CSV file's delimiter. With `logs` the traces and conversations of other tools
    in JSON become rows of samples. Raises `InputError` when it cannot be found or opened.
    """
    name, path = str(source), Path(source).expanduser()
    try:
        if path.is_dir():
            return open_saved(path, name, split)
        if path.exists():
            return _open_file(path, name, split, known, logs=logs)
    except OSError as error:
        raise cannot_read(name, error) from None
    if not isinstance(source, Path):
        if name in bundled_sets():
            _no_split(name, split)
            # the package is installed as files, so that the path outlives the context
            with as_file(bundled_file(name)) as file:
                return open_jsonl(file, name)
        if _may_be_on_the_hub(name, path):
            return open_hub(name, split)
    raise _not_found(name, path)


def cannot_read(name: str, error: OSError) -> InputError:
    """The system's refusal to read a file, as an error with its cure."""
    return InputError(f"{name}: cannot be read ({error.strerror or error}); check the name and the file's permissions")


def _open_file(path: Path, name: str, split: str | None, known: Collection[str], *, logs: bool) -> Rows:
    _no_split(name, split)
    suffix = path.suffix.lower()
    opened = None
    if suffix in DELIMITED:
        opened = open_csv(path, name, known)
    elif opener := _OPENERS.get(suffix):
        opened = opener(path, name)
        if logs and opener in _OBJECTS:
            opened = read_logs(opened)
    if opened:
        return replace(opened, folder=path.parent)
    raise InputError(
        f"{name}: no format is known by the suffix `{suffix}`; save the set as one of {quote_names(SUFFIXES)}"
    )


def _no_split(name: str, split: str | None) -> None:
    if split is not None:
        raise InputError(f"{name}: a file has no splits; leave out the split `{split}`")


def _may_be_on_the_hub(name: str, path: Path) -> bool:
    """Only where nothing says that a local file was meant: the network is not to be reached by a slip of the pen."""
    if not _HUB_NAME.fullmatch(name) or path.suffix.lower() in SUFFIXES:
        return False
    return not path.parent.is_dir() if "/" in name else not nearest_names(name, bundled_sets(), cutoff=70)


def _not_found(name: str, path: Path) -> InputError:
    folder = path.parent
    try:
        there = [entry.name for entry in folder.iterdir() if entry.suffix.lower() in SUFFIXES or entry.is_dir()]
    except OSError:
        return InputError(f"{name}: there is no such file, nor a folder `{folder}`; correct the path")
    meant = [str(folder / found) for found in nearest_names(path.name, there, at_most=3)]
    meant += nearest_names(path.stem, bundled_sets(), at_most=2)
    hint = (
        f"did you mean {quote_names(meant)}?"
        if meant
        else f"correct the path, or name a bundled set: {quote_names(bundled_sets())}"
    )
    return InputError(f"{name}: there is no such file or folder; {hint}")
