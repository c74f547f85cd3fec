"""Parts: files of scores as Parquet, one per thousand answers of a file; each carries its own summary."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import to_json

from ...atomic_files import remove_drafts, replace_file
from ...errors import InputError
from ...eval_sets import Sample
from ...eval_sets.parquet_file import find_file_system, find_parquet_files, read_parquet
from ...metrics import Score
from ..show.results import usage_as_json

_SUMMARY = b"assay.scores"
_TEXTS = ("id", "user_input", "response", "language", "message_type", "group", "ratings", "metadata")
_NUMBERS = ("rating", "rating_min", "rating_max")
_SCORE_TEXTS = ("status", "reason", "evidence", "usage")


class MetricCounts(BaseModel):
    """The scores of one metric by status, and the sum of their values."""

    model_config = ConfigDict(frozen=True)

    scored: int = 0
    skipped: int = 0
    failed: int = 0
    total: float = 0.0

    @classmethod
    def of_scores(cls, scores: Iterable[Score]) -> Self:
        """Counts some scores."""
        listed = list(scores)
        counts = {status: sum(score.status == status for score in listed) for status in ("scored", "skipped", "failed")}
        return cls(**counts, total=fsum(score.value for score in listed if score.value is not None))

    def as_json(self) -> dict[str, Any]:
        """The shape of a metric in `assay run --json`, without its agreement with ratings."""
        n = self.scored + self.skipped + self.failed
        mean = self.total / self.scored if self.scored else None
        return {"n": n, "scored": self.scored, "skipped": self.skipped, "failed": self.failed, "mean": mean}


class PartSummary(BaseModel):
    """What the file of a part says of itself, or several together: hashes of what determines its scores (`plan`) and of
    its answers (`rows`), the scores by metric, and why the first failed one failed."""

    model_config = ConfigDict(frozen=True)

    plan: str
    rows: str
    answers: int
    metrics: dict[str, MetricCounts]
    failure: str = ""
    first_ids: dict[str, str] = {}  # by file that was scored, the id of its first answer

    def patterns(self, place: str) -> list[str]:
        """What of a folder of scores can be read as one set: all, or by file where several begin with the same id."""
        counts = Counter(self.first_ids.values())
        twins = sorted(file for file, first in self.first_ids.items() if counts[first] > 1)
        return [f"{place.rstrip('/')}/{file}-*.parquet" for file in twins] or [place]

    @classmethod
    def total(cls, parts: Iterable[Self]) -> Self:
        """Adds up the summaries of parts."""
        listed = list(parts)
        by_metric: dict[str, list[MetricCounts]] = {}
        for part in listed:
            for metric, counts in part.metrics.items():
                by_metric.setdefault(metric, []).append(counts)
        metrics = {
            metric: MetricCounts(
                scored=sum(one.scored for one in counts),
                skipped=sum(one.skipped for one in counts),
                failed=sum(one.failed for one in counts),
                total=fsum(one.total for one in counts),
            )
            for metric, counts in by_metric.items()
        }
        failure = next((part.failure for part in listed if part.failure), "")
        answers, first_ids = sum(part.answers for part in listed), dict[str, str]()
        for part in listed:
            first_ids = part.first_ids | first_ids
        return cls(plan="", rows="", answers=answers, metrics=metrics, failure=failure, first_ids=first_ids)


def digest_of_rows(samples: Iterable[Sample]) -> str:
    """A hash of the whole content of some samples."""
    digest = hashlib.sha256()
    for sample in samples:
        digest.update(sample.model_dump_json().encode() + b"\n")
    return digest.hexdigest()[:32]


def write_part(
    place: str, plan: str, samples: Sequence[Sample], metrics: Sequence[str], scores: Mapping[str, Mapping[str, Score]]
) -> PartSummary:
    """Writes the scores of some samples as a part, whole or not at all.

    Its columns are `id`, `user_input`, `response`, `language`, `message_type`, `group`, the ratings with their scale,
    and `metadata` (the texts in it); and for each metric its value, `METRIC.status`, `METRIC.reason`, `METRIC.evidence`
    and `METRIC.usage` (JSON).
    """
    import pyarrow
    from pyarrow import parquet

    counts = {metric: MetricCounts.of_scores(row[metric] for row in scores.values()) for metric in metrics}
    failures = (score.reason for row in scores.values() for score in row.values() if score.status == "failed")
    summary = PartSummary(
        plan=plan,
        rows=digest_of_rows(samples),
        answers=len(samples),
        metrics=counts,
        failure=next(failures, ""),
        first_ids={file_of_part(place): samples[0].id} if samples else {},
    )
    text, number = pyarrow.string(), pyarrow.float64()
    fields = [(name, text) for name in _TEXTS] + [(name, number) for name in _NUMBERS]
    for metric in metrics:
        fields += [(metric, number), *((f"{metric}.{name}", text) for name in _SCORE_TEXTS)]
    schema = pyarrow.schema(fields, metadata={_SUMMARY: summary.model_dump_json()})
    rows = [_sample_columns(sample) | _score_columns(scores[sample.id]) for sample in samples]
    table = pyarrow.Table.from_pylist(rows, schema=schema)
    if "://" not in place:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        remove_drafts(Path(place))
        with replace_file(Path(place), binary=True) as file:
            parquet.write_table(table, file, compression="zstd")
        return summary
    buffer = pyarrow.BufferOutputStream()
    parquet.write_table(table, buffer, compression="zstd")
    files, path = find_file_system(place)
    files.create_dir(path.rpartition("/")[0])
    with files.open_output_stream(path) as file:  # an object store puts an object in one step
        file.write(buffer.getvalue())
    return summary


def file_of_part(part: str) -> str:
    """The name of the file that a part is of, without its ending."""
    return Path(part).stem.rpartition("-")[0] or Path(part).stem  # a file that is no part is read for one, too


def is_written(place: str) -> bool:
    """Whether there is the file of a part."""
    files, path = find_file_system(place)
    return bool(files.get_file_info(path).is_file)


def read_summary(place: str) -> PartSummary:
    """What a part says of itself: only its end is read."""
    with read_parquet(place, place) as file:
        metadata: Mapping[bytes, bytes] = file.schema_arrow.metadata or {}
    try:
        return PartSummary.model_validate_json(metadata.get(_SUMMARY, b""))
    except ValidationError:
        raise InputError(
            f"{place}: was not written by `assay run --out`; assay meta --scores reads the scores of other files"
        ) from None


def read_summaries(place: str) -> list[PartSummary]:
    """The summaries of the parts in a folder, of a pattern or of one file."""
    files = find_parquet_files(place)
    if not files:
        raise InputError(f"{place}: there are no Parquet files of scores here; name the folder of `assay run --out`")
    return [read_summary(file) for file in files]


def _sample_columns(sample: Sample) -> dict[str, Any]:
    labels = {name: value for name, value in sample.metadata.items() if isinstance(value, str)}
    is_rated = sample.human_rating is not None
    return {
        **{
            name: getattr(sample, name)
            for name in ("id", "user_input", "response", "language", "message_type", "group")
        },
        "ratings": json.dumps(sample.ratings, ensure_ascii=False) if sample.ratings else None,
        "metadata": json.dumps(labels, ensure_ascii=False) if labels else None,
        "rating": sample.rating,
        "rating_min": sample.rating_min if is_rated else None,
        "rating_max": sample.rating_max if is_rated else None,
    }


def _score_columns(scores: Mapping[str, Score]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for metric, score in scores.items():
        columns |= {
            metric: score.value,
            f"{metric}.status": score.status,
            f"{metric}.reason": score.reason,
            f"{metric}.evidence": to_json(score.evidence).decode(),
            f"{metric}.usage": to_json(usage_as_json(score.usage)).decode(),
        }
    return columns
