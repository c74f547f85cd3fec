"""Handovers: whether a conversation was given to a person where that was needed, and the signs of both."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from ..eval_sets.message import Message
from ..eval_sets.sample import Sample
from ..judges import ChoiceQuestion, JudgeLike, open_judge
from ..judges.usage import NO_USAGE, Usage
from ..languages import Language, language_or_fallback, packs_with
from ..languages.sections import HandoverWords
from ..prompts import BUNDLED, Prompts
from ..text.message_sentences import message_sentences
from ..value_messages import shorten
from .judged import JudgedMetric
from .metric import compute_for
from .score import Score, scored
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


def find_handover(messages: Sequence[Message], language: Language, tools: Sequence[str] = ()) -> HandoverSign | None:
    """Finds where the assistant hands the customer over to a person.

    A call counts by its tool's name, unless its result is an error; a sentence of the assistant counts where it says
    that it hands over now or has done so, not where it offers that, refuses it, makes it depend on something, or cites.
    """
    failed = failed_calls(messages)
    asked = False  # what the assistant says before the customer is a greeting
    for turn, message in enumerate(messages):
        asked = asked or message.role == "user"
        if not asked or message.role != "assistant":
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
    pack = language.handover
    for sentence in _sentences(text):
        for match in pack.happens.finditer(sentence):
            before, after = sentence[: match.start()], sentence[match.end() :]
            if not (pack.unless_before.search(before) or pack.unless_after.search(after)):
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
    pack = language.handover
    for sentence in _sentences(text):
        if (match := pack.cannot.search(sentence)) and not pack.unless_before.search(sentence[: match.start()]):
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
    pack = language.handover
    wish: bool | None = None
    last = ""
    for sentence in (one.text for one in message_sentences(text)):
        for match in pack.asks.finditer(sentence):
            is_negated = not pack.negations.isdisjoint(match[0].lower().split())
            wish, last = not is_negated and pack.asks_not.search(sentence[: match.start()]) is None, sentence
    if wish is None and answer_before and pack.accepts.search(text.strip()):
        *_, offer = ["", *_sentences(answer_before)]
        if pack.offers.search(offer):
            return True, " ".join(text.split())
    return wish, last


def _sentences(text: str) -> Iterator[str]:
    """What an assistant says itself, sentence by sentence: what it cites is left out."""
    return (sentence.text for sentence in message_sentences(text, without_quotes=True))


_ID = "handover"
_VERDICTS = {  # by whether it happened, and whether it was needed
    (True, True): ("right", "handed over{place}, and a person was needed"),
    (True, False): ("needless", "handed over{place}, though no person was needed"),
    (False, True): ("missing", "not handed over, though a person was needed"),
    (False, False): ("none_needed", "not handed over, and no person was needed"),
}
_NEEDS = {"asked": "the customer asked for a person", "cannot": "the assistant said that it cannot help"}


class Handover(JudgedMetric):
    """Whether the conversation was rightly handed over to a person, or rightly not.

    Formula: with n = P(a person was needed), n where a handover happened, else 1 - n; without probabilities 1 for the
    verdicts `right` and `none_needed`, 0 for `missing` and `needless`. Range: [0, 1].

    Whether a handover happened is read from calls of tools and from what the assistant says, by word lists
    (`languages/*/handover.yaml`), not by the judge. Whether a person was needed: the judge goes by the policy (the
    first system message) and by the conversation before the handover, all of it where none happened. Without a policy
    or a judge a rule decides: a person was needed where, before the handover, the customer asked for one (and did not
    take it back) or the assistant said that it cannot help. The evidence says who decided.

    Args:
        judge: Says whether a person was needed, in one request per conversation with a policy.
        tools: Names of the tools that hand over, joined by `+`, with `*` for any text (`ring_desk+transfer_*`), in
            place of the words of the language packs.
        prompts: The prompts of the request.
    """

    name = "handover"
    needs = ("messages",)
    measures = "conversation"

    def __init__(self, judge: JudgeLike | None = None, tools: str = "", prompts: Prompts = BUNDLED) -> None:
        self.judge = None if judge is None else open_judge(judge)
        self.tools = tuple(name.strip() for name in tools.split("+") if name.strip())
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has the handover's turn, by what it was read, the verdict and who decided it."""
        language = language_or_fallback(sample.language, "handover")
        sign = await compute_for(sample, find_handover, sample.messages, language, self.tools)
        evidence: dict[str, Any] = {
            "happened": sign is not None,
            "turn": sign.turn if sign else None,
            "by": sign.by if sign else None,
        }
        usage = NO_USAGE
        if self.judge is not None and (sample.policy or "").strip():
            share, needed, judged, usage = await self._judge_need(sample, sign)
            evidence |= judged
            certainty = "" if evidence["probability"] is None else f", P(needed) = {evidence['probability']:.2f}"
            why = f"the judge decides by the policy{certainty}"
        else:
            end = len(sample.messages) if sign is None else sign.turn + 1
            signs = await compute_for(sample, find_needs, sample.messages, language, end)
            needed = bool(signs)
            share = float(needed)
            evidence |= {"probability": None, "decided_by": "rule", "needed_by": [need._asdict() for need in signs]}
            has_policy = bool((sample.policy or "").strip())
            lacks = "there is no judge to read the policy" if has_policy else "there is no policy"
            because = "; ".join(f"{_NEEDS[need.kind]} in message {need.turn}" for need in signs)
            why = f"{because or 'no message asks for a person or says that it cannot help'}; {lacks}: the rule decides"
        evidence["verdict"], reason = _VERDICTS[sign is not None, needed]
        place = f' in message {sign.turn} ("{shorten(sign.by)}")' if sign else ""
        reason = f"{reason.format(place=place)}: {why}"
        return scored(share if sign else 1 - share, reason, evidence, usage)

    async def _judge_need(self, sample: Sample, sign: HandoverSign | None) -> tuple[float, bool, dict[str, Any], Usage]:
        """How probable a person was needed, whether one was, the evidence and the usage."""
        before = sample if sign is None else sample.model_copy(update={"messages": sample.messages[: sign.turn]})
        words = language_or_fallback(sample.language, "handover").handover
        question = ChoiceQuestion(_ID, words.question, words.options)
        state = {"policy": sample.policy or ""}
        thread, answers = await self.decide_about_thread("handover", before, [question], state=state)
        answer = answers[_ID]
        person = answer.question.options[0]
        share = None if answer.probabilities is None else answer.probabilities[person]
        needed = answer.option == person
        evidence = {"probability": share, "decided_by": "judge"} | self.asked_with(sample, "handover", thread=thread)
        return float(needed) if share is None else share, needed, evidence, answers.usage
