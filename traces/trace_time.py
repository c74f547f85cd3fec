"""The time of a trace as a tool sends it."""

from datetime import UTC, datetime
from typing import Any

from ..eval_sets.message_times import read_time


def read_utc(value: Any) -> datetime | None:
    """Reads a time in UTC; one without a zone is taken to be in UTC, as servers keep it.

    Args:
        value: What the server sent.

    Returns:
        The time; None of what is none.

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


def write_utc(time: datetime) -> str:
    """Writes a time in UTC with a `Z`, as the APIs take it.

    Example:
        >>> write_utc(datetime(2026, 11, 20, 10, tzinfo=UTC))
        '2026-11-20T10:00:00.000000Z'
    """
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
