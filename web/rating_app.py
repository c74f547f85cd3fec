"""The application behind `assay rate`: the raters' pages and the coordinator's, on one queue."""

from ..runs.ratings import RatingQueue
from ..runs.ratings.rating_queue import read_queue_secret
from .connections import Connections
from .rater_pages import RATER, RATER_HOME, RaterPages
from .rating_meaning import MeaningOfRatings
from .server import THIS_MACHINE, SiteAddress
from .sessions import Sessions
from .team_pages import COORDINATOR, TEAM_HOME, TeamPages


class RatingApp:
    """The rating application; `asgi` is what a server runs."""

    def __init__(
        self,
        connections: Connections,
        queue: str,
        site: SiteAddress = THIS_MACHINE,
        meaning: MeaningOfRatings | None = None,
    ) -> None:
        self._connections = connections
        self._queue = queue
        self._raters = connections.run(lambda database: RatingQueue(database, queue)).settings.raters
        self._sessions = Sessions(
            lambda: connections.run(lambda database: read_queue_secret(database, queue)),
            {RATER: RATER_HOME, COORDINATOR: TEAM_HOME},
        )
        parts = [RaterPages(connections, queue, self._sessions), TeamPages(connections, queue, self._sessions, meaning)]
        self.asgi = self._sessions.application(parts, site)

    def end_links(self) -> None:
        """Makes a new secret: all links and sessions of the queue so far end."""
        self._connections.run(lambda database: RatingQueue(database, self._queue).renew_secret())

    def rater_paths(self) -> dict[str, str]:
        """The path of each rater's link, by name."""
        access = self._sessions.present_access()
        return {rater: access.link_path(RATER, rater) for rater in self._raters}

    def coordinator_path(self) -> str:
        """The path of the coordinator's link."""
        return self._sessions.present_access().link_path(COORDINATOR, COORDINATOR)
