"""How a rating stands in a sentence: with its scale."""

from .figure import Figure, Kind


def format_rating(value: float, low: float, high: float, kind: Kind = "rating") -> str:
    """Returns a rating, a mean of ratings or a predicted one in its own scale, as all pages and tables write it.

    Examples:
        >>> format_rating(4.5, 1, 5), format_rating(0.8, 0, 1), format_rating(-1, -2, 2)
        ('4.5 of 5', '0.8 of 1', '-1 of -2 to 2')
    """
    lowest = "" if low in (0, 1) else f"{Figure('rating', low)} to "
    return f"{Figure(kind, value)} of {lowest}{Figure('rating', high)}"
