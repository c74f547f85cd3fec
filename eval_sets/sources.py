"""Where a set is: a file, a folder, a bundled set, a public one or one on the Hub, and the format that it is in."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from importlib.resources import as_file
from pathlib import Path

from ..errors import InputError
from ..name_suggestions import nearest_names, quote_names
from ..regular_files import check_regular
from .bundled import bundled_file, bundled_sets
from .csv_file import open_csv
from .datasets_library import open_hub, open_saved
from .excel_file import EXCEL_SUFFIXES, open_excel
from .json_file import open_json, open_jsonl
from .logs.conversations import is_chat_log, open_chat_log
from .parquet_file import is_parquet_url, open_parquet
from .public.set_facts import PREFIX, is_public, public_sets
from .public.set_rows import is_on_this_machine, open_public
from .rows import Rows

DELIMITED = (".csv", ".tsv", ".txt")


_OPENERS: Mapping[str, Callable[[Path, str], Rows]] = {
    ".jsonl": open_jsonl,
    ".ndjson": open_jsonl,
    ".json": open_json,
    ".parquet": open_parquet,
    ".log": open_chat_log,
}
SUFFIXES = (*_OPENERS, *DELIMITED, *EXCEL_SUFFIXES)
_HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*(:[\w.-]+)?")


def is_on_hub(source: str) -> bool:
    """Whether a source can only be a set on the Hugging Face Hub, which takes the network to open."""
    path = Path(source).expanduser()
    return not path.exists() and source not in bundled_sets() and _may_be_on_the_hub(source, path)


def needs_network(source: str) -> bool:
    """Whether it takes the network to open a source: a set on the Hub, or a public one that is not downloaded yet."""
    if is_public(source) and not Path(source).exists():
        return not is_on_this_machine(source)
    return is_on_hub(source)


def open_source(
    source: str | Path,
    *,
    split: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    known: Collection[str],
) -> Rows:
    """Opens what a source names: a file or folder if there is one, else a bundled, a public set or one on the Hub."""
    name, path = str(source), Path(source).expanduser()
    if "://" in name and is_parquet_url(name):
        _no_sheet(name, sheet)
        _no_split(name, split)
        return open_parquet(name, name)
    try:
        if path.is_dir():
            _no_sheet(name, sheet)
            return open_saved(path, name, split)
        if path.exists():
            if not path.is_file():
                check_regular(path, name)
            _no_split(name, split)
            return _open_file(path, name, sheet, header_row, known)
    except OSError as error:
        raise cannot_read(name, error) from None
    if not isinstance(source, Path):
        if name in bundled_sets():
            _no_split(name, split)
            # the package is installed as files, so that the path outlives the context
            with as_file(bundled_file(name)) as file:
                return open_jsonl(file, name)
        if is_public(name):
            return open_public(name, split)
        if _may_be_on_the_hub(name, path):
            return open_hub(name, split)
    raise _not_found(name, path)


def cannot_read(name: str, error: OSError) -> InputError:
    """The system's refusal to read a file, as an error with its cure."""
    return InputError(f"{name}: cannot be read ({error.strerror or error}); check the name and the file's permissions")


def _open_file(path: Path, name: str, sheet: str | None, header_row: int | None, known: Collection[str]) -> Rows:
    suffix = path.suffix.lower()
    if header_row is not None and suffix not in (*DELIMITED, *EXCEL_SUFFIXES):
        raise InputError(f"{name}: only CSV and Excel files have a row of names; leave out the header row {header_row}")
    if suffix in EXCEL_SUFFIXES:
        opened = open_excel(path, name, sheet, header_row, known)
    else:
        _no_sheet(name, sheet)
        if suffix == ".txt" and header_row is None and is_chat_log(path, name):
            opened = open_chat_log(path, name)
        elif suffix in DELIMITED:
            opened = open_csv(path, name, known, header_row)
        elif suffix in _OPENERS:
            opened = _OPENERS[suffix](path, name)
        else:
            raise InputError(
                f"{name}: files `{suffix}` are not supported; save the set as one of {quote_names(SUFFIXES)}"
            )
    return replace(opened, folder=path.parent)


def _no_sheet(name: str, sheet: str | None) -> None:
    if sheet is not None:
        raise InputError(f"{name}: has no sheets, only Excel files do; leave out the sheet `{sheet}`")


def _no_split(name: str, split: str | None) -> None:
    if split is not None:
        raise InputError(f"{name}: a file has no splits; leave out the split `{split}`")


def _may_be_on_the_hub(name: str, path: Path) -> bool:
    """Only `owner/name` where nothing says that a local file was meant: a typing error never reaches the network."""
    is_name = _HUB_NAME.fullmatch(name) is not None
    return is_name and path.suffix.lower() not in SUFFIXES and not path.parent.is_dir()


def _not_found(name: str, path: Path) -> InputError:
    folder = path.parent
    try:
        names_in_folder = [
            entry.name for entry in folder.iterdir() if entry.suffix.lower() in SUFFIXES or entry.is_dir()
        ]
    except OSError:
        return InputError(f"{name}: there is no such file, nor a folder `{folder}`; correct the path")
    suggestions = [str(folder / nearest) for nearest in nearest_names(path.name, names_in_folder, at_most=3)]
    suggestions += nearest_names(path.stem, bundled_sets(), at_most=2)
    bundled = quote_names(bundled_sets())
    if path.suffix or "/" in name:
        hint = (
            f"did you mean {quote_names(suggestions)}?"
            if suggestions
            else f"correct the path, or name a bundled set: {bundled}"
        )
        return InputError(f"{name}: there is no such file or folder; {hint}")
    if name in public_sets():
        suggestions.insert(0, f"{PREFIX}{name}")
    hint = f"did you mean {quote_names(suggestions)}? The" if suggestions else "the"
    return InputError(
        f"{name}: there is no file, folder or bundled set of this name; {hint} bundled sets are {bundled}; a set on "
        "the Hugging Face Hub is named owner/name, a public rated one as `assay sets` says"
    )
