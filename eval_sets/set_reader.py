"""Reading evaluation sets of any format that a team may have them in."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ..arguments import check_type
from ..errors import InputError
from ..text.wording import count_of
from ..value_messages import shorten
from .column_account import SetColumns
from .logs.log_format import read_logs
from .pair_ratings import LostPairs, drop_lost_ratings
from .python_data import data_opener, ready_samples
from .rating_column import RatingColumns, RatingSearch, message_ratings
from .rows import BadRow, Row, Rows
from .sample import Sample
from .sample_builder import SampleBuilder
from .sample_columns import (
    ID_ALIASES,
    RATING_ALIASES,
    check_columns,
    check_mapped,
    check_mapping,
    columns_by_usual_name,
    criterion_of,
    known_columns,
    rater_of,
    usual_name,
)
from .sources import can_reopen, cannot_read, open_source
from .version_column import VersionSearch

_LANGUAGE = re.compile(r"[a-z]{2}")
_EMPTY = "the set is empty; it should hold one row per sample"
_ROWS_LOOKED_AT = 20  # few: a row may be long, and is kept meanwhile
_LOGGER = logging.getLogger("assay")


def load_set(
    source: str | Path,
    *,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    limit: int | None = None,
    skip_bad: list[InputError] | None = None,
    split: str | None = None,
    sheet: str | None = None,
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
            split=split,
            sheet=sheet,
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
    split: str | None = None,
    sheet: str | None = None,
    notes: list[str] | None = None,
    is_one_of_several: bool = False,
) -> Iterator[Sample]:
    """Reads the samples of a set one by one, in constant memory (but .json and Excel files are read whole).

    Traces of Langfuse and Phoenix, examples of LangSmith and chat logs are recognised by their first row. A row without
    an id gets `<file stem>-<row number>`; unknown columns go to `metadata`; a note accounts for
    each column. Where rows are pairs of answers, rated on a scale that begins below 0, a row with such a rating and no
    other answer has its rating left out, which a note says.

    Args:
        source: A path (.jsonl, .ndjson, .json, .csv, .tsv, .txt, .xlsx, .parquet, .log, or a folder saved by
            `datasets`), the name of a bundled set, of a public one that is downloaded (`public:mtrag`, or one half of
            it, `public:mtrag:dev`), or of a set on the Hugging Face Hub (`owner/name`, `owner/name:configuration`).
        mapping: Renames columns, theirs to ours: `{"question": "user_input"}`. Usual names need none.
        language: The language (ISO 639-1) of the rows that name none; left out, it is detected from the texts.
        limit: The largest number of samples.
        skip_bad: A list that errors of single rows are appended to while reading goes on; errors of the whole file
            (empty, not its format, no usable row) are raised nonetheless.
        split: Chooses one split of a `datasets` set.
        sheet: Chooses one sheet of an Excel file.
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
    check_type("source", source, (str, Path), "a path or the name of a set; `read_samples` takes data of a program")
    mapping = _check_options(mapping, language, limit)
    check_type("skip_bad", skip_bad, (list, type(None)), "a list, to which the errors are appended: skip_bad=[]")

    def open_rows() -> Rows:
        return open_source(source, split=split, sheet=sheet, known=known_columns(mapping))

    def open_builder() -> SampleBuilder:
        return _open(open_rows, mapping, language, lambda: can_reopen(source), has_stem=is_one_of_several)

    return _samples(open_builder(), open_builder, limit, skip_bad, notes)


def read_samples(
    data: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    notes: list[str] | None = None,
) -> Iterator[Sample]:
    """Reads the samples of data that a program has, or of a set.

    Args:
        data: Rows with columns as a file may have them: a DataFrame of pandas or polars, a dataset of `datasets` or
            Ragas, or a list of dicts; a list of samples; or what `read_set` takes.
        mapping: As for `read_set`, like the other arguments.
        language: The language of the rows that name none.
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
        return read_set(data, mapping=mapping, language=language, notes=notes)
    data = list(data) if isinstance(data, Iterator) else data
    mapping = _check_options(mapping, language, None)
    samples = None if mapping else ready_samples(data)
    if samples is not None:
        samples, lost = drop_lost_ratings(((f"index {n}", sample) for n, sample in enumerate(samples)), "the list")
        _tell(lost, notes)
        return iter(samples)
    open_rows = data_opener(data)

    def open_builder() -> SampleBuilder:
        return _open(open_rows, mapping, language, lambda: True)

    return _samples(open_builder(), open_builder, None, None, notes)


def _check_options(mapping: Mapping[str, str] | None, language: str | None, limit: int | None) -> dict[str, str]:
    checked = dict(mapping or {})
    check_mapping(checked)
    check_type("language", language, (str, type(None)), "a code of two letters, such as nl")
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise InputError(f"language `{language}` is no ISO 639-1 code; write nl, en or another code of two letters")
    if limit is not None and limit < 1:
        raise InputError(f"limit {limit} leaves no samples; give 1 or more, or leave it out")
    return checked


def _open(
    open_rows: Callable[[], Rows],
    mapping: Mapping[str, str],
    language: str | None,
    can_reopen: Callable[[], bool],
    *,
    has_stem: bool = False,
) -> SampleBuilder:
    opened = open_rows()
    again = open_rows if can_reopen() else None
    opened, asked = read_logs(opened, mapping, again), mapping
    if opened.made:
        mapping = {}  # the rows of a conversation were joined by it
    if opened.columns is not None:
        try:
            check_columns(opened.columns, mapping, opened.name)
        except InputError as error:
            if not opened.header:
                raise
            raise InputError(f"{error}; {opened.header}") from None
    columns = SetColumns()
    has_versions = opened.columns is not None and VersionSearch(mapping).may_have(opened.columns)
    if again and (has_versions or _may_have_such(opened.columns, mapping)):
        columns = _look_at_columns(read_logs(open_rows(), asked, again), mapping)
    return SampleBuilder(opened, mapping, language, columns, has_stem=has_stem)


def _may_have_such(columns: Iterable[str] | None, mapping: Mapping[str, str]) -> bool:
    """Whether all rows must be looked at, for a column of ratings or of ids that is called otherwise."""
    if columns is None:
        return True
    names = {usual_name(column) for column in columns} - {usual_name(theirs) for theirs in mapping}
    has_id = "id" in {*columns, *mapping.values()}
    # beside a column `rating`, which may be empty
    may_rate = bool(names & {*RATING_ALIASES}) or any(rater_of(name) or criterion_of(name) for name in columns)
    may_rate |= "rating" in names and "rating" not in columns
    return (may_rate and "rating" not in mapping.values()) or (bool(names & {"id", *ID_ALIASES}) and not has_id)


def _look_at_columns(opened: Rows, mapping: Mapping[str, str]) -> SetColumns:
    """The columns that only all rows tell; the set is read for them where one of its first rows has such a name."""
    ratings, ids = RatingSearch(opened.name, mapping, finds_scale=opened.finds_scale), IdSearch()
    versions = VersionSearch(mapping)
    try:
        rows = iter(opened.rows)
        head = list(islice(rows, _ROWS_LOOKED_AT))
        names = {column for row in head if not isinstance(row, BadRow) for column in row.values}
        has_rated_messages = any(message_ratings(row) for row in head if not isinstance(row, BadRow))
        may_rate = has_rated_messages or (opened.finds_scale and "rating" in names)
        if not (may_rate or versions.may_have(names) or _may_have_such(names, mapping)):
            return SetColumns()
        for row in chain(head, rows):
            if not isinstance(row, BadRow):
                ratings.add(row)
                ids.add(row)
                versions.add(row)
    except (InputError, OSError):
        return SetColumns()  # the reading itself meets the same error, and tells it
    is_rated, has_id = "rating" in mapping.values(), "id" in mapping.values()
    chosen = RatingColumns() if is_rated else ratings.result()
    return SetColumns(
        chosen.columns,
        "" if has_id else ids.result(),
        {**chosen.unused, **({} if has_id else ids.unused)},
        chosen.message_scale,
        versions.result(),
    )


def _has_pairs(builder: SampleBuilder) -> bool:
    """Whether any row of a set is a pair of answers; rows that cannot be read are none."""
    with suppress(InputError, OSError):
        for row in builder.source.rows:
            if isinstance(row, BadRow):
                continue
            with suppress(InputError):
                if builder.sample(row).is_pair:
                    return True
    return False


def _samples(
    builder: SampleBuilder,
    open_again: Callable[[], SampleBuilder],
    limit: int | None,
    skip_bad: list[InputError] | None,
    notes: list[str] | None,
) -> Iterator[Sample]:
    opened = builder.source
    lost_pairs = LostPairs(opened.name, lambda: _has_pairs(open_again()))
    first_error: InputError | None = None
    good = bad = 0
    try:
        for row in opened.rows:
            try:
                if isinstance(row, BadRow):
                    raise row.error
                sample = lost_pairs.read(builder.sample(row), row.place)
            except InputError as error:
                if skip_bad is None:
                    raise
                skip_bad.append(error)
                first_error, bad = first_error or error, bad + 1
                continue
            good += 1
            yield sample
            if good == limit:
                break
    except OSError as error:
        raise cannot_read(opened.name, error) from None
    if not good:
        problem = f"none of the {count_of(bad, 'row')} can be used; the first error: {first_error}" if bad else _EMPTY
        raise InputError(f"{opened.name}: {problem}")
    # a format that names its columns has passed this before the first row; in the others only all rows together tell
    check_mapped(builder.account.columns, builder.mapping, opened.name)
    account = (*opened.notes, *opened.late_notes(), *builder.account.notes(), *lost_pairs.notes())
    _tell(account if notes is None else (*account, builder.account.count_conversations()), notes)


def _tell(lines: Iterable[str], notes: list[str] | None) -> None:
    """Appends what the user should know to the notes; without a list of them it is logged."""
    if notes is None:
        for line in filter(None, lines):
            _LOGGER.warning(line)
    else:
        notes += [line for line in dict.fromkeys(lines) if line and line not in notes]


class IdSearch:
    """Finds the column that is read as `id` among the usual names, from all rows of a set.

    A column counts when its filled cells are texts or whole numbers, and no two are the same; of several the first in
    the list of names. Rows with an `id` do not count.

    Attributes:
        unused: Why a column with an id's name is read as none, by its name.

    Examples:
        >>> search = IdSearch()
        >>> search.add(Row(1, "line 2", {"Case": "a", "nr": "7"}))
        >>> search.add(Row(2, "line 3", {"Case": "a", "nr": "8"}))
        >>> search.result(), search.unused
        ('nr', {'Case': 'it names line 2 and line 3 "a"'})
    """

    def __init__(self) -> None:
        self.unused: dict[str, str] = {}
        self._columns: dict[str, str] = {}
        self._places: dict[str, dict[int, str]] = {}

    def add(self, row: Row) -> None:
        """Looks at a row."""
        if row.values.get("id") not in (None, ""):
            return
        by_name = columns_by_usual_name(row.values)
        for name in ID_ALIASES:
            column = by_name.get(name, name)
            value = row.values.get(column)
            if column in self.unused or value is None or (isinstance(value, str) and not value.strip()):
                continue
            if not isinstance(value, str | int) or isinstance(value, bool):
                self.unused[column] = "it holds neither texts nor whole numbers"
                continue
            self._columns.setdefault(name, column)
            # the hash in place of the text keeps this small for very large sets
            first = self._places.setdefault(name, {}).setdefault(hash(str(value).strip()), row.place)
            if first != row.place:
                self.unused[column] = f'it names {first} and {row.place} "{shorten(str(value), 30)}"'

    def result(self) -> str:
        """The column, from the rows that were added; empty where none counts."""
        names = (self._columns[name] for name in ID_ALIASES if name in self._columns)
        return next((column for column in names if column not in self.unused), "")
