"""`assay sets crosseval`: a chatbot is asked what the loaded fold holds, and what it does not."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..interruption import DONE, TOO_MANY_FAILED
from ..text.wording import count_of
from .generate import check_output
from .judge_session import open_judge_session, question_progress, with_judge_session
from .options import OUTPUT_FILE, BoundedCount, FiniteRange, embedder_option, option_group, read_metrics
from .output import echo_notice, print_blocks, print_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..generation.crosseval import Exchange, SplitSummary
    from ..runs import RunOptions

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


# how pages are found for a question, as `Setup` takes it
with_retrieval = option_group(
    "retrieval",
    dict,
    click.option("--pages", "retrieve", type=BoundedCount(), default=3, show_default=True, help="Pages retrieved."),
    click.option("--least-cosine", type=FiniteRange(-1, 1), default=-1, help="Smallest cosine of a page retrieved."),
)


class SetFile(click.Path):
    """A set's file, or the name of a bundled one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns its path: a file of that name comes before a bundled set, a folder does not."""
        from ..eval_sets.sources import bundled_file, bundled_sets

        is_bundled = value in bundled_sets() and not Path(value).is_file()
        return super().convert(str(bundled_file(value)) if is_bundled else value, param, ctx)


@click.command()
@click.argument("set_file", metavar="SET", type=SetFile(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--bot",
    "bots",
    multiple=True,
    required=True,
    help="A model (as for --judge; our retrieval in front), a URL, or module:function. Of several, validation selects.",
)
@click.option(
    "--sections", "sections_file", type=_FILE, help="Sections of the documents. Default: the file beside SET."
)
@click.option("--folds", "folds_file", type=_FILE, help="Their folds. Default: beside SET.")
@click.option(
    "--bot-template", "template", type=_FILE, help='JSON to POST to a URL; "$question", "$pages", "$fold", "$language".'
)
@click.option(
    "--bot-answer",
    "answer_path",
    default="answer",
    show_default=True,
    help="Where its answer is: choices.0.message.content.",
)
@click.option(
    "--metrics",
    "metric_names",
    default="",
    help="Assay's own, on the answers: faithfulness,weakest_claim (with --judge).",
)
@with_retrieval
@click.option("--limit", type=BoundedCount(), help="At most this many questions of each fold and split.")
@click.option("--max-failed", type=BoundedCount(0), default=0, show_default=True, help="Missing answers allowed.")
@click.option("-o", "--out", type=OUTPUT_FILE, help="Set with all answers to write (.jsonl).")
@embedder_option
@with_judge_session
def crosseval(
    *,
    set_file: Path,
    bots: tuple[str, ...],
    sections_file: Path | None,
    folds_file: Path | None,
    template: Path | None,
    answer_path: str,
    metric_names: str,
    retrieval: Mapping[str, Any],
    limit: int | None,
    max_failed: int,
    out: Path | None,
    embedder: str,
    judge: str | None,
    asking: "RunOptions",
) -> None:
    """Ask a chatbot what it was given, and what it was not.

    Loads each fold of SET in turn and asks the questions of both.

    A question whose fold is not loaded cannot be answered: a bot that answers it hallucinates. Prints Tables 3 and 4 of
    the Twente paper for each split. Of several bots the best on validation is the one that is tested.

    \b
    assay sets crosseval leaflets.jsonl --bot openai/gpt-4o-mini
    assay sets crosseval leaflets.jsonl --bot http://localhost:8000/ask --bot-answer data.text
    assay sets crosseval leaflets.jsonl --bot mybot:answer --judge openai/gpt-4o-mini --metrics faithfulness
    """
    from ..eval_sets import load_set, write_set
    from ..generation.crosseval import Setup, compare_bots, exchange_samples, load_bot, read_pages, split_questions
    from ..generation.crosseval.exchange import REFERENCE_METRICS
    from ..generation.crosseval.tables import crosseval_blocks
    from ..metrics import Declined
    from ..metrics.catalogue import load_metric

    answers_file = out or Path(f"{set_file.stem}.answers.jsonl")
    check_output(answers_file)
    pages = read_pages(set_file, sections_file, folds_file)
    questions = split_questions(load_set(set_file), limit)
    with open_judge_session(judge, asking, answers_file) as session:

        def progress(total: int) -> AbstractContextManager[Callable[[bool], None]]:
            return question_progress(session.models[0] if session.models else None, total)

        loaded_bots = [load_bot(bot, session.model, session.cassette, template, answer_path) for bot in bots]
        loaded_embedder = session.embedder(embedder)
        names = dict.fromkeys((*REFERENCE_METRICS, "factoid", *read_metrics(metric_names)))
        setup = Setup(
            declined=Declined(session.judge),
            metrics=[load_metric(name, session.judge, loaded_embedder) for name in names],
            embedder=loaded_embedder,
            concurrency=max((model.settings.concurrency for model in session.models), default=asking.concurrency or 8),
            **retrieval,
        )
        results = asyncio.run(compare_bots(loaded_bots, questions, pages, setup, progress))
        exchanges = [exchange for result in results for exchange in result.exchanges]
        failed = [exchange for exchange in exchanges if exchange.failed]
        session.is_unfinished = len(failed) > max_failed
        if out is not None:
            write_set(exchange_samples(exchanges), out)
    summaries = [result.summary for result in results]
    print_result(
        lambda: {
            "splits": [_summary_as_json(summary) for summary in summaries],
            "usage": session.usage_as_json(),
        },
        lambda: print_blocks(*crosseval_blocks(summaries, set_file.name)),
        session.usage_line(),
    )
    click.get_current_context().exit(_report_failures(failed, max_failed))


def _report_failures(failed: "Sequence[Exchange]", allowed: int) -> int:
    """Names missing answers on standard error, and returns the exit code."""
    if len(failed) <= allowed:
        return DONE
    first = failed[0]
    echo_notice(
        f"{count_of(len(failed), 'answer is', 'answers are')} missing or not judged, {allowed} allowed (--max-failed); "
        f"the same command asks again. The first, {first.sample.id} with fold {first.loaded} loaded: {first.failed}"
    )
    return TOO_MANY_FAILED


def _summary_as_json(summary: "SplitSummary") -> dict[str, Any]:
    from dataclasses import fields

    from ..meta_eval.estimate import Estimate

    def convert(value: Any) -> Any:
        if isinstance(value, Estimate):
            return {"n": value.n, "mean": value.value, "low": value.low, "high": value.high}
        return {key: convert(item) for key, item in value.items()} if isinstance(value, dict) else value

    return {field.name: convert(getattr(summary, field.name)) for field in fields(summary)} | {
        "balance": summary.balance,
        "verdict": summary.give_verdict().as_json(),
    }
