"""What a chatbot asks for though it was said: pairs of a question and an earlier message, found by rules.

A kind of fact is known by the words of a language pack (`effort.yaml`): how a question calls it, and how it is said.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ..eval_sets.message import Message
from ..languages import Language, packs_with
from ..languages.sections import EffortWords, FactWords
from ..text.lemmas import stem, words
from ..text.message_sentences import message_sentences
from .tool_results import is_error

CHOICE = "choice"
"""The kind of fact of a question that offers a choice."""
_NEAR = 30  # characters before a noun in which "another" is about it
_FEW_WORDS = 4  # a reply of so few words answers the question before it
_SHORT_LEAD = 16  # characters before the noun of a question without a verb: "And your order number?"
_DEEPEST = 4  # levels of a tool's result


class AskedAgain(NamedTuple):
    """A question for a fact that was said before."""

    text: str
    turn: int
    said_turn: int
    fact: str  # the kind of fact, a key of `EffortWords.facts` or `CHOICE`
    value: str


class _Known(NamedTuple):
    turn: int
    value: str


class _Fact:
    """What was given for one kind of fact: the first message with a value, and all values."""

    def __init__(self, first: _Known) -> None:
        self.first = first
        self.values: set[str] = set()


class _Wish(NamedTuple):
    turn: int
    stems: frozenset[str]


def find_asked_again(messages: Sequence[Message], language: Language) -> list[AskedAgain]:
    """Finds the questions of the assistant for facts that were said before, each kind once per message.

    Left out is a question that names the value (it confirms), that is about another thing, that says that what was
    given cannot be used or follows an error of a tool since, and one for a kind of fact with two different values.
    """
    reader = _Reader(language)
    for turn, message in enumerate(messages):
        if message.role == "user":
            reader.read_customer(turn, message.text)
        elif message.role == "tool":
            reader.read_result(turn, message.text)
        elif message.is_answer:
            reader.read_answer(turn, message.text)
    return reader.pairs


class _Reader:
    """Reads a conversation message by message: what is known so far, and what is asked for all the same."""

    def __init__(self, language: Language) -> None:
        self.pairs: list[AskedAgain] = []
        self._language = language
        self._pack = language.effort
        self._known: dict[str, _Fact] = {}
        self._asked: frozenset[str] = frozenset()  # by the last answer: a bare value answers it
        self._wishes: dict[str, _Wish] = {}  # sentences of the customer that may choose, each where it was said first
        self._last_error = self._last_another = -1

    def read_customer(self, turn: int, text: str) -> None:
        for kind, value in _facts_said(text, self._pack, self._asked):
            self._note(kind, turn, value)
        if self._pack.another.search(text):
            self._last_another = turn
            self._wishes.clear()
        is_reply = len(words(text)) <= _FEW_WORDS
        for sentence, _ in message_sentences(text):
            if sentence not in self._wishes and (is_reply or self._pack.wants.search(sentence)):
                self._wishes[sentence] = _Wish(turn, frozenset(_stems(sentence, self._language)))

    def read_result(self, turn: int, text: str) -> None:
        if is_error(text):
            self._last_error = turn
        for kind, value in _facts_returned(text):
            self._note(kind, turn, value)

    def _note(self, kind: str, turn: int, value: str) -> None:
        fact = self._known.setdefault(kind, _Fact(_Known(turn, value)))
        fact.values.add(_plain(value))

    def read_answer(self, turn: int, text: str) -> None:
        questions = dict(_facts_asked(text, self._pack))
        self._asked = frozenset(questions)
        if self._pack.invalid.search(text):
            return
        for kind, sentence in questions.items():
            fact = self._known.get(kind)
            if fact is None or len(fact.values) > 1 or max(self._last_error, self._last_another) > fact.first.turn:
                continue
            before = fact.first
            if _plain(before.value) not in _plain(sentence) and not _asks_for_more(sentence, kind, before.value):
                self.pairs.append(AskedAgain(sentence, turn, before.turn, kind, before.value))
        self.pairs += _choices_again(text, turn, self._wishes.values(), self._language)


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _asks_for_more(sentence: str, kind: str, value: str) -> bool:
    """Whether more of a name is asked for than the one word that was said."""
    return kind == "name" and len(value.split()) == 1 and not re.search(r"\byour name\b", sentence, re.IGNORECASE)


def _facts_asked(text: str, pack: EffortWords) -> Iterator[tuple[str, str]]:
    """The kinds of facts that an answer asks for, each with the first sentence that does."""
    seen: set[str] = set()
    lead_in = False  # a line that asks for what is listed below it
    for sentence, is_item in message_sentences(text, without_quotes=True):
        is_listed = lead_in and is_item
        if not is_listed:
            lead_in = sentence.endswith(":") and pack.asks.search(sentence) is not None
        if pack.asks_not.search(sentence):
            continue
        for kind, fact in pack.facts.items():
            if kind not in seen and (_asks_for(sentence, fact, pack) or (is_listed and _names(sentence, fact))):
                seen.add(kind)
                yield kind, sentence


def _names(item: str, fact: FactWords) -> bool:
    """Whether an item of a list is the name of a fact."""
    match = fact.noun.search(item)
    if match is None or match.start() > _SHORT_LEAD:
        return False
    rest = item[match.end() :].strip(" :;,.?")
    return not rest or rest.startswith("(")


def _asks_for(sentence: str, fact: FactWords, pack: EffortWords) -> bool:
    is_question = sentence.endswith("?")
    if is_question and fact.asked.search(sentence):
        return True
    match = fact.noun.search(sentence)
    if match is None or pack.other.search(sentence[max(0, match.start() - _NEAR) : match.start()]):
        return False
    if pack.other_after.search(sentence[match.end() :]):
        return False
    if is_question and match.start() <= _SHORT_LEAD and len(sentence) - match.end() <= 2:
        return True
    starts = [cue.end() for cue in pack.asks.finditer(sentence, 0, match.end()) if cue.start() <= match.start()]
    return bool(starts) and not pack.between_not.search(sentence[starts[-1] : match.start()])


def _facts_said(text: str, pack: EffortWords, asked: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The facts that a customer gives: those that they name, and the bare values that answer a question."""
    named: dict[str, str] = {}
    for kind, fact in pack.facts.items():
        match = next((hit for pattern in fact.stated if (hit := pattern.search(text))), None)
        if match is not None and match["value"].strip():
            named[kind] = match["value"].strip()
    yield from named.items()
    bare: dict[str, list[str]] = {}
    for kind in sorted(asked - named.keys()):
        values = (match["value"].strip() for match in pack.facts[kind].value.finditer(text))
        if value := next((value for value in values if value and value not in named.values()), ""):
            bare.setdefault(value, []).append(kind)
    # a value that answers two questions answers one of them: nobody knows which
    yield from ((kinds[0], value) for value, kinds in bare.items() if len(kinds) == 1)


def _facts_returned(text: str) -> Iterator[tuple[str, str]]:
    """The facts that a tool returns, by the keys of its JSON object."""
    if not text.lstrip().startswith("{"):
        return
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from _facts_under(values, _kinds_by_key(), _DEEPEST)


def _facts_under(values: Mapping[str, Any], kinds: Mapping[str, str], levels: int) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, str) and value.strip() and (kind := kinds.get(key.lower())):
            yield kind, value.strip()
        elif isinstance(value, dict) and levels:
            yield from _facts_under(value, kinds, levels - 1)


def _stems(text: str, language: Language) -> list[str]:
    return [stem(word, language) for word in words(text)]


def _choices_again(text: str, turn: int, wishes: Collection[_Wish], language: Language) -> Iterator[AskedAgain]:
    """The questions of an answer that offer a choice of which the customer has chosen one."""
    for sentence, _ in message_sentences(text, without_quotes=True):
        match = next((hit for pattern in language.effort.choice if (hit := pattern.search(sentence))), None)
        if match is None:
            continue
        first, second = (_stems(match[name], language)[-1] for name in ("first", "second"))
        for wish in wishes:
            is_first, is_second = first in wish.stems, second in wish.stems
            if is_first != is_second:
                value = match["first"].split()[-1] if is_first else match["second"]
                yield AskedAgain(sentence, turn, wish.turn, CHOICE, value)
                break


@cache
def _kinds_by_key() -> dict[str, str]:
    """The kind of fact that a key of a tool's result names, in any language of the packs."""
    packs = (language.effort for language in packs_with("effort"))
    return {key: kind for pack in packs for kind, fact in pack.facts.items() for key in fact.keys}
