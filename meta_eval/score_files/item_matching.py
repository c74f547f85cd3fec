"""Which item of one source is which of another: by id, else by the question and the answer."""

from collections.abc import Iterable, Iterator

from ...errors import InputError
from .score_sources import Item


class ItemMatcher:
    """The items known so far, and the one that another source means. Texts match when only white space differs."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items: list[Item] = []
        self._ids: dict[str, int] = {}
        self._texts: dict[tuple[str, str], int | None] = {}  # None: several items have this text
        for item in items:
            self.add(item)

    def add(self, item: Item) -> int:
        """A new item, and its number."""
        number = len(self.items)
        self.items.append(item)
        if item.id:
            self._ids[item.id] = number
        for key in _keys(item):
            self._texts[key] = None if key in self._texts else number
        return number

    def find(self, item: Item) -> int | None:
        """The number of the item that is meant; None for one that is new.

        Raises `InputError` where the texts stand for several items and no id tells which.
        """
        by_id = self._ids.get(item.id) if item.id else None
        if by_id is not None and not has_other_answer(self.items[by_id], item):
            return by_id
        for key in _keys(item):
            if key in self._texts:
                by_text = self._texts[key]
                if by_text is None:
                    raise InputError(
                        f"{item.place}: several rated answers have this text ({item.user_input[:60]!r}); give both "
                        "files an id column, so that it can be told which is meant"
                    )
                return by_text
        return by_id


def has_other_answer(one: Item, other: Item) -> bool:
    """Whether two items with one id hold different answers."""
    return bool(one.response and other.response) and _plain(one.response) != _plain(other.response)


def _keys(item: Item) -> Iterator[tuple[str, str]]:
    question, answer = _plain(item.user_input), _plain(item.response)
    if question or answer:
        yield question, answer


def _plain(text: str) -> str:
    return " ".join(text.split())
