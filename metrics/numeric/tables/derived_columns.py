"""Columns of texts that other such columns tell: the outcome of "W 24-21", the month of "November 2"."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from ....languages import FALLBACK, load_language
from ..lexicon import LANGUAGES, lexicon

OUTCOME = "outcome ("
"""What the names of columns of outcomes begin with."""

_LEAST_ROWS = 3
_FIRST_WORD = re.compile(r"\W*([^\W\d_]+)(?![^\W\d_]|\s+[^\W\d_])")  # "W 24-21" and "Win", not "Win Butler"


def derived_columns(texts: Mapping[str, Sequence[str | None]], language: str | None) -> dict[str, list[str | None]]:
    """The columns that every cell of another one tells, by their names: `outcome (result)`, `month (date)`."""
    language = language if language in LANGUAGES else FALLBACK
    told: tuple[tuple[str, Callable[[str, str], str | None]], ...] = (("outcome", _outcome), ("month", _month))
    derived: dict[str, list[str | None]] = {}
    for name, cells in texts.items():
        for kind, tell in told:
            cells_told = [tell(cell, language) if cell else None for cell in cells]
            complete = all(of is not None for of, cell in zip(cells_told, cells, strict=True) if cell)
            if complete and len(cells) >= _LEAST_ROWS and len({*cells_told} - {None}) > 1:
                derived[f"{kind} ({name})"] = cells_told
    return derived


def _outcome(cell: str, language: str) -> str | None:
    word = _FIRST_WORD.match(cell)
    return _outcomes(language).get(word[1].lower()) if word else None


@cache
def _outcomes(language: str) -> dict[str, str]:
    """The words and letters of outcomes, and which one each says."""
    return {word: name for name, words in lexicon(language).data["outcomes"].items() for word in words}


def _month(cell: str, language: str) -> str | None:
    pack = load_language(language)
    found = [
        full
        for full, short in zip(pack.months, pack.short_months, strict=True)
        if re.search(rf"(?<!\w)(?:{re.escape(full)}|{re.escape(short.rstrip('.'))}\.?)(?!\w)", cell, re.IGNORECASE)
    ]
    return found[0].lower() if len(found) == 1 and any(map(str.isdigit, cell)) else None
