"""The raters' pages: one answer at a time, and nothing about metrics or other raters."""

from collections.abc import Callable
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import UsageError
from ..runs.ratings import Assignment, RatingQueue
from .connections import Connections
from .rated_answer import render_answer, split_answer
from .rendering import page_language, render, render_message, render_unknown_visitor
from .sessions import SEE_OTHER, Sessions

T = TypeVar("T")
RATER = "rater"
RATER_HOME = "/rate"
CANNOT_TELL = "cannot-tell"
_LONGEST_REASON = 1000


class RaterPages:
    """The pages of the raters of one queue.

    Args:
        connections: The store's database.
        queue: The id of the rating queue.
        sessions: Who is who.
    """

    def __init__(self, connections: Connections, queue: str, sessions: Sessions) -> None:
        self._connections = connections
        self._queue = queue
        self._sessions = sessions
        self.routes = [
            Route(RATER_HOME, self._show, methods=["GET"]),
            Route(RATER_HOME, self._save, methods=["POST"]),
            Route("/undo", self._undo, methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        visitor = await self._sessions.visitor(request, RATER)
        if visitor is None:
            return render_unknown_visitor(request)

        def read(queue: RatingQueue) -> tuple[Assignment | None, tuple[int, int], int, str]:
            assignment = queue.next_answer(visitor.name)
            return assignment, queue.counts(), queue.count_rated(visitor.name), queue.guideline

        assignment, (team_done, total), own_done, guideline = await self._in_queue(read)
        csrf = await self._sessions.csrf_token(request, visitor)
        words = page_language(request).rating_page
        if assignment is None:
            return render_message(request, 200, words.done_title, words.done_text, csrf=csrf)
        sample = assignment.sample
        settings = await self._in_queue(lambda queue: queue.settings)
        content = {
            "title": words.title,
            "scripts": ["rate.js"],
            "csrf": csrf,
            "sample": sample,
            "answer": await run_in_threadpool(render_answer, sample.response, sample.language),
            "levels": range(settings.rating_min, settings.rating_max + 1),
            "guideline": guideline,
            "team_done": team_done,
            "total": total,
            "own_done": own_done,
        }
        return render(request, "rate.html", content)

    async def _save(self, request: Request) -> Response:
        visitor, form = await self._sessions.read_form(request, RATER)
        if visitor is None:
            return render_unknown_visitor(request)
        sample = form.json_text("sample")
        marked = set(form.texts("wrong"))

        def save(queue: RatingQueue) -> None:
            answer = queue.sample(sample)
            split = split_answer(answer.response, answer.language)
            queue.save(
                visitor.name,
                sample,
                None if form.text("value") == CANNOT_TELL else form.level("value"),
                reason=form.text("reason")[:_LONGEST_REASON].strip(),
                wrong_sentences=[sentence for number, sentence in enumerate(split) if str(number) in marked],
            )

        try:
            await self._in_queue(save)
        except UsageError as error:
            return render_message(request, 400, "This rating was not saved", str(error))
        return RedirectResponse(RATER_HOME, SEE_OTHER)

    async def _undo(self, request: Request) -> Response:
        visitor, _ = await self._sessions.read_form(request, RATER)
        if visitor is None:
            return render_unknown_visitor(request)
        await self._in_queue(lambda queue: queue.undo(visitor.name))
        return RedirectResponse(RATER_HOME, SEE_OTHER)

    async def _in_queue(self, work: Callable[[RatingQueue], T]) -> T:
        return await run_in_threadpool(self._connections.run, lambda database: work(RatingQueue(database, self._queue)))
