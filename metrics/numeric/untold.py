"""Times that a table without times cannot tell: "last year there were 190" of a table of this month by district."""

import re
from functools import cache

from .calendar_times import any_of
from .lexicon import Lexicon, lexicon, tokens
from .marks import Mark


def untold_times(text: str, words: Lexicon, title: str) -> list[Mark]:
    """The words for times reckoned from now or from another time, as marks that no reading uses.

    Not those that the table's title says.
    """
    named = {token.stem for token in tokens(title, words.language)}
    found = [match for pattern in _patterns(words.language) for match in pattern.finditer(text)]
    return [
        Mark(*match.span(), match[0], frozenset({"untold_time"}))
        for match in found
        if not {token.stem for token in tokens(match[0], words.language)} <= named | set(words.articles)
    ]


@cache
def _patterns(language: str) -> list[re.Pattern[str]]:
    words = lexicon(language).data
    units = any_of([unit for unit, meant in words["periods"].items() if meant != "row"])
    which = any_of([*words["previous"], *words["last_n"], *words["first_n"]])
    forms = [rf"(?:the |de |het )?(?:{which}) (?:\w+ )?(?:{units})", *words["yesterday"]]
    forms += [form.replace("{unit}", f"(?P<unit>{units})") for form in words["step_before"]]
    forms += [rf"(?:{words['same_words']}) (?:{units})", *words["untold"]]
    return [re.compile(rf"(?<!\w)(?:{form})(?!\w)", re.IGNORECASE) for form in forms]
