"""The ground truths of a table: all that can be said of each series and each pair, computed."""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..specification import Unverifiable
from ..tables.rows import in_order
from ..tables.table import NumericTable
from .anomalies import anomalies_of
from .relations import is_alike
from .trend import line_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_PAIRED = 12  # series; of more, pairs are computed only when asked for


def facts_of(table: NumericTable, pairs: bool | None = None) -> dict[str, Any]:
    """The facts of a table, in its likelier reading, as JSON values; None where something cannot be computed.

    A series has n, missing, mean, median, minimum, maximum (and where), deviation of a sample and of a population, sum,
    first, last, change, percent_change, trend (slope per step, p, direction) and anomalies by method. A pair has the
    mean and extremes of the differences, the ratio of the means, how often each is higher, and Pearson's correlation.

    Args:
        table: The table.
        pairs: Whether each pair of series is compared; if None, in tables of at most 12 series.
    """
    first, last = table.reach or (None, None)
    return {
        "table": table.name,
        "rows": table.rows,
        "time_column": table.time_column,
        "period": str(table.period) if table.period else None,
        "from": first,
        "to": last,
        "labels": [str(name) for name in table.labels.columns if name != table.time_column],
        "notes": list(table.notes),
        "readings": len(table.readings),
        "series": [_series(table, name) for name in table.columns],
        "pairs": list(_pairs(table)) if pairs or (pairs is None and len(table.columns) <= _MOST_PAIRED) else [],
    }


def _series(table: NumericTable, name: str) -> dict[str, Any]:
    import numpy as np

    order = in_order(table, np.arange(table.rows))
    values = table.series(name)[order]
    known = values[~np.isnan(values)]
    unreadable = table.unreadable.get(name, ())
    facts: dict[str, Any] = {
        "name": name,
        "unit": table.units.get(name),
        "n": len(known),
        "missing": len(values) - len(known) - len(unreadable),
        "unreadable": len(unreadable),
    }
    if not len(known):
        return facts | {"reason": "no value can be read"}
    places = order[~np.isnan(values)]
    first, last = float(known[0]), float(known[-1])

    def where(has_extreme: "NDArray[Any]") -> list[str]:
        return [table.row_name(place) for place in places[has_extreme][:5]]

    return facts | {
        "mean": float(known.mean()),
        "median": float(np.median(known)),
        "minimum": float(known.min()),
        "minimum_at": where(known == known.min()),
        "maximum": float(known.max()),
        "maximum_at": where(known == known.max()),
        "deviation_sample": float(known.std(ddof=1)) if len(known) > 1 else None,
        "deviation_population": float(known.std()),
        "sum": float(known.sum()),
        "first": first,
        "first_at": table.row_name(places[0]),
        "last": last,
        "last_at": table.row_name(places[-1]),
        "change": last - first,
        "percent_change": 100 * (last - first) / abs(first) if first else None,
        "trend": _trend(table, name, places),
        **_anomalies(table, name),
    }


def _trend(table: NumericTable, name: str, places: "NDArray[Any]") -> dict[str, Any] | None:
    try:
        line = line_of(table, name, places)
    except Unverifiable:
        return None
    return {
        "slope": line.slope,
        "step": line.step,
        "p": line.p if line.n > 2 else None,
        "n": line.n,
        "direction": str(line.direction),
    }


def _anomalies(table: NumericTable, name: str) -> dict[str, Any]:
    try:
        methods = anomalies_of(table, name)
    except Unverifiable as reason:
        return {"anomalies": None, "anomalies_reason": str(reason)}
    values = table.series(name)
    format_terms = [
        {
            "method": method.method,
            "threshold": method.threshold,
            "count": len(method.places),
            "rows": [
                {"at": table.row_name(place), "value": float(values[place]), "z": float(method.scores[place])}
                for place in method.places[:100]
            ],
        }
        for method in methods
    ]
    return {"anomalies": format_terms}


def _pairs(table: NumericTable) -> Iterator[dict[str, Any]]:
    import numpy as np

    for first, second in combinations(table.columns, 2):
        a, b = table.series(first), table.series(second)
        kept = ~np.isnan(a) & ~np.isnan(b)
        yield {"first": first, "second": second, "n": int(kept.sum())} | _pair(table, (first, second), a[kept], b[kept])


def _pair(table: NumericTable, names: tuple[str, str], a: "NDArray[Any]", b: "NDArray[Any]") -> dict[str, Any]:
    """Differences and what is higher only in a common unit, which is the first's."""
    import numpy as np
    from scipy.stats import pearsonr

    facts: dict[str, Any] = dict.fromkeys(
        ("mean_difference", "least_difference", "most_difference", "ratio_of_means", "first_higher", "second_higher")
    )
    facts |= {"equal": None, "correlation": None, "correlation_p": None}
    if not len(a):
        return facts
    if len(a) > 2 and np.ptp(a) and np.ptp(b):
        pearson = pearsonr(a, b)
        facts |= {"correlation": float(pearson.statistic), "correlation_p": float(pearson.pvalue)}
    if not is_alike(table, *names):
        return facts
    b = table.in_unit_of(names[0], b, names[1])
    difference = a - b
    return facts | {
        "mean_difference": float(difference.mean()),
        "least_difference": float(difference.min()),
        "most_difference": float(difference.max()),
        "ratio_of_means": float(a.mean() / b.mean()) if b.mean() else None,
        "first_higher": int((a > b).sum()),
        "second_higher": int((a < b).sum()),
        "equal": int((a == b).sum()),
    }
