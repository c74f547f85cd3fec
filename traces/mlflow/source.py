"""Reads the traces of an experiment in MLflow as samples."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import ceil
from typing import Any

from ...value_messages import shorten
from ..address import TraceAddress
from ..http_client import Paging
from ..source import Traces, UnreadTrace
from ..trace_samples import TraceSamples
from .server import MlflowServer
from .trace_reading import PeopleReader, Span, SpanReader, read_trace, trace_time

_PAGE = 100  # traces without their spans
_BATCH = 10  # traces with their spans: more the server does not return at once
_BATCH_BYTES = 30_000_000


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
        for page in self._pages(first, end):
            for batch in _batches(page):
                yield from self._read_batch(batch, people, spans)

    def _pages(self, first: int, end: int) -> Iterator[list[Mapping[str, Any]]]:
        """Yields the traces of a window page by page; what arrives or goes meanwhile shifts none of them.

        A page begins at the time of the last trace before it, and leaves out what was seen of that time: MLflow's own
        pages are places in a list that grows, and the later ones are slow.
        """
        seen: set[str] = set()
        paging = Paging(self._server.client.server, "traces")
        place = ""
        while True:
            token = {"page_token": place} if place else {}
            reply = self._server.search(f"timestamp_ms >= {first} AND timestamp_ms < {end}", _PAGE, **token)
            traces, following = reply["traces"], str(reply.get("next_page_token") or "")
            yield [trace for trace in traces if str(trace.get("trace_id")) not in seen]
            if not following or not traces:
                return
            last = _milliseconds(trace_time(traces[-1]))
            ids = {str(trace.get("trace_id")) for trace in traces if _milliseconds(trace_time(trace)) == last}
            is_same = last <= first
            seen, place, first = (seen | ids if is_same else ids), following if is_same else "", max(last, first)
            paging.follow((first, place))

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


def _batches(infos: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Yields traces in batches that fit in memory, by the sizes that MLflow tells."""
    batch: list[Mapping[str, Any]] = []
    size = 0
    for info in infos:
        text = str((info.get("trace_metadata") or {}).get("mlflow.trace.sizeBytes") or "")
        own = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
        if batch and (len(batch) == _BATCH or size + own > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(info)
        size += own
    if batch:
        yield batch


def _problem_before_reading(info: Mapping[str, Any]) -> str:
    """Why a trace is not read at all; empty where it may be."""
    state = info.get("state")
    if state == "IN_PROGRESS":
        return "it is still in progress; pull again when it has ended"
    if state == "ERROR":
        return "the chatbot failed (state ERROR), so there is no answer to judge"
    scorer = (info.get("tags") or {}).get("mlflow.trace.sourceScorer")
    return f"it is the trace of MLflow's scorer `{shorten(str(scorer))}`, not of the chatbot" if scorer else ""
