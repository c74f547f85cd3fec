"""The judge: any model that litellm reaches, remembered, bounded, and asked again where that is worth it."""

import asyncio
from collections import OrderedDict
from pathlib import Path
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from ..errors import CassetteMiss, JudgeError, ReplyError, UsageError
from .budget import Budget
from .cassette import Cassette, Mode
from .completion import complete
from .key import QuestionKeys
from .limiter import AdaptiveLimiter
from .meter import count
from .miss_explainer import MissExplainer
from .question import PlainText, Question, RawReply, Reply, ReplyCounts, Usage
from .recording import Recording, make_recording
from .retry import explain, is_too_many, retrying
from .settings import GGUF, JudgeSettings, load_settings
from .structured import parse_reply

T = TypeVar("T", bound=BaseModel)

_RECENT_REPLIES = 1024


class Judge(Protocol):
    """Who answers questions. `name` stands in reports; `logprobs` says whether it tells its words' probabilities."""

    name: str
    logprobs: bool

    async def ask(self, question: Question[T]) -> Reply[T]:
        """The reply, parsed. Raises `JudgeError` where none can be had, `BudgetReached` at a bound."""
        ...


class ReplyKeeper(Protocol):
    """Where replies are kept: a cassette, or a run's store."""

    def get(self, key: str) -> Recording | None:
        """What was kept under this key, or None."""
        ...

    def put(self, recording: Recording) -> None:
        """Keeps a reply, safe on disk before this returns."""
        ...


class LiteLLMJudge:
    """A judge reached through litellm.

    `judge` is a bundled name (`qwen1.5b`), a settings file (YAML), `gguf:PATH`, a litellm model string, or
    `JudgeSettings`. With a `cassette` (a path, or a `Cassette`) replies are replayed or recorded by `mode`.
    Keyword `overrides` replace single settings (`concurrency=4`, `parameters={...}`).
    Identical questions are asked once. Use it as an async context manager, or call `close`.
    """

    def __init__(
        self,
        judge: str | JudgeSettings,
        *,
        cassette: Cassette | str | Path | None = None,
        mode: Mode = "auto",
        budget: Budget | None = None,
        **overrides: Any,
    ) -> None:
        if cassette is None and mode in {"replay", "record"}:
            raise UsageError(f"the mode {mode} needs a cassette: name the file (--cassette PATH)")
        settings = load_settings(judge) if isinstance(judge, str) else judge
        self.settings = settings.with_changes(**overrides)
        self.name = self.settings.identity
        self.logprobs = self.settings.logprobs
        self.budget = budget or Budget()
        self.cassette = Cassette(cassette, mode) if isinstance(cassette, (str, Path)) else cassette
        self.keepers: list[ReplyKeeper] = [] if self.cassette is None else [self.cassette]
        self.usage = Usage()
        self.replies = ReplyCounts()
        self.retries = 0
        self.limiters: WeakKeyDictionary[asyncio.AbstractEventLoop, AdaptiveLimiter] = WeakKeyDictionary()
        self._keys = QuestionKeys(self.settings)
        self._recent: OrderedDict[str, tuple[RawReply, bool]] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[tuple[RawReply, Usage]]] = {}
        self._misses: MissExplainer | None = None
        self._local: Any = None

    async def ask(self, question: Question[T]) -> Reply[T]:
        """The reply, parsed; a bad one is repaired, then asked for once more, then an error.

        Raises `CassetteMiss` in replay, `ReplyError` for an unusable reply, `JudgeError` for a failed call,
        `BudgetReached` at a bound.
        """
        usage, from_cassette = Usage(), True
        asked = question
        while True:
            raw, kept, took = await self._reply(asked)
            count(took)
            usage += took
            from_cassette = from_cassette and kept
            first = asked is question
            self.replies.questions += first
            try:
                return Reply(parse_reply(asked, raw), raw, usage, from_cassette)
            except ReplyError as error:
                shapeless = asked.options or asked.schema is PlainText
                given_up = bool(asked.follow_up or shapeless or raw.finish_reason == "content_filter")
                self.replies.unparsable += first
                self.replies.lost += given_up
                if given_up:
                    raise ReplyError(_unusable(self._place(asked), error), error.raw) from error
                cut_off = raw.finish_reason == "length"
                asked = asked.again(
                    raw.text,
                    str(error),
                    2 * (asked.max_tokens or self.settings.max_tokens) if cut_off else asked.max_tokens,
                )

    async def _reply(self, question: Question[Any]) -> tuple[RawReply, bool, Usage]:
        """What the model said, whether it was kept, and what it took: nothing where the same was asked a moment ago."""
        key = self._keys.compute(question)
        if recent := self._recent.get(key):
            return *recent, Usage()
        for keeper in self.keepers:
            if found := keeper.get(key):
                return found.reply, True, self._remember(key, found.reply, kept=True)
        if self.cassette is not None and self.cassette.mode == "replay":
            self._misses = self._misses or MissExplainer(self.cassette, self.settings)
            raise CassetteMiss(self._misses.explain(question))
        task = self._under_way.get(key)
        asked_here = task is None
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._live(key, question))
            task.add_done_callback(lambda done: self._ended(key, done))
        try:
            raw, took = await asyncio.shield(task)
        except JudgeError as error:
            raise JudgeError(f"{self._place(question)}: {error}") from error
        return raw, False, took if asked_here else Usage()

    async def _live(self, key: str, question: Question[Any]) -> tuple[RawReply, Usage]:
        """Asks the model, and keeps what it said before anything is made of it."""
        import openai  # litellm's errors are its errors

        made = 0
        try:
            async for attempt in retrying(self.settings.attempts, self._count_retry, self.settings.wait):
                with attempt:
                    made += 1
                    raw = await self._call(question)
        except (openai.OpenAIError, TimeoutError) as error:
            times = f"{made} times, at last" if made > 1 else "once"
            raise JudgeError(f"the call failed {times}: {explain(error, self.settings.timeout)}") from error
        kept = make_recording(key, question, self.settings.parameters, raw)
        for keeper in self.keepers:
            keeper.put(kept)
        return raw, self._remember(key, raw, kept=False)

    def _remember(self, key: str, raw: RawReply, *, kept: bool) -> Usage:
        usage = Usage(1, int(kept), raw.tokens_in, raw.tokens_out, raw.tokens_cached, raw.usd, raw.seconds)
        self.usage += usage
        self._recent[key] = (raw, kept)
        if len(self._recent) > _RECENT_REPLIES:
            self._recent.popitem(last=False)
        return usage

    def _ended(self, key: str, task: "asyncio.Task[tuple[RawReply, Usage]]") -> None:
        self._under_way.pop(key, None)
        if not task.cancelled():
            task.exception()  # seen, also where everybody who asked is gone

    async def _call(self, question: Question[Any]) -> RawReply:
        limiter = self._limiter()
        async with limiter.slot() as ticket:
            await self.budget.begin()
            raw = None
            try:
                raw = await complete(question, self.settings, self._route())
                limiter.went_well()
            except Exception as error:
                if is_too_many(error):
                    limiter.halve(ticket)
                raise
            finally:
                self.budget.end(raw)
            return raw

    def _route(self) -> dict[str, Any]:
        settings = self.settings
        if not settings.model.startswith(GGUF):
            return {"model": settings.model} | ({"api_base": settings.api_base} if settings.api_base else {})
        if self._local is None:
            from .local import LocalServer

            self._local = LocalServer(settings.model.removeprefix(GGUF), settings.concurrency, settings.context_tokens)
        return {"model": f"openai/{self.name}", "api_base": self._local.api_base, "api_key": "none"}

    def _limiter(self) -> AdaptiveLimiter:
        loop = asyncio.get_running_loop()
        if loop not in self.limiters:
            self.limiters[loop] = AdaptiveLimiter(self.settings.concurrency)
        return self.limiters[loop]

    def _count_retry(self, _: BaseException) -> None:
        self.retries += 1

    def _place(self, question: Question[Any]) -> str:
        sample = f" for sample {question.sample}" if question.sample else ""
        return f"{self.name}, prompt {question.prompt.identity}{sample}"

    def close(self) -> None:
        """Merges the cassette's journal and lets a local model go."""
        if self.cassette is not None:
            self.cassette.close()
        self._local = None

    async def __aenter__(self) -> "LiteLLMJudge":
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends the calls that nobody waits for any more, then closes."""
        left = [task for task in self._under_way.values() if task.get_loop() is asyncio.get_running_loop()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        self.close()


def _unusable(place: str, error: ReplyError) -> str:
    said = " ".join(error.raw.split())
    beginning = f'. It began: "{said[:120]}"' if said else ""
    return f"{place}: the reply cannot be used: {error}{beginning}"
