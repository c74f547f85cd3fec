"""Features of an answer that are computed from texts alone."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache

from ...languages import Language
from ...text.components import MOST_COMPONENTS, find_components, unspecified_components
from ...text.wording import count_of
from ..score import Score, scored, skipped
from .feature import Feature, SampleTexts, bound_evidence
from .parse_cache import MOST_PARSED, Pair


def complex_answer(signs: dict[str, list[str]]) -> float:
    """The share of the kinds of signal words that are present at all, in [0, 1]: how many of a kind does not count."""
    return sum(bool(phrases) for phrases in signs.values()) / len(signs)


def find_signal_words(text: str, language: Language) -> dict[str, list[str]]:
    """The signal words in a text by kind (perspective, comparison, examples, reasoning), each once, in order."""
    lowered = text.lower()
    return {kind: list(dict.fromkeys(pattern.findall(lowered))) for kind, pattern in _patterns(language).items()}


@cache
def _patterns(language: Language) -> dict[str, re.Pattern[str]]:
    return {
        kind: re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(phrases, key=len, reverse=True)))})\b")
        for kind, phrases in language.words.signal_words
    }


class ComplexAnswer(Feature):
    """How many of the four kinds of signal words the answer has, as a share."""

    name = "heuristic.complex_answer"
    needs: tuple[str, ...] = ("response",)

    def score_texts(self, texts: SampleTexts) -> Score:
        """Always scored: an answer without signal words has 0."""
        signs = find_signal_words(texts.answer, texts.language)
        present = [kind for kind, phrases in signs.items() if phrases]
        return scored(
            complex_answer(signs),
            f"signal words of {len(present)} of {count_of(len(signs), 'kind')}",
            {"signal_words": signs},
        )


def components_defined(named: int, unspecified: int) -> float:
    """The share of the named components that are specified, in [0, 1]; 1 where none is named: none is invented."""
    return (named - unspecified) / named if named else 1.0


class ComponentsDefined(Feature):
    """The share of the menu items, buttons and settings in the answer that the contexts or the question specify."""

    name = "heuristic.components_defined"

    def score_texts(self, texts: SampleTexts) -> Score:
        """Always scored: an answer that names no component has 1."""
        named = [component.name for component in find_components(texts.answer, texts.language)]
        unspecified = unspecified_components(texts.answer, (texts.question, *texts.contexts), texts.language)
        value = components_defined(min(len(named), MOST_COMPONENTS), len(unspecified))
        evidence = {"components": named[:MOST_COMPONENTS], "unspecified": unspecified}
        evidence |= bound_evidence("components are looked up", len(named), MOST_COMPONENTS)
        if not named:
            return scored(value, "the answer names no menu item, button or setting", evidence)
        reason = (
            f"{len(named) - len(unspecified)} of the {count_of(len(named), 'component')} stand in the context or "
            "question"
        )
        return scored(value, reason + (f"; not {', '.join(unspecified)}" if unspecified else ""), evidence)


def prompt_overlap(question: Sequence[str], answer: Sequence[str]) -> float | None:
    """The share of the question's different lemmas that the answer has, in [0, 1]; None without any."""
    question_lemmas = set(question)
    return len(question_lemmas & set(answer)) / len(question_lemmas) if question_lemmas else None


class PromptOverlap(Feature):
    """The share of the question's different words (lemmas) that the answer takes up, in [0, 1]."""

    name = "heuristic.prompt_overlap"
    needs: tuple[str, ...] = ("response", "user_input")

    def score_texts(self, texts: SampleTexts) -> Score:
        """Skipped when the question has no words (in English: none but function words)."""
        question_lemmas = dict.fromkeys(texts.question_parsed.lemmas)
        value = prompt_overlap(texts.question_parsed.lemmas, texts.answer_parsed.lemmas)
        if value is None:
            return skipped("the question has no words to take up")
        shared = [word for word in question_lemmas if word in set(texts.answer_parsed.lemmas)]
        return scored(
            value,
            f"the answer has {len(shared)} of the question's {count_of(len(question_lemmas), 'word')}",
            {"shared": shared},
        )


def subject_combination(answer: Iterable[Pair], context: Collection[Pair]) -> float | None:
    """The share of the answer's different (verb, subject) pairs that the context has, in [0, 1]; None without pairs."""
    pairs = set(answer)
    return len(pairs & set(context)) / len(pairs) if pairs else None


class SubjectCombination(Feature):
    """The share of the answer's (verb, subject) lemma pairs, by spaCy's dependency parse, found in the contexts."""

    name = "heuristic.subject_combination"
    parsed = True
    starred = True

    def score_texts(self, texts: SampleTexts) -> Score:
        """Skipped when no parser is installed (the reason says what to type) or no verb has a subject."""
        pairs = texts.answer_parsed.subjects
        if pairs is None:
            return skipped(texts.lacking or "the answer was not parsed")
        longest = max(map(len, (texts.answer, *texts.contexts)))
        bound = bound_evidence("characters of the answer and of each context are parsed", longest, MOST_PARSED)
        context = {pair for passage in texts.contexts_parsed for pair in passage.subjects or ()}
        value = subject_combination(pairs, context)
        if value is None:
            return skipped("the answer has no verb with a subject", bound)
        matches = {f"{subject} {verb}": (verb, subject) in context for verb, subject in pairs}
        reason = (
            f"{sum(matches.values())} of the answer's {count_of(len(matches), 'pair')} of subject and verb are in "
            "the context"
        )
        evidence = {
            "in_context": [pair for pair, is_match in matches.items() if is_match],
            "not_in_context": [pair for pair, is_match in matches.items() if not is_match],
        }
        return scored(value, reason, evidence | bound)
