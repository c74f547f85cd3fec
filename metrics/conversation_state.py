"""A conversation as a judge reads it: one line per message, with its turn, as long as the judge can read."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ..errors import JudgeError
from ..eval_sets.conversation import message_line
from ..eval_sets.message import tool_label, tool_names
from ..eval_sets.sample import Sample
from ..judges import Judge, JudgeSettings, Question, Request
from ..judges.run import context_need
from ..languages import language_or_fallback
from ..text.sentences import without_words_to_judge
from ..text.wording import count_of

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
