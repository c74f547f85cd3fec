"""Computing over a sample's texts: beside the event loop where these are long."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..eval_sets.sample import Sample
from ..worker_threads import compute_beside

T = TypeVar("T")
P = ParamSpec("P")

_SHORT = 20_000  # characters: a linear pass over as many takes about a millisecond, and a worker costs a tenth of one


async def compute_for(sample: Sample, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a computation over a sample's texts: beside the event loop where these are long."""
    if text_length(sample) <= _SHORT:
        return function(*args, **kwargs)
    return await compute_beside(function, *args, **kwargs)


def text_length(sample: Sample) -> int:
    """Counts the characters of a sample's texts: question, answers, contexts, reference and messages.

    Example:
        >>> text_length(Sample(id="s1", user_input="Is it free?", response="Yes.", retrieved_contexts=("Free.",)))
        20
    """
    texts = [sample.user_input, sample.response, sample.other_response, sample.reference or ""]
    said = [message.text for message in sample.messages] if sample.messages else ()
    return sum(map(len, [*texts, *said, *sample.retrieved_contexts]))
