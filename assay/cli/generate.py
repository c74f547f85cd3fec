"""`assay sets generate` and its first stages: from documents to sections, topics and folds without common facts."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, UsageError
from ..shell_words import quote_word
from .options import embedder_option, option_group
from .output import echo_notice, print_result
from .progress import count_progress
from .typed_values import OUTPUT_FILE, SEED, BoundedCount, FiniteRange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..generation.documents import Extraction
    from ..generation.folds import Leaks
    from ..generation.topics import Method

# The name of the command behind `assay sets generate DOCS`: nothing to type, nothing in its usage line. A file of its
# own adds it with `@generate.command(WHOLE, hidden=True)`, and further stages with `@generate.command()`.
WHOLE = ""


class _StagesOrWhole(click.Group):
    """A group whose commands are the stages; what names none of them goes to the command of the whole."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts the whole's name before what was typed, unless a stage or the group's own help was asked for."""
        asked = args[0] if args else "--help"
        if asked not in self.commands and asked not in ctx.help_option_names and WHOLE in self.commands:
            args = [WHOLE, *args]
        return super().parse_args(ctx, args)


@click.group(
    cls=_StagesOrWhole, options_metavar="DOCS [OPTIONS]\n       assay sets generate", subcommand_metavar="STAGE ..."
)
def generate() -> None:
    """Make an evaluation set from documents.

    Questions and answers about DOCS, answerable and unanswerable.

    Each stage is also a command of its own, that reads and writes files which one can look at.

    \b
    assay sets generate leaflets/ --judge openai/gpt-4o-mini -o leaflets.jsonl
    assay sets generate leaflets/ --help
    assay sets generate sections leaflets/ -o sections.jsonl
    """


_FILE = click.Path(path_type=Path, dir_okay=False)
seed_option = click.option(
    "--seed", type=SEED, default=0, show_default=True, help="The same seed gives the same result."
)


# how folds are separated and split, as `make_folds` takes it
with_fold_options = option_group(
    "fold_options",
    dict,
    click.option(
        "--separate",
        type=click.Choice(["document", "page"]),
        default="document",
        show_default=True,
        help="What is never in two folds.",
    ),
    click.option(
        "--test-share", type=FiniteRange(0, 0.9), default=0.2, show_default=True, help="Share of the test split."
    ),
    click.option(
        "--smallest-fold",
        "smallest",
        type=FiniteRange(0, 0.5),
        default=0.2,
        show_default=True,
        help="Smallest share of the sections in a fold.",
    ),
)


@contextmanager
def explain_no_folds(cure: str) -> Iterator[None]:
    """Adds to the message that there are no folds how a command does without, and what is lost by it."""
    from ..generation.folds import FoldError

    try:
        yield
    except FoldError as error:
        raise UsageError(
            f"{error}; or {cure}: then no question is unanswerable, and `assay sets crosseval` cannot measure whether "
            "a bot declines what it cannot know"
        ) from error


def _check_language(_context: click.Context, _option: click.Parameter, typed: str | None) -> str | None:
    if typed is not None and not (len(typed) == 2 and typed.isalpha() and typed.islower()):
        raise click.BadParameter(f"{typed!r}: write nl, en or another code of two letters")
    return typed


document_language_option = click.option(
    "--language", callback=_check_language, help="Language (nl, en) of the documents. Default: it is detected."
)
time_limit_option = click.option(
    "--time-limit",
    type=FiniteRange(min=0, min_open=True),
    default=300.0,
    show_default=True,
    help="Seconds for one document; one that takes longer is left out.",
)


def _read_numbers(_context: click.Context, _option: click.Parameter, typed: str | None) -> tuple[int, ...] | None:
    """Reads `5,10,15`: whole numbers of 2 or more."""
    if typed is None:
        return None
    try:
        numbers = tuple(int(part) for part in typed.split(","))
    except ValueError:
        raise click.BadParameter(f"{typed!r}: write whole numbers with commas, such as 5,10,15") from None
    if min(numbers) < 2:
        raise click.BadParameter(f"{typed!r}: each number must be 2 or more")
    return numbers


@generate.command()
@click.argument("docs", nargs=-1, required=True)
@click.option("-o", "--out", type=OUTPUT_FILE, help="Sections to write (.jsonl). Default: their titles are shown.")
@document_language_option
@time_limit_option
@click.option("--header", type=FiniteRange(min=0), help="Depth of a PDF's header in points. Default: detected.")
@click.option("--footer", type=FiniteRange(min=0), help="Depth of a PDF's footer in points. Default: detected.")
def sections(
    *,
    docs: tuple[str, ...],
    out: Path | None,
    **reading: Any,
) -> None:
    """Split documents into sections.

    DOCS are files and folders: PDF, Markdown, HTML, DOCX.

    \b
    assay sets generate sections leaflets/
    assay sets generate sections leaflets/ -o sections.jsonl
    """
    from ..generation.section import write_sections
    from ..generation.stage_blocks import sections_as_json, sections_block

    extractions = read_documents(docs, **reading)
    if out is not None:
        write_sections([section for extraction in extractions for section in extraction.sections], out)
    print_result(lambda: sections_as_json(extractions), sections_block(extractions, titles=out is None))


def read_documents(docs: "Sequence[str]", **reading: Any) -> "list[Extraction]":
    """Extracts the sections of documents with a bar, and names each document that is left out."""
    from ..generation.documents import extract_sections
    from ..generation.documents.extraction import list_documents

    extractions = []
    with count_progress("documents", len(list_documents(docs))) as on_progress:
        for extraction in extract_sections(docs, **reading):
            extractions.append(extraction)
            on_progress(len(extractions))
    for extraction in extractions:
        if extraction.error is not None:
            echo_notice(f"left out: {extraction.error}")
    if not any(extraction.sections for extraction in extractions):
        raise InputError("no document could be read; the reasons are above")
    return extractions


@generate.command()
@click.argument("sections_file", metavar="SECTIONS", type=_FILE)
@click.option("-o", "--out", type=OUTPUT_FILE, help="Topics to write (.jsonl).")
@click.option(
    "--method",
    type=click.Choice(["auto", "bertopic", "plain"]),
    default="auto",
    show_default=True,
    help="plain: agglomerative clustering, for small collections; auto: bertopic from 300 sections.",
)
@click.option("--topics", "number", type=BoundedCount(2), help="Topics at most (bertopic) or exactly (plain).")
@click.option(
    "--dimensions", callback=_read_numbers, metavar="N,N,...", help="Dimensions of the reduced space to try (bertopic)."
)
@click.option("--smallest", callback=_read_numbers, metavar="N,N,...", help="Smallest topic sizes to try (bertopic).")
@click.option("--many-subjects", is_flag=True, help="A document is about several subjects: its sections may part.")
@embedder_option
@seed_option
def topics(
    *,
    sections_file: Path,
    out: Path | None,
    method: "Method",
    number: int | None,
    dimensions: tuple[int, ...] | None,
    smallest: tuple[int, ...] | None,
    many_subjects: bool,
    embedder: str,
    seed: int,
) -> None:
    """Find what the SECTIONS are about.

    \b
    assay sets generate topics sections.jsonl -o topics.jsonl
    assay sets generate topics sections.jsonl --dimensions 5,10,15 --smallest 10,20,30
    """
    from ..generation.section import read_sections
    from ..generation.stage_blocks import topics_as_json, topics_block
    from ..generation.topics import find_topics, write_topics
    from ..generation.topics.grid_search import default_grid
    from ..judges.embedders import load_embedder

    sections = read_sections(sections_file)
    default_dimensions, default_sizes = default_grid(len(sections))
    with count_progress("sections", len(sections)) as on_progress:
        result = asyncio.run(
            find_topics(
                sections,
                load_embedder(embedder),
                method=method,
                topics=number,
                grid=(dimensions or default_dimensions, smallest or default_sizes),
                seed=seed,
                one_subject=not many_subjects,
                on_progress=on_progress,
            )
        )
    if out is not None:
        write_topics(result.rows, out)
    print_result(lambda: topics_as_json(result), topics_block(result))


@generate.command()
@click.argument("sections_file", metavar="SECTIONS", type=_FILE)
@click.argument("topics_file", metavar="TOPICS", type=_FILE)
@click.option("-o", "--out", type=OUTPUT_FILE, help="Folds to write (.jsonl).")
@click.option("--folds", "number", type=click.IntRange(2, 4), default=2, show_default=True, help="Folds to make.")
@with_fold_options
@click.option("--sample", type=BoundedCount(), help="Sections to make questions of. Default: all.")
@click.option("--leak-check/--no-leak-check", "check", default=True, help="Count what the folds share.")
@embedder_option
@seed_option
def folds(
    *,
    sections_file: Path,
    topics_file: Path,
    out: Path | None,
    number: int,
    fold_options: Mapping[str, Any],
    sample: int | None,
    check: bool,
    embedder: str,
    seed: int,
) -> None:
    """Divide sections into folds that share no information.

    The folds are made of the TOPICS of SECTIONS, each with a validation and a test split.

    \b
    assay sets generate folds sections.jsonl topics.jsonl -o folds.jsonl
    assay sets generate folds sections.jsonl topics.jsonl --separate page --sample 100
    """
    from ..generation.folds import compare_leaks, make_folds
    from ..generation.section import read_sections, write_folds
    from ..generation.stage_blocks import folds_as_json, folds_block
    from ..generation.topics import read_topics
    from ..judges.embedders import load_embedder

    sections = read_sections(sections_file)
    command = f"assay sets generate questions {quote_word(sections_file)} --judge MODEL -o pairs.jsonl"
    with explain_no_folds(f"leave this step out (`{command}`)"):
        plan = make_folds(
            sections,
            read_topics(topics_file),
            folds=number,
            sample=sample,
            seed=seed,
            **fold_options,
        )
    if out is not None:
        write_folds(plan.folds, out)
    leaks: dict[str, Leaks] = {}
    if check:
        with count_progress("sections", len(plan.before)) as on_progress:
            leaks = asyncio.run(compare_leaks(sections, plan, load_embedder(embedder), seed, on_progress))
    print_result(lambda: folds_as_json(plan, leaks), folds_block(plan, leaks))
