"""`assay sets generate questions` and `filter`: pairs from sections, and the best of them."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic_files import check_writable
from ..errors import UsageError
from ..presentation.result_table import Column, ResultTable
from ..presentation.texts import one_line
from ..text.wording import count_of, verb_of
from .exit_codes import DONE, TOO_MANY_FAILED
from .generate import generate
from .judge_session import JudgeSession, SessionOptions, open_judge_session, question_progress, with_judge_session
from .number_types import BoundedCount, FiniteRange
from .options import embedder_option, option_group, seed_option
from .output import echo, echo_json, is_json, open_console, print_table
from .output_files import OUTPUT_FILE

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """Which questions are written."""

    n: int
    factoid_share: float  # the share of pairs that ask for a fact, 0 to 1
    domain: str
    roles: tuple[str, ...]
    candidates: int  # long-form pairs per section, of which the best is selected
    seed: int
    max_failed: int


with_question_options = option_group(
    "question_options",
    QuestionOptions,
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


def _thresholds(least_rouge: float, most_cosine: float, least_score: float) -> "Thresholds":
    from ..generation.pair_filters import Thresholds

    return Thresholds(rouge=least_rouge, cosine=most_cosine, score=least_score)


with_thresholds = option_group(
    "thresholds",
    _thresholds,
    click.option(
        "--least-rouge",
        type=FiniteRange(0, 1),
        default=0.4,
        show_default=True,
        help="Smallest ROUGE-L of an answer with its section.",
    ),
    click.option(
        "--most-cosine",
        type=FiniteRange(0, 1),
        default=0.9,
        show_default=True,
        help="Largest cosine of two questions.",
    ),
    click.option(
        "--least-score", type=FiniteRange(1, 5), default=2, show_default=True, help="Smallest score by the judge."
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
    question_options: QuestionOptions,
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
    if is_json():
        counts = {"pairs": len(generated.pairs), "failed": len(generated.failed)}
        echo_json(counts | {"usage": session.usage_as_json()})
    else:
        echo(f"{count_of(len(generated.pairs), 'pair is', 'pairs are')} in {out}\n{session.usage_line()}")
    click.get_current_context().exit(report_failures(generated, question_options.max_failed))


def generate_questions(
    sections: "Sequence[Section]",
    folds: "Sequence[Fold]",
    session: JudgeSession,
    options: QuestionOptions,
) -> "GeneratedQuestions":
    """Has the session's judge write pairs, with a progress bar."""
    from ..generation.questions import generate_pairs, plan_questions

    judge = session.judge
    if judge is None:
        raise UsageError("questions are written by a judge; name one with --judge")
    plan = plan_questions(
        sections, folds, n=options.n, factoid_share=options.factoid_share, roles=options.roles, seed=options.seed
    )
    if not plan:
        raise UsageError(
            "no section is long enough to ask about (20 words), and none holds a fact; add documents with more text"
        )
    with question_progress(judge, len(plan)) as on_reply:
        generated = asyncio.run(
            generate_pairs(
                plan,
                judge,
                domain=options.domain,
                count=options.candidates,
                concurrency=judge.settings.concurrency,
                on_reply=on_reply,
            )
        )
    session.is_unfinished = len(generated.failed) > options.max_failed
    return generated


def report_failures(generated: "GeneratedQuestions", max_failed: int) -> int:
    """Names the calls without a usable reply on standard error, and returns the exit code."""

    too_many = len(generated.failed) > max_failed
    if generated.failed:
        planned, reason = generated.failed[0]
        cure = "; --resume asks them again" if too_many else ""
        echo(
            f"assay: {count_of(len(generated.failed), 'call')} gave no pair, {max_failed} allowed "
            f"(--max-failed){cure}. "
            f"The first, {one_line(planned.section.id)}: {one_line(reason)}",
            err=True,
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
    rejected_file = rejected or path_beside(out, "rejected")
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
    if is_json():
        echo_json(selection_as_json(selection) | {"usage": session.usage_as_json()})
    else:
        print_selection(selection, out, rejected_file)
        echo(session.usage_line())


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


def selection_as_json(selection: "PairSelection") -> dict[str, Any]:
    """Returns how many pairs of each kind were selected, and what each filter rejected."""
    rows = [{"filter": row.name, "given": row.pairs, "rejected": row.rejected} for row in selection.counts]
    return {"kept": _count_kinds(selection.selected), "rejected": len(selection.rejected), "filters": rows}


def print_selection(selection: "PairSelection", out: Path, rejected: Path) -> None:
    """Prints what each filter rejects, and where the pairs are."""
    from rich.text import Text

    columns = (Column("filter", "text"), *map(Column, ("pairs", "rejected", "long-form", "factoid")))
    rows = []
    for row in selection.counts:
        total, rejected_count = sum(row.pairs.values()), sum(row.rejected.values())
        kinds = [f"{row.rejected.get(kind, 0)} of {row.pairs.get(kind, 0)}" for kind in ("long-form", "factoid")]
        share = f"{rejected_count} ({rejected_count / total:.0%})" if total else "0"
        rows.append((row.name, str(total), share, *kinds))
    print_table(ResultTable("What each filter rejects", columns, tuple(rows)))
    kinds_selected = ", ".join(f"{count} {kind}" for kind, count in _count_kinds(selection.selected).items())
    line = (
        f"{count_of(len(selection.selected), 'pair')} ({kinds_selected}) "
        f"{verb_of(len(selection.selected), 'is', 'are')} in {out}"
    )
    open_console().print(Text(f"{line}, {len(selection.rejected):,} rejected in {rejected}"))


def path_beside(out: Path, what: str) -> Path:
    """Returns the path of a file that belongs to a set.

    Example:
        >>> path_beside(Path("set.jsonl"), "rejected").name
        'set.rejected.jsonl'
    """
    return out.with_name(f"{out.stem}.{what}.jsonl")


def _count_kinds(pairs: "Sequence[Pair]") -> dict[str, int]:
    return {kind: sum(pair.kind == kind for pair in pairs) for kind in ("long-form", "factoid")}


def check_output(out: Path) -> None:
    """Raises `UsageError` unless a .jsonl file can be written there: before anything is paid for."""
    if out.suffix != ".jsonl":
        raise UsageError(f"{out}: name a file that ends in .jsonl")
    check_writable(out)
