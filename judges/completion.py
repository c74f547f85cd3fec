"""One call through litellm, of a chat or a decision model: what is sent, and the reply."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from ..errors import AssayError, JudgeError
from .budget import RequestSize, is_count, least_tokens, most_tokens
from .cassette import likely_alternatives
from .fast_path import acompletion, call_litellm
from .litellm_lookup import known_price, load_litellm, reply_cost, stated_cost, takes_schema
from .probabilities import is_log_probability
from .question import Alternatives, PlainText, Question, RawReply, schema_text, strict_schema
from .retry import without_objects
from .secrets import Scrubber
from .settings import JudgeSettings

_ALTERNATIVES = 10
_GRACE = 5.0  # seconds beyond the client's own time-out, which a server that sends byte by byte never meets


class _NoRetries(int):
    """0 that litellm passes on: where it embeds, it reads a plain 0 as "not set", and sends up to three times."""

    def __bool__(self) -> bool:
        return True


_NO_RETRIES = _NoRetries()


async def complete(
    question: Question[Any],
    settings: JudgeSettings,
    route: dict[str, Any],
    size: RequestSize,
    send: Callable[..., Awaitable[Any]] = acompletion,
) -> RawReply:
    """Asks a model once.

    Raises:
        openai.OpenAIError, TimeoutError: The call failed.
        JudgeError: Something broke on the way.
    """
    is_chat = question.protocol == "chat"
    if is_chat:
        asked = shape_request(question, settings) | settings.parameters | {"drop_params": True}
    else:
        asked, send = dict(question.body or {}), partial(call_litellm, f"a{question.protocol}")
    started = time.perf_counter()
    response = await send_once(send, settings.timeout, settings.scrubber, **route, **asked)
    seconds = time.perf_counter() - started
    if not is_chat:
        return _read_decisions(response, settings, size, seconds)
    if not response.choices:
        raise load_litellm().InternalServerError("the reply has no choices", llm_provider="", model=settings.model)
    return read_reply(response, settings, size, seconds)


async def send_once(send: Callable[..., Awaitable[Any]], patience: float, scrubber: Scrubber, **request: Any) -> Any:
    """Sends one request through litellm, once, in at most so many seconds; `call_with_retries` alone repeats it.

    Raises:
        openai.OpenAIError, TimeoutError: The call failed.
        JudgeError: Something broke on the way.
    """
    import openai  # litellm's errors are its errors

    try:
        async with asyncio.timeout(patience + _GRACE):
            return await send(**request, timeout=patience, num_retries=0, max_retries=_NO_RETRIES)
    except (openai.OpenAIError, TimeoutError, AssayError):
        raise
    except Exception as error:  # litellm lets errors of the libraries below it through: they fail a sample, not a run
        reason = scrubber.scrub_error(without_objects(str(error)))[:500]
        raise JudgeError(f"the call failed within litellm: {type(error).__name__}: {reason}") from error


def _read_decisions(response: Any, settings: JudgeSettings, size: RequestSize, seconds: float) -> RawReply:
    """The reply of a decision model: its body as JSON."""
    text = settings.scrubber.scrub(response.model_dump_json())
    usage = response.usage
    tokens_in, tokens_out = getattr(usage, "input_tokens", None), getattr(usage, "output_tokens", None)
    is_unstated = False
    if is_count(tokens_in, size.least_in) and is_count(tokens_out, 0):
        price = known_price(settings) if (stated := stated_cost(response)) is None else None
        usd = stated if price is None else price.cost(tokens_in, tokens_out)
    else:
        is_unstated, (tokens_in, tokens_out, usd) = True, _most_taken(text, settings, size, tokens_out)
    return RawReply(
        settings.identity,
        text,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        usd=usd,
        seconds=seconds,
        is_unstated=is_unstated,
    )


def _most_taken(text: str, settings: JudgeSettings, size: RequestSize, stated: object) -> tuple[int, int, float | None]:
    """What a reply without possible usage took at most, or `stated` tokens out; its cost, None without a price."""
    tokens_in, tokens_out = size.most_in, max([most_tokens(text, size), *filter(is_count, [stated])])
    usd = None if settings.price is None else settings.price.cost(tokens_in, tokens_out)
    return tokens_in, tokens_out, usd


def shape_request(question: Question[Any], settings: JudgeSettings) -> dict[str, Any]:
    """Returns the messages of a request, and the parameters that ask for the reply's shape."""
    messages: Sequence[Any] = question.messages
    schema: Any = question.schema
    shape: dict[str, Any] = {"max_tokens": question.max_tokens or settings.max_tokens}
    if question.logprobs and settings.logprobs:
        shape |= {"logprobs": True, "top_logprobs": _ALTERNATIVES}
    if question.options:
        shape["max_tokens"] = question.max_tokens or 1
    elif schema is PlainText:
        pass
    elif settings.structured == "schema" or (settings.structured == "auto" and takes_schema(settings.model)):
        named = {"name": schema.__name__, "schema": strict_schema(schema), "strict": True}
        shape["response_format"] = {"type": "json_schema", "json_schema": named}
    else:
        opening = f"{messages[0]['content']}\nJSON schema: {schema_text(schema)}"
        messages = [messages[0] | {"content": opening}, *messages[1:]]
        shape["response_format"] = {"type": "json_object"}
    return shape | {"messages": messages}


def read_reply(response: Any, settings: JudgeSettings, size: RequestSize, seconds: float) -> RawReply:
    """Returns the raw reply that is made of a response, without the secrets that it repeats."""
    choice, usage = response.choices[0], getattr(response, "usage", None)
    text = settings.scrubber.scrub(_sendable(choice.message.content or _refusal(choice.message)))
    tokens_in, tokens_out = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    is_unstated = False
    if is_count(tokens_in, size.least_in) and is_count(tokens_out, least_tokens(text)):
        usd = reply_cost(response, settings)
    else:
        is_unstated, (tokens_in, tokens_out, usd) = True, _most_taken(text, settings, size, tokens_out)
    tokens_cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None)
    return RawReply(
        model=settings.identity,
        text=text,
        finish_reason=choice.finish_reason or "stop",
        logprobs=_alternatives(choice),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_cached=tokens_cached if isinstance(tokens_cached, int) and 0 <= tokens_cached <= tokens_in else 0,
        usd=usd,
        seconds=seconds,
        is_unstated=is_unstated,
    )


def _refusal(message: Any) -> str:
    further = getattr(message, "provider_specific_fields", None) or {}
    return getattr(message, "refusal", None) or further.get("refusal") or ""


def _sendable(text: str) -> str:
    """The text without half characters (`\\ud800`), which neither a request nor a file can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _alternatives(choice: Any) -> tuple[Alternatives, ...] | None:
    """The alternatives as they will be replayed: a live score and its replay are the same number.

    None where the provider cannot say how probable its own words were. An impossible number stands alone at its place,
    so that the reply is refused when it is read, live and replayed.
    """
    content = getattr(getattr(choice, "logprobs", None), "content", None)
    if not content:
        return None
    places = []
    for place in content:
        if place.logprob is None:
            return None
        word = _sendable(place.token)
        others = {_sendable(other.token): other.logprob for other in place.top_logprobs or []}
        logprobs = {word: place.logprob} | others
        possible = {token: value for token, value in logprobs.items() if value is not None and value != -math.inf}
        wrong = next((value for value in possible.values() if not is_log_probability(value)), None)
        if wrong is not None or word not in possible:
            places.append({word: -math.inf if wrong is None else wrong})
        else:
            places.append(likely_alternatives(possible))
    return tuple(places)
