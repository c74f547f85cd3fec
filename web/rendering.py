"""How a page is made: templates, the browser's language, and pages that only say something."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from ..languages import FALLBACK, Language, find_language, load_language
from ..presentation.page import template_environment
from ..runs import nightly

_SECTION = "rating_page"


def page_language(request: Request) -> Language:
    """The first of the browser's languages whose pack has the page's texts; English where none has."""
    for preference in request.headers.get("accept-language", "").split(","):
        language = find_language(preference.partition(";")[0])
        if language is not None and language.has(_SECTION):
            return language
    return load_language(FALLBACK)


@cache
def _templates() -> Jinja2Templates:
    return Jinja2Templates(env=template_environment(__package__, nightly.__name__))


def render(request: Request, template: str, content: Mapping[str, Any], status: int = 200) -> Response:
    """A template as a page in the browser's language; all texts are escaped."""
    language = page_language(request)
    texts = {"language": language.code, "words": language.rating_page}
    return _templates().TemplateResponse(request, template, texts | dict(content), status_code=status)


def render_message(request: Request, status: int, title: str, text: str, csrf: str = "") -> Response:
    """A page that only says something; with `csrf` it offers to undo the last rating."""
    return render(request, "message.html", {"title": title, "text": text, "csrf": csrf, "scripts": []}, status)


def render_unknown_visitor(request: Request) -> Response:
    """The page for a link or a form that is not of ours."""
    return render_message(
        request, 403, "This link does not work", "Open the link that you were given, or ask for a new one."
    )
