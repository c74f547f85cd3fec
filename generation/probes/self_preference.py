"""A judge's shift on its own model's wording against its shift on another model's."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...errors import UsageError

if TYPE_CHECKING:
    from ...runs import Store
    from ...runs.compare import Comparison


class ProbeRun(NamedTuple):
    """A run of a probe's set: the probe, who judged (None: nobody), and the model that reworded ("": none did)."""

    run: str
    probe: str
    judge: str | None
    reworded_by: str

    @property
    def own(self) -> bool:
        """Whether the judge's own model reworded the answers."""
        return bool(self.reworded_by) and self.reworded_by == self.judge


class SelfPreference(NamedTuple):
    """The paired difference between a judge's run on its own wording and its run on another model's, own minus other.

    The original's scores cancel out: the difference of the two runs is that of their shifts.
    """

    own: ProbeRun
    other: ProbeRun
    found: "Comparison"


def load_probe_run(store: "Store", run: str) -> ProbeRun:
    """What probe a run is of. Raises `UsageError` where no probe made its samples."""
    told = next((sample.metadata for sample in store.samples(run)), {})
    if not told.get("probe"):
        raise UsageError(
            f"run {run} is not of a probe's set; name the run of the original first, then those of the probes"
        )
    return ProbeRun(run, str(told["probe"]), judge_identity(store, run), str(told.get("reworded_by", "")))


def judge_identity(store: "Store", run: str) -> str | None:
    """The model that judged a run; None where no judge was named."""
    judge = store.run(run).plan.judge
    return None if judge is None else judge.identity


def compare_own_wording(store: "Store", probed: Sequence[ProbeRun]) -> list[SelfPreference]:
    """Each run on the judge's own wording against each run of this judge on another's."""
    from ...runs.compare import compare

    return [
        SelfPreference(own, other, compare(store, other.run, own.run))
        for own in probed
        if own.own
        for other in probed
        if other.reworded_by and not other.own and other.judge == own.judge
    ]
