"""`assay generate sections`, `topics` and `folds`: from documents to sections that share no information."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .generate import generate
from .options import embedder_option, json_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..generation.folds import Leaks

_FILE = click.Path(path_type=Path, dir_okay=False)
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="The same seed, the same result.")


def fold_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    """How the folds are kept apart, and parted."""
    apart = click.option(
        "--separate",
        type=click.Choice(["document", "page"]),
        default="document",
        show_default=True,
        help="What may not stand in two folds.",
    )
    share = click.FloatRange(0, 0.9)
    test = click.option("--test-share", type=share, default=0.2, show_default=True, help="Share for the test.")
    return apart(test(command))


def _numbers(_ctx: click.Context, _param: click.Parameter, typed: str | None) -> tuple[int, ...] | None:
    """Whole numbers from 2 on, with commas, as in 5,10,15."""
    if typed is None:
        return None
    try:
        numbers = tuple(int(part) for part in typed.split(","))
    except ValueError:
        raise click.BadParameter(f"{typed!r}: write whole numbers with commas, such as 5,10,15") from None
    if min(numbers) < 2:
        raise click.BadParameter(f"{typed!r}: each has to be 2 or more")
    return numbers


@generate.command()
@click.argument("docs", nargs=-1, required=True)
@click.option("-o", "--out", type=_FILE, help="Sections to write (.jsonl); if not given, their titles are shown.")
@click.option("--language", help="Language (nl, en) of the documents; if not given, it is detected.")
@click.option("--header", type=click.FloatRange(min=0), help="Depth of a PDF's header in points; found if not given.")
@click.option("--footer", type=click.FloatRange(min=0), help="Depth of a PDF's footer in points; found if not given.")
@json_option
def sections(
    *,
    docs: tuple[str, ...],
    out: Path | None,
    language: str | None,
    header: float | None,
    footer: float | None,
    as_json: bool,
) -> None:
    """Take DOCS (files, folders: PDF, Markdown, HTML, DOCX) apart into sections.

    \b
    assay generate sections leaflets/
    assay generate sections leaflets/ -o sections.jsonl
    """
    from ..generation.documents import extract_sections
    from ..generation.documents.extraction import list_documents
    from ..generation.section import write_sections
    from ..generation.stage_tables import print_sections, sections_as_json
    from ..runs.report import plain

    check_language(language)
    total = len(list_documents(docs))
    with counting("documents", total, silent=as_json) as count:
        found = []
        for extraction in extract_sections(docs, language=language, header=header, footer=footer):
            found.append(extraction)
            count(len(found))
    every = [section for extraction in found for section in extraction.sections]
    for extraction in found:
        if extraction.error is not None:
            click.echo(f"assay: left out: {plain(str(extraction.error))}", err=True)
    if not every:
        raise InputError("no document could be read; the reasons are above")
    if out is not None:
        write_sections(every, out)
    if as_json:
        click.echo(json.dumps(sections_as_json(found), ensure_ascii=False))
    else:
        print_sections(found, titles=out is None)


@generate.command()
@click.argument("sections_", metavar="SECTIONS", type=_FILE)
@click.option("-o", "--out", type=_FILE, help="Topics to write (.jsonl).")
@click.option(
    "--method",
    type=click.Choice(["auto", "bertopic", "plain"]),
    default="auto",
    show_default=True,
    help="plain: agglomerative clustering, for small collections; auto: bertopic from 300 sections.",
)
@click.option("--topics", "number", type=click.IntRange(min=2), help="Topics at most (bertopic) or exactly (plain).")
@click.option(
    "--dimensions", callback=_numbers, metavar="N,N,...", help="Dimensions of the reduced space to try (bertopic)."
)
@click.option("--smallest", callback=_numbers, metavar="N,N,...", help="Smallest topic sizes to try (bertopic).")
@click.option("--many-subjects", is_flag=True, help="A document is about several subjects: its sections may part.")
@embedder_option
@seed_option
@json_option
def topics(
    *,
    sections_: Path,
    out: Path | None,
    number: int | None,
    dimensions: tuple[int, ...] | None,
    smallest: tuple[int, ...] | None,
    many_subjects: bool,
    embedder: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Find what the SECTIONS are about.

    \b
    assay generate topics sections.jsonl -o topics.jsonl
    assay generate topics sections.jsonl --dimensions 5,10,15 --smallest 10,20,30
    """
    from ..generation.section import read_sections
    from ..generation.stage_tables import print_topics, topics_as_json
    from ..generation.topics import find_topics, write_topics
    from ..generation.topics.grid_search import default_grid
    from ..judges.embedders import load_embedder

    read = read_sections(sections_)
    usual = default_grid(len(read))
    with counting("sections", len(read), silent=as_json) as count:
        found = asyncio.run(
            find_topics(
                read,
                load_embedder(embedder),
                topics=number,
                grid=(dimensions or usual[0], smallest or usual[1]),
                one_subject=not many_subjects,
                on_progress=count,
                **options,
            )
        )
    if out is not None:
        write_topics(found.rows, out)
    if as_json:
        click.echo(json.dumps(topics_as_json(found), ensure_ascii=False))
    else:
        print_topics(found)


@generate.command()
@click.argument("sections_", metavar="SECTIONS", type=_FILE)
@click.argument("topics_", metavar="TOPICS", type=_FILE)
@click.option("-o", "--out", type=_FILE, help="Folds to write (.jsonl).")
@click.option("--folds", "number", type=click.IntRange(2, 4), default=2, show_default=True, help="Folds to make.")
@fold_options
@click.option("--sample", type=click.IntRange(min=1), help="Sections to make questions of; all, if not given.")
@click.option(
    "--smallest-fold",
    "smallest",
    type=click.FloatRange(0, 0.5),
    default=0.2,
    show_default=True,
    help="Share of the sections that the smaller fold has to keep.",
)
@click.option("--leak-check/--no-leak-check", "check", default=True, help="Count what the folds share.")
@embedder_option
@seed_option
@json_option
def folds(
    *,
    sections_: Path,
    topics_: Path,
    out: Path | None,
    number: int,
    check: bool,
    embedder: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Put the TOPICS of SECTIONS into folds that share no information, each with a validation and a test part.

    \b
    assay generate folds sections.jsonl topics.jsonl -o folds.jsonl
    assay generate folds sections.jsonl topics.jsonl --separate page --sample 100
    """
    from ..generation.folds import compare_leaks, make_folds
    from ..generation.section import read_sections, write_folds
    from ..generation.stage_tables import folds_as_json, print_folds
    from ..generation.topics import read_topics
    from ..judges.embedders import load_embedder

    read = read_sections(sections_)
    found = make_folds(read, read_topics(topics_), folds=number, **options)
    if out is not None:
        write_folds(found.folds, out)
    shared: dict[str, Leaks] = {}
    if check:
        with counting("sections", len(found.before), silent=as_json) as count:
            shared = asyncio.run(compare_leaks(read, found, load_embedder(embedder), options["seed"], count))
    if as_json:
        click.echo(json.dumps(folds_as_json(found, shared), ensure_ascii=False))
    else:
        print_folds(found, shared)


def check_language(language: str | None) -> None:
    """Raises `BadParameter` for what is no ISO 639-1 code."""
    if language is not None and not (len(language) == 2 and language.isalpha() and language.islower()):
        raise click.BadParameter(f"{language!r}: write nl, en or another code of two letters", param_hint="--language")


@contextmanager
def counting(things: str, total: int, *, silent: bool) -> "Iterator[Callable[[int], None]]":
    """A bar on standard error of how many of `total` things are done; nothing in a pipe."""
    from rich import progress as bar
    from rich.console import Console

    console = Console(stderr=True)
    if silent or not console.is_terminal:
        yield lambda _: None
        return
    columns = (bar.BarColumn(bar_width=24), bar.MofNCompleteColumn(), bar.TextColumn(things), bar.TimeElapsedColumn())
    with bar.Progress(*columns, console=console, transient=True) as live:
        task = live.add_task("", total=total)
        yield lambda done: live.update(task, completed=done)
