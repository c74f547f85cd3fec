"""What may be written of a judge's settings, and keys that a provider echoes taken out of what it says.

What is written is chosen by a list of what is known to be harmless: a list of what is secret would never be complete.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

WITHHELD = "(withheld)"
"""Stands where a value was set that is not written."""

_HARMLESS_PARAMETERS = frozenset(
    {
        *("best_of", "budget_tokens", "enable_thinking", "frequency_penalty", "include_reasoning", "keep_alive"),
        *("length_penalty", "logit_bias", "max_completion_tokens", "min_p", "min_tokens", "mirostat", "mirostat_eta"),
        *("mirostat_tau", "num_ctx", "num_predict", "parallel_tool_calls", "presence_penalty", "reasoning_effort"),
        *("repeat_penalty", "repetition_penalty", "safe_prompt", "seed", "service_tier", "skip_special_tokens"),
        *("stop", "temperature", "tfs_z", "thinking", "top_a", "top_k", "top_p", "truncation", "type", "typical_p"),
        "verbosity",
    }
)
_CONTAINERS = frozenset({"chat_template_kwargs", "extra_body", "logit_bias", "options", "thinking"})
_LONGEST_WORD = 40  # characters of a text that is written: "minimal", a stop sequence
_SECRET_NAME = re.compile(
    r"KEY(?!BOARD|MAP)|TOKEN(?!I)|SECRET|PASS(?:W|PHRASE|$|_)|CREDENTIAL|COOKIE|BEARER|SIGNATURE|PRIVATE|WEBHOOK|CONN\w{0,40}STR"
    r"|(?:^|[_-])(?:PAT|DSN|PW|JWT|SAS|SIG|AUTH|OTP)(?:[_-]|$)|(?<!^)(?<!OLD)PWD|^PWD\w",
    re.IGNORECASE,
)
_PASSWORD_IN_URL = re.compile(r"://[^\s/@:]*:(.+)@|://([^\s/@:]+)@")  # up to the last @: a password may hold one
_NAMED_VALUE = re.compile(r"""(?<![\w-])([\w-]+)\s*=\s*('[^']*'|"[^"]*"|[^;&\s]+)""")  # of a connection string, a query
_SHORTEST_SECRET = 8  # characters; a shorter value would be found in harmless text
# Steps of a server's path that are written: any other may be a key.
_HARMLESS_STEPS = frozenset(
    {
        *("", "anthropic", "answer", "api", "ask", "bot", "chat", "compatible-mode", "completions", "decisions"),
        *("deployments", "embeddings", "engines", "generate", "inference", "invocations", "litellm", "llm", "messages"),
        *("models", "openai", "paas", "predict", "proxy", "query", "responses", "serving-endpoints", "v1", "v1beta"),
        *("v2", "v3", "v4"),
    }
)
_LOOKS_SECRET = re.compile(
    r"(?<=://)[^\s/@]+:[^\s/@]+(?=@)"  # user:password@
    r"|\b(?:sk|pk|rk|gsk|xai|hf|ghp|glpat)[-_][\w-]{12,}"  # keys of common providers
    r"|\bAIza[\w-]{30,}"
    r"|(?<![\w-])(?>[\w-]*?\beyJ)[\w-]++\.[\w-]+\.[\w-]*"  # a JSON web token, and what it hangs on
    r"|(?<=bearer )\S{8,}"
    r"|(?<=api_key=)[^\s&\"']+|(?<=apikey=)[^\s&\"']+|(?<=token=)[^\s&\"']+|(?<=password=)[^\s&\"']+",
    re.IGNORECASE,
)


def recordable_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a model's parameters as they may be written into stores and cassettes.

    Returns:
        The same names; numbers, switches and short words of parameters that are known to be harmless, and
        `(withheld)` for every other value.

    Example:
        >>> recordable_parameters({"temperature": 0, "extra_body": {"top_k": 5, "cookie": "a=b"}, "user": "ann"})
        {'temperature': 0, 'extra_body': {'top_k': 5, 'cookie': '(withheld)'}, 'user': '(withheld)'}
    """
    return {
        name: recordable_parameters(value)
        if name in _CONTAINERS - {"logit_bias"} and isinstance(value, Mapping)
        else value
        if name in _HARMLESS_PARAMETERS and _is_harmless(value)
        else WITHHELD
        for name, value in parameters.items()
    }


def recordable_url(url: str) -> str:
    """Returns a server's address as it may be written: scheme, host, port, and the usual steps of its path.

    Example:
        >>> recordable_url("https://ann:secret@api.example.org:8443/v1?api_key=abc")
        'https://(withheld)@api.example.org:8443/v1?(withheld)'
        >>> recordable_url("https://gateway.example.org/3f9a0c/openai/v1")
        'https://gateway.example.org/(withheld)/openai/v1'
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return WITHHELD
    if not parts.scheme or not parts.hostname or "@" in f"{parts.path}{parts.query}{parts.fragment}":
        return WITHHELD
    user = f"{WITHHELD}@" if parts.username or parts.password else ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    query = f"?{WITHHELD}" if parts.query or parts.fragment else ""
    path = "/".join(step if step in _HARMLESS_STEPS else WITHHELD for step in parts.path.split("/"))
    return f"{parts.scheme}://{user}{host}{port}{path}{query}"


class Scrubber:
    """Takes secrets that are known out of texts: those in environment variables, and those in a judge's settings."""

    def __init__(self, api_base: str | None = None, parameters: Mapping[str, Any] | None = None) -> None:
        secrets = {secret for name, value in os.environ.items() for secret in _secrets_in(name, value)}
        for text in _texts_withheld(parameters or {}):
            secrets |= {text, *_secrets_in("", text)}
        if api_base and WITHHELD in recordable_url(api_base):
            whole, written = (url.partition("://")[2] for url in (api_base, recordable_url(api_base)))
            secrets |= {*re.split(r"[:/@?&=#]+", whole)} - {*re.split(r"[:/@?&=#]+", written)}
        secrets |= {line for secret in secrets for line in secret.splitlines()}
        secrets |= {unquote(secret) for secret in secrets}
        secrets |= {quote(secret, safe="") for secret in secrets} | {quote(secret) for secret in secrets}
        for is_ascii in (False, True):  # as JSON writes them: in a body that is quoted as it came
            secrets |= {json.dumps(secret, ensure_ascii=is_ascii)[1:-1] for secret in secrets}
        long_enough = sorted((secret for secret in secrets if len(secret) >= _SHORTEST_SECRET), key=len, reverse=True)
        self._secrets = re.compile("|".join(map(re.escape, long_enough))) if long_enough else None

    def scrub(self, text: str) -> str:
        """Returns a text in which `***` stands for each known secret."""
        return self._secrets.sub("***", text) if self._secrets else text

    def scrub_value(self, value: Any) -> Any:
        """Returns a JSON value in which `***` stands for each known secret, in texts at any depth and in names."""
        if self._secrets is None:
            return value
        if isinstance(value, str):
            return self.scrub(value)
        if isinstance(value, Mapping):
            return {self.scrub_value(name): self.scrub_value(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.scrub_value(inner) for inner in value]
        return tuple(map(self.scrub_value, value)) if isinstance(value, tuple) else value

    def scrub_error(self, text: str) -> str:
        """Returns a provider's error in which `***` also stands for whatever looks like a key or a password.

        Example:
            >>> Scrubber().scrub_error("Incorrect API key: sk-proj-0123456789abcdef at https://ann:pw@host/v1?api_key=abc")
            'Incorrect API key: *** at https://***@host/v1?api_key=***'
        """
        return _LOOKS_SECRET.sub("***", self.scrub(text))


def _secrets_in(name: str, value: str) -> Iterator[str]:
    """The secrets in an environment variable, or in a text without a name.

    They are the whole value where the name says that it is secret, and, whatever the name, the password of a URL, the
    secret parts of a connection string (`AccountKey=...;`) and of JSON (a service account).
    """
    if _SECRET_NAME.search(name) and not os.path.exists(value):  # noqa: PTH110 - a file's name is no secret
        yield value
    for match in _PASSWORD_IN_URL.finditer(value):
        yield match[1] or match[2]
    for match in _NAMED_VALUE.finditer(value):
        if _SECRET_NAME.search(match[1]):
            yield match[2].strip("'\"")
    if value.lstrip().startswith("{"):
        try:
            yield from _secret_fields(json.loads(value))
        except (ValueError, RecursionError):
            return


def _secret_fields(value: Any) -> Iterator[str]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, dict):
            yield from _secret_fields(inner)
        elif isinstance(inner, str) and _SECRET_NAME.search(name):
            yield inner


def _is_harmless(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_WORD
    if isinstance(value, list | tuple):
        return all(_is_harmless(item) for item in value)
    if isinstance(value, Mapping):
        return all(isinstance(number, int | float) for number in value.values())
    return value is None or isinstance(value, bool | int | float)


def _texts_withheld(parameters: Mapping[str, Any]) -> Iterator[str]:
    """The texts in parameters that are not written, at any depth."""
    recordable = recordable_parameters(parameters)
    for name, value in parameters.items():
        if recordable[name] == WITHHELD:
            yield from _texts(value)
        elif isinstance(value, Mapping):
            yield from _texts_withheld(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
