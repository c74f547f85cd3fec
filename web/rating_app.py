"""The application behind `assay rate`, on one queue: the raters' pages and the coordinator's.

A rater sees one answer, or two side by side, at a time, and nothing about metrics or other raters; the coordinator sees
pace, agreement, and the answers on which raters disagree.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import UsageError
from ..eval_sets import Sample
from ..eval_sets.conversation import count_turns, is_turn
from ..eval_sets.message import Message
from ..languages import Language
from ..presentation.rendered_markdown import render_markdown
from ..runs.ratings import OpenItem, RatingQueue
from ..runs.ratings.answer_pair import Side
from ..runs.ratings.rating_progress import disagreements, progress_blocks
from ..runs.ratings.rating_queue import read_queue_secret
from ..text.wording import in_language, text_language
from .answer_view import RatedAnswer, render_answer, split_answer
from .connections import Connections
from .rating_meaning import MeaningOfRatings
from .rendering import page_language, render, render_message, render_unknown_visitor
from .server import THIS_MACHINE, SiteAddress
from .sessions import SEE_OTHER, Form, Sessions
from .thread_view import ThreadView, find_tested_turn, view_thread

T = TypeVar("T")
_RATER, _COORDINATOR = "rater", "coordinator"
_HOMES = {_RATER: "/rate", _COORDINATOR: "/team"}
_CANNOT_TELL = "cannot-tell"
_LONGEST_REASON = 1000
_SIDES: dict[str, Side] = {"1": "left", "2": "same", "3": "right"}  # by the key
_CUT = 2_000  # characters of one message on the coordinator's page
_MOST_DISAGREEMENTS = 50  # shown at once; the next ones follow when these are adjudicated


class RatingApp:
    """The rating application; `asgi` is what a server runs."""

    def __init__(
        self,
        connections: Connections,
        queue: str,
        site: SiteAddress = THIS_MACHINE,
        meaning: MeaningOfRatings | None = None,
    ) -> None:
        self._connections = connections
        self._name = queue
        self._meaning = meaning
        self._raters = self._on_queue(lambda queue: queue.settings.raters)
        self._sessions = Sessions(
            lambda: connections.run(lambda database: read_queue_secret(database, queue)), dict(_HOMES)
        )
        routes = [
            Route("/rate", self._show_item, methods=["GET"]),
            Route("/rate", self._save, methods=["POST"]),
            Route("/undo", self._undo, methods=["POST"]),
            Route("/team", self._show_team),
            Route("/team/progress", self._show_progress),
            Route("/team/sentence", self._recommend),
            Route("/team/adjudicate", self._adjudicate, methods=["POST"]),
        ]
        self.asgi = self._sessions.application(routes, site)

    def end_links(self) -> None:
        """Makes a new secret: all links and sessions of the queue so far end."""
        self._on_queue(lambda queue: queue.renew_secret())

    def rater_paths(self) -> dict[str, str]:
        """The path of each rater's link, by name."""
        access = self._sessions.present_access()
        return {rater: access.link_path(_RATER, rater) for rater in self._raters}

    def coordinator_path(self) -> str:
        """The path of the coordinator's link."""
        return self._sessions.present_access().link_path(_COORDINATOR, _COORDINATOR)

    def _on_queue(self, work: Callable[[RatingQueue], T]) -> T:
        return self._connections.run(lambda database: work(RatingQueue(database, self._name)))

    async def _in_queue(self, work: Callable[[RatingQueue], T]) -> T:
        return await run_in_threadpool(self._on_queue, work)

    async def _show_item(self, request: Request) -> Response:
        visitor = await self._sessions.visitor(request, _RATER)
        if visitor is None:
            return render_unknown_visitor(request)
        language = page_language(request)
        content = await self._in_queue(lambda queue: _rater_content(queue, visitor.name, language))
        csrf = await self._sessions.csrf_token(request, visitor)
        if "template" not in content:
            return render_message(request, 200, language.rating_page.done_title, content["done"], csrf=csrf)
        return render(request, str(content["template"]), {"scripts": ["rate.js"], "csrf": csrf} | content)

    async def _save(self, request: Request) -> Response:
        return await self._write(request, _RATER, _save_form)

    async def _undo(self, request: Request) -> Response:
        return await self._write(request, _RATER, lambda queue, rater, _: queue.undo(rater))

    async def _adjudicate(self, request: Request) -> Response:
        return await self._write(request, _COORDINATOR, _adjudicate)

    async def _write(self, request: Request, role: str, work: Callable[[RatingQueue, str, Form], object]) -> Response:
        """Does the work of a visitor's form, then shows the page that it came from."""
        visitor, form = await self._sessions.read_form(request, role)
        if visitor is None:
            return render_unknown_visitor(request)
        try:
            await self._in_queue(lambda queue: work(queue, visitor.name, form))
        except UsageError as error:
            return render_message(request, 400, "This rating was not saved", str(error))
        return RedirectResponse(_HOMES[role], SEE_OTHER)

    async def _show_team(self, request: Request) -> Response:
        return await self._render_team(request, "team.html")

    async def _show_progress(self, request: Request) -> Response:
        return await self._render_team(request, "team_progress.html")

    async def _render_team(self, request: Request, template: str) -> Response:
        visitor = await self._sessions.visitor(request, _COORDINATOR)
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

    async def _recommend(self, request: Request) -> Response:
        if await self._sessions.visitor(request, _COORDINATOR) is None or self._meaning is None:
            return render_unknown_visitor(request)
        state = await self._in_queue(lambda queue: queue.state())
        meaning, is_newest = await self._meaning.read(state)
        return render(request, "sentence.html", {"meaning": meaning, "is_newest": is_newest})


def _rater_content(queue: RatingQueue, rater: str, language: Language) -> dict[str, Any]:
    """What the page shows: its `template` with its content, or what it says when nothing is left (`done`)."""
    words, is_pair = language.rating_page, queue.has_pairs
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


def _save_form(queue: RatingQueue, rater: str, form: Form) -> None:
    """Keeps what a form says."""
    showing, value = form.text("showing"), form.text("value")
    item = queue.shown_item(rater, showing)
    said, wrong = None if value == _CANNOT_TELL else _read_said(queue, form), list[str]()
    if not queue.has_pairs:
        wrong = _marked_sentences(queue.sample(item), set(form.texts("wrong")))
    reason = form.text("reason")[:_LONGEST_REASON].strip()
    queue.save(rater, item, said, reason=reason, wrong_sentences=wrong, showing=showing)


def _read_said(queue: RatingQueue, form: Form) -> float | Side:
    if not queue.has_pairs:
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
    sides, words = open_item.sides, language.rating_page
    # whether the last answers of the two conversations are compared, and not the whole conversations
    is_of_turns = not any(map(count_turns, open_item.pair.answers))
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


def _adjudicate(queue: RatingQueue, _coordinator: str, form: Form) -> None:
    if queue.has_pairs:
        raise UsageError("the choices of raters stand as they are; there is no agreed one")
    queue.adjudicate(form.text("sample"), form.level("value"), form.text("reason"))


def _team_content(queue: RatingQueue, language: Language) -> dict[str, Any]:
    done, total = queue.counts()
    is_pairs = queue.has_pairs
    disputed = sorted(disagreements(queue), key=lambda one: one.adjudicated is not None)[:_MOST_DISAGREEMENTS]
    return {
        "is_pairs": is_pairs,
        "done": done,
        "total": total,
        "series": queue.series,
        "other_series": queue.other_series(),
        "source": queue.source,
        "blocks": progress_blocks(queue, text_language(language.code)),
        "thread_of": lambda sample: _view_folded(sample, language),
        "thread_words": language.rating_page,
        "disagreements": [(one, (queue.pair if is_pairs else queue.sample)(one.sample)) for one in disputed],
        "levels": range(queue.settings.rating_min, queue.settings.rating_max + 1),
    }


def _view_folded(sample: Sample, language: Language) -> ThreadView | None:
    """The thread of a conversation beside its ratings; None for an answer without messages."""
    if not sample.messages:
        return None
    tested = None if count_turns(sample) else find_tested_turn(sample)
    return view_thread(sample, language, tested=tested, cut=_CUT)
