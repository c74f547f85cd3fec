"""The raters' pages: one answer at a time, and nothing about metrics or other raters."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import UsageError
from ..eval_sets import Sample
from ..eval_sets.opening_question import count_turns
from ..eval_sets.turns import is_turn
from ..languages import Language
from ..runs.ratings import RatingQueue
from ..runs.store.database import Database
from .connections import Connections
from .rated_answer import RatedAnswer, render_answer, split_answer
from .rendering import page_language, render, render_message, render_unknown_visitor
from .sessions import SEE_OTHER, Form, Sessions
from .thread_view import ThreadView, find_tested_turn, view_thread
from .viewer import number_of

RATER = "rater"
RATER_HOME = "/rate"
CANNOT_TELL = "cannot-tell"
_LONGEST_REASON = 1000
_MOST_BOXES = 3000  # sentences of a page's conversation that can be marked


class RaterPages:
    """The pages of the raters of one queue of answers."""

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
        language = page_language(request)
        turn = request.query_params.get("turn")
        around = None if turn is None else number_of(turn, 0)

        def read(database: Database) -> dict[str, Any]:
            return self._read_page(database, visitor.name, language, around)

        content = await run_in_threadpool(self._connections.run, read)
        csrf = await self._sessions.csrf_token(request, visitor)
        if "template" not in content:
            return render_message(request, 200, language.rating_page.done_title, content["done"], csrf=csrf)
        template = str(content["template"])
        return render(request, template, {"scripts": ["rate.js"], "csrf": csrf, "turn_url": _turn_url} | content)

    def _read_page(self, database: Database, rater: str, language: Language, around: int | None) -> dict[str, Any]:
        """What the page shows: its `template` with its content, or what it says when nothing is left (`done`)."""
        queue, words = RatingQueue(database, self._queue), language.rating_page
        assignment = queue.next_item(rater)
        if assignment is None:
            return {"done": words.done_text}
        sample, settings = assignment.sample, queue.settings
        turn = None if count_turns(sample) else find_tested_turn(sample)
        content: dict[str, Any] = {
            "template": "rate.html",
            "title": words.title,
            "showing": assignment.showing,
            "sample": sample,
            "turn": turn,
            "levels": range(settings.rating_min, settings.rating_max + 1),
            "guideline": queue.guideline,
            "reason_hint": words.reason_hint,
            "no_contexts": words.no_contexts_of_turn if sample.messages and turn is None else words.no_contexts,
        }
        content |= count_progress(queue, rater, words.progress_yours, words.progress_team)
        if sample.messages:
            content["thread"] = _view_rated(sample, language, around)
            content["contexts"] = contexts_beside(sample)
        else:
            content["answer"] = render_answer(sample.response, sample.language)
            content["contexts"] = sample.retrieved_contexts
        return content

    async def _save(self, request: Request) -> Response:
        return await self._write(request, self._save_form)

    async def _undo(self, request: Request) -> Response:
        return await self._write(request, lambda database, rater, _: RatingQueue(database, self._queue).undo(rater))

    async def _write(self, request: Request, work: Callable[[Database, str, Form], object]) -> Response:
        """Does the work of a rater's form, then shows the next answer."""
        visitor, form = await self._sessions.read_form(request, RATER)
        if visitor is None:
            return render_unknown_visitor(request)
        try:
            await run_in_threadpool(self._connections.run, lambda database: work(database, visitor.name, form))
        except UsageError as error:
            return render_message(request, 400, "This rating was not saved", str(error))
        return RedirectResponse(RATER_HOME, SEE_OTHER)

    def _save_form(self, database: Database, rater: str, form: Form) -> None:
        """Keeps what a form says."""
        queue, showing = RatingQueue(database, self._queue), form.text("showing")
        sample = queue.shown_item(rater, showing)
        queue.save(
            rater,
            sample,
            None if form.text("value") == CANNOT_TELL else form.level("value"),
            reason=read_reason(form),
            wrong_sentences=_marked_sentences(queue.sample(sample), set(form.texts("wrong"))),
            showing=showing,
        )


def count_progress(queue: RatingQueue, rater: str, yours: str, team: str) -> dict[str, Any]:
    """What a rater's page says of the progress, in the words of its language."""
    done, total = queue.counts()
    return {
        "team_done": done,
        "total": total,
        "progress_yours": yours.format(done=queue.count_rated(rater)),
        "progress_team": team.format(done=done, total=total),
    }


def contexts_beside(sample: Sample) -> list[str]:
    """The documentation of a conversation that does not stand in its thread."""
    spoken = {context for message in sample.messages for context in message.retrieved_contexts}
    return [context for context in sample.retrieved_contexts if is_turn(sample) or context not in spoken]


def read_reason(form: Form) -> str:
    """The reason that a rater gives."""
    return form.text("reason")[:_LONGEST_REASON].strip()


def _turn_url(turn: int) -> str:
    return f"{RATER_HOME}?{urlencode({'turn': turn})}#turn-{turn}"


def _view_rated(sample: Sample, language: Language, around: int | None) -> ThreadView:
    """The thread of what is rated. The sentences of all its answers can be marked, or those of the rated one."""
    tested = None if count_turns(sample) else find_tested_turn(sample)

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
