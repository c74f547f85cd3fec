"""The transport `listed`: all questions in one call of a chat model, which replies with JSON, one word per question.

A request with reasons has one per question too, under a key that no question's id can be.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator

from ...untrusted import neutralise
from ..probabilities import follow_options, read_option
from ..question import Question, RawReply
from ..typed_questions import Answer, ChoiceQuestion, Predicate, Reason, Request, ScoreQuestion, TypedQuestion
from .transport import Transport
from .wording import compose, delimit_all, describe_words, words_of, write_statement, yes_no_words

_TOKENS_PER_ANSWER = 8  # of the reply, beside the characters of the id and the word
_TOKENS_PER_REASON = 80
_MOST_QUESTIONS = 128
_FRAMES: Mapping[Reason, str] = {"none": "listed", "first": "reason_first", "after": "reason_after"}


class ListedAnswers(BaseModel):
    """The reply: under each question's id one of its words. Made by `reply_schema`."""

    model_config = ConfigDict(extra="allow")
    words: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    reason: ClassVar[Reason] = "none"
    most_tokens: ClassVar[int] = 0

    @model_validator(mode="before")
    @classmethod
    def _refuse_without_answer(cls, values: Any) -> Any:
        for question, words in cls.words.items() if isinstance(values, dict) else ():
            value = values.get(question)
            if not isinstance(value, list | dict) and read_option(str(value), words):
                return values
        raise ValueError(f"it answers none of the questions {', '.join([*cls.words][:20])}")

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
    return f"reason {question}"


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

    def parse(self, questions: Sequence[TypedQuestion], call: Question[Any], raw: RawReply) -> list[Answer]:
        """The answer to each question: its word, and its probability where the reply's tokens can be followed."""
        starts = _token_starts(raw)
        words = _words_by_question(questions, call.prompt.language)
        answers = [_read(question, each, raw, starts) for question, each in zip(questions, words, strict=True)]
        if call.schema.reason != "none":
            for answer in answers:
                answer.reason = _read_reason(answer.question, raw.text)
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


def _read(question: TypedQuestion, words: Mapping[str, str], raw: RawReply, starts: list[int] | None) -> Answer:
    pattern = _value_pattern(question.id)
    values = pattern.findall(raw.text)
    if not values:
        return Answer(question, None, problem="the judge left it out")
    offered = tuple(words)
    first, *more = values
    word = None if first[0] in "[{" else read_option(first, offered)  # a list may go on with another word
    if more and any(read_option(value, offered) != word for value in values):
        return Answer(question, None, problem="the judge answered it in two ways")
    if word is None:
        return Answer(question, None, problem=f"the judge said {first[:40]}, which is none of its words")
    if starts is None:
        return Answer(question, words[word])
    value = pattern.search(raw.text)
    shares = {} if value is None else _shares(raw, starts, value, offered)
    total = sum(shares.values())
    if not total:
        return Answer(question, words[word])
    probabilities = {option: shares.get(name, 0.0) / total for name, option in words.items()}
    return Answer(question, max(probabilities, key=probabilities.__getitem__), probabilities)


def _read_reason(question: TypedQuestion, text: str) -> str:
    """The reason under a question's own key; empty where the reply has none that can be read."""
    value = _value_pattern(_reason_key(question.id)).search(text)
    if value is None or not value[1].startswith('"'):
        return ""
    try:
        return " ".join(str(json.loads(value[1], strict=False)).split())
    except ValueError:
        return ""


@lru_cache(maxsize=1024)
def _value_pattern(question: str) -> re.Pattern[str]:
    """What stands under a question's id in a reply, as its first group."""
    return re.compile(rf'"{re.escape(question)}"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}}\]]+)')


def _shares(raw: RawReply, starts: list[int], value: re.Match[str], words: tuple[str, ...]) -> dict[str, float]:
    """The probability of each word, from the token on in which the value begins."""
    begin = value.start(1) + (value[1][0] == '"')
    places = raw.logprobs or ()
    first = next((n for n in range(len(places)) if starts[n] <= begin < starts[n + 1]), None)
    if first is None:
        return {}
    lead = raw.text[starts[first] : begin]
    return follow_options(places[first:], words, lead)


def _token_starts(raw: RawReply) -> list[int] | None:
    """Where each token of a reply begins in its text, and where the last one ends; None where they are others."""
    if not raw.logprobs:
        return None
    tokens = [next(iter(place)) for place in raw.logprobs]
    before = "".join(tokens).find(raw.text)
    if before < 0:
        return None
    return [end - before for end in accumulate(map(len, tokens), initial=0)]
