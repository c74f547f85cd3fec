"""The table of scores and ratings that `assay meta` evaluates: from runs, from files of any tool, or from both."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..meta_eval.score_files import join_sources, read_score_files
from .baselines import add_baselines
from .run_scores import read_run_ratings, read_run_scores

if TYPE_CHECKING:
    from ..meta_eval.score_files import JoinedScores, ReadOptions
    from .store import RunRow, Store


def find_runs(store: "Store", names: Sequence[str]) -> "list[RunRow]":
    """Returns the runs with these names, each once; the last run where no name is given."""
    return list({run.id: run for run in map(store.run, names or ("last",))}.values())


def join_scores(
    store: "Store | None",
    runs: "Sequence[RunRow]",
    score_files: Sequence[Path],
    ratings_file: Path | None,
    options: "ReadOptions",
) -> "JoinedScores":
    """Joins the scores of runs and files with the ratings, and adds the baselines that are missing.

    Args:
        store: Where the runs are; None where there are none.
        runs: The runs whose scores count.
        score_files: Files of scores.
        ratings_file: The file of ratings. If left out, the ratings are those of the runs' samples, or without runs
            those in the first file of scores.
        options: How files are read.

    Raises:
        UsageError: There are neither runs nor files of scores.
        InputError: A file cannot be read, or nothing is rated.
    """
    if not runs and not score_files:
        raise UsageError("name the scores too: a RUN or --scores FILE")
    scores, ratings = read_score_files(score_files, ratings_file or (None if runs else score_files[0]), options)
    if store is not None:
        scores = [*(read_run_scores(store, run, options) for run in runs), *scores]
        ratings = ratings or read_run_ratings(store, runs, options)
    if ratings is None:
        raise UsageError("name a file of ratings: --ratings FILE")
    return add_baselines(join_sources(scores, ratings, options))
