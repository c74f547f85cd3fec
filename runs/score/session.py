"""Scoring samples in one session: of a run that is stored and can be resumed, or in memory."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

from ...errors import BudgetReached, UsageError
from ...eval_sets import Sample
from ...eval_sets.conversation import is_single_answer, is_turn, measured_levels
from ...eval_sets.levels import Level, Turns
from ...installation import install_command, missing_packages
from ...judges import JudgeSettings, LostCalls, RawReply, Usage
from ...judges.run import usage_of
from ...metrics import Metric, Score
from ...metrics.catalogue import measures_conversation
from ...metrics.metric import FURTHER_NEEDS, has_field, run_to_end
from ...metrics.specification import ALL_BASELINES, BASELINES, CONVERSATION_BASELINES, DEFAULT_METRICS
from ...prompts import OTHER_LANGUAGE
from ...text.wording import count_of
from ...value_messages import check_type
from ..store.plan import CONVERSATION_DEFAULTS, EFFORT_BY_TURNS, EFFORT_BY_WORDS, Ending, Outcome, Plan, Progress
from ..store.store import RunRow, Store, check_store
from .batch_run import BatchOptions, check_batches, has_submitted_batches, replies_in_batches
from .run_writer import FinishedMetrics, RunWriter, execute
from .scoring_request import OpenedMetrics, RunOptions, ScoringRequest, with_parts


class SetProfile:
    """Counts the samples of a run and remembers which fields they have.

    Attributes:
        conversations: How many of them are conversations; their turns do not count.
    """

    def __init__(self, turns: Turns = "last") -> None:
        self.count = 0
        self.conversations = 0
        self._single = 0  # of them those of one answer
        self._unused_ratings = 0  # of answers in conversations that are neither samples of their own nor under test
        self._turns = turns
        self._fields: set[tuple[frozenset[Level], frozenset[str]]] = set()

    def observe(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """Yields the samples, and counts them."""
        for sample in samples:
            self.count += 1
            self.conversations += bool(sample.messages) and not (self._turns == "each" and is_turn(sample))
            self._single += is_single_answer(sample)
            if self._turns != "each" and sample.human_rating is None and not is_turn(sample):
                replies = [(turn, one) for turn, one in enumerate(sample.messages) if one.is_reply]
                rated = [turn for turn, one in replies if one.human_rating is not None]
                self._unused_ratings += len(rated) - (sample.turn in rated)
            fields = frozenset(name for name in (*type(sample).model_fields, *FURTHER_NEEDS) if has_field(sample, name))
            self._fields.add((measured_levels(sample, self._turns), fields))
            yield sample

    def check(self, metrics: Sequence[Metric]) -> None:
        """Checks that the metrics that were chosen can score a sample; of the default ones, that any can."""
        chosen = [metric for metric in metrics if metric.name not in BASELINES]
        asked = [metric for metric in chosen if metric.name not in ALL_BASELINES]
        unscorable = [
            metric for metric in chosen if self.count and not self._can_score(metric) and not self._leaves_out(metric)
        ]
        names = {metric.name for metric in asked} - {*CONVERSATION_DEFAULTS}
        is_default = names == {*DEFAULT_METRICS} - {*BASELINES}
        if not unscorable or (is_default and len(unscorable) < len(asked)):
            return
        metric = unscorable[0]
        own = [fields for levels, fields in self._fields if metric.measures in levels]
        if not own:
            raise UsageError(
                f"{metric.name} can score none of the {count_of(self.count, 'sample')}: it is a metric of a "
                "conversation, and all of them are turns of one; say --turns last, or choose other metrics"
            )
        if "response" in metric.needs and not any("response" in fields for fields in own):
            raise UsageError(
                f"{metric.name} can score none of the {count_of(self.count, 'sample')}: all answers are empty. Find "
                "out why the chatbot said nothing, or choose other metrics"
            )
        missing = [name for name in metric.needs if not any(name in fields for fields in own)]
        cure = _cure(missing[0]) if missing else "Give one sample all of them"
        raise UsageError(
            f"{metric.name} can score none of the {count_of(self.count, 'sample')}: it needs "
            f"{' and '.join(missing or metric.needs)}, "
            f"which none of them has. {cure}, or choose other metrics"
        )

    def _can_score(self, metric: Metric) -> bool:
        return any(
            metric.measures in levels and not metric.missing_fields(fields.__contains__)
            for levels, fields in self._fields
        )

    def _leaves_out(self, metric: Metric) -> bool:
        """Whether the choice of turns (`none`) leaves a metric out."""
        return self._turns == "none" and self.conversations > 0 and metric.measures == "answer"

    def metrics_of_conversations(self, *, has_defaults: bool) -> tuple[str, ...]:
        """The metrics that are scored too of conversations: their baselines, and those of a default run."""
        own = [EFFORT_BY_TURNS if missing_packages("numeric") else EFFORT_BY_WORDS]
        if any("metadata.expected_actions" in fields for _, fields in self._fields):
            own.append("tool_calls")
        has_own = has_defaults and self.conversations > self._single
        return (*(own if has_own else ()), *CONVERSATION_BASELINES) if self.conversations else ()

    def notes(self, metrics: Sequence[str], added: Sequence[str] = ()) -> tuple[str, ...]:
        """Which ratings no metric meets, and what is not measured; `added` are scored though nobody asked for them."""
        notes = [*filter(None, [self._describe_unmeasured(metrics, added)])]
        if self._unused_ratings:
            one, several = "earlier answer in a conversation is", "earlier answers in conversations are"
            rated = count_of(self._unused_ratings, one, several)
            notes.append(
                f"{rated} rated, and only the last one of each counts here; --turns each counts those of each answer"
            )
        return tuple(notes)

    def _describe_unmeasured(self, metrics: Sequence[str], added: Sequence[str]) -> str:
        """Says at which turns metrics of answers look, and where nobody asked for a metric of conversations."""
        several = self.conversations - self._single
        counted = count_of(several, "conversation")
        if own := [name for name in added if name in CONVERSATION_DEFAULTS and name not in metrics]:
            of_whole = (
                f"the set holds {counted}: {' and '.join(own)} and the baselines of conversations look at the whole"
            )
            of_turns = {"last": "at the last turn only (--turns each looks at every turn)", "each": "at every turn"}
            where = of_turns.get(self._turns, "at none of their turns (--turns none)")
            cure = f"; {install_command('numeric')} counts repeated questions too" if EFFORT_BY_TURNS in own else ""
            return f"{of_whole}, metrics of answers {where}{cure}"
        if not several or any(map(measures_conversation, metrics)):
            return ""
        return f"the set holds {counted}, and no metric of a conversation is asked for; `assay metrics` lists them"


def _cure(field: str) -> str:
    """Where a field can come from."""
    if field == "policy":
        return "The policy is the first system message: give the conversations one"
    ours = field.rpartition(".")[2]
    return f"Give them a column `{ours}`, or say which one holds it: --map THEIRS={ours} (in Python mapping=)"


OnProgress = Callable[[Progress], None]
Around = Callable[[OpenedMetrics, FinishedMetrics], AbstractAsyncContextManager[None]]
"""Makes what surrounds the scoring of all samples, from who scores and what is finished already."""


class Record:
    """Where the scores of a session go: here they stay in memory, `StoredRun` keeps them in a store.

    Attributes:
        run: The id of the run in the store; "" without one.
        is_resumed: Whether replies of an earlier session may answer the questions.
        directions: By metric, whether higher is better.
        samples: The samples that were drawn, by id.
        scores: The scores of each sample by metric.
    """

    def __init__(self, turns: Turns = "last", *, has_default_metrics: bool = False) -> None:
        self.run = ""
        self.is_resumed = False
        self.directions: dict[str, bool] = {}
        self.samples: dict[str, Sample] = {}
        self.scores: dict[str, dict[str, Score]] = {}
        self._profile = SetProfile(turns)
        self._has_default_metrics = has_default_metrics

    @property
    def metrics_of_conversations(self) -> Sequence[str]:
        """The metrics that are scored too since there are conversations among the samples; none where there are not."""
        return self._profile.metrics_of_conversations(has_defaults=self._has_default_metrics)

    def count(self, samples: Iterable[Sample]) -> int:
        """Counts the samples of the set before they are scored."""
        return sum(1 for _ in self._profile.observe(samples))

    def begin(self, metrics: Sequence[Metric]) -> RunWriter | None:
        """Called once, before the first sample is scored.

        Returns:
            The replies that this run has had, which are not asked for again; None where none are kept.

        Raises:
            UsageError: A metric that was chosen can score no sample; nothing was begun.
        """
        self._profile.check(metrics)
        self.directions = {metric.name: metric.higher_is_better for metric in metrics}
        return None

    def earlier_calls(self) -> tuple[Sequence[RawReply], LostCalls]:
        """The replies of earlier sessions and the calls without one, which count in the budget of this one."""
        return (), LostCalls()

    def drawn(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """The samples in their order, each noted as it is drawn."""
        for sample in samples:
            self.samples[sample.id] = sample
            self.scores[sample.id] = {}  # samples end in any order: this keeps the order in which they were given
            yield sample

    def finished_metrics(self, _: Sample) -> set[str]:
        """The metrics that need not score this sample again."""
        return set()

    def keep(self, sample: Sample, scores: dict[str, Score]) -> None:
        """Keeps a sample with its scores by metric."""
        self.scores[sample.id] = scores

    def end(self, ending: Ending) -> None:
        """Called once, however the session ends."""


async def score_samples(
    samples: Iterable[Sample],
    record: Record,
    request: ScoringRequest,
    *,
    progress: Progress | None = None,
    on_progress: OnProgress = lambda _: None,
    around: Around = lambda *_: nullcontext(),
) -> None:
    """Scores samples as requested. `assay run`, suites and `evaluate` all come here.

    Samples are drawn one by one. `progress` is filled while it goes on; `on_progress` is called after each sample, and
    once before the first.

    Raises:
        BudgetReached: A bound is reached; what was scored until then is in the record.
        InputError: A sample cannot be read; what was scored until then is in the record.
        JudgeUnavailable: The judge has no API key; nothing was begun. Or it is gone; what was scored is in the record,
            and a new run without any reply and value is removed.
        UsageError: A metric cannot be made; nothing was begun.
    """
    progress = progress or Progress()

    def keep(sample: Sample, scores: dict[str, Score]) -> None:
        record.keep(sample, scores)
        progress.samples += 1
        for score in scores.values():
            progress.scores[score.status] += 1
        if any(OTHER_LANGUAGE in score.evidence for score in scores.values()):
            progress.without_prompts[sample.language or ""] += 1
        on_progress(progress)

    async with request.open_metrics(record.metrics_of_conversations) as opened:
        progress.judge, progress.embedder = opened.judge, opened.embedder
        is_asked = any(getattr(metric, "judge", None) is not None for metric in with_parts(opened.metrics))
        if opened.judge is not None and not record.is_resumed and is_asked:
            opened.judge.check_api_key()  # before a run is begun that could score nothing
        replies = record.begin(opened.metrics)
        if opened.judge is not None and replies is not None:
            opened.judge.keep_in(replies, record.run, *record.earlier_calls(), keep_lost=replies.put_lost)
        if replies is not None:
            opened.embedder.keep_lost = replies.put_lost
        ending: Ending = "interrupted"
        try:
            async with around(opened, record.finished_metrics):
                progress.waited = progress.seconds
                on_progress(progress)
                with opened.one_limit():
                    await execute(
                        record.drawn(samples),
                        opened.metrics,
                        keep,
                        concurrency=opened.concurrent_samples,
                        turns=request.turns,
                        finished_metrics=record.finished_metrics,
                    )
            ending = "done"
        except BudgetReached:
            ending = "budget"
            raise
        except Exception:
            ending = "error"
            raise
        finally:
            if opened.judge is not None:
                await opened.judge.cancel_calls()
            record.end(ending)


def check_metrics(plan: Plan, profile: SetProfile, options: RunOptions | None = None) -> None:
    """Makes the metrics of a plan, and checks that they can score one of the samples that were observed; asks nobody.

    Raises:
        UsageError: A metric cannot be made, or one that was chosen can score no sample.
    """

    async def check() -> None:
        async with ScoringRequest.of_plan(plan, options or RunOptions()).open_metrics() as opened:
            profile.check(opened.metrics)

    run_to_end(check())


def run_plan(
    plan: Plan,
    store: Store,
    options: RunOptions | None = None,
    *,
    resume: str | None = None,
    skip_bad: bool = False,
    batches: BatchOptions | None = None,
    on_begin: Callable[[str], None] = lambda _: None,
    on_progress: OnProgress = lambda _: None,
    on_note: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Scores the samples of a plan, or what is missing of a run of it, and keeps everything in the store.

    Runs an event loop of its own. Every row is read before the first call is paid for. However the session ends, what
    was asked and scored is kept, and the run can be resumed.

    Args:
        plan: What is scored.
        store: Where it is kept.
        resume: The id of the run to go on with; a new run begins if None.
        skip_bad: Leave out rows that cannot be read, instead of raising.
        on_begin: Called with the id of a run that begins; `on_progress` after each sample, and once before the first;
            `on_note`, before the first call is paid for, with each note about how the sets are read.

    Raises:
        InputError: A row or a prompt cannot be read.
        JudgeUnavailable: The judge is gone.
        UsageError: A metric cannot be made, asks a judge where the plan has none, or can score no sample.
    """
    check_type("plan", plan, Plan, "a Plan (from assay.runs import Plan)")
    check_store(store)
    request = ScoringRequest.of_plan(plan, options or RunOptions())
    if batches is not None:
        check_batches(plan, request.options)
    outcome = Outcome()
    cassette = request.options.cassette_file(lambda: plan.judge)
    record = StoredRun(plan, store, resume, on_begin, cassette=cassette, has_batches=batches is not None)
    outcome.total = record.count(plan.samples(outcome.skipped_rows if skip_bad else None, outcome.notes))
    outcome.notes += record.notes
    for note in outcome.notes:
        on_note(note)

    def read_samples() -> Iterator[Sample]:
        return plan.samples([] if skip_bad else None, [])

    def around(opened: OpenedMetrics, finished: FinishedMetrics) -> AbstractAsyncContextManager[None]:
        if batches is None:
            return nullcontext()
        return replies_in_batches(read_samples, opened, finished, request, batches)

    try:
        scoring = score_samples(
            read_samples(), record, request, progress=outcome, on_progress=on_progress, around=around
        )
        run_to_end(scoring)
    except BudgetReached as error:
        outcome.ending, outcome.message = "budget", str(error)
    outcome.run, outcome.is_resumed = record.run, record.is_resumed
    if record.is_resumed:
        outcome.run_usage, outcome.run_lost = record.all_calls()
    outcome.ended = time.monotonic()
    return outcome


class StoredRun(Record):
    """The record of a run in a store: of `resume`, or of one that begins. Batches count earlier sessions themselves."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        resume: str | None = None,
        on_begin: Callable[[str], None] = lambda _: None,
        *,
        cassette: Path | None = None,
        has_batches: bool = False,
    ) -> None:
        check_store(store)
        super().__init__(plan.turns, has_default_metrics=plan.has_default_metrics)
        self.run = resume or ""
        self.is_resumed = resume is not None
        self._cassette = cassette
        self._has_batches = has_batches
        self._was_done = False
        self._plan = plan
        self._store = store
        self._on_begin = on_begin
        self._writer: RunWriter
        self._sample_ids: set[str] = set()

    @property
    def metrics_of_conversations(self) -> Sequence[str]:
        """As of `Record`; those of a resumed run are in its plan."""
        added = super().metrics_of_conversations
        if not self.is_resumed:
            return added
        begun = self._store.run(self.run).plan.conversation_metrics
        return [name for name in added if name in begun or name in CONVERSATION_BASELINES]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know about the samples that were counted."""
        return self._profile.notes(self._plan.metrics, self.metrics_of_conversations)

    def count(self, samples: Iterable[Sample]) -> int:
        """Counts the samples of the set before they are scored; a resumed run notes which it still has."""
        for sample in self._profile.observe(samples):
            if self.is_resumed:
                self._sample_ids.add(sample.id)
        return self._profile.count

    def begin(self, metrics: Sequence[Metric]) -> RunWriter:
        """Begins the run in the store, or removes from a resumed one the samples that the set no longer has.

        Raises:
            UsageError: A metric that was chosen can score no sample; nothing was begun.
        """
        self._profile.check(metrics)
        if not self.is_resumed:
            plan = self._plan.with_declarations(metrics)
            self.run = self._store.begin(plan, self._cassette)
            self._on_begin(self.run)
        else:
            self._was_done = self._store.run(self.run).status == "done"
            self._store.resume(self.run)
        self._writer = RunWriter(self._store, self.run)
        if self.is_resumed:
            self._was_done &= self._writer.remove_samples_except(self._sample_ids)
        return self._writer

    def earlier_calls(self) -> tuple[Sequence[RawReply], LostCalls]:
        """As of `Record`; batches count what earlier sessions took themselves."""
        if self._has_batches or not self.is_resumed:
            return super().earlier_calls()
        return self._writer.replies(), self._writer.lost()

    def all_calls(self) -> tuple[Usage, LostCalls]:
        """What the judge took in all sessions, by the replies that the run keeps, and the calls without one."""
        return Usage.total([usage_of(reply) for reply in self._writer.replies()]), self._writer.lost()

    def drawn(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """The samples, their places in the set noted."""
        return self._writer.number_samples(samples)

    def finished_metrics(self, sample: Sample) -> set[str]:
        """The metrics that scored or skipped this very sample in an earlier session."""
        return self._writer.finished_metrics(sample) if self.is_resumed else set()

    def keep(self, sample: Sample, scores: dict[str, Score]) -> None:
        """Keeps a sample with its scores; written with the next batch."""
        self._writer.add(sample, scores)

    def end(self, ending: Ending) -> None:
        """Writes what is kept, and how the session ended; a run whose judge was gone before its first reply goes."""
        try:
            self._writer.flush()
        finally:
            self._store.end(self.run, "done" if self._was_done else ending)  # no sample of it is without a score
        is_paid = self._has_batches and self._cassette is not None and has_submitted_batches(self._cassette)
        if ending == "error" and not self.is_resumed and not is_paid:
            self._store.remove_if_empty(self.run)


def find_run_to_resume(store: Store, name: str, plan: Plan | None, judge: JudgeSettings | None = None) -> RunRow:
    """The run that a session goes on with: the one named with this plan, or with its own plan and this judge."""
    if plan is None:
        named = store.run(name)
        if judge is not None:
            plan = named.plan.model_copy(update={"judge": judge})
            if plan.identity != named.plan.identity:
                raise UsageError(
                    f"{named.id} was judged by another judge, or with other settings, than --judge names; leave "
                    "--judge out to go on with its own, or name SETs without --resume to begin a run"
                )
            return named._replace(plan=plan)
        if named.plan.withholds_judge:
            raise UsageError(
                f"{named.id} was judged with settings that are not kept, since they may be secret; name the judge "
                f"again: assay run --resume {named.id} --judge JUDGE"
            )
        return named
    run = store.newest_run_of(plan.identity) if name == "last" else store.run(name)
    if run is None or run.plan.identity != plan.identity:
        raise UsageError(
            f"no run to resume has these sets, metrics and judge ({store.path}); leave --resume out to begin one, or "
            "name only the run (--resume RUN) to go on with its own"
        )
    return run
