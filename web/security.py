"""Who may do what on a page: signed links, sessions, and the checks that every request passes."""

import hmac
import secrets
from typing import NamedTuple

from itsdangerous import BadSignature, URLSafeSerializer
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .rendering import render_failure, render_message
from .site_address import SiteAddress

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
        bounded = _Bounded(receive)
        try:
            await self._app(self._public_scope(scope), bounded, send_guarded)
        except ClientDisconnect:  # gone before all was sent: nobody waits for a reply
            if bounded.is_exceeded and not has_started:
                await refuse(*_TOO_LARGE)
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
        if not length.isdecimal() or len(length) > 9 or int(length) > LARGEST_BODY:
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


class _Bounded:
    """A request's body, cut off as if disconnected beyond `LARGEST_BODY`: a chunked body does not say its length."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0

    @property
    def is_exceeded(self) -> bool:
        """Whether more came than may."""
        return self._size > LARGEST_BODY

    async def __call__(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        return {"type": "http.disconnect"} if self.is_exceeded else message
