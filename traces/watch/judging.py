"""Who judges the answers of a watch: the judge, in a run per day, and the raters; which answers are drawn for each."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from ...errors import AssayError
from ...eval_sets import Sample
from ...eval_sets.message import Message
from ...judges import Budget
from ...judges.cassette import is_bundled
from ...judges.embedders import load_embedder
from ...metrics import Metric, Score
from ...metrics.catalogue import load_metric, worst_value
from ...metrics.metric import run_to_end
from ...regular_files import read_text_file
from ...runs import Plan, Progress, RunOptions, Store
from ...runs.failures.bad_answers import unanswered_kind
from ...runs.ratings import QueueSettings, RatingQueue
from ...runs.ratings.judgement import queue_ids
from ...runs.score.run_writer import execute
from ...runs.score.scoring_request import ScoringRequest
from ...runs.score.session import OnProgress, StoredRun, score_samples
from ...text.wording import count_of, verb_of
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


def draw_answers(names: Sequence[str], expected: float, *, seed: str) -> tuple[float, set[str]]:
    """Draws answers without replacement, each with the same chance.

    As many are drawn as are expected, rounded up or down. Order and rounding are hashes of the seed and the names, so
    that the same answers give the same draw, in whatever order they come.

    Returns:
        The chance of each, in (0, 1]; and those that are drawn.

    Example:
        >>> chance, drawn = draw_answers(["a", "b", "c", "d"], 2, seed="s")
        >>> chance, len(drawn)
        (0.5, 2)
    """
    if expected >= len(names):
        return 1.0, set(names)
    order = sorted(names, key=lambda name: hash_share(seed, name))
    count = int(expected + hash_share(f"{seed} start", order[0]))
    return expected / len(names), set(order[:count])


def hash_share(seed: str, name: str) -> float:
    """Returns a number in [0, 1) that only depends on a seed and a name, and is as good as random."""
    digest = hashlib.sha256(f"{len(seed)}:{seed}:{name}".encode(errors="surrogatepass")).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


_FIRST_SHARE = 0.5
_DAY = timedelta(days=1)


def pace(per_day: int, used: int, last: datetime | None, now: datetime) -> float:
    """Returns how many of a day's number are due: in proportion to the time since the last step, at most what is left.

    What earlier steps of the day left over is spread over the rest of the day. The first step, which has older answers
    before it, may use half.

    Example:
        >>> noon = datetime(2026, 11, 23, 12, tzinfo=UTC)
        >>> pace(200, 0, None, noon), pace(200, 200, None, noon)
        (100.0, 0.0)
        >>> round(pace(96, 48, noon - timedelta(minutes=15), noon), 2)  # 96 quarters of an hour
        1.0
        >>> pace(200, 0, noon - timedelta(days=1), noon)  # once a day
        200.0
    """
    left = max(0, per_day - used)
    if last is None:
        return min(float(left), per_day * _FIRST_SHARE)
    midnight = datetime.combine(now.date(), time(), UTC)
    gone = max(timedelta(), now - last)
    gone_today = min(gone, now - midnight)
    rest = midnight + _DAY - now
    return min(float(left), max(per_day * (gone / _DAY), left * (gone_today / (gone_today + rest))))


def draw_for_judge(records: WatchRecords, today: str, now: datetime) -> tuple[int, list[str]]:
    """Draws answers for the judge from all that were in no draw yet; returns how many, and what is to be said."""
    settings, answers, notes = records.settings, records.names("undrawn"), list[str]()
    if not answers:
        return 0, notes
    waiting = records.counts()[0]
    used, per_day = records.spending(today).drawn, settings.budget.judged_per_day
    due = pace(per_day, used, records.moment("drawn_at"), now)
    share = settings.sample.share
    if share is not None:
        wanted, due = share * len(answers), float(max(0, per_day - used))
        if wanted > due > 0:
            notes.append(
                f"{share:.0%} of {count_of(len(answers), 'answer')} would be {wanted:.0f}, more than the budget of "
                f"the day has left: {due:.0f}"
            )
        due = min(wanted, due)
    due = max(0.0, due - max(0, waiting - per_day))  # a backlog does not grow
    if due <= 0:
        notes.append(
            f"the budget of {per_day:,} judged answers a day is used up: {count_of(len(answers), 'answer')} "
            f"{verb_of(len(answers), 'is', 'are')} in the draw of the next day"
        )
        return 0, notes
    if share is None and due < min(1, len(answers)):
        return 0, notes  # too soon: a later draw gives each of them a better chance
    chance, drawn = draw_answers(answers, due, seed=f"0 judge {records.watch_id}")
    records.add_draw(chance, answers, drawn, today, now)
    return len(drawn), notes


class DayRun(StoredRun):
    """The record of a day's run, which does not ask again about answers that were given up."""

    def __init__(self, plan: Plan, store: Store, resume: str | None, given_up: set[str], cassette: Path | None) -> None:
        super().__init__(plan, store, resume, cassette=cassette)
        self.given_up = given_up
        self._metrics = set(plan.all_metrics)

    def finished_metrics(self, sample: Sample) -> set[str]:
        """As `StoredRun.finished_metrics`; all of an answer that was given up."""
        return self._metrics if sample.id in self.given_up else super().finished_metrics(sample)


def judge_waiting(
    records: WatchRecords, today: str, counts: StepCounts, on_progress: OnProgress
) -> tuple[AssayError | None, list[str]]:
    """Judges the answers that wait for the judge, the oldest draws first, within what is left of today's budget.

    Replies are in the store before they are scored: after a kill none is asked for again. Returns what ended it early,
    such as `BudgetReached`; and of each answer that has no score now, why.
    """
    problem, failures = None, list[str]()
    for day in records.waiting_days():
        if problem is None:
            problem, reasons = _judge_day(records, day, today, counts, on_progress)
            failures += reasons
    return problem, failures


def _judge_day(
    records: WatchRecords, day: str, today: str, counts: StepCounts, on_progress: OnProgress
) -> tuple[AssayError | None, list[str]]:
    settings = records.settings
    plan = settings.plan(records.watch_id, day)
    row = records.store.newest_run_of(plan.identity)
    names, cassette = records.names("drawn", day), _cassette(settings)
    record = DayRun(plan, records.store, row.id if row else None, set(records.names("given_up", day)), cassette)
    progress = Progress(total=record.count(records.samples(names)))
    budget, note_spending = day_budget(records, today)
    mode = settings.cassette.mode if settings.cassette else "auto"
    options = RunOptions(cassette=cassette, mode=mode, budget=budget)
    problem = None
    try:
        request = ScoringRequest.of_plan(plan, options)
        run_to_end(score_samples(records.samples(names), record, request, progress=progress, on_progress=on_progress))
    except AssayError as error:
        problem = error
    finally:
        note_spending()
        spent = None if budget.unpriced else budget.spent_usd
        counts.usd = None if counts.usd is None or spent is None else counts.usd + spent
    run = records.store.newest_run_of(plan.identity)
    if run is None:  # the judge gave no reply at all
        return problem, []
    scores = {
        name: score for name, metric, score in records.store.scores(run.id, fields=()) if metric == settings.metric
    }
    counts.judged += records.add_scores(day, run.id, scores, tried=problem is None)
    failed = [s.reason for name, s in scores.items() if s.status == "failed" and name not in record.given_up]
    return problem, failed


def score_empty_answers(records: WatchRecords) -> int:
    """Gives the metric's worst value to the empty answers that it skips; returns how many.

    A chatbot that says nothing gave an answer too: without it the mean would rise where it says nothing more often.
    """
    names = records.names("skipped")
    if not names:
        return 0
    worst = None if records.settings.measures_conversations else worst_value(records.settings.metric)
    is_counted = worst is not None
    empty = {sample.id for sample in records.samples(names) if is_counted and unanswered_kind(sample) == "empty"}
    records.end_skipped(names, empty, worst)
    return len(empty)


def day_budget(records: WatchRecords, today: str) -> tuple[Budget, Callable[[], None]]:
    """Makes what is left of a day's budget, which keeps in the store before each call how much may be spent by then."""
    bounds, before = records.settings.budget, records.spending(today)
    budget = Budget(
        None if bounds.usd_per_day is None else max(0.0, bounds.usd_per_day - (before.usd or 0.0)),
        None if bounds.tokens_per_day is None else max(0, bounds.tokens_per_day - before.tokens),
    )

    def note_spending() -> None:
        under_way = budget.under_way
        is_unknown = before.usd is None or bool(budget.unpriced) or under_way.usd is None
        usd = None if is_unknown else (before.usd or 0.0) + budget.spent_usd + (under_way.usd or 0.0)
        records.note_spending(today, usd, before.tokens + budget.spent_tokens + under_way.tokens)

    budget.on_begin = note_spending
    return budget, note_spending


def _cassette(settings: WatchSettings) -> Path | None:
    file = settings.cassette.file if settings.cassette else None
    return None if file is None else Path(file) if is_bundled(file) else settings.path(file)


def queue_source(watch: str) -> str:
    """Returns what the queues of a watch are from, for people."""
    return f"the watch {watch}"


def watch_queues(store: Store, watch: str) -> list[RatingQueue]:
    """Returns the queues of a watch, the newest first."""
    names = queue_ids(store.database, has_pairs=False, source=queue_source(watch))
    return [RatingQueue(store.database, name) for name in names]


def find_open_queue(records: WatchRecords) -> tuple[str, int]:
    """Returns the newest queue in which ratings are asked for, and how many; an empty text and 0 without one."""
    for queue in watch_queues(records.store, records.watch_id):
        done, asked = queue.counts()
        if done < asked:
            return queue.id, asked - done
    return "", 0


def draw_for_raters(records: WatchRecords, today: str, now: datetime) -> int:
    """Draws answers that the judge scored for the raters, and fills the queue."""
    if not records.settings.ratings.raters:
        return 0
    answers = records.names("unqueued")
    due = pace(records.settings.ratings.per_day, records.spending(today).queued, records.moment("rated_at"), now)
    if answers and due >= min(1, len(answers)):  # sooner, the chances would be very small
        chance, drawn = draw_answers(answers, due, seed=f"0 raters {records.watch_id}")
        records.add_rater_draw(chance, answers, drawn, today, now)
    return _fill_queue(records)


def _fill_queue(records: WatchRecords) -> int:
    """Puts what is drawn into the queue; what a killed step has put there already is there once."""
    waiting = records.names("to_queue")
    if not waiting:
        return 0
    options = records.settings.ratings
    low, high = options.levels
    queue_settings = QueueSettings(
        raters=options.raters,
        per_answer=1,
        rating_min=low,
        rating_max=high,
    )
    queues = watch_queues(records.store, records.watch_id)
    queue = next((queue for queue in queues if queue.settings == queue_settings), None)
    guideline = read_text_file(records.settings.path(options.guideline), "the guideline") if options.guideline else ""
    samples = [_unrated(sample) for sample in records.samples(waiting)]
    if queue is None:
        database, source = records.store.database, queue_source(records.watch_id)
        RatingQueue.create(database, samples, queue_settings, source=source, guideline=guideline)
        new = len(samples)
    else:
        new = sum(map(queue.add, samples))
        if guideline:
            queue.change_guideline(guideline)  # the same text changes nothing
    records.note_queued(waiting)
    return new


def _unrated(sample: Sample) -> Sample:
    """The answer without the ratings that it came with, which a rater should not see."""
    messages = tuple(
        Message.model_validate(message.model_dump(exclude={"rating", "ratings"}, exclude_defaults=True))
        for message in sample.messages
    )
    own: dict[str, Any] = {"rating": None, "ratings": {}, "rating_min": 1, "rating_max": 5, "messages": messages}
    return sample.model_copy(update=own)


def read_queue_ratings(records: WatchRecords) -> int:
    """Takes over the ratings of the rating page; returns how many answers are rated for the first time."""
    ratings: dict[str, dict[str, float]] = {}
    agreed: dict[str, float] = {}
    for queue in reversed(watch_queues(records.store, records.watch_id)):  # the newest last: its ratings count
        for rating in queue.ratings():
            if rating.value is not None and not rating.is_repeat:
                ratings.setdefault(rating.sample, {})[rating.rater] = float(rating.value)
        agreed |= {name: value for name, (value, _) in queue.adjudications().items()}
    return records.add_ratings(ratings, agreed)


def reread_annotations(
    records: WatchRecords, source: Source, read_before: Mapping[str, Mapping[str, float]], now: datetime
) -> int:
    """Takes over people's annotations that came since, of the answers of the last days.

    Those of a file are `read_before`, by trace and rater: its pull has read it whole. A server is asked again.
    """
    settings = records.settings
    if settings.ratings.reread is None:
        return 0
    since = now - settings.ratings.reread
    # a rating of one of several traces is none of the conversation
    samples = records.samples_of_traces(since, alone=settings.measures_conversations)
    annotations = dict(read_before)
    for trace in source.read(since, now) if samples and not settings.source_address.is_file else ():
        if isinstance(trace, Sample) and (values := tool_ratings(trace, settings)):
            annotations[trace_id(trace)] = values
    return records.add_ratings({samples[trace]: values for trace, values in annotations.items() if trace in samples})
