"""Which column of a file of scores or ratings is what: our names, and those of other tools, and which scores fall."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from ...errors import InputError, UsageError
from ...eval_sets.column_table import ALIASES, ID_ALIASES, NAMES, columns_by_usual_name, criterion_of, rater_of
from ...eval_sets.name_suggestions import nearest_names, quote_names
from ...eval_sets.number_rule import is_missing

# our name -> the names that are read as it where ours is absent, the first of them that there is
ROLES: dict[str, tuple[str, ...]] = {
    "id": ("sample", "item", "item_id", "answer_id", *ID_ALIASES),
    "metric": NAMES["metric"],
    "value": NAMES["value"],
    "rater": NAMES["rater"],
    "rating": tuple(name for name in NAMES["rating"] if name not in {"score", "label"}),
    "rating_min": (),
    "rating_max": (),
    "reason": NAMES["reason"],
    "status": NAMES["status"],
    "error": NAMES["error"],
    **ALIASES,
}
_TEXTS = tuple(ALIASES)
# never a metric, though a number may stand in them
_NO_METRICS = ("id", "rating", "rating_min", "rating_max", *_TEXTS)
_BESIDE = frozenset(name for role in ("reason", "status", "error") for name in (role, *NAMES[role]))
_HOLDERS = ("metadata", "scores", "metrics")
KNOWN = frozenset((*ROLES, *(name for names in ROLES.values() for name in names)))
# metrics of other tools
_LOWER_IS_BETTER = frozenset(
    {
        *("noise_sensitivity", "noise_sensitivity_relevant", "noise_sensitivity_irrelevant"),  # Ragas
        *("harmfulness", "maliciousness"),  # Ragas
        *("hallucination", "toxicity", "bias"),  # DeepEval, Phoenix
        *("hallucination_rate", "error_rate", "perplexity", "latency", "cost"),
        "declined",
    }
)


def find_roles(columns: Iterable[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Finds which column of a file has which role.

    Examples:
        >>> find_roles(["sample", "question", "score"], {})
        {'id': 'sample', 'value': 'score', 'user_input': 'question'}
    """
    present = dict.fromkeys(columns)
    by_name = columns_by_usual_name(present)
    roles: dict[str, str] = {}
    for theirs, ours in mapping.items():
        if ours not in ROLES:
            meant = nearest_names(ours, ROLES)
            raise UsageError(f"map {theirs}={ours}: write one of {quote_names(meant or ROLES)} after the =")
        if theirs in present:
            roles[ours] = theirs
    for role, names in ROLES.items():
        known = (by_name[name] for name in (role, *names) if name in by_name and by_name[name] not in roles.values())
        if role not in roles and (column := next(known, None)) is not None:
            roles[role] = column
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
        or column in NAMES["time"]
        or first in {"ratings", "reasons"}
        or re.split(r"[\s_.]", column.casefold())[-1] in _BESIDE
        or bool(rater_of(column) or criterion_of(column))
        or column.startswith(("column ", "Unnamed:"))  # the index that pandas writes
    )


def match_columns(patterns: Iterable[str], columns: Iterable[str]) -> list[str]:
    """Returns the columns that the patterns name, in the patterns' order.

    Examples:
        >>> match_columns(["bleu", "scores.*"], ["scores.a", "scores.b", "metadata.bleu"])
        ['metadata.bleu', 'scores.a', 'scores.b']
    """
    listed = list(columns)
    matches: dict[str, None] = {}
    for pattern in patterns:
        if pattern in listed:  # a name may hold a bracket or a star
            matches[pattern] = None
        else:
            named = [
                column for column in listed if any(fnmatchcase(name, pattern) for name in (column, short_name(column)))
            ]
            matches |= dict.fromkeys(named)
    return list(matches)


def check_patterns(patterns: Iterable[str], columns: Iterable[str], what: str, name: str) -> None:
    """Raises `UsageError` for a pattern that names none of the columns; `what` says what the columns are."""
    listed_columns = list(columns)
    for pattern in patterns:
        if not match_columns([pattern], listed_columns):
            listed = list(dict.fromkeys(map(short_name, listed_columns)))
            meant = nearest_names(pattern, listed)
            hint = f"did you mean {meant[0]}? It" if meant else "it"
            raise UsageError(f"{name}: unknown {what} `{pattern}`; {hint} has {quote_names(listed)}")


def as_label(value: Any) -> str:
    """Writes an id or an attribute as text; an empty text where there is none."""
    if is_missing(value):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def cell_error(name: str, place: str, column: str, problem: str) -> InputError:
    """Makes the error of one cell: file, line, field, and what is wrong with its cure."""
    return InputError(f"{name}, {place}, field {column}: {problem}")


def is_known_lower_is_better(metric: str) -> bool:
    """Whether a metric's name says that its lower scores are better.

    Examples:
        >>> is_known_lower_is_better("noise_sensitivity(mode=relevant)"), is_known_lower_is_better("Hallucination")
        (True, True)
        >>> is_known_lower_is_better("faithfulness")
        False
    """
    name = re.split(r"[(\[@]", metric.strip().lower().rpartition(".")[2])[0]
    return name.strip().replace(" ", "_").replace("-", "_") in _LOWER_IS_BETTER
