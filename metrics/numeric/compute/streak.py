"""A streak: how often in a row a series rose or fell."""

from itertools import groupby

from ..specification import Direction, Specification
from ..tables import Table, all_values, rows_of
from ..unverifiable import Unverifiable
from .aggregates import series_name
from .computation import Computed, called, one


def streak(asked: Specification, table: Table) -> Computed:
    """The changes in one direction, one after the other, that end the window; without a value, whether all are so.

    Raises `Unverifiable` where there is another streak as long as the claim says, and not this one: which is meant, the
    claim does not say.
    """
    import numpy as np

    name = series_name(asked)
    values = all_values(table, name, rows_of(table, asked.window))
    if len(values) < 2 or np.isnan(values).any():
        raise Unverifiable(f"a streak takes at least 2 values, none of them missing; of {name!r} there are not")
    up = asked.direction is Direction.UP
    goes = (np.diff(values) > 0) if up else (np.diff(values) < 0)
    runs = [(same, len(list(run))) for same, run in groupby(goes.tolist())]
    last = runs[-1][1] if runs[-1][0] else 0
    longest = max((length for same, length in runs if same), default=0)
    way = "rises" if up else "falls"
    if asked.value is None:  # "every month"
        line = f"{called(way, name, asked.window)}: {int(goes.sum())} of {len(goes)} steps"
        return Computed(arithmetic=line, holds=bool(goes.all()))
    line = f"{called(f'{way} in a row', name, asked.window)}: {last} at the end, at most {longest}"
    if asked.value is not None and last < asked.value <= longest:
        raise Unverifiable(f"it does not say which streak is meant; {line}")
    return one(last, None, line)
