"""The application behind `assay view`: runs, answers, comparisons and nightly runs of one store."""

import secrets
from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from ..presentation.page import PACKAGE as SHARED
from ..runs.database import Database
from .answer_pages import AnswerPages
from .comparison_pages import ComparisonPages
from .connections import Connections
from .rendering import ERROR_PAGES
from .run_pages import RunPages
from .security import Access, GuardMiddleware
from .sessions import Sessions
from .set_folder import SetFolder
from .suite_pages import SuitePages
from .viewer import EDITOR, READER, VIEW_HOME, Viewer


class ViewApp:
    """The viewing application.

    Args:
        connections: The store's database.
        sets: Where answers may be added to sets.
        hosts: Host names that the server answers to, without ports.

    Attributes:
        asgi: The ASGI application, for a server.
    """

    def __init__(
        self,
        connections: Connections,
        sets: SetFolder,
        hosts: Sequence[str] = ("127.0.0.1", "localhost"),
    ) -> None:
        self._sessions = Sessions(Access(connections.run(_secret)), {EDITOR: VIEW_HOME, READER: VIEW_HOME})
        viewer = Viewer(connections, self._sessions)
        self.asgi = Starlette(
            routes=[
                *self._sessions.routes,
                *RunPages(viewer).routes,
                *AnswerPages(viewer, sets).routes,
                *ComparisonPages(viewer).routes,
                *SuitePages(viewer).routes,
                Mount("/static", StaticFiles(packages=[(__package__, "static"), (SHARED, "static")])),
            ],
            middleware=[Middleware(GuardMiddleware, hosts=hosts)],
            exception_handlers=ERROR_PAGES,
        )

    def link_path(self) -> str:
        """The path of the link that lets its holder look, and choose answers for raters and sets."""
        return self._sessions.link_path(EDITOR, EDITOR)


def _secret(database: Database) -> str:
    """The secret of the store's links: made once, so that a link that was sent works tomorrow."""
    with database.migration():
        row = database.execute("SELECT secret FROM view_access").fetchone()
        if row is None:
            row = (secrets.token_hex(32),)
            database.execute("INSERT INTO view_access VALUES (?)", row)
    return str(row[0])
