"""The raters' pages: one answer at a time, and nothing about metrics or other raters."""

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import UsageError
from ..eval_sets import Sample
from ..eval_sets.turns import is_turn
from ..languages import Language
from ..runs.ratings import Assignment, RatingQueue
from .connections import Connections
from .rated_answer import RatedAnswer, render_answer, split_answer
from .rendering import page_language, render, render_message, render_unknown_visitor
from .sessions import SEE_OTHER, Sessions
from .thread_view import ThreadView, find_tested_turn, view_thread
from .viewer import number_of

T = TypeVar("T")
RATER = "rater"
RATER_HOME = "/rate"
CANNOT_TELL = "cannot-tell"
_LONGEST_REASON = 1000
_MOST_BOXES = 3000  # sentences of a page's conversation that can be marked


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
        language = page_language(request)
        words = language.rating_page
        if assignment is None:
            return render_message(request, 200, words.done_title, words.done_text, csrf=csrf)
        sample = assignment.sample
        settings = await self._in_queue(lambda queue: queue.settings)
        content: dict[str, Any] = {
            "title": words.title,
            "scripts": ["rate.js"],
            "csrf": csrf,
            "sample": sample,
            "turn": find_tested_turn(sample) if is_turn(sample) else None,
            "turn_url": lambda turn: f"{RATER_HOME}?{urlencode({'turn': turn})}#turn-{turn}",
            "levels": range(settings.rating_min, settings.rating_max + 1),
            "guideline": guideline,
            "team_done": team_done,
            "total": total,
            "own_done": own_done,
        }
        turn = request.query_params.get("turn")
        around = None if turn is None else number_of(turn, 0)
        if sample.messages:
            content["thread"] = await run_in_threadpool(_view_rated, sample, language, around)
            spoken = {context for message in sample.messages for context in message.retrieved_contexts}
            content["contexts"] = [
                context for context in sample.retrieved_contexts if is_turn(sample) or context not in spoken
            ]
        else:
            content["answer"] = await run_in_threadpool(render_answer, sample.response, sample.language)
            content["contexts"] = sample.retrieved_contexts
        return render(request, "rate.html", content)

    async def _save(self, request: Request) -> Response:
        visitor, form = await self._sessions.read_form(request, RATER)
        if visitor is None:
            return render_unknown_visitor(request)
        sample = form.json_text("sample")
        marked = set(form.texts("wrong"))

        def save(queue: RatingQueue) -> None:
            answer = queue.sample(sample)
            queue.save(
                visitor.name,
                sample,
                None if form.text("value") == CANNOT_TELL else form.level("value"),
                reason=form.text("reason")[:_LONGEST_REASON].strip(),
                wrong_sentences=_marked_sentences(answer, marked),
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


def _view_rated(sample: Sample, language: Language, around: int | None) -> ThreadView:
    """The thread of what is rated. The sentences of all its answers can be marked, or those of the rated one."""
    tested = find_tested_turn(sample) if is_turn(sample) else None

    boxes = 0

    def render(turn: int, text: str) -> RatedAnswer | None:
        nonlocal boxes
        if turn != tested:
            boxes += len(split_answer(text, sample.language))
            if tested is not None or boxes > _MOST_BOXES:
                return None
        return render_answer(text, sample.language, prefix=f"{turn}-")

    if around is None and tested is None:
        around = 0  # who rates a conversation reads it from its beginning
    return view_thread(sample, language, tested=tested, around=around, render=render)


def _marked_sentences(sample: Sample, marked: set[str]) -> list[str]:
    """The sentences of an answer, or of a conversation's answers, of which a form has the numbers."""
    answers = {f"{turn}-": message.text for turn, message in enumerate(sample.messages) if message.is_answer}
    sentences = []
    for prefix, text in (answers or {"": sample.response}).items():
        if any(number.startswith(prefix) for number in marked):
            split = split_answer(text, sample.language)
            sentences += [sentence for number, sentence in enumerate(split) if f"{prefix}{number}" in marked]
    return sentences
