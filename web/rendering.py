"""How a page is made: templates, the browser's language, and pages that only say something."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import jinja2
from starlette.requests import Request
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from ..languages import FALLBACK, Language, find_language, load_language
from ..text.untrusted import without_unseen

LONGEST_TEXT = 100_000  # characters of one text on a page


_SECTION = "rating_page"


def page_language(request: Request) -> Language:
    """The first of the browser's languages whose pack has the page's texts; English where none has."""
    for preference in request.headers.get("accept-language", "").split(","):
        language = find_language(preference.partition(";")[0])
        if language is not None and language.has(_SECTION):
            return language
    return load_language(FALLBACK)


def visible_text(text: str) -> str:
    """Text as a page shows it: no control characters that reorder or hide text, and not more than a person reads."""
    shown = without_unseen(text[:LONGEST_TEXT])
    left = len(text) - LONGEST_TEXT
    return shown if left <= 0 else f"{shown}\n… ({left:,} more characters)"


@cache
def _templates() -> Jinja2Templates:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible_text
    return Jinja2Templates(env=environment)


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
