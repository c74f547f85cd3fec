"""A run over Parquet files: the answers of each file are scored in parts, and each part is a file of scores."""

import logging
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from pydantic import BaseModel

from ... import errors
from ...errors import AssayError, BudgetReached, InputError, UsageError
from ...eval_sets import Sample, read_set
from ...eval_sets.parquet_file import find_parquet_files
from ...installation import require_extra
from ...judges import LostCalls, RawReply, Usage
from ...judges.cassette import find_journals, is_bundled, locked
from ...metrics import Metric, Score
from ...metrics.metric import run_to_end
from ..store.plan import Ending, Plan
from .options import RunOptions
from .score_parts import PartSummary, digest_of_rows, file_of_part, is_written, read_summary, write_part
from .scoring_request import ScoringRequest
from .session import OnProgress, Progress, score_samples
from .set_profile import SetProfile

PART_ROWS = 1000
"""Answers per part, and the most that a process holds."""


class PartReport(BaseModel):
    """What became of one part in this session; `problem` is the class and the text of the error that ended scoring."""

    summary: PartSummary | None = None
    is_new: bool = False
    usage: Usage = Usage()
    lost: LostCalls = LostCalls()
    problem: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class PartsJob:
    """What a process needs to score files: the plan, the folder or URL of the scores, and how."""

    plan: Plan
    out: str
    options: RunOptions

    @property
    def identity(self) -> str:
        """What determines the scores of an answer, as a hash."""
        return self.plan.model_copy(update={"sets": (), "limit": None}).identity


@dataclass(frozen=True, slots=True)
class ParquetOutcome:
    """How a run over Parquet files ended: `done`, or `budget` when a bound was reached; the parts that it wrote, and
    those that were there already."""

    out: str
    ending: Ending
    summary: PartSummary
    written: int
    skipped: int
    usage: Usage
    lost: LostCalls
    seconds: float
    message: str = ""


@dataclass
class _PartsProgress(Progress):
    """What all parts of a session took."""

    total_usage: Usage = field(default_factory=Usage)
    total_lost: LostCalls = field(default_factory=LostCalls)

    @property
    def usage(self) -> Usage:
        """As of `Progress`."""
        return self.total_usage

    @property
    def lost(self) -> LostCalls:
        """As of `Progress`."""
        return self.total_lost

    def count(self, report: PartReport) -> None:
        """Counts a part."""
        self.total_usage += report.usage
        self.total_lost += report.lost
        if report.summary is not None:
            self.samples += report.summary.answers
            for counts in report.summary.metrics.values():
                for status in self.scores:
                    self.scores[status] += getattr(counts, status)


def run_parquet(
    plan: Plan,
    out: str | Path,
    options: RunOptions,
    *,
    with_ray: bool = False,
    workers: int | None = None,
    on_progress: OnProgress = lambda _: None,
    on_note: Callable[[str], None] = lambda _: None,
) -> ParquetOutcome:
    """Scores the Parquet files of a plan into Parquet files, in this process or by the workers of Ray.

    A part whose file is there is not scored again: the same call goes on where it ended, however it ended. The budget
    holds for each process. `on_note` gets each note about how the files are read before the first call is paid for.
    """
    if plan.split or plan.sheet or plan.header_row or plan.turns != "last":
        raise UsageError(
            "runs over Parquet files have no --split, no --sheet and no --header-row, and score the last turn of a "
            "conversation (--turns last); leave these options out"
        )
    files = _find_files(plan.sets)
    out = str(out) if "://" in str(out) else str(Path(out).expanduser().absolute())
    if options.cassette is not None and not is_bundled(options.cassette):
        options = replace(options, cassette=options.cassette.expanduser().absolute())  # workers have other folders
    job = PartsJob(plan, out, options)
    here = find_parquet_files(out)
    for part in here[:1]:
        _read_own(part, job)
    if others := sorted({file_of_part(part) for part in here} - {Path(file).stem for file in files}):
        on_note(
            f"{out}: also holds the scores of {', '.join(others[:3])}{' and others' if others[3:] else ''}, not among "
            "the files of this command; whoever reads the folder counts them"
        )
    with ExitStack() as stack:
        stack.enter_context(_only_process(out))
        _check_first_rows(job, files[0], on_note)
        if with_ray and options.budget.is_bounded:
            on_note("the budget holds for each worker by itself: together they may take as many times as much")
        progress, summaries, written, message = _PartsProgress(), list[PartSummary](), 0, ""
        on_progress(progress)
        scoring = _score_with_ray(files, job, workers) if with_ray else score_files(files, job)
        stack.enter_context(closing(scoring))
        for report in scoring:
            progress.count(report)
            summaries += [report.summary] if report.summary is not None else []
            written += report.is_new
            on_progress(progress)
            if report.problem is not None:
                kind, message = report.problem
                if kind != BudgetReached.__name__:
                    error: type[AssayError] = getattr(errors, kind, AssayError)
                    raise error(message)
                break
    return ParquetOutcome(
        out=out,
        ending="budget" if message else "done",
        summary=PartSummary.total(summaries),
        written=written,
        skipped=len(summaries) - written,
        usage=progress.usage,
        lost=progress.lost,
        seconds=progress.seconds,
        message=message,
    )


def score_files(files: Iterable[str], job: PartsJob) -> Generator[PartReport]:
    """Scores files, one part after another; a problem is the last report."""
    for file in files:
        progress, count = Progress(), 0
        try:
            for samples in _read_parts(file, job.plan):
                progress, part, count = Progress(), _part_of(file, count, job), count + 1
                if is_written(part):
                    yield PartReport(summary=_check_rows(part, samples, file, job))
                else:
                    summary = _score_part(part, samples, job, progress)
                    yield PartReport(summary=summary, is_new=True, usage=progress.usage, lost=progress.lost)
            if is_written(rest := _part_of(file, count, job)):
                raise InputError(
                    f"{rest}: holds the scores of more rows than this command reads of {file}; remove it, or name "
                    "another folder (--out)"
                )
        except AssayError as error:
            problem = type(error).__name__, str(error)
            yield PartReport(usage=progress.usage, lost=progress.lost, problem=problem)
            return


def _read_parts(
    file: str, plan: Plan, limit: int | None = None, notes: list[str] | None = None
) -> Iterator[list[Sample]]:
    samples = read_set(
        file,
        mapping=plan.mapping,
        language=plan.language,
        limit=limit or plan.limit,
        scale=plan.scale,
        notes=[] if notes is None else notes,
        is_one_of_several=True,
    )
    while part := list(islice(samples, PART_ROWS)):
        yield part
        part.clear()  # before the next ones are read


def _part_of(file: str, number: int, job: PartsJob) -> str:
    return f"{job.out}/{Path(file).stem}-{number:05}.parquet"


def _read_own(part: str, job: PartsJob) -> PartSummary:
    """The summary of a part that this plan wrote."""
    summary = read_summary(part)
    if summary.plan != job.identity:
        raise UsageError(
            f"{job.out}: holds scores of other metrics, another judge or other options ({Path(part).name}); name "
            "another folder for these (--out)"
        )
    return summary


def _check_rows(part: str, samples: Sequence[Sample], file: str, job: PartsJob) -> PartSummary:
    summary = _read_own(part, job)
    if summary.rows != digest_of_rows(samples):
        raise InputError(
            f"{part}: holds the scores of other rows than {file} has there now; remove it, and the same command scores "
            "them again, or name another folder (--out)"
        )
    return summary


def _score_part(part: str, samples: Sequence[Sample], job: PartsJob, progress: Progress) -> PartSummary:
    """Scores and writes a part. Until it is written, the judge's replies are kept in a cassette beside it."""
    options, replies = job.options, None
    if options.cassette is None and job.plan.judge is not None and "://" not in part:
        replies = Path(part).with_suffix(".replies.jsonl")
        options = replace(options, cassette=replies)
    record = _PartRecord()
    run_to_end(score_samples(samples, record, ScoringRequest.of_plan(job.plan, options), progress=progress))
    summary = write_part(part, job.identity, samples, record.metrics, record.scores)
    if replies is not None:
        for path in (replies, *find_journals(replies)):
            path.unlink(missing_ok=True)
    return summary


class _PartRecord:
    """The record of a session that scores one part."""

    run = ""
    is_resumed = False
    metrics_of_conversations = ()  # every part has the columns of the same metrics

    def __init__(self) -> None:
        self.metrics: tuple[str, ...] = ()
        self.scores: dict[str, dict[str, Score]] = {}

    def begin(self, metrics: Sequence[Metric]) -> None:
        self.metrics = tuple(metric.name for metric in metrics)

    def earlier_replies(self) -> Sequence[RawReply]:
        return ()

    def drawn(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        return iter(samples)

    def finished_metrics(self, sample: Sample) -> set[str]:
        return set()

    def keep(self, sample: Sample, scores: dict[str, Score]) -> None:
        self.scores[sample.id] = scores

    def end(self, ending: Ending) -> None:
        pass


def _find_files(patterns: Iterable[str]) -> list[str]:
    files: dict[str, str] = {}
    for pattern in patterns:
        found = find_parquet_files(pattern)
        if not found or not all(file.endswith(".parquet") for file in found):
            raise InputError(
                f"{pattern}: there is no Parquet file of this name; name some, such as 'answers/*.parquet'"
            )
        for file in found:
            if files.setdefault(Path(file).stem, file) != file:
                raise InputError(
                    f"{file}: {files[Path(file).stem]} has the same name, and so would its scores; rename it"
                )
    return list(files.values())


def _check_first_rows(job: PartsJob, file: str, on_note: Callable[[str], None]) -> None:
    """Makes the metrics and reads the first rows, before anything is paid for."""
    notes: list[str] = []
    profile = SetProfile()
    for samples in _read_parts(file, job.plan, min(PART_ROWS, job.plan.limit or PART_ROWS), notes):
        for _ in profile.observe(samples):
            pass

    async def check() -> None:
        async with ScoringRequest.of_plan(job.plan, job.options).open_metrics() as opened:
            profile.check(opened.metrics)

    run_to_end(check())
    for note in (*notes, *profile.ratings.notes(job.plan.metrics)):
        on_note(note)


@contextmanager
def _only_process(out: str) -> Iterator[None]:
    """Keeps another command from paying for the same answers in the meantime; a folder elsewhere cannot be locked."""
    if "://" in out:
        yield
        return
    from filelock import Timeout

    folder = Path(out)
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(folder / "scoring", wait=False))
        except Timeout:
            raise UsageError(
                f"{out}: another process is at work on it; wait until it has ended, or end it first"
            ) from None
        except OSError as error:
            raise UsageError(f"{out}: scores cannot be written there: {error}; name another folder (--out)") from error
        yield


def _score_with_ray(files: Sequence[str], job: PartsJob, workers: int | None) -> Generator[PartReport]:
    """Scores files by the workers of Ray, in any order. One that dies is replaced, and goes on with its file."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    os.environ.setdefault("RAY_worker_niceness", "0")  # by default 15: starved where anything else runs
    with require_extra("ray", "--engine ray"):
        import ray
        import ray.data
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
    here = {"_node_ip_address": "127.0.0.1", "include_dashboard": False, "object_store_memory": 200 * 2**20}
    ray.init(**({} if os.environ.get("RAY_ADDRESS") else here), log_to_driver=False, logging_level=logging.ERROR)
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        size = min(len(files), workers or max(1, int(ray.cluster_resources().get("CPU", 1))))
        scored = ray.data.from_items([{"file": file} for file in files], override_num_blocks=len(files)).flat_map(
            _RayWorker, fn_constructor_args=(job,), compute=ray.data.ActorPoolStrategy(size=size), num_cpus=1
        )
        for row in scored.iter_rows():
            yield PartReport.model_validate_json(row["report"])
    finally:
        ray.shutdown()


class _RayWorker:
    """Scores files in a process of Ray, by a budget of its own."""

    def __init__(self, job: PartsJob) -> None:
        self._job = job

    def __call__(self, row: dict[str, str]) -> list[dict[str, str]]:
        """The reports of a file's parts."""
        return [{"report": report.model_dump_json()} for report in score_files([row["file"]], self._job)]
