"""A real server of an application, on this machine."""

import threading
from contextlib import contextmanager


@contextmanager
def serving(app):
    """Serves an application as `assay rate` and `assay view` do, on a free port; gives its address."""
    import uvicorn

    from assay.web import server_settings

    settings = server_settings(app)
    settings.port = 0
    server = uvicorn.Server(settings)
    started = threading.Event()
    startup = server.startup

    async def startup_and_tell(sockets=None):
        await startup(sockets)
        started.set()

    server.startup = startup_and_tell
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert started.wait(30)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=30)
