"""What writes scores back to their traces: a sink."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from .trace_score import TraceScore


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What became of one score.

    Attributes:
        key: The score's key.
        state: `written` where it is new there, `updated` where its key was there before, `failed`.
        problem: Why it failed and what to do; empty where it did not.
    """

    key: str
    state: Literal["written", "updated", "failed"]
    problem: str = ""


class Sink(Protocol):
    """Writes scores to the traces of one project; made like a `Source`, from the entry points `assay.sinks`.

    Writing is idempotent: a score whose key is there is replaced and never doubled, also where an earlier write was
    killed or answered too late. Whoever implements it uses what the tool has for that (an id, an identifier), and
    retries what is worth retrying.
    """

    def write(self, scores: Sequence[TraceScore]) -> Iterator[WriteResult]:
        """Writes scores, and yields one result per score as soon as it is known to be there.

        Args:
            scores: A batch, of at most a few hundred.

        Raises:
            InputError: Nothing can be written: the server cannot be reached, refuses the key, or has no such project.
        """
        ...
