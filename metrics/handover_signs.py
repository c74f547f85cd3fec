"""What a conversation says about a handover to a person: that one happens, is asked for, or seems needed."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import NamedTuple

from ..eval_sets.message import Message
from ..languages import Language, packs_with
from ..languages.sections import HandoverWords
from ..text.message_sentences import message_sentences
from ..text.phrase_list import any_pattern
from .tool_results import failed_calls

_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_NAME_WORD = re.compile(r"[^\W_]+")


class HandoverSign(NamedTuple):
    """What says that the customer is handed over."""

    turn: int
    by: str  # the tool's name, or the sentence
    is_tool: bool


class NeedSign(NamedTuple):
    """What says that a person is needed."""

    turn: int
    kind: str  # `asked` where the customer asks for a person, `cannot` where the assistant says that it cannot help
    sentence: str


def first_customer_turn(messages: Sequence[Message]) -> int:
    """The place of the customer's first message; the number of messages where there is none."""
    return next((turn for turn, message in enumerate(messages) if message.role == "user"), len(messages))


def find_handover(messages: Sequence[Message], language: Language, tools: Sequence[str] = ()) -> HandoverSign | None:
    """Finds where the assistant hands the customer over to a person.

    A call counts by its tool's name, unless its result is an error; a sentence of the assistant counts where it says
    that it hands over now or has done so, not where it offers that, refuses it, makes it depend on something, or cites.
    """
    failed = failed_calls(messages)
    for turn in range(first_customer_turn(messages), len(messages)):
        message = messages[turn]
        if message.role != "assistant":
            continue
        if sentence := _handing_over(message.text, language):
            return HandoverSign(turn, sentence, is_tool=False)
        for place, call in enumerate(message.tool_calls):
            if (turn, place) not in failed and hands_over(call.function.name, tools):
                return HandoverSign(turn, call.function.name, is_tool=True)
    return None


def hands_over(tool: str, tools: Sequence[str] = ()) -> bool:
    """Whether a tool of this name hands the customer over to a person.

    Example:
        >>> [hands_over(name) for name in ("transfer_to_human_agents", "escalateToSupervisor", "create_ticket")]
        [True, True, False]
        >>> hands_over("transfer_money"), hands_over("get_escalation_status"), hands_over("ring_bob", ["ring_*"])
        (False, False, True)
        >>> hands_over("do_not_transfer_to_human")
        False
    """
    if tools:
        return any(fnmatchcase(tool.casefold(), pattern.casefold()) for pattern in tools)
    words = tuple(word.lower() for word in _NAME_WORD.findall(_CAMEL.sub(" ", tool)))
    packs = [language.handover for language in packs_with("handover")]
    is_negated = any(not pack.negating_tools.isdisjoint(words) for pack in packs)
    return not is_negated and any(_names_handover(words, pack) for pack in packs)


def _names_handover(words: tuple[str, ...], pack: HandoverWords) -> bool:
    if words and words[0] in pack.looking_tools:
        return False
    joined = f" {' '.join(word for word in words if word not in pack.little_words)} "
    return any(f" {tool} " in joined for tool in pack.tools)


def _handing_over(text: str, language: Language) -> str:
    """The first sentence of an assistant's text that says that it hands over; "" where none does."""
    happens, before, after = _handover_patterns(language)
    for sentence in _sentences(text):
        for match in happens.finditer(sentence):
            if not before.search(sentence[: match.start()]) and not after.search(sentence[match.end() :]):
                return sentence
    return ""


def find_needs(messages: Sequence[Message], language: Language, end: int) -> list[NeedSign]:
    """Finds what says that a person is needed: the customer asks for one, or the assistant cannot help.

    A customer who then says that they want no person has asked for none.
    """
    asked: NeedSign | None = None
    cannot: NeedSign | None = None
    offer = ""
    for turn, message in enumerate(messages[:end]):
        if message.role == "user":
            wish, sentence = customer_wish(message.text, language, offer)
            if wish is not None:
                asked = NeedSign(turn, "asked", sentence) if wish else None
        elif message.is_answer:
            offer = message.text
            if cannot is None:
                sentence = _without_help(message.text, language)
                cannot = NeedSign(turn, "cannot", sentence) if sentence else None
    return [sign for sign in (asked, cannot) if sign is not None]


def _without_help(text: str, language: Language) -> str:
    """The first sentence of an assistant's text that says that it cannot help; "" where none does."""
    cannot, before = _refusal_patterns(language)
    for sentence in _sentences(text):
        if (match := cannot.search(sentence)) and not before.search(sentence[: match.start()]):
            return sentence
    return ""


def customer_wish(text: str, language: Language, answer_before: str = "") -> tuple[bool | None, str]:
    """Reads whether a customer asks for a person.

    Returns:
        True where they ask for one, False where they say that they want none, None for neither; and the sentence.

    Example:
        >>> from assay.languages import load_language
        >>> customer_wish("No. I don't want to speak to a human.", load_language("en"))
        (False, "I don't want to speak to a human.")
    """
    asks, asks_not, offers, accepts = _wish_patterns(language)
    wish: bool | None = None
    last = ""
    for sentence in (one.text for one in message_sentences(text)):
        for match in asks.finditer(sentence):
            is_negated = not language.handover.negations.isdisjoint(match[0].lower().split())
            wish, last = not is_negated and asks_not.search(sentence[: match.start()]) is None, sentence
    if wish is None and answer_before and accepts.search(text.strip()):
        *_, offer = ["", *_sentences(answer_before)]
        if offers.search(offer):
            return True, " ".join(text.split())
    return wish, last


def _sentences(text: str) -> Iterator[str]:
    """What an assistant says itself, sentence by sentence: what it cites is left out."""
    return (sentence.text for sentence in message_sentences(text, without_quotes=True))


@cache
def _handover_patterns(language: Language) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    words = language.handover
    return any_pattern(words.happens), any_pattern(words.unless_before), any_pattern(words.unless_after)


@cache
def _wish_patterns(
    language: Language,
) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    words = language.handover
    return any_pattern(words.asks), any_pattern(words.asks_not), any_pattern(words.offers), any_pattern(words.accepts)


@cache
def _refusal_patterns(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return any_pattern(language.handover.cannot), any_pattern(language.handover.unless_before)
