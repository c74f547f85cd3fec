"""Serving an application on this machine: its address and names, and connections that end when others are slow."""

import asyncio
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import UsageError

_HOST_HEADER = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}))(?::[0-9]{1,5})?")
_PUBLIC = re.compile(r"(https?)://((?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]))(?::([0-9]{1,5}))?/?")
_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True)
class SiteAddress:
    """Where the pages of a server are.

    No header of a request decides what a link leads to: without a proxy a request's Host header must be one of the
    server's own names, and with one (`public`) every request is answered as if it had come to the public address.
    """

    host: str = "127.0.0.1"  # the address or name that the server listens on
    # what people open where a proxy stands before the server, such as `https://rate.example.org`; empty without a proxy
    public: str = ""

    @classmethod
    def behind_proxy(cls, host: str, url: str) -> "SiteAddress":
        """The address of a server behind a proxy."""
        match = _PUBLIC.fullmatch(url)
        if match is None or int(match[3] or 0) > 65535:
            raise UsageError(
                f"--behind-proxy {url!r}: write the address that people open, such as https://rate.example.org; the "
                "pages need a host name (or a port) of their own, so no path may follow"
            )
        port = f":{match[3]}" if match[3] and match[3] != _PORTS[match[1]] else ""
        return cls(host, f"{match[1]}://{match[2].lower()}{port}")

    def link_address(self, port: int) -> str:
        """What the printed links begin with: the public address, or the server's own; no `/` at its end.

        A server that listens on all addresses of the machine (`0.0.0.0`) is reached by the machine's name.
        """
        if self.public:
            return self.public
        host = socket.gethostname() if self._is_every_address else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def is_own_name(self, host: str, reached: str) -> bool:
        """Whether a Host header names this server.

        A numeric address counts if the request reached the server there: a foreign page cannot borrow it, as it can
        let a name of its own lead to this machine (DNS rebinding).
        """
        match = _HOST_HEADER.fullmatch(host)
        if match is None:
            return False
        return (match[1] or match[2]).lower() in {*self._names(), reached.removeprefix("::ffff:")}

    def is_own_origin(self, origin: str, host: str) -> bool:
        """Whether an Origin header names the pages of this server."""
        own = (self.public,) if self.public else (f"http://{host}", f"https://{host}")
        return origin.lower() in [address.lower() for address in own]

    @property
    def _is_every_address(self) -> bool:
        try:
            return ip_address(self.host).is_unspecified
        except ValueError:
            return False  # a name

    def _names(self) -> set[str]:
        names = {self.host.lower(), "localhost"}
        if self._is_every_address:
            machine = socket.gethostname().lower()
            names |= {machine, f"{machine.partition('.')[0]}.local"}
        if self.public:
            names.add(str(urlsplit(self.public).hostname))
        return names


THIS_MACHINE = SiteAddress()
"""Pages that are for this machine alone."""


SECONDS = 30.0
"""How long a request may take to arrive (from the connection, or the reply before), and a reply to be read."""
MOST_CONNECTIONS = 1000
"""How many connections a server keeps at most; fewer where the system lets a process open fewer files."""
BACKLOG = 128  # connections that wait to be taken: so many may come at once, beyond the most
_BURSTS = 3  # so often a full backlog is taken before the first connection that is closed for it is gone
_OTHER_FILES = 300  # the databases of 40 threads, the files of the package


_LONGEST_HEAD = 64 * 1024  # bytes of a request's headers: a browser may have the cookies of a hundred queues


def call_later(loop: asyncio.AbstractEventLoop, seconds: float, end: Callable[[], None]) -> asyncio.TimerHandle:
    """The clock of the deadlines, in whose place a test has its own."""
    return loop.call_later(seconds, end)


class BoundedConnection(H11Protocol):
    """A connection with a deadline whenever the server waits for the other side.

    A page that takes long to make has none. Beyond the most connections, the one on which the server has waited longest
    is closed for the new one, so that thousands of connections that say nothing keep nobody out.
    """

    most_connections = MOST_CONNECTIONS
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes a connection."""
        super().connection_made(transport)
        self._set_deadline()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """Takes a part of a request; a request that comes bit by bit has one deadline for all of it."""
        super().data_received(data)
        if self._is_working:
            self._clear_deadline()
        elif self._deadline is None:
            self._set_deadline()

    def on_response_complete(self) -> None:
        """Waits for the next request, and for the reply to be read."""
        super().on_response_complete()
        if not self._is_working:
            self._set_deadline()

    def pause_writing(self) -> None:
        """Waits for the other side to read."""
        super().pause_writing()
        self._set_deadline()

    def resume_writing(self) -> None:
        """Goes on when the other side has read."""
        super().resume_writing()
        if self._is_working:
            self._clear_deadline()
        else:
            self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self._clear_deadline()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuses what is no HTTP; where a reply has begun, nothing can be said any more."""
        if (
            self.cycle is not None and not self.cycle.response_complete
        ):  # a body may be none where its headers were good
            self.cycle.disconnected = True  # as for a visitor who is gone: the page that is being made is not sent
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.abort()

    def shutdown(self) -> None:
        """Ends the connection with the server, unless a page is being made for it."""
        if self._is_working and not self.transport.is_closing():
            super().shutdown()
        else:
            self.transport.abort()

    @property
    def _is_working(self) -> bool:
        """Whether the other side waits for us: the request is all here, its reply not done, what was sent is read."""
        has_request = self.conn.their_state not in (h11.IDLE, h11.SEND_BODY, h11.ERROR)
        return (
            has_request
            and self.cycle is not None
            and not self.cycle.response_complete
            and not self.flow.write_paused
            and not self.transport.is_closing()
        )

    def _set_deadline(self) -> None:
        self._clear_deadline()
        self._deadline = call_later(self.loop, SECONDS, self.transport.abort)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _make_room(self) -> None:
        if len(self.connections) <= self.most_connections:
            return
        live = [one for one in self.connections if not one.transport.is_closing()]
        if len(live) > self.most_connections:
            waiting = [
                (one._deadline.when(), number)
                for number, one in enumerate(live)
                if isinstance(one, BoundedConnection) and one._deadline is not None
            ]
            live[min(waiting)[1]].transport.abort()  # this connection waits too: there is always one


def allow_connections() -> int:
    """How many connections there may be: fewer where the system lets this process open few files."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_CONNECTIONS
    others = _OTHER_FILES + _BURSTS * BACKLOG
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(files // 4, files - others))


def server_settings(app: ASGIApp) -> uvicorn.Config:
    """The settings of a server: connections with deadlines, and no header of a proxy that says anything."""

    class Connection(BoundedConnection):
        most_connections = allow_connections()

    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="error",  # what is no HTTP is refused without a line for each
        access_log=False,
        server_header=False,
        lifespan="off",
        backlog=min(BACKLOG, Connection.most_connections // 2),  # fewer where fewer files may be open
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        proxy_headers=False,  # links and cookies follow what was typed (`--behind-proxy`)
    )


def serve(app: ASGIApp, site: SiteAddress, port: int, on_ready: Callable[[str], None]) -> None:
    """Serves an application until Ctrl-C."""
    with socket.socket(socket.AF_INET6 if ":" in site.host else socket.AF_INET) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((site.host, port))
        except OSError as error:
            raise UsageError(
                f"{site.host}, port {port}: cannot be listened on ({error.strerror}); name another --port"
            ) from error
        listening.listen()
        on_ready(site.link_address(listening.getsockname()[1]))
        uvicorn.Server(server_settings(app)).run(sockets=[listening])
