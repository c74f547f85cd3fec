"""Resolved: the share of a customer's requests that were met at the end of the conversation."""

import re
from collections.abc import Sequence, Set
from functools import cache
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from ..eval_sets.message import Message
from ..eval_sets.sample import Sample
from ..installation import require_packages
from ..judges import Judge, JudgeLike, Question, Usage
from ..judges.typed_questions import YES
from ..judges.usage import NO_USAGE
from ..languages import Language, language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.demands import find_wishes
from ..text.lemmas import content_stems
from ..text.sentence_kinds import load_sentence_kinds
from ..text.sentences import listed_by_judge
from ..text.wording import count_of
from .judged import JudgedMetric, mean_probability, numbered
from .metric import check_choice, compute_for
from .sample_state import fitting_thread
from .score import Score, failed, scored, skipped

Goal = Literal["judge", "given"]
_COURTESIES = ("greeting", "thanks", "sign_off", "closing")
_SAME_START = 5  # letters: "cancel" and "cancellation", "kündigen" and "Kündigung" are about the same
_ASKED = re.compile(r"(?<![^.!?\n])[^.!?\n]*\?")


class Requests(BaseModel):
    """The judge's reply: what the customer asks for, a sentence each."""

    requests: list[str]


class _Listed(NamedTuple):
    requests: list[str]
    invented: list[str]
    usage: Usage


class Resolved(JudgedMetric):
    """The share of the customer's requests that were met at the end of the conversation.

    Formula: the mean over the requests of P(met); of a judge without probabilities, the requests that were met / all.
    Range: [0, 1]. A conversation without a request is skipped.

    The judge lists the requests from what customer and assistant said, without the tools, in whose results nobody asks
    for anything. One request that comes twice is one, and thanks or a greeting is none.
    A listed request is the judge's invention where it shares no word with what the customer said, or has all its words
    from one message of the assistant and not half of them from the customer: it is left out, and stands in the
    evidence as `invented`; where all are, the score is failed. Words are compared by their stems and by their first
    five letters; function words and "wants" do not count.

    Met is what was done, or answered, when the conversation ends, by a message or the result of a tool. A promise
    meets nothing, nor does a handover or a refusal, also one that the policy demands: whether those were right is what
    `handover` and `policy_kept` measure.

    The evidence has `requests`, each with its `text`, `met`, `probability`, and the `turn` that met it (null where it
    was not met, or no turn shares a word with it). That turn is found by rule: of the assistant's messages, calls and
    results of tools after the message of the customer that shares most words with the request, the last of those that
    share most; what the assistant asks does not count.

    Args:
        judge: Lists the requests (one call), and says of each whether it was met (one request).
        goal: `judge`: the judge lists the requests. `given`: they are those of `metadata.customer_goal`, a list of
            requests, or a text whose list items and sentences that want something are the requests; no call lists
            them.
        prompts: The prompts of the requests.

    Raises:
        ValueError: Another value for `goal`.
    """

    name = "resolved"
    needs: tuple[str, ...] = ("messages",)
    measures = "conversation"
    judge: Judge

    def __init__(self, judge: JudgeLike, goal: Goal = "judge", prompts: Prompts = BUNDLED) -> None:
        check_choice("goal", goal, Goal)
        super().__init__(judge, prompts)
        self.goal: Goal = goal
        if goal == "given":
            self.needs = (*self.needs, "metadata.customer_goal")

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has each request, whether it was met and in which turn.

        Raises:
            JudgeError: The judge gave no usable reply, or the conversation does not fit into its context.
        """
        require_packages("numeric", "resolved, which compares words")
        words_of_customer = [_stems(message.text, sample) for message in _of_role(sample, "user")]
        if not any(message.text.strip() for message in _of_role(sample, "user")):
            return skipped("the customer says nothing in this conversation")
        if not any(message.text.strip() or message.tool_calls for message in _of_role(sample, "assistant")):
            return scored(0.0, "the assistant never answers")
        listed = await self._list(sample, frozenset().union(*words_of_customer))
        names = ["resolved"] if self.goal == "given" else ["requests", "resolved"]
        evidence: dict[str, Any] = {"goal": self.goal} | self.asked_with(sample, *names)
        if not listed.requests:
            if listed.invented:
                evidence["invented"] = listed.invented
                reason = f"the judge lists {count_of(len(listed.invented), 'request')} that the customer never made"
                return failed(f'{reason}: "{listed.invented[0]}"', evidence, listed.usage)
            if self.goal == "given":
                return skipped("metadata.customer_goal names no request", evidence)
            return skipped("the judge finds no request of the customer", evidence, listed.usage)
        statement = language_or_fallback(sample.language, "statements").statements.request_met
        statements = numbered(statement.format(request=text) for text in listed.requests)
        thread, answers = await self.decide_about_thread("resolved", sample, statements)
        turns = await compute_for(sample, find_meeting_turns, sample, listed.requests)
        requests = [
            {
                "text": text,
                "met": answer.option == YES,
                "probability": answer.probability,
                "turn": turn if answer.option == YES else None,
            }
            for text, turn, answer in zip(listed.requests, turns, answers.values(), strict=True)
        ]
        evidence |= {"requests": requests} | thread.evidence()
        evidence |= {"invented": listed.invented} if listed.invented else {}
        met = sum(bool(request["met"]) for request in requests)
        evidence["ratio"] = met / len(requests)
        probability = mean_probability(answers)
        value = evidence["ratio"] if probability is None else probability
        return scored(value, _reason(requests, met, len(listed.invented)), evidence, listed.usage + answers.usage)

    async def _list(self, sample: Sample, spoken: Set[str]) -> _Listed:
        """The requests, those that the judge made up, and what listing them took."""
        if self.goal == "given":
            return _Listed(given_requests(sample), [], NO_USAGE)

        def ask(conversation: str) -> Question[Requests]:
            return self.question("requests", sample, Requests, {"conversation": conversation})

        thread = await compute_for(sample, fitting_thread, _without_tools(sample), self.judge, ask)
        reply = await self.judge.ask(ask(thread.text))
        language = language_or_fallback(sample.language)
        kinds = load_sentence_kinds(language)
        distinct: dict[tuple[str, ...], str] = {}
        for text in listed_by_judge(reply.value.requests, language):
            if kinds.find_kind(text) not in _COURTESIES:
                distinct.setdefault(content_stems(text, language) or (text,), text)
        answers = [_stems(message.text, sample) for message in _of_role(sample, "assistant")]
        kept = [text for text in distinct.values() if _is_of_customer(_stems(text, sample), spoken, answers)]
        return _Listed(kept, [text for text in distinct.values() if text not in kept], reply.usage)


def given_requests(sample: Sample) -> list[str]:
    """The requests that the sample says the customer has (`metadata.customer_goal`); empty where it says none."""
    goal = sample.metadata.get("customer_goal")
    if isinstance(goal, str):
        return find_wishes(goal, language_or_fallback(sample.language, "demands"))
    entries = goal if isinstance(goal, list | tuple) else ()
    texts = (" ".join(entry.split()) for entry in entries if isinstance(entry, str))
    return list(dict.fromkeys(filter(None, texts)))


def find_meeting_turns(sample: Sample, requests: Sequence[str]) -> list[int | None]:
    """Finds the turn that met each request; None where none shares a word with it.

    Returns:
        For each the place of a message, counted from 0: of the assistant's and tools' messages after the customer's
        message that shares most words with the request (the first of several), the last of those that share most.
    """
    asked = [(turn, _stems(m.text, sample)) for turn, m in enumerate(sample.messages) if m.role == "user"]
    stated = [
        (turn, _stems(_stated(message), sample))
        for turn, message in enumerate(sample.messages)
        if message.role in {"assistant", "tool"}
    ]
    return [_find_meeting_turn(_stems(request, sample), asked, stated) for request in requests]


def _find_meeting_turn(
    wanted: Set[str], asked: Sequence[tuple[int, Set[str]]], stated: Sequence[tuple[int, Set[str]]]
) -> int | None:
    start, most = -1, 0
    for turn, words in asked:
        if (shared := _count_shared(wanted, words)) > most:
            start, most = turn, shared
    meeting, most = None, 1
    for turn, words in stated:
        if turn > start and (shared := _count_shared(wanted, words)) >= most:
            meeting, most = turn, shared
    return meeting


def _stated(message: Message) -> str:
    """What a message says and calls, without its questions."""
    text = _ASKED.sub(" ", message.text) if message.role == "assistant" else message.text
    calls = (f"{call.function.name} {call.function.arguments}" for call in message.tool_calls)
    return "\n".join([text, *calls]).replace("_", " ")


def _without_tools(sample: Sample) -> Sample:
    """The conversation as customer and assistant spoke it, without tools."""
    messages = [
        message.model_copy(update={"tool_calls": ()})
        for message in sample.messages
        if message.role in {"user", "assistant"}
    ]
    return sample.model_copy(update={"messages": tuple(messages)})


def _of_role(sample: Sample, role: str) -> list[Message]:
    return [message for message in sample.messages if message.role == role]


def _stems(text: str, sample: Sample) -> frozenset[str]:
    """The stems of a text's words, without those that every request may have ("the customer wants")."""
    language = language_or_fallback(sample.language, "demands", "statements")
    stems = frozenset(content_stems(text, language))
    return (stems - _common_stems(language)) or stems


@cache
def _common_stems(language: Language) -> frozenset[str]:
    return frozenset(content_stems(" ".join([language.statements.customer, *language.demands.wants]), language))


def _is_of_customer(wanted: Set[str], spoken: Set[str], answers: Sequence[Set[str]]) -> bool:
    """Whether a listed request can be the customer's: it shares a word, and is not a sentence of the assistant."""
    shared = _count_shared(wanted, spoken)
    is_assistants = 2 * shared < len(wanted) and any(_count_shared(wanted, answer) == len(wanted) for answer in answers)
    return shared > 0 and not is_assistants


def _count_shared(wanted: Set[str], spoken: Set[str]) -> int:
    """How many of the words stand in a text, or begin with the same letters as one that does."""
    starts = {word[:_SAME_START] for word in spoken if len(word) >= _SAME_START and word.isalpha()}
    return sum(word in spoken or (word.isalpha() and word[:_SAME_START] in starts) for word in wanted)


def _reason(requests: Sequence[dict[str, Any]], met: int, invented: int) -> str:
    reason = f"{met} of {count_of(len(requests), 'request')} met"
    unmet = [request["text"] for request in requests if not request["met"]]
    reason += f'; not met: "{unmet[0]}"' if unmet else ""
    return reason + (
        f"; {count_of(invented, 'listed request')} left out: the customer never made it" if invented else ""
    )
