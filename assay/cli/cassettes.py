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

if TYPE_CHECKING:
    from ..judges.recording import Recording

_path = click.argument("path", type=click.Path(path_type=Path))


@click.group()
def cassettes() -> None:
    """Recorded replies: show them, check them against sets, drop what is stale."""


@cassettes.command()
@_path
@click.argument("key", required=False)
@click.option("--sample", help="Only the recordings made for this sample.")
@json_option
def show(path: Path, key: str | None, sample: str | None, as_json: bool) -> None:
    """List the recordings of PATH, or print one whole (KEY, or its beginning)."""
    from ..judges import Cassette
    from ..judges.recording import to_line
    from ..runs.report import plain, report_console

    found = [
        recording
        for recording in Cassette(path, "replay").recordings()
        if (key is None or recording.key.startswith(key)) and (sample is None or recording.sample == sample)
    ]
    if not found:
        raise UsageError(f"{path}: no recording matches")
    if as_json:
        click.echo("\n".join(to_line(recording).decode(errors="replace").rstrip() for recording in found))
    elif key is not None and len(found) == 1:
        click.echo(json.dumps(json.loads(to_line(found[0])), ensure_ascii=False, indent=2))
    else:
        from rich.table import Table
        from rich.text import Text

        table = Table("key", "prompt", "sample", "tokens in, out", "reply")
        for recording in found:
            reply = recording.reply
            tokens = f"{reply.tokens_in}, {reply.tokens_out}"
            table.add_row(
                Text(plain(recording.key[:12])),
                Text(plain(recording.prompt)),
                Text(plain(recording.sample)),
                tokens,
                Text(plain(reply.text, 50)),
            )
        report_console().print(table)
        click.echo(plain(f"{len(found)} recordings of {', '.join(sorted({r.reply.model for r in found}))}"))


def _checking(command: Any) -> Any:
    for add in (
        json_option,
        set_options,
        embedder_option,
        metrics_option,
        judge_option,
        click.argument("sets", nargs=-1),
        _path,
    ):
        command = add(command)
    return command


@cassettes.command()
@_checking
def check(path: Path, sets: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """List what is stale and what is missing in PATH, for a run over SETS with --judge and --metrics.

    Without SETS only the prompts are compared: a recording is stale when its prompt has changed since. With SETS one is
    stale too when the run does not use it; what follows a missing reply is unknown, and not called stale. Exit code 1
    when something is stale or missing.
    """
    from ..runs.report import plain

    stale, missing = _stale_and_missing(path, sets, options)
    if as_json:
        click.echo(json.dumps({"stale": [recording.key for recording in stale], "missing": missing}))
    else:
        for recording in stale:
            click.echo(f"stale    {plain(f'{recording.key[:12]} {recording.prompt} {recording.sample}')}")
        for where in missing:
            click.echo(f"missing  {plain(where)}")
        click.echo(f"{len(stale)} stale, {len(missing) if sets else 'unknown'} missing")
    click.get_current_context().exit(ERROR if stale or missing else DONE)


@cassettes.command()
@_checking
def prune(path: Path, sets: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Drop what `check` calls stale from PATH."""
    from ..judges import Cassette

    stale, _ = _stale_and_missing(path, sets, options)
    Cassette(path, "replay").drop({recording.key for recording in stale})
    click.echo(json.dumps({"dropped": len(stale)}) if as_json else f"{len(stale)} recordings dropped")


def _stale_and_missing(
    path: Path, sets: tuple[str, ...], options: dict[str, Any]
) -> "tuple[list[Recording], list[str]]":
    from ..judges import Cassette
    from ..prompts import bundled_prompts

    current = {prompt.identity for prompt in bundled_prompts()}

    def changed(recording: "Recording") -> bool:
        return "@" in recording.prompt and recording.prompt not in current

    if not sets:
        return [each for each in Cassette(path, "replay").recordings() if changed(each)], []
    unused, missing = asyncio.run(_replay(path, sets, options))
    stale = [each for each in unused if changed(each) or not (each.sample in missing if each.sample else missing)]
    return stale, [reason for reasons in missing.values() for reason in reasons]


async def _replay(
    path: Path, sets: tuple[str, ...], options: dict[str, Any]
) -> "tuple[list[Recording], dict[str, list[str]]]":
    """Goes through a run in replay: the recordings that it does not use, and what it misses, by sample."""
    from ..judges import LiteLLMJudge, load_settings
    from ..judges.embedders import load_embedder
    from ..judges.watched import WatchedCassette
    from ..metrics.catalogue import load_metric
    from ..runs.execute import execute
    from ..runs.plan import Plan

    if not options["judge"]:
        raise UsageError("name the --judge whose questions are to be looked for")
    plan = Plan(
        sets=sets,
        metrics=read_metrics(options["metrics"]),
        mapping=read_mapping(options["mapping"]),
        language=options["language"],
        split=options["split"],
        limit=options["limit"],
    )
    watched = WatchedCassette(path)
    judge = LiteLLMJudge(load_settings(options["judge"]), cassette=watched)
    embedder = load_embedder(options["embedder"], watched)
    metrics = [load_metric(name, judge, embedder) for name in plan.metrics]
    missing: dict[str, list[str]] = {}

    def keep(sample: Any, scores: dict[str, Any]) -> None:
        for metric, score in scores.items():
            if score.status == "failed":
                missing.setdefault(sample.id, []).append(f"{sample.id}  {metric}: {score.reason}")

    await execute(plan.samples(), metrics, keep, concurrency=1)
    return [recording for recording in watched.recordings() if recording.key not in watched.used], missing
