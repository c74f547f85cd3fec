"""A sample as a judge is shown it: its fields, or its conversation, one line per message."""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple, TypeVar

from ..errors import JudgeError
from ..eval_sets.conversation import earlier_messages, message_line
from ..eval_sets.message import tool_label, tool_names
from ..eval_sets.sample import Sample
from ..judges import Judge, JudgeSettings, Question, Request
from ..judges.run import context_need
from ..languages import language_or_fallback
from ..text.sentences import passages_without_words_to_judge, without_words_to_judge
from ..text.wording import count_of

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


T = TypeVar("T")

_SHORTEST = 120
_SHORTER = (None, 2_000, 500, _SHORTEST)
"""The most characters of a tool's result that a judge is shown; each is tried before the next."""


class Thread(NamedTuple):
    """A conversation as a judge is shown it."""

    text: str  # one line per message, which begins with its turn in brackets
    shortened: int = 0
    most_characters: int | None = None  # to how many characters; None where none was
    addressed: tuple[int, ...] = ()  # the turns out of which words to the judge were left

    def evidence(self) -> dict[str, Any]:
        """What was cut, for the evidence; empty where nothing was."""
        addressed = {"words_to_the_judge_in": [*self.addressed]} if self.addressed else {}
        return describe_shortened(self.shortened, self.most_characters) | addressed


def describe_shortened(count: int, most_characters: int | None) -> dict[str, Any]:
    """Says in the evidence how many results of tools were cut, and to how many characters; empty where none was."""
    return {"shortened": {"tool_results": count, "to_characters": most_characters}} if count else {}


def write_thread(sample: Sample, most_characters: int | None = None) -> Thread:
    """Writes a conversation, one line per message and per call of a tool, without the policy.

    Words to the judge are left out of messages and results of tools, as far as the language pack knows them.

    Example:
        >>> messages = [{"role": "user", "content": "Free?"}, {"role": "assistant", "content": "Yes."}]
        >>> print(write_thread(Sample(id="1", messages=messages, language="en")).text)
        [0] Customer: Free?
        [1] Assistant: Yes.
    """
    language = language_or_fallback(sample.language, "statements")
    words = language.statements
    tools = tool_names(sample.messages)
    lines, shortened, addressed = [], 0, list[int]()
    for turn, message in enumerate(sample.messages):
        text = "" if message.role == "system" else without_words_to_judge(message.text, language)
        if message.role != "system" and text != message.text:
            addressed.append(turn)
            text = text or "[...]"
        if message.role == "tool":
            if most_characters is not None and len(text) > most_characters:
                shortened += 1
                text = f"{text[:most_characters]} [...]"
            lines.append(message_line(f"[{turn}] {words.tool_result.format(tool=tool_label(tools[turn]))}", text))
        elif message.role != "system" and text.strip():
            speaker = words.customer if message.role == "user" else words.assistant
            lines.append(message_line(f"[{turn}] {speaker}", text))
        for call in message.tool_calls:
            speaker = words.tool_call.format(tool=tool_label(call.function.name))
            lines.append(message_line(f"[{turn}] {speaker}", call.function.arguments))
    return Thread("\n".join(lines), shortened, most_characters if shortened else None, tuple(addressed))


def fitting_thread(sample: Sample, judge: Judge, ask: Callable[[str], Request | Question[Any]]) -> Thread:
    """Writes a conversation as long as the judge can read it: results of tools are cut where all does not fit."""
    return fit_results(lambda most: write_thread(sample, most), judge, lambda thread: ask(thread.text))


def fit_results(write: Callable[[int | None], T], judge: Judge, ask: Callable[[T], Request | Question[Any]]) -> T:
    """Writes a conversation with results of tools as long as the judge can read them."""
    settings = getattr(judge, "settings", None)
    if not isinstance(settings, JudgeSettings):
        return write(None)
    need = limit = 0
    for most in _SHORTER:
        written = write(most)
        need, known = context_need(ask(written), settings)
        if known is None or need <= known:
            return written
        limit = known
    length = count_of(_SHORTEST, "character")
    cut = "" if write(_SHORTEST) == write(None) else f" with every result of a tool cut to {length}"
    cure = "raise context_tokens in the judge's settings, or " if settings.states_context else ""
    raise JudgeError(
        f"the conversation takes about {count_of(need, 'token')}{cut}, and the judge reads {limit:,}; "
        f"{cure}take a judge with a longer context"
    )
