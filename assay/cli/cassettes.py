"""`assay cassettes`: what is recorded, what is stale, what is missing."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..presentation.result_table import Field, tabulate
from ..presentation.texts import one_line
from ..text.wording import count_of
from .exit_codes import DONE, ERROR
from .options import (
    Command,
    SetOptions,
    embedder_option,
    judge_option,
    metrics_option,
    option_group,
    read_metrics,
    turns_option,
    with_set_options,
)
from .output import echo, echo_json, is_json, is_wide, print_result, print_table

if TYPE_CHECKING:
    from ..eval_sets.levels import Turns
    from ..runs.store.plan import Plan
    from ..runs.suite.cassette_check import CassetteCheck

_path = click.argument("path", type=click.Path(path_type=Path))


@dataclass(frozen=True, slots=True)
class TypedRun:
    """The run whose questions a cassette is compared with, as it was typed."""

    sets: tuple[str, ...]  # the sets; none where only the prompts are compared
    judge: str | None
    metrics: str | None  # the metrics' names, with commas; None for the default ones
    embedder: str
    turns: "Turns"  # on which turns of a conversation metrics of an answer run
    set_options: SetOptions

    def plan(self) -> "Plan":
        """The plan of the run. Raises `UsageError` without a judge or for an unknown one."""
        from ..judges import load_settings
        from ..runs.store.plan import Plan

        if self.judge is None:
            raise UsageError("name the judge whose questions are looked up in the cassette: --judge MODEL")
        return Plan(
            sets=self.sets,
            metrics=read_metrics(self.metrics),
            judge=load_settings(self.judge),
            embedder=self.embedder,
            mapping=self.set_options.mapping,
            language=self.set_options.language,
            split=self.set_options.split,
            sheet=self.set_options.sheet,
            header_row=self.set_options.header_row,
            scale=self.set_options.scale,
            limit=self.set_options.limit,
            turns=self.turns,
        )


def with_typed_run(command: Command) -> Command:
    """Adds the options of the run that a cassette is compared with; the command gets it as `run`."""
    grouped = option_group("run", TypedRun, judge_option, metrics_option, embedder_option, turns_option)(command)
    return with_set_options(grouped)


@click.group()
def cassettes() -> None:
    """Show, check, compare and merge recorded replies."""


@cassettes.command()
@_path
@click.argument("key", required=False)
@click.option("--sample", help="Only the recordings made for this sample.")
def show(path: Path, key: str | None, sample: str | None) -> None:
    """List the recordings of a cassette, or print one whole.

    PATH is the cassette; KEY is a recording's key, or its beginning.
    """
    from ..judges import Cassette
    from ..judges.cassette import format_line

    matches = [
        recording
        for recording in Cassette(path, "replay").recordings()
        if (key is None or recording.key.startswith(key)) and (sample is None or recording.sample == sample)
    ]
    if not matches:
        raise UsageError(f"{path}: no recording matches")
    if is_json():
        echo("\n".join(format_line(recording).decode(errors="replace").rstrip() for recording in matches))
    elif key is not None and len(matches) == 1:
        echo_json(json.loads(format_line(matches[0])))
    else:
        fields = (
            Field("key", "text", lambda recording: recording.key[:12]),
            Field("prompt", "text", lambda recording: recording.prompt),
            Field("sample", "text", lambda recording: recording.sample),
            Field("tokens in, out", "count", lambda one: f"{one.reply.tokens_in}, {one.reply.tokens_out}", "wide"),
            Field("reply", "text", lambda recording: one_line(recording.reply.text, 50 if is_wide() else 20)),
        )
        print_table(tabulate("", matches, fields))
        echo(
            one_line(f"{count_of(len(matches), 'recording')} of {', '.join(sorted({r.reply.model for r in matches}))}")
        )


@cassettes.command()
@_path
@click.argument("sets", nargs=-1)
@with_typed_run
def check(path: Path, *, run: TypedRun) -> None:
    """List what is stale and what is missing in a cassette.

    PATH is compared with what a run over SETS with --judge and --metrics asks.

    Without SETS only the prompts are compared: a recording is stale when its prompt has changed since. With SETS one is
    stale too when the run does not use it; what follows a missing reply is unknown, and not called stale. Exit code 1
    when something is stale or missing.
    """

    result = _check(path, run)
    if is_json():
        echo_json({"stale": [recording.key for recording in result.stale], "missing": result.missing})
    else:
        for recording in result.stale:
            echo(f"stale    {one_line(f'{recording.key[:12]} {recording.prompt} {recording.sample}')}")
        for line in result.missing:
            echo(f"missing  {one_line(line)}")
        echo(f"{len(result.stale)} stale, {len(result.missing) if run.sets else 'unknown'} missing")
    click.get_current_context().exit(ERROR if result.stale or result.missing else DONE)


@cassettes.command()
@_path
@click.argument("sets", nargs=-1)
@with_typed_run
def prune(path: Path, *, run: TypedRun) -> None:
    """Drop what `check` calls stale from PATH."""
    from ..judges import Cassette

    stale = _check(path, run).stale
    Cassette(path, "replay").drop({recording.key for recording in stale})
    print_result(lambda: {"dropped": len(stale)}, lambda: echo(f"{count_of(len(stale), 'recording')} dropped"))


def _check(path: Path, run: TypedRun) -> "CassetteCheck":
    from ..runs.suite.cassette_check import CassetteCheck, check_cassette, recordings_of_changed_prompts

    if not run.sets:
        return CassetteCheck(stale=recordings_of_changed_prompts(path), missing=[])
    return asyncio.run(check_cassette(path, run.plan()))
