"""`assay probe`: sets changed in ways that a fair judge should see through."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..presentation.texts import one_line
from ..text.wording import count_of
from .exit_codes import DONE, TOO_MANY_FAILED
from .judge_session import JudgeSession, SessionOptions, open_judge_session, question_progress, with_session_options
from .number_types import BoundedCount
from .options import (
    SetOptions,
    json_option,
    quiet_option,
    read_probes,
    seed_option,
    store_option,
    typed_options,
    wide_option,
    with_set_options,
)
from .output import echo, echo_json
from .probe_effect import print_effects

if TYPE_CHECKING:
    from ..eval_sets import Sample
    from ..generation.probes import RewordingResult
    from ..generation.probes.probe_files import ProbeFile

_SESSION_OPTIONS = {
    "--cassette",
    "--mode",
    "--concurrency",
    "--budget-usd",
    "--budget-tokens",
    "--budget-calls",
    "--resume",
}
_NOT_IN_A_NAME = re.compile(r"[^\w.-]+")


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="SET | RUN RUN...")
@click.option("-o", "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for the changed sets.")
@click.option("--effect", is_flag=True, help="Read the effect: the run of the original, then those of the probes.")
@click.option(
    "--probes", metavar="A,B", help="Only these probes: padded, shortened, reordered, restated, injected, styled."
)
@seed_option
@click.option(
    "--reworded-by", multiple=True, metavar="JUDGE", help="Have this judge's model reword the answers; repeatable."
)
@click.option(
    "--max-failed", type=BoundedCount(0), default=0, show_default=True, help="Failed calls allowed per model."
)
@with_session_options
@with_set_options
@wide_option
@quiet_option
@store_option
@json_option
def probe(
    *,
    names: tuple[str, ...],
    out: Path | None,
    effect: bool,
    probes: str | None,
    seed: int,
    reworded_by: tuple[str, ...],
    max_failed: int,
    session_options: SessionOptions,
    set_options: SetOptions,
    store: str | Path,
    as_json: bool,
) -> None:
    """Change answers in ways that a fair judge sees through.

    Those of SET are padded, shortened, their contexts reordered, a claim restated, an instruction to the judge
    injected, and the same words styled with headings, lists and bold.

    With --reworded-by a model also rewords the answers: does a judge favour the wording of its own model? Run
    original.jsonl and the other sets with the same judge. --effect then prints how far each metric's mean moved on the
    same samples, with its interval; and for two rewordings, the judge's own minus the other.

    \b
    assay probe helpdesk_en -o probes --reworded-by qwen1.5b --reworded-by qwen0.5b --cassette reworded.jsonl
    assay run probes/original.jsonl --judge qwen1.5b
    assay run probes/reworded.qwen1.5b.jsonl --judge qwen1.5b
    assay run probes/reworded.qwen0.5b.jsonl --judge qwen1.5b
    assay probe --effect RUN_OF_ORIGINAL RUN_OF_OWN_WORDING RUN_OF_THE_OTHER
    """
    from ..generation.probes import PROBES, write_probes

    typed = sorted(_SESSION_OPTIONS & typed_options(click.get_current_context()))
    if typed and not reworded_by:
        raise UsageError(f"{typed[0]} is for asking a model; name one with --reworded-by JUDGE")
    if effect:
        if reworded_by or out:
            raise UsageError("--effect reads runs and writes no set; omit -o and --reworded-by")
        print_effects(names, store, as_json=as_json)
        return
    if out is None or len(names) > 1:
        raise UsageError("write `assay probe SET -o FOLDER`, or `assay probe --effect RUN RUN...`")
    chosen_probes = read_probes(probes or ",".join(PROBES))
    samples = list(set_options.samples(names))
    if not reworded_by:
        _print_files(write_probes(samples, out, probes=chosen_probes, seed=seed), {}, seed, None, as_json=as_json)
        return
    with open_judge_session(None, session_options, out / "reworded.jsonl") as session:
        rewordings = _reword(samples, reworded_by, session)
        further = {name: rewording.samples for name, rewording in rewordings.items()}
        files = write_probes(samples, out, probes=chosen_probes, seed=seed, further=further)
        session.is_unfinished = any(len(rewording.failed) > max_failed for rewording in rewordings.values())
    _print_files(files, rewordings, seed, session, as_json=as_json)
    click.get_current_context().exit(_report_failures(rewordings, max_failed))


def _reword(samples: "Sequence[Sample]", judges: Sequence[str], session: JudgeSession) -> "dict[str, RewordingResult]":
    """The answers in the words of each model, by the name of the file."""
    from ..generation.probes import REWORDED, reword

    labels = [Path(name).stem if name.endswith((".yaml", ".yml")) else name for name in judges]
    files = [f"{REWORDED}.{_NOT_IN_A_NAME.sub('-', label)}" for label in labels]
    models = [session.model(name) for name in judges]  # all names are checked before one is asked
    if len(set(files)) < len(files) or len({model.name for model in models}) < len(models):
        raise UsageError("--reworded-by names one model twice, or two by the same name; name each once")
    rewordings = {}
    for name, model in zip(files, models, strict=True):
        with question_progress(model, len(samples)) as on_reply:
            rewordings[name] = asyncio.run(
                reword(samples, model, concurrency=model.settings.concurrency, on_reply=on_reply)
            )
    return rewordings


def _report_failures(rewordings: "Mapping[str, RewordingResult]", allowed: int) -> int:
    """Names the calls without a usable reply on standard error, and returns the exit code."""

    code = DONE
    for name, rewording in rewordings.items():
        if len(rewording.failed) > allowed:
            code = TOO_MANY_FAILED
            sample, reason = rewording.failed[0]
            echo(
                f"assay: {name}: {count_of(len(rewording.failed), 'call')} gave no rewording, {allowed} allowed "
                "(--max-failed). "
                f"The first, {one_line(sample)}: {one_line(reason)}",
                err=True,
            )
    return code


def _print_files(
    files: "Sequence[ProbeFile]",
    rewordings: "Mapping[str, RewordingResult]",
    seed: int,
    session: JudgeSession | None,
    *,
    as_json: bool,
) -> None:
    from ..generation.probes import EXPECTED

    shared_words = {name: rewording.shared_words for name, rewording in rewordings.items()}
    if as_json:
        sets = [
            {"probe": file.name, "path": file.path or None, "samples": file.samples, "left_out": dict(file.left_out)}
            | ({"words_kept": shared_words[file.name]} if file.name in shared_words else {})
            for file in files
        ]
        usage = {"usage": session.usage_as_json()} if session else {}
        echo_json({"seed": seed, "sets": sets} | usage)
        return
    for file in files:
        expected = EXPECTED.get(file.name.partition(".")[0])
        share = shared_words.get(file.name)
        words = "" if share is None else f"; {share:.0%} of the words unchanged"
        fair = f"; a fair metric: {expected}" if expected else ""
        echo(f"{file.path or file.name}: {count_of(file.samples, 'sample')}{words}{fair}")
        for line in _left_out_lines(file.left_out):
            echo(f"  {one_line(line)}")
    if session:
        echo(session.usage_line())


def _left_out_lines(left_out: "Sequence[tuple[str, str]]") -> list[str]:
    """One line per reason: how many samples were left out, and the first of them."""
    by_reason: dict[str, list[tuple[str, str]]] = {}
    for sample, message in left_out:
        reason, _, detail = message.partition(": ")
        by_reason.setdefault(reason, []).append((sample, detail))
    return [
        f"{len(samples)} left out: {reason}" + (f" ({samples[0][0]}: {samples[0][1]})" if samples[0][1] else "")
        for reason, samples in by_reason.items()
    ]
