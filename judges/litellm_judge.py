"""The judge: any model that litellm reaches, remembered, bounded, and asked again where that is worth it."""

import asyncio
import os
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from ..errors import CassetteMiss, JudgeError, ReplyError
from ..prompts import load_prompt
from .budget import Budget
from .cassette import Cassette, Mode
from .key import Keys, schema_of
from .limiter import AdaptiveLimiter
from .miss import explain_miss
from .question import Alternatives, PlainText, Question, RawReply, Reply, Usage
from .recording import Recording, record
from .retry import retrying, status_of
from .settings import GGUF, JudgeSettings, load_settings
from .structured import parse_reply

T = TypeVar("T", bound=BaseModel)

_RECENT_REPLIES = 1024
_ALTERNATIVES = 10


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
        settings = load_settings(judge) if isinstance(judge, str) else judge
        self.settings = JudgeSettings.model_validate(settings.model_dump() | overrides)
        self.name = self.settings.identity
        self.logprobs = self.settings.logprobs
        self.budget = budget or Budget()
        self.cassette = Cassette(cassette, mode) if isinstance(cassette, (str, Path)) else cassette
        self.keepers: list[ReplyKeeper] = [] if self.cassette is None else [self.cassette]
        self.usage = Usage()
        self.retries = 0
        self.limiters: WeakKeyDictionary[asyncio.AbstractEventLoop, AdaptiveLimiter] = WeakKeyDictionary()
        self._keys = Keys(self.settings)
        self._recent: OrderedDict[str, RawReply] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[RawReply]] = {}
        self._local: Any = None

    async def ask(self, question: Question[T]) -> Reply[T]:
        """The reply, parsed; a bad one is repaired, then asked for once more, then an error.

        Raises `CassetteMiss` in replay, `ReplyError` for an unusable reply, `JudgeError` for a failed call,
        `BudgetReached` at a bound.
        """
        usage, from_cassette = Usage(), True
        asked = question
        while True:
            raw, took = await self._reply(asked)
            usage += took
            from_cassette = from_cassette and took.from_cassette == took.calls
            try:
                return Reply(parse_reply(asked, raw), raw, usage, from_cassette)
            except ReplyError as error:
                shapeless = asked.options or asked.schema is PlainText
                if asked.follow_up or shapeless or raw.finish_reason == "content_filter":
                    raise ReplyError(f"{self._place(asked)}: the reply cannot be used: {error}", error.raw) from error
                cut_off = raw.finish_reason == "length"
                asked = asked.again(
                    raw.text,
                    str(error),
                    load_prompt("fix", asked.prompt.language),
                    2 * (asked.max_tokens or self.settings.max_tokens) if cut_off else asked.max_tokens,
                )

    async def _reply(self, question: Question[Any]) -> tuple[RawReply, Usage]:
        """What the model said, and what this asking took: nothing where the same was asked a moment ago."""
        key = self._keys.key(question)
        if raw := self._recent.get(key):
            return raw, Usage()
        for keeper in self.keepers:
            if kept := keeper.get(key):
                raw = kept.reply
                break
        else:
            if self.cassette is not None and self.cassette.mode == "replay":
                raise CassetteMiss(explain_miss(self.cassette, question, self.settings))
            task = self._under_way.get(key)
            if task is not None:
                return await asyncio.shield(task), Usage()
            task = self._under_way[key] = asyncio.create_task(self._live(key, question))
            task.add_done_callback(lambda done: self._under_way.pop(key, None))
            raw = await asyncio.shield(task)
        from_cassette = int(kept is not None)
        usage = Usage(1, from_cassette, raw.tokens_in, raw.tokens_out, raw.tokens_cached, raw.usd, raw.seconds)
        self.usage += usage
        self._recent[key] = raw
        if len(self._recent) > _RECENT_REPLIES:
            self._recent.popitem(last=False)
        return raw, usage

    async def _live(self, key: str, question: Question[Any]) -> RawReply:
        """Asks the model, and keeps what it said before anything is made of it."""
        import openai  # litellm's errors are its errors

        try:
            async for attempt in retrying(self.settings.attempts, self._count_retry):
                with attempt:
                    raw = await self._call(question)
        except (openai.OpenAIError, TimeoutError) as error:
            cause = " ".join(str(error).split())[:500] or "no message"
            raise JudgeError(f"{self._place(question)}: the call failed: {type(error).__name__}: {cause}") from error
        kept = record(key, question, self.settings.parameters, raw)
        for keeper in self.keepers:
            keeper.put(kept)
        return raw

    async def _call(self, question: Question[Any]) -> RawReply:
        limiter = self._limiter()
        async with limiter.slot() as ticket:
            self.budget.begin()
            raw = None
            try:
                raw = await self._complete(question)
                limiter.went_well()
            except Exception as error:
                if status_of(error) == 429:
                    limiter.halve(ticket)
                raise
            finally:
                self.budget.end(raw)
            return raw

    async def _complete(self, question: Question[Any]) -> RawReply:
        litellm, settings = load_litellm(), self.settings
        begun = time.perf_counter()
        async with asyncio.timeout(settings.timeout + 5):  # a server that dribbles never meets the client's own
            response = await litellm.acompletion(
                **self._route(),
                **_shape(litellm, question, settings),
                **settings.parameters,
                timeout=settings.timeout,
                num_retries=0,
                max_retries=0,
                drop_params=True,
            )
        return _raw_reply(litellm, response, settings, time.perf_counter() - begun)

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
        self.close()


def load_litellm() -> Any:
    """litellm, imported at the first live call, without its price map's download, telemetry and prints."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


def _shape(litellm: Any, question: Question[Any], settings: JudgeSettings) -> dict[str, Any]:
    """The messages, and the parameters that ask for the reply's shape."""
    messages: Sequence[Any] = question.messages
    shape: dict[str, Any] = {"max_tokens": question.max_tokens or settings.max_tokens}
    if question.logprobs and settings.logprobs:
        shape |= {"logprobs": True, "top_logprobs": _ALTERNATIVES}
    if question.options:
        shape["max_tokens"] = question.max_tokens or 1
    elif question.schema is PlainText:
        pass
    elif settings.structured == "schema" or (
        settings.structured == "auto" and litellm.supports_response_schema(settings.model)
    ):
        named = {"name": question.schema.__name__, "schema": schema_of(question.schema), "strict": True}
        shape["response_format"] = {"type": "json_schema", "json_schema": named}
    else:
        first = messages[0] | {"content": f"{messages[0]['content']}\nJSON schema: {schema_of(question.schema)}"}
        messages = [first, *messages[1:]]
        shape["response_format"] = {"type": "json_object"}
    return shape | {"messages": messages}


def _raw_reply(litellm: Any, response: Any, settings: JudgeSettings, seconds: float) -> RawReply:
    choice, usage = response.choices[0], response.usage
    cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None) or 0
    return RawReply(
        model=settings.identity,
        text=choice.message.content or getattr(choice.message, "refusal", None) or "",
        finish_reason=choice.finish_reason or "stop",
        logprobs=_alternatives(choice),
        tokens_in=usage.prompt_tokens,
        tokens_out=usage.completion_tokens,
        tokens_cached=cached,
        usd=_cost(litellm, response, settings),
        seconds=seconds,
    )


def _alternatives(choice: Any) -> tuple[Alternatives, ...] | None:
    content = getattr(getattr(choice, "logprobs", None), "content", None)
    if not content:
        return None
    return tuple(
        {place.token: place.logprob} | {each.token: each.logprob for each in place.top_logprobs or []}
        for place in content
    )


def _cost(litellm: Any, response: Any, settings: JudgeSettings) -> float | None:
    """USD, by the settings' price or litellm's; None where neither knows: unknown is not free."""
    usage = response.usage
    if settings.price is not None:
        return (usage.prompt_tokens * settings.price.input + usage.completion_tokens * settings.price.output) / 1e6
    try:
        return float(litellm.completion_cost(response, model=settings.model))
    except Exception as unknown:  # litellm raises a bare Exception for a model without a price
        if "isn't mapped" in str(unknown) or "not mapped" in str(unknown):
            return None
        raise
