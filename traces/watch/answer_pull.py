"""Pulling what is new: each answer once, scored by what costs nothing, in memory that does not grow with them."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

from ...eval_sets import Sample
from ...judges import Budget
from ...judges.embedders import load_embedder
from ...metrics import Metric, Score
from ...metrics.catalogue import load_metric
from ...metrics.metric import run_to_end
from ...runs.score.execute import execute
from ..conversations import GAP, join_sessions
from ..cursor import NewTraces, trace_id
from ..source import Source, TraceOrigin, UnreadTrace, read_utc
from .watch_settings import WatchSettings
from .watch_state import StepCounts, WatchRecords, WatchRow

_AT_ONCE = 200  # answers that are scored and written together
_OVERLAP = timedelta(hours=1)  # how late a trace may come
_CONCURRENCY = 4


class AnswerPull:
    """One pull of a watch."""

    def __init__(self, records: WatchRecords, source: Source, now: datetime, counts: StepCounts) -> None:
        self._records, self._now = records, now
        self._new = NewTraces(source, records.settings.source_address, records.known_traces)
        self._first_open: datetime | None = None  # when the first conversation began that may go on
        self._counts = counts
        self.annotations: dict[str, dict[str, float]] = {}  # of traces that were pulled before, by trace and rater
        self.unread_files: list[UnreadTrace] = []  # the files of traces that cannot be read
        self.first_unread: UnreadTrace | None = None  # the first trace that is no sample, or line of a file
        self.open_sessions = 0  # conversations that may go on, and are pulled when they are over
        self.other_scale = 0  # answers whose ratings are on another scale than the watch's, and are left out

    @property
    def unknown_fields(self) -> list[str]:
        """The fields of the filter that no trace had."""
        return sorted(self._new.filter.unknown)

    def pull(self, row: WatchRow) -> None:
        """Pulls the answers of what is new: of a server since the newest that was pulled, less the overlap.

        The cursor moves when everything is kept: after a kill the same traces are read again, and each is kept once.
        """
        settings = self._records.settings
        first = settings.first_moment(read_utc(row.began) or self._now)
        pulled_until = None if settings.source_address.is_file else read_utc(row.pulled_until)
        since = first if pulled_until is None else pulled_until - _OVERLAP
        metric = load_metric(settings.cheap, None, load_embedder(settings.embedder, None, Budget()))
        traces = self._samples(self._new.read(since, self._now, settings.filter))
        samples = self._conversations(traces) if settings.by == "session" else traces
        while part := list(islice(samples, _AT_ONCE)):
            self._add(part, metric)
        if self._new.newest is not None:
            self._records.end_pull(min(self._new.newest, self._first_open or self._now))

    def _samples(self, traces: Iterator[tuple[Sample | UnreadTrace, bool]]) -> Iterator[Sample]:
        """The traces that were not pulled before, also of an empty answer; those that cannot be read are counted.

        Of the others of a file, which is read whole, people's annotations are kept: they may be new.
        """
        settings = self._records.settings
        is_reread = settings.source_address.is_file and settings.ratings.reread is not None
        for trace, is_new in traces:
            if isinstance(trace, UnreadTrace):
                if trace.is_file:
                    self.unread_files.append(trace)
                    continue
                self.first_unread = self.first_unread or trace
                self._counts.unread += is_new
            elif is_new:
                yield trace
            elif is_reread:
                annotations = tool_ratings(trace, settings)
                self.annotations |= {trace_id(trace): annotations} if annotations else {}

    def _conversations(self, traces: Iterator[Sample]) -> Iterator[Sample]:
        """The conversations that are over, and the answers of no session."""
        last_times: list[datetime] = []
        joined = join_sessions(
            traces,
            is_later_part=lambda session: bool(self._records.known_answers([session])),
            on_open=last_times.append,
        )
        for sample in joined:
            last = last_times[-1] if last_times else None
            origin = TraceOrigin.of_sample(sample)
            if last is not None and origin is not None and origin.session and self._now - last < GAP:
                self.open_sessions += 1
                began = read_utc(origin.time) or last
                self._first_open = min(began, self._first_open or began)
            else:
                yield sample

    def _add(self, samples: list[Sample], metric: Metric) -> None:
        samples = [_writable(sample) for sample in samples]
        cheap: dict[str, float | None] = {}

        def keep(sample: Sample, scores: dict[str, Score]) -> None:
            cheap[sample.id] = next((score.value for score in scores.values()), None)

        run_to_end(execute(samples, [metric], keep, concurrency=_CONCURRENCY))
        self._counts.pulled += self._records.add_answers(
            [(sample, cheap.get(sample.id)) for sample in samples], self._now
        )
        ratings: dict[str, dict[str, float]] = {}
        for sample in samples:
            own = tool_ratings(sample, self._records.settings)
            self.other_scale += own is None
            if own:
                ratings[sample.id] = own
        self._counts.rated += self._records.add_ratings(ratings)


def tool_ratings(sample: Sample, settings: WatchSettings) -> dict[str, float] | None:
    """Reads people's annotations, by rater: of a conversation those of the turn that is judged, the last one.

    Where that turn has none, and where the metric measures the conversation, those of the conversation itself count.
    None of annotations that are on another scale than the watch's.
    """
    values = dict(sample.ratings) or ({} if sample.rating is None else {"annotation": sample.rating})
    if sample.turn is not None and not settings.measures_conversations:
        message = sample.messages[sample.turn]
        if message.human_rating is not None:
            values = dict(message.ratings) or {"annotation": message.human_rating}
    return None if values and (sample.rating_min, sample.rating_max) != settings.ratings.levels else values


def _writable(sample: Sample) -> Sample:
    """The sample as it can be written as JSON: half characters, which logs may hold, are replaced."""
    try:
        sample.model_dump_json()
    except ValueError:
        content = json.dumps(sample.model_dump(mode="json"), ensure_ascii=False).encode("utf-8", "replace")
        return Sample.model_validate(json.loads(content))
    return sample
