"""The file of a batch's requests: one JSON line per request, as the live way would send it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cassette import Recording, format_line, make_recording, parse_line
from ..completion import shape_request
from ..litellm_lookup import load_litellm
from ..question import Question, RawReply
from ..request_size import RequestSize, measure_question
from ..settings import JudgeSettings


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
