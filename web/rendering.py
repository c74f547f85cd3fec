"""How a page is made: templates, the browser's language, and pages that only say something."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import jinja2
import yaml
from starlette.requests import Request
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from ..prompts.untrusted import without_unseen

LONGEST_TEXT = 100_000  # characters of one text on a page


@cache
def page_words() -> Mapping[str, Mapping[str, str]]:
    """The texts of the raters' pages by language."""
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
    return _templates().TemplateResponse(
        request, template, {"language": language, "words": page_words()[language], **content}, status_code=status
    )


def render_message(request: Request, status: int, title: str, text: str, csrf: str = "") -> Response:
    """A page that only says something; with `csrf` it offers to undo the last rating."""
    return render(request, "message.html", {"title": title, "text": text, "csrf": csrf, "scripts": []}, status)


def render_unknown_visitor(request: Request) -> Response:
    """The page for a link or a form that is not of ours."""
    return render_message(
        request, 403, "This link does not work", "Open the link that you were given, or ask for a new one."
    )
