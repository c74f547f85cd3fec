"""The steps of a watch: pull, draw, judge, push, rate, look, raise alarms. Each part may be killed and done again."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ...errors import AssayError
from ...meta_eval.monitoring.look import Look
from ...presentation.texts import one_line
from ...runs import Store
from ...runs.answer_address import answer_url
from ...runs.session import OnProgress, Progress
from ...text.wording import count_of, verb_of
from ..address import TraceAddress
from ..push import PushRequest, push_scores
from ..registry import open_sink, open_source
from ..sink import Sink
from ..source import Source
from ..times import read_utc, utc_text
from .alarm_changes import AlarmChanges, alarm_answer
from .alarms import AlarmAnswer, AlarmChange, deliver_alarm
from .answer_draw import draw_answers, pace, spread_weights
from .answer_pull import AnswerPull, PullCounts
from .judging import check_judge, judge_waiting, take_over_scores
from .rater_answers import draw_for_raters, find_open_queue, read_queue_ratings, reread_annotations
from .watch_file import load_watch
from .watch_look import LookAt, look_at_answers, read_production_answers
from .watch_records import WatchRecords, hold_watch, open_series
from .watch_settings import WatchSettings
from .watch_state import DriftResult, StepCounts, StoredAlarm, StoredLook, WatchRow, WatchState

_REREAD_SECONDS = 86_400
_LONGEST_REASON = 300  # characters of why an answer has no score


def _do_nothing(_: Progress) -> None:
    """What is called as the judge goes on where nobody looks."""


def _show_nothing() -> AbstractContextManager[OnProgress]:
    return nullcontext(_do_nothing)


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class StepTools:
    """What a step uses of the world."""

    open_source: Callable[[TraceAddress], Source] = open_source  # opens what reads the traces of an address
    open_sink: Callable[[str], Sink] = open_sink  # opens what writes scores to an address
    look: LookAt = look_at_answers  # estimates from all answers so far
    clock: Callable[[], datetime] = _utc_now  # the present moment, in UTC
    show_progress: Callable[[], AbstractContextManager[OnProgress]] = _show_nothing  # shows how the judge goes on


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
    newest_run: str = ""  # the newest run with scores; empty before the first


class WatchStep:
    """One step; the watch must be held by this process (`hold_watch`)."""

    def __init__(self, settings: WatchSettings, store: Store, tools: StepTools | None = None) -> None:
        self._settings, self._store, self._tools = settings, store, tools or StepTools()
        self._now = self._tools.clock()
        self._row, is_further = open_series(store, settings, self._now)
        self._records = WatchRecords(store, self._row.id)
        self._state = WatchState(store)
        self._started = time.monotonic()
        self._notes: list[str] = []
        self._problems: list[str] = []
        if is_further:
            self._notes.append(
                f"the watch file has another source, filter, measure, judge or scale than before: series "
                f"{self._row.series} begins, and the earlier one stays as it is"
            )

    def take(self) -> StepReport:
        """Takes the step."""
        try:
            return self._take()
        except AssayError as error:
            self._records.note_problem(str(error))
            raise

    def _take(self) -> StepReport:
        today = self._today()
        source = self._tools.open_source(self._settings.source_address)
        pulled = self._pull(source)
        drawn = self._draw(today)
        waiting_before = self._records.counts()[1]
        earlier = take_over_scores(self._settings, self._records)
        pushed_first, _ = self._push() if earlier else (0, 0)  # what a killed step judged waits for nothing
        with self._tools.show_progress() if waiting_before else nullcontext(_do_nothing) as on_progress:
            judged = judge_waiting(self._settings, self._records, today, on_progress)
        judged.judged += earlier
        if judged.problem:
            self._note_judge(judged.problem, is_budget=judged.has_ended_by_budget)
        elif judged.failed:
            self._problems.append(
                f"{count_of(judged.failed, 'answer')} got no score ({one_line(judged.failure, _LONGEST_REASON)}); what "
                "has failed three times is given up"
            )
        pushed, push_failed = self._push()
        queued, rated = self._rate(source, today)
        unread, waiting, undrawn = self._records.counts()
        counts = StepCounts(
            pulled=pulled.pulled,
            unread=unread,
            drawn=drawn,
            judged=judged.judged,
            failed=max(0, waiting_before - waiting - judged.judged),
            waiting=waiting,
            undrawn=undrawn,
            pushed=pushed_first + pushed,
            push_failed=push_failed,
            queued=queued,
            rated=rated + pulled.rated,
            usd=judged.usd,
            seconds=round(time.monotonic() - self._started, 3),
        )
        return self._look(counts, today)

    def _today(self) -> str:
        """The date of the budget; a clock that goes backwards does not give a day's budget twice."""
        today, newest = self._now.date().isoformat(), self._records.newest_day()
        until = read_utc(self._row.pulled_until) if self._row.pulled_until else None
        if newest > today or (until is not None and until > self._now):
            self._notes.append(
                f"the clock says {self._now:%Y-%m-%d %H:%M} UTC, which is before the last step: it went backwards. "
                "Nothing is pulled twice, and no budget is used twice"
            )
        return max(today, newest)

    def _pull(self, source: Source) -> PullCounts:
        until = read_utc(self._row.pulled_until) if self._row.pulled_until else None
        counts = AnswerPull(self._settings, self._records, source, self._now).pull(until)
        if counts.other_scale:
            low, high = self._settings.ratings.levels
            self._notes.append(
                f"the ratings of {count_of(counts.other_scale, 'answer')} are left out, which are not on the scale "
                f"{low}-{high} of this watch"
            )
        if counts.open_sessions:
            self._notes.append(
                f"{count_of(counts.open_sessions, 'conversation')} may go on, and will be pulled when "
                f"{verb_of(counts.open_sessions, 'it is', 'they are')} over"
            )
        return counts

    def _draw(self, today: str) -> int:
        """Draws answers for the judge from all that were in no draw yet."""
        settings, records = self._settings, self._records
        answers = records.undrawn()
        if not answers:
            return 0
        waiting = records.counts()[1]
        used, per_day = records.spending(today).drawn, settings.budget.judged_per_day
        due = pace(per_day, used, records.moment("drawn_at"), self._now)
        share = settings.sample.share
        if share is not None:
            wanted, due = share * len(answers), float(max(0, per_day - used))
            if wanted > due > 0:
                self._notes.append(
                    f"{share:.0%} of {count_of(len(answers), 'answer')} would be {wanted:.0f}, more than the budget of "
                    f"the day has left: {due:.0f}"
                )
            due = min(wanted, due)
        due = max(0.0, due - max(0, waiting - per_day))  # a backlog does not grow
        if due <= 0:
            self._notes.append(
                f"the budget of {per_day:,} judged answers a day is used up: {count_of(len(answers), 'answer')} "
                f"{verb_of(len(answers), 'is', 'are')} in the draw of the next day"
            )
            return 0
        if share is None and due < min(1, len(answers)):
            return 0  # too soon: a later draw gives each of them a better chance
        cheap = np.array([np.nan if score is None else score for _, score in answers], dtype=float)
        weights = np.ones(len(answers))
        if settings.sample.rule == "uncertain":
            pairs = records.scored_pairs()
            known = np.array([np.nan if score is None else score for score, _, _ in pairs], dtype=float)
            weights = spread_weights(known, np.array([judged for _, judged, _ in pairs], dtype=float), cheap)
        names = [name for name, _ in answers]
        chances, drawn = draw_answers(names, weights, due, seed=f"{settings.seed} judge {records.watch_id}")
        records.add_draw(chances, drawn, today, self._now)
        return len(drawn)

    def _note_judge(self, problem: str, *, is_budget: bool) -> None:
        waiting = self._records.counts()[1]
        left = f"{count_of(waiting, 'drawn answer')} {verb_of(waiting, 'waits', 'wait')}"
        if is_budget:
            self._notes.append(f"the judge's budget of the day is used up ({problem}): {left} for the next day")
        else:
            self._problems.append(f"the judge: {problem}; {left} for the next step")

    def _push(self) -> tuple[int, int]:
        address = self._settings.push_address
        pushed = failed = 0
        if address is None:
            return 0, 0
        try:
            for run in self._records.unpushed_runs(address):
                request = PushRequest(metrics=(self._settings.metric,), to=address, link=self._link)
                result = push_scores(self._store, self._store.run(run), request, open_place=self._tools.open_sink)
                pushed += result.written + result.updated
                failed += result.failed
                self._problems += [f"push to {address}: {problem}" for problem in result.problems]
        except AssayError as error:
            self._problems.append(f"push to {address}: {error}")
        return pushed, failed

    def _rate(self, source: Source, today: str) -> tuple[int, int]:
        """Fills the raters' queue, and takes over their ratings; returns how many are new of each."""
        queued = rated = 0
        try:
            queued = draw_for_raters(self._settings, self._records, today, self._now)
            rated = read_queue_ratings(self._records)
            last = self._records.moment("reread_at")
            if last is None:
                self._records.note_reread(self._now)  # what was pulled just now came with its annotations
            elif abs((self._now - last).total_seconds()) >= _REREAD_SECONDS:
                rated += reread_annotations(self._settings, self._records, source, self._now)
                self._records.note_reread(self._now)
        except AssayError as error:
            self._problems.append(f"ratings: {error}")
        return queued, rated

    def _look(self, counts: StepCounts, today: str) -> StepReport:
        answers, first_day, chosen = read_production_answers(self._settings, self._records)
        if chosen:
            self._notes.append(
                f"the ratings of {count_of(chosen, 'answer')} are not used: people rated them in the tool, and the "
                "draw for the raters had left them out"
            )
        look: Look = self._tools.look(answers, self._settings, first_day)
        drift = self._drift(today)
        alarms = self._state.alarms(self._row.id)
        changes = AlarmChanges(
            (self._row.name, self._row.id), alarms, first_day, self._settings.page or "", self._answers_to_read
        ).decide(look, drift, utc_text(self._now))
        stored = StoredLook(0, utc_text(self._now), look, first_day.isoformat(), counts, drift)
        number = self._records.end_step(stored, changes, self._settings.webhook_shown)
        self._deliver()
        return self._report(number, changes)

    def _drift(self, today: str) -> DriftResult | None:
        try:
            check_judge(self._settings, self._records, today, self._now)
        except AssayError as error:
            self._problems.append(f"drift: {error}")
        return self._records.newest_drift()

    def _answers_to_read(self, since: str) -> tuple[AlarmAnswer, ...]:
        from ...metrics.catalogue import higher_is_better

        worst = self._state.worst_answers(self._row.id, since, higher_is_better=higher_is_better(self._settings.metric))
        answers = []
        for answer in worst:
            sample = self._records.sample(answer.sample)
            reason, link = "", ""
            if answer.run is not None:
                scores = self._store.scores(answer.run, answer.sample)
                reason = next((score.reason for _, name, score in scores if name == self._settings.metric), "")
                link = self._link(answer.run, answer.sample)
            texts = sample.user_input, sample.response
            answers.append(alarm_answer(answer.trace, texts, answer.judged, reason, link))
        return tuple(answers)

    def _link(self, run: str, sample: str) -> str:
        page = self._settings.page
        return "" if page is None else f"{page.rstrip('/')}{answer_url(run, sample)}"

    def _deliver(self) -> None:
        """Delivers what waits, also of earlier steps; a kill between sending and noting it sends it again."""
        for alarm, target, message in self._records.waiting_deliveries():
            state, problem = "sent", ""
            if target != self._settings.webhook_shown:
                state, problem = "dropped", "the watch file no longer has this target"
            else:
                try:
                    deliver_alarm(message, self._settings.webhook_url)
                except AssayError as error:
                    state, problem = "waiting", str(error)
                    self._problems.append(f"alarm {alarm} to {target}: {error}")
            self._records.end_delivery((alarm, message.event, target), state, problem, self._now)

    def _report(self, number: int, changes: list[AlarmChange]) -> StepReport:
        stored = self._state.look(self._row.id, number)
        assert stored is not None  # it was written just now
        alarms = self._state.alarms(self._row.id)
        fired = {change.number for change in changes if change.message.event == "fired"}
        cleared = {change.number for change in changes if change.message.event == "cleared"}
        runs = self._records.newest_runs("")
        queue, to_rate = find_open_queue(self._records)
        return StepReport(
            queue=queue,
            to_rate=to_rate,
            newest_run=runs[0][1] if runs else "",
            watch=self._state.watch(self._row.id),
            stored=stored,
            standing=[alarm for alarm in alarms if alarm.stands],
            fired=sorted(fired),
            cleared=[alarm for alarm in alarms if alarm.number in cleared],
            notes=self._notes,
            problems=self._problems,
        )


@dataclass(frozen=True, slots=True)
class LoopTools:
    """What the loop uses of the world."""

    step: StepTools  # what a step uses
    sleep: Callable[[float], None] = time.sleep  # waits so many seconds
    on_trouble: Callable[[str], None] = lambda _: None  # called with what failed and is tried again, for a person


def take_step(settings: WatchSettings, store: Store, tools: StepTools | None = None) -> StepReport:
    """Takes one step of a watch that no other process is at work on."""
    with hold_watch(store, settings.name):
        return WatchStep(settings, store, tools).take()


def take_steps(file: Path, settings: WatchSettings, store: Store, tools: LoopTools) -> Iterator[StepReport]:
    """Takes a step every interval, for as long as reports are drawn from it.

    The first step must succeed: a wrong key or project is found at once. Later ones that fail are tried again at the
    next interval. The watch file is read before each step; while it has a mistake, the earlier one counts.
    """
    with hold_watch(store, settings.name):
        is_first = True
        while True:
            began = time.monotonic()
            try:
                yield WatchStep(settings, store, tools.step).take()
            except AssayError as error:
                if is_first:
                    raise
                tools.on_trouble(f"this step failed: {error}. The next one tries again; nothing is lost")
            is_first = False
            tools.sleep(max(0.0, settings.every.total_seconds() - (time.monotonic() - began)))
            settings = _read_again(file, settings, tools)


def _read_again(file: Path, settings: WatchSettings, tools: LoopTools) -> WatchSettings:
    try:
        changed = load_watch(file)
    except AssayError as error:
        tools.on_trouble(f"the watch file has a mistake, so that the earlier one counts: {error}")
        return settings
    if changed.name != settings.name or changed.store_place != settings.store_place:
        tools.on_trouble("the watch file has another name or store, which counts when the watch is started again")
        return settings
    return changed
