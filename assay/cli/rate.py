"""`assay rate`: people rate answers on a page; `assay ratings`: what they said, as a set."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..installation import require_extra
from ..regular_files import read_text_file
from ..text.wording import count_of
from ..value_messages import describe_first_mistake
from .number_types import SEED, BoundedCount
from .options import ServerOptions, json_option, server_options, store_option
from .output import echo, echo_json
from .output_files import OUTPUT_FILE

if TYPE_CHECKING:
    from ..runs.ratings import RatingQueue


@click.command()
@click.argument("source", metavar="SET|RUN|QUEUE")
@click.option("--raters", metavar="NAME,NAME", help="Who rates; each gets a link. A QUEUE has its raters.")
@click.option("--per-answer", type=BoundedCount(), help="Raters per answer. Default: 2, or 1 with one rater.")
@click.option("--scale", default="1-5", show_default=True, metavar="LOW-HIGH", help="The rating scale.")
@click.option(
    "--guideline",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Text that raters see beside the answer. Changed, it begins a new series; the old one is kept.",
)
@click.option(
    "--choose",
    type=click.Choice(["random", "spread", "disagreement", "active"]),
    default="random",
    show_default=True,
    help="Which answers come first; all but random need a RUN with scores.",
)
@click.option(
    "--turns",
    type=click.Choice(["none", "each"]),
    default="none",
    show_default=True,
    help="What of a conversation is rated: none of its turns but the whole, or each answer by itself (ID#PLACE).",
)
@click.option("--by", metavar="METRIC", help="The metric to choose by. Default: the run's first.")
@click.option("--limit", type=BoundedCount(), help="At most so many answers, drawn from all as --choose says.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the order and of the hidden repeats.")
@server_options(port=8321)
@store_option
def rate(
    source: str,
    *,
    raters: str | None,
    per_answer: int | None,
    scale: str,
    guideline: Path | None,
    choose: str,
    turns: str,
    by: str | None,
    limit: int | None,
    seed: int,
    server: ServerOptions,
    store: str | Path,
) -> None:
    """Collect ratings of answers on a page in the browser.

    The answers are those of SET or RUN, or of a QUEUE that exists (rating-...), such as `assay view` makes.

    Prints one link per rater, and one for who coordinates them. The same command again goes on where it was.

    \b
    assay rate helpdesk_en --raters ada,bob
    assay rate last --raters ada,bob,cleo --guideline guideline.md --choose spread
    """
    from ..runs import Store
    from ..runs.ratings import QueueSettings, RatingQueue
    from ..runs.ratings.rating_source import find_source, open_queue

    runs = Store(store)
    if source.startswith("rating-"):
        _serve(RatingQueue(runs.database, source), store, server)
        return
    if raters is None:
        raise UsageError("name the raters: --raters NAME,NAME")
    names = tuple(name.strip() for name in raters.split(",") if name.strip())
    if not names:
        raise UsageError("--raters names nobody; write names with commas between them, such as --raters ada,bob")
    low, high = _read_scale(scale)
    try:
        settings = QueueSettings.model_validate(
            {"raters": names, "per_answer": per_answer or min(2, len(names)), "rating_min": low, "rating_max": high}
            | {"choose": choose, "seed": seed, "turns": turns}
        )
    except ValueError as error:
        raise UsageError(f"--raters, --per-answer, --scale: {_first_message(error)}") from error
    text = None if guideline is None else read_text_file(guideline, "the guideline")
    queue = open_queue(runs, find_source(runs, source, settings.turns), settings, guideline=text, by=by, limit=limit)
    _serve(queue, store, server)


def _serve(queue: "RatingQueue", store: str | Path, server: ServerOptions) -> None:
    with require_extra("web", "the rating page"):
        from ..web.connections import Connections
        from ..web.rating_app import RatingApp
        from ..web.rating_meaning import MeaningOfRatings
        from ..web.server import serve

    from ..runs import Store
    from ..runs.ratings.rating_meaning import has_scores

    site = server.read_site()
    meaning = MeaningOfRatings(store, queue.id) if has_scores(queue, Store(store)) else None
    app = RatingApp(Connections(store), queue.id, site, meaning)

    def print_links(address: str) -> None:
        if server.new_links:  # not before it listens: without new links the earlier ones had ended for nothing
            app.end_links()
        done, total = queue.counts()
        echo(f"{queue.source}: {done} of {count_of(total, 'rating')}. Each rater opens their own link:\n")
        for rater, path in app.rater_paths().items():
            echo(f"  {rater}: {address}{path}")
        echo(f"\n  Progress, agreement and disagreements: {address}{app.coordinator_path()}")
        echo(
            f"\nCtrl-C ends it; every rating is kept. The ratings as a set: assay ratings {queue.id} --out rated.jsonl"
        )

    try:
        serve(app.asgi, site, server.port, print_links)
    finally:
        if meaning is not None:
            meaning.close()


@click.command()
@click.argument("queue", default="last")
@click.option("--out", type=OUTPUT_FILE, help="Write the rated set (.jsonl or .csv).")
@click.option("--series", type=BoundedCount(), help="Which series. Default: that of the present guideline.")
@store_option
@json_option
def ratings(queue: str, *, out: Path | None, series: int | None, store: str | Path, as_json: bool) -> None:
    """Show the progress of a rating, or write it as a set.

    QUEUE is an id, or `last`.

    \b
    assay ratings last
    assay ratings last --out rated.jsonl
    """
    from dataclasses import asdict

    from ..eval_sets import write_set
    from ..runs import Store
    from ..runs.ratings import RatingQueue
    from ..runs.ratings.rated_set import rated_samples
    from ..runs.ratings.rating_meaning import predict_queue_stability
    from ..runs.ratings.rating_progress import rater_progress
    from ..runs.ratings.rating_queue import queue_ids

    runs = Store(store, must_exist=True)
    database = runs.database
    known = queue_ids(database)
    if queue == "last" and not known:
        raise UsageError("nothing was rated in this store yet; begin with: assay rate SET --raters NAME,NAME")
    opened = RatingQueue(database, known[0] if queue == "last" else queue)
    if out is not None:
        rated = rated_samples(opened, series)
        write_set(rated, out)
        echo(f"{count_of(len(rated), 'rated answer')} written to {out}")
        return
    done, total = opened.counts()
    progress = rater_progress(opened)
    stability = predict_queue_stability(runs, opened)
    if as_json:
        status = {"queue": opened.id, "source": opened.source, "series": opened.series, "ratings": done, "total": total}
        rule = None if stability is None else asdict(stability) | {"may_stop": stability.may_stop}
        echo_json(status | {"raters": {one.name: one.ratings for one in progress}, "stop_rule": rule})
        return
    echo(f"{opened.id}: {opened.source}, series {opened.series}, {done} of {count_of(total, 'rating')}")
    for one in progress:
        pace = "" if one.median_seconds is None else f", {one.median_seconds:.0f} s per answer"
        echo(f"  {one.name}: {count_of(one.ratings, 'answer')}{pace}")
    if stability is not None:
        echo(f"{stability}.")


def _read_scale(text: str) -> tuple[int, int]:
    low, dash, high = text.partition("-")
    if not dash or not low.isdecimal() or not high.isdecimal():
        raise click.BadParameter(f"{text!r}: write LOW-HIGH, such as 1-5", param_hint="--scale")
    return int(low), int(high)


def _first_message(error: ValueError) -> str:
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        return describe_first_mistake(error)
    return str(error)
