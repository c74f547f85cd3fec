"""Self-preference of a judge: its shift on its own model's wording against its shift on another model's."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...errors import UsageError

if TYPE_CHECKING:
    from ...runs import Store
    from ...runs.compare import RunComparison


class ProbeRun(NamedTuple):
    """A run on a probe's set.

    Attributes:
        run: The run's id.
        probe: The probe's name.
        judge: The model that judged; None for a run without a judge.
        reworded_by: The model that reworded the answers, "" where none did.
    """

    run: str
    probe: str
    judge: str | None
    reworded_by: str

    @property
    def is_own_wording(self) -> bool:
        """Whether the judge's own model reworded the answers."""
        return bool(self.reworded_by) and self.reworded_by == self.judge


class SelfPreference(NamedTuple):
    """The paired difference between a judge's run on its own wording and its run on another model's.

    The scores of the original cancel out: the difference of the two runs is that of their shifts.

    Attributes:
        own: The run on the judge's own wording.
        other: The run on another model's.
        comparison: Own minus other, for each metric.
    """

    own: ProbeRun
    other: ProbeRun
    comparison: "RunComparison"


def load_probe_run(store: "Store", run: str) -> ProbeRun:
    """Loads what probe a run is of.

    Returns:
        The probe and the judge.

    Raises:
        UsageError: The run's samples are not a probe's.
    """
    metadata = next((sample.metadata for sample in store.samples(run)), {})
    if not metadata.get("probe"):
        raise UsageError(
            f"run {run} is not a run on a probe's set; name the run of the original first, then the runs of its probes"
        )
    return ProbeRun(run, str(metadata["probe"]), judge_identity(store, run), str(metadata.get("reworded_by", "")))


def judge_identity(store: "Store", run: str) -> str | None:
    """Returns the model that judged a run; None for a run without a judge."""
    judge = store.run(run).plan.judge
    return None if judge is None else judge.identity


def compare_own_wording(store: "Store", probe_runs: Sequence[ProbeRun]) -> list[SelfPreference]:
    """Compares each run on the judge's own wording with each run of the same judge on another model's wording.

    Returns:
        One comparison for each such couple of runs.
    """
    from ...runs.compare import compare

    return [
        SelfPreference(own, other, compare(store, other.run, own.run))
        for own in probe_runs
        if own.is_own_wording
        for other in probe_runs
        if other.reworded_by and not other.is_own_wording and other.judge == own.judge
    ]
