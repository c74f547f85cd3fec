"""The queue between a judge and a provider's batch API: takes missing questions, hands them in, collects replies."""

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from ...errors import BudgetReached, JudgeError, JudgeUnavailable, UsageError
from ...text.wording import count_of
from ..budget import Budget, RequestSize, cost_text, describe_lost, measure_question
from ..cassette import Recording, locked
from ..completion import read_reply
from ..litellm_lookup import batch_price, load_litellm
from ..question import Question, RawReply, ReplyPending
from ..settings import JudgeSettings
from ..usage import LostCalls
from .batch_journal import (
    Batch,
    BatchJournal,
    BatchWriter,
    Failure,
    format_record,
    format_request,
    read_results,
    request_body,
)
from .provider import MOST_BYTES, MOST_REQUESTS, BatchProvider, BatchState, CreationUnknown, PassingFailure

_LONGEST_WAIT = 60.0  # seconds between two questions about the batches under way
_LEAST_WAIT = 0.01
_MOST_FAILED_POLLS = 60  # in a row: an hour
_LOOKS = 4  # for a batch whose creation got no reply, before it counts as not created
_CLOCK_DIFFERENCE = 3600.0  # seconds by which the provider's clock may be behind


class BatchQueue:
    """Takes the questions that a judge has no reply to, submits them in batches, and keeps the replies.

    One stage after another: while a stage is open, the judge's metrics are run and end at their first missing reply
    (`ReplyPending`); `close_stage` submits what came together and returns when all replies are kept; then the metrics
    are run again. A stage without requests is the last one. Used as a context manager, which holds the lock of the
    journal: two processes never work on the same batches.

    Raises:
        JudgeUnavailable: The provider's key is not set.
    """

    def __init__(
        self,
        settings: JudgeSettings,
        cassette: Path,
        budget: Budget,
        *,
        keep: Callable[[Recording], None],
        most_requests: int | None = None,
        on_note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._provider = BatchProvider(settings)
        self._settings = settings
        self._cassette = cassette
        self._budget = budget
        self._keep = keep
        self._most_requests = min(most_requests or MOST_REQUESTS, MOST_REQUESTS)
        self._note = on_note
        self._price = batch_price(settings)
        self._writer: BatchWriter | None = None
        self._counted: BatchBudget | None = None
        self._reached = ""
        self._under_way: set[str] = set()
        self._collected: set[str] = set()
        self._failed: dict[str, tuple[int, Failure]] = {}
        self._failed_polls = 0  # in a row
        self._opened = ExitStack()
        self.journal = BatchJournal(cassette)

    def __enter__(self) -> "BatchQueue":
        from filelock import Timeout

        self._cassette.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opening:
            try:
                opening.enter_context(locked(self.journal.folder, wait=False))
            except Timeout as error:
                raise UsageError(
                    f"{self.journal.folder}: another process is at work on these batches; let it end, or end it first"
                ) from error
            self.journal = BatchJournal(self._cassette)  # as the process before left it
            theirs, ours = self.journal.settings, self._settings.recordable
            if theirs is not None and (theirs.model, theirs.api_base) != (ours.model, ours.api_base):
                raise UsageError(
                    f"{self.journal.folder}: batches of another judge ({theirs.identity}) are under way there; finish "
                    "them with its command first, or name another --cassette"
                )
            self.journal.begin(self._settings)
            self._opened = opening.pop_all()
        for batch in self.journal.batches.values():
            self._note_keys(batch)
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def request(self, key: str, question: Question[Any]) -> NoReturn:
        """Takes a question for the next stage.

        Raises:
            ReplyPending: It was taken, now or before.
            JudgeError: It failed for good, or came up after the last stage.
        """
        if key in self._under_way:
            raise ReplyPending
        attempts, failure = self._failed.get(key, (0, None))
        if failure is not None and failure.is_final:
            raise JudgeError(f"its request in a batch failed: {failure.cause}")
        if failure is not None and attempts >= self._settings.attempts:
            raise JudgeError(f"no reply in {count_of(attempts, 'batch')}, at last: {failure.cause}")
        if self._writer is None or self._counted is None:
            if self._reached:
                raise BudgetReached(self._reached)
            raise JudgeError("the question came up only after the batches had been collected; give the command again")
        try:
            "".join(message["content"] for message in question.messages).encode()
        except UnicodeEncodeError as error:
            raise JudgeError("the text holds half characters, which no request can carry") from error
        size = measure_question(question, self._settings, self._price)
        if reached := self._counted.take(size):
            self._reached = reached
            raise ReplyPending
        body = request_body(question, self._settings, self._provider.model, self._provider.name)
        self._writer.add(format_request(key, body), format_record(key, question, self._settings), size)
        self._under_way.add(key)
        raise ReplyPending

    def has_collected(self, key: str) -> bool:
        """Whether the reply of this key came in one of the journal's batches."""
        return key in self._collected

    async def recover(self) -> None:
        """Finds out what became of the batches that an earlier process began to create."""
        try:
            for batch in self.journal.in_state("creating"):
                state = await self._look_for(batch)
                if state is None:
                    self._drop(batch)
                else:
                    self._note(f"the batch {state.id} was submitted before; it is not submitted again")
                    self.journal.change(batch, state="submitted", provider_id=state.id, status=state.status)
        except PassingFailure as error:
            raise self._unreachable(error) from error
        for batch in self.journal.in_state("planned"):
            self._drop(batch)

    def open_stage(self) -> None:
        """Begins to take questions."""
        stage = max((batch.stage for batch in self.journal.batches.values()), default=0) + 1
        self._reached = ""
        self._counted = BatchBudget(self._budget, self.journal.batches.values(), self._settings.identity)
        self._writer = BatchWriter(self.journal, stage, self._most_requests, MOST_BYTES)

    async def close_stage(self) -> bool:
        """Submits the questions that came together, waits, and keeps the replies.

        Returns:
            Whether there were any; False after the last stage.

        Raises:
            JudgeUnavailable: The provider cannot be reached, or refuses; or batches were cancelled.
        """
        assert self._writer is not None
        self._writer.finish()
        self._writer = None
        planned = self.journal.in_state("planned")
        if not planned and not self.journal.in_state("submitted"):
            return False
        if planned:
            self._note(describe_stage(planned))
        try:
            for batch in planned:
                await self._submit(batch)
            await self._wait()
        except PassingFailure as error:
            raise self._unreachable(error) from error
        return True

    def finish(self) -> None:
        """Removes the journal: everything is scored."""
        self.journal.remove()

    async def _submit(self, batch: Batch) -> None:
        content = self.journal.requests_path(batch.id).read_bytes()
        file = await self._provider.upload(f"assay-{batch.id}.jsonl", content)
        for _ in range(self._settings.attempts):
            since = time.time() - _CLOCK_DIFFERENCE
            changes = {"state": "creating", "attempt": batch.attempt + 1, "creating_since": since, "file": file}
            batch = self.journal.change(batch, **changes)
            try:
                state: BatchState | None = await self._provider.create(file, batch.metadata_id)
            except CreationUnknown as error:
                cause = error
                state = await self._look_for(batch)
            except JudgeUnavailable:
                self._drop(batch)
                raise
            if state is not None:
                self.journal.change(batch, state="submitted", provider_id=state.id, status=state.status)
                self._note(f"the batch {state.id} is submitted: {count_of(batch.requests, 'request')}")
                return
        raise PassingFailure(str(cause))

    async def _look_for(self, batch: Batch) -> BatchState | None:
        """The provider's batch, where it has one whose creation got no reply."""
        for look in range(_LOOKS):
            if look:
                await asyncio.sleep(self._settings.wait * 2**look)
            if state := await self._provider.find(batch.metadata_id, batch.file, batch.creating_since):
                return state
        return None

    async def _wait(self) -> None:
        """Polls with back-off until no batch is under way, and collects each that has ended."""
        wait = self._settings.wait
        self._failed_polls = 0
        stopped: list[str] = []
        while self.journal.in_state("submitted"):
            for batch, state in await self._poll():
                await self._collect(batch, state)
                if state.status == "failed":
                    stopped.append(f"the batch {state.id} was refused ({state.problem or 'no reason is given'})")
                elif state.status == "cancelled":
                    stopped.append(f"the batch {state.id} was cancelled")
            if self.journal.in_state("submitted"):
                await asyncio.sleep(max(wait, _LEAST_WAIT))
                wait = min(2 * wait, _LONGEST_WAIT)
        if stopped:
            raise JudgeUnavailable(
                f"{'; '.join(stopped[:3])}. The replies that came are kept; the same command submits the rest again "
                "(where the provider has no room for all, in smaller batches: --batch-size)"
            )

    async def _poll(self) -> list[tuple[Batch, BatchState]]:
        """Asks once about each batch under way, and returns those that have ended."""
        ended = []
        for batch in self.journal.in_state("submitted"):
            try:
                state = await self._provider.retrieve(batch.provider_id)
            except PassingFailure:
                self._failed_polls += 1
                if self._failed_polls > _MOST_FAILED_POLLS:
                    raise
                continue
            self._failed_polls = 0
            if state.has_ended:
                ended.append((batch, state))
            elif state.status != batch.status:
                self.journal.change(batch, status=state.status)
                self._note(
                    f"the batch {state.id} is {state.status}: {state.completed:,} of "
                    f"{count_of(batch.requests, 'reply')}"
                )
        return ended

    async def _collect(self, batch: Batch, state: BatchState) -> None:
        """Keeps the replies of a batch that has ended, and notes what came of each request."""
        records = self.journal.read_records(batch)
        results = read_results([await self._provider.read_file(file) for file in state.files], records.keys())
        failures = dict(results.failures)
        spent_in = spent_out = replies = 0
        spent_usd: float | None = None if self._price is None else 0.0
        for key, body in results.bodies.items():
            reply = self._read_body(body, records[key].size)
            if isinstance(reply, Failure):
                failures[key] = reply
                continue
            self._keep(replace(records[key].recording, reply=reply))
            replies += 1
            spent_in, spent_out = spent_in + reply.tokens_in, spent_out + reply.tokens_out
            spent_usd = None if spent_usd is None or reply.usd is None else spent_usd + reply.usd
            if replies % 100 == 0:
                await asyncio.sleep(0)  # Ctrl-C gets its turn
        reason = {"expired": "the batch expired before it was answered", "cancelled": "the batch was cancelled"}
        missing = Failure(reason.get(state.status, "the batch has no line about it"), is_final=False)
        for key in records.keys() - results.bodies.keys() - failures.keys():
            failures[key] = missing
        was_refused = state.status == "failed"  # as a whole, before any work
        lost = LostCalls()
        for key, failure in failures.items():
            if not (failure.is_free or was_refused):
                size = records[key].size
                usd = None if self._price is None else self._price.cost(size.most_in, size.tokens_out)
                lost += LostCalls(1, size.most_in + size.tokens_out, usd)
        scrub = self._settings.scrubber.scrub_error
        batch = self.journal.change(
            batch,
            state="collected",
            status=state.status,
            problem=state.problem,
            replies=replies,
            spent_in=spent_in,
            spent_out=spent_out,
            spent_usd=spent_usd,
            lost=lost.calls,
            lost_tokens=lost.tokens,
            lost_usd=lost.usd,
            failures={key: (scrub(failure.cause), failure.is_final) for key, failure in sorted(failures.items())},
            counts_as_attempt=state.status not in {"failed", "cancelled"},
        )
        self._note_keys(batch)
        self.journal.requests_path(batch.id).unlink(missing_ok=True)
        without = f", {len(failures):,} without" if failures else ""
        at_most = f"; {describe_lost(lost)}" if lost.calls else ""
        self._note(f"the batch {state.id} is {state.status}: {count_of(replies, 'reply')}{without}{at_most}")

    def _read_body(self, body: dict[str, Any], size: RequestSize) -> RawReply | Failure:
        litellm = load_litellm()
        convert = load_litellm("litellm_core_utils.llm_response_utils.convert_dict_to_response")
        try:
            response = convert.convert_to_model_response_object(
                response_object=body, model_response_object=litellm.ModelResponse()
            )
            if not response.choices:
                return Failure("the reply has no choices", is_final=False)
            raw = read_reply(response, self._settings, size, 0.0)
        except Exception as error:  # what litellm raises for a body that is no reply is not said anywhere
            return Failure(f"the reply cannot be read ({type(error).__name__}: {str(error)[:200]})", is_final=False)
        return replace(raw, usd=None if self._price is None else self._price.cost(raw.tokens_in, raw.tokens_out))

    def _note_keys(self, batch: Batch) -> None:
        """Notes which requests of a batch wait for their reply, have one, or failed."""
        keys = self.journal.read_records(batch).keys()
        if batch.state != "collected":
            self._under_way |= keys
            return
        self._under_way -= keys
        self._collected |= keys - batch.failures.keys()
        for key, (cause, is_final) in batch.failures.items():
            attempts = self._failed[key][0] if key in self._failed else 0
            if batch.counts_as_attempt or is_final:
                self._failed[key] = attempts + 1, Failure(cause, is_final)

    def _drop(self, batch: Batch) -> None:
        self._under_way -= self.journal.read_records(batch).keys()
        self.journal.drop(batch)

    def _unreachable(self, error: PassingFailure) -> JudgeUnavailable:
        return JudgeUnavailable(
            f"the batches of {self._settings.identity} cannot be reached: {error}. Nothing is lost: what was submitted "
            "goes on at the provider, and the same command goes on here"
        )


def describe_stage(batches: list[Batch]) -> str:
    """Says what a stage may take, before it is submitted."""
    requests, tokens_in, tokens_out = (
        sum(getattr(batch, name) for batch in batches) for name in ("requests", "tokens_in", "tokens_out")
    )
    prices = [batch.usd for batch in batches]
    cost = "at an unknown price" if None in prices else f"at most {sum(usd or 0.0 for usd in prices):.4f} USD"
    return (
        f"stage {batches[0].stage}: {count_of(requests, 'request')} in {count_of(len(batches), 'batch')}, "
        f"at most {count_of(tokens_in, 'token')} in and {tokens_out:,} out, {cost}"
    )


class BatchBudget:
    """Counts what batches took and may still take against a budget.

    Unlike a budget of live calls it covers all sessions of a run: what an earlier one submitted counts. A batch whose
    replies have not come counts for the most that it may take, and so does a request without a reply that may have been
    charged.
    """

    def __init__(self, budget: Budget, batches: Iterable[Batch], model: str) -> None:
        self._budget = budget
        self._model = model
        self._taken = LostCalls()
        for batch in batches:
            if batch.state == "collected":
                tokens = batch.spent_in + batch.spent_out + batch.lost_tokens
                usd = (batch.spent_usd or 0.0) + (batch.lost_usd or 0.0)
                self._taken += LostCalls(batch.replies + batch.lost, tokens, usd)
            else:
                self._taken += LostCalls(batch.requests, batch.tokens_in + batch.tokens_out, batch.usd or 0.0)

    def take(self, size: RequestSize) -> str:
        """Counts a request, unless it does not fit: then says which bound is reached."""
        budget, taken = self._budget, self._taken
        if budget.usd is not None and size.price is None:
            raise UsageError(
                f"the cost of {self._model} in batches is unknown, so a budget in USD cannot be kept; bound tokens "
                "instead, or give the judge's price in its settings file"
            )
        tokens = size.most_in + size.tokens_out
        usd = size.price.cost(size.most_in, size.tokens_out) if size.price else 0.0
        wanted = taken + LostCalls(1, tokens, usd)
        _, reached = budget.passed_bound(
            wanted.calls + budget.begun, wanted.tokens + budget.spent_tokens, (wanted.usd or 0.0) + budget.spent_usd
        )
        if reached:
            return (
                f"{reached}: {count_of(taken.calls, 'request')} in batches took or may take "
                f"{count_of(taken.tokens, 'token')}, cost {cost_text(taken.usd if size.price else None)}; the next one "
                f"may take {count_of(tokens, 'token')}"
            )
        self._taken = wanted
        return ""
