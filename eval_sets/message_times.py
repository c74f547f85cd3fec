"""When a message was sent, as chat logs and spreadsheets write it."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache

from .column_table import MONTHS

_FIRST_MILLISECONDS = 1e11  # a larger time counts milliseconds: in seconds it is of the year 5138
_CENTURY = 2000  # of a year of two digits
DATE_ORDERS = ("dmy", "mdy", "ymd")
"""In which day, month and year may stand in a date."""
_CLOCK = (
    r"(?:,?[\sT]+(?P<hour>[0-9]{1,2})[:.](?P<minute>[0-9]{2})(?:[:.](?P<second>[0-9]{2})(?:[.,][0-9]+)?)?"
    r"(?:\s*(?P<half>[ap])\.?\s?m\.?)?)?"
)
_NUMBERS = re.compile(rf"([0-9]{{1,4}})([-/.])([0-9]{{1,2}})\2([0-9]{{1,4}}){_CLOCK}", re.IGNORECASE)
_NAMED = re.compile(
    r"(?:[^\W\d_]{2,}\.?,?\s+)?"  # the day of the week
    rf"(?:([0-9]{{1,2}})\.?\s+([^\W\d_]+)\.?,?|([^\W\d_]+)\.?\s+([0-9]{{1,2}}),?)\s+([0-9]{{4}}){_CLOCK}",
    re.IGNORECASE,
)


def read_time(text: str | None) -> datetime | None:
    """Reads a time with its date, or seconds or milliseconds since 1970; None where it can be read in no or two ways.

    Example:
        >>> read_time("2026-01-01 10:00").isoformat(), read_time("1767261600").isoformat(), read_time("10:00")
        ('2026-01-01T10:00:00', '2026-01-01T10:00:00+00:00', None)
    """
    times = {*readings(text).values()}
    return times.pop() if len(times) == 1 else None


@lru_cache(maxsize=4096)  # a message is looked at several times
def readings(text: str | None) -> dict[str, datetime]:
    """Reads a time by each order in which its date may stand; empty where it is none, or has no date.

    Example:
        >>> {order: f"{time:%d %B %Y}" for order, time in readings("2-1-2026 10:00").items()}
        {'dmy': '02 January 2026', 'mdy': '01 February 2026'}
    """
    text = (text or "").strip()
    if (time := _read_standard(text)) is not None:
        return dict.fromkeys(DATE_ORDERS, time)
    if match := _NUMBERS.fullmatch(text):
        return _read_numbers((match[1], match[3], match[4]), match.groupdict())
    if match := _NAMED.fullmatch(text):
        month = MONTHS.get((match[2] or match[3]).casefold(), 0)
        date = _date(int(match[5]), month, int(match[1] or match[4]), match.groupdict())
        return {} if date is None else dict.fromkeys(DATE_ORDERS, date)
    return {}


def is_before(time: Mapping[str, datetime], other: Mapping[str, datetime]) -> bool:
    """Whether a time is before another one, whatever the order of day and month is; both from `readings`."""
    pairs = [(time[order], other[order]) for order in time.keys() & other.keys()]
    return bool(pairs) and all((a.tzinfo is None) == (b.tzinfo is None) and a < b for a, b in pairs)


def _read_standard(text: str) -> datetime | None:
    try:
        if text.replace(".", "", 1).isdigit():
            number = float(text)
            return datetime.fromtimestamp(number / 1000 if number >= _FIRST_MILLISECONDS else number, UTC)
        return datetime.fromisoformat(text) if "-" in text else None
    except (ValueError, OverflowError, OSError):
        return None


def _read_numbers(parts: tuple[str, str, str], clock: Mapping[str, str | None]) -> dict[str, datetime]:
    """The readings of a date of three numbers, of which one with four digits is the year."""
    times = {}
    for order in DATE_ORDERS:
        date = dict(zip(order, parts, strict=True))
        year = date["y"]
        if len(year) == 4 or (len(year) == 2 and max(map(len, parts)) == 2):
            time = _date(int(year) + (0 if len(year) == 4 else _CENTURY), int(date["m"]), int(date["d"]), clock)
            if time is not None:
                times[order] = time
    return dict.fromkeys(DATE_ORDERS, times["ymd"]) if len(parts[0]) == 4 and times else times


def _date(year: int, month: int, day: int, clock: Mapping[str, str | None]) -> datetime | None:
    hour, minute, second = (int(clock[part] or 0) for part in ("hour", "minute", "second"))
    if clock["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if clock["half"].casefold() == "p" else 0)
    try:
        return datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None
