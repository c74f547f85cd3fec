"""Why answers of a run are bad: the groups, each with links to its answers, and what changed since another run."""

import asyncio
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..judges.embedders import load_embedder
from ..runs import Store
from ..runs.answer_address import answer_url
from ..runs.failures.failure_groups import Failures
from ..runs.failures.failure_page import view_failures
from ..runs.failures.stored_failures import group_stored_failures
from ..runs.ratings.item_queue import rating_state
from .viewer import Viewer, for_visitors

_MOST_LISTED = 60


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
        run, others = await self.viewer.in_store(
            lambda store: (store.run(request.path_params["run"]), store.run_ids(_MOST_LISTED))
        )
        metric, since = (request.query_params.get(name, "") for name in ("metric", "since"))
        content = {
            "title": f"Why answers of run {run.id} are bad",
            "run": run,
            "others": [other for other in others if other != run.id],
            "metric": metric,
            "since": since,
            "groups_url": f"/run/{run.id}/failures/groups?{urlencode({'metric': metric, 'since': since})}",
        }
        return self.viewer.render(request, "failures_page.html", content)

    @for_visitors
    async def _groups(self, request: Request) -> Response:
        metric, since = (request.query_params.get(name, "") for name in ("metric", "since"))

        def find(store: Store) -> tuple[Any, ...]:
            rows = [store.run(name) for name in (*([since] if since else []), request.path_params["run"])]
            states = tuple((row.id, row.status, store.count_scores(row.id)) for row in rows)
            return states, rating_state(store.database)

        states, rated = await self.viewer.in_store(find)
        names = [run for run, *_ in states]

        def group(store: Store) -> Failures:
            return asyncio.run(group_stored_failures(store, names, load_embedder("use"), metric=metric or None))

        failures = await self.viewer.kept(("failures", states, rated, metric), group)
        content = {"run": names[-1], "view": view_failures(failures, lambda one: answer_url(one.run, one.answer))}
        return self.viewer.render(request, "failure_groups.html", content)
