"""What a migration does of a store that an earlier version wrote where SQL cannot do it."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import from_json

from ...eval_sets import Sample
from .sample_content import ContentReader, put_answers

_ROWS_AT_ONCE = 1000


def add_fingerprints(tables: Any) -> None:
    """Gives each item of a rating queue the fingerprints of its answers; a damaged item is named when it is read."""
    rows = tables.execute("SELECT queue, sample, content FROM rating_items ORDER BY queue, place").fetchall()
    contents = {(queue, name): content for queue, name, content in rows}
    fingerprints = []
    for queue, name, content in rows:
        reader = ContentReader(lambda other, queue=queue: contents.get((queue, other)))  # type: ignore[misc]
        try:
            fields = from_json(content)
            pair = fields.get("answers") if isinstance(fields, dict) else None
            answers = [Sample.model_validate(answer) for answer in pair] if pair else [reader.read(content)]
        except ValueError:
            continue
        fingerprints.append((answers[0].fingerprint, answers[1].fingerprint if pair else "", queue, name))
    tables.executemany(
        "UPDATE rating_items SET fingerprint = ?, other_fingerprint = ? WHERE queue = ? AND sample = ?", fingerprints
    )


def add_answers(tables: Any) -> None:
    """Writes what the answers of all runs are found by; a damaged one is named when it is read."""
    last = ("", "")
    while rows := tables.execute(
        "SELECT run, id, place, language, rating, source, content FROM samples WHERE (run, id) > (?, ?) "
        f"ORDER BY run, id LIMIT {_ROWS_AT_ONCE}",
        last,
    ).fetchall():
        put_answers(tables, [row for row in rows if _is_readable(row[-1])])
        last = rows[-1][:2]


def _is_readable(content: str) -> bool:
    try:
        return isinstance(from_json(content), dict)
    except ValueError:
        return False


STEPS: Mapping[int, Callable[[Any], None]] = {16: add_fingerprints, 17: add_answers}
"""What follows the SQL of a version's file, by the version; each is handed the `Database`, whose module reads this."""
