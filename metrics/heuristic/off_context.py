"""Off-Context (001, section IV-C.2 and VI-B.4): right for another number, for all instead of one, for another trade."""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from ...languages import Language
from ...text.lemmas import lemma, words
from ..metric import Score, scored, skipped
from .feature import Feature, Reading, bound_evidence

MOST_NOUNS = 20
"""For each noun of which the question says for how many, the answer is read again, so that only so many are."""

_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
_STEP = re.compile(r"(?m)^\s*\d{1,2}[.)]\s|(?<=[:.] )\d{1,2}[.)]\s(?=[A-Z])")


class Check(NamedTuple):
    """One thing that was compared: a number, the scope, singular or plural, or the kind of organisation."""

    kind: str
    said: str
    agrees: bool


def off_context(checks: Iterable[Check]) -> float | None:
    """The share of the checks that agree, in [0, 1]; None without checks."""
    agreeing = [check.agrees for check in checks]
    return sum(agreeing) / len(agreeing) if agreeing else None


def numbers_of(text: str, language: Language) -> set[float]:
    """The numbers of a text as values, number words too; not those of steps or inside a code or word."""
    written = {_value(match.group(), language) for match in _NUMBER.finditer(_STEP.sub(" ", text))}
    named = language.words.number_words
    return written | {float(named[word]) for word in words(text) if word in named}


def scopes_of(text: str, language: Language) -> set[str]:
    """For how many a text speaks: `one`, `all`, both or neither."""
    lowered = text.lower()
    return {scope for scope, pattern in _scopes(language).items() if pattern.search(lowered)}


def plurality_check(question: str, answer: str, language: Language) -> Check | None:
    """Whether the answer speaks of one where the question asks for all, or the reverse; None when that is not plain.

    Plain is a noun of which the question says for how many (`all employees`, `one employee`), and which the answer has
    in one of the two numbers only.
    """
    function_words = language.words.function_words | {"a"}
    said = words(answer)
    scopes = scopes_of(question, language)
    for before, noun in counted_nouns(question, language)[:MOST_NOUNS]:
        asked = _quantity(before, language)
        single = lemma(noun, language)
        idle = noun in function_words or not scopes <= {asked}
        if idle or (noun == single) != (asked == "one"):  # no noun after all, or alike in both numbers
            continue
        forms = {
            word
            for word, following in pairwise([*said, "a"])
            if lemma(word, language) == single and (word != single or following in function_words)  # `employee portal`
        }
        if forms and len({word == single for word in forms}) == 1:
            agrees = (single in forms) == (asked == "one")
            return Check("plurality", f"{' and '.join(sorted(forms))}, asked for {before} {noun}", agrees)
    return None


def counted_nouns(question: str, language: Language) -> list[tuple[str, str]]:
    """Finds the words of a question that say for how many, each with the word after it; each pair once."""
    pairs = pairwise(words(question))
    return list(dict.fromkeys(pair for pair in pairs if _quantity(pair[0], language)))


def _quantity(word: str, language: Language) -> str | None:
    return next((number for number, known in language.words.quantifiers if word in known), None)


def checks_of(question: str, answer: str, contexts: Iterable[str], language: Language) -> list[Check]:
    """What can be compared: every number of the answer, the scope, singular or plural, and the kinds of organisation.

    A number must stand in a context or the question. A scope disagrees when the question speaks for one and the answer
    only for all, or the reverse; singular or plural counts where the answer says no scope. Kinds of organisation
    disagree when the answer names some and none that is asked for.
    """
    known = numbers_of(question, language).union(*(numbers_of(context, language) for context in contexts))
    written = {_value(match.group(), language) for match in _NUMBER.finditer(_STEP.sub(" ", answer))}
    checks = [Check("number", f"{number:g}", number in known) for number in sorted(written)]
    asked, said = scopes_of(question, language), scopes_of(answer, language)
    if len(asked) == 1 and said:
        checks.append(
            Check("scope", f"{' and '.join(sorted(said))}, asked for {asked.copy().pop()}", bool(asked & said))
        )
    elif not said and (plurality := plurality_check(question, answer, language)):
        checks.append(plurality)
    kinds = language.words.organisation_types
    asked_kinds, said_kinds = kinds & set(words(question)), kinds & set(words(answer))
    if asked_kinds and said_kinds:
        told = f"{', '.join(sorted(said_kinds))}, asked for {', '.join(sorted(asked_kinds))}"
        checks.append(Check("organisation", told, bool(asked_kinds & said_kinds)))
    return checks


def _value(written: str, language: Language) -> float:
    """A written number's value: `1.200,50` or `1,200.50`."""
    group, point = language.profile.grouping_mark, language.profile.decimal_mark
    if re.fullmatch(rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+(?:{re.escape(point)}\d+)?", written):
        return float(written.replace(group, "").replace(point, "."))
    first, *rest = re.split(r"[.,]", written)
    return float(f"{first}.{''.join(rest)}" if rest else first)


@cache
def _scopes(language: Language) -> dict[str, re.Pattern[str]]:
    return {scope: re.compile(rf"\b(?:{'|'.join(map(re.escape, each))})\b") for scope, each in language.words.scope}


class OffContext(Feature):
    """The share of the answer's numbers, scope and kinds of organisation that fit contexts and question, in [0, 1]."""

    name = "heuristic.off_context"

    def score_reading(self, reading: Reading) -> Score:
        """Skipped when the answer has no number, and no scope or kind of organisation that was asked for."""
        checks = checks_of(reading.question, reading.answer, reading.contexts, reading.language)
        value = off_context(checks)
        if value is None:
            return skipped("the answer has no number, scope or kind of organisation to compare")
        off = [f"{check.kind} {check.said}" for check in checks if not check.agrees]
        reason = f"off: {'; '.join(off)}" if off else f"all {len(checks)} numbers and scopes fit"
        nouns = len(counted_nouns(reading.question, reading.language))
        bounds = bound_evidence("counted nouns of the question are looked up", nouns, MOST_NOUNS)
        return scored(value, reason, {"checks": [check._asdict() for check in checks]} | bounds)
