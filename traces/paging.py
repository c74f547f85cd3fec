"""Pages of a list that must go on and end: a server that leads back, or on for ever, is an error."""

from collections.abc import Hashable, Iterable

from ..errors import InputError
from ..text.wording import count_of
from .tool_server import ToolServer

MOST_PAGES = 100_000
"""Of traces, which are read page by page."""
MOST_KEPT_PAGES = 1000
"""Of what is kept until the last one has come: projects, the spans of a few traces, annotations."""
_MOST_EMPTY = 1000  # pages one after the other


class Paging:
    """Watches the pages of one list."""

    def __init__(self, server: ToolServer, what: str, *, most: int = MOST_PAGES, repeats: int = 0) -> None:
        self._server, self._what, self._most, self._repeats = server, what, most, repeats
        self._places: set[int] = set()
        self._known: set[int] = set()
        self._count = self._repeated = self._empty = 0

    def follow(self, place: Hashable, ids: Iterable[object]) -> None:
        """Notes a page that another one follows, before that one is asked for.

        Raises:
            InputError: The next page was read already, this one holds what was there before, or there is no end.
        """
        own = {hash(str(id_)) for id_ in ids if id_ is not None}
        new = own - self._known
        self._known |= new
        self._count += 1
        self._repeated = self._repeated + 1 if own and not new else 0
        self._empty = 0 if own else self._empty + 1
        if hash(place) in self._places or self._repeated > self._repeats:
            raise self._error(f"repeats itself after {count_of(self._count, 'page')}")
        self._places.add(hash(place))
        if self._count >= self._most or self._empty >= _MOST_EMPTY:
            raise self._error(f"has no end: {count_of(self._count, 'page')} were read")

    def _error(self, problem: str) -> InputError:
        return InputError(
            f"{self._server}: its list of {self._what} {problem}, so that it cannot be read whole; update the server, "
            "or look what stands between"
        )
