"""Real servers of the rating and viewing pages, on this machine."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from web_server import serving

from assay.eval_sets import Sample
from assay.runs.database import open_database
from assay.runs.ratings import QueueSettings, RatingQueue

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


class RatingSite(NamedTuple):
    """A running rating application: its address, the links, its store's folder or URL, and the queue's id."""

    address: str
    links: dict[str, str]
    coordinator: str
    store: str | Path
    queue: str

    def ratings(self) -> list[Any]:
        """The ratings in the store, read on a connection of the test's own."""
        database = open_database(self.store, wait=10)
        try:
            return RatingQueue(database, self.queue).ratings()
        finally:
            database.close()


@pytest.fixture
def rating_site(tmp_path: Path) -> Iterator[Callable[..., RatingSite]]:
    """Serves a queue of samples; settings of the queue by keyword, the store (`store=`) is a folder if not named."""
    from contextlib import ExitStack

    from assay.web.connections import Connections
    from assay.web.rating_app import RatingApp

    with ExitStack() as servers:

        def start(
            samples: list[Sample], guideline: str = "Be fair.", store: str | Path = tmp_path, **settings: Any
        ) -> RatingSite:
            fields = {"raters": ("ada", "bob"), "repeat_share": 0.0} | settings
            database = open_database(store, wait=10)
            queue = RatingQueue.create(
                database, samples, QueueSettings.model_validate(fields), source="a set", guideline=guideline
            )
            database.close()
            app = RatingApp(Connections(store), queue.id)
            address = servers.enter_context(serving(app.asgi))
            links = {rater: address + path for rater, path in app.rater_paths().items()}
            return RatingSite(address, links, address + app.coordinator_path(), store, queue.id)

        yield start


class ViewSite(NamedTuple):
    """A running viewing application: its address, its link, and the folder with the store and the sets."""

    address: str
    link: str
    folder: Path


@pytest.fixture(scope="session")
def view_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], ViewSite]]:
    """Serves a folder's store (`.assay`), once per folder."""
    from contextlib import ExitStack

    from assay.web.connections import Connections
    from assay.web.set_folder import SetFolder
    from assay.web.view_app import ViewApp

    with ExitStack() as servers:

        def start(folder: Path) -> ViewSite:
            app = ViewApp(Connections(folder / ".assay"), SetFolder(folder))
            address = servers.enter_context(serving(app.asgi))
            return ViewSite(address, address + app.link_path(), folder)

        yield start
