"""One answer: its claims, figures and ratings, what the judge was asked, and where it may go from here."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import AssayError, UsageError
from ..eval_sets import Sample
from ..runs import Store
from ..runs.answer_index import AnswerIndex
from ..runs.ratings import QueueSettings, RatingQueue
from ..runs.ratings.rated_set import ratings_of_answer
from ..runs.ratings.rating_join import find_rated_sample
from ..runs.ratings.rating_meaning import PICKED_FROM
from ..runs.ratings.rating_queue import queue_ids
from ..runs.reply_audit import ReplyAudit, audit_replies
from .answer_view import view_answer
from .rendering import render_message, render_unknown_visitor
from .run_pages import answer_url
from .sessions import SEE_OTHER
from .set_folder import SetFolder
from .viewer import EDITOR, READER, Viewer, for_visitors

_MOST_QUEUES = 20


class AnswerPages:
    """The pages of single answers.

    Args:
        viewer: The store, and who looks at it.
        sets: Where answers may be added to sets.
    """

    def __init__(self, viewer: Viewer, sets: SetFolder) -> None:
        self.viewer = viewer
        self._sets = sets
        self.routes = [
            Route("/run/{run}/answer", self._show),
            Route("/run/{run}/replies", self._replies),
            Route("/run/{run}/rate", self._have_rated, methods=["POST"]),
            Route("/run/{run}/add", self._add_to_set, methods=["POST"]),
        ]

    @for_visitors
    async def _show(self, request: Request) -> Response:
        sample, by = request.query_params.get("id", ""), request.query_params.get("by", "")
        visitor = await self.viewer.visitor(request)
        if visitor is None:
            return render_unknown_visitor(request)
        may_write = visitor.role == EDITOR

        def read(store: Store) -> dict[str, Any]:
            run = store.run(request.path_params["run"])
            answered = find_rated_sample(store, run.id, sample)
            scores = [(metric, score) for _, metric, score in store.scores(run.id, sample)]
            before, after = AnswerIndex(store.tables(run.id)).neighbours(run.id, sample)
            return {
                "run": run,
                "sample": answered,
                "set_sample": store.sample(run.id, sample),
                "answer": view_answer(answered, scores, by),
                "ratings": ratings_of_answer(store.database, answered),
                "queues": [RatingQueue(store.database, name) for name in queue_ids(store.database)[:_MOST_QUEUES]],
                "before": before,
                "after": after,
            }

        page = await self.viewer.in_store(read)
        run = page["run"].id
        path = answer_url(run, sample)
        content = page | {
            "title": f"Answer {sample}",
            "may_write": may_write,
            "csrf": await self.viewer.sessions.csrf_token(request, visitor),
            "sets": await run_in_threadpool(self._sets.names) if may_write else {},
            "answer_url": lambda other: answer_url(run, other),
            "by_url": lambda metric: f"{path}&{urlencode({'by': metric})}",
            "shared_path": (await self.viewer.sessions.access(request)).link_path(READER, READER, path),
            "is_done": request.query_params.get("done", ""),
        }
        return self.viewer.render(request, "answer_page.html", content)

    @for_visitors
    async def _replies(self, request: Request) -> Response:
        sample, metric = request.query_params.get("id", ""), request.query_params.get("metric", "")

        def audit(store: Store) -> ReplyAudit:
            run = store.run(request.path_params["run"])
            return audit_replies(store, run, store.sample(run.id, sample), metric)

        return self.viewer.render(request, "replies.html", {"audit": await self.viewer.in_store(audit)})

    async def _have_rated(self, request: Request) -> Response:
        visitor, form = await self.viewer.sessions.read_form(request, EDITOR)
        if visitor is None:
            return render_unknown_visitor(request)
        sample, queue, raters = form.json_text("sample"), form.text("queue"), form.text("raters")

        def add(store: Store) -> str:
            run = store.run(request.path_params["run"])
            answer = store.sample(run.id, sample)
            if queue:
                chosen = RatingQueue(store.database, queue)
                return f"{'added to' if chosen.add(answer) else 'it was already in'} {chosen.id}"
            created = _new_queue(store, answer, raters, f"{PICKED_FROM}{run.id}")
            return f"{created.id} is a new rating queue; its raters' links: assay rate {created.id}"

        return await self._write(request, sample, add)

    async def _add_to_set(self, request: Request) -> Response:
        visitor, form = await self.viewer.sessions.read_form(request, EDITOR)
        if visitor is None:
            return render_unknown_visitor(request)
        sample, key = form.json_text("sample"), form.text("set")

        def add(store: Store) -> str:
            run = store.run(request.path_params["run"])
            name, is_new = self._sets.add(key, store.sample(run.id, sample))
            return f"{'added to' if is_new else 'it was already in'} {name}"

        return await self._write(request, sample, add)

    async def _write(self, request: Request, sample: str, work: Callable[[Store], str]) -> Response:
        """Does the work, then shows the answer again with what was done."""
        try:
            run, done = await self.viewer.in_store(
                lambda store: (store.run(request.path_params["run"]).id, work(store))
            )
        except AssayError as error:
            return render_message(request, 400, "This was not done", str(error))
        return RedirectResponse(f"{answer_url(run, sample)}&{urlencode({'done': done})}", SEE_OTHER)


def _new_queue(store: Store, sample: Sample, raters: str, source: str) -> RatingQueue:
    names = tuple(dict.fromkeys(name.strip() for name in raters.split(",") if name.strip()))
    if not names:
        raise UsageError("name the raters, with commas")
    settings = QueueSettings(raters=names, per_answer=min(2, len(names)))
    return RatingQueue.create(store.database, [sample], settings, source=source)
