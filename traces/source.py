"""What reads traces: a source."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..eval_sets import Sample


@dataclass(frozen=True, slots=True)
class UnreadTrace:
    """A trace that is no sample."""

    id: str  # its id
    time: str  # when it began, in ISO 8601 in UTC; empty where that is unknown
    reason: str  # what is missing and what to do, for a person
    is_lost_file: bool = (
        False  # whether it is no trace but a file, or a part of one, that cannot be read: traces may be in it
    )


class Source(Protocol):
    """Reads the traces of one project.

    A class that is registered among the entry points `assay.sources` under the scheme of its addresses is made with a
    `TraceAddress`; keys come from the tool's own environment variables.

    Whoever implements it raises `InputError` or `UsageError` for a wrong key, a server that does not answer and a
    project that is not there, each with what to do; waits and asks again where the tool says that it is asked too
    often; and holds at most a page of traces in memory.
    """

    def read(
        self,
        since: datetime | None,
        until: datetime | None,
        filter: Mapping[str, str],  # noqa: A002 - the word of the tools
    ) -> Iterator[Sample | UnreadTrace]:
        """Yields one sample per trace, in the order of the times at which they began where the tool can do that.

        The sample has the question, the answer, the contexts of its retrievers, the calls of tools (as `messages`,
        where there is more than a question and an answer), people's annotations and feedback as `ratings` by rater, the
        session as `group`, the model and the prompt's version in the metadata as `model` and `prompt_version`, its
        `TraceOrigin` under `trace`, and every other field in the metadata.

        Args:
            since: The first moment at which a trace may have begun, with its zone; None for all.
            until: The first moment at which one may no longer have begun; None for now.
            filter: Field -> value that a trace must have (a tag, a user, an environment, a name): the tool's names.

        Raises:
            InputError: The server cannot be reached, refuses the key, or has no such project.
            UsageError: An unknown field of the filter.
        """
        ...
