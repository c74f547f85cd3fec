"""One numeral, and what it may mean: 1.234,5 and 1,234.5, thin spaces, dashes for minus signs, scale words."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

GROUPING_SPACES = "\u00a0\u2007\u2009\u202f"  # no-break, figure, thin, narrow
DASHES = "-−–—‒‐‑"
_SEPARATORS = rf"[{GROUPING_SPACES} '’]"
_DECIMALS = {
    ".": re.compile(
        rf"(?P<whole>[1-9]\d{{0,2}}(?:(?:,\d{{3}})+|(?:{_SEPARATORS}\d{{3}})+)|\d*)(?:\.(?P<decimals>\d+))?"
    ),
    ",": re.compile(
        rf"(?P<whole>[1-9]\d{{0,2}}(?:(?:\.\d{{3}})+|(?:{_SEPARATORS}\d{{3}})+)|\d*)(?:,(?P<decimals>\d+))?"
    ),
}
_NO_DIGIT = re.compile(r"\D")
_POWER = re.compile(r"(?<=\d)[eE]([+-]?\d{1,2})$")


class NumberFormat(StrEnum):
    """Which sign stands before the decimals: 1,234.5 or 1.234,5."""

    POINT = "."
    COMMA = ","


@dataclass(frozen=True, slots=True)
class NumeralValue:
    """One value that a numeral may mean; `decimals` is the place of its last stated digit (1.2 million: -5)."""

    value: float
    decimals: int

    def scaled(self, power: int) -> "NumeralValue":
        """The reading times a power of ten, the stated digits kept: 1.2 with power 6 is 1200000 with decimals -5."""
        return NumeralValue(
            float(f"{self.value!r}e{power}") if abs(self.value) < 1e16 else self.value * 10.0**power,
            self.decimals - power,
        )

    def negative(self) -> "NumeralValue":
        """The reading with a minus sign."""
        return NumeralValue(-self.value, self.decimals)


@lru_cache(maxsize=4096)
def numeral_readings(numeral: str) -> dict[NumberFormat, NumeralValue]:
    """Reads digits, points, commas and grouping spaces in each format that allows them; empty where none does.

    A whole number means the same in both; 1.234 is 1234 or 1.234; 0.123 and 12.5 leave no choice. A power of ten may
    follow (1.5e3).
    """
    power = _POWER.search(numeral)
    body = numeral[: power.start()] if power else numeral
    readings = {}
    for form in NumberFormat:
        match = _DECIMALS[form].fullmatch(body)
        if match is None or not (match["whole"] or match["decimals"]):
            continue
        decimals = match["decimals"] or ""
        reading = NumeralValue(float(f"{_NO_DIGIT.sub('', match['whole']) or '0'}.{decimals}"), len(decimals))
        readings[form] = reading.scaled(int(power[1])) if power else reading
    return readings


def format_shown(numeral: str) -> NumberFormat | None:
    """Finds the format that a numeral shows (12,5 and 1.234.567 are COMMA); None where it fits both or none."""
    readings = numeral_readings(numeral)
    return next(iter(readings)) if len(readings) == 1 else None
