"""`assay cassettes`: what is recorded."""

import json
from pathlib import Path

import click

from ..errors import UsageError
from ..presentation.result_table import Field, tabulate
from ..presentation.texts import one_line
from ..text.wording import count_of
from .output import echo, echo_json, is_json, is_wide, print_table

_path = click.argument("path", type=click.Path(path_type=Path))


@click.group()
def cassettes() -> None:
    """Show recorded replies."""


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
