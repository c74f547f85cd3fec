"""The messages of a sample: read from any form in which they are logged, and joined with the turn under test."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from ..errors import InputError
from ..text.language_detection import detect_language
from ..text.wording import count_of, list_first, verb_of
from ..value_messages import check_characters, describe_first_mistake, describe_type, shorten
from .cell_values import find_documents
from .message import MESSAGE_ALIASES, Message, find_turns
from .message_forms import for_customers, read_forms, text_of_null_reply
from .message_times import DATE_ORDERS, is_before, readings
from .rows import BadRow, Row


class ThreadError(ValueError):
    """Messages make no conversation."""

    def __init__(self, problem: str, turn: int | None = None, field: str = "messages") -> None:
        super().__init__(problem if turn is None else f"turn {turn} {problem}")
        self.turn = turn
        self.problem = problem
        self.field = field


def read_thread(values: object) -> tuple[Message, ...]:
    """Reads messages in OpenAI's form, or as chat logs and tools write them; what they say beside it is kept.

    What a retriever returned (role `context`, or `tool` where no tool was called) becomes `retrieved_contexts` of the
    message after it. A tool's result that names no call is that of the first call without one.

    Raises:
        ThreadError: An entry is no message, a role is unknown, or the order is impossible; the text names the turn,
            counted from 0, and the cure.

    Example:
        >>> thread = read_thread([{"from": "human", "value": "Free?"}, {"role": "assistant", "content": "Yes."}])
        >>> [(message.role, message.content) for message in thread]
        [('user', 'Free?'), ('assistant', 'Yes.')]
    """
    if not isinstance(values, list | tuple) or not values:
        kind = "is empty" if isinstance(values, list | tuple) else f"is {describe_type(values)}, not a list"
        raise ThreadError(f'{kind}; write [{{"role": "user", "content": "..."}}, {{"role": "assistant", ...}}]')
    reader = _ThreadReader()
    for place, value in enumerate(values):
        try:
            reader.add(value, place)
        except ThreadError:
            raise
        except ValidationError as error:
            raise ThreadError(f"cannot be read: {describe_first_mistake(error)}", place) from None
        except ValueError as error:
            raise ThreadError(str(error), place) from None
    reader.end()
    if not reader.messages:  # nothing but what a retriever returned
        raise ThreadError("holds no message of a user; add it, or leave the conversation out")
    return tuple(reader.messages)


class TimeOrder:
    """Puts the parts of conversations in the order of their times, and accounts for those that stood otherwise.

    Example:
        >>> order, chat = TimeOrder(), [[{"role": "assistant", "content": "Yes.", "time": "2026-03-01 10:01"}]]
        >>> order.sort([*chat, [{"role": "user", "content": "Free?", "time": "2026-03-01 10:00"}]], "line 2")
        [1, 0]
        >>> order.notes()
        ['1 conversation stands newest first, or in no order of time, and is read oldest first: line 2']
    """

    def __init__(self) -> None:
        self._sorted: dict[str, None] = {}  # the places of conversations; a set may be read more than once

    def sort(self, parts: Sequence[Sequence[object]], place: str) -> list[int] | None:
        """Finds the order by their times of the parts of the conversation at a place, where they stand in another one.

        A part is a message, or a question with its answer, which stay in their order. Parts that stand newest first are
        turned round, and any others sorted where no two have one time. None where they stand in order, where a time is
        missing, and where nothing is answered then. Raises `ThreadError` where the order depends on which is the day
        and which the month.
        """
        times = [readings(time_text(part[-1])) for part in parts]
        common = {*DATE_ORDERS}.intersection(*times) if times else ()
        orders = {_order([time[name] for time in times]) for name in common}
        if len(orders) > 1:
            raise ThreadError(
                "has times that are in one order read day first and in another read month first; write the dates as "
                "2026-04-30"
            )
        order = list(orders.pop()) if orders else []
        with suppress(ThreadError):
            if order != sorted(order) and find_turns(read_thread([one for number in order for one in parts[number]])):
                self._sorted[place] = None
                return order
        return None

    def notes(self) -> list[str]:
        """Says which conversations are read in the order of their times."""
        if not self._sorted:
            return []
        stand = count_of(len(self._sorted), "conversation stands", "conversations stand")
        read = f"{verb_of(len(self._sorted), 'is', 'are')} read oldest first"
        return [f"{stand} newest first, or in no order of time, and {read}: {list_first(list(self._sorted), 5)}"]


def time_text(value: object) -> str:
    """The time of a message as a text; empty where it has none."""
    fields = value if isinstance(value, Mapping) else vars(value) if hasattr(value, "__dict__") else {}
    time = next((fields[name] for name in ("time", *MESSAGE_ALIASES["time"]) if fields.get(name)), "")
    return time.isoformat() if isinstance(time, date) else str(time)


def _order(times: Sequence[datetime]) -> tuple[int, ...]:
    """The places of times from the earliest to the latest; empty where they do not tell."""
    if len({time.tzinfo is None for time in times}) > 1:
        return ()
    places = range(len(times))
    if all(earlier <= later for earlier, later in pairwise(times)):
        return tuple(places)
    if all(earlier >= later for earlier, later in pairwise(times)):
        return tuple(reversed(places))
    return tuple(sorted(places, key=times.__getitem__)) if len({*times}) == len(times) else ()


class _ThreadReader:
    """Joins messages with what was retrieved for them, and results of tools with their calls."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._calls: dict[str, bool] = {}  # whether each call waits for its result, the latest last
        self._latest: tuple[int, str] | None = None  # the place and the time of the latest message with one
        self._documents: list[str] = []
        self._retrieval: list[Any] = []

    def add(self, value: object, place: int) -> None:
        """Adds a logged message; raises `ThreadError` where it cannot stand here."""
        if isinstance(value, Message):
            others = value.model_extra or {}
            if (
                value.role == "assistant"
                and value.content is None
                and not (value.tool_calls or others.get("content_parts"))
            ):
                value = value.model_copy(update={"content": text_of_null_reply(others)})
            self._append(value, place)
            return
        for fields in read_forms(value, place):
            is_result = fields["role"] == "tool" and fields.get("tool_call_id") is None
            if fields["role"] == "context" or (is_result and not self._calls):
                self._documents += find_documents(fields.get("content"))
                rest = {name: held for name, held in fields.items() if name != "content" or not isinstance(held, str)}
                if rest != {"role": "context"}:
                    self._retrieval.append(rest)
                continue
            if is_result:
                fields["tool_call_id"] = next((call for call, is_open in self._calls.items() if is_open), None)
            self._append(Message.model_validate(fields), place)

    def end(self) -> None:
        """Joins what was retrieved after the last message with it."""
        if (self._documents or self._retrieval) and self.messages:
            self.messages[-1] = self._with_documents(self.messages[-1], is_before=False)

    def _append(self, message: Message, place: int) -> None:
        if problem := self._find_problem(message):
            raise ThreadError(problem, place)
        if self._documents or self._retrieval:
            message = self._with_documents(message)
        if message.role == "tool" and message.tool_call_id is not None:
            self._calls[message.tool_call_id] = False
        for call in message.tool_calls:
            self._calls.pop(call.id, None)
            self._calls[call.id] = True
        if message.time and readings(message.time):
            self._latest = place, message.time
        self.messages.append(message)

    def _find_problem(self, message: Message) -> str:
        """Why a message cannot follow those before it; "" where it can."""
        if message.role != "assistant" and message.tool_calls:
            return f"calls tools, though its role is {message.role}; only the assistant calls tools"
        if message.content is None and not message.tool_calls and not (message.model_extra or {}).get("content_parts"):
            return 'has no content and calls no tool; leave it out, or write "content": ""'
        if message.role == "tool" and not self._calls.get(message.tool_call_id or ""):
            return self._call_problem(message.tool_call_id)
        if self._latest and message.time and is_before(readings(message.time), readings(self._latest[1])):
            turn, latest = self._latest
            problem = f"is of {shorten(message.time)}, before turn {turn} ({shorten(latest)})"
            return f"{problem}; sort the messages by their time, or correct it"
        return ""

    def _call_problem(self, call: str | None) -> str:
        """Why a tool's result cannot stand where no call of this id waits for it."""
        if call is None:
            return "is a tool's result without tool_call_id, and no call waits for one; name the call that it answers"
        if call in self._calls:
            return f'is a second result of the call "{shorten(call)}"; leave one of them out'
        problem = f'is the result of the call "{shorten(call)}", which no message before it makes'
        return f"{problem}; add the call, or correct tool_call_id"

    def _with_documents(self, message: Message, *, is_before: bool = True) -> Message:
        own = message.retrieved_contexts
        contexts = (*self._documents, *own) if is_before else (*own, *self._documents)
        changes: dict[str, Any] = {"retrieved_contexts": contexts}
        if self._retrieval:
            changes["retrieval"] = list(self._retrieval)
        self._documents, self._retrieval = [], []
        return Message.model_validate(message.model_dump() | changes)


def join_turn(values: Mapping[str, Any]) -> dict[str, Any]:
    """Joins the messages of a sample with its question and answer: the turn under test is one of the messages.

    `metadata.history` holds the messages before the turn, where there are no `messages`; it becomes part of them.
    """
    joined = dict(values)
    if not joined.get("messages"):
        if joined.get("messages") is not None and not {"user_input", "response"} & joined.keys():
            read_thread(joined["messages"])  # which says that it is empty
        return _join_history(joined)
    messages = list(read_thread(joined["messages"]))
    question, answer = _check_turn(joined.get("user_input"), joined.get("response"))
    if not (question or "").strip() and not (answer or "").strip():
        question = answer = None
    is_asked = messages[-1].role == "user" and question is not None and question.endswith(messages[-1].text)
    asked = "\n".join(message.text for message in messages if message.role == "user" and message.text.strip())
    is_silent = (
        not (answer or "").strip()
        and question in {None, asked}
        and not any(turn.response.strip() for turn in find_turns(messages))
    )
    if answer is not None and not is_silent and (is_asked or turn_under_test(messages, answer) is None):
        _add_turn(messages, question, answer)
    joined["messages"] = tuple(messages)
    turns = find_turns(messages)
    if answer is not None:
        place = turn_under_test(messages, answer)
        turns = [turn for turn in turns if turn.answer == place]
    elif question is not None:
        turns = [turn for turn in turns if turn.question == question]
    if not turns and question is not None and answer is None and find_turns(messages):
        raise ThreadError(f'holds no turn with the question "{shorten(question)}"; correct user_input, or leave it out')
    if not turns:  # the assistant never answered: an answer all the same, and an empty one
        if not asked and question is None:
            raise ThreadError("holds no message of a user; add it, or leave the conversation out")
        return joined | {"user_input": asked if question is None else question, "response": answer or ""}
    last = turns[-1]
    joined["user_input"] = last.question if question is None else question
    joined["response"] = last.response if answer is None else answer
    if not joined.get("retrieved_contexts") and last.contexts:
        joined["retrieved_contexts"] = last.contexts
    return joined


def _join_history(values: dict[str, Any]) -> dict[str, Any]:
    metadata, question, answer = (values.get(name) for name in ("metadata", "user_input", "response"))
    history = metadata.get("history") if isinstance(metadata, Mapping) else None
    if not history or not isinstance(question, str) or not isinstance(answer, str):
        return values
    try:
        messages = list(read_thread(for_customers(history)))
    except ThreadError:
        return values  # of another form: it stays where it was
    _check_turn(question, answer)
    turns = find_turns(messages)
    is_last = bool(turns) and messages[turns[-1].answer] is messages[-1]
    if not is_last or (turns[-1].question, turns[-1].response) != (question, answer):
        _add_turn(messages, question, answer)
    rest = {key: value for key, value in metadata.items() if key != "history"} if isinstance(metadata, Mapping) else {}
    return values | {"metadata": rest, "messages": tuple(messages)}


def _check_turn(question: Any, answer: Any) -> tuple[str | None, str | None]:
    """The question and the answer under test; raises `ThreadError` where one is no text that a message can hold."""
    for name, text in (("user_input", question), ("response", answer)):
        if not isinstance(text, str | None):
            raise ThreadError(f"is {describe_type(text)}, not a text; write it as one", field=name)
        try:
            check_characters(text or "")
        except ValueError as error:
            raise ThreadError(str(error), field=name) from None
    return question, answer


def _add_turn(messages: list[Message], question: str | None, answer: str) -> None:
    """Adds the turn under test, whose question may be the last message."""
    is_asked = bool(messages) and messages[-1].role == "user"
    if question is not None and not (is_asked and question.endswith(messages[-1].text)):
        messages.append(Message(role="user", content=question))
    messages.append(Message(role="assistant", content=answer))


def turn_under_test(messages: Sequence[Message], response: str) -> int | None:
    """Finds the place of the answer under test among messages: the last with its text; None where there is none."""
    return next(
        (place for place, m in reversed([*enumerate(messages)]) if m.role == "assistant" and m.content == response),
        None,
    )


def thread_language(messages: Sequence[Message]) -> str:
    """Detects the language that customer and chatbot speak, in all their messages."""
    speakers = ("user", "assistant")
    return detect_language(*("\n".join(m.text for m in messages if m.role == speaker) for speaker in speakers))


def conversation_row(
    conversation: str, messages: list[Any], rows: list[Row], name: str, beside: Mapping[str, Any] | None = None
) -> Row | BadRow:
    """Builds the row of a conversation out of messages that stand in rows of their own."""
    first = rows[0]
    try:
        thread: tuple[Message, ...] = read_thread(messages)
    except ThreadError as error:
        place = first.place if error.turn is None else rows[error.turn].place
        return BadRow(first.number, InputError(f"{name}, {place}, conversation {conversation}: {error}"))
    return Row(first.number, first.place, {"id": conversation, "messages": thread, **(beside or {})})
