"""What writes scores back to their traces: a sink."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from .source import TraceOrigin


@dataclass(frozen=True, slots=True)
class TraceScore:
    """A score as a sink writes it."""

    key: str  # a hash of run, trace and metric, 32 hexadecimal digits: what is written twice under one is one score
    origin: TraceOrigin  # the trace, span and session that it is about
    name: str  # the metric's name
    value: float  # the value
    low: float | None  # the lowest value that the metric can have; None without one
    high: float | None  # the highest; None without one
    higher_is_better: bool  # the metric's direction
    label: str  # the chosen option of a metric with options, else empty
    reason: str  # why, in a sentence
    judge: str  # the judge's name; empty of a metric that asks none
    prompts: str  # the hash of the prompts that were asked; empty without a judge
    run: str  # the run's id
    sample: str  # the sample's id
    at: str  # when the run was made, in ISO 8601 in UTC

    @property
    def is_of_session(self) -> bool:
        """Whether it is about a session that its tool knows by name."""
        return self.origin.unit == "session" and bool(self.origin.session)


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What became of one score."""

    key: str  # the score's key
    # state: `written`; `updated` where the sink knows that its key was there before; `failed`
    state: Literal["written", "updated", "failed"]
    problem: str = ""  # why it failed and what to do; empty where it did not


class Sink(Protocol):
    """Writes scores to the traces of one project; made like a `Source`, from the entry points `assay.sinks`.

    Writing is idempotent: a score whose key is there is replaced and never doubled, also where an earlier write was
    killed or answered too late. Whoever implements it uses what the tool has for that (an id, an identifier), and
    retries what is worth retrying.
    """

    def write(self, scores: Sequence[TraceScore]) -> Iterator[WriteResult]:
        """Writes scores, and yields one result per score as soon as it is known to be there.

        Raises:
            InputError: Nothing can be written: the server cannot be reached, refuses the key, or has no such project.
        """
        ...


Item = TypeVar("Item")
_MOST_REFUSED = 8  # single items one after the other: then all are refused for one reason


def send_in_halves(
    items: Sequence[Item],
    post: Callable[[Sequence[Item]], str],
    *,
    most: int | None = None,
    is_about_one: Callable[[str], bool] = lambda problem: False,
) -> Iterator[tuple[Item, str]]:
    """Sends items, and yields each with why it was refused, or nothing.

    What is refused as a batch is sent again in halves, down to the single items that are at fault. So an item must be
    one however often it is sent. Where single items are refused one after the other, the rest is given up.
    """
    size = most or max(1, len(items))
    waiting = [list(items[first : first + size]) for first in range(0, len(items), size)][::-1]
    refused, problem = 0, ""
    while waiting:
        batch = waiting.pop()
        if refused < _MOST_REFUSED:
            problem = post(batch)
            if problem and len(batch) > 1:
                half = len(batch) // 2
                waiting += [batch[half:], batch[:half]]
                continue
            refused = refused + 1 if problem and not is_about_one(problem) else 0
        yield from ((item, problem) for item in batch)
