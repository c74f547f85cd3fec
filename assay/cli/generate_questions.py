"""`assay generate questions` and `filter`: pairs from sections, and the best of them."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .exit_codes import DONE, TOO_MANY_FAILED
from .generate import generate
from .judge_session import JudgeSession, open_judge_session, question_progress, with_judge_session
from .options import embedder_option, json_option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..generation.pair import Pair
    from ..generation.pair_selection import PairSelection
    from ..generation.questions import GeneratedQuestions
    from ..generation.section import Fold, Section

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def question_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    """What the questions are to be."""
    for option in reversed(
        (
            click.option("--n", type=click.IntRange(min=1), default=100, show_default=True, help="Pairs wanted."),
            click.option(
                "--factoid-share",
                type=click.FloatRange(0, 1),
                default=0.2,
                show_default=True,
                help="Share of pairs that ask for a fact (telephone number, e-mail address, date, hours, amount, ...).",
            ),
            click.option("--domain", default="", help='What the documents are about, such as "een ziekenhuis".'),
            click.option("--role", "roles", multiple=True, help="Who asks, such as patient; repeatable."),
            click.option(
                "--candidates",
                type=click.IntRange(1, 10),
                default=3,
                show_default=True,
                help="Long-form pairs written for each section; the best stays.",
            ),
            click.option("--seed", type=int, default=0, show_default=True, help="Of all that is drawn by lot."),
            click.option(
                "--max-failed", type=click.IntRange(min=0), default=0, show_default=True, help="Failed calls allowed."
            ),
        )
    ):
        command = option(command)
    return command


def filter_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    """From where on a filter rejects."""
    from_where = click.FloatRange(0, 1)
    for option in reversed(
        (
            click.option("--least-rouge", type=from_where, default=0.4, show_default=True, help="Answer and section."),
            click.option("--most-cosine", type=from_where, default=0.9, show_default=True, help="Of two questions."),
            click.option("--least-score", type=click.FloatRange(1, 5), default=2, show_default=True, help="Model's."),
        )
    ):
        command = option(command)
    return command


@generate.command()
@click.argument("sections", type=FILE)
@click.argument("folds", type=FILE, required=False)
@question_options
@with_judge_session
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="File of pairs to write (.jsonl).")
@json_option
def questions(sections: Path, folds: Path | None, out: Path, **options: Any) -> None:
    """Write pairs of question and answer from SECTIONS, with the judge; with FOLDS, from those that were sampled.

    \b
    assay generate questions sections.jsonl folds.jsonl --judge openai/gpt-4o-mini --n 100 -o pairs.jsonl
    """
    from ..generation.pair import write_pairs
    from ..generation.section import read_folds, read_sections

    check_place(out)
    read, placed = read_sections(sections), read_folds(folds) if folds else []
    with open_judge_session(options["judge"], options["session_options"], out) as session:
        made = make_questions(read, placed, session, options)
        write_pairs(made.pairs, out)
    if options["as_json"]:
        click.echo(json.dumps({"pairs": len(made.pairs), "failed": len(made.failed), "usage": session.usage_as_json()}))
    else:
        click.echo(f"{len(made.pairs)} pairs are in {out}\n{session.usage_line()}")
    click.get_current_context().exit(failures(made, options))


def make_questions(
    sections: "Sequence[Section]", folds: "Sequence[Fold]", session: JudgeSession, options: dict[str, Any]
) -> "GeneratedQuestions":
    """The first stage, with a bar. Raises `UsageError` without a judge, or where no section can be asked about."""
    from ..generation.questions import generate_pairs, plan_questions

    judge = session.judge
    if judge is None:
        raise UsageError("questions are written by a judge; name one with --judge")
    chosen = {name: options[name] for name in ("n", "factoid_share", "roles", "seed")}
    orders = plan_questions(sections, folds, **chosen)
    if not orders:
        raise UsageError("no section is long enough to ask about (20 words), and none holds a fact")
    with question_progress(judge, len(orders), quiet=options["as_json"]) as on_reply:
        made = asyncio.run(
            generate_pairs(
                orders,
                judge,
                domain=options["domain"],
                count=options["candidates"],
                concurrency=judge.settings.concurrency,
                on_reply=on_reply,
            )
        )
    session.is_unfinished = len(made.failed) > options["max_failed"]
    return made


def failures(made: "GeneratedQuestions", options: dict[str, Any]) -> int:
    """Tells of calls that gave no usable reply; the exit code."""
    from ..runs.report import plain

    too_many = len(made.failed) > options["max_failed"]
    if made.failed:
        order, reason = made.failed[0]
        cure = "; --resume asks them again" if too_many else ""
        click.echo(
            f"assay: {len(made.failed)} calls gave no pair, {options['max_failed']} allowed (--max-failed){cure}. "
            f"The first, {plain(order.section.id)}: {plain(reason)}",
            err=True,
        )
    return TOO_MANY_FAILED if too_many else DONE


@generate.command(name="filter")
@click.argument("pairs", type=FILE)
@click.argument("sections", type=FILE)
@click.argument("folds", type=FILE, required=False)
@click.option("--n", type=click.IntRange(min=1), help="Pairs wanted; if not said, all that stand.")
@click.option("--factoid-share", type=click.FloatRange(0, 1), default=0.2, show_default=True)
@filter_options
@embedder_option
@with_judge_session
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="Set to write (.jsonl).")
@click.option("--rejected", type=click.Path(path_type=Path), help="File for rejected pairs; else beside the set.")
@json_option
def filter_(
    *, pairs: Path, sections: Path, folds: Path | None, out: Path, rejected: Path | None, **options: Any
) -> None:
    """Keep the best of PAIRS, made from SECTIONS; every rejected pair is kept with its reason.

    Without --judge no pair is scored by a model. FOLDS place pairs that were written without them, by hand for example.

    \b
    assay generate filter pairs.jsonl sections.jsonl --judge openai/gpt-4o-mini --n 100 -o set.jsonl
    """
    from ..generation.pair import read_pairs
    from ..generation.section import read_folds, read_sections

    check_place(out)
    read, known, placed = read_pairs(pairs), read_sections(sections), read_folds(folds) if folds else []
    with open_judge_session(options["judge"], options["session_options"], out) as session:
        done = best_pairs(read, known, session, options, placed)
        write_filtered(done, known, out, rejected or beside(out, "rejected"))
    if options["as_json"]:
        click.echo(json.dumps(filtered_as_json(done) | {"usage": session.usage_as_json()}))
    else:
        print_filtered(done, out, rejected or beside(out, "rejected"))
        click.echo(session.usage_line())


def best_pairs(
    pairs: "Sequence[Pair]",
    sections: "Sequence[Section]",
    session: JudgeSession,
    options: dict[str, Any],
    folds: "Sequence[Fold]" = (),
) -> "PairSelection":
    """The second stage, with a bar over the pairs that are scored."""
    from ..generation.pair_filters import Thresholds
    from ..generation.pair_selection import select_pairs

    judge = session.judge
    limits = Thresholds(rouge=options["least_rouge"], cosine=options["most_cosine"], score=options["least_score"])
    with question_progress(judge, len(pairs), quiet=options["as_json"] or judge is None) as on_reply:
        return asyncio.run(
            select_pairs(
                pairs,
                sections,
                session.embedder(options["embedder"]),
                judge,
                folds=folds,
                n=options["n"],
                factoid_share=options["factoid_share"],
                thresholds=limits,
                concurrency=judge.settings.concurrency if judge else 1,
                on_reply=on_reply,
            )
        )


def write_filtered(done: "PairSelection", sections: "Sequence[Section]", out: Path, rejected: Path) -> None:
    """The set, and beside it the rejected pairs. Raises `UsageError` where nothing stands: no set is empty."""
    from ..eval_sets import write_set
    from ..generation.pair import pair_to_sample, write_pairs

    write_pairs(done.rejected, rejected)
    if not done.selected:
        raise UsageError(f"no pair passed the filters; {rejected} says why each was rejected")
    known = {section.id: section for section in sections}
    write_set((pair_to_sample(pair, known[pair.section]) for pair in done.selected), out)


def filtered_as_json(done: "PairSelection") -> dict[str, Any]:
    """How many stand of each type, and what each filter rejected."""
    rows = [{"filter": row.name, "given": row.pairs, "rejected": row.rejected} for row in done.counts]
    return {"kept": _by_kind(done.selected), "rejected": len(done.rejected), "filters": rows}


def print_filtered(done: "PairSelection", out: Path, rejected: Path) -> None:
    """The table of what each filter rejects."""
    from rich.table import Table

    from ..runs.report import report_console

    table = Table("filter", title="What each filter rejects", title_justify="left", title_style="bold")
    for heading in ("pairs", "rejected", "long-form", "factoid"):
        table.add_column(heading, justify="right")
    for row in done.counts:
        given, gone = sum(row.pairs.values()), sum(row.rejected.values())
        kinds = [f"{row.rejected.get(kind, 0)} of {row.pairs.get(kind, 0)}" for kind in ("long-form", "factoid")]
        table.add_row(row.name, str(given), f"{gone} ({gone / given:.0%})" if given else "0", *kinds)
    console = report_console()
    console.print(table)
    kept = ", ".join(f"{count} {kind}" for kind, count in _by_kind(done.selected).items())
    console.print(f"{len(done.selected)} pairs ({kept}) are in {out}, {len(done.rejected)} rejected ones in {rejected}")


def beside(out: Path, what: str) -> Path:
    """`set.jsonl` -> `set.rejected.jsonl`."""
    return out.with_name(f"{out.stem}.{what}.jsonl")


def _by_kind(pairs: "Sequence[Pair]") -> dict[str, int]:
    return {kind: sum(pair.kind == kind for pair in pairs) for kind in ("long-form", "factoid")}


def check_place(out: Path) -> None:
    """Raises `UsageError` for another suffix than .jsonl, or a folder that is not there."""
    if out.suffix != ".jsonl":
        raise UsageError(f"{out}: write to a file that is called .jsonl")
    if not out.parent.is_dir():
        raise UsageError(f"{out}: there is no folder {out.parent}; make it first")
