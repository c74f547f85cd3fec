"""What reads traces: a source; and where a sample of one was pulled from, so that a score finds its way back."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Protocol, Self

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


@dataclass(frozen=True, slots=True)
class UnreadTrace:
    """A trace that is no sample."""

    id: str  # its id
    time: str  # when it began, in ISO 8601 in UTC; empty where that is unknown
    reason: str  # what is missing and what to do, for a person
    is_file: bool = False  # whether it is a whole file that cannot be read: traces may be in it


Traces = Iterator[Sample | UnreadTrace]
"""What a source reads."""


class Source(Protocol):
    """Reads the traces of one project.

    A class that is registered among the entry points `assay.sources` under the scheme of its addresses is made with a
    `TraceAddress`; keys come from the tool's own environment variables.

    Whoever implements it raises `InputError` or `UsageError` for a wrong key, a server that does not answer and a
    project that is not there, each with what to do; waits and asks again where the tool says that it is asked too
    often; and holds at most a page of traces in memory.
    """

    def read(self, since: datetime | None, until: datetime | None) -> Traces:
        """Yields one sample per trace, in the order of the times at which they began where the tool can do that.

        The sample has the question, the answer, the contexts of its retrievers, the calls of tools (as `messages`,
        where there is more than a question and an answer), people's annotations and feedback as `ratings` by rater, the
        session as `group`, the model and the prompt's version in the metadata as `model` and `prompt_version`, its
        `TraceOrigin` under `trace`, and every other field in the metadata.

        Args:
            since: The first moment at which a trace may have begun, with its zone; None for all.
            until: The first moment at which one may no longer have begun; None for now.

        Raises:
            InputError: The server cannot be reached, refuses the key, or has no such project.
        """
        ...
