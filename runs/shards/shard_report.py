"""The shards of a piece, scored and written by whoever works, and what is reported of each."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ... import errors
from ...errors import AssayError, BudgetReached, JudgeUnavailable
from ...judges import LostCalls, Usage
from .score_shard import ShardScorer, read_samples
from .shard_folder import ShardFolder, shard_name
from .shard_plan import ShardPlan, content_key
from .shard_source import Origin, Piece, read_shards


@dataclass(frozen=True, slots=True)
class ShardReport:
    """What became of one shard.

    Attributes:
        name: The name of its result.
        rows: Its answers.
        statuses: Its scores by status.
        usage: What it took in this session.
        lost: Its calls of this session whose reply was lost, with what they took at most.
        is_reused: Whether its result was there already.
        problem: Why scoring ended here: the class of an error of Assay, and its text; None where it did not.
    """

    name: str = ""
    rows: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    lost: LostCalls = field(default_factory=LostCalls)
    is_reused: bool = False
    problem: tuple[str, str] | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether all workers stop here by themselves: at a bound of the budget, or because the judge is gone."""
        return self.problem is not None and self.problem[0] in {BudgetReached.__name__, JudgeUnavailable.__name__}

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
        usage, lost = Usage(), LostCalls()
        if summary is None or not is_reused:
            try:
                result = scorer.score_samples(samples, Origin.read_from(rows).place, folder.read(name))
            except BaseException:
                if scorer.unfinished is not None:
                    folder.write_partial(name, scorer.unfinished)
                raise
            summary, usage, lost = folder.write(name, result, metrics), scorer.usage, scorer.lost
        yield ShardReport(name, summary["rows"], summary["statuses"], usage, lost, is_reused)
