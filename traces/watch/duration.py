"""Lengths of time as people write them: `15m`, `24h`, `30d`."""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from ...errors import UsageError
from ..times import read_duration

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LONGEST = timedelta(days=3_660)


def parse_duration(text: Any) -> timedelta:
    """Reads a length of time.

    Raises:
        ValueError: It is none, shorter than a second, or longer than ten years.

    Example:
        >>> parse_duration("15m"), parse_duration("30d").days
        (datetime.timedelta(seconds=900), 30)
    """
    if isinstance(text, timedelta):
        return text
    try:
        length = read_duration(text, "") if isinstance(text, str) else timedelta()
    except UsageError:
        length = timedelta()
    if not timedelta(seconds=1) <= length <= _LONGEST:
        raise ValueError("is no length of time between a second and ten years; write 15m, 24h or 30d")
    return timedelta(seconds=int(length.total_seconds()))


def format_duration(length: timedelta) -> str:
    """Writes a length of time in its largest whole unit.

    Example:
        >>> format_duration(timedelta(minutes=90)), format_duration(timedelta(days=30))
        ('90m', '30d')
    """
    seconds = int(length.total_seconds())
    unit = next(unit for unit in "dhms" if seconds % _UNITS[unit] == 0)
    return f"{seconds // _UNITS[unit]}{unit}"


Duration = Annotated[timedelta, BeforeValidator(parse_duration), PlainSerializer(format_duration)]
"""A length of time in a file."""
