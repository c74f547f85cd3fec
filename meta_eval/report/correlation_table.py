"""Table IV of 001 as it is printed: one row per score, one column per set."""

from collections.abc import Sequence

from ..results import StarRow


def by_set(rows: Sequence[StarRow]) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[StarRow | None, ...]], ...]]:
    """Returns the sets, and for each score its row in each set (None where it has none), both in the rows' order."""
    labels = tuple(dict.fromkeys(row.label for row in rows))
    by_place = {(row.metric, row.label): row for row in rows}
    metrics = dict.fromkeys(row.metric for row in rows)
    return labels, tuple((metric, tuple(by_place.get((metric, label)) for label in labels)) for metric in metrics)
