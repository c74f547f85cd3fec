"""What the ratings so far say, as `assay meta` does: worked out in a process of its own, so that no rater waits."""

import asyncio
import os
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import AssayError, InputError, UsageError
from ..presentation.verdict import Verdict
from ..runs.ratings.rating_queue import RatingQueue
from ..runs.store.store import Store
from ..text.wording import Phrase, phrase

if TYPE_CHECKING:
    from ..meta_eval.stopping import Stability
    from ..meta_eval.table import ScoreTable

PICKED_FROM = "answers picked from "
"""The source of a queue that was made on a page, before the run's id."""


@dataclass(frozen=True, slots=True)
class RatingMeaning:
    """The verdict, or why there is none; whether more ratings would change it; which ratings count."""

    verdict: Verdict | None
    stop_rule: Phrase | None = None
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
    from ..meta_eval.evaluation import evaluate_table
    from ..meta_eval.groups import FEWEST_RATED
    from ..meta_eval.stopping import predict_stability

    with closing(Store(where)) as store:
        queue = RatingQueue(store.database, name)
        try:
            table, ratings = _score_table(store, queue)
            stability = predict_stability(table)
            evaluation = evaluate_table(table)  # as `assay meta` does: one figure, one value
        except AssayError as error:
            return RatingMeaning(None, problem=f"Nothing can be said yet: {error}")
    rule = phrase("rule_needs", count=FEWEST_RATED) if stability is None else stability.describe()
    return RatingMeaning(evaluation.verdict, rule, ratings=ratings)


def predict_queue_stability(store: Store, queue: RatingQueue) -> "Stability | None":
    """Predicts what more ratings of a queue would change; None without scores, or with too few ratings."""
    from ..meta_eval.stopping import predict_stability

    try:
        return predict_stability(_score_table(store, queue)[0]) if has_scores(queue, store) else None
    except InputError:
        return None  # nothing is rated


def _score_table(store: Store, queue: RatingQueue) -> "tuple[ScoreTable, str]":
    """The scores beside the ratings that count, and what is said of these."""
    from ..eval_sets.score_columns import ReadOptions
    from ..runs.answers.score_table import join_scores, read_runs

    joined = join_scores(store.database, read_runs(store, [_run_of(queue)]), (), None, ReadOptions())
    return joined.table, next((note for note in joined.notes if note.startswith("ratings: ")), "")


_LEAST_SECONDS = 5.0  # between two computations


class MeaningOfRatings:
    """Works out the present meaning of a queue's ratings when they have changed, at most every five seconds."""

    def __init__(self, where: str | Path, queue: str) -> None:
        self._where = where
        self._queue = queue
        self._state: object = None
        self._meaning: RatingMeaning | None = None
        self._ended = float("-inf")
        self._under_way: asyncio.Task[None] | None = None
        self._process: ProcessPoolExecutor | None = None

    async def read(self, state: object) -> tuple[RatingMeaning | None, bool]:
        """The newest meaning that is worked out, and whether it is of this state; else begins a newer one.

        None before the first.
        """
        is_free = self._under_way is None or self._under_way.done()
        if is_free and state != self._state and time.monotonic() - self._ended > _LEAST_SECONDS:
            self._under_way = asyncio.create_task(self._compute(state))
        return self._meaning, state == self._state

    async def _compute(self, state: object) -> None:
        loop = asyncio.get_running_loop()
        if self._process is None:
            self._process = ProcessPoolExecutor(1, get_context("spawn"), initializer=_be_nice)
        try:
            self._meaning = await loop.run_in_executor(self._process, interpret_ratings, self._where, self._queue)
            self._state = state
        except Exception as error:  # the page says so, and tries again with the next rating
            self._meaning, self._state = RatingMeaning(None, problem=f"This could not be worked out: {error}"), state
        finally:
            self._ended = time.monotonic()

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.shutdown(wait=False, cancel_futures=True)


def _be_nice() -> None:
    if hasattr(os, "nice"):
        os.nice(5)
