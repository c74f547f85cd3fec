"""`assay run batches`: how the batches of `assay run --batch` are getting on, and their cancellation."""

import asyncio
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..presentation.result_table import Field, tabulate
from ..presentation.texts import one_line
from ..value_messages import quote_word
from .options import BoundedCount, judge_option, path_in_store
from .output import print_result

if TYPE_CHECKING:
    from ..judges.batch.batch_journal import Batch
    from ..judges.batch.provider import BatchState
    from ..runs import Plan, Store
    from ..runs.store.store import RunRow

_FOLDER = "batches"  # in the store: the cassettes of runs that name none

batch_option = click.option(
    "--batch", is_flag=True, help="Ask the judge through its provider's batch API: cheaper, within a day."
)
batch_size_option = click.option(
    "--batch-size", type=BoundedCount(), help="At most so many requests per batch. Default: as many as fit."
)
_cassette_option = click.option(
    "--cassette", type=click.Path(path_type=Path), help="The run's cassette. Default: those in the store."
)


def batch_cassette(store: Path | str, plan: "Plan") -> Path:
    """The cassette of a run in batches that names none: the same whenever the same command is given."""
    return path_in_store(store, _FOLDER, "name a cassette with --cassette FILE") / f"{plan.identity}.jsonl"


def resumable_batch_run(store: "Store", plan: "Plan", cassette: Path) -> "RunRow | None":
    """The unfinished run of the same plan whose batches are under way, which the same command goes on with."""
    from ..judges.batch.batch_journal import BatchJournal

    run = store.newest_run_of(plan.identity)
    is_unfinished = run is not None and run.status != "done"
    return run if is_unfinished and BatchJournal(cassette).settings is not None else None


@click.group()
def batches() -> None:
    """See or cancel the batches of `assay run --batch`."""


@batches.command()
@_cassette_option
@judge_option
def status(cassette: Path | None, judge: str | None, *, store: Path | str) -> None:
    """Show how batches are getting on at the provider.

    \b
    assay run batches status
    assay run batches status --cassette replies.jsonl
    """
    _print_progress(_ask(cassette, judge, store, cancel=False))


@batches.command()
@_cassette_option
@judge_option
def cancel(cassette: Path | None, judge: str | None, *, store: Path | str) -> None:
    """Cancel the batches that have not ended.

    What they did until then is paid for; the next `assay run --batch` keeps it and submits the rest again.

    \b
    assay run batches cancel
    """
    _print_progress(_ask(cassette, judge, store, cancel=True))


def _ask(cassette: Path | None, judge: str | None, store: Path | str, *, cancel: bool) -> list[dict[str, Any]]:
    from ..judges import load_settings
    from ..judges.batch.batch_journal import find_batch_journals
    from ..judges.batch.provider import ask_progress
    from ..runs import RunOptions
    from ..runs.score.scoring_request import JUDGE_FIELD

    settings = load_settings(judge) if judge else None
    if cassette is not None:
        if JUDGE_FIELD in str(cassette) and settings is None:
            raise UsageError(f"--cassette {quote_word(str(cassette))}: say whose it is (--judge MODEL)")
        cassettes = [RunOptions(cassette=cassette).cassette_file(lambda: settings) or cassette]
    else:
        folder = path_in_store(store, _FOLDER, "name the cassette with --cassette FILE")
        cassettes = [*find_batch_journals(folder)]
        if not cassettes:
            raise UsageError(
                f"no batches are under way in {folder}; for a run with a cassette name it (--cassette FILE)"
            )

    async def ask_all() -> list[dict[str, Any]]:
        return [
            _as_json(path, batch, state)
            for path in cassettes
            for batch, state in await ask_progress(path, settings, cancel=cancel)
        ]

    return asyncio.run(ask_all())


def _print_progress(batches: list[dict[str, Any]]) -> None:
    fields = (
        Field("batch", "text", lambda state: one_line(state["batch"] or state["id"]), is_whole=True),
        Field("stage", "count", lambda state: state["stage"]),
        Field("status", "text", lambda state: one_line(state["status"])),
        *(Field(name, "count", itemgetter(name)) for name in ("requests", "replies", "failed")),
        Field("cassette", "text", lambda state: one_line(state["cassette"]), "wide"),
    )
    shown = tabulate("", batches, fields) if batches else "no batch has been submitted yet"
    print_result(lambda: {"batches": batches}, shown)


def _as_json(cassette: Path, batch: "Batch", state: "BatchState | None") -> dict[str, Any]:
    recorded = batch.status if batch.state == "collected" else "not submitted"
    return {
        "id": batch.id,
        "batch": state.id if state else batch.provider_id,
        "stage": batch.stage,
        "status": state.status if state else recorded,
        "requests": batch.requests,
        "replies": state.completed if state else batch.replies,
        "failed": state.failed if state else len(batch.failures),
        "problem": state.problem if state else batch.problem,
        "cassette": str(cassette),
    }
