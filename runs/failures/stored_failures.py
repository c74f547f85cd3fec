"""The bad answers of stored runs, grouped by why: what a command, a page and `assay watch` call."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...judges.embedders import Embedder
from ..ratings.rating_join import join_run_ratings
from .failure_groups import Failures, group_failures
from .failure_texts import RunRecords, collect_records

if TYPE_CHECKING:
    from ..store import Store


def read_records(store: "Store", run: str) -> RunRecords:
    """Reads what a stored run says of its answers, with the ratings and reasons of the rating page.

    Args:
        store: Where the run is.
        run: The run's id.
    """
    plan = store.run(run).plan
    joined = join_run_ratings(store, run)
    return collect_records(
        run, joined.samples, store.scores(run), plan.all_directions, sets=plan.sets, note=joined.note
    )


async def group_stored_failures(
    store: "Store",
    runs: Sequence[str],
    embedder: Embedder,
    *,
    metric: str | None = None,
    groups: int | None = None,
    seed: int = 0,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Failures:
    """Groups the bad answers of stored runs by why they are bad (`group_failures`).

    Args:
        store: Where the runs are.
        runs: Their ids, the oldest first.
        embedder: Turns texts into vectors.
        metric: By which metric answers are bad; None for ratings where there are some.
        groups: The number of groups; None to choose it.
        seed: The same seed gives the same groups.
        on_progress: Called with the number of texts embedded so far.

    Raises:
        UsageError: A run is not there, or there is nothing to go by.
        JudgeError: There is no usable vector of a text.
    """
    records = [read_records(store, store.run(run).id) for run in runs]
    return await group_failures(records, embedder, metric=metric, groups=groups, seed=seed, on_progress=on_progress)
