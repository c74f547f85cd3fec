"""What was probably meant: the known names nearest_names to one that is not known."""

from collections.abc import Iterable


def nearest_names(name: str, known: Iterable[str], *, at_most: int = 1, cutoff: float = 60) -> list[str]:
    """The known names nearest to `name`, best first; fewer or none where nothing is alike (0-100, from `cutoff`)."""
    from rapidfuzz import fuzz, process

    found = process.extract(
        name, list(known), scorer=fuzz.ratio, processor=str.lower, limit=at_most, score_cutoff=cutoff
    )
    return [match for match, _score, _index in found]


def quote_names(names: Iterable[str], *, at_most: int = 20) -> str:
    """Names in backquotes with commas, for a message; a long list is cut and says so."""
    listed = list(names)
    shown = ", ".join(f"`{name}`" for name in listed[:at_most])
    return f"{shown} and {len(listed) - at_most} more" if len(listed) > at_most else shown or "(none)"
