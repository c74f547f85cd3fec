"""What the ratings so far say: the verdict of the meta-evaluation, and whether more ratings would change it."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import AssayError, InputError, UsageError
from ...presentation.verdict import Verdict
from ...text.wording import Phrase, phrase
from ..ratings.rating_queue import RatingQueue
from ..store.store import Store

if TYPE_CHECKING:
    from ...meta_eval.stopping import Stability
    from ...meta_eval.table import ScoreTable

PICKED_FROM = "answers picked from "
"""The source of a queue that was made on a page, before the run's id."""


@dataclass(frozen=True, slots=True)
class RatingMeaning:
    """The verdict, or why there is none; whether more ratings would change it; which ratings count."""

    verdict: Verdict | None
    stop_rule: Phrase | None
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
    from ...meta_eval.groups import FEWEST_RATED
    from ...meta_eval.stopping import predict_stability

    with closing(Store(where)) as store:
        queue = RatingQueue(store.database, name)
        try:
            table, ratings = _score_table(store, queue)
            stability = predict_stability(table)
            evaluation = evaluate_table(table)  # as `assay meta` does: one figure, one value
        except AssayError as error:
            return RatingMeaning(None, None, f"Nothing can be said yet: {error}")
    rule = phrase("rule_needs", count=FEWEST_RATED) if stability is None else stability.describe()
    return RatingMeaning(evaluation.verdict, rule, ratings=ratings)


def predict_queue_stability(store: Store, queue: RatingQueue) -> "Stability | None":
    """Predicts what more ratings of a queue would change; None without scores, or with too few ratings."""
    from ...meta_eval.stopping import predict_stability

    try:
        return predict_stability(_score_table(store, queue)[0]) if has_scores(queue, store) else None
    except InputError:
        return None  # nothing is rated


def _score_table(store: Store, queue: RatingQueue) -> "tuple[ScoreTable, str]":
    """The scores beside the ratings that count, and what is said of these."""
    from ...eval_sets.score_columns import ReadOptions
    from ..answers.score_table import join_scores, read_runs

    joined = join_scores(store.database, read_runs(store, [_run_of(queue)]), (), None, ReadOptions())
    return joined.table, next((note for note in joined.notes if note.startswith("ratings: ")), "")
