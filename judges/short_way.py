"""A call through litellm without what litellm does around it, where nobody has asked litellm for that.

`litellm.acompletion` makes each request ready in a thread, keeps a log of it for callbacks, and looks up its price:
together a good third of the processor's time for a call (`benchmarks/live_speed.py`).
"""

import datetime
import uuid
from typing import Any

_LISTENERS = ("callbacks", "success_callback", "failure_callback", "_async_success_callback", "_async_failure_callback")
# What users set in litellm that `litellm.acompletion` alone sees to.
_AROUND = (
    *_LISTENERS,
    "cache",
    "max_budget",
    "model_fallbacks",
    "credential_list",
    "pre_call_rules",
    "post_call_rules",
)
# Others may wait for something, a token say, while they make a request ready: not on our event loop.
_PROVIDERS = ("openai/", "hosted_vllm/")
# What goes to the provider as it is. Others (`fallbacks`, `cache`, `mock_response`, ...) are litellm's to see to.
_PLAIN = frozenset(
    {"model", "messages", "api_base", "api_key", "timeout", "max_tokens", "num_retries", "max_retries", "drop_params"}
    | {"response_format", "logprobs", "top_logprobs", "temperature", "top_p", "seed", "stop"}
    | {"presence_penalty", "frequency_penalty", "extra_body"}
)


async def acompletion(litellm: Any, **request: Any) -> Any:
    """What `litellm.acompletion(**request)` gives, and raises."""
    model = request["model"]
    plain = model.startswith(_PROVIDERS) and request.keys() <= _PLAIN
    if plain and not _any_set(litellm, _AROUND):
        reply = _begun(litellm, request)
        if reply is not None:
            try:
                return await reply
            except Exception as error:
                provider, _, _ = model.partition("/")
                raise litellm.exception_type(
                    model=model, original_exception=error, custom_llm_provider=provider, completion_kwargs=request
                ) from error
    _unlogged(litellm)
    return await litellm.acompletion(**request)


def _any_set(litellm: Any, names: tuple[str, ...]) -> bool:
    return any(getattr(litellm, name, None) for name in names)


def _begun(litellm: Any, request: dict[str, Any]) -> Any:
    """The reply to wait for, by the call that `litellm.acompletion` hands to its thread; None where that is another."""
    try:
        from litellm.litellm_core_utils.litellm_logging import Logging

        log = Logging(
            model=request["model"],
            messages=request["messages"],
            stream=False,
            call_type="acompletion",
            start_time=datetime.datetime.now(),
            litellm_call_id=str(uuid.uuid4()),
            function_id="",
        )
        return litellm.completion(acompletion=True, litellm_logging_obj=log, **request)
    except (ImportError, TypeError):  # another version of litellm: slower, nothing else
        return None


def _unlogged(litellm: Any) -> None:
    """Tells litellm that nobody listens, where nobody does: its log of a call takes as long as the call."""
    if _any_set(litellm, _LISTENERS):
        return
    try:
        from litellm._internal_context import is_internal_call
    except ImportError:  # another version: slower, nothing else
        return
    is_internal_call.set(True)  # for this task alone: a task has a context of its own
