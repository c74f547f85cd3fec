"""One line of a cassette: a reply, and enough about its question to see where it came from."""

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from .question import Alternatives, Question, RawReply

_as_json: dict[str, str] = {}  # parameters, read from lines: a cassette has few different ones
_LEAST_PROBABILITY = 0.001  # alternatives less likely than this are not kept


@dataclass(frozen=True, slots=True)
class Recording:
    """A kept reply. `user` is the hash of the question's user part, `about` its end: for finding what differs."""

    key: str
    prompt: str
    sample: str
    parameters: str
    schema: str
    user: str
    about: str
    reply: RawReply


def make_recording(key: str, question: Question[Any], parameters: dict[str, Any], reply: RawReply) -> Recording:
    """The recording of a reply to a question."""
    said = [message["content"] for message in question.follow_up]
    return Recording(
        key=key,
        prompt=question.prompt.identity,
        sample=question.sample,
        parameters=json.dumps(parameters, sort_keys=True, default=str),
        schema=question.schema.__name__,
        user=short_hash("\x1e".join([question.user, *said])),
        about=" ".join((said or [question.user])[-1][-300:].split())[-160:],
        reply=reply,
    )


def short_hash(text: str) -> str:
    """12 hexadecimal digits that stand for a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def format_line(recording: Recording) -> bytes:
    """The recording as a line of a cassette."""
    reply = recording.reply
    entry: dict[str, Any] = {
        "key": recording.key,
        "model": reply.model,
        "prompt": recording.prompt,
        "sample": recording.sample,
        "parameters": json.loads(recording.parameters),
        "schema": recording.schema,
        "user": recording.user,
        "about": recording.about,
        "text": reply.text,
        "finish_reason": reply.finish_reason,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "tokens_cached": reply.tokens_cached,
        "usd": reply.usd,
        "seconds": round(reply.seconds, 3),
    }
    if reply.logprobs is not None:
        entry["logprobs"] = [likely_alternatives(place) for place in reply.logprobs]
    return json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def likely_alternatives(place: Alternatives) -> dict[str, float]:
    """What is kept of the alternatives at one place: the token that was said and the likely ones, rounded."""
    said = next(iter(place))
    least = math.log(_LEAST_PROBABILITY)
    return {token: round(logprob, 4) for token, logprob in place.items() if token == said or logprob >= least}


def parse_line(line: bytes) -> Recording:
    """Reads a line of a cassette. Raises ValueError or KeyError for one that is no recording."""
    try:
        entry = from_json(line)  # twice as fast as json
    except ValueError:  # it takes no half characters (surrogates), which a reply's text can hold
        entry = json.loads(line.decode("utf-8", "surrogatepass"))
    logprobs, parameters = entry.get("logprobs"), repr(entry["parameters"])
    if parameters not in _as_json:
        _as_json[parameters] = json.dumps(entry["parameters"], sort_keys=True)
    return Recording(
        key=entry["key"],
        prompt=entry["prompt"],
        sample=entry["sample"],
        parameters=_as_json[parameters],
        schema=entry["schema"],
        user=entry["user"],
        about=entry["about"],
        reply=RawReply(
            model=entry["model"],
            text=entry["text"],
            finish_reason=entry["finish_reason"],
            logprobs=None if logprobs is None else tuple(logprobs),
            tokens_in=entry["tokens_in"],
            tokens_out=entry["tokens_out"],
            tokens_cached=entry["tokens_cached"],
            usd=entry["usd"],
            seconds=entry["seconds"],
        ),
    )
