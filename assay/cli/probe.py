"""`assay probe`: sets changed in ways that a fair judge should see through, and what the changes did to scores."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .options import json_option, read_mapping, set_options, store_option

if TYPE_CHECKING:
    from ..runs import Store
    from ..runs.compare import Comparison


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="SET | RUN RUN...")
@click.option("-o", "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for the changed sets.")
@click.option("--effect", is_flag=True, help="Read the effect: the run of the original, then those of the probes.")
@click.option("--probes", metavar="A,B", help="Only these: padded, shortened, reordered, restated.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all choices.")
@set_options
@store_option
@json_option
def probe(names: tuple[str, ...], *, effect: bool, store: str | Path, as_json: bool, **options: Any) -> None:
    """Change SET in ways that a fair judge sees through: padded, shortened, contexts reordered, a claim restated.

    Judge original.jsonl and the others with the same judge; --effect then tells how far each metric's mean moved on
    the same samples, with its interval.

    \b
    assay probe helpdesk_en -o probes
    assay run probes/original.jsonl --judge qwen1.5b
    assay run probes/padded.jsonl --judge qwen1.5b
    assay probe --effect RUN_OF_ORIGINAL RUN_OF_PADDED
    """
    if effect:
        _tell_effect(names, store, as_json)
    else:
        _write(names, options, as_json)


def _write(names: tuple[str, ...], options: dict[str, Any], as_json: bool) -> None:
    from ..eval_sets import read_set
    from ..generation.probes import PROBES, write_probes

    if options["out"] is None or len(names) > 1:
        raise UsageError("write `assay probe SET -o FOLDER`, or `assay probe --effect RUN RUN...`")
    wanted = tuple(name.strip() for name in (options["probes"] or ",".join(PROBES)).split(","))
    if unknown := [name for name in wanted if name not in PROBES]:
        raise UsageError(f"no probe is called {unknown[0]!r}; the probes are {', '.join(PROBES)}")
    reading = {"mapping": read_mapping(options["mapping"])} | {k: options[k] for k in ("language", "limit", "split")}
    found = write_probes(read_set(names[0], **reading), options["out"], probes=wanted, seed=options["seed"])
    if as_json:
        told = [{"probe": each.name, "path": each.path or None, "samples": each.samples,
                 "left_out": dict(each.left_out)} for each in found]  # fmt: skip
        click.echo(json.dumps({"seed": options["seed"], "sets": told}, ensure_ascii=False))
        return
    for each in found:
        expected = f"; a fair metric: {PROBES[each.name].expects}" if each.name in PROBES else ""
        click.echo(f"{each.path or each.name}: {each.samples} samples{expected}")
        for why, count in Counter(why for _, why in each.left_out).items():
            click.echo(f"  {count} left out: {why}")


def _tell_effect(names: tuple[str, ...], store: str | Path, as_json: bool) -> None:
    from ..runs import Store
    from ..runs.compare import compare

    if len(names) < 2:
        raise UsageError("--effect needs the run of the original, then one or more runs of probes")
    runs = Store(store, must_exist=True)
    original, *probed = [runs.run(name).id for name in names]
    found = [(_probe_of(runs, run), compare(runs, original, run)) for run in probed]
    if as_json:
        told = [{"probe": name, "run": each.b, "effects": [difference.as_json() for difference in each.overall]}
                for name, each in found]  # fmt: skip
        click.echo(json.dumps({"original": original, "probes": told}, ensure_ascii=False))
        return
    for name, each in found:
        _print_effect(name, each)


def _probe_of(store: "Store", run: str) -> str:
    """The probe that made a run's samples. Raises `UsageError` where none did."""
    for sample in store.samples(run):
        if name := sample.metadata.get("probe"):
            return str(name)
        break
    raise UsageError(f"run {run} is not of a probe's set; name the run of the original first, then those of the probes")


def _print_effect(name: str, found: "Comparison") -> None:
    from rich.table import Table
    from rich.text import Text

    from ..generation.probes import PROBES
    from ..runs.report import plain, report_console
    from .meta_tables import p_value

    expected = f" (a fair metric: {PROBES[name].expects})" if name in PROBES else ""
    table = Table(title=plain(f"{name}{expected}"), title_justify="left", title_style="bold")
    for number, heading in enumerate(("metric", "n", "original", "changed", "shift [95%]", "p", "p of all")):
        table.add_column(heading, justify="left" if number == 0 else "right")
    for each in found.overall:
        shift = each.paired
        interval = "" if shift.low is None or shift.high is None else f" [{shift.low:+.3f}, {shift.high:+.3f}]"
        table.add_row(
            Text(plain(each.metric)),
            str(shift.n),
            *("-" if mean is None else f"{mean:.3f}" for mean in (each.mean_a, each.mean_b)),
            "-" if shift.mean is None else f"{shift.mean:+.3f}{interval}",
            *(p_value(p) for p in (shift.p, each.p_of_all)),
        )
    report_console().print(table)
