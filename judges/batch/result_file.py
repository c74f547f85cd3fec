"""The files of a batch's replies: one JSON line per request, in any order, some missing, some there twice."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from ..retry import REFUSED

_AGAIN = frozenset({408, 409, 425, 429})  # and 5xx: the same request may go well in the next batch
_NOT_BEGUN = frozenset({"batch_expired", "batch_cancelled"})  # OpenAI charges for requests that were completed
_MOST_CAUSE = 300  # characters


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
