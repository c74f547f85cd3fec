"""Rows from Parquet files, folders saved by Hugging Face `datasets`, and sets on its Hub. All are streamed."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..installation import require_extra
from .cell_values import shorten
from .name_suggestions import nearest_names, quote_names
from .rows import Row, Rows

_ROWS_AT_ONCE = 256


def open_parquet(path: Path, name: str) -> Rows:
    """The rows of a Parquet file. Raises `InputError` when it is none, or pyarrow is not installed."""
    with require_extra("datasets", f"{name}: reading a Parquet file"):
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    if not path.stat().st_size:
        raise InputError(f"{name}: the file is empty; it should be a Parquet file with a row a sample")
    try:
        with ParquetFile(path) as file:
            columns = tuple(str(column) for column in file.schema_arrow.names)
    except (ArrowException, OSError) as error:
        raise InputError(
            f"{name}: is no readable Parquet file ({_cause(error)}); write it again from its source"
        ) from None

    def batches() -> Iterator[list[dict[str, Any]]]:
        try:
            with ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE):
                    yield batch.to_pylist()
        except (ArrowException, OSError) as error:
            raise InputError(f"{name}: the Parquet file is damaged ({_cause(error)}); write it again") from None

    return Rows(name, path.stem, _numbered(batches()), columns)


def open_saved(path: Path, name: str, split: str | None) -> Rows:
    """The rows of a folder made by `save_to_disk`. Raises `InputError` when it is none, or has no such split."""
    if not any((path / marker).exists() for marker in ("state.json", "dataset_dict.json")):
        held = sorted(entry.name for entry in path.iterdir())
        raise InputError(
            f"{name}: the folder was not saved by `datasets` (it has no state.json or dataset_dict.json); "
            f"name a file in it: {quote_names(held)}"
        )
    datasets = _datasets(name, "a folder saved by `datasets`")
    try:
        loaded = datasets.load_from_disk(str(path))
    except Exception as error:  # whatever is damaged, the library raises as it comes
        raise InputError(f"{name}: cannot be read by `datasets` ({_cause(error)}); save the folder again") from None
    chosen = _chosen(loaded, split, name)
    return Rows(name, path.resolve().name, _numbered(_dataset_batches(chosen, name)), tuple(chosen.column_names))


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
            f"one ({_cause(error)}); correct the name, go online, or name a local file. A set with several "
            f"configurations is named {repository}:CONFIGURATION"
        ) from None
    chosen = _chosen(loaded, split, hub_name)
    columns = tuple(chosen.column_names) if chosen.column_names else None
    return Rows(hub_name, repository.rpartition("/")[2], _numbered(_dataset_batches(chosen, hub_name)), columns)


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


def _dataset_batches(dataset: Any, name: str) -> Iterator[list[dict[str, Any]]]:
    # a set saved with a NumPy or Torch format would give arrays where lists are expected
    plain = dataset.with_format(None)
    try:
        for columns in plain.iter(batch_size=_ROWS_AT_ONCE):
            names = list(columns)
            yield [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    except Exception as error:
        raise InputError(f"{name}: reading stopped ({_cause(error)}); fetch or save the set again") from None


def _numbered(batches: Iterator[list[dict[str, Any]]]) -> Iterator[Row]:
    number = 0
    for batch in batches:
        for values in batch:
            number += 1
            yield Row(number, f"row {number}", values)


def _cause(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {shorten(lines[0], 200)}" if lines else type(error).__name__
