"""The scale of ratings: as it is told, else the usual one that holds all of them."""

from collections.abc import Sequence
from typing import NamedTuple

from .number_rule import ColumnCells

Bounds = tuple[float, float]

USUAL_SCALES = ((1.0, 5.0), (0.0, 1.0), (0.0, 5.0), (1.0, 10.0), (0.0, 10.0), (0.0, 100.0))
"""The scales of ratings that are recognised, the first that fits."""

CURE = "if they are ratings, --map it to rating, with --scale LOW-HIGH"
_WHOLE_SCALES = ((-1.0, 1.0), (-2.0, 2.0), (-3.0, 3.0))
_FEWEST, _FEW = 20, 0.05  # of so many ratings so few may be mistyped
_FEWEST_TOLD = 4  # fewer ratings say nothing of a scale
_MOSTLY = 0.5  # of the filled cells that are no numbers, in a column of ratings


class RatingScale(NamedTuple):
    """The lowest and the highest rating, and what the user should know of how they were found."""

    low: float
    high: float
    hint: str = ""


def usual_scale(low: float, high: float, *, whole: bool = False) -> Bounds | None:
    """Finds the usual scale of ratings from `low` to `high`; None where no usual one fits.

    Examples:
        >>> usual_scale(2, 5), usual_scale(0, 0.8), usual_scale(-3, 4), usual_scale(-2, 1, whole=True)
        ((1.0, 5.0), (0.0, 1.0), None, (-2.0, 2.0))
    """
    scales = (*USUAL_SCALES, *_WHOLE_SCALES) if whole else USUAL_SCALES
    return next((scale for scale in scales if scale[0] <= low and high <= scale[1]), None)


def find_rating_scale(cells: ColumnCells, told: Bounds | None = None) -> RatingScale | str:
    """Finds the scale of a column's ratings, or why it is no column of ratings."""
    values = cells.values()
    if cells.has_dates() or (cells.size and cells.find_unclear()):
        return RatingScale(*(told or (1, 5)))  # the reading names the first of them with its line
    if cells.count_unread() > _MOSTLY * cells.size or not values:
        return f'most of its values are no numbers, such as "{cells.example}"' if cells.size else "it has no number"
    if (stated := told or scale_of_rule(cells)) is not None:
        return RatingScale(*stated)
    if values[0] == values[-1]:
        return f"all its values are {values[0]:g}, which tells no scale; {CURE}"
    low, high = rating_range(cells)
    if (scale := usual_scale(low, high, whole=is_whole(values))) is None:
        return f"its values run from {low:g} to {high:g}, which is no usual scale; {CURE}"
    return RatingScale(*scale, scale_hint(values, scale))


def scale_of_rule(cells: ColumnCells) -> Bounds | None:
    """The scale that the way of writing tells: of labels, of 4/5, of percentages."""
    rule = cells.rule()
    if rule.out_of:
        return min(1.0, cells.values()[0]), float(rule.out_of)
    return (0.0, 1.0) if rule.labels else (0.0, 100.0) if rule.has_percentages else None


def usual_rating_scale(values: Sequence[float]) -> RatingScale | None:
    """The usual scale of ratings, with what the user should know of it; None where no usual one fits."""
    scale = usual_scale(min(values), max(values), whole=is_whole(values))
    return None if scale is None else RatingScale(*scale, scale_hint(values, scale))


def scale_hint(values: Sequence[float], scale: Bounds) -> str:
    """Says that a scale was taken to reach higher than its ratings do; empty where they tell it.

    Example:
        >>> scale_hint([0.0, 1.0, 2.0, 0.0], (0.0, 5.0))
        'no rating is above 2: if that is the scale say --scale 0-2'
    """
    top = max(values)
    if len(values) < _FEWEST_TOLD or top >= scale[1] or top <= scale[0] or not is_whole(values):
        return ""
    return f"no rating is above {top:g}: if that is the scale say --scale {scale[0]:g}-{top:g}"


def rating_range(cells: ColumnCells) -> Bounds:
    """The lowest and highest value, without a few that may be mistyped: 44 for 4."""
    ordered = cells.values()
    low, high = ordered[0], ordered[-1]
    scale = usual_scale(low, high, whole=is_whole(ordered))
    if (scale is None or scale == USUAL_SCALES[-1]) and len(ordered) >= _FEWEST:
        cut = int(_FEW * len(ordered))  # the reading names them with their lines
        if usual_scale(ordered[cut], ordered[-1 - cut], whole=is_whole(ordered)):
            return ordered[cut], ordered[-1 - cut]
    return low, high


def is_whole(values: Sequence[float]) -> bool:
    """Whether all values are whole numbers."""
    return all(float(number).is_integer() for number in values)
