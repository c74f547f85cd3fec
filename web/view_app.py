"""The application behind `assay view`: runs, answers, comparisons, nightly runs and watches of one store."""

import secrets

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from ..presentation.page import PACKAGE as SHARED
from ..runs.database import Database
from .answer_pages import AnswerPages
from .comparison_pages import ComparisonPages
from .connections import Connections
from .failure_pages import FailurePages
from .rendering import ERROR_PAGES
from .run_pages import RunPages
from .security import GuardMiddleware
from .sessions import Sessions
from .set_folder import SetFolder
from .site_address import THIS_MACHINE, SiteAddress
from .suite_pages import SuitePages
from .viewer import EDITOR, READER, VIEW_HOME, Viewer
from .watch_pages import WatchPages


class ViewApp:
    """The viewing application.

    Attributes:
        asgi: The ASGI application, for a server.
    """

    def __init__(
        self,
        connections: Connections,
        sets: SetFolder,
        site: SiteAddress = THIS_MACHINE,
    ) -> None:
        self._connections = connections
        connections.run(_make_secret)
        self._sessions = Sessions(lambda: connections.run(_read_secret), {EDITOR: VIEW_HOME, READER: VIEW_HOME})
        viewer = Viewer(connections, self._sessions)
        self.asgi = Starlette(
            routes=[
                *self._sessions.routes,
                *RunPages(viewer).routes,
                *FailurePages(viewer).routes,
                *AnswerPages(viewer, sets).routes,
                *ComparisonPages(viewer).routes,
                *SuitePages(viewer).routes,
                *WatchPages(viewer).routes,
                Mount("/static", StaticFiles(packages=[(__package__, "static"), (SHARED, "static")])),
            ],
            middleware=[Middleware(GuardMiddleware, site=site)],
            exception_handlers=ERROR_PAGES,
        )

    def end_links(self) -> None:
        """Makes a new secret: all links and sessions of the store so far end."""
        self._connections.run(_renew_secret)

    def link_path(self) -> str:
        """The path of the link that lets its holder look, and choose answers for raters and sets."""
        return self._sessions.present_access().link_path(EDITOR, EDITOR)


def _read_secret(database: Database) -> str | None:
    row = database.execute("SELECT secret FROM view_access").fetchone()
    return None if row is None else str(row[0])


def _make_secret(database: Database) -> None:
    """Makes the secret of the store's links where there is none: once, so that a link that was sent works tomorrow."""
    with database.migration():
        if _read_secret(database) is None:
            database.execute("INSERT INTO view_access VALUES (?)", (secrets.token_hex(32),))


def _renew_secret(database: Database) -> None:
    with database.migration():
        database.execute("UPDATE view_access SET secret = ?", (secrets.token_hex(32),))
