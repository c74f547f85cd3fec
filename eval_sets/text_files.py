"""Rows from text files (CSV and its relatives, JSON Lines, JSON): their encoding, lines and cells; a writer of CSV."""

import codecs
import csv
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib import resources
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..errors import InputError
from ..json_text import JSON_DECODER, explain_json_error
from ..languages import read_yaml
from ..regular_files import check_regular
from ..text.language_detection import may_be_in
from ..text.wording import count_of
from ..value_messages import describe_type
from .column_table import CONVERSATION_KEYS, usual_name
from .logs.test_runs import is_test_run, promptfoo_cure, read_test_run
from .message_forms import is_thread
from .rows import (
    MOST_COLUMNS,
    MOST_TITLES,
    BadRow,
    Repeatable,
    Row,
    Rows,
    explain_header,
    find_header,
    repeated_name,
)

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_NAMES = {"utf-16": "UTF-16", "cp1252": "Windows-1252"}
_BYTES_PER_BLOCK = 2**18
_MOST_ACCENTED = 0.25  # of the letters of a text in a Western language
_MOST_ODD = 0.2  # so many characters in odd places beside one accented letter: names of people and places
_MOST_FOREIGN = 0.1  # of the lines that hold accented letters
_LINES_LOOKED_AT = 500
_ODD = re.compile(
    # letters that Western words do not have, though names may; and signs after a letter and inside a word
    "[ŠŽšžŸÿƒˆ˜]|(?<=[a-zß-ÿ])[À-ÞŒ]|(?<=[^\\W\\d_])[‚„†‡‰‹Œ¿]|(?<=[^\\W\\d_])‘(?![^\\W\\d_])"
    "|(?<=[^\\W\\d_])[\u00a1-\u00ac\u00af\u00b1-\u00b6\u00b8-\u00bf\u00d7\u00f7€•›](?=[^\\W\\d_])"
)


class TextLine(NamedTuple):
    """One line of a text file."""

    number: int  # its number, from 1
    text: str  # the line with its line end; empty where it cannot be decoded
    error: InputError | None = None  # why it cannot be decoded, with place and cure


def find_encoding(path: Path) -> str:
    """Finds the encoding of a text file: UTF-16 by its mark, else UTF-8, or Windows-1252 (old Excel).

    Windows-1252 has to be plausible, and the file without a valid character of several bytes, which a damaged UTF-8
    file holds: any other that is not UTF-8 is read as UTF-8, and its bad lines are named.
    """
    if not path.is_file():
        check_regular(path)
    strict, lenient = codecs.getincrementaldecoder("utf-8")(), codecs.getincrementaldecoder("utf-8")("ignore")
    with path.open("rb") as file:
        start = block = file.read(_BYTES_PER_BLOCK)
        for mark, encoding in _MARKS:
            if start.startswith(mark):
                return encoding
        is_utf8, has_characters = True, False
        while block and (is_utf8 or not has_characters):
            is_utf8 = is_utf8 and _decodes(strict, block)
            has_characters = has_characters or not lenient.decode(block).isascii()
            block = file.read(_BYTES_PER_BLOCK)
        is_utf8 = is_utf8 and _decodes(strict, b"", final=True)
    return "cp1252" if not is_utf8 and not has_characters and _is_western(start) else "utf-8"


def _decodes(decoder: codecs.IncrementalDecoder, content: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(content, final)
    except UnicodeDecodeError:
        return False
    return True


def _is_western(content: bytes) -> bool:
    """Whether bytes are plausible as Windows-1252, and not as what other countries and computers write as a byte each.

    Accents stand singly in words, signs and letters that no Western word has are few, and the lines with accents are in
    a Western language: in Polish, Turkish or Latvian the bytes mean other letters.
    """
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return False
    odd = _ODD.findall(text)
    accented = sum(character.isalpha() and not character.isascii() for character in text)
    if accented > _MOST_ACCENTED * sum(map(str.isalpha, text)) or len(odd) > _MOST_ODD * accented:
        return False
    western = read_yaml(resources.files(__package__).joinpath("encodings.yaml"), dict[str, list[str]])["western"]
    lines = list(islice((line for line in text.splitlines() if not line.isascii()), _LINES_LOOKED_AT))
    return sum(not may_be_in(line, western) for line in lines) <= _MOST_FOREIGN * len(lines)


def encoding_note(name: str, encoding: str) -> tuple[str, ...]:
    """What to tell a user of a file that is not UTF-8; nothing for one that is."""
    return (f"{name}: read as {_NAMES[encoding]}, because it is not UTF-8",) if encoding in _NAMES else ()


def read_lines(path: Path, name: str, encoding: str) -> Iterator[TextLine]:
    r"""Reads the lines of a text file, which end with \n, \r\n or \r.

    Yields:
        The lines; one with a byte that is not UTF-8 has an error in place of its text.
    """
    if encoding == "utf-8":
        yield from _utf8_lines(path, name)
        return
    try:
        with path.open(encoding=encoding, newline="") as file:
            yield from (TextLine(number, text) for number, text in enumerate(file, 1))
    except UnicodeError as error:
        label = _NAMES.get(encoding, "UTF-8")
        raise InputError(f"{name}: begins as {label} and is damaged ({error}); save it again as UTF-8") from None


def _utf8_lines(path: Path, name: str) -> Iterator[TextLine]:
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        for number, text in enumerate(file, 1):
            try:
                text.encode()
            except UnicodeEncodeError as error:
                byte, place = ord(text[error.start]) - 0xDC00, len(text[: error.start].encode()) + 1
                problem = f"byte 0x{byte:02x} at place {place} of the line is not UTF-8"
                cure = "save the file as UTF-8 (in Excel: 'CSV UTF-8'), or convert it from the encoding that it is in"
                yield TextLine(number, "", InputError(f"{name}, line {number}: {problem}: {cure}"))
            else:
                yield TextLine(number, text)


def read_text(path: Path, name: str) -> tuple[str, str]:
    """Reads a whole text file, and its encoding."""
    encoding = find_encoding(path)
    lines = []
    for line in read_lines(path, name, encoding):
        if line.error:
            raise line.error
        lines.append(line.text)
    return "".join(lines), encoding


DELIMITERS = (",", ";", "\t", "|")
_SEP_LINE = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # Excel's own way to name the delimiter
# csv's limit of 131,072 characters per cell would refuse a long answer; it can only be lifted for the whole process
_LONGEST_CELL = 2**30


# a spreadsheet takes a cell that begins so for a formula, and may run it; an apostrophe before it makes it text
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def open_csv(path: Path, name: str, known: Collection[str], header_row: int | None = None) -> Rows:
    """Opens a delimited file, streamed. The first row names the columns, or the one that is found or said to."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    records = _Records(path, name, known)
    before, columns = records.header(header_row)
    line = before[-1] if before else 0
    notes = [*encoding_note(name, records.encoding)]
    if len(before) > 1:
        notes.append(f"{name}: line {line} names the columns; {count_of(len(before) - 1, 'line')} above it left out")
    return Rows(
        name,
        path.stem,
        Repeatable(lambda: _rows(records, columns, name, len(before))),
        columns,
        textual=True,
        notes=tuple(notes),
        header=explain_header(f"line {line}", columns, known) if header_row is None else "",
    )


def find_delimiter(lines: Sequence[str], known: Collection[str]) -> str:
    """Finds the delimiter under which the header gives most known names, then most names.

    The header is the first line, or below a title the first with two known names.

    Examples:
        >>> find_delimiter(["Ratings, of March", "question;answer, short;rating"], {"question", "rating"})
        ';'
    """

    def count_names(delimiter: str) -> tuple[int, int]:
        rows = [next(csv.reader([line], delimiter=delimiter), []) for line in lines]
        cells = rows[find_header(rows, known)]
        return sum(cell.strip() in known or usual_name(cell) in known for cell in cells), len(cells)

    return max(DELIMITERS, key=count_names)


class _Records:
    """The records of one file: each with the line on which it begins. The first is the header."""

    def __init__(self, path: Path, name: str, known: Collection[str]) -> None:
        self.path, self.name, self.known = path, name, known
        self.encoding = find_encoding(path)
        self.delimiter = ","
        self._line = 0
        self._wanted: int | None = None  # the line that the user says names the columns
        self._records = Repeatable(self._read)

    def header(self, wanted: int | None) -> tuple[list[int], tuple[str, ...]]:
        """Returns the lines up to the header, and the names of the columns; one without a name is `column <place>`."""
        self._wanted = wanted
        head = list(islice(self, max(MOST_TITLES, wanted or 0)))
        if not head:
            raise InputError(f"{self.name}: the file is empty; its first line should name the columns")
        if wanted == 0:
            return [], tuple(f"column {place}" for place in range(1, max(len(cells) for _, cells, _ in head) + 1))
        if wanted is not None:
            lines = [line for line, _, _ in head if line < wanted]
            number = len(lines)
            if number == len(head) or head[number][0] != wanted:
                raise InputError(f"{self.name}: line {wanted} is empty, or inside a row; name the line of the columns")
        else:
            number = find_header([cells for _, cells, _ in head], self.known)
        line, cells, error = head[number]
        if error:
            raise InputError(f"{self.name}, line {line}: the header cannot be read: {error}")
        columns = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(cells, 1))
        if len(columns) > MOST_COLUMNS:
            raise InputError(
                f"{self.name}, line {line}: has more than {MOST_COLUMNS:,} columns; leave out those that are not read"
            )
        if (column := repeated_name(columns)) is not None:
            cure = promptfoo_cure(columns) or "rename one of them"
            raise InputError(f"{self.name}, line {line}: the column `{column}` stands twice; {cure}")
        return [above for above, _, _ in head[: number + 1]], columns

    def __iter__(self) -> Iterator[tuple[int, list[str], str | None]]:
        return iter(self._records)

    def _read(self) -> Iterator[tuple[int, list[str], str | None]]:
        """(line, cells, None), or (line, [], what is wrong) for a record that cannot be parsed."""
        lines = self._lines()
        separator = None
        first = ""
        for first in lines:
            if match := _SEP_LINE.fullmatch(first):
                separator = match[1]
            elif first.strip():
                break
        else:
            return
        first_line = self._line
        wanted = self._wanted or 0
        head = [first, *islice(lines, max(MOST_TITLES, wanted))]
        named = head[wanted - first_line :][:1] if wanted >= first_line else []
        self.delimiter = separator or find_delimiter(named or head[: 1 if self._wanted == 0 else None], self.known)
        yield from self._parse(chain(head, lines), first_line - 1)

    def _parse(self, lines: Iterator[str], before: int) -> Iterator[tuple[int, list[str], str | None]]:
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        while True:
            first_line = before + reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                if "unexpected end" in str(error):
                    raise InputError(
                        f"{self.name}, line {first_line}: a quote opened in this row is never closed, so that the rest "
                        'of the file is taken for one cell; close it, and write a quote inside a cell as ""'
                    ) from None
                yield first_line, [], str(error)
                continue
            if any(cells):
                yield first_line, cells, None

    def _lines(self) -> Iterator[str]:
        for line in read_lines(self.path, self.name, self.encoding):
            self._line = line.number
            if line.error:
                raise line.error
            yield line.text


def _rows(records: _Records, columns: tuple[str, ...], name: str, first: int) -> Iterator[Row | BadRow]:
    for number, (line, cells, error) in enumerate(islice(records, first, None), 1):
        text = "".join(cells)  # one look at all cells is faster than one at each
        problem = error or _row_problem(cells, columns, records.delimiter, has_nul="\0" in text)
        if problem:
            yield BadRow(number, InputError(f"{name}, line {line}: {problem}"))
        else:
            plain = map(unescape_formula, cells) if "'" in text else cells
            yield Row(number, f"line {line}", dict(zip(columns, plain, strict=False)))


def _row_problem(cells: list[str], columns: tuple[str, ...], delimiter: str, *, has_nul: bool) -> str | None:
    if len(cells) < len(columns) or any(cells[len(columns) :]):
        return (
            f"the row has {count_of(len(cells), 'cell')}, the header {len(columns)}; put quotes around a cell that "
            "holds the "
            f"delimiter {delimiter!r} or a line break"
        )
    if has_nul:
        column = next((column for column, cell in zip(columns, cells, strict=False) if "\0" in cell), columns[-1])
        return f"field {column}: the cell holds a NUL byte; remove it, or find out what wrote it"
    return None


def escape_formula(text: str) -> str:
    """Returns a text as it is safe in a cell; a number stays a number.

    Example:
        >>> [escape_formula(text) for text in ("=1+1", "-0.5", "- no", "'=1", "a=b")]
        ["'=1+1", '-0.5', "'- no", "''=1", 'a=b']
    """
    return f"'{text}" if _FORMULA.match(text) and not _PLAIN_NUMBER.fullmatch(text) else text


def unescape_formula(cell: str) -> str:
    """Returns the text that `escape_formula` made a cell of; any other cell as it is.

    Example:
        >>> [unescape_formula(cell) for cell in ("'=1+1", "-0.5", "''=1", "'s avonds")]
        ['=1+1', '-0.5', "'=1", "'s avonds"]
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


class CsvWriter:
    """Writes the rows of every CSV file of this package: no text in them becomes a formula."""

    def __init__(self, file: IO[str]) -> None:
        self._writer = csv.writer(file)

    def write_row(self, cells: Iterable[Any]) -> None:
        """Writes one row; None is an empty cell."""
        self._writer.writerow(escape_formula(cell) if isinstance(cell, str) else cell for cell in cells)


SEVERAL = object()
"""What a file with several JSON documents (JSON Lines) holds."""


def open_jsonl(path: Path, name: str) -> Rows:
    """Opens a JSON Lines file: one object per line, blank lines ignored, streamed."""
    encoding = find_encoding(path)
    return Rows(
        name, path.stem, Repeatable(lambda: _line_rows(path, name, encoding)), notes=encoding_note(name, encoding)
    )


def open_json(path: Path, name: str) -> Rows:
    """Opens a JSON file: a list, an object with `samples`, one sample or conversation, or JSON Lines with this suffix.

    The file is read whole.
    """
    document, encoding = _read_document(path, name)
    if document is SEVERAL:
        return open_jsonl(path, name)
    if is_thread(document) and not any({*CONVERSATION_KEYS} & message.keys() for message in document):
        document = {"messages": document}
    if is_test_run(document):
        document = list(read_test_run(document))
    if isinstance(document, dict):
        if len(document) > 1 and all(_is_column(held) for held in document.values()):
            document = list(_rows_of_columns(document))
        else:
            document = document.get("samples", [document])
    if not isinstance(document, list):
        cure = "write a list of samples, or an object with a list `samples`"
        raise InputError(f"{name}: holds {describe_type(document)}; {cure}")
    listed: list[Any] = document
    return Rows(name, path.stem, Repeatable(lambda: _listed_rows(listed, name)), notes=encoding_note(name, encoding))


def _is_column(held: Any) -> bool:
    """Whether a value is the cells of a column, by their order or by the numbers of their rows."""
    if isinstance(held, Mapping):
        return bool(held) and all(str(key).isdigit() for key in held)
    return isinstance(held, list) and bool(held) and not isinstance(held[0], dict | list)


def _rows_of_columns(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of an object of columns, as pandas writes them: by the number of the row, or in order."""
    columns = {
        name: column if isinstance(column, Mapping) else dict(enumerate(column)) for name, column in document.items()
    }
    for key in dict.fromkeys(key for column in columns.values() for key in column):
        yield {name: column.get(key) for name, column in columns.items()}


def _read_document(path: Path, name: str) -> tuple[Any, str]:
    text, encoding = read_text(path, name)
    try:
        return JSON_DECODER.decode(text), encoding
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
            return SEVERAL, encoding
        if not text.strip():
            raise InputError(f"{name}: the file is empty; it should hold a list of samples") from None
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(f"{name}{place}: {explain_json_error(error, text)}; correct it there") from None


def _line_rows(path: Path, name: str, encoding: str) -> Iterator[Row | BadRow]:
    number = 0
    for line in read_lines(path, name, encoding):
        if line.error is None and not line.text.strip():
            continue
        number += 1
        place = f"line {line.number}"
        try:
            if line.error:
                raise line.error
            yield Row(number, place, _parse_object(line.text, f"{name}, {place}"))
        except InputError as error:
            yield BadRow(number, error)


def _parse_object(line: str, place: str) -> dict[str, Any]:
    if "\0" in line:
        raise InputError(f"{place}: the line holds a NUL byte; remove it, or find out what wrote it")
    text = line.rstrip("\r\n")
    try:
        value = JSON_DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: {explain_json_error(error, text)}; write one whole JSON object per line") from None
    if not isinstance(value, dict):
        is_list = isinstance(value, list)
        cure = "name a file that is one JSON list .json" if is_list else "write one JSON object per line"
        raise InputError(f"{place}: is {describe_type(value)}, not an object; {cure}")
    return value


def _listed_rows(listed: list[Any], name: str) -> Iterator[Row | BadRow]:
    for number, value in enumerate(listed, 1):
        if isinstance(value, dict):
            yield Row(number, f"row {number}", value)
        elif is_thread(value):
            yield Row(number, f"row {number}", {"messages": value})
        else:
            message = f"is {describe_type(value)}, not an object; write one object per sample"
            yield BadRow(number, InputError(f"{name}, row {number}: {message}"))
