"""`assay probe --effect`: what probes did to scores, and a judge's own wording against another model's."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..presentation.result_table import Field, tabulate
from ..presentation.texts import one_line
from .output import echo, echo_json, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..generation.probes.self_preference import ProbeRun, SelfPreference
    from ..runs import Store
    from ..runs.compare import RunComparison


def print_effects(names: tuple[str, ...], store: str | Path, *, as_json: bool) -> None:
    """Prints how far each probe's run moved from the original's, and the judge's own wording against others'.

    Raises:
        UsageError: There is no run of a probe, or two judges judged: a shift would be theirs, not the probe's.
    """
    from ..generation.probes import EXPECTED
    from ..generation.probes.self_preference import compare_own_wording, load_probe_run
    from ..runs import Store
    from ..runs.compare import compare

    if len(names) < 2:
        raise UsageError("--effect needs the run of the original, then one or more runs of probes")
    runs = Store(store, must_exist=True)
    original, *others = [runs.run(name).id for name in names]
    probe_runs = [load_probe_run(runs, run) for run in others]
    _check_one_judge(runs, original, probe_runs)
    comparisons = [(probe_run, compare(runs, original, probe_run.run)) for probe_run in probe_runs]
    preferences = compare_own_wording(runs, probe_runs)
    if as_json:
        probes = [_probe_as_json(probe_run, comparison) for probe_run, comparison in comparisons]
        differences = [_preference_as_json(preference) for preference in preferences]
        result = {"original": original, "probes": probes, "own_minus_other": differences}
        echo_json(result)
        return
    for probe_run, comparison in comparisons:
        expected = f" (a fair metric: {EXPECTED[probe_run.probe]})" if probe_run.probe in EXPECTED else ""
        title = f"{probe_run.probe}{_by_model(probe_run)}{expected}"
        _print_effect(title, comparison, ("original", "changed", "shift"))
    _print_preferences(probe_runs, preferences)


def _probe_as_json(probe_run: "ProbeRun", comparison: "RunComparison") -> dict[str, Any]:
    wording = {"reworded_by": probe_run.reworded_by, "own": probe_run.is_own_wording}
    effect = {"probe": probe_run.probe, "run": comparison.b, "effects": _effects_as_json(comparison)}
    return effect | (wording if probe_run.reworded_by else {})


def _preference_as_json(preference: "SelfPreference") -> dict[str, Any]:
    return {
        "judge": preference.own.judge,
        "own": preference.own.run,
        "other": preference.other.run,
        "other_model": preference.other.reworded_by,
        "effects": _effects_as_json(preference.comparison),
    }


def _effects_as_json(comparison: "RunComparison") -> list[dict[str, Any]]:
    return [difference.as_json() for difference in comparison.overall]


def _check_one_judge(store: "Store", original: str, probe_runs: "Sequence[ProbeRun]") -> None:
    from ..generation.probes.self_preference import judge_identity

    named = [(original, judge_identity(store, original)), *((run.run, run.judge) for run in probe_runs)]
    judges = {run: judge for run, judge in named if judge is not None}
    if len(set(judges.values())) > 1:
        listing = ", ".join(f"{run} by {judge}" for run, judge in judges.items())
        raise UsageError(f"these runs were judged by different judges ({listing}); name runs of one judge")


def _by_model(probe_run: "ProbeRun") -> str:
    if not probe_run.reworded_by:
        return ""
    return f" by {probe_run.reworded_by}{', the judge itself' if probe_run.is_own_wording else ''}"


def _print_preferences(probe_runs: "Sequence[ProbeRun]", preferences: "Sequence[SelfPreference]") -> None:

    for preference in preferences:
        title = f"own wording minus that of {preference.other.reworded_by}, judged by {preference.own.judge}"
        _print_effect(title, preference.comparison, ("other", "own", "own - other"))
    rewordings = [run for run in probe_runs if run.reworded_by]
    if len(rewordings) > 1 and not preferences:
        models = ", ".join(run.reworded_by for run in rewordings)
        judge = rewordings[0].judge or "no judge"
        echo(one_line(f"no own wording beside another's: reworded by {models}, judged by {judge}"))


def _print_effect(title: str, comparison: "RunComparison", columns: tuple[str, str, str]) -> None:
    first, second, difference = columns
    fields = (
        Field("metric", "text", lambda row: row.metric),
        Field("n", "count", lambda row: str(row.paired.n)),
        Field(first, "mean", lambda row: row.mean_a, "wide"),
        Field(second, "mean", lambda row: row.mean_b, "wide"),
        Field(f"{difference} [95%]", "change", lambda row: row.paired),
        Field("p", "p", lambda row: row.paired.p, "wide"),
        Field("p of all", "p", lambda row: row.p_of_all),
    )
    print_table(tabulate(title, comparison.overall, fields))
