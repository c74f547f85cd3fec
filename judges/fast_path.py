"""The fast path: a call through litellm without the work that litellm does around it.

`litellm.acompletion` works out for each call anew what depends on the model alone (its provider, how its parameters are
sent), makes the request ready in a thread, keeps a log of it for callbacks, and looks up its price: together more than
half of the processor's time for a call (`benchmarks/live_speed.py`). The fast path looks up once per model what depends
on it, and hands each request to litellm's own handler of the provider, which makes the request and reads the reply. It
is taken where nobody has asked litellm for more. It uses internals of litellm, so that litellm's range is bounded in
`pyproject.toml`; where they are others than expected, every call takes litellm's full path.
"""

import datetime
import inspect
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any, NamedTuple

from .litellm_lookup import load_litellm
from .redirects import no_other_server

_LOG = logging.getLogger(__name__)
_LISTENERS = ("callbacks", "success_callback", "failure_callback", "_async_success_callback", "_async_failure_callback")
# What users set in litellm that only `litellm.acompletion` takes care of.
_LEFT_TO_LITELLM = (
    *_LISTENERS,
    *("cache", "max_budget", "model_fallbacks", "credential_list", "pre_call_rules", "post_call_rules"),
    *("api_key", "openai_key", "api_base", "organization", "headers", "proxy_auth", "aclient_session"),
    *("model_alias_map", "route_all_chat_openai_to_responses", "secret_manager_client"),
    *("drop_params", "num_retries_per_request", "enable_json_schema_validation"),
)
# What users set in the environment for OpenAI's own client, through which litellm's full path reaches `openai/` models.
_LEFT_TO_OPENAI = ("OPENAI_ORGANIZATION", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")
# Other providers may wait for something, such as a token, while they make a request ready: not on our event loop.
_PROVIDERS = frozenset({"openai", "hosted_vllm"})
_FOR_THE_CALL = frozenset(
    {"model", "messages", "api_base", "api_key", "timeout", "num_retries", "max_retries", "drop_params"}
)
# What goes to the provider as it is. The rest (`fallbacks`, `cache`, `mock_response`, ...) is for litellm itself.
_PASSED_ON = _FOR_THE_CALL | {
    *("max_tokens", "response_format", "logprobs", "top_logprobs", "temperature", "top_p", "seed", "stop"),
    *("presence_penalty", "frequency_penalty", "extra_body"),
}


class _Internals(NamedTuple):
    """What the fast path uses of litellm's internals."""

    unheard_log: Any  # the log of every call, made once: nobody listens
    is_internal_call: ContextVar[bool]  # True: nobody listens, so that no log is kept
    handler: Any  # makes a call, written as the provider wants it
    open_client: Callable[[str], Any]  # opens a provider's HTTP client for one call
    find_bridge: Any  # says whether a model is reached by another endpoint than chat completions


class _Endpoint(NamedTuple):
    """Where one call goes, in the words of the provider."""

    provider: str
    model: str
    api_base: str
    api_key: str


async def acompletion(**request: Any) -> Any:
    """Returns what `litellm.acompletion(**request)` returns, and raises what it raises."""
    with no_other_server():
        return await _acompletion(request)


async def _acompletion(request: dict[str, Any]) -> Any:
    litellm, internals = load_litellm(), _internals()
    if internals is not None and request.keys() <= _PASSED_ON and not _is_any_set(litellm, _LEFT_TO_LITELLM):
        endpoint = _find_endpoint(litellm, request)
        parameters = None if endpoint is None else _find_parameters(endpoint, request)
        if endpoint is not None and parameters is not None:
            return await _complete(litellm, internals, endpoint, parameters, request)
    with _without_unheard_log(litellm, internals), _sent_once():
        return await litellm.acompletion(**request)


async def call_litellm(name: str, **request: Any) -> Any:
    """Returns what a function of litellm's returns, such as `aembedding` or `acreate_batch`, and raises what it raises.

    While nobody listens to litellm's log, nothing is logged: to log a batch that has ended, litellm reads its results.
    """
    litellm = load_litellm()
    with _without_unheard_log(litellm, _internals()), _sent_once(), no_other_server():
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


def _find_endpoint(litellm: Any, request: dict[str, Any]) -> _Endpoint | None:
    """Where a request goes; None where that is litellm's full path's affair."""
    if request["model"].partition("/")[0] not in _PROVIDERS:
        return None
    model, provider, api_key, api_base = litellm.get_llm_provider(
        request["model"], api_base=request.get("api_base"), api_key=request.get("api_key")
    )
    api_key = api_key or request.get("api_key")
    if provider == "openai":
        if any(map(os.environ.get, _LEFT_TO_OPENAI)):
            return None
        api_key = litellm.OpenAIGPTConfig.get_api_key(api_key)
        api_base = litellm.OpenAIGPTConfig.get_api_base(api_base)
    if provider not in _PROVIDERS or not (api_key and api_base) or not _is_chat(model, provider):
        return None
    return _Endpoint(provider, model, api_base, api_key)


@lru_cache(maxsize=1024)
def _is_chat(model: str, provider: str) -> bool:
    """Whether a model is reached by chat completions."""
    internals = _internals()
    if internals is None or model.startswith("ft:"):
        return False
    entry, bare_model = internals.find_bridge(model=model, custom_llm_provider=provider)
    return entry.get("mode") in {None, "chat"} and bare_model == model


def _find_parameters(endpoint: _Endpoint, request: dict[str, Any]) -> dict[str, Any] | None:
    """The parameters of a request as its provider takes them; None where litellm cannot send them."""
    shape = {name: value for name, value in request.items() if name not in _FOR_THE_CALL}
    try:
        return dict(_map_parameters(endpoint.model, endpoint.provider, json.dumps(shape)))
    except Exception:  # whatever it is, the full path fails with it too, and says so as litellm does
        return None


@lru_cache(maxsize=1024)
def _map_parameters(model: str, provider: str, shape: str) -> dict[str, Any]:
    """Parameters as a provider takes them: those of one shape of reply are the same in each call."""
    litellm = load_litellm()
    mapped: dict[str, Any] = litellm.get_optional_params(
        model=model, custom_llm_provider=provider, drop_params=True, stream=None, max_retries=0, **json.loads(shape)
    )
    return litellm.OpenAIConfig.get_config() | mapped if provider == "openai" else mapped


@lru_cache(maxsize=1024)
def _find_format(model: str, provider: str) -> Any:
    """How a model's requests and replies are written at its provider."""
    manager = load_litellm("utils").ProviderConfigManager
    return manager.get_provider_chat_config(model=model, provider=load_litellm().LlmProviders(provider))


async def _complete(
    litellm: Any, internals: _Internals, endpoint: _Endpoint, parameters: dict[str, Any], request: dict[str, Any]
) -> Any:
    """Makes the call as `litellm.completion` does once it knows the provider and its parameters."""
    reply = litellm.ModelResponse()
    try:
        client = internals.open_client(endpoint.provider)
        log = internals.unheard_log
        return await internals.handler(
            **_handler_arguments(endpoint, parameters, request, reply, log=log, client=client)
        )
    except Exception as error:
        known_error = litellm.exception_type(
            model=endpoint.model,
            original_exception=error,
            custom_llm_provider=endpoint.provider,
            completion_kwargs=request,
        )
        if known_error is error:
            raise
        raise known_error from error


def _handler_arguments(
    endpoint: _Endpoint, parameters: dict[str, Any], request: dict[str, Any], reply: Any, *, log: Any, client: Any
) -> dict[str, Any]:
    return {
        "model": endpoint.model,
        "messages": request["messages"],
        "api_base": endpoint.api_base,
        "api_key": endpoint.api_key,
        "custom_llm_provider": endpoint.provider,
        "provider_config": _find_format(endpoint.model, endpoint.provider),
        "optional_params": parameters,
        "litellm_params": {},
        "model_response": reply,
        "encoding": None,
        "logging_obj": log,
        "client": client,
        "timeout": request["timeout"],
        "acompletion": True,
    }


_is_sent_once: ContextVar[bool] = ContextVar("a request is sent once", default=False)


@contextmanager
def _sent_once() -> Iterator[None]:
    """Keeps litellm's full path from sending a request again, unasked, where the connection broke.

    The first one may have been charged, and the budget has reserved one call.
    """
    _count_attempts()
    token = _is_sent_once.set(True)
    try:
        yield
    finally:
        _is_sent_once.reset(token)


@cache
def _count_attempts() -> None:
    """Makes litellm's second attempt raise the error of the first, in our calls only."""
    handler = load_litellm("llms.custom_httpx.http_handler").AsyncHTTPHandler
    send_again = getattr(handler, "single_connection_post_request", None)
    if send_again is None:
        return

    async def refuse_or_send_again(self: Any, *args: Any, **options: Any) -> Any:
        if _is_sent_once.get() and (error := sys.exc_info()[1]) is not None:
            raise error
        return await send_again(self, *args, **options)

    handler.single_connection_post_request = refuse_or_send_again


@cache
def _client_opener() -> Callable[[str], Any]:
    """Returns what opens a provider's HTTP client of litellm for one call, which it sends once.

    By itself litellm sends a request again, unasked, where the connection broke: whether a call is made again, and
    whether the budget has room for it, is decided by the judge.
    """
    http = load_litellm("llms.custom_httpx.http_handler")

    class OneAttemptClient(http.AsyncHTTPHandler):  # type: ignore[misc, name-defined]
        post = inspect.unwrap(http.AsyncHTTPHandler.post)  # without a task that tells a log how long it took

        def __init__(self, provider: str) -> None:
            shared = http.get_async_httpx_client(llm_provider=provider, params={"ssl_verify": None})
            self.client = shared.client
            self.timeout, self.event_hooks = shared.timeout, shared.event_hooks

        def create_client(self, *_: Any, **__: Any) -> Any:
            """Asked for, by litellm, for the second attempt."""
            error = sys.exc_info()[1]
            raise error or NotImplementedError

    return OneAttemptClient


@cache
def _internals() -> _Internals | None:
    """Probes litellm's internals, once; None, with one line in the log, where they are not those that are expected."""
    try:
        log = load_litellm("litellm_core_utils.litellm_logging").Logging(
            model="",
            messages=[],
            stream=False,
            call_type="acompletion",
            start_time=datetime.datetime.now(),
            litellm_call_id="",
            function_id="",
        )
        log.update_environment_variables(litellm_params={}, optional_params={})
        is_internal_call = load_litellm("_internal_context").is_internal_call
        main = load_litellm("main")
        handler, find_bridge = main.base_llm_http_handler.completion, main.responses_api_bridge_check
        endpoint = _Endpoint("openai", "", "", "")
        arguments = _handler_arguments(endpoint, {}, {"messages": [], "timeout": 0.0}, None, log=None, client=None)
        inspect.signature(handler).bind(**arguments)
        inspect.signature(find_bridge).bind(model="", custom_llm_provider="")
    except (ImportError, AttributeError, TypeError) as problem:
        _LOG.warning(
            "litellm %s differs from the versions that Assay's fast path knows (%s): calls take litellm's full path, "
            "which is slower and gives the same replies",
            version("litellm"),
            problem,
        )
        return None
    return _Internals(log, is_internal_call, handler, _client_opener(), find_bridge)


def _is_any_set(litellm: Any, names: tuple[str, ...]) -> bool:
    return any(getattr(litellm, name, None) for name in names)
