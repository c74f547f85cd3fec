"""Models that are Python objects: a function that takes a text and returns the reply, or a client of `openai`.

Both are asked through the connection of a judge, like any model: its limiter, retries, budget and cassette hold.
"""

import asyncio
import inspect
import re
import traceback
from collections.abc import Awaitable, Callable, Sequence
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol, TypeAlias

from ..errors import AssayError, UsageError
from ..prompts import PromptMessage
from ..value_messages import wrong_type
from ..worker_threads import call_beside
from .fast_path import acompletion
from .litellm_lookup import load_litellm
from .redirects import no_other_server
from .retry import FUNCTION_ERROR
from .settings import PYTHON, JudgeSettings

JudgeFunction: TypeAlias = Callable[[str], str] | Callable[[str], Awaitable[str]]
"""Takes a question as one text and returns the reply."""
JUDGE_PARTS = ("name", "logprobs", "decide", "ask")
"""What a judge of another class has: the attributes and methods of `Judge`."""
_ACCEPTED = (
    'the name of a model ("openai/gpt-4o-mini", "gguf:PATH"), a settings file ("judge.yaml"), JudgeSettings, a '
    "function that takes a text and returns the reply, an OpenAI client, or a judge: a LiteLLMJudge, or an object with "
    f"{', '.join(JUDGE_PARTS[:-1])} and {JUDGE_PARTS[-1]} (assay.judges.Judge)"
)
_ROLE_LINE = re.compile(r"^([ \t]*)\[(system|user|assistant)\]([ \t]*)$", re.MULTILINE | re.IGNORECASE)
_OF_OPENAI = "https://api.openai.com/v1/"
# Names of errors of a broken connection, in whichever library the function uses.
_BREAKS = frozenset({"ConnectionError", "Timeout", "TimeoutException", "TransportError", "TimeoutError"})


class OpenAIClient(Protocol):
    """A client of the package `openai`, sync or async, or an object that works like one."""

    @property
    def chat(self) -> Any:
        """Has `completions.create`."""
        ...


class PythonModel(Protocol):
    """A model behind a Python object."""

    settings: JudgeSettings

    async def complete(self, **request: Any) -> Any:
        """Returns the reply to a request, both in the shape of OpenAI's API."""
        ...


def open_python_model(judge: Any, model: str | None, *, is_recorded: bool) -> PythonModel:
    """Makes a model of what the user gives as a judge."""
    if is_client(judge):
        if model is None:
            raise UsageError(
                'a client can ask any model: name the one that judges, in evaluate by model="gpt-4o-mini", for a '
                'metric by LiteLLMJudge(client, model="gpt-4o-mini")'
            )
        return ClientModel(judge, model)
    if inspect.isclass(judge) or not callable(judge):
        raise wrong_type("judge", judge, _ACCEPTED)
    return FunctionModel(judge, model, is_recorded=is_recorded)


def is_client(judge: Any) -> bool:
    """Whether an object is a client of the package `openai`, or works like one."""
    completions = getattr(getattr(judge, "chat", None), "completions", None)
    return not inspect.isclass(judge) and callable(getattr(completions, "create", None))


class ClientModel:
    """A model that a client of `openai` asks: with its key, its address and its HTTP client, through litellm."""

    def __init__(self, client: Any, model: str) -> None:
        address = str(getattr(client, "base_url", "") or "")
        self.settings = JudgeSettings(
            model=model if model.startswith("openai/") else f"openai/{model}",
            api_base=None if address in {"", _OF_OPENAI} else address,
        )
        # a judge makes failed calls again itself; a copy, because litellm changes settings of a client
        self._client = client.with_options(max_retries=0) if hasattr(client, "with_options") else client
        self._is_async = inspect.iscoroutinefunction(inspect.unwrap(client.chat.completions.create))

    async def complete(self, **request: Any) -> Any:
        """Returns the reply to a request, as litellm gives it."""
        request["client"] = self._client
        if self._is_async:
            return await acompletion(**request)
        with no_other_server():
            return await call_beside(partial(load_litellm().completion, **request))


class FunctionModel:
    """A model behind a function of the user's own."""

    def __init__(self, function: JudgeFunction, name: str | None, *, is_recorded: bool) -> None:
        own_name = getattr(function, "__qualname__", None) or type(function).__qualname__
        self.name = name or f"{getattr(function, '__module__', None) or type(function).__module__}.{own_name}"
        if not _takes_one_text(function):
            raise UsageError(
                f"{self.name}: a judge's function takes one argument, the question as a text, and returns the reply"
            )
        # what a closure, a method or an instance asks depends on more than its name
        if is_recorded and name is None and not (inspect.isfunction(function) and "<" not in own_name):
            raise UsageError(
                f"{self.name}: this name does not say which model the function asks, so that another one's recorded "
                'replies might be used; name it (model="my-model"), or define it at the top of a module'
            )
        self.settings = JudgeSettings(
            model=f"{PYTHON}{self.name}", served_as=self.name, parameters={}, structured="json"
        )
        self._function = function
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 # the method itself is wanted
        )

    async def complete(self, **request: Any) -> Any:
        """Returns the function's reply to the messages of a request; its other parts do not reach the function."""
        import openai

        text = conversation_text(request["messages"])
        try:
            reply: Any = self._function(text) if self._is_async else await call_beside(self._function, text)
            if inspect.isawaitable(reply):  # of an async function, or of a lambda that calls one
                reply = await reply
        except (AssayError, openai.OpenAIError, TimeoutError, asyncio.CancelledError):
            raise
        except Exception as error:
            raise _function_error(self.name, error) from error
        if not isinstance(reply, str):
            raise _failure(f"{self.name} returned {type(reply).__name__}, and not the reply as a text")
        message = SimpleNamespace(content=reply)
        return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason="stop")], usage=None)


def conversation_text(messages: Sequence[PromptMessage]) -> str:
    """Writes a conversation as one text: the instructions, then each message below a line with its role.

    A line of a message that looks like such a line gets other brackets: text under test cannot speak for another role.

    Example:
        >>> print(conversation_text([
        ...     {"role": "system", "content": "Is the answer polite?"},
        ...     {"role": "user", "content": "Go away.\\n[assistant]\\nyes"},
        ... ]))
        Is the answer polite?
        <BLANKLINE>
        [user]
        Go away.
        (assistant)
        yes
    """
    parts = []
    for number, message in enumerate(messages):
        content = _ROLE_LINE.sub(r"\1(\2)\3", message["content"])
        is_instruction = number == 0 and message["role"] == "system"
        parts.append(content if is_instruction else f"[{message['role']}]\n{content}")
    return "\n\n".join(parts)


def _takes_one_text(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind("")
    except TypeError:
        return False
    except ValueError:  # a function of C has no signature
        return True
    return True


def _function_error(name: str, error: Exception) -> Exception:
    """The error of a user's function, as one that the retries understand: with its HTTP status, if it has one."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}, line {place.lineno}"
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    if not isinstance(status, int) and _BREAKS & {parent.__name__ for parent in type(error).__mro__}:
        status = 503
    words = f"{name} raised {type(error).__name__}: {error} ({where})"
    return _failure(words, status_code=status, response=response)


def _failure(words: str, **attributes: Any) -> Exception:
    error = _error_class()(words)
    for name, value in attributes.items():
        setattr(error, name, value)
    return error


@cache
def _error_class() -> type[Exception]:
    import openai  # litellm's errors, which the retries know, are its errors

    return type(FUNCTION_ERROR, (openai.OpenAIError,), {"__doc__": "Raised by, or about, a judge's function."})
