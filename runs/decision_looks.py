"""The looks at versions that a store keeps: a later decision has only the error that they left."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..meta_eval.sequence import Interval, Look
from .database import explain_errors

if TYPE_CHECKING:
    from .database import Database


def read_looks(database: "Database", versions: Mapping[str, str]) -> list[Look]:
    """Reads the looks at versions, the first one first.

    Args:
        database: That of the store.
        versions: By the name that each version has today, what it is called in the store: a run, or a part of one.
    """
    with explain_errors(database, "the looks at these versions cannot be read"):
        rows = database.execute("SELECT look FROM decision_looks WHERE versions = ? ORDER BY number", (_key(versions),))
        records = [json.loads(row[0]) for row in rows.fetchall()]
    names = {stored: name for name, stored in versions.items()}
    looks = []
    for record in records:
        intervals: dict[tuple[str, str], Interval] = {}
        for first, second, *interval in record.pop("intervals"):
            low, high, near_low, near_high, p = interval
            intervals[names[first], names[second]] = low, high, near_low, near_high, p
            intervals[names[second], names[first]] = -high, -low, -near_high, -near_low, p
        looks.append(Look(**record, intervals=intervals))
    return looks


def keep_look(database: "Database", versions: Mapping[str, str], look: Look) -> None:
    """Keeps a look; one of the same number takes its place. A store that cannot be written to keeps none."""
    if database.is_copy:
        return
    intervals = [[versions[first], versions[second], *ends] for (first, second), ends in look.intervals.items()]
    record = asdict(look) | {"intervals": intervals}
    with explain_errors(database, "the look at these versions cannot be kept"), database.transaction():
        database.execute(
            "INSERT INTO decision_looks (versions, number, at, look) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (versions, number) DO UPDATE SET at = excluded.at, look = excluded.look",
            (_key(versions), look.number, datetime.now(UTC).isoformat(timespec="seconds"), json.dumps(record)),
        )


def _key(versions: Mapping[str, str]) -> str:
    return json.dumps(sorted(versions.values()))
