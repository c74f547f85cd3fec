"""Which column of a file of scores or ratings is what: our names, and those of other tools."""

import math
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from ...errors import InputError, UsageError
from ...eval_sets.name_suggestions import nearest_names, quote_names
from ...eval_sets.sample_columns import ALIASES

# our name -> the names that are read as it where ours is absent, the first of them that there is
ROLES: dict[str, tuple[str, ...]] = {
    "id": ("sample", "item", "sample_id", "item_id", "answer_id"),
    "metric": ("metric_name",),
    "value": ("score",),
    "rater": ("annotator", "rater_id", "annotator_id"),
    "rating": ("human_rating", "stars"),
    "rating_min": (),
    "rating_max": (),
    "reason": ("explanation",),
    "status": (),
    **ALIASES,
}
_TEXTS = tuple(ALIASES)
# never a metric, though a number may stand in them
_NO_METRICS = ("id", "rating", "rating_min", "rating_max", *_TEXTS)
_HOLDERS = ("metadata", "scores", "metrics")
KNOWN = frozenset((*ROLES, *(name for names in ROLES.values() for name in names)))


def find_roles(columns: Iterable[str], mapping: Mapping[str, str], name: str) -> dict[str, str]:
    """Our name -> the column of this file that is it. Raises `InputError` for a mapped column that there is not."""
    there = dict.fromkeys(columns)
    roles = {}
    for theirs, ours in mapping.items():
        if ours not in ROLES:
            meant = nearest_names(ours, ROLES)
            raise UsageError(f"map {theirs}={ours}: write one of {quote_names(meant or ROLES)} after the =")
        if theirs in there:
            roles[ours] = theirs
    for role, names in ROLES.items():
        found = next((column for column in (role, *names) if column in there and column not in roles.values()), None)
        if role not in roles and found is not None:
            roles[role] = found
    return roles


def short_name(column: str) -> str:
    """A column's name without the object that only holds it: `metadata.published.bleu` is `published.bleu`."""
    first, dot, rest = column.partition(".")
    return rest if dot and first in _HOLDERS else column


def is_no_metric(column: str, roles: Mapping[str, str]) -> bool:
    """Whether a numeric column is known to be something else than a metric's scores."""
    first = column.split(".", maxsplit=1)[0]
    return (
        column in {roles.get(role) for role in _NO_METRICS}
        or first == "ratings"
        or column.startswith(("column ", "Unnamed:"))  # the index that pandas writes
    )


def match_columns(patterns: Iterable[str], columns: Iterable[str]) -> list[str]:
    """The columns that the patterns name, in the patterns' order."""
    listed = list(columns)
    found: dict[str, None] = {}
    for pattern in patterns:
        if pattern in listed:  # a name may hold a bracket or a star
            found[pattern] = None
        else:
            named = [
                column for column in listed if any(fnmatchcase(name, pattern) for name in (column, short_name(column)))
            ]
            found |= dict.fromkeys(named)
    return list(found)


def check_patterns(patterns: Iterable[str], columns: Iterable[str], what: str, name: str) -> None:
    """Raises `UsageError` for a pattern that names none of the columns."""
    held = list(columns)
    for pattern in patterns:
        if not match_columns([pattern], held):
            listed = list(dict.fromkeys(map(short_name, held)))
            meant = nearest_names(pattern, listed)
            hint = f"did you mean {meant[0]}? It" if meant else "it"
            raise UsageError(f"{name}: there is no {what} `{pattern}`; {hint} has {quote_names(listed)}")


def as_label(value: Any) -> str:
    """An id or an attribute as text; an empty one where nothing stands."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def cell_error(name: str, place: str, column: str, said: str) -> InputError:
    """An error of one cell: file, line, field, and what is wrong with its cure."""
    return InputError(f"{name}, {place}, field {column}: {said}")
