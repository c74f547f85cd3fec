"""The transport `single`: one question per call, answered with one word, whose probability is read at its tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..probabilities import weigh_options
from ..question import Choice, Question, RawReply
from ..typed_questions import Answer, Predicate, Request, TypedQuestion
from .wording import Transport, compose, delimit, delimit_all, describe_words, words_of

_SHAPE: Any = Choice  # of what is sent; the reply is read by `parse`
_MOST_TOKENS = 16  # of an option's word where its first token may not tell


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
        if isinstance(question, Predicate) and question.context.strip():
            state["before"] = question.context
        if prompt.template and (len(request.questions) == 1 or "statement" in prompt.fields):
            statement = {"statement": question.statement} if isinstance(question, Predicate) else {}
            fields = {name: text for name, text in (state | statement).items() if name in prompt.fields}
            further = delimit_all({name: text for name, text in state.items() if name not in prompt.fields})
            user = f"{further}\n{prompt.render(fields)}" if further else prompt.render(fields)
        else:
            prompt = compose(request, prompt, "single")
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
