"""`assay cassettes`: what is recorded, stale or missing; recordings together."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    make_plan,
    metrics_option,
    option_group,
    turns_option,
    with_set_options,
)
from .output import echo, echo_json, is_json, is_wide, print_result, print_table
from .typed_values import OUTPUT_FILE

if TYPE_CHECKING:
    from ..runs import Plan
    from ..runs.suite.cassette_check import CassetteCheck

_path = click.argument("path", type=click.Path(path_type=Path))


def with_typed_run(command: Command) -> Command:
    """Adds the options of the run that a cassette is compared with; the command gets them as `run`."""
    return with_set_options(
        option_group("run", dict, judge_option, metrics_option, embedder_option, turns_option)(command)
    )


def _plan(sets: tuple[str, ...], set_options: SetOptions, run: Mapping[str, Any]) -> "Plan":
    if run["judge"] is None:
        raise UsageError("name the judge whose questions are looked up in the cassette: --judge MODEL")
    return make_plan(sets, set_options, **run)


@click.group()
def cassettes() -> None:
    """Show, check and merge recorded replies."""


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
        echo_json({"recordings": [json.loads(format_line(recording)) for recording in matches]})
    elif key is not None and len(matches) == 1:
        echo_json(json.loads(format_line(matches[0])))
    else:
        fields = (
            Field("key", "text", lambda recording: recording.key[:12]),
            Field("prompt", "text", lambda recording: recording.prompt),
            Field("sample", "text", lambda recording: recording.sample),
            Field("tokens in, out", "count", lambda row: f"{row.reply.tokens_in}, {row.reply.tokens_out}", "wide"),
            Field("reply", "text", lambda recording: one_line(recording.reply.text, 50 if is_wide() else 20)),
        )
        print_table(tabulate("", matches, fields))
        models = ", ".join(sorted({recording.reply.model for recording in matches}))
        echo(one_line(f"{count_of(len(matches), 'recording')} of {models}"))


@cassettes.command()
@_path
@click.argument("sets", nargs=-1)
@with_typed_run
def check(path: Path, *, sets: tuple[str, ...], run: Mapping[str, Any], set_options: SetOptions) -> None:
    """List what is stale and what is missing in a cassette.

    PATH is compared with what a run over SETS with --judge and --metrics asks.

    A recording is stale when its prompt has changed since. With SETS it is also said how many recordings this run does
    not ask for, such as those of other sets, or what `judges card` asks. Exit code 1 when something is stale or
    missing.
    """
    result = _check(path, sets, set_options, run)
    print_result(
        lambda: {
            "stale": [recording.key for recording in result.stale],
            "missing": result.missing,
            "not_asked": [recording.key for recording in result.not_asked],
        },
        *(
            f"stale    {one_line(f'{recording.key[:12]} {recording.prompt} {recording.sample}')}"
            for recording in result.stale
        ),
        *(f"missing  {one_line(line)}" for line in result.missing),
        f"{len(result.stale)} stale, {len(result.missing) if sets else 'unknown'} missing",
        *([f"{len(result.not_asked)} not asked by this command"] if result.not_asked else []),
        *(["To record what is missing: `assay run` with --cassette and --mode auto"] if result.missing else []),
    )
    click.get_current_context().exit(ERROR if result.stale or result.missing else DONE)


@cassettes.command()
@_path
@click.argument("sets", nargs=-1)
@with_typed_run
def prune(path: Path, *, sets: tuple[str, ...], run: Mapping[str, Any], set_options: SetOptions) -> None:
    """Drop what `check` calls stale from PATH.

    With SETS also what a run over them with --judge and --metrics does not ask for: the replies of other sets, and what
    `judges card` asked.
    """
    from ..judges import Cassette

    result = _check(path, sets, set_options, run)
    dropped = {recording.key for recording in (*result.stale, *result.not_asked)}
    Cassette(path, "replay").drop(dropped)
    print_result(lambda: {"dropped": len(dropped)}, f"{count_of(len(dropped), 'recording')} dropped")


def _check(path: Path, sets: tuple[str, ...], set_options: SetOptions, run: Mapping[str, Any]) -> "CassetteCheck":
    from ..runs.suite.cassette_check import CassetteCheck, check_cassette, recordings_of_changed_prompts

    if not sets:
        return CassetteCheck(stale=recordings_of_changed_prompts(path), missing=[])
    return asyncio.run(check_cassette(path, _plan(sets, set_options, run)))


@cassettes.command()
@click.argument("out", type=OUTPUT_FILE)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--prefer", type=click.Choice(["first", "last"]), help="Whose reply stands where they differ.")
def merge(out: Path, paths: tuple[Path, ...], prefer: Any) -> None:
    """Bring the recordings of several cassettes into one.

    The recordings of PATHS go into OUT; what OUT holds already stays.
    """
    from ..judges.cassette import merge_cassettes

    if folder := next((path for path in paths if path.is_dir()), None):
        raise UsageError(f"{folder}: is a folder, and those of results went; record with `assay run --cassette FILE`")
    count = merge_cassettes(paths, out, prefer)
    print_result(lambda: {"recordings": count}, f"{out}: {count_of(count, 'recording')}")
