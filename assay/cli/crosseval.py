"""`assay crosseval`: a chatbot asked what the loaded fold holds, and what it does not."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, UsageError
from .exit_codes import DONE, TOO_MANY_FAILED
from .judge_session import JudgeSession, open_judge_session, question_progress, with_judge_session
from .options import embedder_option, json_option, read_metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..eval_sets import Sample
    from ..generation.crosseval import Bot, Exchange, Page, Setup, SplitSummary
    from ..metrics import Metric

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class SetFile(click.Path):
    """A set's file, or the name of a bundled one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Its path: a file of that name comes before a bundled set."""
        from ..eval_sets.bundled import bundled_file, bundled_sets

        bundled = value in bundled_sets() and not Path(value).exists()
        return super().convert(str(bundled_file(value)) if bundled else value, param, ctx)


@click.command()
@click.argument("set_", metavar="SET", type=SetFile(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--bot",
    "bots",
    multiple=True,
    required=True,
    help="A model (as for --judge; our retrieval in front), a URL, or module:function. Of several validation chooses.",
)
@click.option("--sections", type=FILE, help="Sections of the documents; if not said, beside SET.")
@click.option("--folds", type=FILE, help="Their folds; if not said, beside SET.")
@click.option("--bot-template", type=FILE, help='JSON to POST to a URL; "$question", "$pages", "$fold", "$language".')
@click.option(
    "--bot-answer", default="answer", show_default=True, help="Where in its reply: choices.0.message.content."
)
@click.option(
    "--metrics", default="", help="Assay's own, on the answers: faithfulness,answer_relevance (with --judge)."
)
@click.option("--pages", "retrieve", type=click.IntRange(min=1), default=3, show_default=True, help="Pages retrieved.")
@click.option("--least-cosine", type=click.FloatRange(-1, 1), default=-1, help="Pages less alike are not retrieved.")
@click.option("--qdrant", default="", help="URL of a Qdrant server; if not said, Qdrant runs in this process.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many questions of each fold and split.")
@click.option("--max-failed", type=click.IntRange(min=0), default=0, show_default=True, help="Lost answers allowed.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Set with all answers to write (.jsonl).")
@embedder_option
@with_judge_session
@json_option
def crosseval(set_: Path, bots: tuple[str, ...], out: Path | None, **options: Any) -> None:
    """Cross-evaluate a chatbot on SET: load each fold in turn, ask the questions of both.

    A question whose fold is not loaded cannot be answered: a bot that answers it hallucinates. Prints Tables 3 and 4 of
    the Twente paper for each split. Of several bots the best on validation is the one that is tested.

    \b
    assay crosseval leaflets.jsonl --bot openai/gpt-4o-mini
    assay crosseval leaflets.jsonl --bot http://localhost:8000/ask --bot-answer data.text
    assay crosseval leaflets.jsonl --bot mybot:answer --judge openai/gpt-4o-mini --metrics faithfulness
    """
    from ..eval_sets import load_set, write_set

    kept = out or Path(f"{set_.stem}.answers.jsonl")
    if kept.suffix != ".jsonl" or not kept.parent.is_dir():
        raise UsageError(f"{kept}: write the answers to a file that is called .jsonl, in a folder that is there")
    samples = load_set(set_)
    pages = _pages(set_, options)
    chosen = _by_split(samples, options["limit"])
    if unknown := sorted(set(chosen) - set(pages)):
        raise InputError(f"{set_}: its questions are of the splits {', '.join(unknown)}, which the folds file lacks")
    with open_judge_session(options["judge"], options["session_options"], kept) as session:
        found = _evaluated(bots, chosen, pages, session, options)
        failed = [exchange for done in found for exchange in done if exchange.failed]
        session.is_unfinished = len(failed) > options["max_failed"]
        if out is not None:
            exchanges = [exchange for done in found for exchange in done]
            write_set(_renamed(exchanges), out)
    summaries = [_summary(done, options) for done in found]
    if options["as_json"]:
        click.echo(json.dumps({"splits": [_as_json(each) for each in summaries], "usage": session.usage_as_json()}))
    else:
        from ..generation.crosseval.tables import print_summaries

        print_summaries(summaries)
        click.echo(session.usage_line())
    click.get_current_context().exit(_told_of(failed, options["max_failed"]))


def _evaluated(
    bots: "Sequence[str]",
    chosen: "dict[str, list[Sample]]",
    pages: "dict[str, dict[int, list[Page]]]",
    session: JudgeSession,
    options: dict[str, Any],
) -> "list[list[Exchange]]":
    """Every bot on validation; the best of them on test (4.3)."""
    from ..generation.crosseval import cross_evaluate, load_bot

    template, path = options["bot_template"], options["bot_answer"]
    made = [load_bot(bot, session.model, session.cassette, template, path) for bot in bots]
    if len({bot.name for bot in made}) < len(made):
        raise UsageError("two bots have one name; name each once")
    setup = _setup(session, options)

    def on_split(bot: "Bot", split: str) -> "list[Exchange]":
        model = session.models[0] if session.models else None
        with question_progress(model, len(chosen[split]) * len(pages[split]), quiet=options["as_json"]) as on_reply:
            return asyncio.run(cross_evaluate(chosen[split], pages[split], bot, setup, split=split, on_reply=on_reply))

    if "validation" not in chosen and len(made) > 1:
        raise UsageError("several bots are chosen from on the validation split, and the set has none; name one bot")
    found = [on_split(bot, "validation") for bot in made] if "validation" in chosen else []
    balances = [_summary(done, options).balance or 0.0 for done in found]
    best = made[balances.index(max(balances))] if found else made[0]
    return [*found, on_split(best, "test")] if "test" in chosen else found


def _setup(session: JudgeSession, options: dict[str, Any]) -> "Setup":
    from ..generation.crosseval import Setup
    from ..generation.crosseval.exchange import REFERENCE_METRICS
    from ..metrics import Declined
    from ..metrics.catalogue import load_metric

    embedder = session.embedder(options["embedder"])
    names = dict.fromkeys((*REFERENCE_METRICS, "factoid", *read_metrics(options["metrics"])))
    metrics: list[Metric] = [load_metric(name, session.judge, embedder) for name in names]
    return Setup(
        declined=Declined(session.judge),
        metrics=metrics,
        embedder=embedder,
        retrieve=options["retrieve"],
        least_cosine=options["least_cosine"],
        qdrant_url=options["qdrant"],
        concurrency=max(
            (model.settings.concurrency for model in session.models),
            default=options["session_options"].concurrency or 8,
        ),
    )


def _pages(set_: Path, options: dict[str, Any]) -> "dict[str, dict[int, list[Page]]]":
    """The pages of each fold, by split. Raises `InputError` where the files cannot be found."""
    from ..generation.crosseval import build_pages
    from ..generation.section import read_folds, read_sections

    sections = read_sections(options["sections"] or _beside(set_, "sections"))
    folds = read_folds(options["folds"] or _beside(set_, "folds"))
    numbers = sorted({fold.fold for fold in folds})
    if len(numbers) < 2:
        raise InputError(f"{set_}: all sections are in one fold; cross-evaluation needs two (assay generate folds)")
    splits = dict.fromkeys(fold.split for fold in folds)
    return {split: {fold: build_pages(sections, folds, fold, split) for fold in numbers} for split in splits}


def _beside(set_: Path, what: str) -> Path:
    """`set.sections.jsonl` beside `set.jsonl`, and beside `set.reviewed.jsonl` too."""
    stem = set_.name
    while "." in stem:
        stem = stem.rpartition(".")[0]
        if (found := set_.with_name(f"{stem}.{what}.jsonl")).is_file():
            return found
    raise UsageError(f"{set_}: there is no {set_.stem}.{what}.jsonl beside it; name the file with --{what}")


def _by_split(samples: "Sequence[Sample]", limit: int | None) -> "dict[str, list[Sample]]":
    from ..generation.crosseval.exchange import question_fold

    chosen: dict[str, list[Sample]] = {}
    counts: dict[tuple[str, int], int] = {}
    for sample in samples:
        place = str(sample.metadata.get("split", "validation")), question_fold(sample)
        counts[place] = counts.get(place, 0) + 1
        if limit is None or counts[place] <= limit:
            chosen.setdefault(place[0], []).append(sample)
    return chosen


def _summary(exchanges: "Sequence[Exchange]", options: dict[str, Any]) -> "SplitSummary":
    from ..generation.crosseval import summarise_split
    from ..generation.crosseval.exchange import REFERENCE_METRICS

    return summarise_split(exchanges, [*REFERENCE_METRICS, *read_metrics(options["metrics"])])


def _renamed(exchanges: "Sequence[Exchange]") -> "list[Sample]":
    several = len({exchange.bot for exchange in exchanges}) > 1
    return [
        sample.model_copy(update={"id": f"{exchange.bot}: {sample.id}"}) if several else sample
        for exchange in exchanges
        for sample in [exchange.as_sample()]
    ]


def _told_of(failed: "Sequence[Exchange]", allowed: int) -> int:
    """Tells of answers that are missing; the exit code."""
    from ..runs.report import plain

    if len(failed) <= allowed:
        return DONE
    first = failed[0]
    click.echo(
        f"assay: {len(failed)} answers are missing, {allowed} allowed (--max-failed); --resume asks again. The first, "
        f"{plain(first.sample.id)} with fold {first.loaded} loaded: {plain(first.failed)}",
        err=True,
    )
    return TOO_MANY_FAILED


def _as_json(summary: "SplitSummary") -> dict[str, Any]:
    from dataclasses import fields

    from ..meta_eval.estimate import Estimate

    def convert(value: Any) -> Any:
        if isinstance(value, Estimate):
            return {"n": value.n, "mean": value.value, "low": value.low, "high": value.high}
        return {key: convert(item) for key, item in value.items()} if isinstance(value, dict) else value

    return {field.name: convert(getattr(summary, field.name)) for field in fields(summary)} | {
        "balance": summary.balance
    }
