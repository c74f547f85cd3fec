"""What the viewing pages share: who may look, work on the store beside the event loop, and figures that are kept."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ..runs import Store
from .connections import Connections
from .rendering import render, render_unknown_visitor
from .sessions import Sessions, Visitor

T = TypeVar("T")
READER = "reader"
VIEW_HOME = "/runs"
VIEW_HOMES = {READER: VIEW_HOME}
"""The first page of whoever may look."""
_MOST_KEPT = 32

RunState = tuple[str, str, int, int]
Handler = Callable[[Any, Request], Any]


class Viewer:
    """The store, and who looks at it."""

    def __init__(self, connections: Connections, sessions: Sessions) -> None:
        self._connections = connections
        self.sessions = sessions
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._computing = threading.Lock()

    async def visitor(self, request: Request) -> Visitor | None:
        """Who looks, or None where they may not."""
        return await self.sessions.visitor(request, *VIEW_HOMES)

    async def in_store(self, work: Callable[[Store], T]) -> T:
        """What the work gives on the store, on a thread of its own connection."""
        return await run_in_threadpool(self._connections.run, lambda database: work(Store.of_database(database)))

    async def kept(self, key: Hashable, work: Callable[[Store], T]) -> T:
        """What the work gives, kept under a key that says all that it depends on; computed once at a time."""

        def compute(store: Store) -> T:
            with self._computing:
                if key not in self._kept:
                    self._kept[key] = work(store)
                    if len(self._kept) > _MOST_KEPT:
                        self._kept.popitem(last=False)
                value: T = self._kept[key]
                return value

        return await self.in_store(compute)

    def render(self, request: Request, template: str, content: dict[str, Any]) -> Response:
        """A template in the frame of the viewing pages."""
        frame = {"scripts": ["htmx.min.js", "view.js"], "styles": ["view.css"]}
        return render(request, template, frame | content)


def for_visitors(handler: Handler) -> Handler:
    """A page for whoever may look."""

    @wraps(handler)
    async def guarded(pages: Any, request: Request) -> Response:
        if await pages.viewer.visitor(request) is None:
            return render_unknown_visitor(request)
        response: Response = await handler(pages, request)
        return response

    return guarded


def run_state(store: Store, name: str) -> RunState:
    """A run's id, and what its figures depend on."""
    row = store.run(name)
    return row.id, row.status, store.count_samples(row.id), store.count_scores(row.id)


def number_of(text: str | None, lowest: int = 1, highest: int = 1_000_000) -> int:
    """A whole number of a request; the lowest where it is none."""
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > 9:
        return lowest
    return min(highest, max(lowest, int(text)))
