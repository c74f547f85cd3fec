"""A trace as the readers of exported logs have it becomes a sample with its origin."""

from functools import reduce

from ..errors import InputError
from ..eval_sets import Sample
from ..eval_sets.column_roles import ColumnRoles
from ..eval_sets.logs.trace_row import Trace, build_row
from ..eval_sets.rows import BadRow, Repeatable, Rows
from ..eval_sets.sample_builder import SampleBuilder
from ..value_messages import check_characters
from .address import TraceAddress
from .source import ORIGIN, TraceOrigin, UnreadTrace, read_utc

_ROW = "trace 1"


def make_sample(trace: Trace, address: TraceAddress) -> Sample | UnreadTrace:
    """Makes the sample of a trace of an address; `UnreadTrace` of one without a question or an answer."""
    time = read_utc(None if trace.time is None else str(trace.time))
    session = "" if trace.session is None else str(trace.session)
    origin = TraceOrigin(str(address), str(trace.id), trace.span, session, "" if time is None else time.isoformat())
    rating = dict(trace.rating)
    if "human_rating" in rating:  # the name of a column, where a file is read
        rating["rating"] = rating.pop("human_rating")
    reason = "holds no question and answer"
    try:
        for name, text in (("id", origin.id), ("session", session), ("span", origin.span)):
            try:
                check_characters(text)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        for row in build_row([trace._replace(session=None, rating=rating)], str(address)):  # an answer of its session
            if isinstance(row, BadRow):
                raise row.error
            metadata = {**row.values.get("metadata", {}), ORIGIN: origin.as_json()}
            # one per sample: ids are those of the tool, and nothing is counted by column
            builder = SampleBuilder(Rows(str(address), "trace", Repeatable(lambda: iter(()))), {}, None, ColumnRoles())
            values = row.values | {"metadata": metadata, "group": session or None}
            if sample := builder.sample(row._replace(place=_ROW, values=values)):
                return sample
            reason = "holds no question"
    except (InputError, ValueError, RecursionError) as error:  # what was logged may be anything
        places = (f"{address}, {place}, " for place in (trace.place, _ROW))
        reason = reduce(str.removeprefix, places, str(error)) or type(error).__name__
    return UnreadTrace(origin.id.encode("utf-8", "backslashreplace").decode(), origin.time, reason)
