"""One line of a cassette: a reply, and enough about its question to see where it came from."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_jsonable_python

from .question import Alternatives, Question, RawReply
from .secrets import recordable_parameters

_LEAST_PROBABILITY = 0.001  # alternatives less likely than this are not kept
_EXCERPT_LENGTH = 160  # characters, of the last 300 with all their white space


@dataclass(slots=True, unsafe_hash=True)  # not frozen, which takes three times as long to make
class Recording:
    """A reply as it is kept in a cassette or a run."""

    key: str  # 32 hexadecimal digits that stand for all that determines the reply
    prompt: str  # the identity of the question's prompt: `NAME.LANGUAGE@HASH`, several joined by `+` for a composed one
    sample: str  # the id of the sample that the question was asked for
    parameters: Mapping[str, Any]  # those of the model's parameters that may be written, for finding out what differs
    schema: str
    user: str  # the hash of the question's user part, for finding out what differs
    about: str  # the end of the question's user part, for people
    reply: RawReply


def make_recording(key: str, question: Question[Any], parameters: Mapping[str, Any], reply: RawReply) -> Recording:
    """Returns the recording of a reply to a question."""
    follow_up = [message["content"] for message in question.follow_up]
    last_words = (follow_up or [question.user])[-1][-300:].split()
    return Recording(
        key=key,
        prompt=question.prompt.identity,
        sample=question.sample,
        parameters=to_jsonable_python(recordable_parameters(parameters), fallback=str),
        schema=question.schema.__name__,
        user=short_hash("\x1e".join([question.user, *follow_up])),
        about=" ".join(last_words)[-_EXCERPT_LENGTH:],
        reply=reply,
    )


def short_hash(text: str) -> str:
    """Returns 12 hexadecimal digits that stand for a text.

    Example:
        >>> short_hash("How do I save?")
        '28f98ce74429'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def format_line(recording: Recording) -> bytes:
    """Returns a recording as a line of a cassette: JSON in UTF-8 that begins with the key, and a line end."""
    reply = recording.reply
    entry: dict[str, Any] = {
        "key": recording.key,
        "model": reply.model,
        "prompt": recording.prompt,
        "sample": recording.sample,
        "parameters": dict(sorted(recording.parameters.items())),
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
    if reply.is_unstated:
        entry["is_unstated"] = True
    if reply.logprobs is not None:
        entry["logprobs"] = [likely_alternatives(place) for place in reply.logprobs]
    return json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def likely_alternatives(place: Alternatives) -> dict[str, float]:
    """Returns what is kept of the alternatives at one place of a reply.

    Returns:
        The chosen token and those with a probability of at least 0.001, rounded to 4 decimals.

    Example:
        >>> likely_alternatives({"Yes": -0.012345, "No": -4.4, "Maybe": -9.0})
        {'Yes': -0.0123, 'No': -4.4}
    """
    chosen = next(iter(place))
    least = math.log(_LEAST_PROBABILITY)
    return {token: round(logprob, 4) for token, logprob in place.items() if token == chosen or logprob >= least}


def parse_line(line: bytes) -> Recording:
    """Returns the recording that a line of a cassette holds.

    Raises:
        ValueError: The line is not JSON.
        KeyError: A field is missing.
        TypeError: A field is not what it should be.
    """
    try:
        entry = from_json(line)  # twice as fast as json
    except ValueError:  # it takes no half characters (surrogates), which a reply's text can hold
        entry = json.loads(line.decode("utf-8", "surrogatepass"))
    logprobs = entry.get("logprobs")
    return Recording(
        key=entry["key"],
        prompt=entry["prompt"],
        sample=entry["sample"],
        parameters=entry["parameters"],
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
            is_unstated=entry.get("is_unstated", False),
        ),
    )
