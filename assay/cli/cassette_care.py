"""`assay cassettes merge|split|diff|drift`: recordings together, apart, and against the model as it is now."""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from .cassettes import cassettes
from .exit_codes import DONE, ERROR, GATE_FELL
from .options import embedder_option, json_option, judge_option, metrics_option, read_mapping, read_metrics, set_options

_SHOWN = 10
_path = click.argument("path", type=click.Path(path_type=Path))


@cassettes.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--prefer", type=click.Choice(["first", "last"]), help="Whose reply stands where they differ.")
@json_option
def merge(out: Path, paths: tuple[Path, ...], prefer: Any, as_json: bool) -> None:
    """Bring the recordings of PATHS into OUT; what OUT holds already stays."""
    from ..judges.cassette_care import merge as merged

    count = merged(paths, out, prefer)
    click.echo(json.dumps({"recordings": count}) if as_json else f"{out}: {count} recordings")


@cassettes.command()
@_path
@click.argument("sets", nargs=-1)
@click.option("--by", type=click.Choice(["model", "prompt", "set"]), default="model", show_default=True)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder. Default: that of PATH.")
@json_option
def split(path: Path, sets: tuple[str, ...], *, by: Any, out: Path | None, as_json: bool) -> None:
    """Write the recordings of PATH into one file a model, a prompt, or a set of SETS (--by set); PATH stays."""
    from ..eval_sets import read_set
    from ..judges.cassette_care import split as parted

    if (by == "set") != bool(sets):
        raise UsageError("name the SETS with --by set, and only then")
    owner = {sample.id: Path(name).stem for name in sets for sample in read_set(name)}
    parts = parted(path, by, out or path.parent, lambda sample: owner.get(sample, "other"))
    if as_json:
        click.echo(json.dumps({str(part): count for part, count in parts.items()}))
    else:
        for part, count in parts.items():
            click.echo(f"{part}: {count} recordings")


@cassettes.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@json_option
def diff(a: Path, b: Path, as_json: bool) -> None:
    """Tell what differs between the cassettes A and B. Exit code 1 when something does."""
    from ..judges.cassette_care import difference
    from ..runs.report import plain

    found = difference(a, b)
    if as_json:
        told: dict[str, Any] = {"same": found.same}
        told |= {name: [each.key for each in getattr(found, name)] for name in ("only_a", "only_b")}
        told["other_reply"] = [
            {"key": one.key, "prompt": one.prompt, "sample": one.sample, "a": one.reply.text, "b": other.reply.text}
            for one, other in found.other_reply
        ]
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        for one, other in found.other_reply[:_SHOWN]:
            click.echo(plain(f"other reply  {one.key[:12]} {one.prompt} {one.sample}"))
            click.echo(f"  A: {plain(one.reply.text, 120)}\n  B: {plain(other.reply.text, 120)}")
        for name, recordings in (("only in A", found.only_a), ("only in B", found.only_b)):
            for each in recordings[:_SHOWN]:
                click.echo(plain(f"{name}    {each.key[:12]} {each.prompt} {each.sample}"))
        click.echo(
            f"{found.same} the same, {len(found.other_reply)} with another reply, {len(found.only_a)} only in A, "
            f"{len(found.only_b)} only in B"
        )
    click.get_current_context().exit(ERROR if found.only_a or found.only_b or found.other_reply else DONE)


@cassettes.command()
@_path
@click.argument("sets", nargs=-1, required=True)
@judge_option
@metrics_option
@embedder_option
@set_options
@click.option("--share", type=click.FloatRange(0, 1, min_open=True), default=0.1, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Which questions are asked anew.")
@click.option("--at-most", type=click.FloatRange(0, 1), help="Exit code 5 when surely more replies have changed.")
@click.option("--budget-calls", type=click.IntRange(min=0), help="Stop before there are more live calls.")
@json_option
def drift(path: Path, sets: tuple[str, ...], **options: Any) -> None:
    """Ask a share of the questions of PATH anew, and tell how many replies have changed since.

    The questions are those of a run over SETS with --judge and --metrics. PATH is not written to. A model that the
    provider has changed behind its name shows up here; one that never repeats itself does too.
    """
    from ..judges.drift import drift as drifted
    from ..runs.report import plain

    if not options["judge"]:
        raise UsageError("name the --judge that is to be asked anew")
    reasked, missing = asyncio.run(_reask(path, sets, options))
    found = drifted(reasked)
    if options["as_json"]:
        told = asdict(found) | {
            "missing": missing,
            "changed": [asdict(each) for each in reasked if not each.same_value],
        }
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        for each in [each for each in reasked if not each.same_value][:_SHOWN]:
            click.echo(plain(f"{each.key[:12]} {each.prompt} {each.sample}"))
            click.echo(f"  recorded: {plain(each.recorded, 120)}\n  now:      {plain(each.now or each.problem, 120)}")
        share = "" if found.share is None else f" ({found.share:.1%} [{found.low:.1%}, {found.high:.1%}])"
        moved = "" if found.moved is None else f"; the probability moved by {found.moved:.3f} on average"
        click.echo(
            f"{found.asked} asked anew: {found.other_value} with another value{share}, {found.other_text} with another "
            f"text, {found.failed} failed; {missing} samples had a question that is not recorded{moved}"
        )
    bound = options["at_most"]
    fell = bound is not None and (found.low is None or found.low > bound)
    click.get_current_context().exit(GATE_FELL if fell else ERROR if not found.asked else DONE)


async def _reask(path: Path, sets: tuple[str, ...], options: dict[str, Any]) -> tuple[list[Any], int]:
    """What was asked anew, and how many samples could not be gone through."""
    from ..judges import Budget, Cassette, LiteLLMJudge, load_settings
    from ..judges.drift import ReaskingJudge
    from ..judges.embedders import load_embedder
    from ..metrics.catalogue import load_metric
    from ..runs.execute import execute
    from ..runs.plan import Plan

    settings, cassette = load_settings(options["judge"]), Cassette(path, "replay")
    reading = {name: options[name] for name in ("language", "split", "limit")}
    plan = Plan(
        sets=sets, metrics=read_metrics(options["metrics"]), mapping=read_mapping(options["mapping"]), **reading
    )
    failed: list[str] = []

    def keep(sample: Any, scores: dict[str, Any]) -> None:
        failed.extend([sample.id] if any(score.status == "failed" for score in scores.values()) else [])

    async with (
        LiteLLMJudge(settings, cassette=cassette) as recorded,
        LiteLLMJudge(settings, budget=Budget(calls=options["budget_calls"])) as live,
    ):
        judge = ReaskingJudge(recorded, live, options["share"], options["seed"])
        embedder = load_embedder(options["embedder"], cassette)
        metrics = [load_metric(name, judge, embedder) for name in plan.metrics]
        await execute(plan.samples(), metrics, keep, concurrency=settings.concurrency)
    return list(judge.reasked.values()), len(failed)
