"""The judge: any model that litellm reaches, with recorded replies, bounds, and second attempts where they help."""

import asyncio
import copy
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel

from ..arguments import check_type
from ..errors import CassetteMiss, JudgeError, JudgeUnavailable, ReplyError, UsageError
from ..text.wording import count_of
from .alignment import load_alignment
from .budget import ACCEPTED_BUDGET, Budget
from .cassette import Cassette, Mode
from .connection import Connection
from .deciding import decide
from .key import QuestionKeys
from .litellm_lookup import missing_api_key
from .meter import count_usage, note_reply
from .miss_explainer import MissExplainer
from .python_model import JudgeFunction, OpenAIClient, PythonModel, open_python_model
from .question import PendingReplies, PlainText, Question, RawReply, Reply
from .recording import Recording, make_recording
from .retry import call_with_retries, concerns_the_request, explain, is_not_offered
from .settings import JudgeSettings, load_settings
from .structured import parse_reply
from .typed_questions import Answers, Request
from .usage import NO_USAGE, LostCalls, ReplyCounts, Usage

T = TypeVar("T", bound=BaseModel)

ModelLike: TypeAlias = str | Path | JudgeSettings | JudgeFunction | OpenAIClient
"""Which model judges: a name as for `--judge`, a settings file, `JudgeSettings`, a function or a client of `openai`."""

_LOG = logging.getLogger(__name__)
_RECENT_REPLIES = 1024
_MOST_FAILURES = 5  # failed calls in a row, and more than were answered, after which a judge counts as gone
_MOST_FAILURES_OF_ALL = 50  # in a row, however many were answered; at least three times those at once


class Judge(Protocol):
    """Answers questions. A judge of your own has all four: `name`, `logprobs`, `decide` and `ask`.

    A function that takes a text and returns the reply is less work, and has retries, budgets and recordings.

    Attributes:
        name: The name in reports.
        logprobs: Whether it gives the probabilities of its words.
    """

    name: str
    logprobs: bool

    async def decide(self, request: Request) -> Answers:
        """Answers typed questions about a state; every question has an answer, which may say why there is none.

        Raises:
            JudgeError: There is no usable reply.
            BudgetReached: A call does not fit into the budget.
        """
        ...

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Asks a question and parses the reply.

        Raises:
            JudgeError: There is no usable reply.
            BudgetReached: The call does not fit into the budget.
        """
        ...


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
        usage: What this judge, or this view of it (`for_run`), took so far.
        replies: How many replies could not be used.
        retries: How many failed calls were made again.
        lost: The calls whose reply was lost, with what they took at most; not in `usage`.

    Raises:
        UsageError: There is no such judge or setting, or the mode needs a cassette.
        InputError: The settings file or the cassette cannot be read.
    """

    def __init__(
        self,
        judge: ModelLike,
        *,
        cassette: Cassette | str | Path | None = None,
        mode: Mode = "auto",
        budget: Budget | None = None,
        **overrides: Any,
    ) -> None:
        check_type("cassette", cassette, (Cassette, str, Path, type(None)), "the path of a file, or a Cassette")
        check_type("budget", budget, (Budget, type(None)), ACCEPTED_BUDGET)
        self._source, self._overrides = judge, dict(overrides)
        self.is_of_metric = False
        if cassette is None and mode in {"replay", "record"}:
            raise UsageError(f"the mode {mode} needs a cassette: name the file (--cassette PATH)")
        python_model: PythonModel | None = None
        if isinstance(judge, (str, Path)):
            settings = load_settings(str(judge))
        elif isinstance(judge, JudgeSettings):
            settings = judge
        else:
            python_model = open_python_model(judge, overrides.pop("model", None), is_recorded=cassette is not None)
            settings = python_model.settings
        self.settings = settings.with_changes(**overrides)
        self.name = self.settings.label
        self.logprobs = self.settings.logprobs
        self.cassette = Cassette(cassette, mode) if isinstance(cassette, (str, Path)) else cassette
        self.connection = Connection(self.settings, budget or Budget(), python_model)
        self._keys = QuestionKeys(self.settings)
        self._alignment = None if self.settings.aligned is None else load_alignment(self.settings.aligned)
        self._misses: MissExplainer | None = None
        self._notices: set[str] = set()  # what was said once, by this judge and its views together
        self._stops_when_gone = False
        self._start_run()

    def has_model_of(self, other: "LiteLLMJudge") -> bool:
        """Whether another judge was opened from the same name, settings, function or client."""
        names = [judge._overrides.get("model") for judge in (self, other)]
        return bool(self._source == other._source) and names[0] == names[1]

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
        return LiteLLMJudge(self._source, cassette=cassette, budget=budget, **self._overrides | overrides)

    @property
    def settings_to_store(self) -> JudgeSettings:
        """The settings, as a stored run keeps them.

        Raises:
            UsageError: It is a function whose name does not say which model it asks.
        """
        if self.connection.python_model is not None:
            open_python_model(self._source, self._overrides.get("model"), is_recorded=True)
        return self.settings

    def for_run(self) -> "LiteLLMJudge":
        """Makes a view of this judge for one run, and leaves this judge as it is.

        The view shares the connection (calls at once, budget, a local model) and the cassette. It has a memory of its
        own: the replies that it remembers, the calls under way, the counts and the usage.
        """
        view = copy.copy(self)
        view._stops_when_gone = True
        view._start_run()
        return view

    def keep_in(self, store: ReplyStore, run: str = "", earlier: Sequence[RawReply] = ()) -> None:
        """Keeps replies in a run's store too. It is asked before the cassette: a resumed run asks nothing twice.

        Args:
            store: The run's store.
            run: The run's name, where what its earlier sessions took counts in the budget.
            earlier: Their replies.
        """
        self._stores.insert(0, store)
        self._answered_earlier = len(earlier)
        if run:
            self.connection.budget.take_up(run, earlier)

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

    def _start_run(self) -> None:
        self.usage = Usage()
        self.replies = ReplyCounts()
        self.retries = 0
        self.lost = LostCalls()
        self._stores: list[ReplyStore] = [] if self.cassette is None else [self.cassette]
        self._recent: OrderedDict[str, tuple[RawReply, bool]] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[tuple[RawReply, Usage]]] = {}
        self._failures_in_a_row = 0
        self._answered_earlier = 0
        self._last_failure = ""
        self._has_api_key = False
        self._pending: PendingReplies | None = None

    def ask_later(self, pending: PendingReplies) -> None:
        """Gives the questions of this run without a reply to `pending`, instead of asking the model."""
        self._pending = pending

    async def decide(self, request: Request) -> Answers:
        """Answers typed questions about a state; every question has an answer, which may say why there is none.

        Raises:
            JudgeError: There is no usable reply (as `ask`).
            BudgetReached: A call does not fit into the budget.
        """
        if (languages := self.settings.languages) and (request.language or languages[0]) not in languages:
            self._note(
                f"was not made for the language {request.language}, but for {', '.join(languages)}: its verdicts "
                "there may be worth little"
            )
        if self._alignment is None:
            return await decide(request, self.ask, self.settings)
        request = await self._alignment.prepare(request)
        return self._alignment.calibrate(request, await decide(request, self.ask, self.settings))

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
        if isinstance(reply, _Unusable) and reply.all_recorded and not self._is_replaying:
            reply = await self._ask(question, fresh=True)
        if isinstance(reply, _Unusable):
            self.replies.lost += 1
            raise reply.error
        return reply

    async def _ask(self, question: Question[T], *, fresh: bool) -> "Reply[T] | _Unusable":
        """Asks, and once more where the reply cannot be used; `fresh` ignores replies that an earlier run recorded."""
        usage, all_recorded = NO_USAGE, True
        current = question
        contradiction: _Unusable | None = None
        while True:
            try:
                raw, is_recorded, reply_usage = await self._reply(current, fresh=fresh)
            except CassetteMiss:  # what a recording lacks says nothing of the judge
                if contradiction is not None:  # a recording that somebody changed
                    return contradiction
                raise
            except JudgeError:
                had_reply = fresh or current is not question
                self.replies.lost += had_reply
                self.replies.unanswered += not had_reply
                raise
            count_usage(reply_usage)
            note_reply(current, raw)
            usage += reply_usage
            all_recorded = all_recorded and is_recorded
            if current is question:
                self.replies.questions += not fresh
            try:
                if problem := self._missing_logprobs(current, raw):
                    return _Unusable(ReplyError(f"{problem} ({self._place(current)})", raw.text), all_recorded)
                return Reply(parse_reply(current, raw), raw, usage, all_recorded, bool(current.follow_up))
            except ReplyError as error:
                if current is question:
                    self.replies.unparsable += not fresh
                unusable = _Unusable(ReplyError(_unusable_text(self._place(current), error), error.raw), all_recorded)
                has_no_shape = current.options or current.schema is PlainText
                is_last = current.follow_up or not current.corrections
                if error.is_contradiction and not is_last:
                    contradiction = unusable
                elif is_last or has_no_shape or raw.finish_reason == "content_filter":
                    return unusable
                is_cut_off = raw.finish_reason == "length"
                room = 2 * (current.max_tokens or self.settings.max_tokens) if is_cut_off else current.max_tokens
                current = current.with_correction(raw.text, str(error), room)

    async def _reply(self, question: Question[Any], *, fresh: bool) -> tuple[RawReply, bool, Usage]:
        """Returns the model's reply, whether an earlier run recorded it, and its usage.

        The usage is zero where this run has asked the same question shortly before.
        """
        key = self._keys.compute(question)
        recent = self._recent.get(key)
        if recent and not (fresh and recent[1]):
            return *recent, NO_USAGE
        is_new = self._pending is not None and self._pending.has_collected(key)
        if not fresh or is_new:
            for store in self._stores:
                if recording := store.get(key):
                    usage = self._remember(key, recording.reply, is_recorded=not is_new)
                    return recording.reply, not is_new, usage
        if self.cassette is not None and self._is_replaying:
            self._misses = self._misses or MissExplainer(self.cassette, self.settings)
            raise CassetteMiss(self._misses.explain(question))
        if self._pending is not None:
            try:
                self._pending.request(key, question)
            except JudgeError as error:
                raise JudgeError(f"{error} ({self._place(question)})") from error
        task = self._under_way.get(key)
        is_first_to_ask = task is None
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._ask_model(key, question))
            task.add_done_callback(lambda done: self._forget_call(key, done))
        try:
            raw, took = await asyncio.shield(task)
        except JudgeError as error:
            raise JudgeError(f"{error} ({self._place(question)})") from error
        return raw, False, took if is_first_to_ask else NO_USAGE

    async def _ask_model(self, key: str, question: Question[Any]) -> tuple[RawReply, Usage]:
        """Asks the model, and keeps what it said before anything is made of it."""
        import openai  # litellm's errors are its errors

        self._check_api_key()
        if self._stops_when_gone:  # outside a run somebody may have mended it meanwhile
            self._check_available()
        attempts = 0

        def call() -> Awaitable[RawReply]:
            nonlocal attempts
            attempts += 1
            return self.connection.call(question, self._count_lost)

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
        self.keep_reply(make_recording(key, question, self.settings.parameters, raw))
        return raw, self._remember(key, raw, is_recorded=False)

    def _missing_logprobs(self, question: Question[Any], raw: RawReply) -> str:
        """Explains why a reply without log probabilities fails; empty where it is accepted, which is logged once."""
        if raw.logprobs is not None or not (question.logprobs and self.settings.logprobs) or not raw.text.strip():
            return ""
        problem = "gives no log probabilities, though its settings say so (logprobs: true)"
        if self.settings.without_logprobs == "fail":
            return f"the judge {problem}"
        self._note(f"{problem}: its words count as plain verdicts, without probabilities")
        return ""

    def _note(self, words: str) -> None:
        """Says something of the judge, once."""
        if words not in self._notices:
            self._notices.add(words)
            _LOG.warning("%s %s", self.name, words)

    def check_api_key(self) -> None:
        """Checks, before anything is begun or asked, that there is an API key where one is needed.

        Where replies are recorded nothing is checked, since they may answer every question.

        Raises:
            JudgeUnavailable: There is none; the message names the environment variable.
        """
        if self.cassette is None or not (self._is_replaying or any(True for _ in self.cassette.recordings())):
            self._check_api_key()

    def _check_api_key(self) -> None:
        """Raises `JudgeUnavailable` before the first call, where it would be refused for want of a key."""
        if self._has_api_key or self.connection.python_model is not None:
            return
        if name := missing_api_key(self.settings.model):
            raise JudgeUnavailable(
                f"{self.name} needs an API key: set the environment variable {name}. Nothing was asked"
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

    @property
    def _is_replaying(self) -> bool:
        return self.cassette is not None and self.cassette.mode == "replay"

    def _remember(self, key: str, raw: RawReply, *, is_recorded: bool) -> Usage:
        took = raw.tokens_in, raw.tokens_out, raw.tokens_cached, raw.usd, raw.seconds, int(raw.is_unstated)
        usage = Usage(1, int(is_recorded), *took)
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


class _Unusable:
    """Replies that cannot be used: why, and whether an earlier run kept all of them."""

    def __init__(self, error: ReplyError, all_recorded: bool) -> None:
        self.error = error
        self.all_recorded = all_recorded


def _unusable_text(place: str, error: ReplyError) -> str:
    text = " ".join(error.raw.split())
    beginning = f'. It began: "{text[:120]}"' if text else ""
    return f"the reply cannot be used: {error}{beginning} ({place})"
