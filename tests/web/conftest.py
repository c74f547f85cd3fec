"""A real server of the rating pages, on this machine."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assay.eval_sets import Sample
from assay.runs.database import open_database
from assay.runs.ratings import QueueSettings, RatingQueue

pytest.importorskip("starlette")
uvicorn = pytest.importorskip("uvicorn")


class RatingSite(NamedTuple):
    """A running rating application: its address, the links, and its store's folder."""

    address: str
    links: dict[str, str]
    coordinator: str
    folder: Path
    queue: str

    def ratings(self) -> list[Any]:
        """The ratings in the store, read on a connection of the test's own."""
        database = open_database(self.folder, wait=10)
        try:
            return RatingQueue(database, self.queue).ratings()
        finally:
            database.close()


@pytest.fixture
def rating_site(tmp_path: Path) -> Iterator[Callable[..., RatingSite]]:
    """Serves a queue of samples with uvicorn on a free port; settings of the queue by keyword."""
    from assay.web.connections import Connections
    from assay.web.rating_app import RatingApp

    servers: list[tuple[Any, threading.Thread]] = []

    def start(samples: list[Sample], guideline: str = "Be fair.", **settings: Any) -> RatingSite:
        fields = {"raters": ("ada", "bob"), "repeat_share": 0.0} | settings
        database = open_database(tmp_path, wait=10)
        queue = RatingQueue.create(
            database, samples, QueueSettings.model_validate(fields), source="a set", guideline=guideline
        )
        database.close()
        app = RatingApp(Connections(tmp_path), queue.id)
        server = uvicorn.Server(uvicorn.Config(app.asgi, host="127.0.0.1", port=0, log_level="warning"))
        started = threading.Event()
        startup = server.startup

        async def startup_and_tell(sockets: Any = None) -> None:
            await startup(sockets)
            started.set()

        server.startup = startup_and_tell
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        assert started.wait(30)
        servers.append((server, thread))
        port = server.servers[0].sockets[0].getsockname()[1]
        address = f"http://127.0.0.1:{port}"
        links = {rater: address + path for rater, path in app.rater_paths().items()}
        return RatingSite(address, links, address + app.coordinator_path(), tmp_path, queue.id)

    yield start
    for server, thread in servers:
        server.should_exit = True
        thread.join(timeout=30)
