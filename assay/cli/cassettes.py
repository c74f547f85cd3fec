"""`assay cassettes`: what is recorded, and what is stale."""

import json
from pathlib import Path

import click

from ..errors import UsageError
from ..presentation.result_table import Field, tabulate
from ..presentation.texts import one_line
from ..text.wording import count_of
from .exit_codes import DONE, ERROR
from .output import echo, echo_json, is_json, is_wide, print_result, print_table

_path = click.argument("path", type=click.Path(path_type=Path))


@click.group()
def cassettes() -> None:
    """Show, check and prune recorded replies."""


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
def check(path: Path) -> None:
    """List what is stale in a cassette.

    A recording of PATH is stale when its prompt has changed since. Exit code 1 when one is. What a run misses says
    `assay run` with --cassette PATH and --mode replay.
    """
    from ..runs.suite.cassette_check import recordings_of_changed_prompts

    stale = recordings_of_changed_prompts(path)
    print_result(
        lambda: {"stale": [recording.key for recording in stale]},
        *(f"stale    {one_line(f'{recording.key[:12]} {recording.prompt} {recording.sample}')}" for recording in stale),
        f"{len(stale)} stale",
    )
    click.get_current_context().exit(ERROR if stale else DONE)


@cassettes.command()
@_path
def prune(path: Path) -> None:
    """Drop what `check` calls stale from PATH."""
    from ..judges import Cassette
    from ..runs.suite.cassette_check import recordings_of_changed_prompts

    stale = {recording.key for recording in recordings_of_changed_prompts(path)}
    Cassette(path, "replay").drop(stale)
    print_result(lambda: {"dropped": len(stale)}, f"{count_of(len(stale), 'recording')} dropped")
