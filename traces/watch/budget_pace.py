"""How much of a day's number a step may use, so that the whole day is covered."""

from datetime import UTC, datetime, time, timedelta

_FIRST_SHARE = 0.5
_DAY = timedelta(days=1)


def pace(per_day: int, used: int, last: datetime | None, now: datetime) -> float:
    """Returns how many of a day's number are due: in proportion to the time since the last step, at most what is left.

    What earlier steps of the day left over is spread over the rest of the day. The first step, which has older answers
    before it, may use half.

    Example:
        >>> noon = datetime(2026, 11, 23, 12, tzinfo=UTC)
        >>> pace(200, 0, None, noon), pace(200, 200, None, noon)
        (100.0, 0.0)
        >>> round(pace(96, 48, noon - timedelta(minutes=15), noon), 2)  # 96 quarters of an hour
        1.0
        >>> pace(200, 0, noon - timedelta(days=1), noon)  # once a day
        200.0
    """
    left = max(0, per_day - used)
    if last is None:
        return min(float(left), per_day * _FIRST_SHARE)
    midnight = datetime.combine(now.date(), time(), UTC)
    gone = max(timedelta(), now - last)
    gone_today = min(gone, now - midnight)
    rest = midnight + _DAY - now
    return min(float(left), max(per_day * (gone / _DAY), left * (gone_today / (gone_today + rest))))
