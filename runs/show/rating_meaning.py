"""What the ratings so far say: the verdict of the meta-evaluation."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import AssayError, UsageError
from ...presentation.verdict import Verdict
from ..ratings.rating_queue import RatingQueue
from ..store.store import Store

if TYPE_CHECKING:
    from ...meta_eval.table import ScoreTable

PICKED_FROM = "answers picked from "
"""The source of a queue that was made on a page, before the run's id."""


@dataclass(frozen=True, slots=True)
class RatingMeaning:
    """The verdict, or why there is none; which ratings count."""

    verdict: Verdict | None
    problem: str = ""
    ratings: str = ""  # whose ratings these are, and which are left out; empty where all are the file's


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

    with closing(Store(where)) as store:
        queue = RatingQueue(store.database, name)
        try:
            table, ratings = _score_table(store, queue)
            evaluation = evaluate_table(table)  # as `assay meta` does: one figure, one value
        except AssayError as error:
            return RatingMeaning(None, f"Nothing can be said yet: {error}")
    return RatingMeaning(evaluation.verdict, ratings=ratings)


def _score_table(store: Store, queue: RatingQueue) -> "tuple[ScoreTable, str]":
    """The scores beside the ratings that count, and what is said of these."""
    from ...eval_sets.score_columns import ReadOptions
    from ..answers.score_table import join_scores, read_runs

    joined = join_scores(store.database, read_runs(store, [_run_of(queue)]), (), None, ReadOptions())
    return joined.table, next((note for note in joined.notes if note.startswith("ratings: ")), "")
