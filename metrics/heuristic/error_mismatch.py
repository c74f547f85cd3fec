"""Error Mismatch (Lassche et al., 2024, IV-C.2 and Fig. 2): the answer explains the error that is asked about."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...languages import Language
from ...text.components import find_codes, find_errors, normal_code
from ...text.lemmas import content_lemmas
from ..score import Score, scored, skipped
from .feature import Feature, SampleTexts, bound_evidence

MOST_ERRORS = 20
"""At most so many errors are looked up: for each, the answer is compared with all entries."""
CLEARLY = 2  # words of another error's entry, beyond those of the right one, that make a mix-up

_ENTRY_END = re.compile(r"\n\s*\n")


class Mixup(NamedTuple):
    """An error that the answer explains as another one: both codes, and the words that show it."""

    asked: str
    explained: str
    words: tuple[str, ...]


def error_mismatch(answer: Iterable[str], question: Iterable[str], context: Iterable[str]) -> float | None:
    """Computes the share of the answer's errors that the question names, in [0, 1].

    Where the question names none: the share that the contexts name. None when the answer names no error.
    """
    named, in_question = list(answer), set(question)
    known = in_question or set(context)
    return sum(error in known for error in named) / len(named) if named else None


def entries(context: str) -> dict[str, str]:
    """Finds the entry of each error code in a context: the text up to the next code or the end of the paragraph."""
    matches = list(find_codes(context))
    explanations: defaultdict[str, list[str]] = defaultdict(list)
    for match, following in zip(matches, [*matches[1:], None], strict=False):
        rest = context[match.end() : following.start() if following else None]
        code = normal_code(match[0]).lower()
        explanations[code].append(_ENTRY_END.split(rest, maxsplit=1)[0])
    return {code: " ".join(parts).strip() for code, parts in explanations.items()}


def find_mixup(asked: str, answer: str, known: Mapping[str, str], language: Language) -> Mixup | None:
    """Finds the error whose entry the answer gives instead of the right one, by the words that only one entry has.

    A mix-up needs at least `CLEARLY` more such words of the other entry than of the right one. This is conservative,
    because most answers paraphrase.
    """
    answer_lemmas = set(content_lemmas(answer, language))
    lemmas = {code: answer_lemmas.intersection(content_lemmas(text, language)) for code, text in known.items()}
    if asked not in lemmas:
        return None
    entries_with = Counter(word for words in lemmas.values() for word in words)
    own_words = {code: {word for word in words if entries_with[word] == 1} for code, words in lemmas.items()}
    hits = len(own_words[asked])
    worst: Mixup | None = None
    lowered = answer.lower()
    for code, entry_words in own_words.items():
        distinctive = tuple(sorted(entry_words))
        if code != asked and len(distinctive) - hits >= CLEARLY and code not in lowered:
            worst = max(
                worst or Mixup(asked, code, ()), Mixup(asked, code, distinctive), key=lambda mixup: len(mixup.words)
            )
    return worst


class ErrorMismatch(Feature):
    """Whether the answer's errors are those asked about, and are explained as the contexts explain them, in [0, 1]."""

    name = "heuristic.error_mismatch"

    def score_texts(self, texts: SampleTexts) -> Score:
        """Skipped when neither question nor answer names an error. 0 when the answer explains another error."""
        answer, question = (
            find_errors(texts.answer, texts.language),
            find_errors(texts.question, texts.language),
        )
        context = [error for passage in texts.contexts for error in find_errors(passage, texts.language)]
        evidence: dict[str, object] = {"answer": answer, "question": question, "mixup": None}
        if not answer and not question:
            return skipped("neither the question nor the answer names an error", evidence)
        known = {code: text for passage in texts.contexts for code, text in entries(passage).items()}
        evidence |= bound_evidence("errors are looked up", len(question or answer), MOST_ERRORS)
        for asked in (question or answer)[:MOST_ERRORS]:
            if mixup := find_mixup(asked, texts.answer, known, texts.language):
                evidence["mixup"] = mixup._asdict() | {"words": [*mixup.words]}
                reason = f"the answer explains {asked} with the words of {mixup.explained}: {', '.join(mixup.words)}"
                return scored(0.0, reason, evidence)
        value = error_mismatch(answer, question, context)
        if value is None:
            return skipped("the answer names no error, and gives no other error's explanation", evidence)
        strange = [error for error in answer if error not in (question or context)]
        reason = f"not asked about: {', '.join(strange)}" if strange else "the errors are those asked about"
        return scored(value, reason, evidence)
