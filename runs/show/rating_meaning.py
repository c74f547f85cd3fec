"""What the ratings so far say: the verdict of the meta-evaluation, and whether more ratings would change it."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import AssayError, InputError, UsageError
from ...presentation.verdict import Verdict
from ..ratings.rating_queue import RatingQueue
from ..store.store import Store

if TYPE_CHECKING:
    from ...meta_eval.stopping import Stability
    from ...meta_eval.table import ScoreTable

PICKED_FROM = "answers picked from "
"""The source of a queue that was made on a page, before the run's id."""


@dataclass(frozen=True, slots=True)
class RatingMeaning:
    """The verdict, or why there is none, and the stop rule in words, which says what is missing, where it is."""

    verdict: Verdict | None
    stop_rule: str
    problem: str = ""


def has_scores(queue: RatingQueue, store: Store) -> bool:
    """Whether the answers come from a run of this store, whose metrics can be compared with the ratings."""
    try:
        store.run(_run_of(queue))
    except UsageError:
        return False
    return True


def _run_of(queue: RatingQueue) -> str:
    return queue.source.removeprefix(PICKED_FROM)


def interpret_ratings(where: str | Path, name: str) -> RatingMeaning:
    """Works out what the ratings of a queue say; takes seconds, on a connection of its own."""
    from ...meta_eval.evaluation import evaluate_table
    from ...meta_eval.stopping import predict_stability

    with closing(Store(where)) as store:
        queue = RatingQueue(store.database, name)
        try:
            table = _score_table(store, queue)
            stability = predict_stability(table)
            evaluation = evaluate_table(table)  # as `assay meta` does: one figure, one value
        except AssayError as error:
            return RatingMeaning(None, "", f"Nothing can be said yet: {error}")
    rule = "The stop rule needs ten rated answers." if stability is None else f"{stability}."
    return RatingMeaning(evaluation.verdict, rule)


def predict_queue_stability(store: Store, queue: RatingQueue) -> "Stability | None":
    """Predicts what more ratings of a queue would change; None without scores, or with too few ratings."""
    from ...meta_eval.stopping import predict_stability

    try:
        return predict_stability(_score_table(store, queue)) if has_scores(queue, store) else None
    except InputError:
        return None  # nothing is rated


def _score_table(store: Store, queue: RatingQueue) -> "ScoreTable":
    from ...eval_sets.score_columns import ReadOptions
    from ..answers.score_table import join_scores, read_runs

    return join_scores(store.database, read_runs(store, [_run_of(queue)]), (), None, ReadOptions()).table
