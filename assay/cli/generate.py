"""`assay sets generate`: an evaluation set from documents, by sections, topics, folds, questions and filters."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic_files import check_writable
from ..errors import InputError, JudgeError, UsageError
from ..interruption import DONE, TOO_MANY_FAILED
from ..presentation.result_table import Column, Paragraph, ReportBlock, ResultTable
from ..presentation.texts import one_line
from ..text.wording import count_of, list_first, verb_of
from .judge_session import JudgeSession, open_judge_session, question_progress, with_judge_session
from .options import OUTPUT_FILE, BoundedCount, FiniteRange, embedder_option, option_group, seed_option
from .output import count_progress, echo_notice, print_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..generation.folds import FoldPlan
    from ..generation.pair import Pair
    from ..generation.pair_selection import PairSelection
    from ..generation.questions import GeneratedQuestions
    from ..generation.section import Fold, Section
    from ..generation.topics import TopicDiscovery
    from ..runs import RunOptions

_KINDS = ("long-form", "factoid")

# how folds are separated and split, as `make_folds` takes it
with_fold_options = option_group(
    "fold_options",
    dict,
    click.option(
        "--folds",
        type=click.IntRange(1, 4),
        default=2,
        show_default=True,
        help="Groups of documents that share no information; 1: no unanswerable questions.",
    ),
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

with_question_options = option_group(
    "question_options",
    dict,
    click.option("--n", type=BoundedCount(), default=100, show_default=True, help="Pairs wanted."),
    click.option(
        "--factoid-share",
        type=FiniteRange(0, 1),
        default=0.2,
        show_default=True,
        help="Share of pairs that ask for a fact (telephone number, e-mail address, date, hours, amount, ...).",
    ),
    click.option("--domain", default="", help='What the documents are about, such as "a hospital".'),
    click.option("--role", "roles", multiple=True, help="Who asks, such as patient; repeatable."),
    click.option(
        "--candidates",
        type=click.IntRange(1, 10),
        default=3,
        show_default=True,
        help="Long-form pairs written for each section; the best one is selected.",
    ),
    seed_option,
    click.option("--max-failed", type=BoundedCount(0), default=0, show_default=True, help="Failed calls allowed."),
)


def _languages() -> tuple[str, ...]:
    """The languages in which questions are asked."""
    from ..prompts import prompt_names

    return prompt_names()["longform"]


def _check_language(_context: click.Context, _option: click.Parameter, typed: str | None) -> str | None:
    if typed is not None and typed not in _languages():
        raise click.BadParameter(f"{typed!r}: questions are asked in {' and '.join(_languages())}")
    return typed


def _check_documents(_context: click.Context, _argument: click.Parameter, typed: tuple[str, ...]) -> tuple[str, ...]:
    from ..generation.leaflets import NAME

    for place in typed:
        if place != NAME and not Path(place).exists():
            raise click.BadParameter(f"{place!r}: there is no such file or folder")
    return typed


@click.command()
@click.argument("docs", nargs=-1, required=True, callback=_check_documents)
@with_question_options
@click.option(
    "--language", callback=_check_language, help="Language (nl, en) of the documents. Default: it is detected."
)
@click.option("--topics", type=BoundedCount(2), help="Topics at most. Default: as many as the sections have.")
@with_fold_options
@embedder_option
@with_judge_session
@click.option("-o", "--out", type=OUTPUT_FILE, required=True, help="Set to write (.jsonl).")
def generate(
    *,
    docs: tuple[str, ...],
    question_options: Mapping[str, Any],
    language: str | None,
    topics: int | None,
    fold_options: Mapping[str, Any],
    embedder: str,
    judge: str | None,
    asking: "RunOptions",
    out: Path,
) -> None:
    """Make an evaluation set from documents.

    Questions and answers about DOCS, answerable and unanswerable. DOCS are files and folders: PDF, Markdown, HTML,
    DOCX, plain text (.txt).

    Beside the set are written its sections, topics, folds, all pairs, and the rejected ones with their reasons.

    \b
    assay sets generate leaflets/ --judge openai/gpt-4o-mini --n 100 -o leaflets.jsonl
    assay sets crosseval leaflets.jsonl --bot openai/gpt-4o-mini
    """
    from ..generation.folds import folds_block, topics_block
    from ..generation.pair import write_pairs
    from ..generation.pair_selection import write_selection
    from ..generation.section import write_sections

    check_output(out)
    if judge is None:
        raise UsageError("questions are written by a judge; name one with --judge")
    sections = _read_documents(docs, language)
    write_sections(sections, _path_beside(out, "sections"))
    with open_judge_session(judge, asking, out) as session:
        plan: FoldPlan | None = None
        found_topics: TopicDiscovery | None = None
        if fold_options["folds"] > 1:
            find = {"topics": topics, "seed": question_options["seed"]}
            found_topics, plan = _plan_folds(
                sections, out, session, question_options, fold_options, find=find, embedder=embedder
            )
        generated = _generate_questions(sections, plan.folds if plan else [], session, question_options)
        write_pairs(generated.pairs, _path_beside(out, "pairs"))
        if generated.failed and not generated.pairs:
            planned, reason = generated.failed[0]
            raise JudgeError(f"no call gave a pair; the first, {planned.section.id}: {one_line(reason)}")
        selection = _select_best_pairs(generated.pairs, sections, session, question_options, embedder=embedder)
        failed = len(generated.failed) + len(selection.failed)
        session.is_unfinished = failed > question_options["max_failed"]
        write_selection(selection, sections, out, _path_beside(out, "rejected"))
    print_result(
        lambda: {
            "set": str(out),
            "sections": len(sections),
            "pairs": len(generated.pairs),
            "failed": len(generated.failed) + len(selection.failed),
            "sections_in_folds": len(plan.folds) if plan else None,
            "usage": session.usage_as_json(),
            **_selection_as_json(selection),
        },
        *([topics_block(found_topics), folds_block(plan)] if found_topics and plan else []),
        _selection_block(selection, out, _path_beside(out, "rejected")),
        session.usage_line(),
    )
    click.get_current_context().exit(_report_failures(generated, selection, question_options["max_failed"]))


def check_output(out: Path) -> None:
    """Raises `UsageError` unless a .jsonl file can be written there: before anything is paid for."""
    if out.suffix != ".jsonl":
        raise UsageError(f"{out}: name a file that ends in .jsonl")
    check_writable(out)


def _path_beside(out: Path, what: str) -> Path:
    """The path of a file that belongs to a set."""
    return out.with_name(f"{out.stem}.{what}.jsonl")


def _read_documents(docs: "Sequence[str]", language: str | None) -> "list[Section]":
    """Extracts the sections of documents with a line of progress, and names each document that is left out."""
    from ..generation.documents import extract_sections
    from ..generation.documents.extraction import list_documents

    extractions = []
    with count_progress("documents", len(list_documents(docs))) as on_progress:
        for extraction in extract_sections(docs, language=language):
            extractions.append(extraction)
            on_progress(len(extractions))
    for extraction in extractions:
        if extraction.error is not None:
            echo_notice(f"left out: {extraction.error}")
    found, languages = [section for extraction in extractions for section in extraction.sections], _languages()
    sections = [section for section in found if section.language in languages]
    others = dict.fromkeys(section.document for section in found if section.language not in languages)
    if others:
        echo_notice(
            f"left out: {list_first([one_line(name) for name in others], 5)}: written in another language than "
            f"{' and '.join(languages)}, in which questions are asked; where it was detected wrongly, say --language"
        )
    if not sections:
        raise InputError("no document could be read; the reasons are above")
    return sections


@contextmanager
def _explain_no_folds() -> Iterator[None]:
    """Adds to the message that there are no folds how the command does without, and what is lost by it."""
    from ..generation.folds import FoldError

    try:
        yield
    except FoldError as error:
        raise UsageError(
            f"{error}; or use --folds 1: then no question is unanswerable, and `assay sets crosseval` cannot measure "
            "whether a bot declines what it cannot know"
        ) from error


def _plan_folds(
    sections: "Sequence[Section]",
    out: Path,
    session: JudgeSession,
    question_options: Mapping[str, Any],
    fold_options: Mapping[str, Any],
    *,
    find: Mapping[str, Any],
    embedder: str,
) -> "tuple[TopicDiscovery, FoldPlan]":
    """Finds topics, divides them over folds, and writes the files of both."""
    from ..generation.folds import leave_out_boilerplate, make_folds, require_documents
    from ..generation.questions import count_sections_needed
    from ..generation.section import write_folds
    from ..generation.topics import find_topics, write_topics

    divided = leave_out_boilerplate(sections)
    sections = divided.sections
    if left_out := divided.describe():
        echo_notice(left_out)
    with _explain_no_folds():
        require_documents(sections, fold_options["folds"], fold_options["separate"])
        with count_progress("sections", len(sections)) as on_progress:
            found_topics = asyncio.run(
                find_topics(sections, session.embedder(embedder), **find, on_progress=on_progress)
            )
        write_topics(found_topics.rows, _path_beside(out, "topics"))
        plan = make_folds(
            sections,
            found_topics.rows,
            sample=count_sections_needed(question_options["n"], question_options["factoid_share"]),
            seed=question_options["seed"],
            **fold_options,
        )
    write_folds(plan.folds, _path_beside(out, "folds"))
    return found_topics, plan


def _generate_questions(
    sections: "Sequence[Section]", folds: "Sequence[Fold]", session: JudgeSession, options: Mapping[str, Any]
) -> "GeneratedQuestions":
    """Has the session's judge write pairs, with a line of progress."""
    from ..generation.questions import generate_pairs, plan_questions

    judge = session.judge
    assert judge is not None  # the command asks for one
    planned = {name: options[name] for name in ("n", "factoid_share", "roles", "seed")}
    plan = plan_questions(sections, folds, **planned)
    if not plan:
        raise UsageError(
            "no section is long enough to ask about (20 words), and none holds a fact; add documents with more text"
        )
    with question_progress(judge, len(plan)) as on_reply:
        generated = asyncio.run(
            generate_pairs(
                plan,
                judge,
                domain=options["domain"],
                count=options["candidates"],
                concurrency=judge.settings.concurrency,
                on_reply=on_reply,
            )
        )
    session.is_unfinished = len(generated.failed) > options["max_failed"]
    return generated


def _select_best_pairs(
    pairs: "Sequence[Pair]",
    sections: "Sequence[Section]",
    session: JudgeSession,
    options: Mapping[str, Any],
    *,
    embedder: str,
) -> "PairSelection":
    """Filters pairs, with a line of progress over those that the session's judge scores."""
    from ..generation.pair_selection import select_pairs

    judge = session.judge
    assert judge is not None  # the command asks for one
    with question_progress(judge, len(pairs)) as on_reply:
        return asyncio.run(
            select_pairs(
                pairs,
                sections,
                session.embedder(embedder),
                judge,
                n=options["n"],
                factoid_share=options["factoid_share"],
                concurrency=judge.settings.concurrency,
                on_reply=on_reply,
            )
        )


def _selection_as_json(selection: "PairSelection") -> dict[str, Any]:
    """Returns how many pairs of each kind were selected, and what each filter rejected."""
    rows = [{"filter": row.name, "given": row.pairs, "rejected": row.rejected} for row in selection.counts]
    return {"kept": _count_kinds(selection.selected), "rejected": len(selection.rejected), "filters": rows}


def _selection_block(selection: "PairSelection", out: Path, rejected: Path) -> ReportBlock:
    """What each filter rejects, and where the pairs are."""
    columns = (Column("filter", "text"), *map(Column, ("pairs", "rejected", *_KINDS)))
    rows = []
    for row in selection.counts:
        total, rejected_count = sum(row.pairs.values()), sum(row.rejected.values())
        kinds = [f"{row.rejected.get(kind, 0)} of {row.pairs.get(kind, 0)}" for kind in _KINDS]
        share = f"{rejected_count} ({rejected_count / total:.0%})" if total else "0"
        rows.append((row.name, str(total), share, *kinds))
    count = len(selection.selected)
    kinds_selected = ", ".join(f"{number} {kind}" for kind, number in _count_kinds(selection.selected).items())
    line = f"{count_of(count, 'pair')} ({kinds_selected}) {verb_of(count, 'is', 'are')} in {out}"
    table = ResultTable("What each filter rejects", columns, tuple(rows))
    return ReportBlock((table, Paragraph(f"{line}, {len(selection.rejected):,} rejected in {rejected}")))


def _count_kinds(pairs: "Sequence[Pair]") -> dict[str, int]:
    return {kind: sum(pair.kind == kind for pair in pairs) for kind in _KINDS}


def _report_failures(generated: "GeneratedQuestions", selection: "PairSelection", max_failed: int) -> int:
    """Names the calls without a usable reply on standard error, and returns the exit code."""
    written = [(planned.section.id, reason) for planned, reason in generated.failed]
    too_many = len(written) + len(selection.failed) > max_failed
    cure = "; the same command asks them again" if too_many else ""
    for what, failed in (("pair", written), ("score", selection.failed)):
        if failed:
            name, reason = failed[0]
            echo_notice(
                f"{count_of(len(failed), 'call')} gave no {what}, {max_failed} allowed (--max-failed){cure}. "
                f"The first, {name}: {one_line(reason)}"
            )
    return TOO_MANY_FAILED if too_many else DONE
