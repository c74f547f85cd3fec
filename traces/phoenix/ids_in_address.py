"""Ids in the address of a call, which servers refuse where it is too long."""

from collections.abc import Iterator, Sequence

_LONGEST = 7000  # characters
_NAME = 19  # of a parameter, with its marks


def split_ids(ids: Sequence[str], texts: Sequence[str] = ()) -> Iterator[list[str]]:
    """Splits ids into parts that fit in the address of a call.

    Example:
        >>> [len(part) for part in split_ids(["1a2b3c4d5e6f7a8b"] * 500)]
        [200, 200, 100]
    """
    part: list[str] = []
    length = 0
    for id_, text in zip(ids, texts or ids, strict=True):
        own = _NAME + len(text.encode("utf-8", "replace")) * (1 if text.isascii() and text.isalnum() else 3)
        if part and length + own > _LONGEST:
            yield part
            part, length = [], 0
        part.append(id_)
        length += own
    if part:
        yield part
