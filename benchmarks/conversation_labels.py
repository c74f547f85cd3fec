"""The labels of the bundled conversations, and what each kind of planted fault means in them."""

from collections.abc import Callable, Mapping
from typing import Literal

import checkout  # noqa: F401
from pydantic import BaseModel, ConfigDict

from assay.eval_sets import Sample


class RequestLabel(BaseModel):
    """A request of the customer.

    Attributes:
        text: The request.
        met: Whether it was met at the end.
        turn: The place of the answer that met it; None where it was not met.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    met: bool
    turn: int | None


class RuleLabel(BaseModel):
    """A rule that was broken.

    Attributes:
        rule: The rule, as the policy has it.
        turn: The place of the message that broke it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: str
    turn: int


class Labels(BaseModel):
    """What its writer says of a conversation; places are counted from 0 with the system message.

    Attributes:
        requests: The customer's requests.
        handover: Whether it was handed over, and rightly so.
        asked_again: The answers that ask for what the customer had said.
        repeated: The messages of the customer that repeat an earlier question.
        contradictions: Pairs of answers of which the later one contradicts the earlier one.
        broken_rules: The rules of the policy that were broken.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    requests: tuple[RequestLabel, ...]
    handover: Literal["right", "missing", "needless", "none_needed"]
    asked_again: tuple[int, ...]
    repeated: tuple[int, ...]
    contradictions: tuple[tuple[int, int], ...]
    broken_rules: tuple[RuleLabel, ...]


def read_labels(sample: Sample) -> Labels:
    """Reads the labels of a bundled conversation.

    Args:
        sample: The conversation.
    """
    return Labels.model_validate(sample.metadata["labels"])


def has_expected_calls(sample: Sample, labels: Labels) -> bool:
    """Says whether the calls made are those of a chatbot without faults, in any order; `labels` is not looked at."""
    made = [(call.function.name, call.function.values) for message in sample.messages for call in message.tool_calls]
    expected = [(action["name"], action["kwargs"]) for action in sample.metadata["expected_actions"]]
    return sorted(map(repr, made)) == sorted(map(repr, expected))


FAULTS: Mapping[str, Callable[[Sample, Labels], bool]] = {
    "unresolved": lambda sample, labels: any(not request.met for request in labels.requests),
    "handover_missing": lambda sample, labels: labels.handover == "missing",
    "handover_needless": lambda sample, labels: labels.handover == "needless",
    "asked_again": lambda sample, labels: bool(labels.asked_again),
    "contradiction": lambda sample, labels: bool(labels.contradictions),
    "policy_broken": lambda sample, labels: bool(labels.broken_rules),
    "wrong_tool": lambda sample, labels: not has_expected_calls(sample, labels),
    "wrong_argument": lambda sample, labels: not has_expected_calls(sample, labels),
}
"""Whether a conversation has a fault of a kind by its labels: planted, or as a consequence of the planted one."""
