"""`assay cassettes`: what is recorded, stale or missing; recordings together, and against the model as it is now."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..presentation.result_table import Field, tabulate
from ..presentation.texts import one_line
from ..text.wording import count_of
from .exit_codes import DONE, ERROR, GATE_FAILED
from .options import (
    Command,
    SetOptions,
    embedder_option,
    judge_option,
    make_plan,
    metrics_option,
    option_group,
    turns_option,
    with_budget,
    with_set_options,
)
from .output import echo, echo_json, is_json, is_wide, print_result, print_table
from .typed_values import OUTPUT_FILE, SEED, FiniteRange

if TYPE_CHECKING:
    from ..judges import Budget
    from ..runs import Plan
    from ..runs.judging.probe_findings import ReplyDrift
    from ..runs.suite.cassette_check import CassetteCheck

_SHOWN = 10
_path = click.argument("path", type=click.Path(path_type=Path))
_seed_of_card = click.option(
    "--seed", type=SEED, default=0, show_default=True, help="That of `judges card`, whose probes are not called stale."
)


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
@_seed_of_card
def check(path: Path, *, sets: tuple[str, ...], run: Mapping[str, Any], set_options: SetOptions, seed: int) -> None:
    """List what is stale and what is missing in a cassette.

    PATH is compared with what a run over SETS with --judge and --metrics asks.

    Without SETS only the prompts are compared: a recording is stale when its prompt has changed since. With SETS one is
    stale too when the run does not use it; what follows a missing reply is unknown, and not called stale, nor is what
    `judges card` asked again or of probes; where it was given a --seed, give the same one here. Exit code 1 when
    something is stale or missing.
    """
    result = _check(path, sets, set_options, run, seed)
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
        *(
            [f"{len(result.not_asked)} not asked by this command: of another seed, or of probes of `assay judges card`"]
            if result.not_asked
            else []
        ),
        *(["To record what is missing: `assay run` with --cassette and --mode auto"] if result.missing else []),
    )
    click.get_current_context().exit(ERROR if result.stale or result.missing else DONE)


@cassettes.command()
@_path
@click.argument("sets", nargs=-1)
@with_typed_run
@_seed_of_card
def prune(path: Path, *, sets: tuple[str, ...], run: Mapping[str, Any], set_options: SetOptions, seed: int) -> None:
    """Drop what `check` calls stale from PATH.

    Where `judges card` was given a --seed, give the same one here: else its replies to probes are dropped too.
    """
    from ..judges import Cassette

    stale = _check(path, sets, set_options, run, seed).stale
    Cassette(path, "replay").drop({recording.key for recording in stale})
    print_result(lambda: {"dropped": len(stale)}, f"{count_of(len(stale), 'recording')} dropped")


def _check(
    path: Path, sets: tuple[str, ...], set_options: SetOptions, run: Mapping[str, Any], seed: int
) -> "CassetteCheck":
    from ..runs.suite.cassette_check import CassetteCheck, check_cassette, recordings_of_changed_prompts

    if not sets:
        return CassetteCheck(stale=recordings_of_changed_prompts(path), missing=[])
    return asyncio.run(check_cassette(path, _plan(sets, set_options, run), seed=seed))


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


@cassettes.command()
@_path
@click.argument("sets", nargs=-1, required=True)
@with_typed_run
@click.option("--share", type=FiniteRange(0, 1, min_open=True), default=0.1, show_default=True)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Which questions are asked anew.")
@click.option("--at-most", type=FiniteRange(0, 1), help="Exit code 5 when surely more replies have changed.")
@with_budget
def drift(
    path: Path,
    *,
    sets: tuple[str, ...],
    run: Mapping[str, Any],
    set_options: SetOptions,
    share: float,
    seed: int,
    at_most: float | None,
    budget: "Budget",
) -> None:
    """Ask recorded questions anew: have the replies changed?

    A share of the questions of PATH is asked.

    The questions are those of a run over SETS with --judge and --metrics. PATH is not written to. A model that the
    provider has changed behind its name shows up here; one that never repeats itself does too.
    """
    from ..runs.judging.probe_findings import estimate_drift
    from ..runs.suite.cassette_check import repeat_questions

    plan = _plan(sets, set_options, run)
    repeated, missing = asyncio.run(repeat_questions(path, plan, share=share, seed=seed, budget=budget))
    estimate = estimate_drift(repeated)
    changed = [question for question in repeated if not question.same_value]
    lines = [
        line
        for question in changed[:_SHOWN]
        for line in (
            one_line(f"{question.key[:12]} {question.prompt} {question.sample}"),
            f"  recorded: {one_line(question.recorded, 120)}",
            f"  now:      {one_line(question.now or question.problem, 120)}",
        )
    ]
    print_result(
        lambda: estimate.as_json() | {"missing": missing, "changed": [asdict(question) for question in changed]},
        *lines,
        _describe_drift(estimate, missing),
    )
    above = at_most is not None and (estimate.share.low is None or estimate.share.low > at_most)
    click.get_current_context().exit(GATE_FAILED if above else DONE if estimate.asked else ERROR)


def _describe_drift(estimate: "ReplyDrift", missing: int) -> str:
    share = estimate.share
    interval = "" if share.value is None else f" ({share.value:.1%} [{share.low:.1%}, {share.high:.1%}])"
    moved = "" if estimate.moved is None else f"; the probability moved by {estimate.moved:.3f} on average"
    return (
        f"{estimate.asked} asked anew: {estimate.other_value} with another value{interval}, {estimate.other_text} with "
        f"another text, {estimate.failed} failed; {count_of(missing, 'sample')} had a question that is not "
        f"recorded{moved}"
    )
