"""Drawing answers for the judge and for raters, with probabilities that are known and the same draw each time."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta


def draw_answers(names: Sequence[str], expected: float, *, seed: str) -> tuple[float, set[str]]:
    """Draws answers without replacement, each with the same chance.

    As many are drawn as are expected, rounded up or down. Order and rounding are hashes of the seed and the names, so
    that the same answers give the same draw, in whatever order they come.

    Returns:
        The chance of each, in (0, 1]; and those that are drawn.

    Example:
        >>> chance, drawn = draw_answers(["a", "b", "c", "d"], 2, seed="s")
        >>> chance, len(drawn)
        (0.5, 2)
    """
    if expected >= len(names):
        return 1.0, set(names)
    order = sorted(names, key=lambda name: hash_share(seed, name))
    count = int(expected + hash_share(f"{seed} start", order[0]))
    return expected / len(names), set(order[:count])


def hash_share(seed: str, name: str) -> float:
    """Returns a number in [0, 1) that only depends on a seed and a name, and is as good as random."""
    digest = hashlib.sha256(f"{len(seed)}:{seed}:{name}".encode(errors="surrogatepass")).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


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
