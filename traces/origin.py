"""Where a sample was pulled from: what a score needs to find its way back."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from ..eval_sets import Sample

ORIGIN = "trace"
"""The key of a sample's metadata with its origin."""


@dataclass(frozen=True, slots=True)
class TraceOrigin:
    """Where a sample was pulled from; in a sample's `metadata` as an object under `trace`."""

    address: str  # the address of the project, as it was typed
    id: str  # the trace's id; of a conversation that of its last trace (each message has its own, `trace_id`)
    span: str = ""  # the id of the span or observation that holds the answer; empty where the tool has none
    session: str = ""  # the id of the session; empty where there is none
    time: str = ""  # when the trace began, in ISO 8601 with its offset, in UTC
    unit: str = "trace"  # or "session"
    extent: str = ""  # `session` of a trace that is alone in its session; a score of a conversation is about that

    @classmethod
    def of_sample(cls, sample: Sample) -> Self | None:
        """Reads the origin of a sample; None of one that was not pulled."""
        values = sample.metadata.get(ORIGIN)
        if not isinstance(values, Mapping) or not values.get("address") or not values.get("id"):
            return None
        return cls(**{name: str(values.get(name, "")) for name in cls.__slots__})

    def as_json(self) -> dict[str, Any]:
        """Returns the object for the metadata."""
        return {name: value for name, value in asdict(self).items() if value}
