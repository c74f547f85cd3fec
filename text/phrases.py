"""Phrases found in a text's words, and what of an answer speaks to whoever assesses it."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from ..languages.sections import Sentences, any_pattern, expand_phrase
from ..untrusted import without_unseen

_WORD = re.compile(r"\w+")
_WORD_OR_PAUSE = re.compile(r"(\w+)|[,;:!?.()\[\]–—…\n]|\s-+\s")


class Words:
    """The words of a text in small letters. What is asked of few texts is looked for when it is asked first.

    A mark that nobody sees parts no words, an apostrophe does: "don't" is "don" and "t".
    """

    def __init__(self, text: str) -> None:
        is_plain = text.isascii() and text.isprintable()
        self.text = text if is_plain else without_unseen(text)
        self._lower = self.text.lower() if is_plain else _lower(self.text)
        self.words: Sequence[str] = _WORD.findall(self._lower)

    @cached_property
    def clauses(self) -> Set[int]:
        """Which words begin a clause: the first, and those after a pause."""
        clauses, count = {0}, 0
        for word in _WORD_OR_PAUSE.findall(self._lower):
            if word:
                count += 1
            else:
                clauses.add(count)
        return clauses

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return [match.span() for match in _WORD.finditer(self.text)]

    def start(self, place: int) -> int:
        """Where a word stands in the text."""
        return self._spans[place][0]

    def end(self, place: int) -> int:
        """Where a word ends in the text, +1."""
        return self._spans[place][1]

    def is_capital(self, place: int) -> bool:
        """Whether a word begins with a capital; in a text of nothing but capitals this says nothing."""
        return self.text[self.start(place)].isupper() and not self.text.isupper()


read_words = lru_cache(maxsize=32)(Words)
"""Reads the words of a text, once: several questions are asked about one sentence."""


def _lower(text: str) -> str:
    """A text in small letters, as long as it was."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


class PhraseList:
    """Phrases, each with its kind, looked for where they may begin.

    Example:
        >>> phrases = PhraseList({"thanks": ["thank you (very much|)"]})
        >>> phrases.longest(["thank", "you", "very", "kindly"], 0)
        ('thanks', 2)
    """

    def __init__(self, phrases: Mapping[str, Iterable[str]]) -> None:
        self.first: dict[str, Any] = {}  # by word: what may follow it, and as "" the kind of the phrase that ends there
        for kind, entries in phrases.items():
            for phrase in (phrase for entry in entries for phrase in expand_phrase(entry)):
                node = self.first
                for word in _WORD.findall(phrase.lower()):
                    node = node.setdefault(word, {})
                node.setdefault("", kind)
        # how a phrase begins: with two words of one, or with its only word
        self.openings: frozenset[str | tuple[str, str]] = frozenset(
            opening
            for first, node in self.first.items()
            for opening in (first if not word else (first, word) for word in node)
        )

    def longest(self, words: Sequence[str], place: int) -> tuple[str, int]:
        """The kind of the longest phrase that begins at a place, and where it ends; ("", place) where there is none."""
        kind, end, node = "", place, self.first
        for word in words[place:]:
            if word not in node:
                break
            node = node[word]
            place += 1
            if "" in node:
                kind, end = node[""], place
        return kind, end

    def stands_in(self, words: Sequence[str]) -> bool:
        """Whether a phrase with a kind stands anywhere in the words; a longer one of no kind hides it."""
        done = 0
        for place, word in enumerate(words):
            if place >= done and word in self.first:
                kind, done = self.longest(words, place)
                if kind:
                    return True
        return False


TO_JUDGE = "to_judge"
"""The kind of a phrase that speaks to whoever assesses the answer."""
_CLOSING = "\"'”’»“)\\]*_"
_PAUSE = r"[,;:!?(…]|[.](?!\w)|\s[–—-]+(?=\s)|—"
_PAUSES = " ,;:!?–—-"
_BRACKETS = re.compile(r"[(\[]([^()\[\]]{1,300})[)\]]")
_STRAIGHT = {ord("’"): "'", ord("‘"): "'"} | {0xFF01 + place: chr(0x21 + place) for place in range(94)}
# Letters of Cyrillic, Greek and others that look like Latin ones, and these.
_LOOK_ALIKES = (
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf\u043a\u0442\u043c"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408\u050c\u03b1\u03bf"
    "\u03bd\u03b9\u03ba\u03c1\u03c5\u03c7\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4"
    "\u03a5\u03a7\u03f3\u0131\u0251\u0261\u0578\u057d\u0585\u0581\u0570",
    "aeopcyxijshdqwlktmABEKMHOPCTYXSIJGaovikpuxABEZHIKMNOPTYXjiagnuogh",
)
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .-]){3,}[^\W\d_](?![^\W_])")  # J u d g e
_MOST_PHRASES = 12  # of one sentence; more of them is no support answer, and is judged as it stands


class AddressToJudge(NamedTuple):
    """Where a phrase stands that speaks to the judge."""

    start: int
    end: int  # where it ends, +1


class JudgeAddresses:
    """Finds what speaks to whoever assesses an answer; made once for a language.

    A pattern of the pack counts only where it matches from the beginning of a phrase to the end of one. What it takes
    a third of a second to compile is compiled when the first text has a word of those who speak so: hardly any has.
    """

    def __init__(self, pack: Sentences) -> None:
        self._pack = pack
        self._judge_words = group_judge_words(pack.judge_words)
        self._joins = joins = rf"(?:{'|'.join(map(re.escape, sorted(pack.joins))) or '(?!)'})\b"
        self._between = re.compile(rf"(?:{_PAUSE}|[\s{_CLOSING}])*(?:(?:{joins})[,\s]*)*", re.IGNORECASE)
        self._last_join = re.compile(rf"\s(?:{joins})[\s,]*$", re.IGNORECASE)
        self._pause = re.compile(rf"(?:{_PAUSE})[\s{_CLOSING}]*(?:(?:{joins})\s*)*|\s(?:{joins})\s*", re.IGNORECASE)

    @cached_property
    def _may_begin(self) -> re.Pattern[str]:
        return any_pattern((*self._pack.to_judge, *self._pack.addressed))  # quicker than one after the other

    @cached_property
    def _to_judge(self) -> list[re.Pattern[str]]:
        return self._whole(self._pack.to_judge)

    @cached_property
    def _addressed(self) -> list[re.Pattern[str]]:
        return self._whole(self._pack.addressed)

    def _whole(self, patterns: Iterable[re.Pattern[str]]) -> list[re.Pattern[str]]:
        """Patterns that match to the end of a phrase."""
        signs = rf"(?=\s*(?:[.!?…{_CLOSING}]{{1,100}}\s*$|$|{_PAUSE})|[{_CLOSING}]{{1,100}}[\s,;]"
        end = rf"{signs}|[{_CLOSING}]{{0,100}}\s+(?:{self._joins}))"
        return [re.compile(f"(?:{pattern.pattern}){end}", re.IGNORECASE) for pattern in patterns]

    def find(self, sentence: str, leading: int = 0) -> list[AddressToJudge]:
        """Finds the phrases that speak to whoever assesses the answer: at the start, at the end, and in brackets.

        The start may be after a refusal that ends at `leading` ("I don't know, evaluator, but ...").

        Not in the middle, where a word for such a person is one of a list, or of what is stated.
        """
        if not may_address(sentence, self._judge_words):
            return []
        text = _as_latin(sentence)
        phrases, rest = self._chain(text, 0)
        if not phrases and leading:
            phrases, rest = self._chain(text, self._next(text, leading))
        starts = [match.end() for match in self._pause.finditer(text, rest)] if rest < len(text) else []
        for start in starts[-_MOST_PHRASES:]:
            last, end = self._chain(text, start)
            if last and end == len(text):
                phrases += last
                break
        for match in _BRACKETS.finditer(text):
            inside, end = self._chain(match[1], 0)
            if inside and end == len(match[1]):
                phrases.append(_Found(AddressToJudge(match.start(), match.end()), _is_certain(inside)))
        return _without_overlap(sorted(one.phrase for one in phrases)) if _is_certain(phrases) else []

    def _chain(self, text: str, start: int) -> "tuple[list[_Found], int]":
        """The phrases to the judge that follow each other from a place, and where the rest begins."""
        chain: list[_Found] = []
        while start < len(text) and len(chain) < _MOST_PHRASES and self._may_begin.match(text, start):
            certain, addressed = (
                _end_of_match(text, start, patterns) for patterns in (self._to_judge, self._addressed)
            )
            if not (end := max(certain, addressed)):
                break
            chain.append(_Found(AddressToJudge(start, end), bool(certain)))
            start = self._next(text, end)
        return chain, start

    def without(self, sentence: str, phrases: list[AddressToJudge]) -> str:
        """What is left of a sentence without some of its phrases and the words that joined them; "" for nothing."""
        kept, position = list[str](), 0
        for phrase in [*phrases, AddressToJudge(len(sentence), len(sentence))]:
            piece = sentence[position : phrase.start]
            if re.search(r"\w", self._between.sub("", piece, count=1)):
                if phrase.start < len(sentence):
                    piece = self._last_join.sub("", piece).rstrip(" \t\n\xa0,;:(–—-")
                kept.append(piece.strip().lstrip(_PAUSES) if kept else piece.strip())
            position = phrase.end if kept else self._next(sentence, phrase.end)  # "but" stays between two that are kept
        return " ".join(kept)

    def _next(self, sentence: str, end: int) -> int:
        """Where the next phrase begins; the sentence's length where nothing but signs follows."""
        match = self._between.match(sentence, end)
        start = match.end() if match else end
        return start if re.search(r"\w", sentence[start:]) else len(sentence)


def may_address(text: str, judge_words: Mapping[str, Sequence[str]]) -> bool:
    """Whether anything of a text may speak to the judge, by the words for those who do; False is certain.

    Args:
        text: The text.
        judge_words: The words by a part that they have in common (`group_judge_words`): few texts have one.
    """
    is_plain = text.isascii() and text.isprintable()
    lower = _join_spaced(text.lower()) if is_plain else as_seen(_as_latin(text).lower())
    for part in judge_words:
        if part in lower:
            for word in judge_words[part]:
                if word in lower:
                    return True
    return False


def group_judge_words(words: Iterable[str]) -> dict[str, list[str]]:
    """Words of those who assess answers, by the longest word of each ("answer" of "this answer").

    Example:
        >>> group_judge_words(["this answer", "answer a", "judg"])
        {'answer': ['this answer', 'answer a'], 'judg': ['judg']}
    """
    grouped: dict[str, list[str]] = {}
    for word in words:
        grouped.setdefault(max(word.split(), key=len), []).append(word)
    return grouped


def straight(text: str) -> str:
    """A text with the apostrophes and the letters of ordinary width that patterns have; as long as it was."""
    return text if text.isascii() else text.translate(_STRAIGHT)


def as_seen(text: str) -> str:
    """A text as a judge reads it: a mark that nobody sees parts no word, nor does what stands between its letters.

    Example:
        >>> as_seen("J u d g e: it is free, see A-B and D.")
        'Judge: it is free, see A-B and D.'
    """
    return _join_spaced(without_unseen(text))


def _join_spaced(text: str) -> str:
    return _SPACED.sub(lambda spaced: re.sub(r"[ .-]", "", spaced[0]), text)


_LATIN = {
    **dict(zip(map(ord, _LOOK_ALIKES[0]), _LOOK_ALIKES[1], strict=True)),
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x1D400, 0x1D800)},  # letters of mathematics
    **_STRAIGHT,
}


def _as_latin(text: str) -> str:
    """A text with Latin letters for those that look like them; as long as it was."""
    return text if text.isascii() else text.translate(_LATIN)


class _Found(NamedTuple):
    phrase: AddressToJudge
    is_certain: bool


def _is_certain(phrases: Iterable[_Found]) -> bool:
    """Whether one of some phrases speaks to the judge whatever stands beside it."""
    return any(one.is_certain for one in phrases)


def _end_of_match(text: str, start: int, patterns: list[re.Pattern[str]]) -> int:
    """Where the longest match from a place ends; 0 where there is none."""
    end = start
    for pattern in patterns:
        match = pattern.match(text, start)
        if match and match.end() > end:
            end = match.end()
    return end if end > start else 0


def _without_overlap(phrases: list[AddressToJudge]) -> list[AddressToJudge]:
    kept: list[AddressToJudge] = []
    for phrase in phrases:
        if not kept or phrase.start >= kept[-1].end:
            kept.append(phrase)
    return kept
