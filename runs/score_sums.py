"""Sums over the scores of a run, which the database adds up: by part, by group, and by value."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..meta_eval.estimate import Estimate, estimate_mean_of_groups
from .database import Database

Part = Literal["''", "language", "message_type"]
"""What answers are parted by, as SQL; "''" for all of them together."""

_GROUPS = (
    "SELECT metric, {part} AS part, source, count(*) AS n, sum(value) AS total, min(value) AS least, "
    "max(value) AS most FROM {rows} AS score WHERE run = ? AND value IS NOT NULL GROUP BY metric, {part}, source"
)
_SPREAD_STEPS = 10_000


class GroupSum(NamedTuple):
    """The values of a metric in one group: how many there are, and their sum."""

    metric: str
    source: str
    n: int
    total: float


class ScoreSums:
    """The sums over one run's scores; its answers must be in the index (`AnswerIndex.update`)."""

    def __init__(self, database: Database, run: str) -> None:
        self._db = database
        self._run = run

    def statuses(self, part: Part) -> Iterator[tuple[str, str, str, int]]:
        """Yields (metric, part, status, number of scores)."""
        yield from self._db.execute(
            f"SELECT metric, {part} AS part, status, count(*) FROM {self._db.answer_rows} AS score WHERE run = ? "
            f"GROUP BY metric, {part}, status",
            (self._run,),
        ).fetchall()

    def means(self, part: Part) -> dict[tuple[str, str], Estimate]:
        """The mean of each metric in each part, with an interval over groups, by metric and part."""
        groups: dict[tuple[str, str], list[tuple[float, int, float, float]]] = {}
        for metric, name, _, n, total, least, most in self._db.execute(
            _GROUPS.format(part=part, rows=self._db.answer_rows), (self._run,)
        ):
            groups.setdefault((metric, name), []).append((total, n, least, most))
        estimates = {}
        for place, own in groups.items():
            totals, sizes, least, most = zip(*own, strict=True)
            estimates[place] = estimate_mean_of_groups(totals, sizes, bounds=(min(least), max(most)))
        return estimates

    def worst_groups(self, metric: str, *, higher: bool, most: int) -> tuple[list[GroupSum], int]:
        """Finds the groups with two values of a metric or more whose mean is worst, the worst first.

        Returns:
            The sums of all metrics in at most `most` groups; and how many groups there are.
        """
        direction = "" if higher else "DESC"
        worst = self._db.execute(
            f"SELECT source, count(*) OVER () FROM {self._db.answer_rows} AS score WHERE run = ? AND metric = ? "
            "AND value IS NOT NULL GROUP BY source HAVING count(*) > 1 "
            f"ORDER BY avg(value) {direction}, source LIMIT ?",
            (self._run, metric, most),
        ).fetchall()
        count = worst[0][1] if worst else 0
        names = [source for source, _ in worst]
        places = ", ".join("?" * len(names)) or "NULL"
        sums = [
            GroupSum(*row)
            for row in self._db.execute(
                f"SELECT metric, source, count(*), sum(value) FROM {self._db.answer_rows} AS score "
                f"WHERE run = ? AND value IS NOT NULL AND source IN ({places}) GROUP BY metric, source",
                (self._run, *names),
            ).fetchall()
        ]
        return sorted(sums, key=lambda one: names.index(one.source)), count

    def ranges(self) -> dict[str, tuple[float, float]]:
        """The lowest and the highest value of each metric that has any."""
        rows = self._db.execute(
            f"SELECT metric, min(value), max(value) FROM {self._db.answer_rows} AS score "
            "WHERE run = ? AND value IS NOT NULL GROUP BY metric",
            (self._run,),
        ).fetchall()
        return {metric: (low, high) for metric, low, high in rows}

    def spread(self, metric: str, low: float, high: float) -> Mapping[float, int]:
        """How many values of a metric lie where between two ends: counts by percent of the way, in steps of 0.01."""
        rows: Sequence[tuple[Any, int]] = self._db.execute(
            f"SELECT round((value - ?) / ? * {_SPREAD_STEPS}) AS step, count(*) FROM {self._db.answer_rows} AS score "
            "WHERE run = ? AND metric = ? AND value IS NOT NULL GROUP BY 1",
            (low, high - low, self._run, metric),
        ).fetchall()
        return {100 * float(step) / _SPREAD_STEPS: count for step, count in rows}
