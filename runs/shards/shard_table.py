"""The result of a shard as an Arrow table: one row per answer, with the columns of each metric and the replies.

The columns are `key` (the content key), `id`, `place` (the row's number among all rows), `language`, `message_type`,
`rating` (as a share of its scale), `source` (what the answer resamples with), `content` (the sample as JSON); for each
metric M `M` (its value), `M.status`, `M.reason`, `M.evidence` and `M.usage` (JSON); and `replies` (the judge's new
replies, as lines of a cassette).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from ...eval_sets import Sample
from ...metrics import Score
from ..rating_direction import rating_of_answer

if TYPE_CHECKING:
    import pyarrow

SCORE_FIELDS = ("status", "reason", "evidence", "usage")
SENTENCE_FIELDS = ("judged", "left_out")
_SAMPLE_TEXTS = ("key", "id", "language", "message_type", "source", "content")
_SUMMARY = b"assay.summary"
AnswerRow = dict[str, Any]


def result_schema(metrics: Sequence[str]) -> "pyarrow.Schema":
    """The columns of a result with these metrics."""
    import pyarrow

    text = pyarrow.string()
    reply = pyarrow.struct([("key", text), ("line", pyarrow.binary())])
    fields = [(name, text) for name in _SAMPLE_TEXTS] + [("place", pyarrow.int64()), ("rating", pyarrow.float64())]
    for metric in metrics:
        fields += [(metric, pyarrow.float64()), *((f"{metric}.{name}", text) for name in SCORE_FIELDS)]
        fields += [(f"{metric}.{name}", pyarrow.int64()) for name in SENTENCE_FIELDS]
    return pyarrow.schema([*fields, ("replies", pyarrow.list_(reply))])


def sample_columns(sample: Sample, key: str, place: int, content: str) -> AnswerRow:
    """The columns of a row that say which answer it is."""
    return {
        "key": key,
        "id": sample.id,
        "place": place,
        "language": sample.language,
        "message_type": sample.message_type,
        "rating": rating_of_answer(sample),
        "source": sample.source,
        "content": content,
    }


def score_columns(scores: Mapping[str, Score]) -> AnswerRow:
    """The columns of a row that hold scores."""
    row: AnswerRow = {}
    for metric, score in scores.items():
        row |= {
            metric: score.value,
            f"{metric}.status": score.status,
            f"{metric}.reason": score.reason,
            f"{metric}.evidence": to_json(score.evidence).decode(),
            f"{metric}.usage": to_json(asdict(score.usage)).decode(),
            f"{metric}.judged": score.judged,
            f"{metric}.left_out": score.left_out,
        }
    return row


def is_finished(row: AnswerRow, metric: str) -> bool:
    """Whether a metric scored or skipped the answer of a row."""
    return row.get(f"{metric}.status") not in {None, "failed"}


def make_result(rows: Sequence[AnswerRow], metrics: Sequence[str]) -> "pyarrow.Table":
    """Makes the table of a result; what a row lacks is null."""
    import pyarrow

    schema = result_schema(metrics)
    columns = [pyarrow.array([row.get(field.name) for row in rows], field.type) for field in schema]
    return pyarrow.Table.from_arrays(columns, schema=schema)


def summarise_result(result: "pyarrow.Table", metrics: Sequence[str]) -> dict[str, Any]:
    """Counts a result: its rows, the scores by status, and the answers on which a metric failed or made no score yet.

    Returns:
        `rows`, `statuses` and `unfinished`.
    """
    statuses = {"scored": 0, "skipped": 0, "failed": 0}
    unfinished: set[int] = set()
    for metric in metrics:
        for number, status in enumerate(result[f"{metric}.status"].to_pylist()):
            if status is not None:
                statuses[status] += 1
            if status in {None, "failed"}:
                unfinished.add(number)
    return {"rows": result.num_rows, "statuses": statuses, "unfinished": len(unfinished)}


def attach_summary(result: "pyarrow.Table", summary: Mapping[str, Any]) -> "pyarrow.Table":
    """The table with its summary in the metadata, which is read without reading the rows."""
    return result.replace_schema_metadata({_SUMMARY: json.dumps(summary)})


def read_summary(schema: "pyarrow.Schema") -> dict[str, Any]:
    """The summary that a result carries."""
    summary: dict[str, Any] = json.loads(schema.metadata[_SUMMARY])
    return summary
