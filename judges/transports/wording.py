"""What a transport is, and the words that they share: the state in delimited parts, the questions, their options."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ...errors import UsageError
from ...languages import language_or_fallback
from ...prompts import Prompt
from ...shell_words import quote_word
from ...untrusted import neutralise
from ..question import Question, RawReply
from ..typed_questions import NO, YES, Answer, Predicate, Request, ScoreQuestion, TypedQuestion


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


def compose(request: Request, prompt: Prompt, frame: str) -> Prompt:
    """The prompt of a request: the words of its task in the frame of a transport."""
    _check_task(prompt, "" if frame == "single" else _SINGLE_NEEDS_NONE)
    return _compose(prompt, request.prompts.load(frame, prompt.language))


@lru_cache(maxsize=256)
def _compose(prompt: Prompt, form: Prompt) -> Prompt:
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


def write_statement(question: Predicate) -> str:
    """A statement, after the sentences that it refers back to in brackets."""
    context = question.context
    return f"[{context}] {question.statement}" if context and context.strip() else question.statement
