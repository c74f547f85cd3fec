"""A run by shards: what there is to score, who scores it, and its record in the store."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ... import errors
from ...errors import AssayError, BudgetReached, UsageError
from ...judges import Usage
from ...metrics import Metric
from ...prompts import Prompts
from ..options import RunOptions
from ..plan import Plan
from ..session import Ending, OnProgress, Outcome, Progress
from ..set_profile import SetProfile
from ..store import Store
from .score_shard import ShardScorer, read_samples
from .shard_folder import ShardFolder, shard_name
from .shard_plan import ShardPlan, content_key
from .shard_source import Origin, Piece, choose_rating_column, find_pieces, read_shards

if TYPE_CHECKING:
    import pyarrow

Engine = Literal["shards", "ray"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardOptions:
    """Where and how shards are scored.

    Attributes:
        out: The folder or URL for the results.
        engine: `shards`, one after another in this process; or `ray`, by the workers of a Ray cluster.
        shard_rows: Rows per shard: what is scored again, at most, where a worker is killed.
        workers: How many workers of Ray score at once; None for one per processor.
        address: The Ray cluster, as `ray.init` takes it; None for one on this machine that ends with the run.
    """

    out: str | Path
    engine: Engine = "shards"
    shard_rows: int = 1000
    workers: int | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class ShardReport:
    """What became of one shard.

    Attributes:
        name: The name of its result.
        rows: Its answers.
        statuses: Its scores by status.
        usage: What it took in this session.
        is_reused: Whether its result was there already.
        problem: Why scoring ended here: the class of an error of Assay, and its text; None where it did not.
    """

    name: str = ""
    rows: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    is_reused: bool = False
    problem: tuple[str, str] | None = None

    def raise_problem(self) -> None:
        """Raises the error that scoring ended with, if any."""
        if self.problem is not None:
            error: type[AssayError] = getattr(errors, self.problem[0], AssayError)
            raise error(self.problem[1])


@dataclass(frozen=True, slots=True)
class ShardJob:
    """What a worker needs to score pieces.

    Attributes:
        plan: What is done with each shard.
        folder: Where the results go.
        shard_rows: Rows per shard.
    """

    plan: ShardPlan
    folder: str
    shard_rows: int


def score_piece(piece: Piece, job: ShardJob, scorer: ShardScorer) -> Iterator[ShardReport]:
    """Scores the shards of a piece whose results are not there yet, and writes them.

    However scoring ends, short of a kill, what was scored and asked of a shard is written.

    Raises:
        AssayError: As `ShardScorer.score`.
    """
    folder, metrics = ShardFolder(job.folder), job.plan.all_metrics
    for rows in read_shards(piece, job.shard_rows):
        samples = list(read_samples(rows, job.plan))
        name = shard_name(content_key(sample, job.plan) for sample in samples)
        summary = folder.summary(name)
        is_reused = summary is not None and not summary["unfinished"]
        usage = Usage()
        if summary is None or not is_reused:
            try:
                result = scorer.score_samples(samples, Origin.of(rows).place, folder.read(name))
            except BaseException:
                if scorer.unfinished is not None:
                    folder.write_partial(name, scorer.unfinished)
                raise
            summary, usage = folder.write(name, result, metrics), scorer.usage
        yield ShardReport(name, summary["rows"], summary["statuses"], usage, is_reused)


class _ShardProgress(Progress):
    """What the workers have done so far."""

    taken: Usage = Usage()

    @property
    def usage(self) -> Usage:
        """What all workers took in this session."""
        return self.taken

    def count(self, report: ShardReport) -> None:
        """Counts a shard."""
        self.taken += report.usage
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
        JudgeUnavailable: The judge is gone.
        UsageError: A metric cannot be made, or can score none of the first rows; or there is no such engine.
    """
    if len(plan.sets) != 1 or plan.split or plan.sheet:
        raise UsageError(
            "shards are read from Parquet files by one pattern, such as 'answers/*.parquet' (in quotes); split and "
            "sheet do not apply"
        )
    pieces = find_pieces(plan.sets[0], shard_options.shard_rows, plan.limit)
    shard_plan = _shard_plan(plan, options, pieces)
    metrics = _check(shard_plan, pieces[0], shard_options.shard_rows, on_note)
    folder = ShardFolder.of_plan(shard_options.out, shard_plan)
    run = resume or store.begin(plan.with_directions(metrics), options.cassette, folder.url)
    if resume is None:
        on_begin(run)
    job = ShardJob(shard_plan, folder.url, shard_options.shard_rows)
    progress = _ShardProgress(total=sum(piece.stop - piece.start for piece in pieces))
    on_progress(progress)
    names: dict[str, None] = {}
    ending: Ending = "interrupted"
    message = ""
    try:
        for report in _score(pieces, job, options, shard_options):
            report.raise_problem()
            names[report.name] = None
            progress.count(report)
            on_progress(progress)
        folder.write_manifest(names)
        ending = "done"
    except BudgetReached as error:
        ending, message = "budget", str(error)
    except Exception:
        ending = "error"
        raise
    finally:
        store.end(run, ending)
    return Outcome(run, ending, progress.usage, progress.seconds, message)


def _score(
    pieces: list[Piece], job: ShardJob, options: RunOptions, shard_options: ShardOptions
) -> Iterable[ShardReport]:
    if shard_options.engine == "ray":
        raise UsageError("the engine ray is not there yet")
    return _score_here(pieces, job, options)


def _score_here(pieces: list[Piece], job: ShardJob, options: RunOptions) -> Iterator[ShardReport]:
    with ShardScorer(job.plan, budget=options.budget) as scorer:
        for piece in pieces:
            yield from score_piece(piece, job, scorer)


def _shard_plan(plan: Plan, options: RunOptions, pieces: list[Piece]) -> ShardPlan:
    return ShardPlan(
        metrics=plan.metrics,
        judge=plan.judge,
        embedder=plan.embedder,
        own_prompts=_own_prompts(plan.prompts),
        mapping=plan.mapping,
        language=plan.language,
        rating_column=choose_rating_column(pieces, plan.mapping),
        cassette=None if options.cassette is None else str(replace(options, judge=plan.judge).cassette_file()),
        mode=options.mode,
        concurrency=options.concurrency,
    )


def _own_prompts(folder: str | None) -> dict[str, str]:
    if folder is None:
        return {}
    Prompts.from_folder(folder)  # says what is wrong with one of them
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(Path(folder).glob("*.md"))}


def _check(plan: ShardPlan, piece: Piece, shard_rows: int, on_note: Callable[[str], None]) -> list[Metric]:
    """Makes the metrics and reads the first shard, before anything is paid for."""
    rows: pyarrow.Table = next(read_shards(piece, shard_rows))
    with ShardScorer(plan) as scorer:
        metrics, samples, notes = scorer.check(rows)
    profile = SetProfile()
    for _ in profile.observe(samples):
        pass
    profile.check(metrics)
    for note in notes:
        on_note(note)
    return metrics
