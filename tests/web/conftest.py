"""Real servers of the rating and viewing pages, on this machine."""

from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest
from web_server import serving

from assay.eval_sets import write_set
from assay.runs import Store, open_database
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

    def ratings(self):
        """The ratings in the store, read on a connection of the test's own."""
        database = open_database(self.store, wait=10)
        try:
            return RatingQueue(database, self.queue).ratings()
        finally:
            database.close()


def serve_queue(servers, store, queue):
    """Serves a queue that is in a store."""
    from assay.web import Connections, RatingApp

    app = RatingApp(Connections(store), queue)
    address = servers.enter_context(serving(app.asgi))
    links = {rater: address + path for rater, path in app.rater_paths().items()}
    return RatingSite(address, links, address + app.coordinator_path(), store, queue)


@pytest.fixture
def pair_site(tmp_path):
    """Serves the pairs of two lists of samples, of the versions `version-old` and `version-new`."""
    from assay.runs import find_pairs, open_pair_queue

    with ExitStack() as servers:

        def start(old, new, **settings):
            typed = []
            for name, samples in (("version-old", old), ("version-new", new)):
                write_set(samples, tmp_path / f"set-of-{name}.jsonl")
                typed.append(f"{name}={tmp_path}/set-of-{name}.jsonl")
            fields = {"raters": ("ada", "bob"), "repeat_share": 0.0, "rating_min": -1, "rating_max": 1} | settings
            store = Store(tmp_path)
            checked = QueueSettings.model_validate(fields)
            queue = open_pair_queue(store, find_pairs(store, typed, None), checked, guideline="Be fair.")
            store.close()
            return serve_queue(servers, tmp_path, queue.id)

        yield start


@pytest.fixture
def rating_site(tmp_path):
    """Serves a queue of samples; settings of the queue by keyword, the store (`store=`) is a folder if not named."""
    with ExitStack() as servers:

        def start(samples, guideline="Be fair.", store=tmp_path, **settings):
            fields = {"raters": ("ada", "bob"), "repeat_share": 0.0} | settings
            database = open_database(store, wait=10)
            queue = RatingQueue.create(
                database, samples, QueueSettings.model_validate(fields), source="a set", guideline=guideline
            )
            database.close()
            return serve_queue(servers, store, queue.id)

        yield start


class ViewSite(NamedTuple):
    """A running viewing application: its address, its link, and the folder with the store."""

    address: str
    link: str
    folder: Path


@pytest.fixture(scope="session")
def view_site(tmp_path_factory):
    """Serves a folder's store (`.assay`), once per folder."""
    from assay.web import Connections, ViewApp

    with ExitStack() as servers:

        def start(folder):
            app = ViewApp(Connections(folder / ".assay"))
            address = servers.enter_context(serving(app.asgi))
            return ViewSite(address, address + app.link_path(), folder)

        yield start


@pytest.fixture
def open_page(browser):
    """Opens pages of a real browser that count what scripts that are not ours open."""
    with ExitStack() as contexts:

        def open_one(width=1280, height=900, **options):
            context = browser.new_context(viewport={"width": width, "height": height}, **options)
            contexts.callback(context.close)
            opened = context.new_page()
            opened.dialogs = []  # of alert() and the like
            opened.on("dialog", lambda dialog: (opened.dialogs.append(dialog.message), dialog.dismiss()))
            return opened

        yield open_one


@pytest.fixture
def page(open_page):
    """A page of a real browser."""
    return open_page()
