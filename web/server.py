"""Serving an application on this machine until it is interrupted."""

import socket
from collections.abc import Callable

from starlette.types import ASGIApp

from ..errors import UsageError


def serve(app: ASGIApp, host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Serves an application until Ctrl-C.

    Args:
        app: The ASGI application.
        host: The address to listen on.
        port: The port; 0 takes a free one.
        on_ready: Called with the server's address (`http://HOST:PORT`) when it listens.

    Raises:
        UsageError: The address cannot be listened on.
    """
    import uvicorn

    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="off")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise UsageError(
                f"{host}, port {port}: cannot be listened on ({error.strerror}); name another --port"
            ) from error
        listening.listen()
        bound = listening.getsockname()[1]
        on_ready(f"http://{f'[{host}]' if ':' in host else host}:{bound}")
        uvicorn.Server(config).run(sockets=[listening])
