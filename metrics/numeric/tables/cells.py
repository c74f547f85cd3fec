"""A column of cells as numbers: its notation told from all its cells together."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ....text.numbers import Number, parse_number
from ....text.numbers.notation import known_unit, notation_languages, notation_signs, notation_words
from ....text.numbers.numerals import DASHES, GROUPING_SPACES, NumberFormat, numeral_readings
from ..quantities import is_currency, unit_and_power

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

    values: tuple[tuple[NumberFormat, float], ...]
    unit: str | None = None

    @property
    def shown(self) -> NumberFormat | None:
        """The format that the cell gives away; None where both read the same or differ."""
        return self.values[0][0] if len(self.values) == 1 else None

    @property
    def ambiguous(self) -> bool:
        """Whether the formats read it differently."""
        return len({value for _, value in self.values}) > 1


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
    return _kept(text) if len(text) <= _LONGEST_CELL else None


@lru_cache(maxsize=65536)
def _kept(text: str) -> CellReading | None:
    text = _FOOTNOTE.sub("", text)
    if found := _FOLLOWED.fullmatch(text):
        sign = -1 if found[1] and found[1] in DASHES else 1
        readings = numeral_readings(found[2]).items()
        plain = tuple((form, sign * reading.value) for form, reading in readings)
        return CellReading(plain, "%" if found[3] else None) if plain else None
    if found := _ORDINAL.fullmatch(text):
        return CellReading(tuple((form, float(found[1])) for form in NumberFormat))
    if (found := _BRACKETED.fullmatch(text)) and not re.search(r"\w", found[1]):
        return _with_words("".join(found.groups()), -1)
    if text.endswith(tuple(DASHES)) and text[:-1].rstrip()[-1:].isdigit():
        return _with_words(text[:-1].rstrip(), -1)
    return _with_words(text, 1)


def _with_words(text: str, sign: int) -> CellReading | None:
    """A number with a currency, a unit or a scale word."""
    by_form = {form: _number_in(text, form) for form in NumberFormat}
    number = next((found for found in by_form.values() if found), None)
    if number is None or number.spelled:
        return None
    values = {form: sign * (found or number).value for form, found in by_form.items()}
    numeral = re.search(r"\d[\d.,]*\d", text)
    if len(number.readings) == 1 and numeral:  # in one format only, or the same in both
        fits = numeral_readings(numeral[0])
        values = {form: value for form, value in values.items() if form in fits} or values
    return CellReading(tuple(values.items()), number.unit)


def _number_in(text: str, form: NumberFormat) -> Number | None:
    """The number that a text is in a language that writes its decimals so."""
    languages = (each for each in notation_languages() if each.profile.decimal_mark == form.value)
    return next((number for each in languages if (number := parse_number(text, each))), None)


def read_numbers(cells: Sequence[Cell]) -> NumberColumn | None:
    """A column as numbers; None where it is one of texts: fewer than half of its filled cells are numbers."""
    import numpy as np

    quick = _all_plain(cells)
    if quick is not None:
        return quick
    values = {form: np.full(len(cells), math.nan) for form in NumberFormat}
    shown: set[NumberFormat] = set()
    ambiguous, unreadable, filled = [], [], 0
    units: dict[str | None, int] = {}
    for position, cell in enumerate(cells):
        if is_missing(cell):
            continue
        filled += 1
        reading = _reading(cell)
        if reading is None:
            unreadable.append(position)
            continue
        units[reading.unit] = units.get(reading.unit, 0) + 1
        if reading.shown:
            shown.add(reading.shown)
        if reading.ambiguous:
            ambiguous.append(position)
        by_format = dict(reading.values)
        only = reading.values[0][1]
        for form in NumberFormat:
            values[form][position] = by_format.get(form, only)
    if not filled or len(unreadable) > filled * _MOST_OF_TEXT:
        return None
    written = tuple(str(unit) for unit in units if unit)
    # a currency sign often stands in the first row only; a percent sign changes what the number is
    alone = len(written) == 1 and (len(units) == 1 or written[0] != "%")
    unit = written[0] if alone else None
    return NumberColumn(
        values, frozenset(shown), tuple(ambiguous), tuple(unreadable), unit, written if unit is None else ()
    )


def _reading(cell: Cell) -> CellReading | None:
    if isinstance(cell, str):
        return read_cell(cell)
    if isinstance(cell, bool) or cell is None or not math.isfinite(cell):
        return None
    return CellReading(tuple((form, float(cell)) for form in NumberFormat))


def _all_plain(cells: Sequence[Cell]) -> NumberColumn | None:
    """Numbers in JSON, or digits whose separators leave no choice: much quicker than cell by cell."""
    import numpy as np

    kinds = set(map(type, cells))
    if kinds <= {int, float, type(None)}:
        array = np.array([math.nan if cell is None else cell for cell in cells], dtype=float)
        return NumberColumn(dict.fromkeys(NumberFormat, array), frozenset()) if np.isfinite(array).any() else None
    if kinds - {str, type(None)}:
        return None
    missing = notation_words("missing")
    texts = [cell.strip() if isinstance(cell, str) else "" for cell in cells]
    filled = [text for text in texts if text.lower() not in missing]
    fits = [form for form in NumberFormat if filled and all(map(_STRICT[form].fullmatch, filled))]
    if len(fits) == 2 and any("." in text or "," in text for text in filled):
        return None
    if not fits:
        return None
    group, decimal = _GROUPING[fits[0]], fits[0].value
    array = np.array(
        [
            math.nan if text.lower() in missing else float(text.replace(group, "").replace(decimal, "."))
            for text in texts
        ]
    )
    return NumberColumn(dict.fromkeys(NumberFormat, array), frozenset(fits if len(fits) == 1 else ()))


def _currency_of_rate(unit: str) -> str | None:
    """EUR of "EUR per month": amounts of such a column are stated in the currency."""
    per = "|".join(sorted(notation_words("header_per")))
    money = known_unit(re.sub(rf"\s*(?:(?:{per})\b|/).*$", "", unit))
    return money if is_currency(money) else None


def header_unit(header: str) -> str | None:
    """The unit in a column's name: "load (%)", "salary [EUR]", "throughput_mbps", "omzet €"; None if there is none."""
    led = "|".join(sorted(notation_words("header_in")))
    if found := re.search(rf"[(\[]\s*(?:(?:{led})\s+)?([^()\[\]]+?)\s*[)\]]\s*$", header):
        return known_unit(found[1]) or (found[1] if unit_and_power(found[1])[1] else _currency_of_rate(found[1]))
    last = re.split(r"[_\s]+", header.strip())
    if len(last) < 2:
        return None
    by_name = notation_signs("name_units").get(last[-1].lower())
    # one letter says little: "team_a" has no unit
    return by_name or (known_unit(last[-1]) if len(last[-1]) > 1 or not last[-1].isalpha() else None)
