"""Names in messages: those nearest to one that is not known, and lists of names."""

from collections.abc import Iterable

from .value_messages import shorten

_LONGEST_NAME = 300  # characters: a path has to be whole, so that it can be typed


def nearest_names(name: str, known: Iterable[str], *, at_most: int = 1, cutoff: float = 60) -> list[str]:
    """Finds the known names that are nearest to a name.

    Examples:
        >>> nearest_names("faithfulnes", ["faithfulness", "bleu"])
        ['faithfulness']
    """
    from rapidfuzz import fuzz, process

    matches = process.extract(
        name, list(known), scorer=fuzz.ratio, processor=str.lower, limit=at_most, score_cutoff=cutoff
    )
    return [match for match, _score, _index in matches]


def quote_names(names: Iterable[str], *, at_most: int = 20) -> str:
    """Writes names in backquotes with commas, for a message; long names and long lists are cut.

    Examples:
        >>> quote_names(["a", "b", "c"], at_most=2)
        '`a`, `b` and 1 more'
    """
    listed = list(names)
    shown = ", ".join(f"`{shorten(name, _LONGEST_NAME)}`" for name in listed[:at_most])
    return f"{shown} and {len(listed) - at_most} more" if len(listed) > at_most else shown or "(none)"
