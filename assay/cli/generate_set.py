"""`assay generate DOCS`: all stages in one go, each leaving the file that its own command would write."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, UsageError
from .generate import WHOLE, generate
from .generate_documents import check_language, counting, fold_options
from .generate_questions import (
    beside,
    best_pairs,
    check_place,
    failures,
    filter_options,
    filtered_as_json,
    make_questions,
    print_filtered,
    question_options,
    write_filtered,
)
from .judge_session import JudgeSession, open_judge_session, with_judge_session
from .options import embedder_option, json_option

if TYPE_CHECKING:
    from ..generation.folds import FoldPlan
    from ..generation.section import Section


@generate.command(WHOLE, hidden=True)
@click.argument("docs", nargs=-1, required=True)
@question_options
@click.option("--language", help="Language (nl, en) of the documents; if not given, it is detected.")
@click.option("--topics", type=click.IntRange(min=2), help="Topics at most; if not given, as the sections have them.")
@click.option(
    "--folds",
    type=click.IntRange(1, 4),
    default=2,
    show_default=True,
    help="Groups of documents that share no information; 1: no unanswerable questions.",
)
@fold_options
@filter_options
@embedder_option
@with_judge_session
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="Set to write (.jsonl).")
@json_option
def whole(docs: tuple[str, ...], out: Path, **options: Any) -> None:
    """Make an evaluation set from DOCS (files, folders: PDF, Markdown, HTML, DOCX).

    Beside the set are written its sections, topics, folds, all pairs, and the rejected ones with their reasons.

    \b
    assay generate leaflets/ --judge openai/gpt-4o-mini --n 100 -o leaflets.jsonl
    assay crosseval leaflets.jsonl --bot openai/gpt-4o-mini
    """
    from ..generation.pair import write_pairs
    from ..generation.section import write_folds, write_sections

    check_place(out)
    check_language(options["language"])
    if options["judge"] is None:
        raise UsageError("questions are written by a judge; name one with --judge")
    sections = _sections(docs, options)
    write_sections(sections, beside(out, "sections"))
    with open_judge_session(options["judge"], options["session_options"], out) as session:
        folding = _folds(sections, out, session, options) if options["folds"] > 1 else None
        if folding is not None:
            write_folds(folding.folds, beside(out, "folds"))
        made = make_questions(sections, folding.folds if folding else [], session, options)
        write_pairs(made.pairs, beside(out, "pairs"))
        done = best_pairs(made.pairs, sections, session, options)
        write_filtered(done, sections, out, beside(out, "rejected"))
    if options["as_json"]:
        told = {"set": str(out), "sections": len(sections), "pairs": len(made.pairs), "failed": len(made.failed)}
        told |= {"sections_in_folds": len(folding.folds) if folding else None, "usage": session.usage_as_json()}
        click.echo(json.dumps(told | filtered_as_json(done), ensure_ascii=False))
    else:
        _print_folding(folding)
        print_filtered(done, out, beside(out, "rejected"))
        click.echo(session.usage_line())
    click.get_current_context().exit(failures(made, options))


def _sections(docs: tuple[str, ...], options: dict[str, Any]) -> "list[Section]":
    from ..generation.documents import extract_sections
    from ..generation.documents.extraction import list_documents

    found: list[Section] = []
    with counting("documents", len(list_documents(docs)), silent=options["as_json"]) as count:
        for number, extraction in enumerate(extract_sections(docs, language=options["language"]), 1):
            if extraction.error is not None:
                click.echo(f"assay: left out: {extraction.error}", err=True)
            found += extraction.sections
            count(number)
    if not found:
        raise InputError("no document could be read; the reasons are above")
    return found


def _folds(sections: "list[Section]", out: Path, session: JudgeSession, options: dict[str, Any]) -> "FoldPlan":
    from ..generation.folds import make_folds
    from ..generation.questions import count_sections_needed
    from ..generation.topics import find_topics, write_topics

    with counting("sections", len(sections), silent=options["as_json"]) as count:
        topics = asyncio.run(
            find_topics(
                sections,
                session.embedder(options["embedder"]),
                topics=options["topics"],
                seed=options["seed"],
                on_progress=count,
            )
        )
    write_topics(topics.rows, beside(out, "topics"))
    return make_folds(
        sections,
        topics.rows,
        folds=options["folds"],
        separate=options["separate"],
        test_share=options["test_share"],
        sample=count_sections_needed(options["n"], options["factoid_share"]),
        seed=options["seed"],
    )


def _print_folding(folding: "FoldPlan | None") -> None:
    if folding is not None:
        from ..generation.stage_tables import print_folds

        print_folds(folding, {})
