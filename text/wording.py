"""The words of counts in sentences."""

import re
from collections.abc import Sequence

_ENDS_IN_Y = re.compile("(?<=[^aeiou])y$")


def count_of(count: float, noun: str, plural: str = "") -> str:
    """Returns a count with its noun, in the number that it has.

    Args:
        count: How many there are, 0 or more; of what is measured, such as seconds, also a part of one.
        noun: In the singular; its last word is what gets the plural: "rated answer".
        plural: The plural where it is not the usual one ("set of answers" -> "sets of answers").

    Examples:
        >>> count_of(1, "answer"), count_of(0, "answer"), count_of(1200, "rated answer")
        ('1 answer', '0 answers', '1,200 rated answers')
        >>> count_of(2, "reply"), count_of(3, "set of answers", "sets of answers")
        ('2 replies', '3 sets of answers')
        >>> count_of(2.5, "second"), count_of(1, "answer is", "answers are")
        ('2.5 seconds', '1 answer is')
    """
    if count == 1:
        return f"1 {noun}"
    ending = "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"
    shown = f"{count:,.0f}" if count == int(count) else f"{count:,}"
    return f"{shown} {plural or _ENDS_IN_Y.sub('ie', noun) + ending}"


def verb_of(count: float, singular: str, plural: str) -> str:
    """Returns the form of a verb, or of another word, that agrees with a count elsewhere in the sentence.

    Args:
        count: How many there are.
        singular: What follows one: "is".
        plural: What follows none, and two or more: "are".

    Examples:
        >>> f"1 of {count_of(3, 'answer')} {verb_of(1, 'is', 'are')} missing"
        '1 of 3 answers is missing'
    """
    return singular if count == 1 else plural


def list_first(parts: Sequence[str], most: int = 10) -> str:
    """Returns the first parts with commas, and how many more there are.

    Example:
        >>> list_first(["B2", "B3", "B4"], 2)
        'B2, B3 and 1 more'
    """
    more = len(parts) - most
    return ", ".join(parts[:most]) + (f" and {more:,} more" if more > 0 else "")
