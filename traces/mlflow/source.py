"""Reads the traces of an experiment in MLflow as samples."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from math import ceil
from typing import Any

from ...value_messages import shorten
from ..address import TraceAddress
from ..source import Traces, UnreadTrace
from ..trace_samples import TraceSamples
from .server import MlflowServer
from .trace_reading import PeopleReader, Span, SpanReader, read_trace, trace_time

_PAGE = 100  # traces without their spans
_BATCH = 10  # traces with their spans: more the server does not return at once


class MlflowSource:
    """Reads the traces of one experiment."""

    def __init__(self, address: TraceAddress) -> None:
        self._server = MlflowServer(address)
        self._samples = TraceSamples(address)

    def read(self, since: datetime | None, until: datetime | None) -> Traces:
        """Yields one sample per trace, in the order of the times at which they began; see `Source`."""
        end = _milliseconds(until or datetime.now(UTC))
        people, spans = PeopleReader(self._server), SpanReader(self._server)
        first = 0 if since is None else _milliseconds(since)
        window = f"timestamp_ms >= {first} AND timestamp_ms < {end}"
        for page in self._server.search_pages(window, _PAGE):
            for start in range(0, len(page), _BATCH):
                yield from self._read_batch(page[start : start + _BATCH], people, spans)

    def _read_batch(self, infos: Sequence[Mapping[str, Any]], people: PeopleReader, spans: SpanReader) -> Traces:
        problems = {str(info.get("trace_id")): _problem_before_reading(info) for info in infos}
        wanted = [info for info in infos if not problems[str(info.get("trace_id"))]]
        loaded = spans.load(wanted)
        for info in infos:
            name = str(info.get("trace_id"))
            content: Sequence[Span] | str = problems[name] or loaded[name]
            if isinstance(content, str):
                yield UnreadTrace(name, trace_time(info).isoformat(), content)
            else:
                yield self._samples.sample(read_trace(info, content, people))


def _milliseconds(moment: datetime) -> int:
    """The first whole millisecond that is not before a moment: MLflow keeps no smaller parts."""
    since_epoch = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return ceil((since_epoch.days * 86_400 + since_epoch.seconds) * 1000 + since_epoch.microseconds / 1000)


def _problem_before_reading(info: Mapping[str, Any]) -> str:
    """Why a trace is not read at all; empty where it may be."""
    state = info.get("state")
    if state == "IN_PROGRESS":
        return "it is still in progress; pull again when it has ended"
    if state == "ERROR":
        return "the chatbot failed (state ERROR), so there is no answer to judge"
    scorer = (info.get("tags") or {}).get("mlflow.trace.sourceScorer")
    return f"it is the trace of MLflow's scorer `{shorten(str(scorer))}`, not of the chatbot" if scorer else ""
