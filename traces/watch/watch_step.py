"""The steps of a watch: pull, draw, judge, push, rate, look, raise alarms. Each part may be killed and done again."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from ...errors import AssayError, BudgetReached
from ...judges.secrets import Scrubber
from ...meta_eval.estimate import Estimate
from ...meta_eval.monitoring.look import Look
from ...metrics.catalogue import higher_is_better, worst_value
from ...presentation.texts import one_line
from ...runs import Store
from ...runs.score.session import OnProgress
from ...runs.store.store import answer_url
from ...text.wording import count_of, verb_of
from ..address import TraceAddress, open_sink, open_source
from ..push import PushRequest, push_scores
from ..sink import Sink
from ..source import Source, utc_text
from .alarms import AlarmAnswer, AlarmMessage, deliver_alarm
from .judging import (
    AnswerPull,
    draw_for_judge,
    draw_for_raters,
    find_open_queue,
    judge_waiting,
    read_queue_ratings,
    reread_annotations,
    score_empty_answers,
)
from .watch_look import LookAt, look_at_answers, read_production_answers
from .watch_settings import WatchSettings, describe_bound
from .watch_state import (
    StepCounts,
    StoredAlarm,
    StoredLook,
    WatchRecords,
    WatchRow,
    hold_watch,
    open_watch,
)

_REREAD_SECONDS = 86_400
_LONGEST_REASON = 300  # characters of why an answer has no score
_NAMED = 3  # files that cannot be read
_LONGEST_TEXT = 2_000  # characters of a question or an answer in an alarm


@dataclass(frozen=True, slots=True)
class StepTools:
    """What a step, and the loop of steps, use of the world."""

    open_source: Callable[[TraceAddress], Source] = open_source  # opens what reads the traces of an address
    open_sink: Callable[[str], Sink] = open_sink  # opens what writes scores to an address
    look: LookAt = look_at_answers  # estimates from all answers so far
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)  # the present moment, in UTC
    # shows how the judge goes on
    show_progress: Callable[[], AbstractContextManager[OnProgress]] = lambda: nullcontext(lambda _: None)
    sleep: Callable[[float], None] = time.sleep  # waits so many seconds
    on_trouble: Callable[[str], None] = lambda _: None  # called with what failed and is tried again, for a person


@dataclass(slots=True)
class StepReport:
    """What one step did, for whoever shows it."""

    watch: WatchRow  # the watch
    stored: StoredLook  # the look that it ended with
    standing: list[StoredAlarm] = field(default_factory=list)  # the alarms that stand
    fired: list[int] = field(default_factory=list)  # the numbers of those that fired at this step
    cleared: list[StoredAlarm] = field(default_factory=list)  # the alarms that cleared at it
    notes: list[str] = field(default_factory=list)  # what a person should know, in sentences
    problems: list[str] = field(default_factory=list)  # what failed and is tried again by the next step
    queue: str = ""  # the queue in which answers wait for raters; empty without one
    to_rate: int = 0  # how many ratings are still asked for in it
    run: str = ""  # the run with most of the answers since the first alarm that fired at it; empty without one


class WatchStep:
    """One step; the watch must be held by this process (`hold_watch`)."""

    def __init__(self, settings: WatchSettings, store: Store, tools: StepTools | None = None) -> None:
        self._settings, self._store, self._tools = settings, store, tools or StepTools()
        self._now = self._tools.clock()
        self._row = open_watch(store, settings, self._now)
        self._records = WatchRecords(store, self._row.id, settings)
        self._counts = StepCounts()
        self._started = time.monotonic()
        self._notes: list[str] = []
        self._problems: list[str] = []

    def take(self) -> StepReport:
        """Takes the step."""
        try:
            return self._take()
        except AssayError as error:
            self._records.note("problem", str(error))
            raise

    def _take(self) -> StepReport:
        counts, today, metric = self._counts, self._now.date().isoformat(), self._settings.metric
        source = self._tools.open_source(self._settings.source_address)
        annotations = self._pull(source)
        counts.drawn, notes = draw_for_judge(self._records, today, self._now)
        self._notes += notes
        waiting_before = self._records.counts()[0]
        with self._tools.show_progress() if waiting_before else nullcontext(lambda _: None) as on_progress:
            problem, failures = judge_waiting(self._records, today, counts, on_progress)
        if problem:
            self._note_judge(problem)
        elif failures:
            self._problems.append(
                f"{count_of(len(failures), 'answer')} got no score ({one_line(failures[0], _LONGEST_REASON)}); what "
                "has failed three times is given up"
            )
        counts.judged += score_empty_answers(self._records)
        if empty := self._records.count_empty():
            self._notes.append(
                f"{count_of(empty, 'empty answer counts', 'empty answers count')} as {worst_value(metric):g}, the "
                f"worst value of {metric}"
            )
        self._push()
        self._rate(source, annotations, today)
        counts.waiting, counts.undrawn = self._records.counts()
        counts.failed = max(0, waiting_before - counts.waiting - counts.judged)
        counts.seconds = round(time.monotonic() - self._started, 3)
        return self._look()

    def _pull(self, source: Source) -> dict[str, dict[str, float]]:
        """Pulls what is new, and returns the annotations of a file's other traces."""
        pull = AnswerPull(self._records, source, self._now, self._counts)
        pull.pull(self._row)
        if files := pull.unread_files:
            named = "; ".join(
                f"{one_line(file.id)} {one_line(file.reason, _LONGEST_REASON)}" for file in files[:_NAMED]
            )
            more = f"; and {len(files) - _NAMED:,} more" if len(files) > _NAMED else ""
            self._problems.append(f"{count_of(len(files), 'file')} could not be read: {named}{more}")
        if unread := pull.first_unread:
            self._notes.append(f"not read: {one_line(unread.id)}: {one_line(unread.reason, _LONGEST_REASON)}")
        if pull.unknown_fields:
            self._notes.append(f"no trace of this step has {', '.join(pull.unknown_fields)}, which `filter:` asks for")
        if pull.other_scale:
            low, high = self._settings.ratings.levels
            self._notes.append(
                f"the ratings of {count_of(pull.other_scale, 'answer')} are left out, which are not on the scale "
                f"{low}-{high} of this watch"
            )
        if pull.open_sessions:
            self._notes.append(
                f"{count_of(pull.open_sessions, 'conversation')} may go on, and will be pulled when "
                f"{verb_of(pull.open_sessions, 'it is', 'they are')} over"
            )
        return pull.annotations

    def _note_judge(self, problem: AssayError) -> None:
        waiting = self._records.counts()[0]
        left = f"{count_of(waiting, 'drawn answer')} {verb_of(waiting, 'waits', 'wait')}"
        if isinstance(problem, BudgetReached):
            self._notes.append(f"the judge's budget of the day is used up ({problem}): {left} for the next day")
        else:
            self._problems.append(f"the judge: {problem}; {left} for the next step")

    def _push(self) -> None:
        address = self._settings.source if self._settings.push is True else self._settings.push
        if not address:
            return
        try:
            for run in self._records.unpushed_runs(address):
                request = PushRequest(metrics=(self._settings.metric,), to=address)
                result = push_scores(self._store, self._store.run(run), request, open_place=self._tools.open_sink)
                self._counts.pushed += result.written + result.updated
                self._counts.push_failed += result.failed
                self._problems += [f"push to {address}: {problem}" for problem in result.problems]
        except AssayError as error:
            self._problems.append(f"push to {address}: {error}")

    def _rate(self, source: Source, annotations: dict[str, dict[str, float]], today: str) -> None:
        """Fills the raters' queue, and takes over their ratings."""
        counts, records = self._counts, self._records
        try:
            counts.queued = draw_for_raters(records, today, self._now)
            counts.rated += read_queue_ratings(records)
            last = records.moment("reread_at")
            is_file = self._settings.source_address.is_file
            if last is not None and not is_file and abs((self._now - last).total_seconds()) < _REREAD_SECONDS:
                return
            if last is not None:  # else what was pulled just now came with its annotations
                counts.rated += reread_annotations(records, source, annotations, self._now)
            records.note("reread_at", utc_text(self._now))
        except AssayError as error:
            self._problems.append(f"ratings: {error}")

    def _look(self) -> StepReport:
        answers, first_day, chosen = read_production_answers(self._records)
        if chosen:
            self._notes.append(
                f"the ratings of {count_of(chosen, 'answer')} are not used: people rated them in the tool, and the "
                "draw for the raters had left them out; leave out `ratings.raters`, and all count"
            )
        look = self._tools.look(answers, self._settings, first_day)
        changes = self._change_alarms(look, first_day)
        stored = StoredLook(0, utc_text(self._now), look, first_day.isoformat(), self._counts)
        number = self._records.end_step(stored, changes, has_webhook=self._settings.webhook is not None)
        self._deliver()
        if self._problems:
            self._records.note("problem", "; ".join(self._problems))
        return self._report(number, {alarm: message.event for alarm, message in changes})

    def _change_alarms(self, look: Look, first_day: date) -> list[tuple[int, AlarmMessage]]:
        """The alarms that fire and clear, each with its number.

        One fires where a bound is broken that no standing alarm is about, and clears where its bound is kept again, or
        is no longer in the watch file.
        """
        alarms = self._records.alarms(self._row.id)
        standing = {alarm.bound: alarm for alarm in alarms if alarm.stands}
        states = {
            describe_bound(state.bound): (
                *(state.broken, state.sentence or "The bound is kept again.", state.estimate),
                "" if state.since is None else (first_day + timedelta(days=state.since)).isoformat(),
            )
            for state in look.bounds
        }
        for bound in [bound for bound in standing if bound not in states]:
            states[bound] = (False, "The watch file no longer has this bound.", Estimate(None), "")
        changes: list[tuple[int, AlarmMessage]] = []
        number = max((alarm.number for alarm in alarms), default=0)
        for bound, (is_broken, sentence, estimate, since) in states.items():
            alarm = standing.get(bound)
            if is_broken == (alarm is not None):
                continue
            number += is_broken
            own, event = (number, "fired") if alarm is None else (alarm.number, "cleared")
            message = AlarmMessage(
                id=f"{self._row.id}:{own}:{event}",
                watch=self._row.name,
                event="fired" if is_broken else "cleared",
                bound=bound,
                sentence=sentence,
                since=since if alarm is None else alarm.since,
                value=estimate.value,
                low=estimate.low,
                high=estimate.high,
                answers=self._answers_to_read(since) if is_broken else (),
                page=self._settings.page or "",
                at=utc_text(self._now),
            )
            changes.append((own, message))
        return changes

    def _answers_to_read(self, since: str) -> tuple[AlarmAnswer, ...]:
        """The worst answers, each text on one line, without secrets of the environment, and cut where it is long."""
        metric, scrub = self._settings.metric, Scrubber().scrub
        answers = []
        for answer in self._records.worst_answers(self._row.id, since, higher_is_better=higher_is_better(metric)):
            (sample,) = self._records.samples([answer.sample])
            reason, link = "", ""
            if answer.run is not None:
                scores = self._store.scores(answer.run, answer.sample)
                reason = next((score.reason for _, name, score in scores if name == metric), "")
                link = self._link(answer.run, answer.sample)
            texts = (sample.user_input, sample.response, reason)
            question, text, reason = (one_line(scrub(own), _LONGEST_TEXT) for own in texts)
            answers.append(AlarmAnswer(answer.trace, question, text, answer.judged, reason, link))
        return tuple(answers)

    def _link(self, run: str, sample: str) -> str:
        page = self._settings.page
        return "" if page is None else f"{page.rstrip('/')}{answer_url(run, sample)}"

    def _deliver(self) -> None:
        """Delivers what waits, also of earlier steps; a kill between sending and noting it sends it again."""
        for alarm, message in self._records.waiting_messages():
            try:
                if self._settings.webhook is not None:
                    deliver_alarm(message, self._settings.webhook_url)
                self._records.end_message(alarm, message.event)
            except AssayError as error:
                self._problems.append(f"alarm {alarm} to {self._settings.webhook_shown}: {error}")

    def _report(self, number: int, events: dict[int, str]) -> StepReport:
        (stored,) = self._records.looks(self._row.id, [number])
        alarms = self._records.alarms(self._row.id)
        queue, to_rate = find_open_queue(self._records)
        since = [alarm.since for alarm in alarms if events.get(alarm.number) == "fired"]
        return StepReport(
            queue=queue,
            to_rate=to_rate,
            run=self._records.run_since(min(since)) if since else "",
            watch=self._records.watch(self._row.id),
            stored=stored,
            standing=[alarm for alarm in alarms if alarm.stands],
            fired=sorted(number for number, event in events.items() if event == "fired"),
            cleared=[alarm for alarm in alarms if events.get(alarm.number) == "cleared"],
            notes=self._notes,
            problems=self._problems,
        )


def take_step(settings: WatchSettings, store: Store, tools: StepTools | None = None) -> StepReport:
    """Takes one step of a watch that no other process is at work on."""
    with hold_watch(store, settings.name):
        return WatchStep(settings, store, tools).take()


def take_steps(settings: WatchSettings, store: Store, tools: StepTools) -> Iterator[StepReport]:
    """Takes a step every interval, for as long as reports are drawn from it.

    The first step must succeed: a wrong key or project is found at once. Later ones that fail are tried again at the
    next interval.
    """
    with hold_watch(store, settings.name):
        is_first = True
        while True:
            began = time.monotonic()
            try:
                yield WatchStep(settings, store, tools).take()
            except AssayError as error:
                if is_first:
                    raise
                tools.on_trouble(f"this step failed: {error}. The next one tries again; nothing is lost")
            is_first = False
            tools.sleep(max(0.0, settings.every.total_seconds() - (time.monotonic() - began)))
