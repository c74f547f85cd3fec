"""An answer's sentences, and which of them claim something."""

import re
from functools import cache

from ..languages import Language

_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)]|#{1,6})\s+")
_EMPHASIS = re.compile(r"\*\*|__|`")
_WORD = re.compile(r"\w")
_FEWEST_WORDS = 4  # of a sentence that says by itself what the yes or no before it says
_ABBREVIATION = re.compile(r"\b(?:[a-z]{1,3}\.){2,}$", re.IGNORECASE)  # d.w.z., i.p.v., e.g.
# A longer line is cut, at the end of a sentence where there is one: sentencex takes quadratic time for a run of quotes
_PIECE = re.compile(r".{1,3000}$|.{1,3000}[.!?](?=\s)|.{1,3000}(?=\s)|.{1,3000}")
_NO_CLAIM_ENDINGS = ("?", ":")  # a question, and a lead-in ("proceed as follows:")


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


def _rejoined(parts: list[str]) -> list[str]:
    """Sentences that were split after an abbreviation, whole again; what has no words is left out."""
    whole: list[str] = []
    for part in parts:
        if whole and part[:1].islower() and _ABBREVIATION.search(whole[-1]):
            whole[-1] += f" {part}"
        elif _WORD.search(part):
            whole.append(part)
    return whole


def claiming_sentences(text: str, language: Language) -> list[str]:
    """Splits an answer into the sentences that state something.

    A greeting, thanks, an offer, a refusal, a question and a lead-in ("as follows:") state nothing. A yes or no before
    a whole sentence is left out ("No, that is not possible"); alone it stands when nothing follows.

    Example:
        >>> from assay.languages import load_language
        >>> claiming_sentences("Hello! The fee is 5 euros. Can I help you?", load_language("en"))
        ['The fee is 5 euros.']
    """
    claiming: list[str] = []
    bare = ""
    for sentence in sentences(text, language):
        if _match(sentence, "yes_no", language):
            if not _is_idle(sentence, language):
                bare = bare or sentence
        elif not _is_idle(sentence, language):
            claiming.append(_without_answer_word(sentence, language))
    return claiming or ([bare] if bare else [])


def _is_idle(sentence: str, language: Language) -> bool:
    """Whether a sentence states nothing. That of one that is only yes or no is seen elsewhere."""
    if sentence.endswith(_NO_CLAIM_ENDINGS):
        return True
    return any(_match(sentence, kind, language) for kind in language.sentences.idle_kinds)


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
