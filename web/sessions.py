"""Who may do what on a page: signed links, sessions, forms of their own pages, and the checks of every request."""

import hmac
import re
import secrets
from collections.abc import Callable, Sequence
from typing import NamedTuple
from urllib.parse import parse_qs

from itsdangerous import BadSignature, URLSafeSerializer
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import UsageError
from ..presentation.page import PACKAGE as SHARED
from .rendering import ERROR_PAGES, render_failure, render_message, render_unknown_visitor
from .server import SiteAddress

CSRF_FIELD = "csrf"
LARGEST_BODY = 64 * 1024  # bytes: a reason and some sentences
_LONGEST_TOKEN = 32 * 1024  # characters: the link to an answer has its id, which may be long
_TOO_LARGE = (413, f"A request may have at most {LARGEST_BODY} bytes.")
_SAFE_METHODS = frozenset({"GET", "HEAD"})

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Visitor(NamedTuple):
    """Who a request comes from, in which role: a rater, the coordinator, who looks at runs."""

    role: str
    name: str
    nonce: str


class Access:
    """Signed links and sessions of one application."""

    def __init__(self, secret: str | None) -> None:
        secret = secret or secrets.token_hex(32)
        self._links = URLSafeSerializer(secret, salt="assay link")
        self._sessions = URLSafeSerializer(secret, salt="assay session")
        self._secret = secret.encode()
        # a browser keeps one cookie per host name, whatever the port
        self.cookie = f"assay_{hmac.new(self._secret, b'cookie', 'sha256').hexdigest()[:8]}"

    def link_path(self, role: str, name: str, path: str = "") -> str:
        """The path of the link that lets its holder in, and leads to a path of ours, or to the role's first page."""
        return f"/enter/{self._links.dumps([role, name, path])!s}"

    def open_link(self, token: str) -> tuple[Visitor, str] | None:
        """The visitor of a link's token with a new session, and the path; None for a token that we did not sign."""
        content = _load(self._links, token, length=3)
        return None if content is None else (Visitor(content[0], content[1], secrets.token_hex(16)), content[2])

    def session_cookie(self, visitor: Visitor) -> str:
        """The value of the visitor's session cookie."""
        return str(self._sessions.dumps(list(visitor)))

    def visitor(self, request: Request) -> Visitor | None:
        """Who the request's session cookie names, or None."""
        content = _load(self._sessions, request.cookies.get(self.cookie, ""), length=3)
        return None if content is None else Visitor(*content)

    def csrf_token(self, visitor: Visitor) -> str:
        """What every form of this session carries."""
        return hmac.new(self._secret, f"csrf {visitor.nonce}".encode(), "sha256").hexdigest()

    def is_csrf_token(self, visitor: Visitor, token: str) -> bool:
        """Whether a form came from a page of this session; compared in constant time."""
        return hmac.compare_digest(self.csrf_token(visitor).encode(), token.encode())


def _load(serializer: URLSafeSerializer, text: str, *, length: int) -> list[str] | None:
    """The signed texts, or None where we did not sign them."""
    if len(text) > _LONGEST_TOKEN:
        return None
    try:
        content = serializer.loads(text)  # itsdangerous compares signatures in constant time
    except BadSignature:
        return None
    is_ours = isinstance(content, list) and len(content) == length and all(isinstance(part, str) for part in content)
    return content if is_ours else None


class GuardMiddleware:
    """Checks the Host and Origin headers and the size of every request, and adds the security headers to every reply.

    An error of ours becomes a page too.
    """

    def __init__(self, app: ASGIApp, site: SiteAddress) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers bad requests itself; hands the others on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        has_started = False

        async def send_guarded(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                message["headers"] = [*message.get("headers", []), *_HEADERS]
            await send(message)

        async def refuse(status: int, text: str) -> None:
            page = render_message(Request(scope), status, "This request was refused", text, has_home=False)
            await page(scope, receive, send_guarded)

        if problem := self._problem(scope):
            await refuse(*problem)
            return
        try:
            await self._app(self._public_scope(scope), receive, send_guarded)
        except ClientDisconnect:
            pass  # gone before all was sent: nobody waits for a reply
        except Exception:
            if not has_started:
                await render_failure(Request(scope))(scope, receive, send_guarded)
            raise  # the server writes it to the terminal

    def _problem(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._site.is_own_name(host, (scope.get("server") or ("",))[0]):
            return 400, (
                "This server does not answer to that host name. Open the link that you were given; who runs the server "
                "behind a proxy starts it with --behind-proxy and the address that people open."
            )
        if scope["method"] not in _SAFE_METHODS and not self._site.is_own_origin(headers.get("origin", ""), host):
            return 403, "This request comes from another page. Open the link that you were given."
        length = headers.get("content-length", "0")
        is_counted = length.isdecimal() and len(length) < 10 and "transfer-encoding" not in headers
        if not is_counted or int(length) > LARGEST_BODY:
            return _TOO_LARGE
        if b"%00" in scope["raw_path"] + scope["query_string"]:
            return 400, "This address has a zero character, as no address of ours has."
        return None

    def _public_scope(self, scope: Scope) -> Scope:
        """The request as if it had come to the public address: links and cookies follow that, not a header."""
        if not self._site.public:
            return scope
        scheme, _, host = self._site.public.partition("://")
        headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
        return {**scope, "scheme": scheme, "headers": [(b"host", host.encode()), *headers]}


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

    def application(self, routes: Sequence[Route], site: SiteAddress) -> Starlette:
        """Makes the application of some pages for these sessions."""
        files = StaticFiles(packages=[(__package__, "static"), (SHARED, "static")])
        return Starlette(
            routes=[*self.routes, *routes, Mount("/static", files)],
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
