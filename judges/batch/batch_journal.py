"""The requests of batches, the record of those that the provider has, and what came of each."""

import json
import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from ...atomic_files import remove_drafts, replace_file
from ...errors import InputError
from ..cassette import Recording, parse_line
from ..completion import shape_request
from ..litellm_lookup import load_litellm
from ..question import Question
from ..retry import REFUSED
from ..settings import JudgeSettings
from ..usage import NO_USAGE, Usage

_AGAIN = frozenset({408, 409, 425, 429})  # and 5xx: the same request may go well in the next batch
_NOT_BEGUN = frozenset({"batch_expired", "batch_cancelled"})  # OpenAI charges for requests that were completed
_MOST_CAUSE = 300  # characters
SUFFIX = ".batches"
_RECORD = "batches.json"
_EARLIER = "journal.jsonl"  # the record that Assay 0.2 wrote


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


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request got no reply."""

    cause: str
    is_final: bool
    is_free: bool = False  # whether it surely cost nothing: the provider refused it, or did not come to it


def read_results(files: Iterable[bytes], keys: Collection[str]) -> dict[str, dict[str, Any] | Failure]:
    """Reads the files of one batch: the body of each reply, or why there is none, by key.

    A reply stands before a failure. A request with two replies that differ has none: which is the reply to it is
    unknown.

    Example:
        >>> line = b'{"custom_id": "a", "response": {"status_code": 200, "body": {"id": "1"}}, "error": null}'
        >>> read_results([line + b"\\n" + line], {"a"})
        {'a': {'id': '1'}}
    """
    results: dict[str, dict[str, Any] | Failure] = {}
    differing: set[str] = set()
    for line in chain(*map(BytesIO, files)):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        key = entry.get("custom_id") if isinstance(entry, dict) else None
        if not isinstance(key, str) or key not in keys or key in differing:
            continue
        response, error = entry.get("response"), entry.get("error")
        body = response.get("body") if isinstance(response, dict) else None
        status = response.get("status_code") if isinstance(response, dict) else None
        earlier = results.get(key)
        if status == 200 and isinstance(body, dict) and not error:
            if isinstance(earlier, dict) and earlier != body:
                differing.add(key)
                body = Failure("the batch has two replies to it, which differ", is_final=False)
            results[key] = body
        elif not isinstance(earlier, dict):
            results[key] = _failure(status, body, error)
    return results


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


@dataclass(slots=True)
class Batch:
    """One batch that the provider has, or may have."""

    id: str  # also in the metadata of the provider's batch
    stage: int  # which stage of the run it belongs to, from 1
    requests: int = 0
    # `creating`: its creation was begun, and perhaps the provider has it; `submitted`: the provider has it;
    # `collected`: its replies are in the cassette
    state: Literal["planned", "creating", "submitted", "collected"] = "planned"
    # what it took; until it is collected, and of a request without a reply that may have been charged, at most
    taken: Usage = NO_USAGE
    since: float = 0.0  # when the creation was begun, in seconds since 1970
    provider_id: str = ""
    status: str = ""
    problem: str = ""
    replies: int = 0
    failures: dict[str, Failure] = field(default_factory=dict)  # of each request without a reply, by key


class BatchJournal:
    """The record of the batches whose replies go into one cassette, and what stays here of their requests.

    Attributes:
        batches: The batches by their ids, in the order in which they were submitted.
        settings: The judge's, without what may be secret; None where there is no record yet.

    Raises:
        InputError: The record is broken, or of Assay 0.2: what was submitted is unknown.
    """

    def __init__(self, cassette: Path) -> None:
        self.folder = cassette.with_name(cassette.name + SUFFIX)
        self.batches: dict[str, Batch] = {}
        self.settings: JudgeSettings | None = None
        self._path = self.folder / _RECORD
        if self._path.exists():
            self._read()
        elif (earlier := self.folder / _EARLIER).exists():
            raise self._unreadable(
                earlier, "Assay 0.2 submitted these batches: finish the run with that version, since this one cannot"
            )

    def begin(self, settings: JudgeSettings) -> None:
        """Begins to write: makes the folder, and removes what a kill left of batches that were not submitted."""
        self.folder.mkdir(parents=True, exist_ok=True)
        remove_drafts(self._path)
        for file in self.folder.glob("*.jsonl"):
            if file.name.partition(".")[0] not in self.batches:
                file.unlink()
        if self.settings is None:
            self.settings = settings.recordable
            self.save()

    def save(self) -> None:
        """Writes the record: it is on disk before this returns."""
        assert self.settings is not None, "a record is begun before it is written"
        judge = self.settings.model_dump(mode="json", exclude_defaults=True, exclude={"aligned"})
        content = {"judge": judge, "batches": [asdict(batch) for batch in self.batches.values()]}
        with replace_file(self._path) as file:
            json.dump(content, file)

    def drop(self, batch: Batch) -> None:
        """Removes a batch that the provider has not got; its requests are planned anew."""
        del self.batches[batch.id]
        self.save()
        self.recordings_path(batch.id).unlink(missing_ok=True)

    def remove(self) -> None:
        """Removes the record: its run has ended, and all replies are in the cassette."""
        self._path.unlink(missing_ok=True)  # first: what is left without it is nobody's
        shutil.rmtree(self.folder, ignore_errors=True)

    def recordings_path(self, batch: str) -> Path:
        """The file of what stays here of a batch's requests, in the form of a cassette.

        It holds all that a recording needs but the reply: in its place stands what the request may take at most.
        """
        return self.folder / f"{batch}.asked.jsonl"

    def read_recordings(self, batch: Batch) -> dict[str, Recording]:
        """Returns what is kept of a batch's requests, by their keys."""
        path = self.recordings_path(batch.id)
        try:
            with path.open("rb") as lines:
                return {recording.key: recording for recording in map(parse_line, lines)}
        except (OSError, ValueError) as error:
            raise self._unreadable(path, f"not the record of a batch's requests ({error!r})") from error

    def in_state(self, state: str) -> list[Batch]:
        """The batches in this state."""
        return [batch for batch in self.batches.values() if batch.state == state]

    def _read(self) -> None:
        try:
            content = json.loads(self._path.read_bytes())
            self.settings = JudgeSettings.model_validate(content["judge"])
            for values in content["batches"]:
                failures = {key: Failure(**failure) for key, failure in values["failures"].items()}
                parts = {"failures": failures, "taken": Usage(**values["taken"])}
                self.batches[values["id"]] = Batch(**values | parts)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._unreadable(self._path, f"not the record of batches ({error!r})") from error

    def _unreadable(self, path: Path, problem: str) -> InputError:
        return InputError(
            f"{path}: {problem}; what was submitted is unknown: see what runs at the provider (what it did is paid "
            f"for), then remove the folder {self.folder}"
        )


def find_batch_journals(folder: Path) -> Iterator[Path]:
    """Yields the cassettes in a folder that have a record of batches beside them."""
    for record in sorted({file.parent for name in (_RECORD, _EARLIER) for file in folder.glob(f"*{SUFFIX}/{name}")}):
        yield record.with_name(record.name.removesuffix(SUFFIX))
