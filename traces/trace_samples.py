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


class TraceSamples:
    """Makes the samples of the traces of one source."""

    def __init__(self, address: TraceAddress) -> None:
        self._address = address
        self._rows = Rows(str(address), "trace", Repeatable(lambda: iter(())))

    def sample(self, trace: Trace) -> Sample | UnreadTrace:
        """Makes the sample of a trace; `UnreadTrace` of one without a question or an answer."""
        time = read_utc(None if trace.time is None else str(trace.time))
        began = "" if time is None else time.isoformat()
        origin = TraceOrigin(
            str(self._address),
            str(trace.id),
            trace.span,
            "" if trace.session is None else str(trace.session),
            began,
        )
        for name, text in (("id", origin.id), ("session", origin.session), ("span", origin.span)):
            try:
                check_characters(text)
            except ValueError as error:
                return self._unread(trace, began, f"{name}: {error}")
        rating = dict(trace.rating)
        if "human_rating" in rating:  # the name of a column, where a file is read
            rating["rating"] = rating.pop("human_rating")
        trace = trace._replace(rating=rating)
        try:
            for row in build_row([trace._replace(session=None)], str(self._address)):  # an answer of its session
                if isinstance(row, BadRow):
                    raise row.error
                metadata = {**row.values.get("metadata", {}), ORIGIN: origin.as_json()}
                # one per sample: ids are those of the tool, and nothing is counted by column
                builder = SampleBuilder(self._rows, {}, None, ColumnRoles())
                values = row.values | {"metadata": metadata, "group": origin.session or None}
                sample = builder.sample(row._replace(place=_ROW, values=values))
                return sample or self._unread(trace, began, "holds no question")
        except (InputError, ValueError, RecursionError) as error:  # what was logged may be anything
            places = (f"{self._address}, {place}, " for place in (trace.place, _ROW))
            reason = reduce(str.removeprefix, places, str(error))
            return self._unread(trace, began, reason or type(error).__name__)
        return self._unread(trace, began, "holds no question and answer")

    def _unread(self, trace: Trace, began: str, reason: str) -> UnreadTrace:
        return UnreadTrace(str(trace.id).encode("utf-8", "backslashreplace").decode(), began, reason)
