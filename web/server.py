"""Serving an application on this machine until it is interrupted."""

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.types import ASGIApp

from ..errors import UsageError
from .site_address import SiteAddress

if TYPE_CHECKING:
    import uvicorn

_LONGEST_HEAD = 64 * 1024  # bytes of a request's headers: a browser may have the cookies of a hundred queues
_THIS_MACHINE = "127.0.0.1,::1,::ffff:127.0.0.1"


def server_settings(app: ASGIApp, site: SiteAddress) -> "uvicorn.Config":
    """The settings of a server: connections with deadlines, and no header of a proxy that was not announced.

    Behind a proxy (`site.public`) the last address of `X-Forwarded-For` counts as the visitor's, and only where the
    connection comes from this machine. Without one that header, and the variable `FORWARDED_ALLOW_IPS`, say nothing.
    """
    import uvicorn

    from .bounded_connection import BoundedConnection, allow_connections, backlog_beside

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
        backlog=backlog_beside(Connection.most_connections),
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        proxy_headers=bool(site.public),
        forwarded_allow_ips=_THIS_MACHINE,
    )


def serve(app: ASGIApp, site: SiteAddress, port: int, on_ready: Callable[[str], None]) -> None:
    """Serves an application until Ctrl-C."""
    import uvicorn

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
        uvicorn.Server(server_settings(app, site)).run(sockets=[listening])
