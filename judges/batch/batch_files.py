"""The files of a batch: one JSON line per request, as the live way would send it, and one per reply.

Replies come in any order, some missing, some there twice.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from ..cassette import Recording, format_line, make_recording, parse_line
from ..completion import shape_request
from ..litellm_lookup import load_litellm
from ..question import Question, RawReply
from ..request_size import RequestSize, measure_question
from ..retry import REFUSED
from ..settings import JudgeSettings

_AGAIN = frozenset({408, 409, 425, 429})  # and 5xx: the same request may go well in the next batch
_NOT_BEGUN = frozenset({"batch_expired", "batch_cancelled"})  # OpenAI charges for requests that were completed
_MOST_CAUSE = 300  # characters


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """What stays here of a request: all that a recording of its reply needs but the reply."""

    recording: Recording  # the recording, with an empty reply
    size: RequestSize


def request_body(question: Question[Any], settings: JudgeSettings, model: str, provider: str) -> dict[str, Any]:
    """Returns the body of a chat request as litellm would send it."""
    litellm = load_litellm()
    utils = load_litellm("utils")
    sent = shape_request(question, settings)
    messages = [dict(message) for message in sent.pop("messages")]
    parameters = litellm.get_optional_params(
        model=model, custom_llm_provider=provider, drop_params=True, **sent, **settings.parameters
    )
    further = parameters.pop("extra_body", None) or {}
    if not parameters.get("stream"):
        parameters.pop("stream", None)
    form = utils.ProviderConfigManager.get_provider_chat_config(model=model, provider=litellm.LlmProviders(provider))
    body: dict[str, Any] = form.transform_request(model, messages, parameters, {}, {})
    return body | further


def format_request(key: str, body: dict[str, Any]) -> bytes:
    """Returns the line of one request; its `custom_id` is the question's key."""
    line = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}
    return json.dumps(line).encode() + b"\n"


def format_record(key: str, question: Question[Any], settings: JudgeSettings) -> bytes:
    """Returns the line that keeps what `RequestRecord` holds."""
    size = measure_question(question, settings, None)
    recording = make_recording(key, question, settings.parameters, RawReply(settings.identity, ""))
    text = format_line(recording).decode("utf-8", "surrogatepass")
    line = {"key": key, "bytes": size.bytes_in, "most_in": size.most_in, "out": size.tokens_out, "recording": text}
    return json.dumps(line).encode() + b"\n"


def read_records(path: Path) -> dict[str, RequestRecord]:
    """Returns what is kept of the requests of one batch, by their keys."""
    records = {}
    with path.open("rb") as lines:
        for line in lines:
            entry = json.loads(line)
            recording = parse_line(entry["recording"].encode("utf-8", "surrogatepass"))
            most_in = entry["most_in"]
            size = RequestSize(most_in, entry["out"], bytes_in=entry["bytes"], most_in=most_in)
            records[entry["key"]] = RequestRecord(recording, size)
    return records


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request got no reply."""

    cause: str
    is_final: bool
    is_free: bool = False  # whether it surely cost nothing: the provider refused it, or did not come to it


@dataclass
class BatchResults:
    """What the files of one batch hold."""

    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)  # the bodies of the replies, by key
    failures: dict[str, Failure] = field(default_factory=dict)
    duplicates: int = 0  # how many further lines there were about a request that has a reply
    unreadable: int = 0  # how many lines could not be read, or are about no request of this batch


def read_results(files: Iterable[bytes], keys: Collection[str]) -> BatchResults:
    """Reads the files of one batch. The first reply to a request stands; a reply stands before a failure.

    Example:
        >>> line = b'{"custom_id": "a", "response": {"status_code": 200, "body": {"id": "1"}}, "error": null}'
        >>> read_results([line + b"\\n" + line], {"a"})
        BatchResults(bodies={'a': {'id': '1'}}, failures={}, duplicates=1, unreadable=0)
    """
    results = BatchResults()
    for content in files:
        for line in BytesIO(content):
            if line.strip():
                _read_line(line, keys, results)
    return results


def _read_line(line: bytes, keys: Collection[str], results: BatchResults) -> None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    key = entry.get("custom_id") if isinstance(entry, dict) else None
    if not isinstance(key, str) or key not in keys:
        results.unreadable += 1
        return
    response, error = entry.get("response"), entry.get("error")
    body = response.get("body") if isinstance(response, dict) else None
    status = response.get("status_code") if isinstance(response, dict) else None
    if key in results.bodies:
        results.duplicates += 1
    elif status == 200 and isinstance(body, dict) and not error:
        results.bodies[key] = body
        results.failures.pop(key, None)
    else:
        results.failures[key] = _failure(status, body, error)


def _failure(status: object, body: object, error: object) -> Failure:
    if isinstance(error, dict):
        cause = f"{error.get('code') or 'error'}: {error.get('message') or 'no reason is given'}"
    else:
        detail = body.get("error") if isinstance(body, dict) else body
        cause = str(detail.get("message") if isinstance(detail, dict) else detail or "no reason is given")
    is_final = isinstance(status, int) and 400 <= status < 500 and status not in _AGAIN
    prefix = f"HTTP {status}: " if isinstance(status, int) and status != 200 else ""
    is_not_begun = status != 200 and isinstance(error, dict) and str(error.get("code")) in _NOT_BEGUN
    is_free = is_not_begun or (isinstance(status, int) and status in REFUSED)
    return Failure(prefix + " ".join(cause.split())[:_MOST_CAUSE], is_final, is_free)
