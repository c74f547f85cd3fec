"""The batch endpoints of a model's provider, through litellm's functions on files and batches."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import JudgeUnavailable, UsageError
from ..fast_path import call_litellm
from ..litellm_lookup import load_litellm, missing_api_key
from ..retry import call_with_retries, explain, http_status, is_passing
from ..secrets import WITHHELD
from ..settings import ENTAIL, GGUF, PYTHON, JudgeSettings
from ..transports import choose_transport
from ..transports.decisions import DecisionTransport
from .batch_journal import SUFFIX, Batch, BatchJournal

PROVIDERS = ("openai", "azure", "hosted_vllm", "litellm_proxy")
"""Those whose files hold requests and replies in OpenAI's shape, and whose batches litellm can list."""
METADATA_ID = "assay_batch"
"""The name, in the metadata of a batch, of the id that was noted before the batch was created."""
MOST_REQUESTS = 50_000  # of one file: the limit of OpenAI; Azure takes 100,000
MOST_BYTES = 190_000_000  # of one file: 200 MB at OpenAI and Azure
_LISTED_AT_ONCE = 100
_TIMEOUT = 600.0  # seconds for one call: files are large
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


@dataclass(frozen=True, slots=True)
class BatchState:
    """What the provider says about a batch."""

    id: str
    # the provider's word: `validating`, `in_progress`, `finalizing`, `completed`, `failed`, `expired`, `cancelling` or
    # `cancelled`
    status: str
    files: tuple[str, ...] = ()  # the files of replies and of failed requests, as far as there are some
    completed: int = 0
    failed: int = 0
    problem: str = ""  # why it failed as a whole; empty where it did not

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status in _ENDED


class PassingFailure(JudgeUnavailable):
    """A call failed for now, also when it was made again; of a creation, perhaps only its reply was lost."""


class BatchProvider:
    """Makes the calls for batches of one model.

    Every method raises `PassingFailure` where the call failed for now, and another `JudgeUnavailable` where it would
    fail again.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        self.model, self.name = find_provider(settings)
        if name := missing_api_key(settings.model):
            raise JudgeUnavailable(
                f"{settings.identity} needs an API key: set the environment variable {name}. Nothing was submitted"
            )
        self._settings = settings
        self._route: dict[str, Any] = {"custom_llm_provider": self.name, "timeout": _TIMEOUT, "max_retries": 0}
        if settings.api_base:
            self._route["api_base"] = settings.api_base

    async def upload(self, name: str, content: bytes) -> str:
        """Uploads a file of requests, and returns the provider's id of it."""
        upload = await self._call("acreate_file", file=(name, content, "application/jsonl"), purpose="batch")
        return str(upload.id)

    async def create(self, file: str, metadata_id: str) -> BatchState:
        """Creates a batch, in one attempt: a second one could be a second batch."""
        request = {
            "completion_window": "24h",
            "endpoint": "/v1/chat/completions",
            "input_file_id": file,
            "metadata": {METADATA_ID: metadata_id},
        }
        try:
            return _read_state(await call_litellm("acreate_batch", **request, **self._route), self._settings)
        except Exception as error:
            raise self._failure(error, may_pass=is_passing(error) or not hasattr(error, "status_code")) from error

    async def find(self, metadata_id: str, since: float) -> BatchState | None:
        """Looks for a batch whose creation got no reply."""
        async for batch in self._list():
            if (batch.metadata or {}).get(METADATA_ID) == metadata_id:
                return _read_state(batch, self._settings)
            if batch.created_at < since:
                return None
        return None

    async def retrieve(self, batch: str) -> BatchState:
        """Asks how a batch is getting on."""
        return _read_state(await self._call("aretrieve_batch", batch_id=batch), self._settings)

    async def cancel(self, batch: str) -> BatchState:
        """Cancels a batch; what it has done until then is kept and paid for."""
        return _read_state(await self._call("acancel_batch", batch_id=batch), self._settings)

    async def read_file(self, file: str) -> bytes:
        """Returns the content of a file of replies."""
        content: bytes = (await self._call("afile_content", file_id=file)).content
        return content

    async def _list(self) -> AsyncIterator[Any]:
        """The batches of this account, the newest first."""
        after: str | None = None
        while True:
            page = await self._call("alist_batches", after=after, limit=_LISTED_AT_ONCE)
            for batch in page.data:
                yield batch
            if not page.data or not getattr(page, "has_more", False) or page.data[-1].id == after:
                return
            after = page.data[-1].id

    async def _call(self, function: str, **request: Any) -> Any:
        try:
            return await call_with_retries(
                lambda: call_litellm(function, **request, **self._route),
                self._settings.attempts,
                lambda _: None,
                self._settings.wait,
            )
        except Exception as error:
            raise self._failure(error, may_pass=is_passing(error)) from error

    def _failure(self, error: Exception, *, may_pass: bool) -> JudgeUnavailable:
        if isinstance(error, JudgeUnavailable):
            return error
        words, batches = explain(error, _TIMEOUT, self._settings.scrubber), f"the batches of {self._settings.identity}"
        if may_pass:
            return PassingFailure(
                f"{batches} cannot be reached: {words}. Nothing is lost: what was submitted goes on at the provider, "
                "and the same command goes on here"
            )
        is_gone = http_status(error) == 404
        cure = "; to give up batches that the provider no longer has, remove the folder CASSETTE.batches" * is_gone
        return JudgeUnavailable(f"{batches} cannot be used: {words}{cure}")


def find_provider(settings: JudgeSettings) -> tuple[str, str]:
    """Returns the model's name at its provider and the provider's name in litellm."""
    problem = ""
    model, provider = settings.model, ""
    if settings.model.startswith((ENTAIL, GGUF, PYTHON)):
        problem = "runs on this machine, where a batch costs the same"
    elif isinstance(choose_transport(settings), DecisionTransport):
        problem = "is asked as a decision model, which has no batches (a chat model is not: `decide: listed`)"
    else:
        litellm = load_litellm()
        try:
            model, provider, _, _ = litellm.get_llm_provider(settings.model, api_base=settings.api_base)
        except litellm.BadRequestError:
            problem = "has no provider that litellm knows"
        else:
            if provider not in PROVIDERS:
                problem = f"is of the provider {provider}, whose batches are not supported"
    if problem:
        names = ", ".join(f"{name}/" for name in PROVIDERS)
        raise UsageError(
            f"--batch: {settings.identity} {problem}; leave --batch out, or choose a judge whose model begins with one "
            f"of {names}"
        )
    return model, provider


def _read_state(batch: Any, settings: JudgeSettings) -> BatchState:
    counts, errors = batch.request_counts, list(getattr(batch.errors, "data", None) or [])
    problem = "; ".join(f"{error.code}: {error.message}" for error in errors[:3])
    return BatchState(
        id=str(batch.id),
        status=str(batch.status),
        files=tuple(file for file in (batch.output_file_id, batch.error_file_id) if file),
        completed=counts.completed if counts else 0,
        failed=counts.failed if counts else 0,
        problem=settings.scrubber.scrub_error(" ".join(problem.split())[:500]),
    )


async def ask_progress(
    cassette: Path, judge: JudgeSettings | None = None, *, cancel: bool = False
) -> list[tuple[Batch, BatchState | None]]:
    """Asks how the batches beside a cassette are getting on.

    Returns:
        Each batch as it was recorded, and what the provider says of it; None where it has not got the batch, or where
        the replies are collected.
    """
    journal = BatchJournal(cassette)
    settings = judge or journal.settings
    if settings is None:
        raise UsageError(f"{cassette.name}{SUFFIX}: no batches are under way beside {cassette}")
    if WITHHELD in settings.model_dump_json():
        raise UsageError(f"{journal.folder}: the judge's settings may be secret and are not kept; add --judge JUDGE")
    provider, progress = BatchProvider(settings), list[tuple[Batch, BatchState | None]]()
    for batch in journal.batches.values():
        state: BatchState | None = None
        if batch.state == "creating":
            state = await provider.find(batch.id, batch.since)
        elif batch.state == "submitted":
            state = await provider.retrieve(batch.provider_id)
        if cancel and state is not None and not state.has_ended:
            state = await provider.cancel(state.id)
        progress.append((batch, state))
    return progress
