"""The judge that litellm reaches, and all that asking it takes: remember, record or replay, limit, retry, count."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from ..errors import CassetteMiss, JudgeError, JudgeUnavailable, ReplyError, UsageError
from ..prompts import PromptMessage
from ..text.wording import count_of
from .alignment import calibrate
from .budget import Budget, measure_question
from .cassette import Cassette, Mode, Recording, make_recording
from .connection import Connection, ModelLike
from .litellm_lookup import find_context_limit, has_known_provider, missing_api_key
from .question import PendingReplies, PlainText, Question, RawReply, Reply, ReplyPending
from .retry import call_with_retries, concerns_the_request, explain, is_not_offered
from .settings import JudgeSettings
from .structured import parse_reply
from .transports import choose_transport
from .transports.chat import Transport
from .typed_questions import Answer, Answers, Request, TypedQuestion
from .usage import NO_CALLS, NO_USAGE, LostCalls, ReplyCounts, Usage, count_usage, meter_usage

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_RECENT_REPLIES = 1024
_MOST_FAILURES = 5  # failed calls in a row, and more than were answered, after which a judge counts as gone
_MOST_FAILURES_OF_ALL = 50  # in a row, however many were answered; at least three times those at once


class ReplyStore(Protocol):
    """A place that keeps replies: a cassette, or the store of a run."""

    def get(self, key: str) -> Recording | None:
        """Returns what is kept under this key, or None."""
        ...

    def put(self, recording: Recording) -> None:
        """Keeps a reply, safe on disk before this returns; one of the same key is replaced."""
        ...


class LiteLLMJudge:
    """A judge that litellm reaches.

    Identical questions are asked once. Use it as an async context manager, or call `close`.

    Args:
        judge: A bundled name (`qwen1.5b`), a settings file (YAML), `gguf:PATH`, a litellm model string, or
            `JudgeSettings`; or a Python object: a function, sync or async, that takes a text and returns the reply, or
            a client of the package `openai`, sync or async.
        cassette: A path or a `Cassette`: where replies are replayed from and recorded to.
        mode: What a cassette given as a path is for: `replay`, `record`, `auto` or `off`.
        budget: What the calls may take; unbounded if left out.
        **overrides: Single settings in place of the judge's own (`concurrency=4`, `parameters={...}`). With a client,
            `model` is the model that it asks; with a function, its name in the cassette and in reports, by default its
            module and name.

    Attributes:
        is_of_metric: Whether a metric opened it (`Faithfulness("openai/gpt-4o-mini")`): a run then gives it its own
            recordings and bounds.
        usage: What this judge, or this run of it (`for_run`), took so far.
        replies: How many replies could not be used.
        retries: How many failed calls were made again.
        lost: The calls whose reply was lost, with what they took at most; not in `usage`.

    Raises:
        UsageError: There is no such judge or setting, or the mode needs a cassette.
        InputError: The settings file or the cassette cannot be read.
    """

    def __init__(
        self,
        judge: ModelLike | Connection,
        *,
        cassette: Cassette | str | Path | None = None,
        mode: Mode = "auto",
        budget: Budget | None = None,
        **overrides: Any,
    ) -> None:
        self.is_of_metric = False
        self._is_of_run = isinstance(judge, Connection)  # of a judge that is open: `for_run`
        if not isinstance(judge, Connection):
            if cassette is None and mode in {"replay", "record"}:
                raise UsageError(f"the mode {mode} needs a cassette: name the file (--cassette PATH)")
            judge = Connection(judge, cassette, mode, budget, overrides)
        self.connection = judge
        self.cassette = judge.cassette
        self.settings = judge.settings
        self.name = self.settings.label
        self.logprobs = self.settings.logprobs
        self._stores: list[ReplyStore] = [] if self.cassette is None else [self.cassette]
        self._keep_lost: Callable[[LostCalls], None] = lambda _: None
        self._transports: dict[bool, Transport] = {}  # by whether a reason is asked for
        self._under_way: dict[str, asyncio.Task[tuple[RawReply, Usage]]] = {}
        self._recent: OrderedDict[str, tuple[RawReply, bool]] = OrderedDict()
        self._failures_in_a_row = 0
        self._answered_earlier = 0
        self._last_failure = ""
        self._has_api_key = False
        self._pending: PendingReplies | None = None
        self.forget_replies()

    def keep_in(
        self,
        store: ReplyStore,
        run: str = "",
        earlier: Sequence[RawReply] = (),
        lost: LostCalls = NO_CALLS,
        *,
        keep_lost: Callable[[LostCalls], None] = lambda _: None,
    ) -> None:
        """Keeps replies in a run's store too. It is asked before the cassette: a resumed run asks nothing twice.

        Args:
            store: The run's store.
            run: The run's name, where what its earlier sessions took counts in the budget.
            earlier: Their replies.
            lost: Their calls whose reply was lost.
            keep_lost: Keeps what calls took at most whose reply is lost, for the budget of later sessions.
        """
        self._stores.insert(0, store)
        self._keep_lost = keep_lost
        self._answered_earlier = len(earlier)
        if run:
            self.connection.budget.take_up(run, earlier, lost)

    def keep_reply(self, recording: Recording) -> None:
        """Keeps a reply that came otherwise than by `ask`: in the run's store and in the cassette."""
        for store in self._stores:
            store.put(recording)

    def forget_replies(self) -> None:
        """Forgets what this run asked so far and what it took, as before its first question. What is kept stays."""
        self.usage = Usage()
        self.replies = ReplyCounts()
        self.retries = 0
        self.lost = LostCalls()
        self._recent.clear()

    def ask_later(self, pending: PendingReplies) -> None:
        """Gives the questions of this run without a reply to `pending`, instead of asking the model."""
        self._pending = pending

    async def decide(self, request: Request) -> Answers:
        """Answers typed questions about a state; every question has an answer, which may say why there is none.

        Raises:
            JudgeError: There is no usable reply (as `ask`).
            BudgetReached: A call does not fit into the budget.
        """
        languages = self.settings.languages
        if languages and (request.language or languages[0]) not in languages:
            self._note(
                f"was not made for the language {request.language}, but for {', '.join(languages)}: its verdicts "
                "there may be worth little"
            )
        answers = await self._decide(request)
        calibrations = self.connection.calibrations
        return calibrate(calibrations, request, answers) if calibrations else answers

    async def _decide(self, request: Request) -> Answers:
        """Answers a request, in as many calls as its questions need.

        Questions that a reply leaves out, or that cannot be read in it, are asked once more; then they have no answer.
        Where a reply comes later (`ReplyPending`), all calls that can be made now were made.
        """
        if self.settings.reason != "none":
            request = with_reason(request, self.settings)
        transport = self._choose_transport(request)
        answers: dict[str, Answer] = {}
        pending: ReplyPending | None = None
        usage, replies = NO_USAGE, list[RawReply]()
        # one call after the other: a judge with a prefix cache then reads the state once
        for call in self._calls(request, transport):
            try:
                reply = await self.ask(call)
            except ReplyPending as postponed:
                pending = postponed
                continue
            usage = reply.usage if usage is NO_USAGE else usage + reply.usage
            replies += [reply.raw]
            for answer in reply.value:
                answers[answer.question.id] = answer
            lost = [answer.question for answer in reply.value if answer.option is None and not answer.declined]
            if not lost or reply.corrected:
                continue
            try:
                with meter_usage() as taken:
                    again = transport.render(request, lost)
                    again.read, again.corrections = partial(transport.parse, lost, again), False
                    reply = await self.ask(again)
            except ReplyError:
                usage += Usage.total(taken)
                continue  # the answers that they have say what was wrong with the first reply
            except ReplyPending as postponed:
                pending = postponed
                continue
            usage += reply.usage
            replies += [reply.raw]
            answers |= {answer.question.id: answer for answer in reply.value}
        if pending is not None:
            raise pending
        return Answers(answers, usage, tuple(replies))

    def _calls(self, request: Request, transport: Transport) -> list[Question[list[Answer]]]:
        """The calls for the questions in their order: as few as the transport's limit and the model's context allow."""
        most = transport.most_questions
        calls: list[Question[list[Answer]]] = []  # `list[Question[list[Answer]]]()` would make that type anew
        for start in range(0, len(request.questions), most):
            calls += self._calls_that_fit(request, request.questions[start : start + most], transport)
        return calls

    def _calls_that_fit(
        self, request: Request, questions: Sequence[TypedQuestion], transport: Transport
    ) -> list[Question[list[Answer]]]:
        call = transport.render(request, questions)
        if len(questions) > 1 and self._context is not None and call_tokens(call, self.settings) > self._context:
            half = (len(questions) + 1) // 2
            halves = questions[:half], questions[half:]
            return [call for part in halves for call in self._calls_that_fit(request, part, transport)]
        call.read = partial(transport.parse, questions, call)
        return [call]

    @cached_property
    def _context(self) -> int | None:
        """How many tokens the judge's model reads and writes; None where that is not known."""
        return find_context_limit(self.settings)

    def _choose_transport(self, request: Request) -> Transport:
        has_reason = request.reason not in {None, "none"}
        if has_reason not in self._transports:
            self._transports[has_reason] = choose_transport(self.settings, reason=has_reason)
        return self._transports[has_reason]

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Asks a question and parses the reply.

        A bad reply is repaired without a model, else asked for once more with the error. Where only kept replies were
        read and none can be used, the model is asked anew: a kept failure is not final, except in replay.

        Raises:
            CassetteMiss: In replay, the cassette has no recording of the question.
            ReplyError: The reply cannot be used.
            JudgeError: The call failed.
            JudgeUnavailable: So many calls failed in a row that the judge counts as gone.
            BudgetReached: The call does not fit into the budget.
            ReplyPending: The reply comes later (`ask_later`).
        """
        reply = await self._ask(question, fresh=False)
        if type(reply) is Reply:  # nearly all are
            return reply
        if isinstance(reply, _Unusable) and reply.all_recorded and not self.connection.is_replaying:
            reply = await self._ask(question, fresh=True)
        if isinstance(reply, _Unusable):
            raise reply.error
        return reply

    async def _ask(self, question: Question[T], *, fresh: bool) -> "Reply[T] | _Unusable":
        """Asks, and once more where the reply cannot be used; `fresh` ignores replies that an earlier run recorded."""
        usage, all_recorded = NO_USAGE, True
        current = question
        first: _Unusable | None = None  # of a question whose second asking may not be recorded
        while True:
            try:
                raw, is_recorded, reply_usage = await self._reply(current, fresh=fresh)
            except CassetteMiss:
                if first is None:
                    raise
                return self._unusable_recording(question, first)
            count_usage(reply_usage)
            note_reply(current, raw)
            usage = reply_usage if usage is NO_USAGE else usage + reply_usage
            all_recorded = all_recorded and is_recorded
            if current is question:
                self.replies.questions += not fresh
            try:
                if self.logprobs:
                    self._note_missing_logprobs(current, raw)
                return Reply(parse_reply(current, raw), raw, usage, all_recorded, current is not question)
            except ReplyError as error:
                if current is question:
                    self.replies.unparsable += not fresh
                unusable = _Unusable(
                    ReplyError(_unusable_text(current, self._place(current), error), error.raw), all_recorded
                )
                is_last = current.follow_up or not current.corrections or current.schema is PlainText
                if is_last or raw.finish_reason == "content_filter":
                    return unusable
                first = unusable
                is_cut_off = raw.finish_reason == "length" and not current.options
                room = 2 * (current.max_tokens or self.settings.max_tokens) if is_cut_off else current.max_tokens
                current = current.with_correction(raw.text, str(error), room)

    def _unusable_recording(self, question: Question[Any], first: "_Unusable") -> "_Unusable":
        """A recorded reply that cannot be used where no second one is recorded: which line it is."""
        assert self.cassette is not None, "a cassette is replayed"
        place = self.cassette.place_of(self.connection.keys.compute(question))
        words = f"{place}, holds no reply of use, nor is a second one recorded (remove it and record it again)"
        return _Unusable(ReplyError(f"{words}: {first.error}", first.error.raw), first.all_recorded)

    async def _reply(self, question: Question[Any], *, fresh: bool) -> tuple[RawReply, bool, Usage]:
        """Returns the model's reply, whether an earlier run recorded it, and its usage.

        The usage is zero where this run has asked the same question shortly before.
        """
        key = self.connection.keys.compute(question)
        recent = self._recent.get(key)
        if recent and not (fresh and recent[1]):
            return *recent, NO_USAGE
        is_new = self._pending is not None and self._pending.has_collected(key)
        if not fresh or is_new:
            for store in self._stores:
                if recording := store.get(key):
                    usage = self._remember(key, recording.reply, is_recorded=not is_new)
                    return recording.reply, not is_new, usage
        if self.connection.is_replaying:
            raise CassetteMiss(self.connection.explain_miss(question))
        try:
            if self._pending is not None:
                self._pending.request(key, question)
            task = self._under_way.get(key)
            is_first_to_ask = task is None
            if task is None:
                task = self._under_way[key] = asyncio.create_task(self._ask_model(key, question))
                task.add_done_callback(lambda done: self._forget_call(key, done))
            raw, took = await asyncio.shield(task)
        except JudgeError as error:
            raise JudgeError(f"{error} ({self._place(question)})") from error
        return raw, False, took if is_first_to_ask else NO_USAGE

    async def _ask_model(self, key: str, question: Question[Any]) -> tuple[RawReply, Usage]:
        """Asks the model, and keeps what it said before anything is made of it."""
        import openai  # litellm's errors are its errors

        self._check_api_key()
        if self._is_of_run:  # outside a run somebody may have mended it meanwhile
            self._check_available()
        attempts = 0

        def call() -> Awaitable[RawReply]:
            nonlocal attempts
            attempts += 1
            return self.connection.call(question, self._count_lost, self._keep_lost)

        try:
            raw = await call_with_retries(call, self.settings.attempts, self._count_retry, self.settings.wait)
        except (openai.OpenAIError, TimeoutError) as error:
            times = f"{count_of(attempts, 'time')}, at last" if attempts > 1 else "once"
            failure = f"the call failed {times}: {explain(error, self.settings.timeout, self.settings.scrubber)}"
            if is_not_offered(error):
                raise JudgeUnavailable(f"{self.name} cannot be used: {failure}") from error
            if not concerns_the_request(error):
                self._failures_in_a_row += 1
                self._last_failure = failure
                self._check_available()
            raise JudgeError(failure) from error
        self._failures_in_a_row = 0
        if raw.is_unstated and self.connection.python_model is None:
            self._note(
                "does not state what its replies took, or fewer tokens than their text has: each counts with the most "
                "that it may have taken"
            )
        if self._stores:
            self.keep_reply(make_recording(key, question, self.settings.parameters, raw))
        return raw, self._remember(key, raw, is_recorded=False)

    def _note_missing_logprobs(self, question: Question[Any], raw: RawReply) -> None:
        """Says once that a judge gives no log probabilities, though its settings say so."""
        if raw.logprobs is None and question.logprobs and raw.text.strip():
            self._note(
                "gives no log probabilities, though its settings say so (logprobs: true): its words count as plain "
                "verdicts, without probabilities"
            )

    def _note(self, words: str) -> None:
        """Says something of the judge, once in all its runs."""
        if words not in self.connection.notices:
            self.connection.notices.add(words)
            _LOG.warning("%s %s", self.name, words)

    def check_api_key(self) -> None:
        """Checks, before anything is begun or asked, that there is an API key where one is needed.

        Where replies are recorded nothing is checked, since they may answer every question.
        """
        cassette = self.connection.cassette
        if cassette is None or not (self.connection.is_replaying or any(True for _ in cassette.recordings())):
            self._check_api_key()

    def _check_api_key(self) -> None:
        """Raises `JudgeUnavailable` before the first call, where it would be refused for want of a key."""
        if self._has_api_key or self.connection.python_model is not None:
            return
        if name := missing_api_key(self.settings.model):
            raise JudgeUnavailable(
                f"{self.name} needs an API key: set the environment variable {name}. Nothing was asked"
            )
        if not has_known_provider(self.settings):
            raise JudgeUnavailable(
                f"{self.name}: litellm knows no provider of {self.settings.model}; write PROVIDER/MODEL, such as "
                "openai/gpt-4o-mini, or for a server of your own openai/MODEL with its api_base in a settings file. "
                "Nothing was asked"
            )
        self._has_api_key = True

    def _check_available(self) -> None:
        answered = self._answered_earlier + self.replies.questions
        most = max(_MOST_FAILURES_OF_ALL, 3 * self.settings.concurrency)
        if self._failures_in_a_row >= _MOST_FAILURES and self._failures_in_a_row > min(answered, most):
            raise JudgeUnavailable(
                f"{self.name} cannot be used: {count_of(self._failures_in_a_row, 'question')} in a row got no reply, "
                f"so that no more are asked. The last: {self._last_failure}"
            )

    def _remember(self, key: str, raw: RawReply, *, is_recorded: bool) -> Usage:
        usage = usage_of(raw, is_recorded=is_recorded)
        self.usage += usage
        self._recent[key] = (raw, is_recorded)
        if len(self._recent) > _RECENT_REPLIES:
            self._recent.popitem(last=False)
        return usage

    def _forget_call(self, key: str, task: "asyncio.Task[tuple[RawReply, Usage]]") -> None:
        self._under_way.pop(key, None)
        if not task.cancelled():
            task.exception()  # marks it as seen, also where everybody who asked is gone

    def _count_lost(self, lost: LostCalls) -> None:
        self.lost += lost

    def _count_retry(self, _: BaseException) -> None:
        self.retries += 1

    def _place(self, question: Question[Any]) -> str:
        """What asked, and by which prompt: the end of a reason, which is the same for all samples."""
        return f"{self.name}, prompt {question.prompt.identity}"

    async def cancel_calls(self) -> None:
        """Ends the calls that nobody waits for any more."""
        calls = [task for task in self._under_way.values() if task.get_loop() is asyncio.get_running_loop()]
        for task in calls:
            task.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    def for_run(self) -> "LiteLLMJudge":
        """Makes a judge for one run, and leaves this judge as it is.

        Both share the connection (calls at once, budget, a local model) and the cassette. The run has a memory of its
        own: the replies that it remembers, the calls under way, the counts and the usage.
        """
        return LiteLLMJudge(self.connection)

    def has_model_of(self, other: "LiteLLMJudge") -> bool:
        """Whether another judge was opened from the same name, settings, function or client."""
        names = [judge.connection.overrides.get("model") for judge in (self, other)]
        return bool(self.connection.source == other.connection.source) and names[0] == names[1]

    @property
    def has_cassette(self) -> bool:
        """Whether its replies are recorded or replayed."""
        return self.cassette is not None

    @property
    def has_bounds(self) -> bool:
        """Whether a budget bounds its calls."""
        return self.connection.budget.is_bounded

    def reopen(self, *, cassette: Cassette | None, budget: Budget, **overrides: Any) -> "LiteLLMJudge":
        """Makes another judge of the same model, with other recordings and bounds.

        Args:
            cassette: Where its replies are replayed from and recorded to.
            budget: What its calls may take.
            **overrides: Single settings in place of this judge's own.

        Raises:
            UsageError: It is a function whose name does not say which model it asks, and replies are recorded.
        """
        own = self.connection
        return LiteLLMJudge(own.source, cassette=cassette, budget=budget, **own.overrides | overrides)

    def close(self) -> None:
        """Merges the cassette's journal and lets a local model go."""
        if self.cassette is not None:
            self.cassette.close()
        self.connection.close()

    async def __aenter__(self) -> "LiteLLMJudge":
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends the calls that nobody waits for any more, then closes."""
        await self.cancel_calls()
        self.close()


class SentQuestion(NamedTuple):
    """One question as it was sent, and the judge's reply to it, not yet parsed: for a person who doubts a score."""

    prompt: str
    messages: tuple[PromptMessage, ...]
    reply: RawReply


_sent: ContextVar[list[SentQuestion] | None] = ContextVar("sent_questions", default=None)


@contextmanager
def collect_replies() -> Iterator[list[SentQuestion]]:
    """Collects every question within that got a reply, those of tasks that begin there too."""
    collected: list[SentQuestion] = []
    token = _sent.set(collected)
    try:
        yield collected
    finally:
        _sent.reset(token)


def note_reply(question: Question[Any], reply: RawReply) -> None:
    """Notes a reply for whoever listens in this task, if anybody does."""
    if (collected := _sent.get()) is not None:
        collected.append(SentQuestion(question.prompt.identity, tuple(question.messages), reply))


class _Unusable:
    """Replies that cannot be used: why, and whether an earlier run kept all of them."""

    def __init__(self, error: ReplyError, all_recorded: bool) -> None:
        self.error = error
        self.all_recorded = all_recorded


def _unusable_text(question: Question[Any], place: str, error: ReplyError) -> str:
    text = " ".join(error.raw.split())
    beginning = f'. It began: "{text[:120]}"' if text else ""
    schema: Any = question.schema
    wanted = f"; what is read is {schema.describe()}" if hasattr(schema, "describe") else ""
    return f"the reply cannot be used: {error}{wanted}{beginning} ({place})"


def usage_of(raw: RawReply, *, is_recorded: bool = False) -> Usage:
    """What a reply took, as one call."""
    took = raw.tokens_in, raw.tokens_out, raw.tokens_cached, raw.usd, raw.seconds, int(raw.is_unstated)
    return Usage(1, int(is_recorded), *took)


def with_reason(request: Request, settings: JudgeSettings) -> Request:
    """The request, with the judge's own setting where it says nothing of reasons."""
    if request.reason is not None or settings.reason == "none":
        return request
    return replace(request, reason=settings.reason)


def call_tokens(call: Question[Any], settings: JudgeSettings) -> int:
    """The most tokens that a call may take, in and out together."""
    size = measure_question(call, settings, None)
    return size.tokens_in + size.tokens_out


def context_need(asked: Request | Question[Any], settings: JudgeSettings) -> tuple[int, int | None]:
    """Returns how many tokens a judge must be able to read and write, and how many it can.

    The questions of a request that do not fit together are asked in several calls: what counts is the largest alone.

    Returns:
        The estimated tokens; and the length of the judge's context, None where that is not known.
    """
    context = find_context_limit(settings)
    if isinstance(asked, Question):
        return call_tokens(asked, settings), context
    asked = with_reason(asked, settings)
    transport = choose_transport(settings, reason=asked.reason not in {None, "none"})
    return max(call_tokens(transport.render(asked, [question]), settings) for question in asked.questions), context
