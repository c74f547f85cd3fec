"""OTLP JSON files as the collector's file exporter writes them: spans and log records, row by row."""

import gzip
import json
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

from pydantic_core import from_json

from ...errors import InputError
from ...eval_sets.logs.openinference import read_otlp
from ...eval_sets.rows import BadRow, Row
from ...json_text import explain_json_error
from ...regular_files import check_regular

_SUFFIXES = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_BOM = b"\xef\xbb\xbf"
_LONGEST_DOCUMENT = 1 << 30  # bytes of a document on several lines, which is read whole


def list_files(project: str) -> list[Path]:
    """Lists the files of an address: the file itself, or those in a folder, by name."""
    path = Path(project).expanduser()
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.name.lower().endswith(_SUFFIXES) and file.is_file())
        if not files:
            raise InputError(f"{path}: the folder has no file of traces ({', '.join(_SUFFIXES)}); name another one")
        return files
    if not path.exists():
        raise InputError(f"{path}: there is no such file; name a file of OTLP JSON, or a folder of them")
    check_regular(path)
    return [path]


class BrokenPart(InputError):
    """A document, or a whole file (`is_file`), that cannot be read; those beside it can."""

    def __init__(self, place: str, problem: str, *, is_file: bool = False) -> None:
        super().__init__(f"{place}: {problem}")
        self.place, self.problem, self.is_file = place, problem, is_file


def read_rows(files: list[Path]) -> Iterator[Row | BadRow]:
    """Yields the spans and log records of files, in their order; for what cannot be read a `BrokenPart`.

    A last line without an end is left out: the collector is writing it.
    """
    number = 0
    for file in files:
        for place, content in _contents(file):
            number += 1
            yield BadRow(number, content) if isinstance(content, BrokenPart) else Row(number, place, content)


def _contents(file: Path) -> Iterator[tuple[str, dict[str, Any] | BrokenPart]]:
    """The spans and log records of a file, each with its place, and what of it cannot be read."""
    try:
        for line, document in _documents(file):
            place = f"{file}, line {line}" if line else str(file)
            spans, problems = ([], [document]) if isinstance(document, str) else read_otlp(document)
            yield from ((place, values) for values in spans)
            if problems:
                yield place, BrokenPart(place, "; ".join(problems), is_file=not line and not spans)
    except InputError as error:
        yield str(file), BrokenPart(str(file), str(error).removeprefix(f"{file}: "), is_file=True)


def _documents(file: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The documents of a file, each with its line, or what is wrong with it: one per line, or one for all."""
    try:
        with _open(file) as lines:
            starts = list(islice(filter(bytes.strip, lines), 2))
            lines.seek(0)
            begins_object = starts and starts[0].removeprefix(_BOM).lstrip()[:1] == b"{"
            if begins_object and not any(isinstance(_read_document(line), dict) for line in starts):
                yield 0, _read_document(lines.read(_LONGEST_DOCUMENT))
                return
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                document = _read_document(line)
                if isinstance(document, str) and not line.endswith(b"\n"):
                    return  # it is being written
                yield number, document
    except (OSError, EOFError, zlib.error) as error:
        problem = getattr(error, "strerror", None) or error
        raise InputError(f"{file}: cannot be read: {problem}; is it whole?") from error


def _open(file: Path) -> IO[bytes]:
    with file.open("rb") as opened:
        beginning = opened.read(4)
    if beginning == _ZSTD or (beginning[:1] == b"\0" and len(beginning) == 4):
        raise InputError(f"{file}: is compressed, or not JSON; write it with `format: json` and without `compression`")
    if beginning.startswith(_GZIP):
        return cast(IO[bytes], gzip.open(file, "rb"))
    return file.open("rb")


def _read_document(text: bytes) -> dict[str, Any] | str:
    """The document of a text, or what is wrong with it."""
    text = text.removeprefix(_BOM)
    try:
        document = from_json(text)
    except ValueError:  # Python's own reader takes half of a character, and says more of what is wrong
        decoded = text.decode("utf-8", "replace")
        try:
            document = json.loads(decoded)
        except (ValueError, RecursionError) as error:
            return explain_json_error(error, decoded)
    return document if isinstance(document, dict) else "is no object; OTLP JSON has one object per line"
