"""A real server of an application, on this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serves an application with uvicorn on a free port; gives its address."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    started = threading.Event()
    startup = server.startup

    async def startup_and_tell(sockets: Any = None) -> None:
        await startup(sockets)
        started.set()

    server.startup = startup_and_tell
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert started.wait(30)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=30)
