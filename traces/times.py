"""Times as they are typed (a duration before now, or a time in ISO 8601), and as tools send and take them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from ..errors import UsageError
from ..eval_sets.message_times import read_time

_DURATION = re.compile(r"(\d{1,9}(?:\.\d+)?)\s*(s|m|h|d|w)")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WRITE = "write a duration such as 30m, 24h or 7d"


def read_duration(text: str, option: str) -> timedelta:
    """Reads a duration: a number with s, m, h, d or w."""
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise UsageError(f"{option} {text!r}: is no duration; {_WRITE}")
    try:
        return timedelta(**{_UNITS[match[2]]: float(match[1])})
    except OverflowError:
        raise UsageError(f"{option} {text!r}: is too long; {_WRITE}") from None


def read_moment(text: str, option: str, now: datetime) -> datetime:
    """Reads a duration before now, or a time in ISO 8601; one without a zone is of the local zone.

    Example:
        >>> from datetime import UTC
        >>> now = datetime(2026, 1, 2, 12, tzinfo=UTC)
        >>> read_moment("24h", "--since", now).isoformat()
        '2026-01-01T12:00:00+00:00'
        >>> read_moment("2026-01-01T10:00:00+01:00", "--since", now).isoformat()
        '2026-01-01T10:00:00+01:00'
    """
    if _DURATION.fullmatch(text.strip().lower()):
        try:
            return now - read_duration(text, option)
        except OverflowError:
            raise UsageError(f"{option} {text!r}: is too long; {_WRITE}") from None
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment if moment.tzinfo is not None else moment.astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{option} {text!r}: is no time; {_WRITE}, or a time such as 2026-01-31 or 2026-01-31T08:00:00+01:00"
        ) from None


def read_utc(value: Any) -> datetime | None:
    """Reads a time in UTC; one without a zone is taken to be in UTC, as servers keep it.

    Example:
        >>> read_utc("2026-11-20T10:00:00+02:00").isoformat(), read_utc(7), read_utc("soon")
        ('2026-11-20T08:00:00+00:00', None, None)
    """
    time = read_time(value) if isinstance(value, str) else None
    if time is None:
        return None
    try:
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except OverflowError:  # of the first or last day of all
        return None


def utc_text(moment: datetime) -> str:
    """Writes a moment so that texts sort as moments do: ISO 8601 in UTC, with microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def write_utc(time: datetime) -> str:
    """Writes a time in UTC with a `Z`, as the APIs take it."""
    return utc_text(time).replace("+00:00", "Z")
