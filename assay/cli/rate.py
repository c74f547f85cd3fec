"""`assay rate`: people rate answers on a page; `assay rate export`: what they said, as a set."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..installation import require_extra
from ..regular_files import read_text_file
from ..text.wording import count_of, reader_language, verb_of
from ..value_messages import describe_first_mistake
from .options import OUTPUT_FILE, SEED, BoundedCount, ServerOptions, server_options, with_file_options
from .output import echo, print_result, typed_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..runs.ratings import RatingQueue


@click.command()
@click.argument("sources", metavar="SET|RUN|QUEUE...", nargs=-1, required=True)
@click.option("--raters", metavar="NAME,NAME", help="Who rates; each gets a link. A QUEUE has its raters.")
@click.option(
    "--pairs",
    is_flag=True,
    help="Raters choose the better of two answers to a question, without knowing whose they are: of two runs or more "
    "(RUN or NAME=RUN, the first the one in use), or of one with --by.",
)
@click.option("--per-answer", type=BoundedCount(), help="Raters per answer or pair. Default: 2, or 1 with one rater.")
@click.option("--scale", show_default="1-5", metavar="LOW-HIGH", help="The rating scale.")
@click.option(
    "--guideline",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Text that raters see beside the answer. Changed, it begins a new series; the old one is kept.",
)
@click.option(
    "--turns",
    type=click.Choice(["none", "each"]),
    default="none",
    show_default=True,
    help="What of a conversation is rated: none of its turns but the whole, or each answer by itself (ID#PLACE).",
)
@click.option("--by", metavar="FIELD", help="With --pairs, the field of metadata that names each answer's version.")
@click.option(
    "--limit",
    type=BoundedCount(),
    help="At most so many answers, drawn at random, those without a rating first, or so many pairs: of more than two "
    "versions a random pair per question before any second one.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the order and of the hidden repeats.")
@with_file_options
@server_options(port=8321)
def rate(
    sources: tuple[str, ...],
    *,
    raters: str | None,
    pairs: bool,
    per_answer: int | None,
    scale: str | None,
    guideline: Path | None,
    turns: str,
    by: str | None,
    limit: int | None,
    seed: int,
    reading: "Mapping[str, Any]",
    server: ServerOptions,
    store: str | Path,
) -> None:
    """Collect ratings of answers, or choices between two, on a page in the browser.

    The answers are those of SET or RUN, or of a QUEUE that exists (rating-...), such as `assay watch` makes.

    Prints one link per rater, and one for who coordinates them. The same command again goes on where it was.

    \b
    assay rate helpdesk_en --raters ada,bob
    assay rate last --raters ada,bob,cleo --guideline guideline.md
    assay rate today=RUN_A new=RUN_B --pairs --raters ada,bob
    """
    from pydantic import ValidationError

    from ..runs import Store
    from ..runs.decision.queue_source import find_pairs, find_source, open_pair_queue, open_queue
    from ..runs.ratings import QueueSettings, RatingQueue

    runs = Store(store)
    source = sources[0]
    if len(sources) == 1 and source.startswith("rating-"):
        _serve(RatingQueue(runs.database, source), store, server)
        return
    if len(sources) > 1 and not pairs:
        raise UsageError(
            f"one SET, RUN or QUEUE is rated at a time, not {len(sources)}; --pairs compares their answers"
        )
    if pairs and scale is not None:
        raise UsageError("--pairs has no --scale: raters choose one answer, the other, or neither")
    if by is not None and not pairs:
        raise UsageError(f"--by {by} parts one run into versions, whose answers are compared: add --pairs")
    if raters is None:
        raise UsageError("name the raters: --raters NAME,NAME")
    names = tuple(name.strip() for name in raters.split(",") if name.strip())
    if not names:
        raise UsageError("--raters names nobody; write names with commas between them, such as --raters ada,bob")
    low, high = (-1, 1) if pairs else _read_scale(scale or "1-5")
    try:
        settings = QueueSettings.model_validate(
            {"raters": names, "per_answer": per_answer or min(2, len(names)), "rating_min": low, "rating_max": high}
            | {"seed": seed, "turns": turns}
        )
    except ValidationError as error:
        raise UsageError(f"--raters, --per-answer, --scale: {describe_first_mistake(error)}") from error
    text = None if guideline is None else read_text_file(guideline, "the guideline")
    if pairs:
        compared = find_pairs(runs, sources, by, settings.turns, reading)
        for note in compared.notes:
            echo(note)
        _serve(open_pair_queue(runs, compared, settings, guideline=text, limit=limit), store, server)
        return
    rated = find_source(runs, source, settings.turns, reading)
    queue = open_queue(runs, rated, settings, guideline=text, limit=limit)
    of_file = sum(rated.samples[name].human_rating is not None for name in queue.names() if name in rated.samples)
    _serve(queue, store, server, of_file)


def _serve(queue: "RatingQueue", store: str | Path, server: ServerOptions, of_file: int = 0) -> None:
    with require_extra("web", "the rating page"):
        from ..web.connections import Connections
        from ..web.rating_app import RatingApp
        from ..web.rating_meaning import MeaningOfRatings, has_scores
        from ..web.server import serve

    from ..runs import Store

    site = server.read_site()
    is_pairs = queue.has_pairs
    has_meaning = not queue.has_pairs and has_scores(queue, Store(store))
    meaning = MeaningOfRatings(store, queue.id) if has_meaning else None
    app = RatingApp(Connections(store), queue.id, site, meaning)

    def print_links(address: str) -> None:
        if server.new_links:  # not before it listens: without new links the earlier ones had ended for nothing
            app.end_links()
        done, total = queue.counts()
        for note in _queue_notes(queue, of_file):
            echo(note)
        echo(f"{queue.source}: {done} of {count_of(total, _noun(queue))}. Each rater opens their own link:\n")
        for rater, path in app.rater_paths().items():
            echo(f"  {rater}: {address}{path}")
        echo(f"\n  Progress, agreement and disagreements: {address}{app.coordinator_path()}")
        export = "choices as a file" if is_pairs else "ratings as a set"
        example = "pairs.jsonl" if is_pairs else "rated.jsonl"
        command = f"assay rate export {queue.id} --out {example}"
        echo(f"\nCtrl-C ends it; every {_noun(queue)} is kept. The {export}: {command}")

    try:
        serve(app.asgi, site, server.port, print_links)
    finally:
        if meaning is not None:
            meaning.close()


@click.command()
@click.argument("queue", default="last")
@click.option("--out", type=OUTPUT_FILE, help="Write the rated set, or the choices (.jsonl or .csv).")
@click.option("--series", type=BoundedCount(), help="Which series. Default: that of the present guideline.")
def export(queue: str, *, out: Path | None, series: int | None, store: str | Path) -> None:
    """Show the progress of a rating, or write it as a set.

    QUEUE is an id, or `last`. Of pairs, it writes one row per choice.

    \b
    assay rate export last
    assay rate export last --out rated.jsonl
    """
    from dataclasses import asdict

    from ..runs import Store
    from ..runs.ratings import RatingQueue
    from ..runs.ratings.judgement import queue_ids
    from ..runs.ratings.rating_progress import progress_blocks, rater_agreement, rater_progress, version_counts
    from ..web.rating_meaning import predict_queue_stability

    runs = Store(store, must_exist=True)
    database = runs.database
    known = queue_ids(database)
    if queue == "last" and not known:
        raise UsageError("nothing was rated in this store yet; begin with: assay rate SET --raters NAME,NAME")
    opened = RatingQueue(database, known[0] if queue == "last" else queue)
    if out is not None:
        _write(opened, out, series)
        return
    done, total = opened.counts()
    raters = rater_progress(opened)
    status = {"queue": opened.id, "source": opened.source, "series": opened.series, "ratings": done, "total": total}
    status |= {"raters": {one.name: one.ratings for one in raters}}
    if opened.has_pairs:
        agreement = rater_agreement(opened)
        status |= {"versions": [asdict(counts) for counts in version_counts(opened)], "agreement": None}
        if agreement is not None:
            status["agreement"] = {"pairs": agreement.items_rated_twice, "alpha": asdict(agreement.alpha)}
        rule = ""
    else:
        stability = predict_queue_stability(runs, opened)
        status["stop_rule"] = None if stability is None else asdict(stability) | {"may_stop": stability.may_stop}
        rule = "" if stability is None else stability.describe().write(reader_language())
    title = f"{opened.id}: {opened.source}, series {opened.series}"
    print_result(lambda: status, title, *progress_blocks(opened, reader_language()), *filter(None, [rule]))


def _write(queue: "RatingQueue", out: Path, series: int | None) -> None:
    """Writes the rated set, or the choices."""
    from ..eval_sets import write_set
    from ..runs.answers.rating_join import rated_samples
    from ..runs.ratings.rating_progress import queue_choices, write_choices

    if queue.has_pairs:
        choices = queue_choices(queue, series)
        write_choices(choices, out)
        same = sum(not choice.preference.rater for choice in choices)
        unasked = f" and {count_of(same, 'tie')} of the same answer twice" if same else ""
        echo(f"{count_of(len(choices) - same, 'choice')}{unasked} written to {out}")
    else:
        rated = rated_samples(queue, series)
        write_set(rated, out)
        echo(f"{count_of(len(rated), 'answer')} rated on the page of {queue.id} written to {out}")


def _noun(queue: "RatingQueue") -> str:
    return "choice" if queue.has_pairs else "rating"


def _item(queue: "RatingQueue") -> str:
    return "pair" if queue.has_pairs else "answer"


def _queue_notes(queue: "RatingQueue", of_file: int) -> "Iterator[str]":
    """What raters should know before they begin: what is not asked, how many are rated in the file, who gets what."""
    is_pairs = queue.has_pairs
    yield from (f"{series}." for series in queue.other_series())
    for other in [] if queue.counts()[0] else queue.others():
        done, total = other.counts()
        has_ratings = f"{other.id} has {done:,} of {count_of(total, _noun(queue))} of {queue.source}"
        yield f"This is a new queue. {has_ratings}; to go on with that one: {typed_command('rate', other.id)}"
    if is_pairs and (same := len(queue.comparison.same)):
        ties = verb_of(same, "is a tie", "are ties")
        yield f"{count_of(same, 'pair')} of the same answer twice {ties}, and not asked."
    if of_file:
        is_rated = verb_of(of_file, "is", "are")
        are_rated = f"{of_file:,} of {count_of(len(queue.names()), 'answer')} {is_rated} rated in the file"
        others = typed_command("rate", "NEW_FILE", "--raters", ",".join(queue.settings.raters))
        yield f"{are_rated}, and rated here again. For more rated answers, rate others: {others}"
    raters, each = len(queue.settings.raters), queue.settings.per_answer
    if each < raters:
        yield (
            f"Each {_item(queue)} goes to {each} of the {raters} raters, whoever opens it first: who comes late may "
            f"find none left. A new queue with --per-answer {raters} asks all."
        )


def _read_scale(text: str) -> tuple[int, int]:
    low, dash, high = text.partition("-")
    if not dash or not low.isdecimal() or not high.isdecimal():
        raise click.BadParameter(f"{text!r}: write LOW-HIGH, such as 1-5", param_hint="--scale")
    return int(low), int(high)
