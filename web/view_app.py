"""The application behind `assay view`: runs, answers, comparisons, nightly runs and watches of one store."""

import asyncio
import secrets
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..judges.embedders import load_embedder
from ..runs import Store
from ..runs.failures.failure_groups import Failures, group_failures, view_failures
from ..runs.ratings.judgement import rating_state
from ..runs.show.results import read_results
from ..runs.store.database import Database
from ..runs.store.store import answer_url
from .answer_pages import AnswerPages
from .comparison_pages import ComparisonPages
from .connections import Connections
from .run_pages import RunPages
from .server import THIS_MACHINE, SiteAddress
from .sessions import Sessions
from .suite_pages import SuitePages
from .viewer import READER, VIEW_HOMES, Viewer, for_visitors, run_state
from .watch_pages import WatchPages


class ViewApp:
    """The viewing application; `asgi` is what a server runs."""

    def __init__(
        self,
        connections: Connections,
        site: SiteAddress = THIS_MACHINE,
    ) -> None:
        self._connections = connections
        self._is_read_only = connections.run(lambda database: database.is_read_only)
        own = secrets.token_hex(32)  # of links that end with this process, where none can be kept
        if not self._is_read_only:
            connections.run(_make_secret)
        self._sessions = Sessions(lambda: own if self._is_read_only else connections.run(_read_secret), VIEW_HOMES)
        viewer = Viewer(connections, self._sessions)
        parts = (RunPages, AnswerPages, FailurePages, ComparisonPages, SuitePages, WatchPages)
        self.asgi = self._sessions.application([route for part in parts for route in part(viewer).routes], site)

    def end_links(self) -> None:
        """Makes a new secret: all links and sessions of the store so far end."""
        if not self._is_read_only:
            self._connections.run(lambda database: _make_secret(database, anew=True))

    def link_path(self) -> str:
        """The path of the link that lets its holder look."""
        return self._sessions.present_access().link_path(READER, READER)


def _read_secret(database: Database) -> str | None:
    row = database.execute("SELECT secret FROM view_access").fetchone()
    return None if row is None else str(row[0])


def _make_secret(database: Database, *, anew: bool = False) -> None:
    """Makes the secret of the store's links where there is none: once, so that a link that was sent works tomorrow."""
    with database.migration():
        if anew or _read_secret(database) is None:
            database.execute("DELETE FROM view_access")
            database.execute("INSERT INTO view_access VALUES (?)", (secrets.token_hex(32),))


class FailurePages:
    """The pages of why answers are bad."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.routes = [
            Route("/run/{run}/failures", self._show),
            Route("/run/{run}/failures/groups", self._groups),
        ]

    @for_visitors
    async def _show(self, request: Request) -> Response:
        run = await self.viewer.in_store(lambda store: store.run(request.path_params["run"]))
        metric = request.query_params.get("metric", "")
        content = {
            "title": f"Why answers of run {run.id} are bad",
            "run": run,
            "metric": metric,
            "groups_url": f"/run/{run.id}/failures/groups?{urlencode({'metric': metric})}",
        }
        return self.viewer.render(request, "failures_page.html", content)

    @for_visitors
    async def _groups(self, request: Request) -> Response:
        metric = request.query_params.get("metric", "")

        def find(store: Store) -> tuple[Any, ...]:
            return run_state(store, request.path_params["run"]), rating_state(store.database)

        state, rated = await self.viewer.in_store(find)
        run = state[0]

        def group(store: Store) -> Failures:
            table = read_results(store, store.run(run))
            return asyncio.run(group_failures(table, load_embedder("use"), metric=metric or None))

        failures = await self.viewer.kept(("failures", state, rated, metric), group)
        content = {"run": run, "view": view_failures(failures, lambda answer: answer_url(run, answer))}
        return self.viewer.render(request, "failure_groups.html", content)
