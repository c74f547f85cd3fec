"""Which traces of a source are new: for a pull and for a watch."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from ..eval_sets import Sample
from .origin import TraceOrigin
from .source import UnreadTrace

_AT_ONCE = 50  # traces that are looked up together


def trace_id(sample: Sample) -> str:
    """Returns the id of the trace that a sample was made of; of one without an origin its own."""
    origin = TraceOrigin.of_sample(sample)
    return origin.id if origin else sample.id


def new_traces(
    traces: Iterable[Sample | UnreadTrace],
    known: Callable[[Sequence[str]], set[str]],
    on_unread: Callable[[UnreadTrace], None],
    on_again: Callable[[Sample], None] = lambda sample: None,
) -> Iterator[Sample]:
    """Yields the samples of traces that are new; `known` returns which of some ids were pulled before."""
    reading, seen = iter(traces), set[int]()  # hashes of ids
    while part := list(islice(reading, _AT_ONCE)):
        before = known([trace_id(trace) for trace in part if isinstance(trace, Sample)])
        for trace in part:
            if isinstance(trace, UnreadTrace):
                on_unread(trace)
            elif trace_id(trace) in before or hash(trace_id(trace)) in seen:
                on_again(trace)
            else:
                seen.add(hash(trace_id(trace)))
                yield trace
