"""The raters' pages: one answer at a time, and nothing about metrics or other raters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import UsageError
from ..languages import language_or_fallback
from ..presentation.texts import LONGEST_TEXT
from ..runs.ratings import Assignment, RatingQueue
from ..text.sentences import sentences
from .connections import Connections
from .rendering import page_language, render, render_message, render_unknown_visitor
from .sessions import SEE_OTHER, Sessions, form_json_text, form_text

T = TypeVar("T")
RATER = "rater"
RATER_HOME = "/rate"
CANNOT_TELL = "cannot-tell"
_LONGEST_REASON = 1000


@dataclass(frozen=True, slots=True)
class FormSentence:
    """One sentence of an answer, with its number in the form."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class FormLine:
    """One line of an answer: a list's bullet or number, then the sentences."""

    prefix: str
    sentences: tuple[FormSentence, ...]


def answer_lines(response: str, language: str | None) -> tuple[FormLine, ...]:
    """An answer as lines of sentences that can be marked one by one; a line without words is left out.

    Only the first `LONGEST_TEXT` characters are shown.
    """
    lines: list[FormLine] = []
    number = 0
    for text in response[:LONGEST_TEXT].splitlines():
        parts = sentences(text, language_or_fallback(language))
        if parts:
            start = text.find(parts[0])
            prefix = text[:start].replace("*", "").lstrip() if start > 0 else ""
            lines.append(
                FormLine(prefix, tuple(FormSentence(number + place, part) for place, part in enumerate(parts)))
            )
            number += len(parts)
    return tuple(lines)


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
        visitor = self._sessions.visitor(request, RATER)
        if visitor is None:
            return render_unknown_visitor(request)

        def read(queue: RatingQueue) -> tuple[Assignment | None, tuple[int, int], int, str]:
            assignment = queue.next_answer(visitor.name)
            return assignment, queue.counts(), queue.count_rated(visitor.name), queue.guideline

        assignment, (team_done, total), own_done, guideline = await self._in_queue(read)
        csrf = self._sessions.csrf_token(visitor)
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
            "lines": answer_lines(sample.response, sample.language),
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
        sample, value = form_json_text(form, "sample"), form_text(form, "value")
        marked = set(form.getlist("wrong"))

        def save(queue: RatingQueue) -> None:
            answer = queue.sample(sample)
            lines = answer_lines(answer.response, answer.language)
            queue.save(
                visitor.name,
                sample,
                None if value == CANNOT_TELL else _level(value),
                reason=form_text(form, "reason")[:_LONGEST_REASON].strip(),
                wrong_sentences=[part.text for line in lines for part in line.sentences if str(part.number) in marked],
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


def _level(text: str) -> float:
    if not text.isascii() or not text.lstrip("-").isdecimal():
        raise UsageError("choose a rating")
    return float(text)
