"""What can be checked of a rewording without a judge: its numbers, codes, names, paths, length and language."""

import re
from collections import Counter
from collections.abc import Iterator

from ...eval_sets.language import LANGUAGES, detect_language
from ...metrics.heuristic.components_defined import unspecified_components
from ...metrics.heuristic.error_mismatch import find_errors
from ...metrics.heuristic.facts import facts
from ...metrics.heuristic.guides import step_lines
from ...metrics.heuristic.words import words
from ...metrics.numeric.numbers import Number, find_numbers
from ...metrics.tokens import tokens

_STEP = re.compile(r"^\s*\d{1,2}[.)]\s")  # the number of a step says nothing but its place
_EMPHASIS = re.compile(r"\*\*|__|`")
_WORD = re.compile(r"\w(?:[\w.,:/-]*\w)?")
_SPARE_WORDS = 10  # by which a short answer may grow or shrink, whatever its length


def broken(original: str, reworded: str, language: str) -> str:
    """Why a rewording does not have its original's content, or "".

    Names and codes are compared without case, numbers by value ("7" is "seven"). What is said in words alone, such as
    a lost condition, is not seen.
    """
    return next(_breaks(original, reworded, language), "")


def _breaks(original: str, reworded: str, language: str) -> Iterator[str]:
    before, after = tokens(original), tokens(reworded)
    if before == after:
        yield "the words are the same"
    if language in LANGUAGES and detect_language(original) == language != detect_language(reworded):
        yield "it is in another language"
    if lost := [*_missing_figures(original, reworded, language), *_missing_codes(original, reworded)]:
        yield f"a number or code is gone: {_listed(lost)}"
    if lost := [*unspecified_components(original, [reworded], language), *_broken_paths(original, reworded, language)]:
        yield f"a name or path is gone: {_listed(lost)}"
    if added := [*_missing_figures(reworded, original, language, spelled=False)]:
        yield f"a number or code is new: {_listed(added)}"
    if max(len(before), len(after)) > 2 * min(len(before), len(after)) + _SPARE_WORDS:
        yield f"it is not half or more than twice as long: {len(after)} words for {len(before)}"


def words_kept(original: str, reworded: str) -> float:
    """The share of the words that both have, of the longer one's, in [0, 1]: 1 where nothing was reworded."""
    before, after = tokens(original), tokens(reworded)
    both = Counter(before) & Counter(after)
    return both.total() / max(len(before), len(after), 1)


def _missing_figures(of: str, within: str, language: str, *, spelled: bool = True) -> Iterator[str]:
    """The numbers of a text that another does not state, and its words with a digit (8:00, KP-4012) that it lacks."""
    of, within = ("\n".join(_STEP.sub("", line) for line in step_lines(text)) for text in (of, within))
    numbers, found = find_numbers(of, language), find_numbers(within, language)
    values = {reading.value for number in found for reading in number.readings}
    for number in numbers:
        stated = values & {reading.value for reading in number.readings}
        if not stated and (not number.spelled or (spelled and _is_figure(number))):
            yield number.text
    known = {word.casefold() for word in _with_digits(within, [])}
    yield from (word for word in _with_digits(of, numbers) if word.casefold() not in known)


def _is_figure(number: Number) -> bool:
    """Whether a number in words counts something: "one" and "second" are words of other sentences too."""
    return not number.ordinal and number.value > 1


def _with_digits(text: str, numbers: list[Number]) -> Iterator[str]:
    """The words with a digit that are not within one of the numbers."""
    for found in _WORD.finditer(text):
        within = any(number.start <= found.start() and found.end() <= number.end for number in numbers)
        if not within and any(character.isdigit() for character in found[0]):
            yield found[0]


def _missing_codes(original: str, reworded: str) -> Iterator[str]:
    """The error codes and quoted messages that stand neither as such nor as words in a row."""
    known, row = find_errors(reworded), _row(reworded)
    for code in find_errors(original):
        if code not in known and f" {' '.join(words(code))} " not in row:
            yield code


def _broken_paths(original: str, reworded: str, language: str) -> Iterator[str]:
    """`Payroll > Runs` where the two no longer stand one after the other."""
    plain, row = _EMPHASIS.sub("", original), _row(reworded)
    for sign in re.finditer(facts("component_patterns", language)["separators"], plain):
        before, after = words(plain[: sign.start()])[-1:], words(plain[sign.end() :])[:1]
        if before and after and plain[sign.end()].isupper() and f" {before[0]} {after[0]} " not in row:
            yield f"{before[0]}{sign[0]}{after[0]}"


def _listed(found: list[str]) -> str:
    return ", ".join({each.casefold(): each for each in reversed(found)}.values())


def _row(text: str) -> str:
    return f" {' '.join(words(_EMPHASIS.sub('', text)))} "
