"""Sends batches to a server that refuses them in part without naming what it refuses."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
_MOST_REFUSED = 8  # single items one after the other: then all are refused for one reason


def send_in_halves(
    items: Sequence[Item],
    post: Callable[[Sequence[Item]], str],
    *,
    most: int | None = None,
    is_about_one: Callable[[str], bool] = lambda problem: False,
) -> Iterator[tuple[Item, str]]:
    """Sends items, and yields each with why it was refused, or nothing.

    What is refused as a batch is sent again in halves, down to the single items that are at fault. So an item must be
    one however often it is sent. Where single items are refused one after the other, the rest is given up.

    Example:
        >>> list(send_in_halves([1, 2, 3, 4], lambda some: "too large" if max(some) > 3 else ""))
        [(1, ''), (2, ''), (3, ''), (4, 'too large')]
    """
    size = most or max(1, len(items))
    waiting = [list(items[first : first + size]) for first in range(0, len(items), size)][::-1]
    refused, problem = 0, ""
    while waiting:
        batch = waiting.pop()
        if refused < _MOST_REFUSED:
            problem = post(batch)
            if problem and len(batch) > 1:
                half = len(batch) // 2
                waiting += [batch[half:], batch[:half]]
                continue
            refused = refused + 1 if problem and not is_about_one(problem) else 0
        yield from ((item, problem) for item in batch)
