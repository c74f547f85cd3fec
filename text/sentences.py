"""An answer's sentences, and which of them claim something."""

import re
from functools import cache
from typing import NamedTuple

from ..languages import Language

_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)]|#{1,6})\s+")
_EMPHASIS = re.compile(r"\*\*|__|`")
_WORD = re.compile(r"\w")
_FEWEST_WORDS = 4  # of a sentence that says by itself what the yes or no before it says
_ABBREVIATION = re.compile(r"\b(?:[a-z]{1,3}\.){2,}$", re.IGNORECASE)  # d.w.z., i.p.v., e.g.
LONGEST_LINE = 3000
"""A longer line is cut, at the end of a sentence where there is one: sentencex takes quadratic time for some."""
_SOME = f".{{1,{LONGEST_LINE}}}"
_PIECE = re.compile(rf"{_SOME}$|{_SOME}[.!?](?=\s)|{_SOME}(?=\s)|{_SOME}")
_KINDS_BY_ENDING = {"?": "question", ":": "lead_in"}  # "proceed as follows:"
_SENTENCES_OF_CONTEXT = 2
CLAIM = "claim"
"""The kind of a sentence that claims something."""
TO_JUDGE = "to_judge"
"""The kind of a sentence that speaks to whoever assesses the answer."""


def sentences(text: str, language: Language) -> list[str]:
    """Splits an answer into sentences; each line, bullet and numbered step begins a new one.

    Args:
        text: The answer; Markdown's bullets and emphasis are left out of the sentences.
        language: Its language: abbreviations that end no sentence differ.

    Returns:
        The sentences in order; what has no letter or digit is left out. None is longer than 3,000 characters.

    Example:
        >>> from assay.languages import load_language
        >>> sentences("Open **Payroll**. Then:\\n1. Click Run.", load_language("en"))
        ['Open Payroll.', 'Then:', 'Click Run.']
    """
    from sentencex import segment

    split: list[str] = []
    for line in text.splitlines():
        plain = _EMPHASIS.sub("", _BULLET.sub("", line)).strip()
        for piece in _PIECE.findall(plain):
            split.extend(_rejoined([sentence.strip() for sentence in segment(language.code, piece)]))
    return split


def describe_cut_lines(text: str) -> list[str]:
    """Describes, for a score's evidence, that lines of a text were cut before its sentences were found.

    Examples:
        >>> describe_cut_lines("So. " * 1000)
        ['a line of 4,000 characters is cut into pieces of at most 3,000 before its sentences are found']
        >>> describe_cut_lines("So it is.")
        []
    """
    longest = max(map(len, text.splitlines()), default=0)
    if longest <= LONGEST_LINE:
        return []
    pieces = f"pieces of at most {LONGEST_LINE:,}"
    return [f"a line of {longest:,} characters is cut into {pieces} before its sentences are found"]


def _rejoined(parts: list[str]) -> list[str]:
    """Sentences that were split after an abbreviation, whole again; what has no words is left out."""
    whole: list[str] = []
    for part in parts:
        if whole and part[:1].islower() and _ABBREVIATION.search(whole[-1]):
            whole[-1] += f" {part}"
        elif _WORD.search(part):
            whole.append(part)
    return whole


class AnswerSentence(NamedTuple):
    """A sentence of an answer.

    Attributes:
        text: The sentence; of one that claims something without a yes or no before it.
        kind: `claim`, or why it claims nothing: `question`, `lead_in`, or a kind of the language pack (`greeting`).
        context: The sentences before it, where it refers back to them ("Then you click Save"); else "".
    """

    text: str
    kind: str
    context: str = ""


def answer_sentences(text: str, language: Language) -> list[AnswerSentence]:
    """Splits an answer into sentences and says which of them claim something.

    A greeting, thanks, an offer, a refusal, a question, a lead-in ("as follows:") and what is said to whoever assesses
    the answer claim nothing. A yes or no before a whole sentence is left out ("No, that is not possible"); alone it
    claims something when nothing else does.

    Example:
        >>> from assay.languages import load_language
        >>> answer_sentences("Open Payroll. Then you click Run.", load_language("en"))[1]
        AnswerSentence(text='Then you click Run.', kind='claim', context='Open Payroll.')
    """
    split, before = list[AnswerSentence](), list[str]()
    for sentence in sentences(text, language):
        kind = _idle_kind(sentence, language) or ("yes_no" if _match(sentence, "yes_no", language) else CLAIM)
        context = ""
        if kind == CLAIM and _match(sentence, "refers_back", language):
            context = " ".join(before[-_SENTENCES_OF_CONTEXT:])
        stated = _without_answer_word(sentence, language) if kind == CLAIM else sentence
        split.append(AnswerSentence(stated, kind, context))
        if kind in {CLAIM, "lead_in", "yes_no"}:
            before.append(sentence)
    bare = next((place for place, sentence in enumerate(split) if sentence.kind == "yes_no"), None)
    if bare is not None and not any(sentence.kind == CLAIM for sentence in split):
        split[bare] = split[bare]._replace(kind=CLAIM)
    return split


def claiming_sentences(text: str, language: Language) -> list[str]:
    """Splits an answer into the sentences that claim something; see `answer_sentences`.

    Example:
        >>> from assay.languages import load_language
        >>> claiming_sentences("Hello! The fee is 5 euros. Can I help you?", load_language("en"))
        ['The fee is 5 euros.']
    """
    return [sentence.text for sentence in answer_sentences(text, language) if sentence.kind == CLAIM]


def _idle_kind(sentence: str, language: Language) -> str:
    """Why a sentence states nothing; "" for one that may state something."""
    for kind in language.sentences.idle_kinds:
        if _match(sentence, kind, language):
            return kind
    return _KINDS_BY_ENDING.get(sentence[-1:], "")


def _without_answer_word(sentence: str, language: Language) -> str:
    match = _match(sentence, "answer_word", language)
    rest = sentence[match.end() :] if match else ""
    return rest[0].upper() + rest[1:] if len(rest.split()) >= _FEWEST_WORDS else sentence


def _match(sentence: str, kind: str, language: Language) -> re.Match[str] | None:
    return _pattern(kind, language).match(sentence)


@cache
def _pattern(kind: str, language: Language) -> re.Pattern[str]:
    """One expression for any of a kind's patterns."""
    patterns: tuple[re.Pattern[str], ...] = getattr(language.sentences, kind)
    return any_pattern(patterns)


def any_pattern(patterns: tuple[re.Pattern[str], ...]) -> re.Pattern[str]:
    """Joins caseless patterns into one that matches where any of them does; none matches nothing."""
    return re.compile("|".join(f"(?:{each.pattern})" for each in patterns) or r"(?!)", re.IGNORECASE)
