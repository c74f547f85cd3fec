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

from ...untrusted import neutralise
from ..probabilities import contradiction, follow_options, read_option
from ..question import Alternatives, Question, RawReply
from ..structured import ReplyObject, find_values, read_object
from ..typed_questions import Answer, ChoiceQuestion, Predicate, Reason, Request, ScoreQuestion, TypedQuestion
from .wording import Transport, compose, delimit_all, describe_words, words_of, write_statement, yes_no_words

_TOKENS_PER_ANSWER = 8  # of the reply, beside the characters of the id and the word
_TOKENS_PER_REASON = 80
_MOST_QUESTIONS = 128
_REASON = "reason "  # before a question's id, the key of its reason
_NUMBER = re.compile(r"\d+")
_FRAMES: Mapping[Reason, str] = {"none": "listed", "first": "reason_first", "after": "reason_after"}


class ListedAnswers:
    """The shape of the reply: under each question's id one of its words. Made by `reply_schema`."""

    words: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    reason: ClassVar[Reason] = "none"
    most_tokens: ClassVar[int] = 0

    @classmethod
    def read(cls, values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str | None]]:
        """The members of a reply, and the word that each question asked is answered with; None for no word of its."""
        said = {
            question: _read_word(values[question], words) if question in values else None
            for question, words in cls.words.items()
        }
        if not any(said.values()):
            raise ValueError(f"it answers none of the questions {', '.join([*cls.words][:20])}")
        if values.keys() - cls.words:
            cls._check_further(values)
        return values, said

    @classmethod
    def _check_further(cls, given: Mapping[str, Any]) -> None:
        """Refuses an id that was not asked for: then nobody knows which question each answer is to."""
        further = {name.removeprefix(_REASON): value for name, value in given.items() if name not in cls.words}
        kinds = {_NUMBER.sub("#", question) for question in cls.words if _NUMBER.search(question)}
        lacks_one = not given.keys() >= cls.words.keys()
        for name, value in further.items():
            is_answer = lacks_one and any(_read_word(value, words) for words in {*cls.words.values()})
            if name not in cls.words and (is_answer or _NUMBER.sub("#", name) in kinds):
                asked = ", ".join([*cls.words][:20])
                raise ValueError(f"it answers {name[:40]}, which was not asked; the questions are {asked}")

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
    if value in words:
        return str(value)
    if isinstance(value, str):
        return read_option(f'"{value}"', words)
    return None if isinstance(value, list | dict) else read_option(json.dumps(value), words)


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

    def render(self, request: Request, questions: Sequence[TypedQuestion]) -> Question[list[Answer]]:
        """The call: the state, then the questions by their ids."""
        reason = request.reason or "none"
        prompt = compose(request, request.prompts.load(request.task, request.language), _FRAMES[reason])
        offered = _words_by_question(questions, prompt.language)
        words = tuple([(question.id, tuple(each)) for question, each in zip(questions, offered, strict=True)])
        predicates = [question for question in questions if type(question) is Predicate]
        lines = _in_lines([each.statement if not each.context else write_statement(each) for each in predicates])
        statements = [f"{predicate.id}: {line}" for predicate, line in zip(predicates, lines, strict=True)]
        others = [_line(question) for question in questions if type(question) is not Predicate]
        user = [delimit_all(request.state)]
        schema: Any = reply_schema(words, reason)
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

    def parse(self, questions: Sequence[TypedQuestion], call: Question[Any], reply: RawReply) -> list[Answer]:
        """The answer to each question: its word, and its probability where the reply's tokens can be followed."""
        found = read_object(reply, call.schema.read)
        values, said = found.value
        offered = _words_by_question(questions, call.prompt.language)
        if not reply.logprobs and all(said.values()) and len(values) == len(found.members):
            answers = [
                Answer(question, words[said[question.id]]) for question, words in zip(questions, offered, strict=True)
            ]
        else:
            shares = _Shares(reply, found) if reply.logprobs else None
            answers = [
                _read(question, words, found, shares) for question, words in zip(questions, offered, strict=True)
            ]
        if call.schema.reason != "none":
            for answer in answers:
                reason = values.get(_reason_key(answer.question.id))
                answer.reason = " ".join(reason.split()) if isinstance(reason, str) else ""
        return answers


def _words_by_question(questions: Sequence[TypedQuestion], language: str) -> list[Mapping[str, str]]:
    """The words that each question is answered with; all predicates with the same."""
    yes_no = yes_no_words(language)
    return [yes_no if type(question) is Predicate else words_of(question, language) for question in questions]


def _line(question: ChoiceQuestion | ScoreQuestion) -> str:
    """One question in one line, so that none can pretend to be another."""
    described = describe_words(question)
    offered = "; ".join(f"{word} = {meaning}" if meaning else word for word, meaning in described.items())
    instructions, offered = _in_lines([question.instructions, offered])
    return f"{question.id}: {instructions} ({offered})"


def _in_lines(texts: Sequence[str]) -> list[str]:
    """Each text in one line, so that none can pretend to be another question."""
    together = "".join(texts)
    if neutralise(together) != together:  # most need no more than a look
        texts = [neutralise(text) for text in texts]
    return [" ".join(text.split()) for text in texts]


def _read(
    question: TypedQuestion, words: Mapping[str, str], found: ReplyObject[Any], shares: "_Shares | None"
) -> Answer:
    values, said = found.value
    word = said[question.id]
    if question.id not in values:
        return Answer(question, None, problem="the judge left it out")
    if len({_read_word(value, tuple(words)) for name, value in found.members if name == question.id}) > 1:
        return Answer(question, None, problem="the judge answered it in two ways")
    if word is None:
        shown = json.dumps(values[question.id], ensure_ascii=False)[:40]
        return Answer(question, None, problem=f"the judge said {shown}, which is none of its words")
    return Answer(question, words[word]) if shares is None else shares.weigh(question, words, word)


class _Shares:
    """How probable the words of a reply are, by its tokens."""

    def __init__(self, raw: RawReply, found: ReplyObject[Any]) -> None:
        self._raw = raw
        self._places: Sequence[Alternatives] = raw.logprobs or ()
        tokens = [next(iter(place)) for place in self._places]
        before = "".join(tokens).find(raw.text)
        self._is_known = before >= 0
        # where each token begins in the text, and where the last one ends
        self._starts = [end - before for end in accumulate(map(len, tokens), initial=0)]
        names = [name for name, _ in found.members]
        self._values = dict(zip(names, find_values(raw.text, found.start), strict=True)) if self._is_known else {}

    def weigh(self, question: TypedQuestion, words: Mapping[str, str], word: str) -> Answer:
        """The answer that a word gives, with the probability of each; without them where its tokens are others."""
        shares = self._follow(self._values[question.id], tuple(words)) if self._is_known else {}
        total = sum(shares.values())
        if not total:
            return Answer(question, words[word])
        if problem := contradiction(word, shares):
            return Answer(question, None, problem=f"the judge contradicts itself: {problem}")
        probabilities = {option: shares.get(name, 0.0) / total for name, option in words.items()}
        return Answer(question, max(probabilities, key=probabilities.__getitem__), probabilities)

    def _follow(self, begin: int, words: tuple[str, ...]) -> dict[str, float]:
        """The probability of each word, from the token on in which the value begins."""
        begin += self._raw.text[begin] == '"'
        first = bisect_right(self._starts, begin) - 1
        if not 0 <= first < len(self._places):
            return {}
        return follow_options(self._places[first:], words, self._raw.text[self._starts[first] : begin])
