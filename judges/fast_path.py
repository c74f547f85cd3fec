"""The fast path: a call through litellm without the work that litellm does around it.

`litellm.acompletion` makes each request ready in a thread, keeps a log of it for callbacks, and looks up its price:
together a good third of the processor's time for a call (`benchmarks/live_speed.py`). The fast path leaves that out
where nobody has asked litellm for it. It uses internals of litellm, so that litellm's range is bounded in
`pyproject.toml`; where they are others than expected, every call takes litellm's full path.
"""

import datetime
import inspect
import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

from .litellm_loader import load_litellm

_LOG = logging.getLogger(__name__)
_LISTENERS = ("callbacks", "success_callback", "failure_callback", "_async_success_callback", "_async_failure_callback")
# What users set in litellm that only `litellm.acompletion` takes care of.
_LEFT_TO_LITELLM = (
    *_LISTENERS,
    "cache",
    "max_budget",
    "model_fallbacks",
    "credential_list",
    "pre_call_rules",
    "post_call_rules",
)
# Other providers may wait for something, such as a token, while they make a request ready: not on our event loop.
_PROVIDERS = ("openai/", "hosted_vllm/")
# What goes to the provider as it is. The rest (`fallbacks`, `cache`, `mock_response`, ...) is for litellm itself.
_PASSED_ON = frozenset(
    {"model", "messages", "api_base", "api_key", "timeout", "max_tokens", "num_retries", "max_retries", "drop_params"}
    | {"response_format", "logprobs", "top_logprobs", "temperature", "top_p", "seed", "stop"}
    | {"presence_penalty", "frequency_penalty", "extra_body"}
)


class _Internals(NamedTuple):
    """What the fast path uses of litellm's internals."""

    call_log: Any  # the class of a call's log
    is_internal_call: ContextVar[bool]  # True: nobody listens, so that no log is kept


async def acompletion(**request: Any) -> Any:
    """Returns what `litellm.acompletion(**request)` returns, and raises what it raises."""
    litellm, internals = load_litellm(), _internals()
    is_passed_on = request["model"].startswith(_PROVIDERS) and request.keys() <= _PASSED_ON
    if internals is not None and is_passed_on and not _is_any_set(litellm, _LEFT_TO_LITELLM):
        return await _complete(litellm, internals, request)
    with _without_unheard_log(litellm, internals):
        return await litellm.acompletion(**request)


async def aembedding(**request: Any) -> Any:
    """Returns what `litellm.aembedding(**request)` returns, and raises what it raises."""
    litellm = load_litellm()
    with _without_unheard_log(litellm, _internals()):
        return await litellm.aembedding(**request)


async def call_batch_function(name: str, **request: Any) -> Any:
    """Returns what a function of litellm's on files or batches returns, such as `acreate_batch`.

    While nobody listens to litellm's log, nothing is logged: to log a batch that has ended, litellm reads its results.
    """
    litellm = load_litellm()
    with _without_unheard_log(litellm, _internals()):
        return await getattr(litellm, name)(**request)


@contextmanager
def _without_unheard_log(litellm: Any, internals: _Internals | None) -> Iterator[None]:
    """Switches off litellm's log of a call while nothing listens to it: the log takes as long as the call."""
    if internals is None or _is_any_set(litellm, _LISTENERS):
        yield
        return
    token = internals.is_internal_call.set(True)
    try:
        yield
    finally:
        internals.is_internal_call.reset(token)


async def _complete(litellm: Any, internals: _Internals, request: dict[str, Any]) -> Any:
    """Makes the call that `litellm.acompletion` hands to its thread."""
    call_log = internals.call_log(**_log_arguments(request["model"], request["messages"]))
    reply = litellm.completion(acompletion=True, litellm_logging_obj=call_log, **request)
    try:
        return await reply
    except Exception as error:
        provider, _, _ = request["model"].partition("/")
        raise litellm.exception_type(
            model=request["model"], original_exception=error, custom_llm_provider=provider, completion_kwargs=request
        ) from error


def _log_arguments(model: str, messages: Any) -> dict[str, Any]:
    return {
        "model": model,
        "messages": messages,
        "stream": False,
        "call_type": "acompletion",
        "start_time": datetime.datetime.now(),
        "litellm_call_id": str(uuid.uuid4()),
        "function_id": "",
    }


@cache
def _internals() -> _Internals | None:
    """Probes litellm's internals, once; None, with one line in the log, where they are not those that are expected."""
    try:
        call_log = load_litellm("litellm_core_utils.litellm_logging").Logging
        is_internal_call = load_litellm("_internal_context").is_internal_call
        inspect.signature(call_log).bind(**_log_arguments("", []))
    except (ImportError, AttributeError, TypeError) as problem:
        _LOG.warning(
            "litellm %s differs from the versions that Assay's fast path knows (%s): calls take litellm's full path, "
            "which is slower and gives the same replies",
            version("litellm"),
            problem,
        )
        return None
    return _Internals(call_log, is_internal_call)


def _is_any_set(litellm: Any, names: tuple[str, ...]) -> bool:
    return any(getattr(litellm, name, None) for name in names)
