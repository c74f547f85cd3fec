"""`assay sets generate questions` and `filter`: pairs from sections, and the best of them; and all stages at once."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic_files import check_writable
from ..errors import UsageError
from ..presentation.result_table import Column, Paragraph, ReportBlock, ResultTable
from ..presentation.texts import one_line
from ..text.wording import count_of, verb_of
from .exit_codes import DONE, TOO_MANY_FAILED
from .generate import (
    WHOLE,
    document_language_option,
    explain_no_folds,
    generate,
    read_documents,
    time_limit_option,
    with_fold_options,
)
from .judge_session import JudgeSession, SessionOptions, open_judge_session, question_progress, with_judge_session
from .options import embedder_option, option_group, seed_option
from .output import echo_notice, print_result
from .progress import count_progress
from .typed_values import OUTPUT_FILE, BoundedCount, FiniteRange

if TYPE_CHECKING:
    from ..generation.folds import FoldPlan
    from ..generation.pair import Pair
    from ..generation.pair_filters import Thresholds
    from ..generation.pair_selection import PairSelection
    from ..generation.questions import GeneratedQuestions
    from ..generation.section import Fold, Section

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
set_out_option = click.option("-o", "--out", type=OUTPUT_FILE, required=True, help="Set to write (.jsonl).")
factoid_share_option = click.option(
    "--factoid-share",
    type=FiniteRange(0, 1),
    default=0.2,
    show_default=True,
    help="Share of pairs that ask for a fact (telephone number, e-mail address, date, hours, amount, ...).",
)


with_question_options = option_group(
    "question_options",
    dict,
    click.option("--n", type=BoundedCount(), default=100, show_default=True, help="Pairs wanted."),
    factoid_share_option,
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


with_thresholds = option_group(
    "thresholds",
    "generation.pair_filters:Thresholds",
    click.option(
        "--least-rouge",
        "rouge",
        type=FiniteRange(0, 1),
        default=0.4,
        show_default=True,
        help="Smallest ROUGE-L of an answer with its section.",
    ),
    click.option(
        "--most-cosine",
        "cosine",
        type=FiniteRange(0, 1),
        default=0.9,
        show_default=True,
        help="Largest cosine of two questions.",
    ),
    click.option(
        "--least-score",
        "score",
        type=FiniteRange(1, 5),
        default=2,
        show_default=True,
        help="Smallest score by the judge.",
    ),
)


@generate.command()
@click.argument("sections_file", metavar="SECTIONS", type=_FILE)
@click.argument("folds_file", metavar="[FOLDS]", type=_FILE, required=False)
@with_question_options
@with_judge_session
@click.option("-o", "--out", type=OUTPUT_FILE, required=True, help="File of pairs to write (.jsonl).")
def questions(
    *,
    sections_file: Path,
    folds_file: Path | None,
    question_options: Mapping[str, Any],
    judge: str | None,
    session_options: SessionOptions,
    out: Path,
) -> None:
    """Have the judge write questions and answers.

    They are about SECTIONS; with FOLDS, about those that were sampled.

    \b
    assay sets generate questions sections.jsonl folds.jsonl --judge openai/gpt-4o-mini --n 100 -o pairs.jsonl
    """
    from ..generation.pair import write_pairs
    from ..generation.section import read_folds, read_sections

    check_output(out)
    sections, folds = read_sections(sections_file), read_folds(folds_file) if folds_file else []
    with open_judge_session(judge, session_options, out) as session:
        generated = generate_questions(sections, folds, session, question_options)
        write_pairs(generated.pairs, out)
    print_result(
        lambda: {
            "pairs": len(generated.pairs),
            "failed": len(generated.failed),
            "usage": session.usage_as_json(),
        },
        f"{count_of(len(generated.pairs), 'pair is', 'pairs are')} in {out}",
        session.usage_line(),
    )
    click.get_current_context().exit(_report_failures(generated, question_options["max_failed"]))


def generate_questions(
    sections: "Sequence[Section]",
    folds: "Sequence[Fold]",
    session: JudgeSession,
    options: Mapping[str, Any],
) -> "GeneratedQuestions":
    """Has the session's judge write pairs, with a progress bar."""
    from ..generation.questions import generate_pairs, plan_questions

    judge = session.judge
    if judge is None:
        raise UsageError("questions are written by a judge; name one with --judge")
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


def _report_failures(generated: "GeneratedQuestions", max_failed: int) -> int:
    """Names the calls without a usable reply on standard error, and returns the exit code."""

    too_many = len(generated.failed) > max_failed
    if generated.failed:
        planned, reason = generated.failed[0]
        cure = "; --resume asks them again" if too_many else ""
        echo_notice(
            f"{count_of(len(generated.failed), 'call')} gave no pair, {max_failed} allowed (--max-failed){cure}. "
            f"The first, {planned.section.id}: {one_line(reason)}"
        )
    return TOO_MANY_FAILED if too_many else DONE


@generate.command(name="filter")
@click.argument("pairs_file", metavar="PAIRS", type=_FILE)
@click.argument("sections_file", metavar="SECTIONS", type=_FILE)
@click.argument("folds_file", metavar="[FOLDS]", type=_FILE, required=False)
@click.option("--n", type=BoundedCount(), help="Pairs wanted. Default: all that pass.")
@factoid_share_option
@with_thresholds
@embedder_option
@with_judge_session
@set_out_option
@click.option("--rejected", type=OUTPUT_FILE, help="File for rejected pairs. Default: beside the set.")
def filter_(
    *,
    pairs_file: Path,
    sections_file: Path,
    folds_file: Path | None,
    n: int | None,
    factoid_share: float,
    thresholds: "Thresholds",
    embedder: str,
    judge: str | None,
    session_options: SessionOptions,
    out: Path,
    rejected: Path | None,
) -> None:
    """Select the best pairs of question and answer.

    PAIRS were made from SECTIONS; every rejected pair is written with its reason.

    Without --judge no model scores the pairs. FOLDS place pairs that were written without them, for example by hand.

    \b
    assay sets generate filter pairs.jsonl sections.jsonl --judge openai/gpt-4o-mini --n 100 -o set.jsonl
    """
    from ..generation.pair import read_pairs
    from ..generation.pair_selection import write_selection
    from ..generation.section import read_folds, read_sections

    check_output(out)
    pairs, sections = read_pairs(pairs_file), read_sections(sections_file)
    folds = read_folds(folds_file) if folds_file else []
    rejected_file = rejected or _path_beside(out, "rejected")
    with open_judge_session(judge, session_options, out) as session:
        selection = select_best_pairs(
            pairs,
            sections,
            session,
            folds=folds,
            n=n,
            factoid_share=factoid_share,
            thresholds=thresholds,
            embedder=embedder,
        )
        write_selection(selection, sections, out, rejected_file)
    print_result(
        lambda: _selection_as_json(selection) | {"usage": session.usage_as_json()},
        _selection_block(selection, out, rejected_file),
        session.usage_line(),
    )


def select_best_pairs(
    pairs: "Sequence[Pair]",
    sections: "Sequence[Section]",
    session: JudgeSession,
    *,
    folds: "Sequence[Fold]" = (),
    n: int | None,
    factoid_share: float,
    thresholds: "Thresholds",
    embedder: str,
) -> "PairSelection":
    """Filters pairs, with a progress bar over those that the session's judge scores."""
    from ..generation.pair_selection import select_pairs

    judge = session.judge
    with question_progress(judge, len(pairs)) if judge else nullcontext(_ignore) as on_reply:
        return asyncio.run(
            select_pairs(
                pairs,
                sections,
                session.embedder(embedder),
                judge,
                folds=folds,
                n=n,
                factoid_share=factoid_share,
                thresholds=thresholds,
                concurrency=judge.settings.concurrency if judge else 1,
                on_reply=on_reply,
            )
        )


def _ignore(_: bool) -> None:
    """Shows no progress: nobody is asked."""


def _selection_as_json(selection: "PairSelection") -> dict[str, Any]:
    """Returns how many pairs of each kind were selected, and what each filter rejected."""
    rows = [{"filter": row.name, "given": row.pairs, "rejected": row.rejected} for row in selection.counts]
    return {"kept": _count_kinds(selection.selected), "rejected": len(selection.rejected), "filters": rows}


def _selection_block(selection: "PairSelection", out: Path, rejected: Path) -> ReportBlock:
    """What each filter rejects, and where the pairs are."""
    columns = (Column("filter", "text"), *map(Column, ("pairs", "rejected", "long-form", "factoid")))
    rows = []
    for row in selection.counts:
        total, rejected_count = sum(row.pairs.values()), sum(row.rejected.values())
        kinds = [f"{row.rejected.get(kind, 0)} of {row.pairs.get(kind, 0)}" for kind in ("long-form", "factoid")]
        share = f"{rejected_count} ({rejected_count / total:.0%})" if total else "0"
        rows.append((row.name, str(total), share, *kinds))
    count = len(selection.selected)
    kinds_selected = ", ".join(f"{number} {kind}" for kind, number in _count_kinds(selection.selected).items())
    line = f"{count_of(count, 'pair')} ({kinds_selected}) {verb_of(count, 'is', 'are')} in {out}"
    table = ResultTable("What each filter rejects", columns, tuple(rows))
    return ReportBlock((table, Paragraph(f"{line}, {len(selection.rejected):,} rejected in {rejected}")))


def _path_beside(out: Path, what: str) -> Path:
    """The path of a file that belongs to a set."""
    return out.with_name(f"{out.stem}.{what}.jsonl")


def _count_kinds(pairs: "Sequence[Pair]") -> dict[str, int]:
    return {kind: sum(pair.kind == kind for pair in pairs) for kind in ("long-form", "factoid")}


def check_output(out: Path) -> None:
    """Raises `UsageError` unless a .jsonl file can be written there: before anything is paid for."""
    if out.suffix != ".jsonl":
        raise UsageError(f"{out}: name a file that ends in .jsonl")
    check_writable(out)


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
    question_options: Mapping[str, Any],
    language: str | None,
    time_limit: float,
    topics: int | None,
    folds: int,
    fold_options: Mapping[str, Any],
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
    write_sections(sections, _path_beside(out, "sections"))
    with open_judge_session(judge, session_options, out) as session:
        plan = None
        if folds > 1:
            plan = _plan_folds(
                sections, out, session, question_options, fold_options, folds=folds, topics=topics, embedder=embedder,
                )  # fmt: skip
            write_folds(plan.folds, _path_beside(out, "folds"))
        generated = generate_questions(sections, plan.folds if plan else [], session, question_options)
        write_pairs(generated.pairs, _path_beside(out, "pairs"))
        selection = select_best_pairs(
            generated.pairs,
            sections,
            session,
            n=question_options["n"],
            factoid_share=question_options["factoid_share"],
            thresholds=thresholds,
            embedder=embedder,
        )
        write_selection(selection, sections, out, _path_beside(out, "rejected"))
    print_result(
        lambda: {
            "set": str(out),
            "sections": len(sections),
            "pairs": len(generated.pairs),
            "failed": len(generated.failed),
            "sections_in_folds": len(plan.folds) if plan else None,
            "usage": session.usage_as_json(),
            **_selection_as_json(selection),
        },
        *([folds_block(plan, {})] if plan else []),
        _selection_block(selection, out, _path_beside(out, "rejected")),
        session.usage_line(),
    )
    click.get_current_context().exit(_report_failures(generated, question_options["max_failed"]))


def _plan_folds(
    sections: "list[Section]",
    out: Path,
    session: JudgeSession,
    question_options: Mapping[str, Any],
    fold_options: Mapping[str, Any],
    *,
    folds: int,
    topics: int | None,
    embedder: str,
) -> "FoldPlan":
    from ..generation.folds import make_folds, require_documents
    from ..generation.questions import count_sections_needed
    from ..generation.topics import find_topics, write_topics

    with explain_no_folds("use --folds 1"):
        require_documents(sections, folds, fold_options["separate"])
        with count_progress("sections", len(sections)) as on_progress:
            found_topics = asyncio.run(
                find_topics(
                    sections,
                    session.embedder(embedder),
                    topics=topics,
                    seed=question_options["seed"],
                    on_progress=on_progress,
                )
            )
        write_topics(found_topics.rows, _path_beside(out, "topics"))
        return make_folds(
            sections,
            found_topics.rows,
            folds=folds,
            sample=count_sections_needed(question_options["n"], question_options["factoid_share"]),
            seed=question_options["seed"],
            **fold_options,
        )
