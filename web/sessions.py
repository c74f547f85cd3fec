"""Links that let people in, and forms that come from a page of their own session."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ..errors import UsageError
from ..presentation.page import PACKAGE as SHARED
from .rendering import ERROR_PAGES, render_unknown_visitor
from .security import CSRF_FIELD, Access, GuardMiddleware, Visitor
from .site_address import SiteAddress

SEE_OTHER = 303
_LEVEL = re.compile(r"-?[0-9]{1,9}")


class Form:
    """The fields of a form that a page of ours sent (`application/x-www-form-urlencoded`).

    Raises:
        HTTPException: A field has a zero character, which no browser sends and no database keeps (status 400).
    """

    def __init__(self, body: bytes) -> None:
        self._fields = parse_qs(body.decode("latin-1"), keep_blank_values=True, errors="replace")
        if any("\0" in value for values in self._fields.values() for value in values):
            raise HTTPException(400, "A field has a zero character. Send the form from its page.")

    def text(self, name: str) -> str:
        """A field as text; empty where it is missing."""
        return self._fields.get(name, [""])[0]

    def texts(self, name: str) -> list[str]:
        """All values of a field, such as the boxes that are ticked."""
        return self._fields.get(name, [])

    def json_text(self, name: str) -> str:
        """A text that the page wrote as JSON, because a browser changes line ends in a form; empty where it is none."""
        try:
            value = json.loads(self.text(name))
            is_text = isinstance(value, str) and bool(value.encode()) and "\0" not in value
        except (ValueError, RecursionError):  # half of a surrogate pair ("\ud800") is no text of ours either
            return ""
        return value if is_text else ""

    def level(self, name: str) -> float:
        """A level of a rating scale."""
        if not _LEVEL.fullmatch(self.text(name)):
            raise UsageError("choose a rating")
        return float(self.text(name))


class Sessions:
    """The sessions of one application."""

    def __init__(self, read_secret: Callable[[], str | None], homes: dict[str, str]) -> None:
        self._read_secret = read_secret
        self._homes = homes
        self.routes = [Route("/", self._home), Route("/enter/{token}", self._enter)]

    def application(self, pages: Sequence[Any], site: SiteAddress) -> Starlette:
        """Makes the application of some pages for these sessions."""
        files = StaticFiles(packages=[(__package__, "static"), (SHARED, "static")])
        return Starlette(
            routes=[*self.routes, *(route for part in pages for route in part.routes), Mount("/static", files)],
            middleware=[Middleware(GuardMiddleware, site=site)],
            exception_handlers=ERROR_PAGES,
        )

    def present_access(self) -> Access:
        """Makes and checks links with the present secret."""
        return Access(self._read_secret())

    async def access(self, request: Request) -> Access:
        """Makes and checks links and sessions with the secret as it was when the request first asked."""
        if not hasattr(request.state, "access"):
            request.state.access = await run_in_threadpool(self.present_access)
        access: Access = request.state.access
        return access

    async def visitor(self, request: Request, *roles: str) -> Visitor | None:
        """Who the request comes from, or None where they have none of these roles."""
        visitor = (await self.access(request)).visitor(request)
        return visitor if visitor is not None and visitor.role in roles else None

    async def csrf_token(self, request: Request, visitor: Visitor) -> str:
        """What every form of the visitor's pages carries."""
        return (await self.access(request)).csrf_token(visitor)

    async def read_form(self, request: Request, role: str) -> tuple[Visitor | None, Form]:
        """The visitor that a form comes from, and the form; None where it is not from a page of their session."""
        visitor = await self.visitor(request, role)
        form = Form(await request.body())
        if visitor is None or not (await self.access(request)).is_csrf_token(visitor, form.text(CSRF_FIELD)):
            return None, form
        return visitor, form

    async def _home(self, request: Request) -> Response:
        visitor = await self.visitor(request, *self._homes)
        if visitor is None:
            return render_unknown_visitor(request)
        return RedirectResponse(self._homes[visitor.role], SEE_OTHER)

    async def _enter(self, request: Request) -> Response:
        access = await self.access(request)
        opened = access.open_link(request.path_params["token"])
        if opened is None or opened[0].role not in self._homes:
            return render_unknown_visitor(request)
        visitor, path = opened
        if path and await self.visitor(request, *self._homes) is not None:
            return RedirectResponse(path, SEE_OTHER)  # who is in already keeps the role
        response = RedirectResponse(path or self._homes[visitor.role], SEE_OTHER)
        response.set_cookie(
            access.cookie,
            access.session_cookie(visitor),
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response
