"""Reading evaluation sets of any format that a team may have them in."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..errors import InputError
from .rows import BadRow, Rows
from .sample import Sample
from .sample_builder import SampleBuilder
from .sample_columns import check_columns, check_mapped, check_mapping, known_columns
from .sources import cannot_read, open_source

_LANGUAGE = re.compile(r"[a-z]{2}")
_EMPTY = "the set is empty; it should hold a row a sample"


def load_set(
    source: str | Path,
    *,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    limit: int | None = None,
    skip_bad: list[InputError] | None = None,
    split: str | None = None,
) -> list[Sample]:
    """The samples of a set, in a list; parameters and errors as for `read_set`."""
    return list(read_set(source, mapping=mapping, language=language, limit=limit, skip_bad=skip_bad, split=split))


def read_set(
    source: str | Path,
    *,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    limit: int | None = None,
    skip_bad: list[InputError] | None = None,
    split: str | None = None,
) -> Iterator[Sample]:
    """The samples of a set, one by one in constant memory (save for a .json file, which is read whole).

    `source` is a path (.jsonl, .ndjson, .json, .csv, .tsv, .txt, .parquet, .log, or a folder saved by `datasets`), the
    name of a bundled set, or of a set on the Hugging Face Hub (`owner/name`, `owner/name:configuration`). Traces of
    Langfuse and Phoenix, examples of LangSmith and chat logs are told by their first row. `mapping` renames columns,
    theirs to ours: `{"question": "user_input"}`. `language` (ISO 639-1) is for the rows that name none; where neither
    does, Dutch or English is told from the texts. `limit` bounds the number of samples. `split` chooses one of a
    `datasets` set. A row without an id gets `<file stem>-<row number>`; unknown columns go to `metadata`.

    Raises `InputError` at once when the source cannot be opened, and while reading at the first bad row, which the text
    names with file, line, field and cure. With a list `skip_bad`, errors of single rows are appended to it instead and
    reading goes on; errors of the whole file (empty, not its format, no row that can be used) are raised nonetheless.
    """
    mapping = dict(mapping or {})
    check_mapping(mapping)
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise InputError(f"language `{language}` is no ISO 639-1 code; write nl, en or another code of two letters")
    if limit is not None and limit < 1:
        raise InputError(f"limit {limit} leaves no samples; give 1 or more, or leave it out")
    # who maps columns wants them as they are
    opened = open_source(source, split=split, known=known_columns(mapping), logs=not mapping)
    if opened.columns is not None:
        check_columns(opened.columns, mapping, opened.name)
    return _samples(opened, mapping, language, limit, skip_bad)


def _samples(
    opened: Rows, mapping: Mapping[str, str], language: str | None, limit: int | None, skip_bad: list[InputError] | None
) -> Iterator[Sample]:
    maker = SampleBuilder(opened, mapping, language)
    first_error: InputError | None = None
    given = bad = 0
    try:
        for row in opened.rows:
            try:
                if isinstance(row, BadRow):
                    raise row.error
                sample = maker.sample(row)
            except InputError as error:
                if skip_bad is None:
                    raise
                skip_bad.append(error)
                first_error, bad = first_error or error, bad + 1
                continue
            given += 1
            yield sample
            if given == limit:
                break
    except OSError as error:
        raise cannot_read(opened.name, error) from None
    if not given:
        whole = f"none of the {bad} rows can be used; the first error: {first_error}" if bad else _EMPTY
        raise InputError(f"{opened.name}: {whole}")
    # a format that names its columns has passed this before the first row; in the others only all rows together tell
    check_mapped(sorted(maker.columns), mapping, opened.name)
