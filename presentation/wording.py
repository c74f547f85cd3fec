"""The words of figures in sentences: a count with its noun, a rating with its scale."""

import re

from .figure import Figure, Kind

_ENDS_IN_Y = re.compile("(?<=[^aeiou])y$")


def count_of(count: int, noun: str, plural: str = "") -> str:
    """Returns a count with its noun, in the number that it has.

    Args:
        count: How many there are, 0 or more.
        noun: In the singular; its last word is what gets the plural: "rated answer".
        plural: The plural where it is not the usual one ("set of answers" -> "sets of answers").

    Examples:
        >>> count_of(1, "answer"), count_of(0, "answer"), count_of(1200, "rated answer")
        ('1 answer', '0 answers', '1,200 rated answers')
        >>> count_of(2, "reply"), count_of(3, "set of answers", "sets of answers")
        ('2 replies', '3 sets of answers')
    """
    if count == 1:
        return f"1 {noun}"
    ending = "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"
    return f"{count:,} {plural or _ENDS_IN_Y.sub('ie', noun) + ending}"


def format_rating(value: float, low: float, high: float, kind: Kind = "rating") -> str:
    """Returns a rating, a mean of ratings or a predicted one in its own scale, as all pages and tables write it.

    Args:
        value: The rating.
        low: The scale's lowest rating.
        high: Its highest rating.
        kind: How many digits it has: a kind of `Figure`, such as `rating`, `mean` or `predicted`.

    Examples:
        >>> format_rating(4.5, 1, 5), format_rating(0.8, 0, 1), format_rating(-1, -2, 2)
        ('4.5 of 5', '0.8 of 1', '-1 of -2 to 2')
    """
    lowest = "" if low in (0, 1) else f"{Figure('rating', low)} to "
    return f"{Figure(kind, value)} of {lowest}{Figure('rating', high)}"
