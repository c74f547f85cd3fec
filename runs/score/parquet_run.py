"""A run over Parquet files: the answers of each file are scored in parts, and each part is a Parquet file of scores."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from ...atomic_files import replace_file
from ...errors import BudgetReached, InputError, UsageError
from ...eval_sets import Sample, read_set
from ...eval_sets.parquet_file import read_parquet
from ...judges.cassette import locked
from ...metrics import Score
from ...metrics.metric import run_to_end
from ..answers.summary import MetricSummary
from ..show.results import usage_as_json
from ..store.plan import Outcome, Plan, Progress
from .scoring_request import RunOptions, ScoringRequest
from .session import OnProgress, Record, SetProfile, check_metrics, score_samples

PART_ROWS = 1000
"""Answers per part, and the most that a process holds."""
_SUMMARY = b"assay.scores"
_TEXTS = ("id", "user_input", "response", "language", "message_type", "group", "ratings", "metadata")
_NUMBERS = ("rating", "rating_min", "rating_max")
_SCORE_TEXTS = ("status", "reason", "evidence", "usage")


class MetricCounts(BaseModel):
    """The scores of one metric by status, the sum of their values, and why the first one without a value has none."""

    scored: int = 0
    skipped: int = 0
    failed: int = 0
    total: float = 0.0
    reason: str = ""

    def add(self, other: "MetricCounts") -> None:
        """Adds what another part counted."""
        self.reason = self.reason or other.reason
        for name in ("scored", "skipped", "failed", "total"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def summarise(self, name: str) -> MetricSummary:
        """The summary of a metric with this name, without its agreement with ratings."""
        n = self.scored + self.skipped + self.failed
        mean = self.total / self.scored if self.scored else None
        return MetricSummary(name, n=n, scored=self.scored, skipped=self.skipped, failed=self.failed, mean=mean)


class PartSummary(BaseModel):
    """What a part says of itself, or several together: hashes of what determines its scores (`plan`) and of its answers
    (`rows`), the scores by metric, and why the first failed one failed."""

    plan: str = ""
    rows: str = ""
    answers: int = 0
    metrics: dict[str, MetricCounts] = {}
    failure: str = ""

    def add(self, other: "PartSummary") -> None:
        """Adds what another part says."""
        self.answers += other.answers
        self.failure = self.failure or other.failure
        for metric, counts in other.metrics.items():
            self.metrics.setdefault(metric, MetricCounts()).add(counts)

    def summaries(self) -> list[MetricSummary]:
        """One summary per metric."""
        return [counts.summarise(metric) for metric, counts in self.metrics.items()]

    def reason_of_no_value(self, metrics: Sequence[str]) -> str:
        """Returns why no answer has a value of any of the metrics, as the first of them says; empty where one has."""
        asked = {metric: self.metrics[metric] for metric in metrics if metric in self.metrics}
        if any(counts.scored for counts in asked.values()):
            return ""
        reasons = (f"{metric}: {counts.reason}" for metric, counts in asked.items())
        return next(reasons, "there is no answer")


def _add_ids(file_of: dict[int, Path], file: Path, samples: Iterable[Sample]) -> None:
    """Adds the hashes of the ids of a part, of which there may be many. Raises for one that another file has."""
    for name in (sample.id for sample in samples):
        if (other := file_of.setdefault(hash(name), file)) != file:
            raise InputError(f"{file}: the id {name!r} is in {other} too; make their ids differ")


@dataclass(frozen=True, slots=True)
class PartsJob:
    """What a process needs to score files: the plan, the folder of the scores, and how."""

    plan: Plan
    out: Path
    options: RunOptions

    @property
    def identity(self) -> str:
        """What determines the scores of an answer, as a hash."""
        return self.plan.model_copy(update={"sets": (), "limit": None}).identity

    def part_of(self, file: Path, number: int) -> Path:
        """The file of the scores of a part."""
        return self.out / f"{file.stem}-{number:05}.parquet"


@dataclass
class ParquetOutcome(Outcome):
    """What a run over Parquet files did, and how it ended; `summary` is of all parts, those that were there too."""

    summary: PartSummary = field(default_factory=PartSummary)
    written: int = 0
    skipped: int = 0

    def add(self, part: PartSummary, *, is_new: bool) -> None:
        """Counts a part."""
        self.written += is_new
        self.skipped += not is_new
        self.summary.add(part)
        self.samples = self.summary.answers
        for status in self.scores:
            self.scores[status] = sum(getattr(counts, status) for counts in self.summary.metrics.values())


def run_parquet(
    plan: Plan,
    out: Path,
    options: RunOptions,
    *,
    on_progress: OnProgress = lambda _: None,
    on_note: Callable[[str], None] = lambda _: None,
) -> ParquetOutcome:
    """Scores the Parquet files of a plan into a folder of Parquet files.

    A part whose file is there is not scored again: the same call goes on where it ended, however it ended. `on_note`
    gets each note about how the files are read before the first call is paid for.
    """
    if plan.sheet or plan.header_row is not None or plan.turns != "last":
        raise UsageError("Parquet files are scored into a folder without --sheet, --header-row and --turns")
    job = PartsJob(plan, out.expanduser().absolute(), options)
    files, outcome = _find_files(plan.sets), ParquetOutcome()
    with _only_process(job.out):
        for part in sorted(job.out.glob("*.parquet"))[:1]:
            _read_own(part, job)
        _check_first_rows(job, files[0], on_note)
        on_progress(outcome)
        try:
            for _ in _score_files(files, job, outcome):
                on_progress(outcome)
        except BudgetReached as error:
            outcome.ending, outcome.message = "budget", str(error)
    return outcome


def _score_files(files: Iterable[Path], job: PartsJob, outcome: ParquetOutcome) -> Iterator[None]:
    """Scores files, one part after another; each is counted in the outcome, one that is left unfinished by its cost."""
    file_of: dict[int, Path] = {}
    for file in files:
        count = 0
        for count, samples in enumerate(_read_parts(file, job.plan), 1):
            progress, part = Progress(), job.part_of(file, count - 1)
            _add_ids(file_of, file, samples)
            is_new = not part.exists()
            try:
                summary = _score_part(part, samples, job, progress) if is_new else _check_rows(part, samples, job)
            finally:
                outcome.other_usage += progress.usage
                outcome.other_lost += progress.lost
            outcome.add(summary, is_new=is_new)
            yield
        if (rest := job.part_of(file, count)).exists():
            raise InputError(f"{rest}: holds the scores of more rows than {file} has; remove it, and run again")


def _read_parts(file: Path, plan: Plan, notes: list[str] | None = None) -> Iterator[list[Sample]]:
    samples = read_set(file, **plan.reading, notes=[] if notes is None else notes, is_one_of_several=True)
    while part := list(islice(samples, PART_ROWS)):
        yield part
        part.clear()  # before the next ones are read


def _score_part(part: Path, samples: Sequence[Sample], job: PartsJob, progress: Progress) -> PartSummary:
    """Scores and writes a part. Until it is written, the judge's replies are kept in a cassette beside it."""
    options, replies = job.options, part.with_suffix(".replies.jsonl")
    if options.cassette is None and job.plan.judge is not None:
        options = replace(options, cassette=replies)
    record = Record()
    run_to_end(score_samples(samples, record, ScoringRequest.of_plan(job.plan, options), progress=progress))
    summary = _write_part(part, samples, record, job)
    replies.unlink(missing_ok=True)
    return summary


def _write_part(part: Path, samples: Sequence[Sample], record: Record, job: PartsJob) -> PartSummary:
    """Writes the scores of some samples, whole or not at all.

    The columns are `id`, `user_input`, `response`, `language`, `message_type`, `group`, the ratings with their scale,
    and `metadata` (the texts in it); and for each metric its value, `METRIC.status`, `METRIC.reason`, `METRIC.evidence`
    and `METRIC.usage` (JSON).
    """
    import pyarrow
    from pyarrow import parquet

    text, number = pyarrow.string(), pyarrow.float64()
    fields = [(name, text) for name in _TEXTS] + [(name, number) for name in _NUMBERS]
    summary = PartSummary(plan=job.identity, rows=_digest(samples), answers=len(samples))
    for metric in record.directions:
        fields += [(metric, number), *((f"{metric}.{name}", text) for name in _SCORE_TEXTS)]
        summary.metrics[metric] = counts = MetricCounts()
        for score in (record.scores[sample.id][metric] for sample in samples):
            reason = score.reason if score.value is None else ""
            counts.add(MetricCounts.model_validate({score.status: 1, "total": score.value or 0.0, "reason": reason}))
            summary.failure = summary.failure or (score.reason if score.status == "failed" else "")
    schema = pyarrow.schema(fields, metadata={_SUMMARY: summary.model_dump_json()})
    rows = [_sample_columns(sample) | _score_columns(record.scores[sample.id]) for sample in samples]
    with replace_file(part, binary=True) as file:
        parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), file, compression="zstd")
    return summary


def _sample_columns(sample: Sample) -> dict[str, Any]:
    labels = {name: value for name, value in sample.metadata.items() if isinstance(value, str)}
    scale = (sample.rating_min, sample.rating_max) if sample.human_rating is not None else (None, None)
    return {
        **{name: getattr(sample, name) for name in _TEXTS[:6]},
        "ratings": json.dumps(sample.ratings, ensure_ascii=False) if sample.ratings else None,
        "metadata": json.dumps(labels, ensure_ascii=False) if labels else None,
        **dict(zip(_NUMBERS, (sample.rating, *scale), strict=True)),
    }


def _score_columns(scores: dict[str, Score]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for metric, score in scores.items():
        texts = (score.status, score.reason, to_json(score.evidence).decode(), json.dumps(usage_as_json(score.usage)))
        columns[metric] = score.value
        columns |= {f"{metric}.{name}": text for name, text in zip(_SCORE_TEXTS, texts, strict=True)}
    return columns


def _digest(samples: Iterable[Sample]) -> str:
    """A hash of the whole content of some samples."""
    digest = hashlib.sha256()
    for sample in samples:
        digest.update(sample.model_dump_json().encode() + b"\n")
    return digest.hexdigest()[:32]


def _read_own(part: Path, job: PartsJob) -> PartSummary:
    """What a part that this plan wrote says of itself: only its end is read."""
    with read_parquet(part, str(part)) as file:
        content = (file.schema_arrow.metadata or {}).get(_SUMMARY, b"")
    try:
        summary = PartSummary.model_validate_json(content)
    except ValidationError:
        raise InputError(
            f"{part}: was not written by `assay run --out`; assay meta --scores reads the scores of other files"
        ) from None
    if summary.plan != job.identity:
        raise UsageError(
            f"{job.out}: holds scores of other metrics, another judge or other options ({part.name}); name another "
            "folder for these (--out)"
        )
    return summary


def _check_rows(part: Path, samples: Sequence[Sample], job: PartsJob) -> PartSummary:
    summary = _read_own(part, job)
    if summary.rows != _digest(samples):
        raise InputError(
            f"{part}: holds the scores of other rows than its file has now; remove it, and the same command scores "
            "them again, or name another folder (--out)"
        )
    return summary


def _find_files(patterns: Iterable[str]) -> list[Path]:
    files: dict[str, Path] = {}
    for pattern in patterns:
        path = Path(pattern).expanduser().absolute()
        matches = [path] if path.is_file() else sorted(path.parent.glob(path.name))
        if not matches or any(file.suffix != ".parquet" for file in matches):
            raise InputError(f"{pattern}: there is no Parquet file of this name; name some, such as answers/*.parquet")
        for file in matches:
            if files.setdefault(file.stem, file) != file:
                raise InputError(f"{file}: {files[file.stem]} has the same name, and so would its scores; rename it")
    return list(files.values())


def _check_first_rows(job: PartsJob, file: Path, on_note: Callable[[str], None]) -> None:
    """Makes the metrics and reads the first rows, before anything is paid for."""
    notes, profile = list[str](), SetProfile()
    for samples in islice(_read_parts(file, job.plan, notes), 1):
        for _ in profile.observe(samples):
            pass
    check_metrics(job.plan, profile, job.options)
    for note in notes:
        on_note(note)


@contextmanager
def _only_process(folder: Path) -> Iterator[None]:
    """Keeps another command from paying for the same answers in the meantime."""
    from filelock import Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / "scoring", wait=False):
            yield
    except Timeout:
        raise UsageError(f"{folder}: another process is at work on it; wait until it has ended") from None
    except OSError as error:
        raise UsageError(f"{folder}: scores cannot be written there: {error}; name another folder (--out)") from error
