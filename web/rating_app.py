"""The application behind `assay rate`: the raters' pages and the coordinator's, on one queue."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from ..presentation.page import PACKAGE as SHARED
from ..runs.ratings.item_queue import read_queue_secret
from ..runs.ratings.queue_opening import open_item_queue
from .connections import Connections
from .pair_pages import PairPages
from .rater_pages import RATER, RATER_HOME, RaterPages
from .rating_meaning import MeaningOfRatings
from .rendering import ERROR_PAGES
from .security import GuardMiddleware
from .sessions import Sessions
from .site_address import THIS_MACHINE, SiteAddress
from .team_pages import COORDINATOR, TEAM_HOME, TeamPages


class RatingApp:
    """The rating application.

    Attributes:
        asgi: The ASGI application, for a server.
    """

    def __init__(
        self,
        connections: Connections,
        queue: str,
        site: SiteAddress = THIS_MACHINE,
        meaning: MeaningOfRatings | None = None,
    ) -> None:
        self._connections = connections
        self._queue = queue
        opened = connections.run(lambda database: open_item_queue(database, queue))
        self._raters = opened.settings.raters
        pages = PairPages if opened.kind == "pairs" else RaterPages
        self._sessions = Sessions(
            lambda: connections.run(lambda database: read_queue_secret(database, queue)),
            {RATER: RATER_HOME, COORDINATOR: TEAM_HOME},
        )
        self.asgi = Starlette(
            routes=[
                *self._sessions.routes,
                *pages(connections, queue, self._sessions).routes,
                *TeamPages(connections, queue, self._sessions, meaning).routes,
                Mount("/static", StaticFiles(packages=[(__package__, "static"), (SHARED, "static")])),
            ],
            middleware=[Middleware(GuardMiddleware, site=site)],
            exception_handlers=ERROR_PAGES,
        )

    def end_links(self) -> None:
        """Makes a new secret: all links and sessions of the queue so far end."""
        self._connections.run(lambda database: open_item_queue(database, self._queue).renew_secret())

    def rater_paths(self) -> dict[str, str]:
        """The path of each rater's link, by name."""
        access = self._sessions.present_access()
        return {rater: access.link_path(RATER, rater) for rater in self._raters}

    def coordinator_path(self) -> str:
        """The path of the coordinator's link."""
        return self._sessions.present_access().link_path(COORDINATOR, COORDINATOR)
