"""Who may do what on a page: signed links, sessions, and the checks that every request passes."""

import hmac
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeSerializer
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .rendering import render_failure, render_message

CSRF_FIELD = "csrf"
LARGEST_BODY = 64 * 1024  # bytes: a reason and some sentences
_FAILURES_PER_MINUTE = 10
_LONGEST_TOKEN = 4096
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
    """Signed links and sessions of one application.

    Args:
        secret: The application's secret; whoever has it can make links.

    Attributes:
        cookie: The name of the session cookie: a browser keeps one per host name, whatever the port.
    """

    def __init__(self, secret: str) -> None:
        self._links = URLSafeSerializer(secret, salt="assay link")
        self._sessions = URLSafeSerializer(secret, salt="assay session")
        self._secret = secret.encode()
        self.cookie = f"assay_{hmac.new(self._secret, b'cookie', 'sha256').hexdigest()[:8]}"

    def link_token(self, role: str, name: str, path: str = "") -> str:
        """The token of a link that lets its holder in with a role, and leads to a path of ours."""
        return str(self._links.dumps([role, name, path]))

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

    def is_csrf_token(self, visitor: Visitor, token: object) -> bool:
        """Whether a form came from a page of this session; compared in constant time."""
        return isinstance(token, str) and hmac.compare_digest(self.csrf_token(visitor).encode(), token.encode())


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


class FailureLimit:
    """Counts failed log-ins per address and says when an address has to wait.

    Args:
        clock: Seconds on a clock that does not go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, deque[float]] = defaultdict(deque)

    def is_blocked(self, address: str) -> bool:
        """Whether the address has failed too often within the last minute."""
        failures = self._failures.get(address)
        if failures is None:
            return False
        while failures and failures[0] < self._clock() - 60:
            failures.popleft()
        if not failures:
            del self._failures[address]
        return len(failures) >= _FAILURES_PER_MINUTE

    def record(self, address: str) -> None:
        """Remembers one failure of the address."""
        self._failures[address].append(self._clock())


class GuardMiddleware:
    """Checks the Host and Origin headers and the size of every request, and adds the security headers to every reply.

    An error of ours becomes a page too.

    Args:
        app: The application behind it.
        hosts: Host names that the server answers to, without ports.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)

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

        headers = Headers(scope=scope)
        if problem := self._problem(scope["method"], headers):
            status, text = problem
            page = render_message(Request(scope), status, "This request was refused", text, has_home=False)
            await page(scope, receive, send_guarded)
            return
        try:
            await self._app(scope, _Bounded(receive), send_guarded)
        except Exception:
            if not has_started:
                await render_failure(Request(scope))(scope, receive, send_guarded)
            raise  # the server writes it to the terminal

    def _problem(self, method: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if urlsplit(f"//{host}").hostname not in self._hosts:
            return 400, "This server does not answer to that host name."
        if method not in _SAFE_METHODS:
            origin = headers.get("origin")
            if origin is None or urlsplit(origin).netloc != host:
                return 403, "This request comes from another page. Open the link that you were given."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return 413, f"A request may have at most {LARGEST_BODY} bytes."
        return None


class _Bounded:
    """A request's body, cut off as if disconnected beyond `LARGEST_BODY`: a chunked body does not say its length."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        return message if self._size <= LARGEST_BODY else {"type": "http.disconnect"}
