"""The coordinator's page: pace, agreement, and the answers on which raters disagree, side by side."""

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import UsageError
from ..eval_sets import Sample
from ..eval_sets.conversation import count_turns
from ..languages import Language
from ..runs.ratings import RatingQueue
from ..runs.ratings.rating_progress import disagreements, rater_agreement, rater_progress, version_counts
from ..text.wording import in_language
from .connections import Connections
from .rating_meaning import MeaningOfRatings
from .rendering import page_language, render, render_message, render_unknown_visitor
from .sessions import SEE_OTHER, Sessions
from .thread_view import ThreadView, find_tested_turn, view_thread

T = TypeVar("T")
COORDINATOR = "coordinator"
TEAM_HOME = "/team"
_CUT = 2_000  # characters of one message
_MOST_DISAGREEMENTS = 50  # shown at once; the next ones follow when these are adjudicated


class TeamPages:
    """The coordinator's pages of one queue."""

    def __init__(
        self,
        connections: Connections,
        queue: str,
        sessions: Sessions,
        meaning: MeaningOfRatings | None = None,
    ) -> None:
        self._connections = connections
        self._queue = queue
        self._sessions = sessions
        self._meaning = meaning
        self.routes = [
            Route(TEAM_HOME, self._show),
            Route("/team/progress", self._progress),
            Route("/team/sentence", self._recommendation),
            Route("/team/adjudicate", self._adjudicate, methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        return await self._render(request, "team.html")

    async def _progress(self, request: Request) -> Response:
        return await self._render(request, "team_progress.html")

    async def _render(self, request: Request, template: str) -> Response:
        visitor = await self._sessions.visitor(request, COORDINATOR)
        if visitor is None:
            return render_unknown_visitor(request)
        language = page_language(request)
        content = await self._in_queue(lambda queue: _team_content(queue, language))
        content |= {
            "title": in_language("Rating team", language.code),
            "scripts": ["htmx.min.js"],
            "csrf": await self._sessions.csrf_token(request, visitor),
            "has_meaning": self._meaning is not None,
        }
        return render(request, template, content)

    async def _recommendation(self, request: Request) -> Response:
        if await self._sessions.visitor(request, COORDINATOR) is None or self._meaning is None:
            return render_unknown_visitor(request)
        state = await self._in_queue(lambda queue: queue.state())
        return render(request, "sentence.html", {"meaning": await self._meaning.read(state)})

    async def _adjudicate(self, request: Request) -> Response:
        visitor, form = await self._sessions.read_form(request, COORDINATOR)
        if visitor is None:
            return render_unknown_visitor(request)
        sample, reason = form.text("sample"), form.text("reason")
        try:
            value = form.level("value")
            await self._in_queue(lambda queue: _adjudicate(queue, sample, value, reason))
        except UsageError as error:
            return render_message(request, 400, "This was not saved", str(error))
        return RedirectResponse(TEAM_HOME, SEE_OTHER)

    async def _in_queue(self, work: Callable[[RatingQueue], T]) -> T:
        return await run_in_threadpool(self._connections.run, lambda database: work(RatingQueue(database, self._queue)))


def _adjudicate(queue: RatingQueue, sample: str, value: float, reason: str) -> None:
    if queue.kind == "pairs":
        raise UsageError("the choices of raters stand as they are; there is no agreed one")
    queue.adjudicate(sample, value, reason)


def _team_content(queue: RatingQueue, language: Language) -> dict[str, Any]:
    done, total = queue.counts()
    is_pairs = queue.kind == "pairs"
    disputed = sorted(disagreements(queue), key=lambda one: one.adjudicated is not None)[:_MOST_DISAGREEMENTS]
    return {
        "is_pairs": is_pairs,
        "done": done,
        "total": total,
        "series": queue.series,
        "source": queue.source,
        "raters": rater_progress(queue),
        "thread_of": lambda sample: _view_folded(sample, language),
        "thread_words": language.rating_page,
        "versions": version_counts(queue) if is_pairs else (),
        "agreement": rater_agreement(queue),
        "disagreements": [(one, (queue.pair if is_pairs else queue.sample)(one.sample)) for one in disputed],
        "levels": range(queue.settings.rating_min, queue.settings.rating_max + 1),
    }


def _view_folded(sample: Sample, language: Language) -> ThreadView | None:
    """The thread of a conversation beside its ratings; None for an answer without messages."""
    if not sample.messages:
        return None
    tested = None if count_turns(sample) else find_tested_turn(sample)
    return view_thread(sample, language, tested=tested, cut=_CUT)
