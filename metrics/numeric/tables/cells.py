"""A column of cells as numbers, in the notation that all its cells together show."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ....text.numbers import Number, parse_number
from ....text.numbers.notation import known_unit, notation_languages, notation_signs, notation_words
from ....text.numbers.numerals import DASHES, GROUPING_SPACES, NumberFormat, numeral_readings
from ..quantities.units import unit_and_power

if TYPE_CHECKING:
    from numpy.typing import NDArray

Cell = int | float | str | bool | None

_STRICT = {
    NumberFormat.POINT: re.compile(r"[+-]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?"),
    NumberFormat.COMMA: re.compile(r"[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?"),
}
_GROUPING = {NumberFormat.POINT: ",", NumberFormat.COMMA: "."}
_FOLLOWED = re.compile(rf"([{DASHES}+]?)([\d.,{GROUPING_SPACES} ’']*\d)\s?(%?)")
_BRACKETED = re.compile(r"(\D*)\(([^()]*\d[^()]*)\)(\s?%?)")
_FOOTNOTE = re.compile(r"\s?(?:\*+|†|‡|\[\d+\])$")
_ORDINAL = re.compile(rf"(\d+)(?:{'|'.join(sorted(notation_words('ordinals')))})", re.IGNORECASE)
_LONGEST_CELL = 200  # characters that a number may be written with, its unit and footnote included
_MOST_OF_TEXT = 0.5  # a column with fewer numbers among its filled cells is one of texts


@dataclass(frozen=True)
class CellReading:
    """A cell in each format that it fits, and the unit written in it."""

    values: Mapping[NumberFormat, float]
    unit: str | None = None


@dataclass(frozen=True)
class NumberColumn:
    """A column read as numbers (missing and unreadable cells NaN), in each of the two formats.

    `shown` are the formats that its cells give away; `ambiguous` the positions that the formats read differently;
    `unreadable` those that are no number; `unit` what all its cells are written with.
    """

    values: dict[NumberFormat, "NDArray"]  # type: ignore[type-arg]
    shown: frozenset[NumberFormat]
    ambiguous: tuple[int, ...] = ()
    unreadable: tuple[int, ...] = ()
    unit: str | None = None
    mixed_units: tuple[str, ...] = ()


def is_missing(cell: Cell) -> bool:
    """Whether a cell says that there is no value: empty, a dash, n/a, onbekend, NaN."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return True
    return isinstance(cell, str) and cell.strip().lower() in notation_words("missing")


def read_cell(text: str) -> CellReading | None:
    """The number that a cell's text is: also (1,473) for -1473, "12,3 %", "$(2,227)", "1.2M"; None if it is none."""
    text = text.strip()
    return _read_cell_text(text) if len(text) <= _LONGEST_CELL else None


@lru_cache(maxsize=65536)
def _read_cell_text(text: str) -> CellReading | None:
    text = _FOOTNOTE.sub("", text)
    if match := _FOLLOWED.fullmatch(text):
        sign = -1 if match[1] and match[1] in DASHES else 1
        plain = {form: sign * reading.value for form, reading in numeral_readings(match[2]).items()}
        return CellReading(plain, "%" if match[3] else None) if plain else None
    if match := _ORDINAL.fullmatch(text):
        return CellReading(dict.fromkeys(NumberFormat, float(match[1])))
    if (match := _BRACKETED.fullmatch(text)) and not re.search(r"\w", match[1]):
        return _with_words("".join(match.groups()), -1)
    if text.endswith(tuple(DASHES)) and text[:-1].rstrip()[-1:].isdigit():
        return _with_words(text[:-1].rstrip(), -1)
    return _with_words(text, 1)


def _with_words(text: str, sign: int) -> CellReading | None:
    """A number with a currency, a unit or a scale word."""
    by_form = {form: _number_in(text, form) for form in NumberFormat}
    number = next((form_number for form_number in by_form.values() if form_number), None)
    if number is None or number.spelled:
        return None
    values = {form: sign * (form_number or number).value for form, form_number in by_form.items()}
    numeral = re.search(r"\d[\d.,]*\d", text)
    if len(number.readings) == 1 and numeral:  # in one format only, or the same in both
        fits = numeral_readings(numeral[0])
        values = {form: value for form, value in values.items() if form in fits} or values
    return CellReading(values, number.unit)


def _number_in(text: str, form: NumberFormat) -> Number | None:
    """The number that a text is in a language that writes its decimals so."""
    languages = (language for language in notation_languages() if language.profile.decimal_mark == form.value)
    return next((number for language in languages if (number := parse_number(text, language))), None)


def read_numbers(cells: Sequence[Cell]) -> NumberColumn | None:
    """A column as numbers; None for a column of texts: fewer than half of its filled cells are numbers."""
    import numpy as np

    if (quick := _all_plain(cells)) is not None:
        return quick
    values = {form: np.full(len(cells), math.nan) for form in NumberFormat}
    formats: set[NumberFormat] = set()
    ambiguous, unreadable, filled = [], [], 0
    units: Counter[str | None] = Counter()
    for position, cell in enumerate(cells):
        if is_missing(cell):
            continue
        filled += 1
        reading = _reading(cell)
        if reading is None:
            unreadable.append(position)
            continue
        units[reading.unit] += 1
        by_form = reading.values
        if len(by_form) == 1:
            formats.update(by_form)
        if len(set(by_form.values())) > 1:
            ambiguous.append(position)
        for form in NumberFormat:
            values[form][position] = by_form.get(form, next(iter(by_form.values())))
    if not filled or len(unreadable) > filled * _MOST_OF_TEXT:
        return None
    written = tuple(unit for unit in units if unit)
    # a currency sign often stands in the first row only; a percent sign changes what the number is
    if len(written) == 1 and (len(units) == 1 or written[0] != "%"):
        return NumberColumn(values, frozenset(formats), tuple(ambiguous), tuple(unreadable), written[0])
    return NumberColumn(values, frozenset(formats), tuple(ambiguous), tuple(unreadable), mixed_units=written)


def _reading(cell: Cell) -> CellReading | None:
    if isinstance(cell, str):
        return read_cell(cell)
    if isinstance(cell, bool) or cell is None or not math.isfinite(cell):
        return None
    return CellReading(dict.fromkeys(NumberFormat, float(cell)))


def _all_plain(cells: Sequence[Cell]) -> NumberColumn | None:
    """Numbers in JSON, or digits whose separators leave no choice: much quicker than cell by cell."""
    import numpy as np

    kinds = set(map(type, cells))
    if kinds <= {int, float, type(None)}:
        array = np.array([math.nan if cell is None else cell for cell in cells], dtype=float)
        return NumberColumn(dict.fromkeys(NumberFormat, array), frozenset()) if np.isfinite(array).any() else None
    if kinds - {str, type(None)}:
        return None
    texts = [cell.strip() if isinstance(cell, str) and not is_missing(cell) else None for cell in cells]
    filled = [text for text in texts if text is not None]
    fits = [form for form in NumberFormat if filled and all(map(_STRICT[form].fullmatch, filled))]
    if not fits or (len(fits) == 2 and any("." in text or "," in text for text in filled)):
        return None
    group, decimal = _GROUPING[fits[0]], fits[0].value
    plain = (text and text.replace(group, "").replace(decimal, ".") for text in texts)
    array = np.array([math.nan if text is None else float(text) for text in plain])
    return NumberColumn(dict.fromkeys(NumberFormat, array), frozenset(fits if len(fits) == 1 else ()))


def header_unit(header: str) -> str | None:
    """The unit in a column's name: "load (%)", "salary [EUR]", "throughput_mbps", "omzet €"; None if there is none."""
    led = "|".join(sorted(notation_words("header_in")))
    if bracketed := re.search(rf"[(\[]\s*(?:(?:{led})\s+)?([^()\[\]]+?)\s*[)\]]\s*$", header):
        unit, power = unit_and_power(bracketed[1])
        return bracketed[1] if power else unit if unit and (unit != bracketed[1] or known_unit(unit)) else None
    last = re.split(r"[_\s]+", header.strip())
    if len(last) < 2:
        return None
    by_name = notation_signs("name_units").get(last[-1].lower())
    # one letter says little: "team_a" has no unit
    return by_name or (known_unit(last[-1]) if len(last[-1]) > 1 or not last[-1].isalpha() else None)
