"""How a page is made: templates, the browser's language, and pages that only say something."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from ..errors import AssayError
from ..languages import FALLBACK, Language, find_language, load_language
from ..presentation.page import template_environment
from ..runs import decision, failures, suite
from ..text.wording import text_language

_SECTION = "rating_page"
_HTTP_ERRORS = {
    404: ("This page does not exist", "Nothing is at this address. Check it, or begin at the first page."),
    405: ("This was not done", "This address takes no such request. Use the forms of the pages."),
}


def page_language(request: Request) -> Language:
    """The first of the browser's languages, which names the preferred one first, whose pack has the page's texts."""
    for preference in request.headers.get("accept-language", "").split(","):
        language = find_language(preference.partition(";")[0].strip())
        if language is not None and language.has(_SECTION):
            return language
    return load_language(FALLBACK)


@cache
def _templates() -> Jinja2Templates:
    return Jinja2Templates(env=template_environment(__package__, suite.__name__, decision.__name__, failures.__name__))


def render(request: Request, template: str, content: Mapping[str, Any], status: int = 200) -> Response:
    """A template as a page in the browser's language; all texts are escaped."""
    language = page_language(request)
    texts = {"language": language.code, "words": language.rating_page, "reader": text_language(language.code)}
    return _templates().TemplateResponse(request, template, texts | dict(content), status_code=status)


def render_message(
    request: Request, status: int, title: str, text: str, csrf: str = "", *, has_home: bool = True
) -> Response:
    """A page that only says something, or a part of one for a request from within a page."""
    content = {"title": title, "text": text, "csrf": csrf, "scripts": [], "has_home": has_home}
    return render(request, "message.html", content, status)


def render_unknown_visitor(request: Request) -> Response:
    """The page for a link or a form that is not of ours."""
    text = "Open the link that you were given, or ask for a new one."
    return render_message(request, 403, "This link does not work", text, has_home=False)


def render_failure(request: Request) -> Response:
    """The page for an error of ours."""
    text = "The error stands in the terminal where the server runs. Try it again; if it stays, please report it."
    return render_message(request, 500, "Something went wrong", text)


async def _render_http_error(request: Request, error: Exception) -> Response:
    """The page for a request that no page answers."""
    assert isinstance(error, HTTPException)
    title, text = _HTTP_ERRORS.get(error.status_code, ("This request was refused", str(error.detail)))
    response = render_message(request, error.status_code, title, text)
    response.headers.update(error.headers or {})
    return response


async def _render_our_error(request: Request, error: Exception) -> Response:
    """The page for what cannot be read, such as a run that there is not."""
    return render_message(request, 404, "This cannot be shown", str(error))


ERROR_PAGES = {HTTPException: _render_http_error, AssayError: _render_our_error}
"""The exception handlers of an application."""
