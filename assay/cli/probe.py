"""`assay probe`: sets changed in ways that a fair judge should see through."""

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .exit_codes import DONE, TOO_MANY_FAILED
from .judge_session import JudgeSession, open_judge_session, question_progress, with_session_options
from .options import json_option, read_mapping, read_probes, set_options, store_option, typed_options
from .probe_effect import tell_effect

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
@click.option("--probes", metavar="A,B", help="Only these: padded, shortened, reordered, restated, injected.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all choices.")
@click.option(
    "--reworded-by", multiple=True, metavar="JUDGE", help="Have this judge's model say the answers again; repeatable."
)
@click.option(
    "--max-failed", type=click.IntRange(min=0), default=0, show_default=True, help="Failed calls allowed to each."
)
@with_session_options
@set_options
@store_option
@json_option
def probe(names: tuple[str, ...], *, effect: bool, store: str | Path, as_json: bool, **options: Any) -> None:
    """Change SET in ways that a fair judge sees through: padded, shortened, contexts reordered, a claim restated, an
    instruction to the judge injected.

    With --reworded-by, also said again by a model in its own words: does a judge favour those of its own model?
    Judge original.jsonl and the others with the same judge; --effect then tells how far each metric's mean moved on
    the same samples, with its interval; and of two rewordings the judge's own minus the other.

    \b
    assay probe helpdesk_en -o probes --reworded-by qwen1.5b --reworded-by qwen0.5b --cassette reworded.jsonl
    assay run probes/original.jsonl --judge qwen1.5b
    assay run probes/reworded.qwen1.5b.jsonl --judge qwen1.5b
    assay run probes/reworded.qwen0.5b.jsonl --judge qwen1.5b
    assay probe --effect RUN_OF_ORIGINAL RUN_OF_OWN_WORDING RUN_OF_THE_OTHER
    """
    typed = sorted(_SESSION_OPTIONS & typed_options(click.get_current_context()))
    if typed and not options["reworded_by"]:
        raise UsageError(f"{typed[0]} is for asking a model; name one with --reworded-by JUDGE")
    if effect and (options["reworded_by"] or options["out"]):
        raise UsageError("--effect reads runs and writes no set; leave -o and --reworded-by out")
    if effect:
        tell_effect(names, store, as_json)
    else:
        click.get_current_context().exit(_write(names, options, as_json))


def _write(names: tuple[str, ...], options: dict[str, Any], as_json: bool) -> int:
    from ..eval_sets import read_set
    from ..generation.probes import PROBES, write_probes

    folder: Path | None = options["out"]
    if folder is None or len(names) > 1:
        raise UsageError("write `assay probe SET -o FOLDER`, or `assay probe --effect RUN RUN...`")
    wanted = read_probes(options["probes"] or ",".join(PROBES))
    reading = {"mapping": read_mapping(options["mapping"])} | {k: options[k] for k in ("language", "limit", "split")}
    samples = list(read_set(names[0], **reading))
    chosen: dict[str, Any] = {"probes": wanted, "seed": options["seed"]}
    if not options["reworded_by"]:
        _tell_written(write_probes(samples, folder, **chosen), {}, options, as_json)
        return DONE
    with open_judge_session(None, options["session_options"], folder / "reworded.jsonl") as session:
        reworded = _reworded(samples, options["reworded_by"], session, silent=as_json)
        further = {name: found.samples for name, found in reworded.items()}
        written = write_probes(samples, folder, **chosen, further=further)
        session.is_unfinished = _most_failed(reworded) > options["max_failed"]
    _tell_written(written, reworded, options, as_json, session)
    return _failures(reworded, options["max_failed"])


def _reworded(
    samples: "Sequence[Sample]", judges: Sequence[str], session: JudgeSession, *, silent: bool
) -> "dict[str, RewordingResult]":
    """The answers in the words of each model, one model after the other, by the name of the file."""
    from ..generation.probes import REWORDED, reword

    labels = [Path(name).stem if name.endswith((".yaml", ".yml")) else name for name in judges]
    files = [f"{REWORDED}.{_NOT_IN_A_NAME.sub('-', label)}" for label in labels]
    models = [session.model(name) for name in judges]  # all are known before one is asked
    if len(set(files)) < len(files) or len({model.name for model in models}) < len(models):
        raise UsageError("--reworded-by names one model twice, or two by the same name; name each once")
    found = {}
    for name, model in zip(files, models, strict=True):
        with question_progress(model, len(samples), quiet=silent) as on_reply:
            found[name] = asyncio.run(reword(samples, model, concurrency=model.settings.concurrency, on_reply=on_reply))
    return found


def _most_failed(reworded: "dict[str, RewordingResult]") -> int:
    return max(len(each.failed) for each in reworded.values())


def _failures(reworded: "dict[str, RewordingResult]", allowed: int) -> int:
    """Tells of calls that gave no usable reply; the exit code."""
    from ..runs.report import plain

    if _most_failed(reworded) <= allowed:
        return DONE
    for name, each in reworded.items():
        if len(each.failed) > allowed:
            sample, why = each.failed[0]
            click.echo(
                f"assay: {name}: {len(each.failed)} calls gave no rewording, {allowed} allowed (--max-failed). The "
                f"first, {plain(sample)}: {plain(why)}",
                err=True,
            )
    return TOO_MANY_FAILED


def _tell_written(
    written: "Sequence[ProbeFile]",
    reworded: "dict[str, RewordingResult]",
    options: dict[str, Any],
    as_json: bool,
    session: JudgeSession | None = None,
) -> None:
    from ..generation.probes import EXPECTED
    from ..runs.report import plain

    kept = {name: each.shared_words for name, each in reworded.items()}
    if as_json:
        told = [{"probe": each.name, "path": each.path or None, "samples": each.samples,
                 "left_out": dict(each.left_out)} | ({"words_kept": kept[each.name]} if each.name in kept else {})
                for each in written]  # fmt: skip
        usage = {"usage": session.usage_as_json()} if session else {}
        click.echo(json.dumps({"seed": options["seed"], "sets": told} | usage, ensure_ascii=False))
        return
    for each in written:
        expected = EXPECTED.get(each.name.partition(".")[0])
        stayed = "" if (share := kept.get(each.name)) is None else f"; {share:.0%} of the words stayed"
        click.echo(
            f"{each.path or each.name}: {each.samples} samples{stayed}"
            + (f"; a fair metric: {expected}" if expected else "")
        )
        reasons: dict[str, list[tuple[str, str]]] = {}
        for sample, why in each.left_out:
            reason, _, further = why.partition(": ")
            reasons.setdefault(reason, []).append((sample, further))
        for reason, lost in reasons.items():
            first = f" ({lost[0][0]}: {lost[0][1]})" if lost[0][1] else ""
            click.echo(f"  {len(lost)} left out: {plain(reason + first)}")
    if session:
        click.echo(session.usage_line())
