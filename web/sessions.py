"""Links that let people in, and forms that come from a page of their own session."""

import json

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from .rendering import render_message, render_unknown_visitor
from .security import CSRF_FIELD, Access, FailureLimit, Visitor

SEE_OTHER = 303


class Sessions:
    """The sessions of one application.

    Args:
        access: Makes and checks links and sessions.
        homes: The path of each role's first page.
    """

    def __init__(self, access: Access, homes: dict[str, str]) -> None:
        self._access = access
        self._homes = homes
        self._failures = FailureLimit()
        self.routes = [Route("/", self._home), Route("/enter/{token}", self._enter)]

    def link_path(self, role: str, name: str, path: str = "") -> str:
        """The path of the link that lets its holder in, and leads to a path of ours, or to the role's first page."""
        return f"/enter/{self._access.link_token(role, name, path)}"

    def visitor(self, request: Request, *roles: str) -> Visitor | None:
        """Who the request comes from, or None where they have none of these roles."""
        visitor = self._access.visitor(request)
        return visitor if visitor is not None and visitor.role in roles else None

    def csrf_token(self, visitor: Visitor) -> str:
        """What every form of the visitor's pages carries."""
        return self._access.csrf_token(visitor)

    async def read_form(self, request: Request, role: str) -> tuple[Visitor | None, FormData]:
        """The visitor that a form comes from, and the form; None where it is not from a page of their session."""
        visitor = self.visitor(request, role)
        form = await request.form()
        if visitor is None or not self._access.is_csrf_token(visitor, form.get(CSRF_FIELD)):
            return None, form
        return visitor, form

    async def _home(self, request: Request) -> Response:
        visitor = self._access.visitor(request)
        if visitor is None or visitor.role not in self._homes:
            return render_unknown_visitor(request)
        return RedirectResponse(self._homes[visitor.role], SEE_OTHER)

    async def _enter(self, request: Request) -> Response:
        address = request.client.host if request.client else ""
        if self._failures.is_blocked(address):
            return render_message(request, 429, "Too many links that do not work", "Wait a minute and try again.")
        opened = self._access.open_link(request.path_params["token"])
        if opened is None or opened[0].role not in self._homes:
            self._failures.record(address)
            return render_unknown_visitor(request)
        visitor, path = opened
        present = self._access.visitor(request)
        if path and present is not None and present.role in self._homes:
            return RedirectResponse(path, SEE_OTHER)  # who is in already keeps the role
        response = RedirectResponse(path or self._homes[visitor.role], SEE_OTHER)
        response.set_cookie(
            self._access.cookie,
            self._access.session_cookie(visitor),
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response


def form_text(form: FormData, name: str) -> str:
    """A field of a form as text; nothing where it is missing or a file."""
    value = form.get(name)
    return value if isinstance(value, str) else ""


def form_json_text(form: FormData, name: str) -> str:
    """A text that the page wrote as JSON, because a browser changes line ends in a form; else nothing."""
    try:
        value = json.loads(form_text(form, name))
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""
