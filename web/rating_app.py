"""The application behind `assay rate`: the raters' pages and the coordinator's, on one queue."""

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from ..presentation.page import PACKAGE as SHARED
from ..runs.ratings import RatingQueue
from .connections import Connections
from .rater_pages import RATER, RATER_HOME, RaterPages
from .rating_meaning import MeaningOfRatings
from .rendering import ERROR_PAGES
from .security import Access, GuardMiddleware
from .sessions import Sessions
from .team_pages import COORDINATOR, TEAM_HOME, TeamPages


class RatingApp:
    """The rating application.

    Args:
        connections: The store's database.
        queue: The id of the rating queue.
        hosts: Host names that the server answers to, without ports.
        meaning: What the ratings so far say (see `TeamPages`).

    Attributes:
        asgi: The ASGI application, for a server.
    """

    def __init__(
        self,
        connections: Connections,
        queue: str,
        hosts: Sequence[str] = ("127.0.0.1", "localhost"),
        meaning: MeaningOfRatings | None = None,
    ) -> None:
        opened = connections.run(lambda database: RatingQueue(database, queue))
        self._raters = opened.settings.raters
        self._sessions = Sessions(Access(opened.secret), {RATER: RATER_HOME, COORDINATOR: TEAM_HOME})
        self.asgi = Starlette(
            routes=[
                *self._sessions.routes,
                *RaterPages(connections, queue, self._sessions).routes,
                *TeamPages(connections, queue, self._sessions, meaning).routes,
                Mount("/static", StaticFiles(packages=[(__package__, "static"), (SHARED, "static")])),
            ],
            middleware=[Middleware(GuardMiddleware, hosts=hosts)],
            exception_handlers=ERROR_PAGES,
        )

    def rater_paths(self) -> dict[str, str]:
        """The path of each rater's link, by name."""
        return {rater: self._sessions.link_path(RATER, rater) for rater in self._raters}

    def coordinator_path(self) -> str:
        """The path of the coordinator's link."""
        return self._sessions.link_path(COORDINATOR, COORDINATOR)
