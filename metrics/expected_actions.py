"""The calls of tools that a conversation should have: read from a sample's metadata, and compared with those made."""

import json
import unicodedata
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
    unordered: bool | frozenset[str] = False  # the arguments whose lists may be in any order; True for all
    # the arguments that may have any value, but must be there
    any_value: frozenset[str] = field(default_factory=frozenset)

    def may_reorder(self, argument: str) -> bool:
        """Whether the lists of an argument may be in any order."""
        return self.unordered if isinstance(self.unordered, bool) else argument in self.unordered


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
    unordered = value.get("unordered", False)
    if not isinstance(unordered, bool):
        unordered = _names(unordered, f"{where}.unordered", "true, or the names of arguments")
    any_value = _names(value.get("any_value", []), f"{where}.any_value", "the names of arguments")
    return ExpectedAction(name, arguments, unordered, any_value)


def _names(values: object, where: str, wanted: str) -> frozenset[str]:
    if isinstance(values, list | tuple) and all(isinstance(name, str) for name in values):
        return frozenset(values)
    raise ValueError(f'{where} is {describe_type(values)}; write {wanted} (["passengers"])')


def canonical(value: Any, *, is_unordered: bool = False) -> str:
    """Writes a value so that equal ones are the same text: 1 and 1.0, keys in any order, a JSON text and its value.

    Strings are the same after Unicode NFC and without outer space; true is not 1, and "1" is not 1.

    Example:
        >>> canonical({"b": [1.0], "a": " x "}) == canonical('{"a": "x", "b": [1]}')
        True
        >>> canonical([1, 2]) == canonical([2, 1]), canonical([1, 2], is_unordered=True) == canonical([2, 1])
        (False, False)
    """
    if isinstance(value, str):
        text = unicodedata.normalize("NFC", value).strip()
        if text[:1] in {"{", "["}:
            try:
                return canonical(json.loads(text), is_unordered=is_unordered)
            except ValueError:
                pass
        return json.dumps(text)
    if isinstance(value, Mapping):
        pairs = sorted(
            (json.dumps(unicodedata.normalize("NFC", str(key)).strip()), canonical(inner, is_unordered=is_unordered))
            for key, inner in value.items()
        )
        return "{" + ",".join(f"{key}:{inner}" for key, inner in pairs) + "}"
    if isinstance(value, list | tuple):
        parts = [canonical(inner, is_unordered=is_unordered) for inner in value]
        return "[" + ",".join(sorted(parts) if is_unordered else parts) + "]"
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
            {name: canonical(value, is_unordered=action.may_reorder(name)) for name, value in arguments.items()}
            if (arguments := action.arguments) is not None
            else None
            for action in expected
        ]
        self._written: dict[tuple[int, str, bool], str] = {}

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
        may_reorder = self._expected[place].may_reorder(name)
        key = (call, name, may_reorder)
        if key not in self._written:
            self._written[key] = canonical(arguments[name], is_unordered=may_reorder)
        return self._written[key] != wanted[name]


def match_in_order(
    matches: Mapping[int, int], candidates: Mapping[int, Sequence[int]], preferred: Sequence[int]
) -> dict[int, int] | None:
    """Pairs as many calls in the order in which they are expected: which of two equal calls is which cannot be told.

    Returns:
        The place of each call, both ascending; None where the paired ones, or their places, have no such order.

    Example:
        >>> match_in_order({0: 1, 1: 0}, {0: [0, 1], 1: [0, 1]}, [0, 1])
        {0: 0, 1: 1}
    """
    last, pairs = -1, dict[int, int]()
    for call in sorted(matches):
        last = min((place for place in candidates[call] if place > last), default=-1)
        if last < 0:
            break
        pairs[call] = last
    if len(pairs) == len(matches):
        return pairs
    pairs, left = {}, iter(preferred)
    for place in sorted(matches.values()):
        call = next((one for one in left if place in candidates[one]), -1)
        if call < 0:
            return None
        pairs[call] = place
    return pairs


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
