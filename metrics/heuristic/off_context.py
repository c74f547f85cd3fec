"""Off-Context (Lassche et al., 2024, IV-C.2 and VI-B.4): right for another number, scope or trade."""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from ...languages import Language
from ...text.lemmas import lemma, words
from ...text.wording import count_of
from ..score import Score, scored, skipped
from .feature import Feature, SampleTexts, bound_evidence

MOST_NOUNS = 20
"""At most so many counted nouns of a question are looked up: the answer is read once for each."""

_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
_STEP = re.compile(r"(?m)^[^\S\n]*\d{1,2}[.)]\s|(?<=[:.] )\d{1,2}[.)]\s(?=[A-Z])")


class ScopeCheck(NamedTuple):
    """One comparison of answer and question: a number, the scope, singular or plural, or the kind of organisation."""

    kind: str
    text: str
    agrees: bool


def off_context(checks: Iterable[ScopeCheck]) -> float | None:
    """Computes the share of the checks that agree, in [0, 1]; None without checks."""
    agreeing = [check.agrees for check in checks]
    return sum(agreeing) / len(agreeing) if agreeing else None


def find_number_values(text: str, language: Language) -> set[float]:
    """Finds the values of a text's numbers, also of number words; not the numbers of steps or inside a code or word."""
    written = {_value(match.group(), language) for match in _NUMBER.finditer(_STEP.sub(" ", text))}
    named = language.words.number_words
    return written | {float(named[word]) for word in words(text) if word in named}


def find_scopes(text: str, language: Language) -> set[str]:
    """Finds whom a text speaks of: `one`, `all`, both or neither."""
    lowered = text.lower()
    return {scope for scope, pattern in _scopes(language).items() if pattern.search(lowered)}


def plurality_check(question: str, answer: str, language: Language) -> ScopeCheck | None:
    """Checks whether the answer speaks of one where the question asks for all, or the reverse.

    Returns:
        The check; None where it cannot be decided. It can for a noun that the question counts (`all employees`,
        `one employee`) and that the answer has either only in the singular or only in the plural.
    """
    function_words = language.words.function_words | {"a"}
    answer_words = words(answer)
    scopes = find_scopes(question, language)
    for before, noun in counted_nouns(question, language)[:MOST_NOUNS]:
        quantity = _quantity(before, language)
        single = lemma(noun, language)
        idle = noun in function_words or not scopes <= {quantity}
        if idle or (noun == single) != (quantity == "one"):  # no noun after all, or alike in both numbers
            continue
        forms = {
            word
            for word, following in pairwise([*answer_words, "a"])
            if lemma(word, language) == single and (word != single or following in function_words)  # `employee portal`
        }
        if forms and len({word == single for word in forms}) == 1:
            agrees = (single in forms) == (quantity == "one")
            return ScopeCheck("plurality", f"{' and '.join(sorted(forms))}, asked for {before} {noun}", agrees)
    return None


def counted_nouns(question: str, language: Language) -> list[tuple[str, str]]:
    """Finds the quantifiers of a question (`all`, `one`), each with the word after it; each pair once."""
    pairs = pairwise(words(question))
    return list(dict.fromkeys(pair for pair in pairs if _quantity(pair[0], language)))


def _quantity(word: str, language: Language) -> str | None:
    return next((number for number, known in language.words.quantifiers if word in known), None)


def find_checks(question: str, answer: str, contexts: Iterable[str], language: Language) -> list[ScopeCheck]:
    """Compares every number of the answer, its scope, singular or plural, and its kinds of organisation.

    A number must stand in a context or the question. A scope disagrees when the question speaks for one and the answer
    only for all, or the reverse; singular or plural counts where the answer says no scope. Kinds of organisation
    disagree when the answer names some and none that is asked for.
    """
    known = find_number_values(question, language).union(
        *(find_number_values(context, language) for context in contexts)
    )
    written = {_value(match.group(), language) for match in _NUMBER.finditer(_STEP.sub(" ", answer))}
    checks = [ScopeCheck("number", f"{number:g}", number in known) for number in sorted(written)]
    question_scopes, answer_scopes = find_scopes(question, language), find_scopes(answer, language)
    if len(question_scopes) == 1 and answer_scopes:
        checks.append(
            ScopeCheck(
                "scope",
                f"{' and '.join(sorted(answer_scopes))}, asked for {question_scopes.copy().pop()}",
                bool(question_scopes & answer_scopes),
            )
        )
    elif not answer_scopes and (plurality := plurality_check(question, answer, language)):
        checks.append(plurality)
    kinds = language.words.organisation_types
    question_kinds, answer_kinds = kinds & set(words(question)), kinds & set(words(answer))
    if question_kinds and answer_kinds:
        described = f"{', '.join(sorted(answer_kinds))}, asked for {', '.join(sorted(question_kinds))}"
        checks.append(ScopeCheck("organisation", described, bool(question_kinds & answer_kinds)))
    return checks


def _value(written: str, language: Language) -> float:
    """Computes a written number's value: `1.200,50` or `1,200.50`."""
    group, point = language.profile.grouping_mark, language.profile.decimal_mark
    if re.fullmatch(rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+(?:{re.escape(point)}\d+)?", written):
        return float(written.replace(group, "").replace(point, "."))
    first, *rest = re.split(r"[.,]", written)
    return float(f"{first}.{''.join(rest)}" if rest else first)


@cache
def _scopes(language: Language) -> dict[str, re.Pattern[str]]:
    return {
        scope: re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b") for scope, phrases in language.words.scope
    }


class OffContext(Feature):
    """The share of the answer's numbers, scope and kinds of organisation that fit contexts and question, in [0, 1]."""

    name = "heuristic.off_context"

    def score_texts(self, texts: SampleTexts) -> Score:
        """Skipped when the answer has no number, and no scope or kind of organisation that was asked for."""
        checks = find_checks(texts.question, texts.answer, texts.contexts, texts.language)
        value = off_context(checks)
        if value is None:
            return skipped("the answer has no number, scope or kind of organisation to compare")
        off = [f"{check.kind} {check.text}" for check in checks if not check.agrees]
        reason = f"off: {'; '.join(off)}" if off else f"all {count_of(len(checks), 'number')} and scopes fit"
        nouns = len(counted_nouns(texts.question, texts.language))
        bounds = bound_evidence("counted nouns of the question are looked up", nouns, MOST_NOUNS)
        return scored(value, reason, {"checks": [check._asdict() for check in checks]} | bounds)
