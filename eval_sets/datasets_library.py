"""Rows from folders saved by Hugging Face `datasets`, and from sets on its Hub, streamed."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..installation import require_extra
from ..json_text import parse_json
from ..name_suggestions import nearest_names, quote_names
from ..regular_files import check_regular, read_text_file
from .parquet_file import ROWS_PER_BATCH, describe_cause, number_rows
from .rows import Repeatable, Rows


def open_saved(path: Path, name: str, split: str | None) -> Rows:
    """Opens a folder made by `save_to_disk`."""
    if not any((path / marker).exists() for marker in ("state.json", "dataset_dict.json")):
        entries = sorted(entry.name for entry in path.iterdir())
        raise InputError(
            f"{name}: the folder was not saved by `datasets` (it has no state.json or dataset_dict.json); "
            f"name a file in it: {quote_names(entries)}"
        )
    check_stays_inside(path, name)
    datasets = _datasets(name, "a folder saved by `datasets`")
    try:
        loaded = datasets.load_from_disk(str(path))
    except Exception as error:  # whatever is damaged, the library raises as it comes
        raise InputError(
            f"{name}: cannot be read by `datasets` ({describe_cause(error)}); save the folder again"
        ) from None
    chosen = _chosen(loaded, split, name)
    rows = Repeatable(lambda: number_rows(dataset_batches(chosen, name)))
    return Rows(name, path.resolve().name, rows, tuple(chosen.column_names))


def check_stays_inside(folder: Path, name: str) -> None:
    """Raises `InputError` where a folder leads out of itself: by a link, or by a file name in `state.json`."""
    root = folder.resolve()
    files = [entry for entry in folder.rglob("*") if entry.is_symlink()]
    for entry in folder.rglob("*"):
        if not entry.is_dir():
            check_regular(entry, f"{name}: {entry.relative_to(folder)}")
    for state in folder.rglob("state.json"):
        try:
            document = parse_json(read_text_file(state))
            files += [state.parent / entry["filename"] for entry in document["_data_files"]]
        except (InputError, OSError, ValueError, TypeError, KeyError):
            continue  # the library says what is damaged
    for file in files:
        if not file.resolve().is_relative_to(root):
            raise InputError(f"{name}: {file.relative_to(folder)} leads out of the folder; copy the data into it")


def open_hub(hub_name: str, split: str | None) -> Rows:
    """The rows of a set on the Hugging Face Hub, `owner/name` or `owner/name:configuration`.

    Raises `InputError` with the cause when the Hub cannot be reached or has no such set, configuration or split.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    datasets = _datasets(hub_name, "a set on the Hugging Face Hub")
    repository, _, configuration = hub_name.partition(":")
    try:
        loaded = datasets.load_dataset(repository, configuration or None, split=split, streaming=True)
    except Exception as error:  # the library, its Hub client and its HTTP client each have errors of their own
        raise InputError(
            f"{hub_name}: there is no file, folder or bundled set of this name, and the Hugging Face Hub did not give "
            f"one ({describe_cause(error)}); correct the name, go online, or name a local file. A set with several "
            f"configurations is named {repository}:CONFIGURATION"
        ) from None
    chosen = _chosen(loaded, split, hub_name)
    columns = tuple(chosen.column_names) if chosen.column_names else None
    rows = Repeatable(lambda: number_rows(dataset_batches(chosen, hub_name)))
    return Rows(hub_name, repository.rpartition("/")[2], rows, columns, is_streamed=True)


def _datasets(name: str, what: str) -> Any:
    with require_extra("datasets", f"{name}: reading {what}"):
        import datasets
    return datasets


def _chosen(loaded: Any, split: str | None, name: str) -> Any:
    """The one dataset to read; a dict of splits needs a choice unless it has one only."""
    if not isinstance(loaded, dict):
        if split is not None and loaded.split is not None and str(loaded.split) != split:
            raise InputError(f"{name}: the set is the split `{loaded.split}`, not `{split}`; leave the split out")
        return loaded
    splits = [str(key) for key in loaded]
    if split is None and len(splits) == 1:
        return loaded[splits[0]]
    if split is None:
        raise InputError(f"{name}: the set has the splits {quote_names(splits)}; choose one, such as split {splits[0]}")
    if split not in splits:
        meant = nearest_names(split, splits) or splits[:1]
        raise InputError(f"{name}: there is no split `{split}`; did you mean {meant[0]}? It has {quote_names(splits)}")
    return loaded[split]


def dataset_batches(dataset: Any, name: str) -> Iterator[list[dict[str, Any]]]:
    """Yields the rows of a dataset in batches, as plain values."""
    # a set saved with a NumPy or Torch format would give arrays where lists are expected
    plain = dataset.with_format(None)
    try:
        for columns in plain.iter(batch_size=ROWS_PER_BATCH):
            names = list(columns)
            yield [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    except Exception as error:
        raise InputError(f"{name}: reading stopped ({describe_cause(error)}); fetch or save the set again") from None
