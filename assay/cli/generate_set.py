"""`assay sets generate DOCS`: all stages at once, each leaving the file that its own command would write."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from .generate import WHOLE, generate
from .generate_documents import (
    FoldOptions,
    document_language_option,
    explain_no_folds,
    read_documents,
    time_limit_option,
    with_fold_options,
)
from .generate_questions import (
    QuestionOptions,
    check_output,
    generate_questions,
    path_beside,
    print_selection,
    report_failures,
    select_best_pairs,
    selection_as_json,
    set_out_option,
    with_question_options,
    with_thresholds,
)
from .judge_session import JudgeSession, SessionOptions, open_judge_session, with_judge_session
from .number_types import BoundedCount
from .options import embedder_option
from .output import echo, echo_json, is_json, print_blocks
from .progress import count_progress

if TYPE_CHECKING:
    from ..generation.folds import FoldPlan
    from ..generation.pair_filters import Thresholds
    from ..generation.section import Section


@generate.command(WHOLE, hidden=True)
@click.argument("docs", nargs=-1, required=True)
@with_question_options
@document_language_option
@time_limit_option
@click.option("--topics", type=BoundedCount(2), help="Topics at most. Default: as many as the sections have.")
@click.option(
    "--folds",
    type=click.IntRange(1, 4),
    default=2,
    show_default=True,
    help="Groups of documents that share no information; 1: no unanswerable questions.",
)
@with_fold_options
@with_thresholds
@embedder_option
@with_judge_session
@set_out_option
def whole(
    *,
    docs: tuple[str, ...],
    question_options: QuestionOptions,
    language: str | None,
    time_limit: float,
    topics: int | None,
    folds: int,
    fold_options: FoldOptions,
    thresholds: "Thresholds",
    embedder: str,
    judge: str | None,
    session_options: SessionOptions,
    out: Path,
) -> None:
    """Make an evaluation set from documents.

    DOCS are files and folders: PDF, Markdown, HTML, DOCX.

    Beside the set are written its sections, topics, folds, all pairs, and the rejected ones with their reasons.

    \b
    assay sets generate leaflets/ --judge openai/gpt-4o-mini --n 100 -o leaflets.jsonl
    assay sets crosseval leaflets.jsonl --bot openai/gpt-4o-mini
    """
    from ..generation.pair import write_pairs
    from ..generation.pair_selection import write_selection
    from ..generation.section import write_folds, write_sections
    from ..generation.stage_blocks import folds_block

    check_output(out)
    if judge is None:
        raise UsageError("questions are written by a judge; name one with --judge")
    extractions = read_documents(docs, language=language, time_limit=time_limit)
    sections = [section for extraction in extractions for section in extraction.sections]
    write_sections(sections, path_beside(out, "sections"))
    with open_judge_session(judge, session_options, out) as session:
        plan = None
        if folds > 1:
            plan = _plan_folds(
                sections, out, session, question_options, fold_options, folds=folds, topics=topics, embedder=embedder,
                )  # fmt: skip
            write_folds(plan.folds, path_beside(out, "folds"))
        generated = generate_questions(sections, plan.folds if plan else [], session, question_options)
        write_pairs(generated.pairs, path_beside(out, "pairs"))
        selection = select_best_pairs(
            generated.pairs,
            sections,
            session,
            n=question_options.n,
            factoid_share=question_options.factoid_share,
            thresholds=thresholds,
            embedder=embedder,
        )
        write_selection(selection, sections, out, path_beside(out, "rejected"))
    if is_json():
        counts = {"set": str(out), "sections": len(sections), "pairs": len(generated.pairs)}
        counts |= {"failed": len(generated.failed), "sections_in_folds": len(plan.folds) if plan else None}
        usage = {"usage": session.usage_as_json()}
        echo_json(counts | usage | selection_as_json(selection))
    else:
        if plan is not None:
            print_blocks(folds_block(plan, {}))
        print_selection(selection, out, path_beside(out, "rejected"))
        echo(session.usage_line())
    click.get_current_context().exit(report_failures(generated, question_options.max_failed))


def _plan_folds(
    sections: "list[Section]",
    out: Path,
    session: JudgeSession,
    question_options: QuestionOptions,
    fold_options: FoldOptions,
    *,
    folds: int,
    topics: int | None,
    embedder: str,
) -> "FoldPlan":
    from ..generation.folds import make_folds, require_documents
    from ..generation.questions import count_sections_needed
    from ..generation.topics import find_topics, write_topics

    with explain_no_folds("use --folds 1"):
        require_documents(sections, folds, fold_options.separate)
        with count_progress("sections", len(sections)) as on_progress:
            found_topics = asyncio.run(
                find_topics(
                    sections,
                    session.embedder(embedder),
                    topics=topics,
                    seed=question_options.seed,
                    on_progress=on_progress,
                )
            )
        write_topics(found_topics.rows, path_beside(out, "topics"))
        return make_folds(
            sections,
            found_topics.rows,
            folds=folds,
            separate=fold_options.separate,
            test_share=fold_options.test_share,
            sample=count_sections_needed(question_options.n, question_options.factoid_share),
            smallest=fold_options.smallest,
            seed=question_options.seed,
        )
