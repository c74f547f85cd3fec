"""The type of a customer's message: the paper's ordered pattern lists, and rules that also use a pattern's position."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from ...languages import Language
from ...languages.sections import MessageType, TypedPatterns

Rules = Literal["paper", "positional"]

MOST_CHARACTERS = 2000
"""Only so much of a message is read: patterns are tried again for each word that leads a clause in."""

_STRAIGHT = str.maketrans("‘’‚“”„«»", '\'\'\'"""""')
_BLANKS = re.compile(r"[^\S\n]+")
_QUOTED = re.compile(r"\"[^\"\n]{2,200}\"|(?<!\w)'[^'\n]{2,200}'(?!\w)")
_SENTENCE = re.compile(r"[^.?!\n]+(?:[.?!](?!\s|$)[^.?!\n]*)*[?!.]*")
_CLAUSE_END = re.compile(r"[,;:)]\s+| - ")
_NAME = re.compile(r"<(\w+)>")


@dataclass(frozen=True)
class TypeMatch:
    """A message's type and why: the pattern that matched ("" if none did), the words it matched, and a sentence."""

    type: MessageType
    pattern: str
    matched: str
    reason: str


class Sentence(NamedTuple):
    """A sentence in lower case, as clauses without their lead-in words; `framed` clauses were in a polite frame."""

    text: str
    asks: bool
    clauses: tuple[str, ...]
    framed: tuple[bool, ...]


class _Typed(NamedTuple):
    type: MessageType
    pattern: re.Pattern[str]


class _Rules:
    """The positional rules of a language, compiled; of those that decide, only the `allowed` ones if that is given."""

    def __init__(self, language: Language, allowed: frozenset[str] | None) -> None:
        rules = language.messages.positional

        def compiled(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
            return tuple(re.compile(_NAME.sub(lambda name: rules.words[name[1]], pattern)) for pattern in patterns)

        def deciding(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
            return tuple(regex for regex in compiled(patterns) if allowed is None or regex.pattern in allowed)

        def typed(groups: Iterable[TypedPatterns]) -> tuple[_Typed, ...]:
            return tuple(_Typed(group.type, p) for group in groups for p in deciding(group.patterns))

        self.lead, self.frames = compiled(rules.lead), compiled(rules.frames)
        self.error, self.action, self.chat = map(deciding, (rules.error, rules.action, rules.chat))
        self.question, self.inside = typed(rules.question), typed(rules.inside)
        self.marked, self.embedded = deciding(rules.marked), deciding(rules.embedded_binary)
        self.wish = deciding(rules.wish)
        self.complaint = tuple(_Typed("reasoning", pattern) for pattern in deciding(rules.complaint))


def classify(
    message: str, language: Language, rules: Rules = "positional", allowed: frozenset[str] | None = None
) -> TypeMatch:
    """Finds the type of a message, with the pattern that decided.

    `paper` is section V-A of the paper: the message lower-cased, ordered lists of substrings, the first list with a
    match decides, and a message without a question mark that matched no list so far is `reasoning`.
    `positional`, the default because it does better on messages that no rule was written from
    (`benchmarks/message_types.py`), finds the sentence that asks, takes greetings and polite frames off it, and goes by
    how it begins. With `allowed` only these patterns may decide (for cross-validation: those that other messages bear
    out). Of a message the first 2,000 characters are read. Raises `ValueError` for other rules.
    """
    message = message[:MOST_CHARACTERS]
    if rules == "paper":
        return _classify_by_lists(message.lower(), language, allowed)
    if rules == "positional":
        text = _BLANKS.sub(" ", message.lower().translate(_STRAIGHT)).strip()
        return _classify_by_position(text, _rules(language, allowed))
    raise ValueError(f"rules={rules!r}; choose paper or positional")


def _classify_by_lists(text: str, language: Language, allowed: frozenset[str] | None) -> TypeMatch:
    for group in language.messages.paper:
        kind = group.type
        for pattern in group.patterns:
            if pattern in text and (allowed is None or pattern in allowed):
                return TypeMatch(kind, pattern, pattern, f"{pattern!r} is in the {kind} list, the first with a match")
        if group.no_question_mark and "?" not in text:
            return TypeMatch(kind, "", "", f"no list before matched, and without a question mark it is {kind}")
    return TypeMatch("unspecified", "", "", "no list has a match")


def _classify_by_position(text: str, rules: _Rules) -> TypeMatch:
    sentences = list(_split_sentences(text, rules))
    asking = [sentence for sentence in sentences if sentence.asks]
    return (
        _match_start(sentences, "action", rules.action, "tells the reader to do something")
        or _match_start(sentences, "unspecified", rules.chat, "is small talk")
        or _match_error(text, rules)
        or _match_question(asking, rules)
        or _match_question([sentence for sentence in sentences if not sentence.asks], rules)
        or _match_start(sentences, "instruction", rules.wish, "says what the customer wants to do")
        or _match_inside(asking or sentences, rules.inside, "asks inside a sentence")
        or _match_inside(sentences, rules.complaint, "reports something unexpected")
        or TypeMatch("unspecified", "", "", "no sentence asks, orders, wishes or reports a failure")
    )


def _split_sentences(text: str, rules: _Rules) -> Iterator[Sentence]:
    # what is quoted is not said by the customer: a question in an error text or in a text to translate asks nothing
    for match in _SENTENCE.finditer(_QUOTED.sub('"…"', text)):
        sentence = match[0].strip()
        clauses, framed = [], []
        for piece in _CLAUSE_END.split(sentence):
            clause, was_framed = _strip_lead_in(piece.strip(" ()-*>\t"), rules)
            if clause:
                clauses.append(clause)
                framed.append(was_framed)
        if clauses:
            yield Sentence(sentence, sentence.endswith("?"), tuple(clauses), tuple(framed))


def _strip_lead_in(clause: str, rules: _Rules) -> tuple[str, bool]:
    """Removes what leads a clause in; returns the clause, and whether a polite frame was removed."""
    framed = False
    while True:
        lead = next((m for pattern in rules.lead if (m := pattern.match(clause)) and m[0]), None)
        frame = None if lead else next((m for pattern in rules.frames if (m := pattern.match(clause)) and m[0]), None)
        if not (match := lead or frame):
            return clause, framed
        framed = framed or frame is not None
        clause = clause[match.end() :].strip()


def _match_start(
    sentences: list[Sentence], kind: MessageType, patterns: tuple[re.Pattern[str], ...], does: str
) -> TypeMatch | None:
    for sentence in sentences:
        for clause in sentence.clauses:
            for pattern in patterns:
                if match := pattern.match(clause):
                    return _describe_match(kind, match, f"begins a clause that {does}")
    return None


def _match_error(text: str, rules: _Rules) -> TypeMatch | None:
    for pattern in rules.error:
        if match := pattern.search(text):
            words = match[0].strip(" .?!\n")
            return TypeMatch("error", pattern.pattern, words, f"{words!r} reports an error")
    return None


def _match_question(sentences: list[Sentence], rules: _Rules) -> TypeMatch | None:
    for sentence in sentences:
        for clause, framed in zip(sentence.clauses, sentence.framed, strict=True):
            if framed and (match := _first_match(clause, rules.embedded)):
                return _describe_match("binary", match, "after a polite frame")
            for kind, pattern in rules.question:
                if match := pattern.match(clause):
                    return _describe_match(kind, match, "after a polite frame" if framed else "begins the question")
        if sentence.asks:
            for clause in reversed(sentence.clauses):
                if match := _first_match(clause, rules.marked):
                    return _describe_match("binary", match, "begins a sentence with a question mark")
    return None


def _first_match(clause: str, patterns: tuple[re.Pattern[str], ...]) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := pattern.match(clause))), None)


def _describe_match(kind: MessageType, match: re.Match[str], where: str) -> TypeMatch:
    return TypeMatch(kind, match.re.pattern, match[0], f"{match[0]!r} {where}")


def _match_inside(sentences: list[Sentence], patterns: tuple[_Typed, ...], does: str) -> TypeMatch | None:
    for sentence in sentences:
        for kind, pattern in patterns:
            if match := pattern.search(sentence.text):
                return _describe_match(kind, match, does)
    return None


@cache
def _rules(language: Language, allowed: frozenset[str] | None) -> _Rules:
    return _Rules(language, allowed)
