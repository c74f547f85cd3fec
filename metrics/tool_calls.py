"""Tool calls: precision, recall and order of the calls made, against those expected."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from ..eval_sets.message import Message
from ..eval_sets.sample import Sample
from ..text.wording import count_of
from ..value_messages import shorten
from .expected_actions import FIELD, CallComparison, ExpectedAction, longest_in_order, match_most, read_expected_actions
from .f_score import precision, recall, score_by_mode
from .metric import ComputedMetric, check_choice
from .score import Score, failed, scored, skipped
from .tool_results import failed_calls

Mode = Literal["f1", "precision", "recall", "exact"]
ExtraArguments = Literal["refused", "allowed"]
LOOK_UPS = (
    "get_*+search_*+list_*+find_*+check_*+look_up_*+lookup_*+read_*+fetch_*+query_*+retrieve_*+show_*+view_*+describe_*"
    "+count_*+validate_*+verify_*+calculate+calculate_*+calculator+think+search+lookup+retrieve+query"
)
"""Names of tools that change nothing, `*` for any text."""
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_NAME_SIGNS = re.compile(r"[\W_]+")
_MOST_COMPARED = 20  # calls of one name that are compared to say which argument is wrong


class MadeCall(NamedTuple):
    """A call that was made: its turn, the tool's name, the arguments, and whether its result was an error."""

    turn: int
    name: str
    arguments: dict[str, Any] | None
    text: str
    has_failed: bool


def made_calls(messages: Sequence[Message]) -> list[MadeCall]:
    """Lists the calls of a conversation, in order."""
    failures = failed_calls(messages)
    return [
        MadeCall(turn, call.function.name, call.function.values, call.function.arguments, (turn, place) in failures)
        for turn, message in enumerate(messages)
        for place, call in enumerate(message.tool_calls)
    ]


class ToolCalls(ComputedMetric):
    """Precision, recall and order of the calls of tools, against `metadata.expected_actions`; no judge.

    Formula: each expected call is matched with at most one call of the same name and arguments, as many as possible.
    Precision = matched / calls made that count, recall = matched / expected, F1 = 2 matched / (made + expected).
    Range: [0, 1]. Nothing expected and nothing made is 1. Skipped without `expected_actions` (an empty list is one),
    and where the mode's formula has nothing to divide by; failed where the list cannot be read.

    Arguments are compared by value: 1 is 1.0, JSON text is its value, keys are in any order, strings are the same after
    Unicode NFC and without outer space; any value, but one, where the expected call says `"any_value": [names]`, any
    arguments where it has none. A call that looks up (`ignore`) and was not expected does not count as made, and
    neither does one whose result is an error, unless it is the only match of an expected call: so a failed call that
    was made again costs nothing.

    Ragas's `ToolCallF1` takes calls as a set, so that of two equal calls one counts; `ToolCallAccuracy` is 0 where the
    names are not in the same order. Both count each look-up and each failed call.

    Args:
        mode: `f1`, `precision`, `recall`, or `exact`: 1 where all expected calls and no others were made, in order.
        extra_arguments: Whether arguments that the expected call does not name are `refused` or `allowed`.
        ignore: Names of tools that look up, joined by `+`, `*` for any text; `none` for none: then each call counts.

    Raises:
        ValueError: Another value for `mode` or `extra_arguments`.
    """

    name = "tool_calls"
    needs = ("messages", FIELD)
    measures = "conversation"

    def __init__(
        self,
        mode: Mode = "f1",
        extra_arguments: ExtraArguments = "refused",
        ignore: str | None = LOOK_UPS,
    ) -> None:
        check_choice("mode", mode, Mode)
        check_choice("extra_arguments", extra_arguments, ExtraArguments)
        self.mode: Mode = mode
        self.extra_arguments: ExtraArguments = extra_arguments
        self.ignore = tuple(name.strip() for name in (ignore or "").split("+") if name.strip())

    def compute(self, sample: Sample) -> Score:
        """The score; the evidence names what is missing, what was not expected, and each wrong argument."""
        values = sample.metadata["expected_actions"]
        try:
            expected = read_expected_actions(values)
            return self._compare(expected, made_calls(sample.messages))
        except ValueError as error:
            return failed(str(error))
        except RecursionError:
            return failed(f"the arguments of a call, or {FIELD}, are nested too deeply to be compared; flatten them")

    def _compare(self, expected: list[ExpectedAction], made: list[MadeCall]) -> Score:
        comparison = CallComparison(expected, allows_more=self.extra_arguments == "allowed")
        places: dict[str, list[int]] = {}
        for place, action in enumerate(expected):
            places.setdefault(action.name, []).append(place)
        numbers = sorted(range(len(made)), key=lambda number: made[number].has_failed)  # a call with effect comes first
        candidates = [
            [
                place
                for place in places.get(made[number].name, [])
                if not comparison.differences(place, number, made[number].arguments)
            ]
            for number in numbers
        ]
        matches = {numbers[left]: place for left, place in match_most(candidates).items()}
        usable = [number for number in range(len(made)) if number in matches or not made[number].has_failed]
        fitting = dict(zip(numbers, candidates, strict=True))
        is_ordered = longest_in_order([fitting[number] for number in usable]) == len(matches)
        others = [number for number in range(len(made)) if number not in matches and not made[number].has_failed]
        others = [number for number in others if not is_named(made[number].name, self.ignore)]
        missing = sorted(set(range(len(expected))) - set(matches.values()))
        wrong = _wrong_arguments(expected, made, missing, others, comparison)
        counts = (len(matches), len(others), len(missing))
        in_order = None if len(matches) < 2 else is_ordered
        evidence = {
            "expected": len(expected),
            "made": len(matches) + len(others),
            "matched": len(matches),
            "precision": precision(counts[0], counts[1]),
            "recall": recall(counts[0], counts[2]),
            "in_order": in_order,
            "missing": [_action_evidence(expected[place]) for place in missing if place not in wrong],
            "unexpected": [
                _call_evidence(made[number])
                for number in others
                if number not in {number for number, _ in wrong.values()}
            ],
            "wrong_arguments": [
                _call_evidence(made[number])
                | {"wrong": [_difference(name, expected[place], made[number]) for name in names]}
                for place, (number, names) in wrong.items()
            ],
            "failed": [_call_evidence(call) for number, call in enumerate(made) if call.has_failed],
            "not_counted": len(made) - len(matches) - len(others),
        }
        value = self._value(counts, in_order)
        reason = _reason(counts, evidence)
        if value is None:
            return skipped(f"{reason}: {self.mode} has nothing to divide by", evidence)
        return scored(value, reason, evidence)

    def _value(self, counts: tuple[int, int, int], in_order: bool | None) -> float | None:
        matched, others, missing = counts
        if not any(counts):
            return 1.0
        if self.mode == "exact":
            return float(not others and not missing and in_order is not False)
        return score_by_mode(self.mode, matched, others, missing)


def is_named(tool: str, patterns: Sequence[str]) -> bool:
    """Whether a tool has one of some names, `*` for any text; words are told apart in any spelling.

    Example:
        >>> is_named("getOrder", ["get_*"]), is_named("get-order", ["get_*"]), is_named("forget_me", ["get_*"])
        (True, True, False)
    """
    plain = _NAME_SIGNS.sub("_", _CAMEL.sub("_", tool)).casefold()
    return any(fnmatchcase(name, pattern.casefold()) for name in (tool.casefold(), plain) for pattern in patterns)


def _wrong_arguments(
    expected: Sequence[ExpectedAction],
    made: Sequence[MadeCall],
    missing: Sequence[int],
    others: Sequence[int],
    comparison: CallComparison,
) -> dict[int, tuple[int, list[str]]]:
    """For each missing call, the call of the same name that differs in the fewest arguments, and in which."""
    left = list(others)
    wrong = {}
    for place in missing:
        same = [number for number in left if made[number].name == expected[place].name][:_MOST_COMPARED]
        if same:
            names = {number: comparison.differences(place, number, made[number].arguments) for number in same}
            nearest = min(same, key=lambda number: len(names[number]))
            wrong[place] = (nearest, names[nearest])
            left.remove(nearest)
    return wrong


def _action_evidence(action: ExpectedAction) -> dict[str, Any]:
    return {"name": action.name, "arguments": None if action.arguments is None else dict(action.arguments)}


def _call_evidence(call: MadeCall) -> dict[str, Any]:
    return {"turn": call.turn, "name": call.name, "arguments": call.text if call.arguments is None else call.arguments}


def _difference(name: str, action: ExpectedAction, call: MadeCall) -> dict[str, Any]:
    """An argument that is wrong, with both values; a value that is not there is left out."""
    sides = {"expected": action.arguments or {}, "made": call.arguments or {}}
    return {"argument": name} | {side: values[name] for side, values in sides.items() if name in values}


def _reason(counts: tuple[int, int, int], evidence: dict[str, Any]) -> str:
    matched, others, missing = counts
    if not any(counts):
        return "no call was expected, and none was made"
    reason = f"{matched} of {count_of(matched + missing, 'expected call')} made, {others} not expected"
    if evidence["in_order"] is False:
        reason += ", in another order"
    if evidence["wrong_arguments"]:
        first = evidence["wrong_arguments"][0]
        names = ", ".join(shorten(one["argument"]) for one in first["wrong"][:3])
        reason += f"; {shorten(first['name'])} in message {first['turn']} has another {names}"
    elif evidence["missing"]:
        reason += f"; missing: {shorten(evidence['missing'][0]['name'])}"
    elif evidence["unexpected"]:
        first = evidence["unexpected"][0]
        reason += f"; not expected: {shorten(first['name'])} in message {first['turn']}"
    return reason
