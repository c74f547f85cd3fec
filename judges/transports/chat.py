"""The transports to chat models: `single`, one question per call, and `listed`, all in one call; and what they share.

A transport renders typed questions for a model and parses what it says. Parts of the state stand between tags that no
text can close; a reply's words are those that were offered.
"""

import json
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from ...errors import ReplyError, UsageError
from ...languages import language_or_fallback, packs_with
from ...prompts import Prompt
from ...untrusted import neutralise
from ...value_messages import quote_word
from ..probabilities import contradiction, follow_options, read_option, weigh_options
from ..question import Alternatives, Choice, Question, RawReply
from ..structured import ReplyObject, find_values, read_object
from ..typed_questions import (
    NO,
    YES,
    Answer,
    ChoiceQuestion,
    Predicate,
    Reason,
    Request,
    ScoreQuestion,
    TypedQuestion,
)

G = TypeVar("G", bound=Iterable[str])
_SHAPE: Any = Choice  # of what is sent; the reply is read by `parse`
_MOST_TOKENS = 16  # of an option's word where its first token may not tell
_TOKENS_PER_ANSWER = 8  # of the reply, beside the characters of the id and the word
_TOKENS_PER_REASON = 80
_MOST_QUESTIONS = 128
_REASON = "reason "  # before a question's id, the key of its reason
_FRAMES: Mapping[Reason, str] = {"none": "listed", "first": "reason_first", "after": "reason_after"}


class Transport(ABC):
    """A way for typed questions to reach a model: it renders them, and parses the reply. It sends nothing itself."""

    most_questions: int

    @abstractmethod
    def render(self, request: Request, questions: Sequence[TypedQuestion]) -> Question[list[Answer]]:
        """The call that asks questions of a request, at most `most_questions`."""

    @abstractmethod
    def parse(self, questions: Sequence[TypedQuestion], call: Question[Any], reply: RawReply) -> list[Answer]:
        """The answer to each question, in their order; one that cannot be read says why.

        Raises:
            ReplyError: None can be read; the call is made again with the error, where its question says so.
        """


def check_any_answer(answers: Sequence[Answer], reply: RawReply) -> None:
    """Refuses a reply of which no answer can be read, however many were asked for; to decline is an answer."""
    if all(answer.problem and not answer.declined for answer in answers):
        raise ReplyError(f"it answers nothing: {answers[0].problem}", reply.text)


def check_asked(given: G, asked: Collection[str]) -> G:
    """Refuses a name beside the ids asked for: nobody knows which question each answer is to, or what it takes back."""
    if further := sorted({*given}.difference(asked)):
        questions = ", ".join([*asked][:20])
        raise ValueError(f"it answers {further[0][:40]}, which was not asked; the questions are {questions}")
    return given


def delimit(name: str, text: str) -> str:
    """A part of the state between its tags, which the text cannot close.

    Example:
        >>> delimit("answer", "It is free.</answer>")
        '<answer>\\nIt is free.‹/answer>\\n</answer>'
    """
    return f"<{name}>\n{neutralise(text)}\n</{name}>"


def words_of(question: TypedQuestion, language: str) -> Mapping[str, str]:
    """The words that a chat model answers a question with, each with the option that it stands for.

    A predicate is answered with the language's yes and no, a scale with the number of the level, from 1 for the lowest.

    Example:
        >>> dict(words_of(Predicate("1", "It is free."), "nl"))
        {'Ja': 'yes', 'Nee': 'no'}
    """
    if isinstance(question, Predicate):
        return yes_no_words(language)
    if isinstance(question, ScoreQuestion):
        return {str(number): label for number, label in enumerate(question.options, start=1)}
    return {option: option for option in question.options}


@lru_cache(maxsize=256)
def yes_no_words(language: str) -> Mapping[str, str]:
    """The words of a language that a predicate is answered with, each with its option."""
    yes, no = language_or_fallback(language).profile.yes_no
    return MappingProxyType({yes: YES, no: NO})


@cache
def _yes_no_pairs() -> tuple[tuple[str, str], ...]:
    """The words for yes and no of each language."""
    return tuple(language.profile.yes_no for language in packs_with())


def describe_words(question: TypedQuestion) -> dict[str, str]:
    """What each word of a question with options means; empty for a predicate."""
    if isinstance(question, Predicate):
        return {}
    if isinstance(question, ScoreQuestion):
        described = {}
        for number, level in enumerate(question.levels, start=1):
            parts = [part for part in (level.label, level.description) if part and part != str(number)]
            described[str(number)] = ": ".join(parts)
        return described
    return dict(question.criteria)


@lru_cache(maxsize=256)
def compose(prompt: Prompt, form: Prompt) -> Prompt:
    """The words of a request's task in the frame of a transport."""
    _check_task(prompt, "" if form.name == "single" else _SINGLE_NEEDS_NONE)
    system = form.render({"task": prompt.task})
    return Prompt(
        name=prompt.name,
        language=prompt.language,
        opening=({"role": "system", "content": system},),
        template="",
        task=prompt.task,
        parts=(prompt.identity, form.identity),
    )


def delimit_all(state: Mapping[str, str]) -> str:
    """All parts of a state in their order; a part without text is left out."""
    return "\n".join([delimit(name, text) for name, text in state.items() if text.strip()])


def compose_task(request: Request) -> Prompt:
    """The prompt of a request for a model that is not chatted with: the words of its task and nothing else."""
    prompt = request.prompts.load(request.task, request.language)
    _check_task(prompt, _SINGLE_NEEDS_NONE)
    return _task_alone(prompt)


@lru_cache(maxsize=256)
def _task_alone(prompt: Prompt) -> Prompt:
    return Prompt(prompt.name, prompt.language, (), "", task=prompt.task, parts=(prompt.identity,))


_SINGLE_NEEDS_NONE = ", or set `decide: single` in the judge's settings"


def _check_task(prompt: Prompt, other_cure: str) -> None:
    """Checks that a prompt of the user's, which may be older than typed questions, can be used."""
    if not prompt.task:
        raise UsageError(
            f"the prompt {prompt.name}.{prompt.language} has no part `## task`, the words that all questions of a "
            f"request have in common; copy it from the bundled prompt (assay judges prompts copy "
            f"{quote_word(prompt.name)}) and change it{other_cure}"
        )


class Single(Transport):
    """One question per call, of a chat model.

    A prompt with a user part is asked as it is written there, with its examples; the parts of the state that it has no
    field for stand before it. Another prompt's task is put into the frame `single`, also where a request has several
    questions and the user part no field to tell them apart.
    """

    most_questions = 1

    def render(self, request: Request, questions: Sequence[TypedQuestion]) -> Question[list[Answer]]:
        """The call that asks one question."""
        (question,) = questions
        prompt = request.prompts.load(request.task, request.language)
        words = words_of(question, prompt.language)
        state = dict(request.state)
        if prompt.template and (len(request.questions) == 1 or "statement" in prompt.fields):
            statement = {"statement": question.statement} if isinstance(question, Predicate) else {}
            fields = {name: text for name, text in (state | statement).items() if name in prompt.fields}
            further = delimit_all({name: text for name, text in state.items() if name not in prompt.fields})
            user = f"{further}\n{prompt.render(fields)}" if further else prompt.render(fields)
        else:
            prompt = compose(prompt, request.prompts.load("single", prompt.language))
            user = "\n".join(filter(None, [delimit_all(state), _ask(question), _offer(question, words)]))
        first_letters = {word[:1].casefold() for word in words}
        return Question(
            prompt,
            user,
            _SHAPE,
            request.sample,
            options=tuple(words),
            logprobs=True,
            max_tokens=None if len(first_letters) == len(words) else _MOST_TOKENS,
            prompts=request.prompts,
        )

    def parse(self, questions: Sequence[TypedQuestion], call: Question[Any], reply: RawReply) -> list[Answer]:
        """The answer to one question."""
        (question,) = questions
        words = words_of(question, call.prompt.language)
        word, shares = weigh_options(reply, call.options)
        probabilities = None if shares is None else {words[name]: share for name, share in shares.items()}
        return [Answer(question, words[word], probabilities)]


def _ask(question: TypedQuestion) -> str:
    if isinstance(question, Predicate):
        return delimit("statement", question.statement)
    return question.instructions


def _offer(question: TypedQuestion, words: Mapping[str, str]) -> str:
    described = describe_words(question)
    return "\n".join(f"{word}: {described[word]}" if described.get(word) else word for word in words)


class ListedAnswers:
    """The shape of the reply: under each question's id one of its words. Made by `reply_schema`."""

    words: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    reason: ClassVar[Reason] = "none"
    most_tokens: ClassVar[int] = 0

    @classmethod
    def read(cls, reply: Any) -> tuple[dict[str, Any], dict[str, str | None]]:
        """The members of a reply, and the word that each question asked is answered with; None for no word of its."""
        values: dict[str, Any] = reply if type(reply) is dict else {}
        said: dict[str, str | None] = dict.fromkeys(cls.words)
        for question, words in cls.words.items():
            if question in values:
                value = values[question]
                said[question] = value if value in words else _read_word(value, words)
        if not any(said.values()):
            raise ValueError(f"it answers none of the questions {', '.join([*cls.words][:20])}")
        if values.keys() - cls.words:
            reasons = () if cls.reason == "none" else map(_reason_key, cls.words)
            check_asked(values.keys() - reasons, cls.words)
        return values, said

    @classmethod
    def describe(cls) -> str:
        """What a reply looks like, for whoever wrote the judge: `{"1": "Yes" or "No"}`."""
        question, words = next(iter(cls.words.items()))
        further = ", ..." if len(cls.words) > 1 else ""
        return f'{{"{question}": {" or ".join(map(json.dumps, words[:6]))}{further}}}'

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
    if isinstance(value, list | dict):
        return None
    text = f'"{value}"' if isinstance(value, str) else json.dumps(value)
    word = read_option(text, words)
    pairs = _yes_no_pairs() if word is None else ()
    for pair in pairs if tuple(words) in pairs else ():  # a judge may say yes in another language than it was asked in
        if (said := read_option(text, pair)) is not None:
            return words[pair.index(said)]
    return word


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
        task = request.prompts.load(request.task, request.language)
        prompt = compose(task, request.prompts.load(_FRAMES[reason], task.language))
        words, statements, others = list[tuple[str, tuple[str, ...]]](), dict[str, str](), list[str]()
        yes_no = tuple(yes_no_words(prompt.language))
        for question in questions:
            if type(question) is Predicate:
                words += [(question.id, yes_no)]
                statements[question.id] = question.statement
            else:
                words += [(question.id, tuple(words_of(question, prompt.language)))]
                others += [_line(question)]
        user = [delimit_all(request.state)]
        schema: Any = reply_schema(tuple(words), reason)
        if statements:
            lines = zip(statements, _in_lines([*statements.values()]), strict=True)
            user += ["<statements>", *[f"{name}: {line}" for name, line in lines], "</statements>"]
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
        if "{" not in reply.text and len(questions) == 1 and not reply.logprobs:  # a function that says its word alone
            words = words_of(questions[0], call.prompt.language)
            if (word := _read_word(reply.text, tuple(words))) is not None:
                return [Answer(questions[0], words[word])]
        found = read_object(reply, call.schema.read)
        values, said = found.value
        language = call.prompt.language
        yes_no = yes_no_words(language)
        pairs = [(each, yes_no if type(each) is Predicate else words_of(each, language)) for each in questions]
        if len(values) < len(found.members):
            _check_said_once(pairs, found, reply)
        if not reply.logprobs and all(said.values()):
            answers = [Answer(question, words[said[question.id]]) for question, words in pairs]
        else:
            shares = _Shares(reply, found) if reply.logprobs else None
            answers = [_read(question, words, found, shares) for question, words in pairs]
            check_any_answer(answers, reply)
        if call.schema.reason != "none":
            for answer in answers:
                reason = values.get(_reason_key(answer.question.id))
                answer.reason = " ".join(reason.split()) if isinstance(reason, str) else ""
        return answers


def _line(question: ChoiceQuestion | ScoreQuestion) -> str:
    """One question in one line, so that none can pretend to be another."""
    described = describe_words(question)
    offered = "; ".join(f"{word} = {meaning}" if meaning else word for word, meaning in described.items())
    instructions, offered = _in_lines([question.instructions, offered])
    return f"{question.id}: {instructions} ({offered})"


def _in_lines(texts: Sequence[str]) -> list[str]:
    """Each text in one line, so that none can pretend to be another question."""
    together = " ".join(texts)
    is_line = together.isprintable() and "  " not in together and together.strip() == together
    if is_line and neutralise(together) == together:  # most need no more than a look
        return [*texts]
    return [" ".join(neutralise(text).split()) for text in texts]


def _check_said_once(
    pairs: Sequence[tuple[TypedQuestion, Mapping[str, str]]], found: ReplyObject[Any], reply: RawReply
) -> None:
    """Refuses a reply that answers a question twice, with different words: which of them it means is unknown."""
    for question, words in pairs:
        if len({_read_word(value, tuple(words)) for name, value in found.members if name == question.id}) > 1:
            raise ReplyError(f"it answers {question.id} in two ways", reply.text)


def _read(
    question: TypedQuestion, words: Mapping[str, str], found: ReplyObject[Any], shares: "_Shares | None"
) -> Answer:
    values, said = found.value
    word = said[question.id]
    if question.id not in values:
        return Answer(question, None, problem="the judge left it out")
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
        total = sum([share for name, share in shares.items() if name])
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
