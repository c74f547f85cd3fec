"""The files and the journal of batches: what is about to be submitted, what was, and what came of it."""

import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Literal

from ...errors import InputError
from ..budget import RequestSize, measure_question
from ..cassette import Recording, format_line, make_recording, parse_line
from ..completion import shape_request
from ..litellm_lookup import load_litellm
from ..question import Question, RawReply
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
    line = {"key": key, "most_in": size.most_in, "out": size.tokens_out, "recording": text}
    return json.dumps(line).encode() + b"\n"


def read_records(path: Path) -> dict[str, RequestRecord]:
    """Returns what is kept of the requests of one batch, by their keys."""
    records = {}
    with path.open("rb") as lines:
        for line in lines:
            entry = json.loads(line)
            recording = parse_line(entry["recording"].encode("utf-8", "surrogatepass"))
            most_in = entry["most_in"]
            size = RequestSize(most_in, entry["out"], most_in=most_in)
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


def read_results(files: Iterable[bytes], keys: Collection[str]) -> BatchResults:
    """Reads the files of one batch. The first reply to a request stands; a reply stands before a failure.

    Example:
        >>> line = b'{"custom_id": "a", "response": {"status_code": 200, "body": {"id": "1"}}, "error": null}'
        >>> read_results([line + b"\\n" + line], {"a"})
        BatchResults(bodies={'a': {'id': '1'}}, failures={})
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
        return
    response, error = entry.get("response"), entry.get("error")
    body = response.get("body") if isinstance(response, dict) else None
    status = response.get("status_code") if isinstance(response, dict) else None
    if key in results.bodies:
        return
    if status == 200 and isinstance(body, dict) and not error:
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


SUFFIX = ".batches"
_JOURNAL = "journal.jsonl"

State = Literal["planned", "creating", "submitted", "collected"]


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch as the journal knows it."""

    id: str
    stage: int  # which stage of the run it belongs to, from 1
    requests: int
    bytes: int
    tokens_in: int
    tokens_out: int
    usd: float | None  # the most that it may cost; None where the price is unknown
    # `planned`: written here; `creating`: its creation was begun, and perhaps the provider has it; `submitted`: the
    # provider has it; `collected`: its replies are in the cassette
    state: State = "planned"
    attempt: int = 0  # how often its creation was begun; each has a metadata id of its own
    creating_since: float = 0.0  # when the creation was begun, in seconds since 1970
    file: str = ""
    provider_id: str = ""
    status: str = ""
    problem: str = ""
    replies: int = 0
    spent_in: int = 0
    spent_out: int = 0
    spent_usd: float | None = 0.0  # what they cost; None where the price is unknown
    lost: int = 0  # how many requests got no reply, though they may have been charged
    lost_tokens: int = 0  # the most tokens that these took, in and out together
    lost_usd: float | None = 0.0  # the most that they cost; None where the price is unknown
    # by key, the cause of each request without a reply, and whether that is final
    failures: dict[str, tuple[str, bool]] = field(default_factory=dict)
    counts_as_attempt: bool = True  # whether its failures count as an attempt of their requests

    @property
    def metadata_id(self) -> str:
        """The id in the metadata of the provider's batch."""
        return f"{self.id}-{self.attempt}"


class BatchJournal:
    """The journal of the batches whose replies go into one cassette.

    Attributes:
        batches: The batches by their ids, in the order in which they were planned.
        settings: The judge's, without what may be secret; None where there is no journal yet.
    """

    def __init__(self, cassette: Path) -> None:
        self.folder = cassette.with_name(cassette.name + SUFFIX)
        self.batches: dict[str, Batch] = {}
        self.settings: JudgeSettings | None = None
        self._path = self.folder / _JOURNAL
        self._size = 0  # of the lines that are whole
        if self._path.exists():
            self._read()

    def begin(self, settings: JudgeSettings) -> None:
        """Begins to write: makes the folder, and removes what a kill left of batches that were not planned."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._path.exists():
            os.truncate(self._path, self._size)  # a last line that a kill cut off was never acted on
        if self.settings is None:
            self.settings = settings.recordable
            self._append({"judge": self.settings.model_dump(mode="json", exclude_defaults=True, exclude={"aligned"})})
        for path in (*self.folder.glob("*.requests.jsonl*"), *self.folder.glob("*.asked.jsonl*")):
            if path.name.partition(".")[0] not in self.batches:
                path.unlink()

    def add(self, batch: Batch) -> None:
        """Adds a batch whose files are written."""
        self._append(asdict(batch))
        self.batches[batch.id] = batch

    def change(self, batch: Batch, **changes: Any) -> Batch:
        """Notes a change of a batch, on disk before this returns, and returns the batch as it then is."""
        changed = replace(batch, **changes)
        self._append({"id": batch.id, **changes})
        self.batches[batch.id] = changed
        return changed

    def drop(self, batch: Batch) -> None:
        """Removes a batch that the provider has not got; its requests are planned anew."""
        self._append({"id": batch.id, "dropped": True})
        del self.batches[batch.id]
        self.requests_path(batch.id).unlink(missing_ok=True)
        self.records_path(batch.id).unlink(missing_ok=True)

    def remove(self) -> None:
        """Removes the journal: its run has ended, and all replies are in the cassette."""
        self._path.unlink(missing_ok=True)  # first: what is left without it is nobody's
        shutil.rmtree(self.folder, ignore_errors=True)

    def requests_path(self, batch: str) -> Path:
        """The file of a batch's requests, as it is uploaded."""
        return self.folder / f"{batch}.requests.jsonl"

    def records_path(self, batch: str) -> Path:
        """The file of what stays here of a batch's requests."""
        return self.folder / f"{batch}.asked.jsonl"

    def read_records(self, batch: Batch) -> dict[str, RequestRecord]:
        """Returns what is kept of a batch's requests, by their keys."""
        return read_records(self.records_path(batch.id))

    def in_state(self, *states: State) -> list[Batch]:
        """The batches in one of these states."""
        return [batch for batch in self.batches.values() if batch.state in states]

    def _read(self) -> None:
        for number, line in enumerate(self._path.read_bytes().splitlines(keepends=True), start=1):
            if not line.endswith(b"\n"):
                break
            try:
                self._apply(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"{self._path}, line {number}: not a line of a journal of batches ({error!r}); what was submitted "
                    f"is unknown: see what runs at the provider, then remove the folder {self.folder}"
                ) from error
            self._size += len(line)

    def _apply(self, entry: dict[str, Any]) -> None:
        if "judge" in entry:
            self.settings = JudgeSettings.model_validate(entry["judge"])
            return
        if "failures" in entry:
            entry["failures"] = {key: (cause, is_final) for key, (cause, is_final) in entry["failures"].items()}
        if entry.get("dropped"):
            self.batches.pop(entry["id"], None)
        elif earlier := self.batches.get(entry["id"]):
            self.batches[entry["id"]] = replace(earlier, **_known(entry))
        else:
            self.batches[entry["id"]] = Batch(**_known(entry))

    def _append(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry).encode() + b"\n"
        try:
            with self._path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f"{self._path}: the batches cannot be noted: {error.strerror or error}") from error
        self._size += len(line)


class BatchWriter:
    """Writes the files of new batches, and begins the next batch where one is full."""

    def __init__(self, journal: BatchJournal, stage: int, most_requests: int, most_bytes: int) -> None:
        self._journal = journal
        self._stage = stage
        self._most_requests = most_requests
        self._most_bytes = most_bytes
        self._files: tuple[BinaryIO, ...] = ()
        self._batch = Batch("", stage, 0, 0, 0, 0, 0.0)  # what is written of it so far

    def add(self, request: bytes, record: bytes, size: RequestSize) -> None:
        """Adds a request."""
        batch = self._batch
        if batch.requests >= self._most_requests or (self._files and batch.bytes + len(request) > self._most_bytes):
            self.finish()
        if not self._files:
            name = secrets.token_hex(8)
            self._files = (self._journal.requests_path(name).open("wb"), self._journal.records_path(name).open("wb"))
            batch = Batch(name, self._stage, 0, 0, 0, 0, 0.0)
        for file, line in zip(self._files, (request, record), strict=True):
            file.write(line)
        cost = None if size.price is None else size.price.cost(size.most_in, size.tokens_out)
        self._batch = replace(
            batch,
            requests=batch.requests + 1,
            bytes=batch.bytes + len(request),
            tokens_in=batch.tokens_in + size.most_in,
            tokens_out=batch.tokens_out + size.tokens_out,
            usd=None if batch.usd is None or cost is None else batch.usd + cost,
        )

    def finish(self) -> None:
        """Adds the last batch to the journal."""
        for file in self._files:
            file.flush()
            os.fsync(file.fileno())
            file.close()
        if self._files:
            self._journal.add(self._batch)
            self._files = ()


def find_batch_journals(folder: Path) -> Iterator[Path]:
    """Yields the cassettes in a folder that have a journal of batches beside them."""
    for journal in sorted(folder.glob(f"*{SUFFIX}/{_JOURNAL}")):
        yield journal.parent.with_name(journal.parent.name.removesuffix(SUFFIX))


def _known(entry: dict[str, Any]) -> dict[str, Any]:
    """The parts of a line that a batch has, without those that another version wrote: what was paid for is kept."""
    names = {part.name for part in fields(Batch)}
    return {name: value for name, value in entry.items() if name in names}
