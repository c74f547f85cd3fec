"""The raters' pages: one answer at a time, and nothing about metrics or other raters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, TypeVar

import jinja2
import yaml
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.templating import Jinja2Templates

from ..errors import UsageError
from ..metrics.sentences import sentences
from ..runs.ratings import Assignment, RatingQueue
from .connections import Connections
from .security import CSRF_FIELD, SESSION_COOKIE, Access, FailureLimit, GuardMiddleware, Visitor

T = TypeVar("T")
RATER = "rater"
CANNOT_TELL = "cannot-tell"
_LONGEST_REASON = 1000
_SEE_OTHER = 303


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer, with its number in the form."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an answer: a list's bullet or number, then the sentences."""

    prefix: str
    sentences: tuple[Sentence, ...]


def answer_lines(response: str, language: str) -> tuple[Line, ...]:
    """An answer as lines of sentences that can be marked one by one; a line without words is left out."""
    lines: list[Line] = []
    number = 0
    for text in response.splitlines():
        parts = sentences(text, language)
        if parts:
            start = text.find(parts[0])
            prefix = text[:start].replace("*", "").lstrip() if start > 0 else ""
            lines.append(Line(prefix, tuple(Sentence(number + place, part) for place, part in enumerate(parts))))
            number += len(parts)
    return tuple(lines)


@cache
def page_words() -> Mapping[str, Mapping[str, str]]:
    """The texts of the pages by language."""
    folder = resources.files(__package__) / "words"
    return {
        entry.name.partition(".")[0]: yaml.safe_load(entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(".yaml")
    }


def page_language(request: Request) -> str:
    """The first of the browser's languages that the pages have; English where they have none."""
    for part in request.headers.get("accept-language", "").split(","):
        language = part.partition(";")[0].strip().partition("-")[0].lower()
        if language in page_words():
            return language
    return "en"


class RatingPages:
    """The application that raters use.

    Args:
        connections: The store's database.
        queue: The id of the rating queue.
        hosts: Host names that the server answers to.
    """

    def __init__(self, connections: Connections, queue: str, hosts: tuple[str, ...]) -> None:
        self._connections = connections
        self._queue = queue
        opened = connections.run(lambda database: RatingQueue(database, queue))
        self._settings = opened.settings
        self.access = Access(opened.secret)
        self._failures = FailureLimit()
        self._templates = Jinja2Templates(
            env=jinja2.Environment(
                loader=jinja2.PackageLoader(__package__, "templates"),
                autoescape=True,
                undefined=jinja2.StrictUndefined,
                trim_blocks=True,
            )
        )
        self.app = Starlette(
            routes=[
                Route("/", self._home),
                Route("/enter/{token}", self._enter),
                Route("/rate", self._show, methods=["GET"]),
                Route("/rate", self._save, methods=["POST"]),
                Route("/undo", self._undo, methods=["POST"]),
                Mount("/static", StaticFiles(packages=[(__package__, "static")])),
            ],
            middleware=[Middleware(GuardMiddleware, hosts=hosts)],
        )

    def rater_path(self, rater: str) -> str:
        """The path of a rater's link."""
        return f"/enter/{self.access.link_token(RATER, rater)}"

    async def _home(self, request: Request) -> Response:
        return RedirectResponse("/rate", _SEE_OTHER)

    async def _enter(self, request: Request) -> Response:
        address = request.client.host if request.client else ""
        if self._failures.is_blocked(address):
            return self._message(request, 429, "Too many links that do not work", "Wait a minute and try again.")
        visitor = self.access.open_link(request.path_params["token"])
        if visitor is None:
            self._failures.record(address)
            return self._not_known(request)
        response = RedirectResponse("/rate", _SEE_OTHER)
        response.set_cookie(
            SESSION_COOKIE,
            self.access.session_cookie(visitor),
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response

    async def _show(self, request: Request) -> Response:
        visitor = self.access.visitor(request)
        if visitor is None or visitor.role != RATER:
            return self._not_known(request)
        words = page_words()[page_language(request)]

        def read(queue: RatingQueue) -> tuple[Assignment | None, tuple[int, int], int, str]:
            assignment = queue.next_answer(visitor.name)
            return assignment, queue.counts(), queue.count_of(visitor.name), queue.guideline

        assignment, (team_done, total), own_done, guideline = await self._in_queue(read)
        if assignment is None:
            return self._message(
                request, 200, words["done_title"], words["done_text"], csrf=self.access.csrf_token(visitor)
            )
        sample = assignment.sample
        return self._page(
            request,
            "rate.html",
            {
                "title": words["title"],
                "scripts": ["rate.js"],
                "csrf": self.access.csrf_token(visitor),
                "sample": sample,
                "lines": answer_lines(sample.response, sample.language or "en"),
                "levels": range(self._settings.rating_min, self._settings.rating_max + 1),
                "guideline": guideline,
                "team_done": team_done,
                "total": total,
                "own_done": own_done,
            },
        )

    async def _save(self, request: Request) -> Response:
        visitor, form = await self._checked(request)
        if visitor is None:
            return self._not_known(request)
        sample, value = _text(form, "sample"), _text(form, "value")
        marked = {_text_of(number) for number in form.getlist("wrong")}

        def save(queue: RatingQueue) -> None:
            answer = queue.sample(sample)
            lines = answer_lines(answer.response, answer.language or "en")
            wrong = [part.text for line in lines for part in line.sentences if str(part.number) in marked]
            queue.save(
                visitor.name,
                sample,
                None if value == CANNOT_TELL else float(value),
                reason=_text(form, "reason")[:_LONGEST_REASON].strip(),
                wrong_sentences=wrong,
            )

        try:
            await self._in_queue(save)
        except (UsageError, ValueError) as error:
            return self._message(request, 400, "This rating was not saved", str(error))
        return RedirectResponse("/rate", _SEE_OTHER)

    async def _undo(self, request: Request) -> Response:
        visitor, _ = await self._checked(request)
        if visitor is None:
            return self._not_known(request)
        await self._in_queue(lambda queue: queue.undo(visitor.name))
        return RedirectResponse("/rate", _SEE_OTHER)

    async def _checked(self, request: Request) -> tuple[Visitor | None, FormData]:
        """The rater that a form comes from, or None where the form is not of a page of their session."""
        visitor = self.access.visitor(request)
        form = await request.form()
        is_rater = visitor is not None and visitor.role == RATER
        if visitor is None or not is_rater or not self.access.is_csrf_token(visitor, form.get(CSRF_FIELD)):
            return None, form
        return visitor, form

    async def _in_queue(self, work: Callable[[RatingQueue], T]) -> T:
        return await run_in_threadpool(
            self._connections.run, lambda database: work(RatingQueue(database, self._queue))
        )

    def _not_known(self, request: Request) -> Response:
        return self._message(
            request, 403, "This link does not work", "Open the link that you were given, or ask for a new one."
        )

    def _message(self, request: Request, status: int, title: str, text: str, csrf: str = "") -> Response:
        return self._page(
            request, "message.html", {"title": title, "text": text, "csrf": csrf, "scripts": []}, status
        )

    def _page(self, request: Request, name: str, content: dict[str, Any], status: int = 200) -> Response:
        language = page_language(request)
        return self._templates.TemplateResponse(
            request, name, content | {"language": language, "words": page_words()[language]}, status_code=status
        )


def _text(form: FormData, name: str) -> str:
    return _text_of(form.get(name))


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else ""
