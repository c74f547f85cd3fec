"""Opik's traces as samples."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.logs.human_ratings import Scale, is_number, make_scale
from ...eval_sets.name_suggestions import quote_names
from ..address import TraceAddress
from ..paging import MOST_KEPT_PAGES, MOST_PAGES, Paging
from ..rest_calls import RefusedRequest
from ..source import UnreadTrace
from ..times import read_utc, write_utc
from ..trace_samples import TraceSamples
from .project import OpikProject
from .trace_reading import read_trace

_PAGE = 100  # traces
_SPANS_PAGE = 500
_DEFINITIONS_PAGE = 100
_LONG = timedelta(minutes=10)  # a trace that took longer is asked for its spans alone
_MARGIN = timedelta(minutes=1)  # of clocks that differ, between a trace and its spans
_OPERATORS = {"name": "=", "thread_id": "=", "environment": "=", "tags": "contains"}
_METADATA = "metadata."
_NO_ID = "a line of Opik's reply without a trace's id: nothing can be read or scored"


class OpikSource:
    """Reads the traces of a project of Opik, the newest first, as its API streams them.

    Feedback scores that people gave in Opik's pages are ratings by rater, on the scale of the feedback definition with
    their name; those of the SDK and of online scoring stay in the metadata.

    Raises:
        UsageError: The package is not installed.
        InputError: The cloud's key is missing.
    """

    def __init__(self, address: TraceAddress) -> None:
        self._project = OpikProject(address)
        self._samples = TraceSamples(address)

    def read(
        self,
        since: datetime | None,
        until: datetime | None,
        filter: Mapping[str, str],  # noqa: A002 - the word of the tools
    ) -> Iterator[Sample | UnreadTrace]:
        """Yields one sample per trace; see `Source`.

        Raises:
            InputError: The server cannot be reached, refuses the key, or has no such project.
            UsageError: An unknown field of the filter.
        """
        unknown = sorted(name for name in filter if name not in _OPERATORS and not name.startswith(_METADATA))
        if unknown:
            names = quote_names([*_OPERATORS, f"{_METADATA}KEY"])
            raise UsageError(f"Opik has no field {quote_names(unknown)} to filter by: use {names}")
        return self._read(since, until or datetime.now(UTC), filter)

    def _read(
        self, since: datetime | None, until: datetime, fields: Mapping[str, str]
    ) -> Iterator[Sample | UnreadTrace]:
        _ = self._project.name
        scales = self._scales()
        seen: set[int] = set()
        for page in self._trace_pages(since, until, fields):
            traces: dict[str, dict[str, Any]] = {}
            for trace in page:
                trace_id = trace.get("id") if isinstance(trace, dict) else None
                if not isinstance(trace_id, str) or not trace_id:
                    yield UnreadTrace("", "", _NO_ID)
                elif hash(trace_id) not in seen:
                    seen.add(hash(trace_id))
                    time = read_utc(trace.get("start_time"))
                    is_in = time is None or ((since is None or time >= since) and time < until)
                    traces |= {trace_id: trace} if is_in else {}
            spans = self._spans(traces)
            for trace_id, trace in traces.items():
                yield self._samples.sample(read_trace(trace, spans.get(trace_id, []), scales))

    def _trace_pages(
        self, since: datetime | None, until: datetime, fields: Mapping[str, str]
    ) -> Iterator[list[dict[str, Any]]]:
        conditions = [("start_time", "<", "", write_utc(until))]
        if since is not None:
            conditions.append(("start_time", ">=", "", write_utc(since)))
        for name, value in fields.items():
            if name.startswith(_METADATA):
                conditions.append(("metadata", "=", name.removeprefix(_METADATA), value))
            else:
                values = [tag.strip() for tag in value.split(",") if tag.strip()] if name == "tags" else [value]
                conditions += [(name, _OPERATORS[name], "", one) for one in values]
        search = self._project.api.traces.search_traces
        yield from self._pages(search, _PAGE, conditions, strip_attachments=True)

    def _pages(
        self, search: Any, limit: int, conditions: Sequence[tuple[str, str, str, str]], **arguments: Any
    ) -> Iterator[list[dict[str, Any]]]:
        """The pages of a search, each after the last id of the one before."""
        from opik.rest_api.types.span_filter_public import SpanFilterPublic
        from opik.rest_api.types.trace_filter_public import TraceFilterPublic

        kind = TraceFilterPublic if search == self._project.api.traces.search_traces else SpanFilterPublic
        filters = [
            kind(field=field, operator=operator, value=value, **({"key": key} if key else {}))
            for field, operator, key, value in conditions
        ]
        is_of_traces = kind is TraceFilterPublic
        what = "traces" if is_of_traces else "spans"
        paging = Paging(self._project.calls.server, what, most=MOST_PAGES if is_of_traces else MOST_KEPT_PAGES)
        last: str | None = None
        while True:
            arguments |= {"last_retrieved_id": last} if last else {}
            try:
                page = self._project.calls.stream(
                    search,
                    project_name=self._project.name,
                    filters=filters,
                    limit=limit,
                    truncate=False,
                    **arguments,
                )
            except RefusedRequest as error:
                raise self._project.explain(error, "does not search") from None
            ids = self._project.read_ids(page, what)
            yield page
            if len(page) < limit or not ids:
                return
            last = ids[-1]
            paging.follow(last, ids)

    def _spans(self, traces: Mapping[str, Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
        """The spans of traces, in the order of their times.

        They are searched for by the time in which the traces ran; a trace that ran long, or of which fewer came than it
        counts, is asked for alone.
        """
        counted = {trace_id: trace for trace_id, trace in traces.items() if trace.get("span_count") != 0}
        short = {trace_id: trace for trace_id, trace in counted.items() if _duration(trace) < _LONG}
        by_trace: dict[str, dict[str, dict[str, Any]]] = {}
        ends = [read_utc(trace.get(side)) for trace in short.values() for side in ("start_time", "end_time")]
        times = [time for time in ends if time is not None]
        if times:
            conditions = [
                ("start_time", ">=", "", write_utc(min(times) - _MARGIN)),
                ("start_time", "<=", "", write_utc(max(times) + _MARGIN)),
            ]
            self._collect(by_trace, short, conditions)
        for trace_id, trace in counted.items():
            count = trace.get("span_count")
            is_whole = isinstance(count, int) and len(by_trace.get(trace_id, {})) >= count
            if not is_whole and (trace_id not in short or isinstance(count, int)):
                self._collect(by_trace, {trace_id: trace}, [], trace_id=trace_id)
        return {
            trace_id: sorted(spans.values(), key=lambda span: str(span.get("start_time") or ""))
            for trace_id, spans in by_trace.items()
        }

    def _collect(
        self,
        by_trace: dict[str, dict[str, dict[str, Any]]],
        traces: Mapping[str, Any],
        conditions: Sequence[tuple[str, str, str, str]],
        **arguments: Any,
    ) -> None:
        for page in self._pages(self._project.api.spans.search_spans, _SPANS_PAGE, conditions, **arguments):
            for span in page:
                if isinstance(span, dict) and span.get("trace_id") in traces:
                    by_trace.setdefault(span["trace_id"], {})[str(span.get("id"))] = span

    def _scales(self) -> dict[str, Scale | None]:
        """The scales of the workspace's feedback definitions, by name."""
        scales: dict[str, Scale | None] = {}
        paging = Paging(self._project.calls.server, "feedback definitions", most=MOST_KEPT_PAGES)
        page = 1
        while True:
            try:
                reply = self._project.calls.call(
                    self._project.api.feedback_definitions.find_feedback_definitions, page=page, size=_DEFINITIONS_PAGE
                )
            except RefusedRequest as error:
                raise self._project.explain(error, "does not list feedback definitions") from None
            definitions = self._project.calls.server.objects(reply, "content", "feedback definitions")
            scales |= {str(item.get("name")): _scale(item) for item in definitions}
            if len(definitions) < _DEFINITIONS_PAGE:
                return scales
            page += 1
            paging.follow(page, (item.get("id") or item.get("name") for item in definitions))


def _scale(definition: Mapping[str, Any]) -> Scale | None:
    details = definition.get("details")
    details = details if isinstance(details, Mapping) else {}
    categories = details.get("categories")
    if isinstance(categories, Mapping):
        values = [value for value in categories.values() if is_number(value)]
        return make_scale(min(values), max(values)) if values else None
    if definition.get("type") == "boolean":
        return 0.0, 1.0
    return make_scale(details.get("min"), details.get("max"))


def _duration(trace: Mapping[str, Any]) -> timedelta:
    begin, end = read_utc(trace.get("start_time")), read_utc(trace.get("end_time"))
    return max(end - begin, timedelta(0)) if begin and end else timedelta(0)
