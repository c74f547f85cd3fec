"""Times in claims about a table without times: those of its title, and those that stay open ("last year")."""

import re
from datetime import date
from functools import cache, lru_cache

from ..lexicon import Lexicon, any_of, lexicon, tokens
from ..specification import Window
from ..tables.table import Period, Times
from ..times.periods import find_times
from .marks import Mark

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def undatable_times(text: str, words: Lexicon, title: str) -> list[Mark]:
    """The words for times that depend on now or on another time, as marks that no reading uses.

    Times of the table's title become marks that may be ignored.
    """
    silent = _times_in_title(text, words.language, title)
    named = {token.stem for token in tokens(title, words.language)}
    matches = [match for pattern in _patterns(words.language) for match in pattern.finditer(text)]
    return silent + [
        Mark(*match.span(), match[0], frozenset({"undatable_time"}))
        for match in matches
        if not {token.stem for token in tokens(match[0], words.language)} <= named | set(words.articles)
    ]


@cache
def _patterns(language: str) -> list[re.Pattern[str]]:
    words = lexicon(language).data
    units = any_of([unit for unit, period in words["periods"].items() if period != "row"])
    which = any_of([*words["previous"], *words["last_n"], *words["first_n"]])
    forms = [rf"{words['article']}(?:{which}) (?:\w+ )?(?:{units})", *words["yesterday"]]
    forms += [form.replace("{unit}", f"(?P<unit>{units})") for form in words["step_before"]]
    forms += [rf"(?:{words['same_words']}) (?:{units})", *words["untold"]]
    return [re.compile(rf"(?<!\w)(?:{form})(?!\w)", re.IGNORECASE) for form in forms]


def _times_in_title(text: str, language: str, title: str) -> list[Mark]:
    title_times = _title_times(title, language)
    if not title_times:
        return []
    times = find_times(text, language, _year_of(title))
    return [
        Mark(t.start, t.end, text[t.start : t.end], frozenset({"aside"})) for t in times if t.windows[0] in title_times
    ]


@lru_cache(maxsize=256)
def _title_times(title: str, language: str) -> tuple[Window, ...]:
    return tuple(time.windows[0] for time in find_times(title, language, _year_of(title)))


def _year_of(title: str) -> Times:
    """The year that a title names, else any."""
    match = _YEAR.search(title)
    year = int(match[0]) if match else 2000
    return Times(date(year, 1, 1), date(year, 12, 31), Period.DAY)
