"""A run by shards: what there is to score, who scores it, and its record in the store."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...arguments import check_type
from ...errors import BudgetReached, JudgeUnavailable, UsageError
from ...judges import LiteLLMJudge, LostCalls, Usage
from ...metrics import Metric
from ...prompts import Prompts
from ..options import RunOptions
from ..plan import Plan
from ..session import NOTHING_STORED, Ending, OnProgress, Outcome, Progress
from ..set_profile import SetProfile
from ..store import Store, check_store
from .score_shard import ShardScorer
from .shard_folder import ShardFolder
from .shard_plan import ShardPlan
from .shard_report import ShardJob, ShardReport, score_piece
from .shard_source import Piece, choose_rating_columns, find_files, find_pieces, read_shards

if TYPE_CHECKING:
    import pyarrow

Engine = Literal["shards", "ray"]
_ROWS_LOOKED_AT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardOptions:
    """Where and how shards are scored.

    Attributes:
        out: The folder or URL for the results.
        engine: `shards`, one after another in this process; or `ray`, by the workers of a Ray cluster.
        shard_rows: Rows per shard: what is scored again, at most, where a worker is killed. Where results of this plan
            are there already, theirs.
        workers: How many workers of Ray score at once; None for one per processor.
        address: The Ray cluster, as `ray.init` takes it; None for one on this machine that ends with the run.
    """

    out: str | Path
    engine: Engine = "shards"
    shard_rows: int = 1000
    workers: int | None = None
    address: str | None = None


class _ShardProgress(Progress):
    """What the workers have done so far."""

    total_usage: Usage = Usage()
    total_lost: LostCalls = LostCalls()

    @property
    def usage(self) -> Usage:
        """What all workers took in this session."""
        return self.total_usage

    @property
    def lost(self) -> LostCalls:
        """What the lost calls of all workers took at most in this session."""
        return self.total_lost

    def count(self, report: ShardReport) -> None:
        """Counts a shard."""
        self.total_usage += report.usage
        self.total_lost += report.lost
        self.samples += report.rows
        for status, number in report.statuses.items():
            self.scores[status] += number


def run_shards(
    plan: Plan,
    store: Store,
    options: RunOptions,
    shard_options: ShardOptions,
    *,
    resume: str | None = None,
    on_begin: Callable[[str], None] = lambda _: None,
    on_progress: OnProgress = lambda _: None,
    on_note: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Scores the Parquet files of a plan by shards. The store gets the record of the run, and Parquet files the rest.

    Shards whose results are in the folder already are not scored again: the same call goes on where it ended.

    Args:
        plan: What is scored, by which metrics, judge, embedder and prompts. Its one set is the pattern of the files.
        store: Where the run is recorded.
        options: The cassette, the budget, the concurrency.
        shard_options: Where results go, and who scores.
        resume: The id of the run to go on with; a new one begins if None.
        on_begin: Called with the id of a run that begins.
        on_progress: Called after each shard, and once before the first.
        on_note: Called, before the first call is paid for, with each note about how the files are read.

    Raises:
        InputError: A file, row or prompt cannot be read.
        JudgeUnavailable: The judge is gone. A new run without any reply and score is removed.
        UsageError: A metric cannot be made, or can score none of the first rows; or there is no such engine.
    """
    check_type("plan", plan, Plan, "a Plan (from assay.runs import Plan)")
    check_store(store)
    if len(plan.sets) != 1 or plan.split or plan.sheet:
        raise UsageError(
            "shards are read from Parquet files by one pattern, such as 'answers/*.parquet' (in quotes); split and "
            "sheet do not apply"
        )
    if plan.turns != "last":
        raise UsageError(
            f"--turns {plan.turns}: shards have one row per sample, and score the last turn of a conversation; leave "
            "--engine out, or say --turns last"
        )
    paths = find_files(plan.sets[0])
    shard_plan = _shard_plan(plan, options, paths)
    folder = ShardFolder.of_plan(shard_options.out, shard_plan)
    metrics, has_pair_ratings = _check(shard_plan, find_pieces(paths, _ROWS_LOOKED_AT, plan.limit)[0], on_note)
    if resume is None and plan.judge is not None and options.cassette is None:
        LiteLLMJudge(plan.judge).check_api_key()  # before a run is begun that could score nothing
    shard_rows = folder.begin(shard_plan, shard_options.shard_rows)
    pieces = find_pieces(paths, shard_rows, plan.limit)
    if resume is None:
        plan = plan.with_declarations(metrics, has_pair_ratings=has_pair_ratings)
        run = store.begin(plan, options.cassette, folder.url)
        on_begin(run)
    else:
        run = resume
        store.resume(run)
    job = ShardJob(shard_plan, folder.url, shard_rows)
    progress = _ShardProgress(total=sum(piece.stop - piece.start for piece in pieces))
    on_progress(progress)
    ending: Ending = "interrupted"
    message = ""
    try:
        names = _count_shards(_score(pieces, job, options, shard_options), progress, on_progress)
        folder.write_manifest(names)
        folder.write_index(shard_plan.all_metrics)
        ending = "done"
    except BudgetReached as error:
        folder.write_index(shard_plan.all_metrics)
        ending, message = "budget", str(error)
    except JudgeUnavailable as error:
        ending = "error"
        if resume is None and folder.is_empty(plan.metrics) and store.remove_if_empty(run):
            raise JudgeUnavailable(f"{error}. {NOTHING_STORED}") from error
        raise
    except Exception:
        ending = "error"
        raise
    finally:
        store.end(run, ending)
    return Outcome(run, ending, progress.usage, progress.seconds, message, progress.lost)


def _count_shards(reports: Iterator[ShardReport], progress: _ShardProgress, on_progress: OnProgress) -> list[str]:
    """Counts the shards as they are scored and returns their names. Raises what ended the scoring, if anything did."""
    names: dict[str, None] = {}
    stopped: ShardReport | None = None
    for report in reports:
        if report.is_stopped:
            stopped = report  # the other workers write what they have
            continue
        report.raise_problem()
        names[report.name] = None
        progress.count(report)
        on_progress(progress)
    if stopped is not None:
        stopped.raise_problem()
    return list(names)


def _score(
    pieces: list[Piece], job: ShardJob, options: RunOptions, shard_options: ShardOptions
) -> Iterator[ShardReport]:
    if shard_options.engine == "shards":
        return _score_here(pieces, job, options)
    from .ray_engine import score_with_ray

    return score_with_ray(pieces, job, options.budget, workers=shard_options.workers, address=shard_options.address)


def _score_here(pieces: list[Piece], job: ShardJob, options: RunOptions) -> Iterator[ShardReport]:
    with ShardScorer(job.plan, budget=options.budget) as scorer:
        for piece in pieces:
            yield from score_piece(piece, job, scorer)


def _shard_plan(plan: Plan, options: RunOptions, paths: list[str]) -> ShardPlan:
    cassette = options.cassette_file(lambda: plan.judge)
    return ShardPlan(
        metrics=plan.metrics,
        judge=plan.judge,
        embedder=plan.embedder,
        own_prompts=_own_prompts(plan.prompts),
        mapping=plan.mapping,
        language=plan.language,
        rating_columns=choose_rating_columns(paths, plan.mapping),
        cassette=None if cassette is None else str(cassette),
        mode=options.mode,
        concurrency=options.concurrency,
    )


def _own_prompts(folder: str | None) -> dict[str, str]:
    if folder is None:
        return {}
    Prompts.from_folder(folder)  # says what is wrong with one of them
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(Path(folder).glob("*.md"))}


def _check(plan: ShardPlan, piece: Piece, on_note: Callable[[str], None]) -> tuple[list[Metric], bool]:
    """Makes the metrics and reads the first rows, before anything is paid for: the metrics; whether pairs are rated."""
    rows: pyarrow.Table = next(read_shards(piece, _ROWS_LOOKED_AT))
    with ShardScorer(plan) as scorer:
        metrics, samples, notes = scorer.check(rows)
    profile = SetProfile()
    for _ in profile.observe(samples):
        pass
    profile.check(metrics)
    for note in notes:
        on_note(note)
    return metrics, profile.ratings.has_notes
