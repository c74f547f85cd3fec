"""Many patterns of a language pack as one: a quick first test, and their union."""

import re
from collections.abc import Iterable

_CLASS_OR_SIGN = re.compile(r"\\[^xuUN\d]")  # not the escapes that stand for one letter
_ODD_LETTERS = "[ıſ\u0307]"  # ı, ſ and İ in lower case: `re` takes them for i and s where case does not count
_CAPITAL = "(?-i:[A-Z])"  # a capital letter in a caseless pattern, which a text's lower case does not have


class PatternScreen:
    """A quick first test of one line of text: whether any of many caseless patterns may match from its start.

    It looks for all of them at once, in the text's lower case: several times as fast as one after the other, caseless.

    Example:
        >>> screen = PatternScreen([re.compile(r"hello\\b", re.I), re.compile(r".*\\bthanks\\b", re.I)])
        >>> [screen.may_match(text) for text in ("Hello there", "Many THANKS", "Open Payroll.")]
        [True, True, False]
    """

    def __init__(self, patterns: Iterable[re.Pattern[str]]) -> None:
        sources = [pattern.pattern.replace(_CAPITAL, r"\w") for pattern in patterns]
        anchored = [source for source in sources if not source.startswith(".*")]
        anywhere = [source.removeprefix(".*") for source in sources if source.startswith(".*")]
        flags = re.NOFLAG if all(map(_is_lower_case, sources)) else re.IGNORECASE
        self._match = re.compile(_join(anchored), flags).match
        self._search = re.compile(_join([*anywhere, _ODD_LETTERS]), flags).search

    def may_match(self, text: str) -> bool:
        """Whether one of the patterns may match; False is certain."""
        lower = text.lower()
        return bool(self._match(lower) or self._search(lower))


def _is_lower_case(source: str) -> bool:
    """Whether a caseless expression matches the same in a text's lower case, case observed (but for odd letters)."""
    written = _CLASS_OR_SIGN.sub("", source)
    letters = filter(str.isalpha, written)
    return "\\" not in written and all(
        letter.islower() and (letter.isascii() or "ß" <= letter <= "ÿ") for letter in letters
    )


def any_pattern(patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    """Joins caseless patterns into one that matches where any of them does; none matches nothing."""
    return re.compile(_join(pattern.pattern for pattern in patterns), re.IGNORECASE)


def _join(sources: Iterable[str]) -> str:
    return "|".join(f"(?:{source})" for source in sources) or r"(?!)"
