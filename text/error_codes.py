"""The errors that a text names: codes, numbers after a word for an error, and quoted messages."""

import re
from collections.abc import Iterator
from functools import cache

from ..languages import Language

_CODE = re.compile(r"\b(?:[A-Z]{1,6}[-_ ]?\d{2,6}|0x[0-9A-Fa-f]{3,8})\b")


def find_errors(text: str, language: Language) -> list[str]:
    """Finds the error codes and quoted error messages in a text, each once, lower-cased.

    Example:
        >>> from assay.languages import load_language
        >>> find_errors("I get KP 2044, and then error 404.", load_language("en"))
        ['kp-2044', '404']
    """
    errors = [normal_code(match[0]) for match in find_codes(text)]
    errors += [match[1] for pattern in (_numbered(language), _quoted(language)) for match in pattern.finditer(text)]
    return list(dict.fromkeys(error.lower().strip(" .") for error in errors))


def find_codes(text: str) -> Iterator[re.Match[str]]:
    """Finds codes of letters and digits (`KP-2044`, `KP 2044`, `0x80070005`), in order."""
    return _CODE.finditer(text)


def normal_code(code: str) -> str:
    """A code with a hyphen where it has a space or an underscore."""
    return re.sub(r"[ _]", "-", code)


@cache
def _numbered(language: Language) -> re.Pattern[str]:
    words = _any(language.words.error_words)
    return re.compile(rf"\b(?:{words})(?: ?code)?:? (?:nummer |number |nr\.? ?|no\.? ?)?(\d{{3,6}})\b", re.IGNORECASE)


@cache
def _quoted(language: Language) -> re.Pattern[str]:
    words = _any(language.words.message_words)
    return re.compile(rf"\b(?:{words})[: ]+[\"“„'‘]([^\"“”„'‘’\n]{{3,80}})[\"”'’]", re.IGNORECASE)


def _any(words: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, words))
