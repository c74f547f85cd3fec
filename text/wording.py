"""The words of counts and places in sentences, and of verdicts: these in the language of their reader."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ..languages.fallback import FALLBACK
from ..untrusted import without_unseen

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_AS_IT_IS = frozenset({"", FALLBACK, "c", "posix"})  # languages of readers for whom nothing is translated
_ENDS_IN_Y = re.compile("(?<=[^aeiou])y$")
_MARKS = str.maketrans(".,", ",.")
_MARKED = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)"
# a number with marks, or a range of two of which one at least has marks
_NUMBER = re.compile(rf"(?<![\w.,/@-])[-+\u2212]?(?:\d+-)?{_MARKED}(?:-{_MARKED})?(?![\w/@]|-[^\W\d]|[.,]\d)")
_FIGURE = re.compile(r"[-+\u2212<]?\d[-\d.,%+\u2212\[\] ]*")
_ENDS = re.compile(
    r"(\[[-+\u2212]?\d[\d.,]*%?),(?= [-+\u2212]?\d[\d.,]*%?\])"
)  # what stands between the ends of an interval


def count_of(count: float, noun: str, plural: str = "") -> str:
    """Returns a count with its noun, in the number that it has.

    Examples:
        >>> count_of(1, "answer"), count_of(0, "answer"), count_of(1200, "rated answer")
        ('1 answer', '0 answers', '1,200 rated answers')
        >>> count_of(2, "reply"), count_of(3, "set of answers", "sets of answers")
        ('2 replies', '3 sets of answers')
        >>> count_of(2.5, "second"), count_of(1, "answer is", "answers are")
        ('2.5 seconds', '1 answer is')
    """
    if count == 1:
        return f"1 {noun}"
    ending = "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"
    shown = f"{count:,.0f}" if count == int(count) else f"{count:,}"
    return f"{shown} {plural or _ENDS_IN_Y.sub('ie', noun) + ending}"


def verb_of(count: float, singular: str, plural: str) -> str:
    """Returns the form of a verb, or of another word, that agrees with a count elsewhere in the sentence.

    Examples:
        >>> f"1 of {count_of(3, 'answer')} {verb_of(1, 'is', 'are')} missing"
        '1 of 3 answers is missing'
    """
    return singular if count == 1 else plural


def list_first(parts: Sequence[str], most: int = 10) -> str:
    """Returns the first parts with commas, and how many more there are.

    Example:
        >>> list_first(["B2", "B3", "B4"], 2)
        'B2, B3 and 1 more'
    """
    more = len(parts) - most
    return ", ".join(parts[:most]) + (f" and {more:,} more" if more > 0 else "")


def quote_place(claim: Mapping[str, Any]) -> str:
    """Says where the quote of a claim stands, as the evidence of a score has it; contexts and turns count from 0.

    Examples:
        >>> quote_place({"place": {"context": 0, "start": 3, "end": 7}})
        'context 0, 3-7'
        >>> quote_place({"place": None, "document": {"kind": "tool result", "turn": 5}})
        'tool result, turn 5'
        >>> quote_place({"document": {"kind": "customer", "turn": 3}}), quote_place({"place": None})
        ('the customer, turn 3', 'not in the context')
    """
    place, document = claim.get("place"), claim.get("document")
    if isinstance(place, Mapping) and all(type(place.get(key)) is int for key in ("context", "start", "end")):
        return f"context {place['context']}, {place['start']}-{place['end']}"
    kind, turn = (document.get("kind"), document.get("turn")) if isinstance(document, Mapping) else (None, None)
    words = " ".join(without_unseen(kind).split())[:40] if isinstance(kind, str) else ""
    if not words:
        return "not in the context"
    words = "the customer" if words == "customer" else words
    return f"{words}, turn {turn}" if type(turn) is int and turn >= 0 else words


@dataclass(frozen=True, slots=True)
class Phrase:
    """A text that the language packs have in `verdict.yaml`, by its name there, with what stands in its places."""

    name: str
    values: Mapping[str, object]  # texts, numbers, figures or phrases

    def write(self, language: str | None = None) -> str:
        """The text in a language; in English without one, and where its pack lacks it."""
        texts = _read_texts(language or FALLBACK)
        text = texts.get(self.name) or _read_texts(FALLBACK)[self.name]
        if not isinstance(text, str):
            text = verb_of(float(str(self.values["count"])), *text)
        mark = str(texts.get("decimal_mark", "."))
        return text.format(**{name: _write_value(value, language, mark) for name, value in self.values.items()})

    def __str__(self) -> str:
        """The text in English."""
        return self.write()


def phrase(name: str, /, **values: object) -> Phrase:
    """A text of the packs with its values. `count` chooses the form of one that has two.

    Example:
        >>> phrase("answers", count=1200).write(), phrase("answers", count=1200).write("nl")
        ('1,200 answers', '1.200 antwoorden')
    """
    return Phrase(name, values)


def join_phrases(phrases: Sequence[Phrase]) -> Phrase:
    """Several phrases as one, with semicolons.

    Example:
        >>> join_phrases([phrase("answers", count=1), phrase("answers", count=2)]).write("nl")
        '1 antwoord; 2 antwoorden'
    """
    first, *others = phrases
    return phrase("and_also", first=first, others=join_phrases(others)) if others else first


def _write_value(value: object, language: str | None, mark: str) -> str:
    if isinstance(value, Phrase):
        return value.write(language)
    if isinstance(value, str):
        return value
    shown = f"{value:,}" if isinstance(value, int) else str(value)
    return shown.translate(_MARKS) if mark == "," else shown


def reader_language() -> str:
    """The language of who reads the terminal: that of LC_ALL, LC_MESSAGES or LANG (`nl_NL.UTF-8`), else English."""
    return text_language(_reader_code())


def in_reader_language(text: str) -> str:
    """The heading, caption or head of a column in the language of who reads; as it is where the pack lacks it."""
    if _plain_code(_reader_code()) in _AS_IT_IS:  # reads no pack
        return text
    return in_language(text, reader_language())


@lru_cache(maxsize=4096)
def in_language(text: str, code: str) -> str:
    """A heading, label or sentence of our own in a language; as it is where the pack lacks it.

    The pack's captions may have places: `{n}` for a figure, `{t}` for what is translated in its turn, and others for
    names, which stay. Of a text that has no caption each sentence is looked up.

    Examples:
        >>> in_language("Progress", "nl"), in_language("Progress", "de")
        ('Voortgang', 'Progress')
        >>> in_language("none: only 4 rated. No sample's effort changed.", "nl")
        'geen: slechts 4 beoordeeld. Van geen antwoord is effort veranderd.'
        >>> in_language("below 3.83", "nl"), in_language("below baseline", "nl")
        ('onder 3,83', 'onder de nulmeting')
    """
    captions = _read_captions(code)
    if not captions or text.isspace() or not any(map(str.isalpha, text)):
        return text
    bare = text.strip()
    body = bare if bare in captions else bare.rstrip(".:")
    if (translated := _translate_caption(body, code)) is not None:
        return text.replace(body, translated, 1)
    for separator in (". ", "; "):
        if separator in bare:
            return separator.join(in_language(part, code) for part in text.split(separator))
    return text


def in_language_or_marked(shown: str, code: str = "") -> str:
    """A figure in a language, that of who reads if left out: why there is none, or its numbers as these write them."""
    translated = in_language(shown, code) if code else in_reader_language(shown)
    return translated if translated != shown else with_number_marks(shown, code)


def _translate_caption(text: str, code: str) -> str | None:
    """The caption of a whole text, with what stands in its places; None where the pack lacks it."""
    captions = _read_captions(code)
    if text in captions:
        return captions[text]
    for literals, names, translated in _read_patterns(code):
        values = _split_by(text, literals)
        if values is None or any(map(_is_other, names, values)):
            continue
        shown = {"n": lambda value: with_number_marks(value, code), "t": lambda value: in_language(value, code)}
        return translated.format(
            **{name: shown.get(name[0], str)(value) for name, value in zip(names, values, strict=True)}
        )
    return None


def _is_other(name: str, value: str) -> bool:
    """Whether a value is not of the kind that its place takes: a figure, or a name, which holds no further sentence."""
    if name[0] == "n":
        return not _FIGURE.fullmatch(value)
    return name[0] != "t" and (". " in value or "; " in value)


def _split_by(text: str, literals: Sequence[str]) -> list[str] | None:
    """What stands between the literals of a pattern, each at its first place; None where the text is no such one."""
    first, *others = literals
    if not text.startswith(first):
        return None
    values, place = [], len(first)
    for number, literal in enumerate(others, 1):
        is_last = number == len(others)
        at = len(text) - len(literal) if is_last else text.find(literal, place)
        if at <= place or not text.startswith(literal, at):
            return None
        values.append(text[place:at])
        place = at + len(literal)
    return values


def with_number_marks(shown: str, code: str = "") -> str:
    """An English text with its numbers as a language writes them; what is no number by itself stays.

    Args:
        shown: Figures, or a sentence of our own with figures in it.
        code: The language; that of who reads, if left out.

    Examples:
        >>> with_number_marks("0.30 [-0.10, 0.60] of 1,200", "nl")
        '0,30 [-0,10; 0,60] of 1.200'
        >>> with_number_marks("0-1.5 or 1.5-5 by gpt-4.1, smollm2-1.7 or 3-4.1.2 on 2026-11-30", "nl")
        '0-1,5 or 1,5-5 by gpt-4.1, smollm2-1.7 or 3-4.1.2 on 2026-11-30'
    """
    if not code and _plain_code(_reader_code()) in _AS_IT_IS:  # reads no pack
        return shown
    if phrase("decimal_mark").write(code or reader_language()) != ",":
        return shown
    return _NUMBER.sub(lambda number: number[0].translate(_MARKS), _ENDS.sub(r"\1;", shown))


def _reader_code() -> str:
    return next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")


def _plain_code(code: str) -> str:
    return re.split("[-_.@]", code)[0].lower()


def text_language(code: str) -> str:
    """The code of the pack whose texts a reader of a language gets: its own, where it has a `verdict.yaml`."""
    plain = _plain_code(code)
    return plain if _find_texts(plain) else FALLBACK


@cache
def _read_texts(code: str) -> Mapping[str, str | tuple[str, str]]:
    return _read_verdict(text_language(code)).get("texts", {})


@cache
def _read_captions(code: str) -> Mapping[str, str]:
    captions = _read_verdict(text_language(code)).get("captions", {})
    return {english: text for english, text in captions.items() if isinstance(text, str)}


@cache
def _read_patterns(code: str) -> Sequence[tuple[Sequence[str], Sequence[str], str]]:
    """The captions with places, those that say most first: what stands between these, their names, and the text."""
    split = ((re.split(r"\{(\w+)\}", english), text) for english, text in _read_captions(code).items())
    patterns = [(parts[::2], parts[1::2], text) for parts, text in split if len(parts) > 1]
    # of two that say as much, the one whose places are figures: a name would take a figure as it is
    return sorted(patterns, key=lambda one: (-sum(map(len, one[0])), -sum(name[0] == "n" for name in one[1])))


@cache
def _read_verdict(code: str) -> Mapping[str, Mapping[str, str | tuple[str, str]]]:
    # not by `Language`, so that a command that shows a run loads no models of the other sections
    from ..languages.yaml_file import read_yaml

    file = _find_texts(code)
    return read_yaml(file, dict[str, dict[str, str | tuple[str, str]]]) if file else {}


def _find_texts(code: str) -> "Traversable | None":
    """The texts of a language pack; None where there is no pack, or it has none."""
    from ..installation import entry_folder, registered_entries

    entry = registered_entries("assay.languages").get(code)
    file = entry and entry_folder(entry).joinpath("verdict.yaml")
    return file if file and file.is_file() else None
