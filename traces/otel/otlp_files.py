"""OTLP JSON files as the collector's file exporter writes them: spans and log records, row by row."""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from pydantic_core import from_json

from ...errors import InputError, UsageError
from ...eval_sets.logs.openinference import otlp_spans
from ...eval_sets.rows import Row
from ...json_text import explain_json_error
from ...regular_files import check_regular

_SUFFIXES = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_LONGEST_DOCUMENT = 1 << 30  # bytes of a document on several lines, which is read whole


def list_files(project: str) -> list[Path]:
    """Lists the files of an address: the file itself, or those in a folder, by name.

    Raises:
        InputError: There is no such file, or the folder has none.
    """
    path = Path(project).expanduser()
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.name.lower().endswith(_SUFFIXES))
        if not files:
            raise InputError(f"{path}: the folder has no file of traces ({', '.join(_SUFFIXES)}); name another one")
        return files
    if not path.exists():
        raise InputError(f"{path}: there is no such file; name a file of OTLP JSON, or a folder of them")
    check_regular(path)
    return [path]


def read_rows(files: list[Path]) -> Iterator[Row]:
    """Yields the spans and log records of files, in their order.

    A last line without an end is left out: the collector is writing it.

    Raises:
        InputError: A line is no JSON, or a file cannot be read; the message has file and line.
    """
    number = 0
    for file in files:
        for line, document in _documents(file):
            for values in otlp_spans(document):
                number += 1
                yield Row(number, f"{file}, line {line}", values)


def _documents(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The documents of a file, each with its line: one per line, or one for all."""
    try:
        with _open(file) as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    document = from_json(line)
                except ValueError as error:
                    if number == 1 and line.lstrip()[:1] == b"{":
                        yield 1, _whole_document(file, line + lines.read(_LONGEST_DOCUMENT))
                        return
                    if not line.endswith(b"\n"):
                        return  # it is being written
                    raise _broken(file, number, line, error) from None
                if not isinstance(document, dict):
                    raise InputError(f"{file}, line {number}: is no object; OTLP JSON has one object per line")
                yield number, document
    except (OSError, EOFError, zlib.error) as error:
        problem = getattr(error, "strerror", None) or error
        raise InputError(f"{file}: cannot be read: {problem}; is it whole?") from error


def _open(file: Path) -> IO[bytes]:
    with file.open("rb") as opened:
        beginning = opened.read(4)
    if beginning == _ZSTD or (beginning[:1] == b"\0" and len(beginning) == 4):
        raise UsageError(f"{file}: is compressed, or not JSON; write it with `format: json` and without `compression`")
    if beginning.startswith(_GZIP):
        return cast(IO[bytes], gzip.open(file, "rb"))
    return file.open("rb")


def _whole_document(file: Path, text: bytes) -> dict[str, Any]:
    try:
        document = from_json(text)
    except ValueError as error:
        raise _broken(file, None, text, error) from None
    if not isinstance(document, dict):
        raise InputError(f"{file}: is no object; OTLP JSON has one object per file, or per line")
    return document


def _broken(file: Path, number: int | None, text: bytes, error: ValueError) -> InputError:
    decoded = text.decode("utf-8", "replace")
    try:
        json.loads(decoded)
    except (ValueError, RecursionError) as explained:
        if number is None and isinstance(explained, json.JSONDecodeError):
            number = explained.lineno
        reason = explain_json_error(explained, decoded)
    else:
        reason = str(error)
    place = f", line {number}" if number is not None else ""
    return InputError(f"{file}{place}: {reason}; correct it there, or leave the file out")
