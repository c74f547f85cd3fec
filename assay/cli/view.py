"""`assay view`: runs, answers and nightly runs, on a page in the browser."""

from pathlib import Path

import click

from ..errors import UsageError
from ..installation import require_extra
from .output import echo


@click.command()
@click.argument("store", default=".assay", envvar="ASSAY_STORE", metavar="[STORE]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8322, show_default=True, help="Port; 0 takes a free one."
)
def view(store: str, *, host: str, port: int) -> None:
    """Look at runs, answers and nightly runs in the browser.

    STORE is the folder or the PostgreSQL URL of the runs (.assay). Prints a link. From an answer's page the answer can
    be given to raters, or added to a set (.jsonl) of the folder where this command was started.

    \b
    assay view
    assay view postgresql://ann@db.example.org/assay
    """
    from ..runs import Store

    with require_extra("web", "the viewing pages"):
        from ..web.connections import Connections
        from ..web.server import serve
        from ..web.set_folder import SetFolder
        from ..web.view_app import ViewApp

    opened = Store(store, must_exist=True)
    if opened.database.is_copy:
        raise UsageError(
            f"{opened.path}: the folder cannot be written to, and the page keeps an index of the answers there; copy "
            "the folder and name the copy (assay view COPY)"
        )
    app = ViewApp(Connections(store), SetFolder(Path.cwd()), hosts=(host, "localhost"))

    def print_link(address: str) -> None:
        echo(f"{opened.path}: {len(opened.run_ids())} runs. Open this link:\n\n  {address}{app.link_path()}\n")
        echo("Ctrl-C ends it. An answer's page has a link of its own that can be sent to a colleague.")

    serve(app.asgi, host, port, print_link)
