"""The transport `listed`: all questions in one call of a chat model, which replies with JSON, one word per question.

A request with reasons has one per question too, under a key that no question's id can be.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, ClassVar

from pydantic import model_validator

from ...untrusted import neutralise
from ..probabilities import contradiction, follow_options, read_option
from ..question import Member, MemberReply, Question, RawReply, Reply
from ..typed_questions import Answer, ChoiceQuestion, Predicate, Reason, Request, ScoreQuestion, TypedQuestion
from .transport import Transport
from .wording import compose, delimit_all, describe_words, words_of, write_statement, yes_no_words

_TOKENS_PER_ANSWER = 8  # of the reply, beside the characters of the id and the word
_TOKENS_PER_REASON = 80
_MOST_QUESTIONS = 128
_REASON = "reason "  # before a question's id, the key of its reason
_NUMBER = re.compile(r"\d+")
_FRAMES: Mapping[Reason, str] = {"none": "listed", "first": "reason_first", "after": "reason_after"}


class ListedAnswers(MemberReply):
    """The reply: under each question's id one of its words. Made by `reply_schema`."""

    words: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    reason: ClassVar[Reason] = "none"
    most_tokens: ClassVar[int] = 0

    @model_validator(mode="before")
    @classmethod
    def _refuse_without_answer(cls, values: Any) -> Any:
        given = values if isinstance(values, dict) else {}
        asked = ", ".join([*cls.words][:20])
        if not any(_read_word(given[question], words) for question, words in cls.words.items() if question in given):
            raise ValueError(f"it answers none of the questions {asked}")
        if wrong := cls._other_id(given):
            raise ValueError(f"it answers {wrong[:40]}, which was not asked; the questions are {asked}")
        return values

    @classmethod
    def _other_id(cls, given: Mapping[str, Any]) -> str:
        """An id that was not asked for: then nobody knows which question each answer is to. "" where there is none."""
        further = {name.removeprefix(_REASON): value for name, value in given.items() if name not in cls.words}
        kinds = {_NUMBER.sub("#", question) for question in cls.words if _NUMBER.search(question)}
        lacks_one = not given.keys() >= cls.words.keys()
        for name, value in further.items():
            is_answer = lacks_one and any(_read_word(value, words) for words in {*cls.words.values()})
            if name not in cls.words and (is_answer or _NUMBER.sub("#", name) in kinds):
                return name
        return ""

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
        """The schema: a property per question, with its words as an enumeration, and its reason before or behind it."""
        properties = dict[str, Any]()
        for question, words in cls.words.items():
            answer = {question: {"type": "string", "enum": list(words)}}
            reason = {} if cls.reason == "none" else {_reason_key(question): {"type": "string"}}
            properties |= reason | answer if cls.reason == "first" else answer | reason
        return {"title": "ListedAnswers", "type": "object", "properties": properties}


def _reason_key(question: str) -> str:
    return f"{_REASON}{question}"


def _read_word(value: Any, words: Sequence[str]) -> str | None:
    """The word that a value says; None where it says none. A list may go on with another word."""
    return None if isinstance(value, list | dict) else read_option(_write(value), words)


def _write(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=1024)
def reply_schema(words: tuple[tuple[str, tuple[str, ...]], ...], reason: Reason = "none") -> type[ListedAnswers]:
    """The schema of the reply to questions, by their ids and words."""
    lengths = [len(question) + max(map(len, offered)) for question, offered in words]
    most_tokens = sum(lengths) + _TOKENS_PER_ANSWER * (len(words) + 1)
    if reason != "none":
        most_tokens += _TOKENS_PER_REASON * len(words)
    attributes = {"words": dict(words), "reason": reason, "most_tokens": most_tokens, "__module__": __name__}
    return type("ListedAnswers", (ListedAnswers,), attributes)


class Listed(Transport):
    """All questions in one call, of a chat model."""

    most_questions = _MOST_QUESTIONS

    def render(self, request: Request, questions: Sequence[TypedQuestion]) -> Question[ListedAnswers]:
        """The call: the state, then the questions by their ids."""
        reason = request.reason or "none"
        prompt = compose(request, request.prompts.load(request.task, request.language), _FRAMES[reason])
        offered = _words_by_question(questions, prompt.language)
        words = tuple([(question.id, tuple(each)) for question, each in zip(questions, offered, strict=True)])
        predicates = [question for question in questions if type(question) is Predicate]
        statements = [f"{predicate.id}: {_one_line(write_statement(predicate))}" for predicate in predicates]
        others = [_line(question) for question in questions if type(question) is not Predicate]
        user = [delimit_all(request.state)]
        schema = reply_schema(words, reason)
        if statements:
            user += ["<statements>", *statements, "</statements>"]
        return Question(
            prompt,
            "\n".join(filter(None, [*user, *others])),
            schema,
            request.sample,
            logprobs=True,
            max_tokens=schema.most_tokens,
            prompts=request.prompts,
        )

    def parse(self, questions: Sequence[TypedQuestion], call: Question[Any], reply: Reply[Any]) -> list[Answer]:
        """The answer to each question: its word, and its probability where the reply's tokens can be followed."""
        members: dict[str, list[Member]] = {}
        for member in reply.value.members:
            members.setdefault(member[0], []).append(member)
        starts = _token_starts(reply.raw)
        answers = []
        for question, words in zip(questions, _words_by_question(questions, call.prompt.language), strict=True):
            answer = _read(question, words, members.get(question.id, []), reply.raw, starts)
            for _, reason, _ in members.get(_reason_key(question.id), []) if call.schema.reason != "none" else []:
                if isinstance(reason, str):
                    answer.reason = " ".join(reason.split())
            answers.append(answer)
        return answers


def _words_by_question(questions: Sequence[TypedQuestion], language: str) -> list[Mapping[str, str]]:
    """The words that each question is answered with; all predicates with the same."""
    yes_no = yes_no_words(language)
    return [yes_no if type(question) is Predicate else words_of(question, language) for question in questions]


def _line(question: ChoiceQuestion | ScoreQuestion) -> str:
    """One question in one line, so that none can pretend to be another."""
    described = describe_words(question)
    offered = "; ".join(f"{word} = {meaning}" if meaning else word for word, meaning in described.items())
    return f"{question.id}: {_one_line(question.instructions)} ({_one_line(offered)})"


def _one_line(text: str) -> str:
    return " ".join(neutralise(text).split())


def _read(
    question: TypedQuestion, words: Mapping[str, str], members: list[Member], raw: RawReply, starts: list[int] | None
) -> Answer:
    offered = tuple(words)
    said = [_read_word(value, offered) for _, value, _ in members]
    if problem := _problem(members, said):
        return Answer(question, None, problem=problem)
    word = said[0] or ""
    shares = {} if starts is None else _shares(raw, starts, members[0], offered)
    total = sum(shares.values())
    if not total:
        return Answer(question, words[word])
    if problem := contradiction(word, shares):
        return Answer(question, None, problem=f"the judge contradicts itself: {problem}")
    probabilities = {option: shares.get(name, 0.0) / total for name, option in words.items()}
    return Answer(question, max(probabilities, key=probabilities.__getitem__), probabilities)


def _problem(members: list[Member], said: list[str | None]) -> str:
    """Why the words under a question's id are no answer; "" where they are one."""
    if not members:
        return "the judge left it out"
    if any(word != said[0] for word in said):
        return "the judge answered it in two ways"
    return "" if said[0] else f"the judge said {_write(members[0][1])[:40]}, which is none of its words"


def _shares(raw: RawReply, starts: list[int], member: Member, words: tuple[str, ...]) -> dict[str, float]:
    """The probability of each word, from the token on in which the value begins."""
    _, value, start = member
    begin = start + isinstance(value, str)
    places = raw.logprobs or ()
    first = bisect_right(starts, begin) - 1
    if not 0 <= first < len(places):
        return {}
    return follow_options(places[first:], words, raw.text[starts[first] : begin])


def _token_starts(raw: RawReply) -> list[int] | None:
    """Where each token of a reply begins in its text, and where the last one ends; None where they are others."""
    if not raw.logprobs:
        return None
    tokens = [next(iter(place)) for place in raw.logprobs]
    before = "".join(tokens).find(raw.text)
    if before < 0:
        return None
    return [end - before for end in accumulate(map(len, tokens), initial=0)]
