"""Costs that are bounds, in tables: the words that say so."""

from ...presentation.figure import Figure, Kind

AT_MOST_NOTE = (
    "At most: not every reply stated what it took, or it stated what is impossible; such a reply counts with the most "
    "that it may have taken."
)


def bounded_figure(kind: Kind, value: float | None, is_at_most: bool) -> Figure | str:
    """A figure of what was taken; of a bound with words that say so.

    Example:
        >>> str(bounded_figure("count", 4412, True)), str(bounded_figure("count", 4412, False))
        ('at most 4,412', '4,412')
    """
    figure = Figure(kind, value)
    return f"at most {figure}" if is_at_most and value else figure
