"""`assay cassettes`: what is recorded, what is stale, what is missing."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .exit_codes import DONE, ERROR
from .options import (
    embedder_option,
    json_option,
    judge_option,
    metrics_option,
    read_mapping,
    read_metrics,
    set_options,
)
from .output import echo, echo_json, one_line, open_console

if TYPE_CHECKING:
    from ..runs.cassette_check import CassetteCheck
    from ..runs.plan import Plan

_path = click.argument("path", type=click.Path(path_type=Path))


@click.group()
def cassettes() -> None:
    """Show, check, compare and merge recorded replies."""


@cassettes.command()
@_path
@click.argument("key", required=False)
@click.option("--sample", help="Only the recordings made for this sample.")
@json_option
def show(path: Path, key: str | None, sample: str | None, as_json: bool) -> None:
    """List the recordings of a cassette, or print one whole.

    PATH is the cassette; KEY is a recording's key, or its beginning.
    """
    from ..judges import Cassette
    from ..judges.recording import format_line

    found = [
        recording
        for recording in Cassette(path, "replay").recordings()
        if (key is None or recording.key.startswith(key)) and (sample is None or recording.sample == sample)
    ]
    if not found:
        raise UsageError(f"{path}: no recording matches")
    if as_json:
        echo("\n".join(format_line(recording).decode(errors="replace").rstrip() for recording in found))
    elif key is not None and len(found) == 1:
        echo_json(json.loads(format_line(found[0])))
    else:
        from rich.table import Table
        from rich.text import Text

        table = Table("key", "prompt", "sample", "tokens in, out", "reply")
        for recording in found:
            reply = recording.reply
            tokens = f"{reply.tokens_in}, {reply.tokens_out}"
            table.add_row(
                Text(one_line(recording.key[:12])),
                Text(one_line(recording.prompt)),
                Text(one_line(recording.sample)),
                tokens,
                Text(one_line(reply.text, 50)),
            )
        open_console().print(table)
        echo(one_line(f"{len(found)} recordings of {', '.join(sorted({r.reply.model for r in found}))}"))


def _run_options(command: Any) -> Any:
    """The run that a cassette is held against."""
    for option in (
        json_option,
        set_options,
        embedder_option,
        metrics_option,
        judge_option,
        click.argument("sets", nargs=-1),
        _path,
    ):
        command = option(command)
    return command


@cassettes.command()
@_run_options
def check(path: Path, sets: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """List what is stale and what is missing in a cassette.

    PATH is compared with what a run over SETS with --judge and --metrics asks.

    Without SETS only the prompts are compared: a recording is stale when its prompt has changed since. With SETS one is
    stale too when the run does not use it; what follows a missing reply is unknown, and not called stale. Exit code 1
    when something is stale or missing.
    """

    result = _check(path, sets, **options)
    if as_json:
        echo_json({"stale": [recording.key for recording in result.stale], "missing": result.missing})
    else:
        for recording in result.stale:
            echo(f"stale    {one_line(f'{recording.key[:12]} {recording.prompt} {recording.sample}')}")
        for line in result.missing:
            echo(f"missing  {one_line(line)}")
        echo(f"{len(result.stale)} stale, {len(result.missing) if sets else 'unknown'} missing")
    click.get_current_context().exit(ERROR if result.stale or result.missing else DONE)


@cassettes.command()
@_run_options
def prune(path: Path, sets: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Drop what `check` calls stale from PATH."""
    from ..judges import Cassette

    stale = _check(path, sets, **options).stale
    Cassette(path, "replay").drop({recording.key for recording in stale})
    if as_json:
        echo_json({"dropped": len(stale)})
    else:
        echo(f"{len(stale)} recordings dropped")


def _check(path: Path, sets: tuple[str, ...], **options: Any) -> "CassetteCheck":
    from ..runs.cassette_check import CassetteCheck, check_cassette, recordings_of_changed_prompts

    if not sets:
        return CassetteCheck(stale=recordings_of_changed_prompts(path), missing=[])
    return asyncio.run(check_cassette(path, run_plan(sets, **options)))


def run_plan(
    sets: tuple[str, ...],
    *,
    judge: str | None,
    metrics: str,
    embedder: str,
    mapping: tuple[str, ...],
    language: str | None,
    split: str | None,
    limit: int | None,
) -> "Plan":
    """Returns the plan of the run that was typed. Raises `UsageError` without a judge or for an unknown one."""
    from ..judges import load_settings
    from ..runs.plan import Plan

    if judge is None:
        raise UsageError("name the judge whose questions are looked up in the cassette: --judge MODEL")
    return Plan(
        sets=sets,
        metrics=read_metrics(metrics),
        judge=load_settings(judge),
        embedder=embedder,
        mapping=read_mapping(mapping),
        language=language,
        split=split,
        limit=limit,
    )
