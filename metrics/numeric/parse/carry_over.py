"""What the reading of a clause gives the next: its times, its places, the checks that it may refer to."""

from ..specification import ALL_ROWS, Specification, Statistic, Window
from ..tables import View


def scope_after(windows: tuple[Window, ...]) -> tuple[Window, ...]:
    """What the next clause of a sentence may be about: the same time; the same row, or all of them."""
    return (*windows, ALL_ROWS) if any(window.conditions for window in windows) else windows


def places_of(specs: list[Specification]) -> tuple[Window, ...]:
    """Where a claim puts an extreme: what it says next is of there."""
    told = [spec.place for spec in specs if spec.statistic in (Statistic.TIME_OF_MAXIMUM, Statistic.TIME_OF_MINIMUM)]
    return tuple(dict.fromkeys(place for place in told if place is not None))


def told_by(specs: list[Specification]) -> tuple[Specification, ...]:
    """What a later clause may refer to: relations first, then what else was checked, the last first."""
    last_first = specs[::-1]
    return tuple(sorted(last_first, key=lambda spec: spec.compared_window is None and spec.compared_with is None))


def of_numbers(window: Window, view: View) -> bool:
    """Whether a window is told by values of series, which a later clause does not mean again."""
    return any(test.column in view.table.columns for test in window.conditions)
