"""The calls of tools that a conversation should have: read from a sample's metadata, and compared with those made."""

import json
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..value_messages import describe_type

FIELD = "metadata.expected_actions"
_ARGUMENTS = ("kwargs", "arguments", "args")
_CURE = '[{"name": "cancel_order", "kwargs": {"id": "A1"}}], or [] where no call is right'


@dataclass(frozen=True)
class ExpectedAction:
    """A call that should be made."""

    name: str
    arguments: Mapping[str, Any] | None  # its arguments; None where any are right
    # the arguments that may have any value, but must be there
    any_value: frozenset[str] = field(default_factory=frozenset)


def read_expected_actions(values: object) -> list[ExpectedAction]:
    """Reads expected calls: objects with `name` and `kwargs` (or `arguments`, `args`, or OpenAI's `function`).

    Raises:
        ValueError: It is no such list; the message names the field, the entry and the cure.

    Example:
        >>> read_expected_actions([{"name": "cancel_order", "kwargs": {"id": "A1"}}])[0].arguments
        {'id': 'A1'}
    """
    if isinstance(values, str):
        try:
            values = json.loads(values)
        except (ValueError, RecursionError):
            raise ValueError(f"{FIELD} is a text that is no JSON; write {_CURE}") from None
    if not isinstance(values, list | tuple):
        raise ValueError(f"{FIELD} is {describe_type(values)}, not a list; write {_CURE}")
    return [_read_action(value, f"{FIELD}[{place}]") for place, value in enumerate(values)]


def _read_action(value: object, where: str) -> ExpectedAction:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} is {describe_type(value)}, not an object; write {_CURE}")
    inner = value.get("function")
    call = inner if isinstance(inner, Mapping) else value
    name = call.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"{where} has no name; write {_CURE}")
    key = next((key for key in _ARGUMENTS if call.get(key) is not None), None)
    arguments = None if key is None else call[key]
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = None
    if key is not None and not isinstance(arguments, Mapping):
        raise ValueError(f"{where}.{key} is no object of arguments by name; write {_CURE}")
    if value.get("unordered"):
        raise ValueError(f"{where}.unordered: lists are compared in their order; free the argument by any_value")
    free = value.get("any_value", [])
    if not isinstance(free, list | tuple) or not all(isinstance(argument, str) for argument in free):
        raise ValueError(f'{where}.any_value is {describe_type(free)}; write the names of arguments (["note"])')
    return ExpectedAction(name, arguments, frozenset(free))


def canonical(value: Any) -> str:
    """Writes a value so that equal ones are the same text: 1 and 1.0, keys in any order, a JSON text and its value.

    Strings are the same after Unicode NFC and without outer space; true is not 1, and "1" is not 1.

    Example:
        >>> canonical({"b": [1.0], "a": " x "}) == canonical('{"a": "x", "b": [1]}')
        True
    """
    if isinstance(value, str):
        text = unicodedata.normalize("NFC", value).strip()
        if text[:1] in {"{", "["}:
            try:
                return canonical(json.loads(text))
            except ValueError:
                pass
        return json.dumps(text)
    if isinstance(value, Mapping):
        pairs = sorted(
            (json.dumps(unicodedata.normalize("NFC", str(key)).strip()), canonical(inner))
            for key, inner in value.items()
        )
        return "{" + ",".join(f"{key}:{inner}" for key, inner in pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


class CallComparison:
    """Compares calls with expected ones; each value is written only once.

    Raises:
        RecursionError: An argument is nested too deeply.
    """

    def __init__(self, expected: Sequence[ExpectedAction], *, allows_more: bool) -> None:
        self._expected = expected
        self._allows_more = allows_more
        self._wanted = [
            {name: canonical(value) for name, value in arguments.items()}
            if (arguments := action.arguments) is not None
            else None
            for action in expected
        ]
        self._written: dict[tuple[int, str], str] = {}

    def differences(self, place: int, call: int, arguments: Mapping[str, Any] | None) -> list[str]:
        """Names the arguments in which a call differs from an expected one."""
        action, wanted = self._expected[place], self._wanted[place]
        if arguments is None:
            return sorted({*(wanted or ()), *action.any_value}) or ([] if wanted is None else ["(no JSON object)"])
        absent = sorted(name for name in action.any_value if name not in arguments)
        if wanted is None:
            return absent
        names = list(wanted) if self._allows_more else [*wanted, *(name for name in arguments if name not in wanted)]
        others = (name for name in names if name not in action.any_value)
        return absent + [name for name in others if self._differs(place, name, call, arguments)]

    def _differs(self, place: int, name: str, call: int, arguments: Mapping[str, Any]) -> bool:
        wanted = self._wanted[place] or {}
        if name not in wanted or name not in arguments:
            return True
        key = (call, name)
        if key not in self._written:
            self._written[key] = canonical(arguments[name])
        return self._written[key] != wanted[name]


def longest_in_order(candidates: Sequence[Sequence[int]]) -> int:
    """How many can be paired with one of their candidates each, so that left ones and candidates ascend together.

    Example:
        >>> longest_in_order([[1], [0], [2]])
        2
    """
    ends: list[int] = []  # by length, the lowest candidate with which so long a row can end
    for row in candidates:
        for one in sorted(row, reverse=True):
            place = bisect_left(ends, one)
            ends[place : place + 1] = [one]
    return len(ends)


def match_most(candidates: Sequence[Sequence[int]]) -> dict[int, int]:
    """Pairs as many as possible: each left one with one of its candidates, no candidate twice.

    Left ones are taken in order, and one that has a candidate keeps one.

    Returns:
        The candidate of each left one that has one.

    Example:
        >>> match_most([[0, 1], [0]])
        {0: 1, 1: 0}
    """
    owner: dict[int, int] = {}
    holds: dict[int, int] = {}
    for left in range(len(candidates)):
        came_from: dict[int, int] = {}  # candidate: who wants it
        queue = [left]
        free: int | None = None
        for wanting in queue:  # grows: whoever owns a wanted candidate looks for another
            fresh = [one for one in candidates[wanting] if one not in came_from]
            came_from |= dict.fromkeys(fresh, wanting)
            free = next((one for one in fresh if one not in owner), None)
            if free is not None:
                break
            queue += [owner[one] for one in fresh]
        while free is not None:  # each on the way back gives up what it holds, the last one holds nothing yet
            wanting = came_from[free]
            owner[free] = wanting
            holds[wanting], free = free, holds.get(wanting)
    return dict(sorted(holds.items()))
