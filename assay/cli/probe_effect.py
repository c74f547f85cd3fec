"""`assay probe --effect`: what probes did to scores, and a judge's own wording against another model's."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..generation.probes.self_preference import ProbeRun, SelfPreference
    from ..runs import Store
    from ..runs.compare import Comparison


def tell_effect(names: tuple[str, ...], store: str | Path, as_json: bool) -> None:
    """Prints how far each probe's run moved from the original's, and the judge's own wording against others'."""
    from ..generation.probes import EXPECTED
    from ..generation.probes.self_preference import compare_own_wording, load_probe_run
    from ..runs import Store
    from ..runs.compare import compare

    if len(names) < 2:
        raise UsageError("--effect needs the run of the original, then one or more runs of probes")
    runs = Store(store, must_exist=True)
    original, *others = [runs.run(name).id for name in names]
    probed = [load_probe_run(runs, run) for run in others]
    _check_one_judge(runs, original, probed)
    found = [(each, compare(runs, original, each.run)) for each in probed]
    against = compare_own_wording(runs, probed)
    if as_json:
        told = [{"probe": each.probe, "run": compared.b, "effects": _effects(compared)}
                | ({"reworded_by": each.reworded_by, "own": each.is_own_wording} if each.reworded_by else {})
                for each, compared in found]  # fmt: skip
        differences = [{"judge": each.own.judge, "own": each.own.run, "other": each.other.run,
                        "other_model": each.other.reworded_by, "effects": _effects(each.comparison)}
                       for each in against]  # fmt: skip
        answer = {"original": original, "probes": told, "own_minus_other": differences}
        click.echo(json.dumps(answer, ensure_ascii=False))
        return
    for each, compared in found:
        expected = f" (a fair metric: {EXPECTED[each.probe]})" if each.probe in EXPECTED else ""
        _print_effect(f"{each.probe}{_by(each)}{expected}", compared, ("original", "changed", "shift"))
    _print_own_minus_others(probed, against)


def _effects(found: "Comparison") -> list[dict[str, Any]]:
    return [difference.as_json() for difference in found.overall]


def _check_one_judge(store: "Store", original: str, probed: "Sequence[ProbeRun]") -> None:
    """Raises `UsageError` where two judges judged: a shift would be theirs, not the probe's."""
    from ..generation.probes.self_preference import judge_identity

    named = [(original, judge_identity(store, original)), *((each.run, each.judge) for each in probed)]
    judges = {run: judge for run, judge in named if judge is not None}
    if len(set(judges.values())) > 1:
        told = ", ".join(f"{run} by {judge}" for run, judge in judges.items())
        raise UsageError(f"an effect is of one judge, and these runs were judged {told}; name runs of one judge")


def _by(each: "ProbeRun") -> str:
    if not each.reworded_by:
        return ""
    return f" by {each.reworded_by}{', the judge itself' if each.is_own_wording else ''}"


def _print_own_minus_others(probed: "Sequence[ProbeRun]", against: "Sequence[SelfPreference]") -> None:
    from ..runs.report import plain

    for each in against:
        title = f"own wording minus that of {each.other.reworded_by}, judged by {each.own.judge}"
        _print_effect(title, each.comparison, ("other", "own", "own - other"))
    rewordings = [each for each in probed if each.reworded_by]
    if len(rewordings) > 1 and not against:
        models = ", ".join(each.reworded_by for each in rewordings)
        judge = rewordings[0].judge or "no judge"
        click.echo(plain(f"no own wording beside another's: reworded by {models}, judged by {judge}"))


def _print_effect(title: str, found: "Comparison", columns: tuple[str, str, str]) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..runs.report import plain, report_console, with_interval
    from .meta_tables import p_value

    first, second, difference = columns
    table = Table(title=Text(plain(title)), title_justify="left", title_style="bold")
    for number, heading in enumerate(("metric", "n", first, second, f"{difference} [95%]", "p", "p of all")):
        table.add_column(heading, justify="left" if number == 0 else "right")
    for each in found.overall:
        shift = each.paired
        table.add_row(
            Text(plain(each.metric)),
            str(shift.n),
            *("-" if mean is None else f"{mean:.3f}" for mean in (each.mean_a, each.mean_b)),
            with_interval(shift.value, shift.low, shift.high, "+.3f"),
            *(p_value(p) for p in (shift.p, each.p_of_all)),
        )
    report_console().print(table)
