"""Which item of one source is which of another: by id, else by question and answer."""

from collections.abc import Iterable, Iterator

from ...errors import InputError
from .score_sources import Item


class ItemMatcher:
    """Finds which of the items known so far another source means.

    Items match by id where their answers do not differ, else by question and answer; texts match when only white space
    differs.

    Examples:
        >>> matcher = ItemMatcher([Item("a", "row 1", "How?", "So."), Item("b", "row 2", "When?", "Now.")])
        >>> matcher.find(Item("", "line 1", "When?", "Now. "))
        1
        >>> matcher.find(Item("c", "line 2", "Who?", "Me.")) is None
        True
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self.items: list[Item] = []
        self._number_by_id: dict[str, int] = {}
        self._number_by_text: dict[tuple[str, str], int | None] = {}  # None: several items have this text
        for item in items:
            self.add(item)

    def add(self, item: Item) -> int:
        """Adds a new item and returns its number."""
        number = len(self.items)
        self.items.append(item)
        if item.id:
            self._number_by_id[item.id] = number
        for key in _text_keys(item):
            self._number_by_text[key] = None if key in self._number_by_text else number
        return number

    def find(self, item: Item) -> int | None:
        """Returns the number of the item that is meant; None for a new one."""
        by_id = self._number_by_id.get(item.id) if item.id else None
        if by_id is not None and not has_other_answer(self.items[by_id], item):
            return by_id
        for key in _text_keys(item):
            if key in self._number_by_text:
                by_text = self._number_by_text[key]
                if by_text is None:
                    raise InputError(
                        f"{item.place}: several rated answers have this text ({item.user_input[:60]!r}); give both "
                        "files an id column, so that it is clear which one is meant"
                    )
                return by_text
        return by_id


def has_other_answer(one: Item, other: Item) -> bool:
    """Whether two items with one id hold different answers."""
    return bool(one.response and other.response) and _normalise(one.response) != _normalise(other.response)


def _text_keys(item: Item) -> Iterator[tuple[str, str]]:
    question, answer = _normalise(item.user_input), _normalise(item.response)
    if question or answer:
        yield question, answer


def _normalise(text: str) -> str:
    return " ".join(text.split())
