"""Rows that belong together, such as those of one conversation, wherever they stand in a file."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..rows import BadRow, Row

Reopen = Callable[[], Iterator[Row | BadRow]]
"""Reads the same rows once more, from the beginning."""


def group_rows(
    rows: Iterator[Row | BadRow], key: Callable[[Mapping[str, Any]], str | None], again: Reopen | None
) -> Iterator[list[Row] | BadRow]:
    """Yields the rows of each group together, in the order of the groups' last rows.

    Where the rows can be read twice, only groups that have begun and not ended are held in memory: one, where the
    rows of a group follow one another.
    """
    last: dict[int, int] = {}
    for row in again() if again else ():
        if isinstance(row, Row) and (name := key(row.values)) is not None:
            last[hash(name)] = row.number
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        elif (name := key(row.values)) is None:
            yield [row]
        else:
            group = groups.pop(name, [])
            group.append(row)
            groups[name] = group  # the last: groups end in the order of their last rows
            if last.get(hash(name)) == row.number:
                yield groups.pop(name)
    yield from groups.values()
