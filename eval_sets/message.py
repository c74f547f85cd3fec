"""A message of a conversation, in OpenAI's chat format; and whether messages make a conversation."""

import json
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, field_validator

from ..value_messages import shorten

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
        return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)

    @property
    def values(self) -> dict[str, Any] | None:
        """The arguments by name; None where they are no JSON object."""
        try:
            values = json.loads(self.arguments or "{}")
        except (ValueError, RecursionError):
            return None
        return values if isinstance(values, dict) else None


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

    @property
    def text(self) -> str:
        """The content; empty where there is none."""
        return self.content or ""

    @property
    def is_answer(self) -> bool:
        """Whether it is an answer of the assistant to the customer: a text, not only calls of tools."""
        return self.role == "assistant" and bool(self.text.strip())


class Turn(NamedTuple):
    """A question and its answer in a conversation.

    Attributes:
        start: The place of the question's first message, counted from 0.
        answer: The place of the answer's message.
        question: The messages of the customer since the answer before, one per line.
        response: The answer.
        contexts: What was retrieved for it.
    """

    start: int
    answer: int
    question: str
    response: str
    contexts: tuple[str, ...]


def find_turns(messages: Sequence[Message]) -> list[Turn]:
    """Finds the turns: each answer of the assistant that follows a message of the customer.

    Two answers with no message of the customer between them have the same question; a greeting of the assistant before
    the first question is no turn.

    Example:
        >>> spoken = [("user", "Hi."), ("user", "Is it free?"), ("assistant", "Yes.")]
        >>> find_turns([Message(role=role, content=text) for role, text in spoken])[0].question
        'Hi.\\nIs it free?'
    """
    turns: list[Turn] = []
    start: int | None = None
    is_answered = False
    for place, message in enumerate(messages):
        if message.role == "user" and message.text.strip():
            if start is None or is_answered:
                start, is_answered = place, False
        elif message.is_answer and start is not None:
            part = messages[start : place + 1]
            turns.append(
                Turn(
                    start,
                    place,
                    "\n".join(spoken.text for spoken in part if spoken.role == "user"),
                    message.text,
                    tuple(dict.fromkeys(text for spoken in part for text in spoken.retrieved_contexts)),
                )
            )
            is_answered = True
    return turns


def find_disorder(messages: Sequence[Message]) -> str:
    """Says what is wrong with the order of messages, and the cure; empty where nothing is.

    Example:
        >>> find_disorder([Message(role="tool", content="3", tool_call_id="a")])
        'turn 0 is the result of the call "a", which no message before it makes; add the call, or correct tool_call_id'
    """
    calls: dict[str, int] = {}
    results: dict[str, int] = {}
    for place, message in enumerate(messages):
        if message.role != "assistant" and message.tool_calls:
            return f"turn {place} calls tools, though its role is {message.role}; only the assistant calls tools"
        for call in message.tool_calls:
            calls[call.id] = place
        if message.role != "tool":
            continue
        if message.tool_call_id is None:
            return f"turn {place} is a tool's result without tool_call_id; name the call that it answers"
        name = shorten(message.tool_call_id)
        if message.tool_call_id not in calls:
            return (
                f'turn {place} is the result of the call "{name}", which no message before it makes; add the call, or '
                "correct tool_call_id"
            )
        if results.get(message.tool_call_id, -1) > calls[message.tool_call_id]:
            return f'turn {place} is a second result of the call "{name}"; leave one of them out'
        results[message.tool_call_id] = place
    return ""
