"""A trace of a tool becomes a sample, by the readers of exported logs."""

from typing import Any

from ..errors import InputError
from ..eval_sets.column_account import SetColumns
from ..eval_sets.logs.trace_row import Trace, build_row
from ..eval_sets.rows import BadRow, Rows
from ..eval_sets.sample import Sample
from ..eval_sets.sample_builder import SampleBuilder
from .origin import ORIGIN, TraceOrigin
from .source import UnreadTrace

_NAME, _PLACE = "trace", "trace 1"
_NO_SCALE = "nothing tells the scale; give the scores a config with a lowest and a highest value"


def build_sample(trace: Trace, origin: TraceOrigin, metadata: dict[str, Any] | None = None) -> Sample | UnreadTrace:
    """Builds the sample of one trace.

    Ratings that name no scale, or are not on it, are left out of it and stand in its metadata, under `unused_ratings`.

    Args:
        trace: The trace, as the readers of exported logs take it; its rating has `rating_min` and `rating_max`.
        origin: Where it was pulled from.
        metadata: More of its metadata.

    Returns:
        The sample, or what keeps the trace from being one.
    """
    more = {**(metadata or {}), ORIGIN: origin.as_json()}
    rating = dict(trace.rating)
    if "human_rating" in rating:
        rating["rating"] = rating.pop("human_rating")
    problem = "" if "rating_min" in rating or not rating else _NO_SCALE
    if not problem:
        outcome = _build(trace._replace(number=1, place=_PLACE, rating=rating))
        if isinstance(outcome, Sample):
            return outcome.model_copy(update={"metadata": {**outcome.metadata, **more}})
        problem = outcome
    if rating:
        outcome = _build(trace._replace(number=1, place=_PLACE, rating={}))
        if isinstance(outcome, Sample):
            more = {"unused_ratings": {**rating, "problem": problem}, **more}
            return outcome.model_copy(update={"metadata": {**outcome.metadata, **more}})
        problem = outcome
    return UnreadTrace(origin.id, origin.time, problem)


def _build(trace: Trace) -> Sample | str:
    row = build_row([trace], _NAME)[-1]
    if isinstance(row, BadRow):
        return _problem(row.error)
    builder = SampleBuilder(Rows(_NAME, _NAME, iter(())), {}, None, SetColumns())
    try:
        return builder.sample(row)
    except InputError as error:
        return _problem(error)


def _problem(error: InputError) -> str:
    text = str(error).removeprefix(f"{_NAME}, {_PLACE}, ")
    return text.replace("; --skip-bad leaves such traces out", "")
