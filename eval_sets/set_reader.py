"""Reading evaluation sets of any format that a team may have them in."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..text.wording import count_of
from ..value_messages import wrong_type
from .column_account import ColumnAccount
from .column_roles import look_at_columns
from .columns import (
    OF_RATERS,
    TURN_FIELDS,
    check_columns,
    check_mapped,
    check_mapping,
    is_rater,
    is_row_per_sample,
    known_columns,
    read_raters,
)
from .items import LOST_PAIR, is_lost_pair
from .logs.log_format import read_logs
from .number_rule import Bounds
from .preference_reading import holds_preferences
from .python_data import open_data, ready_samples
from .rows import BadRow, Row, Rows, tell_notes
from .sample import Sample
from .sample_builder import SampleBuilder
from .sources import cannot_read, open_source

_LANGUAGE = re.compile(r"[a-z]{2,3}")


def load_set(
    source: str | Path,
    *,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    limit: int | None = None,
    skip_bad: list[InputError] | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    scale: tuple[float, float] | None = None,
    notes: list[str] | None = None,
) -> list[Sample]:
    """Reads the samples of a set into a list; arguments and errors as for `read_set`.

    Examples:
        >>> samples = load_set("helpdesk_en", limit=2)
        >>> [sample.id for sample in samples]
        ['en-001', 'en-002']
    """
    return list(
        read_set(
            source,
            mapping=mapping,
            language=language,
            limit=limit,
            skip_bad=skip_bad,
            sheet=sheet,
            header_row=header_row,
            scale=scale,
            notes=notes,
        )
    )


def read_set(
    source: str | Path,
    *,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    limit: int | None = None,
    skip_bad: list[InputError] | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    scale: tuple[float, float] | None = None,
    versions: str = "",
    notes: list[str] | None = None,
    is_one_of_several: bool = False,
) -> Iterator[Sample]:
    """Reads the samples of a set one by one, in constant memory (but .json and Excel files are read whole).

    Traces of Langfuse and Phoenix and examples of LangSmith are recognised by their first row. A row without
    an id gets `<file stem>-<row number>`; unknown columns go to `metadata`; a note accounts for
    each column.

    Args:
        source: A path (.jsonl, .ndjson, .json, .csv, .tsv, .txt, .xlsx or .parquet), the name of a bundled set, or
            of a public one that is downloaded (`public:mtrag`, or one half of it, `public:mtrag:dev`).
        mapping: Renames columns, theirs to ours: `{"question": "user_input"}`. Usual names need none.
        language: The language (ISO 639-1) of the rows that name none; left out, it is detected from the texts.
        limit: The largest number of samples.
        skip_bad: A list that errors of single rows are appended to while reading goes on; errors of the whole file
            (empty, not its format, no usable row) are raised nonetheless.
        sheet: Chooses one sheet of an Excel file.
        header_row: The row of a CSV or Excel file that names the columns, from 1; 0 where none does: they are then
            `column 1` and so on. Left out, the first, or below a title the first of ten that has usual names.
        scale: The lowest and the highest rating. Left out, as the file says, else the usual scale that holds all.
        versions: The column that tells apart the answers of several versions to the question of one id.
        notes: A list that notes about how the set is read are appended to, such as "read context as
            retrieved_contexts"; without one they are logged.
        is_one_of_several: Whether other sets are read with it: ids of a column with another name than `id` then begin
            with the file's name.

    Yields:
        The samples.

    Raises:
        InputError: At once when the source cannot be opened, and while reading at the first bad row; the message has
            file, line, field and cure.
    """
    if not isinstance(source, str | Path):
        raise wrong_type("source", source, "a path or the name of a set; `read_samples` takes data of a program")
    mapping = _check_options(mapping, language, limit, scale)
    if not isinstance(skip_bad, list | None):
        raise wrong_type("skip_bad", skip_bad, "a list, to which the errors are appended: skip_bad=[]")
    opened = open_source(source, sheet=sheet, header_row=header_row, known=known_columns(mapping))
    builder = _open_set(opened, mapping, language, scale, versions, has_stem=is_one_of_several)
    return _build_samples(builder, limit, skip_bad, notes)


def read_samples(
    data: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    scale: tuple[float, float] | None = None,
    notes: list[str] | None = None,
) -> Iterator[Sample]:
    """Reads the samples of data that a program has, or of a set.

    Args:
        data: Rows with columns as a file may have them: a DataFrame of pandas or polars, a dataset of `datasets` or
            Ragas, or a list of dicts; a list of samples; or what `read_set` takes.
        mapping: As for `read_set`, like the other arguments.
        language: The language of the rows that name none.
        scale: As for `read_set`.
        notes: A list that notes about how the data is read are appended to.

    Yields:
        The samples; one without an id gets `sample-<number>`.

    Raises:
        InputError: As `read_set`; the message names the place in the data, counted from 0.

    Examples:
        >>> rows = [{"question": "Is it free?", "answer": "Yes, it is.", "context": "The course is free."}]
        >>> notes = []
        >>> [(sample.id, sample.retrieved_contexts) for sample in read_samples(rows, notes=notes)]
        [('sample-1', ('The course is free.',))]
        >>> notes[0].partition(" (")[0]
        'the list: read question as user_input, answer as response, context as retrieved_contexts'
    """
    if isinstance(data, str | Path):
        return read_set(data, mapping=mapping, language=language, scale=scale, notes=notes)
    data = list(data) if isinstance(data, Iterator) else data
    mapping = _check_options(mapping, language, None, scale)
    samples = None if mapping else ready_samples(data)
    if samples is not None:
        if any(sample.is_pair for sample in samples):
            for place, sample in enumerate(samples):
                if is_lost_pair(sample):
                    raise InputError(f"the list, index {place}, field rating: {LOST_PAIR}")
        return iter(samples)
    return _build_samples(_open_set(open_data(data), mapping, language, scale), notes=notes)


def _check_options(
    mapping: Mapping[str, str] | None, language: str | None, limit: int | None, scale: tuple[float, float] | None
) -> dict[str, str]:
    checked = read_raters(mapping or {})
    check_mapping(checked)
    if not isinstance(language, str | None):
        raise wrong_type("language", language, "a code of two letters, such as nl")
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise InputError(f"language `{language}` is no ISO 639-1 code; write nl, en or another code of two letters")
    if limit is not None and limit < 1:
        raise InputError(f"limit {limit} leaves no samples; give 1 or more, or leave it out")
    if scale is not None and not scale[0] < scale[1]:
        raise InputError(f"scale {scale}: write the lowest and the highest rating, such as (1, 5)")
    return checked


def _open_set(
    opened: Rows,
    mapping: Mapping[str, str],
    language: str | None,
    scale: Bounds | None,
    versions: str = "",
    *,
    has_stem: bool = False,
) -> SampleBuilder:
    """What builds the samples of an opened set. Raises `InputError` for columns that cannot be a set's."""
    opened = opened if is_row_per_sample(opened, mapping) else read_logs(opened, mapping)
    # the rows of a conversation were joined by it, but for what its raters gave; those of an answer by some columns
    used = {OF_RATERS, *TURN_FIELDS, *opened.origins} if opened.made else set[str]()
    mapping = {theirs: ours for theirs, ours in mapping.items() if is_rater(ours) or ours not in used}
    if opened.columns is not None:
        try:
            check_columns(opened.columns, mapping, opened.name)
        except InputError as error:
            if holds_preferences(next((row.values for row in opened.head()), {})):
                raise _no_answers(opened) from None
            if not opened.header:
                raise
            raise InputError(f"{error}; {opened.header}") from None
    columns = look_at_columns(opened, mapping, scale, versions)
    return SampleBuilder(opened, mapping, language, columns, scale=scale, has_stem=has_stem)


def _no_answers(opened: Rows) -> InputError:
    use = "holds preferences between versions, and no answers; assay decide RUN_A RUN_B --ratings FILE reads it"
    return InputError(f"{opened.name}: {use}")


def _build_samples(
    builder: SampleBuilder,
    limit: int | None = None,
    skip_bad: list[InputError] | None = None,
    notes: list[str] | None = None,
) -> Iterator[Sample]:
    """Yields the samples of a set."""
    opened, account = builder.source, builder.account
    first_error: InputError | None = None
    good = bad = 0
    try:
        for row in opened.rows:
            try:
                if isinstance(row, BadRow):
                    raise row.error
                built = builder.sample(row)
            except InputError as error:
                if not good and isinstance(row, Row) and holds_preferences(row.values):
                    raise _no_answers(opened) from None
                if skip_bad is None:
                    error.is_of_row = True
                    raise
                skip_bad.append(error)
                first_error, bad = first_error or error, bad + 1
                continue
            if built is None:
                continue
            good += 1
            yield built
            if good == limit:
                break
    except OSError as error:
        raise cannot_read(opened.name, error) from None
    if not good:
        raise InputError(f"{opened.name}: {_why_nothing(first_error, bad, account)}")
    # a format that names its columns has passed this before the first row; in the others only all rows tell
    check_mapped(account.columns, builder.mapping, opened.name)
    lines = (*opened.notes, *opened.late_notes(), *account.notes())
    tell_notes(lines if notes is None else (*lines, account.count_conversations()), notes)


def _why_nothing(first_error: InputError | None, bad: int, account: ColumnAccount) -> str:
    """Why a set has no samples."""
    if first_error is not None:
        return f"none of the {count_of(bad, 'row')} can be used; the first error: {first_error}"
    if left_out := account.describe_left_out():
        return f"none of its rows is an answer: {'; '.join(left_out)}"
    return "the set is empty; it should hold one row per sample"
