"""How the batches of a cassette are getting on, asked of the provider; and their cancellation."""

from dataclasses import dataclass
from pathlib import Path

from ...errors import JudgeUnavailable, UsageError
from ..secrets import WITHHELD
from ..settings import JudgeSettings
from .batch_journal import SUFFIX, Batch, BatchJournal
from .provider import BatchProvider, BatchState, PassingFailure


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """One batch, as the journal knows it and as the provider does."""

    cassette: Path
    batch: Batch
    # what the provider says; None for a batch that it has not got, or whose replies are collected
    state: BatchState | None

    @property
    def status(self) -> str:
        """The provider's word, else the journal's."""
        if self.state is not None:
            return self.state.status
        return self.batch.status if self.batch.state == "collected" else "not submitted"


async def ask_progress(
    cassette: Path, judge: JudgeSettings | None = None, *, cancel: bool = False
) -> list[BatchProgress]:
    """Asks how the batches beside a cassette are getting on.

    Raises:
        JudgeUnavailable: The provider cannot be reached, or refuses.
    """
    journal = BatchJournal(cassette)
    settings = judge or journal.settings
    if settings is None:
        raise UsageError(f"{cassette.name}{SUFFIX}: no batches are under way beside {cassette}")
    if WITHHELD in settings.model_dump_json():
        raise UsageError(f"{journal.folder}: the judge's settings may be secret and are not kept; add --judge JUDGE")
    provider = BatchProvider(settings)
    progress = []
    try:
        for batch in journal.batches.values():
            state: BatchState | None = None
            if batch.state == "creating":
                state = await provider.find(batch.metadata_id, batch.file, batch.creating_since)
            elif batch.state == "submitted":
                state = await provider.retrieve(batch.provider_id)
            if cancel and state is not None and not state.has_ended:
                state = await provider.cancel(state.id)
            progress.append(BatchProgress(cassette, batch, state))
    except PassingFailure as error:
        raise JudgeUnavailable(f"the batches of {settings.identity} cannot be reached: {error}") from error
    return progress
