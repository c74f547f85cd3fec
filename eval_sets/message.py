"""A message of a conversation, in OpenAI's chat format; and the turns of a conversation."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from ..value_messages import check_characters

MESSAGE_ALIASES: dict[str, tuple[str, ...]] = {
    "content": ("text", "message", "value", "body"),
    "retrieved_contexts": ("retrieval_context", "retrievalContext", "contexts"),
    "time": ("timestamp", "created_at", "createdAt", "sent_at", "datetime"),
    "rating": ("human_rating", "stars"),
}
"""Usual names of a message's fields, which `read_forms` reads where the field itself is absent."""

REASONS = "rating_reasons"
"""The key of a message, and of a sample's metadata, with what people wrote of the answer, by rater."""

Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[str, ...] = get_args(Role)
"""The roles of messages, in the order in which they are named to a person."""


class FunctionCall(BaseModel):
    """What a tool call calls.

    Attributes:
        name: The tool's name.
        arguments: Its arguments as JSON, as a model writes them; an object is written as JSON.

    Example:
        >>> FunctionCall(name="find_order", arguments={"order": 7}).arguments
        '{"order": 7}'
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str
    arguments: str = "{}"

    @field_validator("arguments", mode="before")
    @classmethod
    def _as_json(cls, arguments: Any) -> Any:
        return arguments if isinstance(arguments, str) else json.dumps(_json_value(arguments), ensure_ascii=False)

    @field_validator("name", "arguments")
    @classmethod
    def _whole_characters(cls, text: str) -> str:
        return check_characters(text)

    @property
    def values(self) -> dict[str, Any] | None:
        """The arguments by name; None where they are no JSON object."""
        try:
            values = json.loads(self.arguments or "{}")
        except (ValueError, RecursionError):
            return None
        return values if isinstance(values, dict) else None


_NO_NAME = re.compile(r"[^\w.:/-]+")
_LONGEST_NAME = 64  # characters: OpenAI takes no longer one


def tool_label(name: str) -> str:
    """A tool's name as a name: what no name has in it becomes `_`, so that it cannot pass for a message.

    Example:
        >>> tool_label("find_order"), tool_label("a:\\n[3] Assistant: free")
        ('find_order', 'a:_3_Assistant:_free')
    """
    return _NO_NAME.sub("_", name)[:_LONGEST_NAME] or "?"


class ToolCall(BaseModel):
    """A call of a tool by the assistant.

    Attributes:
        id: Names the call; the tool's message with the result has it as `tool_call_id`.
        type: The kind of tool.
        function: What is called.

    Example:
        >>> ToolCall(id="1", function=FunctionCall(name="find_order", arguments='{"order": 7}')).function.values
        {'order': 7}
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str
    type: str = "function"
    function: FunctionCall


class Message(BaseModel):
    """One message of a conversation.

    Attributes:
        role: Who speaks.
        content: The text; None for an assistant that only calls tools.
        tool_calls: The tools that the assistant calls.
        tool_call_id: The call whose result a tool's message is.
        name: The tool's name, or the speaker's.
        retrieved_contexts: What was retrieved for this message.
        time: When it was sent.
        rating: A person's rating of this message, on the sample's scale.

    Example:
        >>> Message(role="assistant", content="It is free.").is_answer
        True
    """

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)

    role: Role
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    retrieved_contexts: tuple[str, ...] = ()
    time: str | None = None
    rating: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_json_extras(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        fields = dict(values)
        if fields.get("ratings") is not None:
            from .cell_values import parse_ratings  # late: whoever reads a store has no messages
            from .number_rule import NumberRule

            try:
                fields["ratings"] = parse_ratings(fields["ratings"], NumberRule())
            except ValueError as error:
                raise ValueError(f"ratings: {error}") from None
        extras = fields.keys() - cls.model_fields.keys()
        return fields | {name: _json_value(fields[name]) for name in extras}

    @field_validator("time", mode="before")
    @classmethod
    def _time_as_text(cls, time: Any) -> Any:
        if isinstance(time, date):
            return time.isoformat()
        return str(time) if isinstance(time, int | float) and not isinstance(time, bool) else time

    @field_validator("retrieved_contexts", "tool_calls", mode="before")
    @classmethod
    def _none_as_empty(cls, listed: Any) -> Any:
        return () if listed is None else listed

    @field_validator("content", "tool_call_id", "name", "retrieved_contexts")
    @classmethod
    def _whole_characters(cls, held: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
        for text in (held,) if isinstance(held, str) else held or ():
            check_characters(text)
        return held

    @property
    def text(self) -> str:
        """The content; empty where there is none."""
        return self.content or ""

    @property
    def ratings(self) -> dict[str, float]:
        """The ratings by rater, as a sample's: no field, as hardly a message of a store has any."""
        return (self.model_extra or {}).get("ratings") or {}

    @property
    def human_rating(self) -> float | None:
        """The rating, else the mean of the raters' ratings, else None; on the sample's scale."""
        return sum(self.ratings.values()) / len(self.ratings) if self.rating is None and self.ratings else self.rating

    @property
    def is_answer(self) -> bool:
        """Whether it is an answer of the assistant to the customer: a text, not only calls of tools."""
        return self.role == "assistant" and bool(self.text.strip())

    @property
    def is_empty_reply(self) -> bool:
        """Whether the assistant said nothing here: no text, no other content, and no calls of tools."""
        has_more = self.content is None or self.text.strip() or self.tool_calls
        return self.role == "assistant" and not has_more and not (self.model_extra or {}).get("content_parts")

    @property
    def is_reply(self) -> bool:
        """Whether the assistant replied to the customer here, if only with nothing: not with calls of tools alone."""
        return self.is_answer or self.is_empty_reply


class Turn(NamedTuple):
    """A question and its answer in a conversation."""

    start: int  # the place of the question's first message, counted from 0
    answer: int
    question: str  # the messages of the customer since the answer before, one per line
    response: str
    contexts: tuple[str, ...]  # what was retrieved for it


def turn_id(conversation: str, turn: int) -> str:
    """Returns the id of a turn's sample.

    Example:
        >>> turn_id("chat-7", 4)
        'chat-7#4'
    """
    return f"{conversation}#{turn}"


def is_turn_id(name: str, metadata: Mapping[str, Any]) -> bool:
    """Whether an id is that of the turn that the sample's metadata names."""
    conversation, turn = metadata.get("conversation"), metadata.get("turn")
    return isinstance(turn, int) and name == turn_id(str(conversation), turn)


def find_turns(messages: Sequence[Message]) -> list[Turn]:
    """Finds the turns: each answer of the assistant that follows a message of the customer.

    Two answers with no message of the customer between them have the same question; a greeting of the assistant before
    the first question is no turn. An empty reply is an answer where no other one follows before the next question.

    Example:
        >>> spoken = [("user", "Hi."), ("user", "Is it free?"), ("assistant", "Yes.")]
        >>> find_turns([Message(role=role, content=text) for role, text in spoken])[0].question
        'Hi.\\nIs it free?'
    """
    turns: list[Turn] = []
    start: int | None = None
    is_answered = is_over = False  # whether the question has an answer, and one that calls no tool
    empty: Turn | None = None  # with an empty reply that no answer follows yet
    part: list[Message] = []  # of this turn's messages those that ask, or hold contexts
    for place, message in enumerate(messages):
        if message.role == "user" and message.text.strip():
            turns += [empty] if empty else []
            if start is None or is_answered or empty:
                start, is_answered, is_over, empty, part = place, False, False, None, []
        if message.role == "user" or message.retrieved_contexts:
            part.append(message)
        if start is None or not (message.is_answer or (message.is_empty_reply and not is_over)):
            continue
        turn = Turn(
            start,
            place,
            "\n".join(spoken.text for spoken in part if spoken.role == "user"),
            message.text,
            tuple(dict.fromkeys(text for spoken in part for text in spoken.retrieved_contexts)),
        )
        if message.is_answer:
            turns.append(turn)
            is_answered, is_over, empty = True, not message.tool_calls, None
        else:
            empty = turn
    return [*turns, empty] if empty else turns


def tool_names(messages: Sequence[Message]) -> dict[int, str]:
    """The tools of which messages are results, by their places: of the last call before with that id.

    Example:
        >>> call = ToolCall(id="a", function=FunctionCall(name="find_order"))
        >>> calling = Message(role="assistant", tool_calls=(call,))
        >>> tool_names([calling, Message(role="tool", content="sent", tool_call_id="a")])
        {1: 'find_order'}
    """
    calls: dict[str, str] = {}
    names = {}
    for turn, message in enumerate(messages):
        if message.role == "tool":
            names[turn] = calls.get(message.tool_call_id or "") or message.name or "?"
        calls |= {call.id: call.function.name for call in message.tool_calls}
    return names


def _json_value(value: Any) -> Any:
    from .cell_values import to_json_value  # late: whoever reads a store has no messages

    return to_json_value(value)
