"""How many calls run at once, which failed ones are made again, and how long to wait before."""

import asyncio
import itertools
import json
import random
import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TypeVar

from pydantic import ValidationError

from ..errors import AssayError, InputError, JudgeUnavailable, UsageError
from .litellm_lookup import load_litellm, name_api_key
from .secrets import Scrubber

T = TypeVar("T")
FUNCTION_ERROR = "FunctionError"  # the class of errors of a judge that is a Python function
LONGEST_WAIT = 60.0  # seconds before one attempt
LONGEST_TOTAL = 600.0  # seconds for all attempts of one call
_NOT_OFFERED = 501
_PASSING = frozenset({200, 408, 409, 425, 429})  # a 200 is an error when what came is no JSON
REFUSED = frozenset({401, 402, 403, 404, 405, 413, 415, 422, 429, _NOT_OFFERED, 503, 529})
"""The HTTP statuses of requests that a provider refuses before any work, at no cost; 503 and 529 say it is too busy."""
# Errors of aiohttp, httpx, urllib3 and Python before a connection was made.
_NOT_CONNECTED = frozenset(
    {"ClientConnectorError", "ConnectionTimeoutError", "ConnectTimeout", "PoolTimeout", "ConnectionRefusedError"}
    | {"gaierror", "NewConnectionError", "NameResolutionError", "UnsupportedProtocol", "InvalidURL"}
)
_ABOUT_THE_REQUEST = frozenset({400, 413, 422})
_LITELLM_PREFIX = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Timeout): )+(?:\w+Exception - )?")
_OBJECT = re.compile(
    r"(?<!\s)\s*(?:\b\w+[:=])?<[^<>]{1,200} at 0x[0-9A-Fa-f]+>|(?<=\w) ssl:(?:default|True|False|None)(?= \[)"
)
_OUT_OF_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})


class AdaptiveLimiter:
    """Lets a number of calls run at once that adapts to the provider.

    A burst of 429s halves the limit once: `halve` counts once for all calls that were under way at the last halving.
    After as many successful calls as the limit it grows by one.

    Attributes:
        limit: How many calls may run at once now, from 1 to `most`.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = most
        self.running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._successes = 0
        self._halvings = 0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Waits for a place, first come, first served; yields a ticket for `halve`."""
        ticket = await self._take_place()
        try:
            yield ticket
        finally:
            self._leave_place()

    async def _take_place(self) -> int:
        if self.running < self.limit:
            self.running += 1
            return self._halvings
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave_place()  # the place was given to a caller that is gone
            raise
        return self._halvings

    def _leave_place(self) -> None:
        self.running -= 1
        self._give_places()

    def _give_places(self) -> None:
        while self._waiting and self.running < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():  # one that is done was cancelled
                self.running += 1  # taken for the waiter here and now, so that no newcomer slips in before it
                turn.set_result(None)

    def count_success(self) -> None:
        """Counts a call that succeeded."""
        self._successes += 1
        if self._successes >= self.limit:
            self._successes = 0
            self.limit = min(self.most, self.limit + 1)
            self._give_places()

    def halve(self, ticket: int) -> None:
        """Halves the limit after the provider said that there are too many calls."""
        if ticket == self._halvings:
            self._halvings += 1
            self._successes = 0
            self.limit = max(1, self.limit // 2)


_run_limiter: ContextVar[AdaptiveLimiter | None] = ContextVar("run_limiter", default=None)


@contextmanager
def one_limit(most: int) -> Iterator[None]:
    """Lets all models that are asked within make no more calls at once, together, than this."""
    token = _run_limiter.set(AdaptiveLimiter(most))
    try:
        yield
    finally:
        _run_limiter.reset(token)


def run_slot() -> AbstractAsyncContextManager[int | None]:
    """A place among the calls of all models within `one_limit`; at once where there is none."""
    of_run = _run_limiter.get()
    return nullcontext() if of_run is None else of_run.slot()


def http_status(error: BaseException) -> int | None:
    """Returns the HTTP status behind an error of litellm, or None."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def explain(error: BaseException, timeout: float, scrubber: Scrubber) -> str:
    """Describes a failed call in one line: the kind, the provider's words, and what to do where that is known."""
    kinds = load_litellm().exceptions
    words = " ".join(str(error).partition("Traceback (most recent call last)")[0].split())
    words = _message_of(_LITELLM_PREFIX.sub("", words))
    if _is_connection_error(error) and "Connection error" not in words:
        words = f"Connection error: {words}"
    words = scrubber.scrub_error(without_objects(words))[:500] or f"no reply within {timeout:g} s"
    cure = ""
    if isinstance(error, kinds.ContextWindowExceededError):
        cure = "; shorten the contexts, or choose a judge that reads more"
    elif http_status(error) in {401, 403}:
        cure = f"; check the key in {name_api_key(error)}, and what it may use"
    elif http_status(error) == 404:
        cure = "; check the judge's model and api_base"
    elif is_not_offered(error):
        cure = "; where the model is a chat model and no decision model, set `decide: listed` in the judge's settings"
    elif _is_out_of_credit(error):
        cure = "; the account has no credit left"
    kind = "" if type(error).__name__ == FUNCTION_ERROR else f"{type(error).__name__}: "  # its words name the cause
    return f"{kind}{words}{cure}"


def without_objects(words: str) -> str:
    """The words of an error without the Python objects that it prints, which say nothing and differ each time.

    Example:
        >>> without_objects("Cannot connect to host x.org:443 ssl:<ssl.SSLContext object at 0x7f4e08b22840> [Refused]")
        'Cannot connect to host x.org:443 [Refused]'
    """
    return _OBJECT.sub("", words)


def _message_of(words: str) -> str:
    """The message alone, where a provider's words are an error's body in OpenAI's shape; else the words."""
    try:
        body = json.loads(words)
    except (ValueError, RecursionError):
        return words
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return message if isinstance(message, str) and message.strip() else words


def is_not_offered(error: BaseException) -> bool:
    """Whether the server does not offer what was asked: 501, as for typed questions to a model that cannot decide."""
    return http_status(error) == _NOT_OFFERED


def is_too_many(error: BaseException) -> bool:
    """Whether the provider asks for fewer calls at once: 429, but not the 429 of an account without credit."""
    return http_status(error) == 429 and not _is_out_of_credit(error)


def concerns_the_request(error: BaseException) -> bool:
    """Whether a call failed for what it asked (too long, refused, malformed), so that another question may go well."""
    kinds = load_litellm().exceptions
    about_content = isinstance(error, (kinds.ContextWindowExceededError, kinds.ContentPolicyViolationError))
    return about_content or (http_status(error) in _ABOUT_THE_REQUEST and not _is_out_of_credit(error))


def costs_nothing(error: BaseException) -> bool:
    """Whether a failed call surely cost nothing: it was never sent, not connected, or refused before any work.

    Anything else may have been charged: a body that was cut short or cannot be read, a time-out, a connection that
    broke after the request was sent, a 500, 502 or 504, a 400 (Azure charges for one of its content filter), Ctrl-C,
    and a 200 whose body says an error.
    """
    if isinstance(error, (InputError, UsageError, JudgeUnavailable)):  # before anything was sent
        return True
    chain = [error, *_causes(error)]
    kinds = {kind.__name__ for link in chain for kind in type(link).__mro__}
    if kinds & _NOT_CONNECTED or ("ConnectError" in kinds and "ClientOSError" not in kinds):
        return True  # litellm calls also a connection that broke later, a ClientOSError of aiohttp, a ConnectError
    statuses = _response_statuses(chain)
    return bool(statuses) and statuses <= REFUSED


def _response_statuses(chain: list[BaseException]) -> set[int]:
    """The HTTP statuses of the responses themselves; litellm gives its errors also one that a 200's body names."""
    import httpx

    makers = [type(link).__module__.partition(".")[0] for link in chain]
    statuses = {link.response.status_code for link in chain if isinstance(link, httpx.HTTPStatusError)}
    for link, maker in zip(chain, makers, strict=True):
        is_of_function = type(link).__name__ == FUNCTION_ERROR and "litellm" not in makers
        if (maker == "openai" or is_of_function) and (status := http_status(link)) is not None:
            statuses.add(status)
    return statuses


def is_passing(error: BaseException) -> bool:
    """Whether the same call may go well later: 429, 5xx, a time-out, a broken connection. Not 401, 400, 404, ..."""
    if (
        isinstance(error, AssayError)
        or concerns_the_request(error)
        or _is_out_of_credit(error)
        or is_not_offered(error)
    ):
        return False
    if isinstance(error, (TimeoutError, load_litellm().exceptions.Timeout)):
        return True
    status = http_status(error)
    if status is None:
        import openai

        return isinstance(error, openai.APIConnectionError)  # of a client in the user's own function
    if not (status in _PASSING or status >= 500):
        return False
    return bool(_headers(error)) or not _was_never_sent(error)


def _is_out_of_credit(error: BaseException) -> bool:
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        return body.get("code") in _OUT_OF_CREDIT
    return any(f'"{code}"' in str(error) for code in _OUT_OF_CREDIT)  # most providers' bodies stand only there


def _was_never_sent(error: BaseException) -> bool:
    """Whether litellm's 500 stands for a request that could not be sent: no key, or text that cannot be encoded."""
    import openai

    cause = error
    for cause in _causes(error):
        if isinstance(cause, OSError):
            return False
        if isinstance(cause, ValueError):
            return not isinstance(cause, (json.JSONDecodeError, ValidationError))  # these are a reply that is no JSON
    return type(cause) is openai.OpenAIError or isinstance(cause, TypeError)


def _is_connection_error(error: BaseException) -> bool:
    """Whether the connection could not be made, or broke."""
    import httpx

    return any(isinstance(cause, httpx.NetworkError) for cause in _causes(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The errors behind an error, the nearest first, each once: litellm's time-out is the cause of its own cause."""
    passed = {id(error)}
    while (cause := error.__cause__ or error.__context__) is not None and id(cause) not in passed:
        passed.add(id(cause))
        yield cause
        error = cause


def _headers(error: BaseException) -> dict[str, str]:
    """The headers of the provider's reply, in lower case; litellm keeps them in one of two places."""
    own_headers = getattr(error, "litellm_response_headers", None) or {}
    reply_headers = getattr(getattr(error, "response", None), "headers", None) or {}
    return {str(name).lower(): str(value) for name, value in {**reply_headers, **own_headers}.items()}


def retry_after(error: BaseException) -> float | None:
    """Returns the seconds that the provider asks to wait, as `read_retry_after`."""
    return read_retry_after(_headers(error))


def read_retry_after(values: Mapping[str, str]) -> float | None:
    """Returns the seconds that a reply asks to wait, from `retry-after-ms` or `Retry-After`; None without either.

    Example:
        >>> read_retry_after({"Retry-After": "7"}), read_retry_after({"Retry-After": "soon"})
        (7.0, None)
    """
    headers = {name.lower(): value for name, value in values.items()}
    try:
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        pass
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:  # none, or a date: then the pause is ours
        return None


async def call_with_retries(
    call: Callable[[], Awaitable[T]], attempts: int, on_retry: Callable[[BaseException], None], wait: float = 0.5
) -> T:
    """Awaits a call, and makes it again where its error may pass: after what the provider asks, else a random pause."""
    paused = 0.0
    for attempt in itertools.count(1):
        try:
            return await call()
        except Exception as error:
            if attempt >= attempts or not is_passing(error):
                raise
            asked = retry_after(error)
            most = wait * 2 ** (attempt - 1) if asked is None else asked
            pause = min(most, LONGEST_WAIT) * (random.random() if asked is None else 1)
            paused += pause
            if paused > LONGEST_TOTAL:
                raise
            on_retry(error)
        await asyncio.sleep(pause)
    raise AssertionError("an attempt returns or raises")
