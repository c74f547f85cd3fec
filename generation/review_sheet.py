"""The annotators' sheet, as CSV or XLSX: no cell is a formula, and the sheet is read as Excel saves it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..atomic_files import replace_file
from ..errors import InputError, UsageError
from ..eval_sets import Sample
from ..eval_sets.csv_file import CsvWriter, open_csv
from ..eval_sets.rows import BadRow
from ..languages import Language, language_or_fallback, packs_with
from .review import OPTIONS, Review

_CHOSEN = {"x", "1", "v", "✓"}
_NOT_CHOSEN = {"", "0", "-"}
_WIDTHS = {"id": 14, "question": 45, "answer": 55, "section": 70, "comment": 40}


def write_sheet(samples: Sequence[Sample], path: Path) -> None:
    """Writes the sheet of one annotator: one row per pair, with an empty cell per option."""
    names = _headings(language_or_fallback(samples[0].language if samples else None, "questions"))
    headings = ["id", *(names[heading] for heading in ("question", "answer", *OPTIONS, "comment", "section"))]
    rows = [
        [sample.id, sample.user_input, sample.reference or "", *[""] * (len(OPTIONS) + 1), _source(sample)]
        for sample in samples
    ]
    if path.suffix == ".xlsx":
        _write_excel(headings, rows, path)
    elif path.suffix == ".csv":
        with replace_file(path) as file:
            file.write("\ufeff")  # without a byte order mark Excel does not read the file as UTF-8
            writer = CsvWriter(file)
            for row in (headings, *rows):
                writer.write_row(row)
    else:
        raise UsageError(f"{path}: a sheet is a .csv or .xlsx file")


def read_sheet(path: Path, samples: Sequence[Sample]) -> list[Review]:
    """Reads the reviews of one annotator. Only the columns id, options and comment are read."""
    rows = _excel_rows(path) if path.suffix == ".xlsx" else _delimited_rows(path)
    known = {sample.id for sample in samples}
    reviews = []
    for place, row in rows:
        columns = _columns(row, f"{path}, {place}")
        name = str(row.get("id") or "").strip()
        if not name and not any(str(cell or "").strip() for cell in row.values()):
            continue
        if name not in known:
            raise InputError(f"{path}, {place}: no sample of the set has the id {name!r}; is it the sheet of this set?")
        chosen = frozenset(
            option for option in OPTIONS if _is_chosen(row[columns[option]], path, place, columns[option])
        )
        comment = str(row.get(columns["comment"]) or "").strip()
        reviews.append(Review(name, path.stem, chosen, comment))
    return reviews


def _headings(language: Language) -> dict[str, str]:
    headings: dict[str, str] = dict(language.questions.review)
    return headings


def _source(sample: Sample) -> str:
    place = sample.metadata.get("section", "")
    return f"{place}\n\n" * bool(place) + "\n\n".join(sample.retrieved_contexts)


def _columns(row: dict[str, Any], place: str) -> dict[str, str]:
    """Returns the sheet's heading of each option and of the comment, in any language that has such headings."""
    for names in map(_headings, packs_with("questions")):
        if all(names[option] in row for option in (*OPTIONS, "comment")):
            return {heading: names[heading] for heading in (*OPTIONS, "comment")}
    english = _headings(language_or_fallback(None))
    expected = ", ".join(english[heading] for heading in (*OPTIONS, "comment"))
    raise InputError(f"{place}: the columns are {', '.join(row)}; a sheet has {expected}, or those in another language")


def _is_chosen(cell: Any, path: Path, place: str, column: str) -> bool:
    text = str("" if cell is None else cell).strip().casefold().removesuffix(".0")
    marks = [language.questions.review_marks for language in packs_with("questions")]
    if text in _CHOSEN.union(*(words.chosen for words in marks)):
        return True
    if text in _NOT_CHOSEN.union(*(words.not_chosen for words in marks)):
        return False
    raise InputError(f"{path}, {place}, column {column}: {str(cell)[:40]!r} is no mark; write x or leave it empty")


def _delimited_rows(path: Path) -> Iterable[tuple[str, dict[str, Any]]]:
    if path.suffix != ".csv":
        raise InputError(f"{path}: a sheet is a .csv or .xlsx file")
    try:
        headings = [heading for language in packs_with("questions") for heading in _headings(language).values()]
        rows = open_csv(path, str(path), ("id", *headings))
        for row in rows.rows:
            if isinstance(row, BadRow):
                raise row.error
            yield row.place, dict(row.values)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _excel_rows(path: Path) -> Iterable[tuple[str, dict[str, Any]]]:
    from zipfile import BadZipFile

    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        sheet = load_workbook(path, read_only=True).active
    except (OSError, BadZipFile, InvalidFileException, KeyError) as error:
        raise InputError(f"{path}: cannot be read as an Excel sheet: {error}") from error
    rows = sheet.iter_rows(values_only=True)
    headings = [str(cell or "").strip() for cell in next(rows, ())]
    for number, cells in enumerate(rows, 2):
        yield f"row {number}", dict(zip(headings, cells, strict=False))


def _write_excel(headings: Sequence[str], rows: Sequence[Sequence[str]], path: Path) -> None:
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    sheet = book.active
    for number, row in enumerate([headings, *rows], 1):
        for place, text in enumerate(row, 1):
            cell = sheet.cell(number, place, ILLEGAL_CHARACTERS_RE.sub("", text)[:32_000] or None)
            if text:
                cell.data_type = "s"  # text, even if it starts with =
                cell.quotePrefix = True
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            if number == 1:
                cell.font = Font(bold=True)
    marks = DataValidation(type="list", formula1='"x"', allow_blank=True)
    sheet.add_data_validation(marks)
    first, last = (get_column_letter(4 + offset) for offset in (0, len(OPTIONS) - 1))
    marks.add(f"{first}2:{last}{len(rows) + 1}")
    keys = ["id", "question", "answer", *OPTIONS, "comment", "section"]
    for place, key in enumerate(keys, 1):
        sheet.column_dimensions[get_column_letter(place)].width = _WIDTHS.get(key, 16)
    sheet.freeze_panes = "B2"
    with replace_file(path, binary=True) as file:
        book.save(file)
