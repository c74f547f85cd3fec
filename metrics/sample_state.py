"""The fields of a sample as the state of a request to a judge."""

from collections.abc import Collection

from ..eval_sets.conversation import earlier_messages, message_line
from ..eval_sets.sample import Sample
from ..languages import language_or_fallback
from ..text.sentences import passages_without_words_to_judge, without_words_to_judge

STATE_PARTS = {
    "retrieved_contexts": "documentation",
    "user_input": "question",
    "response": "answer",
    "reference": "reference",
}
"""The part of the state that shows a field; a judge reads them in this order, what samples share first."""


def sample_state(sample: Sample, fields: Collection[str]) -> dict[str, str]:
    """Shows fields of a sample as the parts of a state.

    Example:
        >>> sample = Sample(id="1", user_input="Is it free?", response="Yes.", retrieved_contexts=("A.", "B."))
        >>> sample_state(sample, ("response", "retrieved_contexts"))
        {'documentation': 'A.\\n\\nB.', 'answer': 'Yes.'}
    """
    state = {}
    for field, part in STATE_PARTS.items():
        if field in fields:
            value = shown_contexts(sample) if field == "retrieved_contexts" else getattr(sample, field) or ""
            state[part] = value if isinstance(value, str) else "\n\n".join(value)
    return state


class TableContext(str):
    """A context that is a table of the sample as text."""

    __slots__ = ()


def shown_contexts(sample: Sample) -> tuple[str, ...]:
    """The contexts of a sample as a judge is shown them: without what in them speaks to whoever assesses an answer."""
    return passages_without_words_to_judge(sample.retrieved_contexts, language_or_fallback(sample.language))


def read_fields(typed: str) -> tuple[str, ...]:
    """Reads the names of a sample's fields, joined by `+`.

    Raises:
        ValueError: One is no field that a judge can be shown.

    Example:
        >>> read_fields("user_input + response")
        ('user_input', 'response')
    """
    fields = tuple(name.strip() for name in typed.split("+"))
    if unknown := [name for name in fields if name not in STATE_PARTS]:
        raise ValueError(f"{unknown[0]!r} is no field that a judge can be shown; these are {', '.join(STATE_PARTS)}")
    return tuple(dict.fromkeys(fields))


def earlier_turns(sample: Sample) -> dict[str, str]:
    """Shows the turns before a sample's message as the part `conversation`; nothing where the sample has none.

    Each message is one line, so that no message can pass for another speaker's. What speaks to a judge is left out.

    Example:
        >>> history = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi, how can I help?"}]
        >>> earlier_turns(Sample(id="1", user_input="How?", response="So.", metadata={"history": history}))
        {'conversation': 'user: Hello.\\nassistant: Hi, how can I help?'}
    """
    if not sample.messages:
        return {}
    language = language_or_fallback(sample.language)
    texts = [(message.role, without_words_to_judge(message.text, language)) for message in earlier_messages(sample)]
    lines = [message_line(role, text) for role, text in texts if text]
    return {"conversation": "\n".join(lines)} if lines else {}
