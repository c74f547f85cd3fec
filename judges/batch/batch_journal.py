"""The journal of batches, beside their cassette: what is about to be submitted, what was, and what came of it.

The folder `CASSETTE.batches` holds `journal.jsonl`, one line per change, each on disk before what it announces is done;
and per batch the file of its requests (until they are answered) and what stays here of them.
"""

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal

from ...errors import InputError
from ..request_size import RequestSize
from ..settings import JudgeSettings
from .batch_files import RequestRecord, read_records

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
    duplicates: int = 0
    unreadable: int = 0  # how many lines of its results could not be read
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
