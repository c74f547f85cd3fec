"""Serving an application on this machine: its address and its names."""

import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp

from ..errors import UsageError

_HOST_HEADER = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}))(?::[0-9]{1,5})?")
_PUBLIC = re.compile(r"(https?)://((?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]))(?::([0-9]{1,5}))?/?")
_PORTS = {"http": "80", "https": "443"}
_LONGEST_HEAD = 64 * 1024  # bytes of a request's headers: a browser may have the cookies of a hundred queues


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


def server_settings(app: ASGIApp) -> uvicorn.Config:
    """The settings of a server: no header of a proxy says anything, and Ctrl-C waits a second for who is slow."""
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        log_level="error",  # what is no HTTP is refused without a line for each
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
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
