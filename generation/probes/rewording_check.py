"""Checks of a rewording that need no judge: numbers, codes, names, paths, length and language."""

import re
from collections import Counter
from collections.abc import Iterator

from ...languages import Language, language_or_fallback
from ...text.components import unspecified_components
from ...text.error_codes import find_errors
from ...text.guides import step_lines
from ...text.language_detection import detect_language
from ...text.lemmas import words
from ...text.numbers import Number, find_numbers
from ...text.tokens import tokens
from ...text.wording import count_of

_STEP = re.compile(r"^\s*\d{1,2}[.)]\s")  # the number of a step says only where the step stands
_EMPHASIS = re.compile(r"\*\*|__|`")
_WORD = re.compile(r"\w(?:[\w.,:/-]*\w)?")
_SECTIONS = ("words", "components", "notation")  # of a language pack
_SPARE_WORDS = 10  # by which a short answer may grow or shrink


def find_content_loss(original: str, rewording: str, language: str) -> str:
    """Finds why a rewording does not have its original's content.

    Names and codes are compared without case, numbers by value ("7" equals "seven"). Content in words alone, such as a
    lost condition, is not checked.

    Returns:
        The first reason, or "" where nothing is missing.

    Example:
        >>> find_content_loss("Wait 7 days.", "You should wait for a week.", "en")
        'a number or code is gone: 7 days'
    """
    if detect_language(original) == language != detect_language(rewording):
        return "it is in another language"
    return next(_losses(original, rewording, language_or_fallback(language, *_SECTIONS)), "")


def shared_word_share(original: str, rewording: str) -> float:
    """Computes the number of words that both texts have / the words of the longer text.

    Returns:
        A share in [0, 1]; 1 where nothing was reworded.

    Example:
        >>> shared_word_share("Open the menu, the page", "Visit the right menu")
        0.4
    """
    before, after = tokens(original), tokens(rewording)
    shared = Counter(before) & Counter(after)
    return shared.total() / max(len(before), len(after), 1)


def _losses(original: str, rewording: str, language: Language) -> Iterator[str]:
    before, after = tokens(original), tokens(rewording)
    if before == after:
        yield "the words are the same"
    if lost := [*_missing_figures(original, rewording, language), *_missing_codes(original, rewording, language)]:
        yield f"a number or code is gone: {_distinct(lost)}"
    if lost := [
        *unspecified_components(original, [rewording], language),
        *_broken_paths(original, rewording, language),
    ]:
        yield f"a name or path is gone: {_distinct(lost)}"
    if added := [*_missing_figures(rewording, original, language, count_words=False)]:
        yield f"a number or code is new: {_distinct(added)}"
    if max(len(before), len(after)) > 2 * min(len(before), len(after)) + _SPARE_WORDS:
        yield f"it is less than half or more than twice as long: {count_of(len(after), 'word')} for {len(before)}"


def _missing_figures(text: str, other: str, language: Language, *, count_words: bool = True) -> Iterator[str]:
    """Yields the numbers of a text that the other does not state, and its words with a digit that the other lacks.

    `count_words` False leaves out numbers that are written in words.
    """
    text, other = ("\n".join(_STEP.sub("", line) for line in step_lines(side)) for side in (text, other))
    numbers = find_numbers(text, language)
    values = {reading.value for number in find_numbers(other, language) for reading in number.readings}
    for number in numbers:
        is_stated = values & {reading.value for reading in number.readings}
        if not is_stated and (not number.spelled or (count_words and _is_figure(number))):
            yield number.text
    known = {word.casefold() for word in _words_with_digits(other, [])}
    yield from (word for word in _words_with_digits(text, numbers) if word.casefold() not in known)


def _is_figure(number: Number) -> bool:
    """Returns whether a number in words counts something: "one" and "second" are words of other sentences too."""
    return not number.ordinal and number.value > 1


def _words_with_digits(text: str, numbers: list[Number]) -> Iterator[str]:
    """Yields the words with a digit, such as 8:00 and KP-4012, that are not part of one of the numbers."""
    for match in _WORD.finditer(text):
        is_in_number = any(number.start <= match.start() and match.end() <= number.end for number in numbers)
        if not is_in_number and any(character.isdigit() for character in match[0]):
            yield match[0]


def _missing_codes(original: str, rewording: str, language: Language) -> Iterator[str]:
    """Yields the error codes and quoted messages that the rewording has neither as such nor as consecutive words."""
    known, word_row = find_errors(rewording, language), _word_row(rewording)
    for code in find_errors(original, language):
        if code not in known and f" {' '.join(words(code))} " not in word_row:
            yield code


def _broken_paths(original: str, rewording: str, language: Language) -> Iterator[str]:
    """Yields the paths, such as `Payroll > Runs`, whose two parts do not follow each other in the rewording."""
    plain, word_row = _EMPHASIS.sub("", original), _word_row(rewording)
    for sign in language.components.separators.finditer(plain):
        before, after = words(plain[: sign.start()])[-1:], words(plain[sign.end() :])[:1]
        if before and after and plain[sign.end()].isupper() and f" {before[0]} {after[0]} " not in word_row:
            yield f"{before[0]}{sign[0]}{after[0]}"


def _distinct(items: list[str]) -> str:
    return ", ".join({item.casefold(): item for item in reversed(items)}.values())


def _word_row(text: str) -> str:
    return f" {' '.join(words(_EMPHASIS.sub('', text)))} "
