"""The raters' pages: one answer, or two side by side, at a time, and nothing about metrics or other raters."""

from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import UsageError
from ..eval_sets import Sample
from ..eval_sets.conversation import count_turns
from ..eval_sets.message import Message
from ..eval_sets.turns import is_turn
from ..languages import Language
from ..presentation.rendered_markdown import render_markdown
from ..runs.ratings import OpenItem, RatingQueue
from ..runs.ratings.answer_pair import Side
from ..runs.store.database import Database
from .answer_view import RatedAnswer, render_answer, split_answer
from .connections import Connections
from .rendering import page_language, render, render_message, render_unknown_visitor
from .sessions import SEE_OTHER, Form, Sessions
from .thread_view import ThreadView, find_tested_turn, view_thread

RATER = "rater"
RATER_HOME = "/rate"
_CANNOT_TELL = "cannot-tell"
_LONGEST_REASON = 1000
_SIDES: dict[str, Side] = {"1": "left", "2": "same", "3": "right"}  # by the key


class RaterPages:
    """The pages of the raters of one queue."""

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

        def read(database: Database) -> dict[str, Any]:
            return self._read_page(database, visitor.name, language)

        content = await run_in_threadpool(self._connections.run, read)
        csrf = await self._sessions.csrf_token(request, visitor)
        if "template" not in content:
            return render_message(request, 200, language.rating_page.done_title, content["done"], csrf=csrf)
        template = str(content["template"])
        return render(request, template, {"scripts": ["rate.js"], "csrf": csrf} | content)

    def _read_page(self, database: Database, rater: str, language: Language) -> dict[str, Any]:
        """What the page shows: its `template` with its content, or what it says when nothing is left (`done`)."""
        queue, words = RatingQueue(database, self._queue), language.rating_page
        is_pair = queue.kind == "pairs"
        open_item = queue.next_item(rater)
        if open_item is None:
            return {"done": words.compare_done if is_pair else words.done_text}
        view = _view_pair if is_pair else _view_answer
        done, total = queue.counts()
        yours, team = (
            (words.compared_yours, words.compared_team) if is_pair else (words.progress_yours, words.progress_team)
        )
        return view(open_item, language) | {
            "showing": open_item.showing,
            "levels": range(queue.settings.rating_min, queue.settings.rating_max + 1),
            "guideline": queue.guideline,
            "team_done": done,
            "total": total,
            "progress_yours": yours.format(done=queue.count_rated(rater)),
            "progress_team": team.format(done=done, total=total),
        }

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
        queue, showing, value = RatingQueue(database, self._queue), form.text("showing"), form.text("value")
        item = queue.shown_item(rater, showing)
        said, wrong = None if value == _CANNOT_TELL else _read_said(queue, form), list[str]()
        if queue.kind == "answers":
            wrong = _marked_sentences(queue.sample(item), set(form.texts("wrong")))
        reason = form.text("reason")[:_LONGEST_REASON].strip()
        queue.save(rater, item, said, reason=reason, wrong_sentences=wrong, showing=showing)


def _read_said(queue: RatingQueue, form: Form) -> float | Side:
    if queue.kind == "answers":
        return form.level("value")
    side = _SIDES.get(form.text("value"))
    if side is None:
        raise UsageError("choose 1 (A is better), 2 (about the same) or 3 (B is better)")
    return side


def _view_answer(open_item: OpenItem, language: Language) -> dict[str, Any]:
    """What the page shows of an answer to rate."""
    sample, words = open_item.sample, language.rating_page
    turn = None if count_turns(sample) else find_tested_turn(sample)
    content: dict[str, Any] = {
        "template": "rate.html",
        "title": words.title,
        "sample": sample,
        "turn": turn,
        "reason_hint": words.reason_hint,
        "no_contexts": words.no_contexts_of_turn if sample.messages and turn is None else words.no_contexts,
    }
    if sample.messages:
        return content | {"thread": _view_rated(sample, language), "contexts": _contexts_beside(sample)}
    return content | {
        "answer": render_answer(sample.response, sample.language),
        "contexts": sample.retrieved_contexts,
    }


def _view_pair(open_item: OpenItem, language: Language) -> dict[str, Any]:
    """What the page shows of two answers to compare."""
    sides, words, is_of_turns = open_item.sides, language.rating_page, open_item.is_of_turns
    has_threads = any(side.messages for side in sides)
    return {
        "template": "pair.html",
        "title": words.compare_title,
        "question": sides[0].user_input,
        "choices": (words.a_better, words.about_the_same, words.b_better),
        "has_turn": is_of_turns,
        "reason_hint": words.compare_reason_hint,
        "no_contexts": words.no_contexts_of_turn if has_threads else words.no_contexts_of_pair,
        "contexts": list(dict.fromkeys(context for side in sides for context in _contexts_beside(side))),
        "threads": [_view_side(side, language, is_of_turns=is_of_turns) for side in sides if has_threads],
        "answers": [render_markdown(side.response) for side in sides if not has_threads],
    }


def _view_side(answer: Sample, language: Language, *, is_of_turns: bool) -> ThreadView:
    """The thread of one side. Of turns the ends are compared; else the whole."""
    if not answer.messages:  # the other version has a conversation
        spoken = (Message(role="user", content=answer.user_input), Message(role="assistant", content=answer.response))
        answer = answer.model_copy(update={"messages": spoken})
    tested = len(answer.messages) - 1 if is_of_turns else None
    return view_thread(answer, language, tested=tested)


def _contexts_beside(sample: Sample) -> list[str]:
    """The documentation of a conversation that does not stand in its thread."""
    spoken = {context for message in sample.messages for context in message.retrieved_contexts}
    return [context for context in sample.retrieved_contexts if is_turn(sample) or context not in spoken]


def _view_rated(sample: Sample, language: Language) -> ThreadView:
    """The thread of what is rated. The sentences of all its answers can be marked, or those of the rated one."""
    tested = None if count_turns(sample) else find_tested_turn(sample)

    def render(turn: int, text: str) -> RatedAnswer | None:
        if tested is not None and turn != tested:
            return None
        return render_answer(text, sample.language, prefix=f"{turn}-")

    return view_thread(sample, language, tested=tested, render=render)


def _marked_sentences(sample: Sample, marked: set[str]) -> list[str]:
    """The sentences of an answer, or of a conversation's answers, of which a form has the numbers."""
    answers = {f"{turn}-": message.text for turn, message in enumerate(sample.messages) if message.is_answer}
    sentences = []
    for prefix, text in (answers or {"": sample.response}).items():
        if any(number.startswith(prefix) for number in marked):
            split = split_answer(text, sample.language)
            sentences += [sentence for number, sentence in enumerate(split) if f"{prefix}{number}" in marked]
    return sentences
