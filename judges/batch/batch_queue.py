"""The queue between a judge and a provider's batch API: takes missing questions, hands them in, collects replies."""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ...atomic_files import replace_file
from ...errors import BudgetReached, JudgeError, JudgeUnavailable, UsageError
from ...text.wording import count_of
from ..budget import Budget, RequestSize, cost_text, describe_lost, measure_question
from ..cassette import Recording, format_line, locked, make_recording
from ..completion import read_reply
from ..litellm_lookup import batch_price, load_litellm
from ..question import Question, RawReply, ReplyPending
from ..settings import JudgeSettings
from ..usage import NO_USAGE, LostCalls, Usage
from .batch_journal import Batch, BatchJournal, Failure, format_request, read_results, request_body
from .provider import MOST_BYTES, MOST_REQUESTS, BatchProvider, BatchState, PassingFailure

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
        self._planned: list[PlannedRequest] | None = None  # of the stage that is open
        self._taken = NO_USAGE  # of the batches of all sessions of the run, at most
        self._reached = ""
        self._under_way: set[str] = set()
        self._collected: set[str] = set()
        self._failed: dict[str, list[Failure]] = {}
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
            for batch in self.journal.batches.values():
                self._note_keys(batch)
            self._opened = opening.pop_all()
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
        failures = self._failed.get(key, [])
        if failures and failures[-1].is_final:
            raise JudgeError(f"its request in a batch failed: {failures[-1].cause}")
        if len(failures) >= self._settings.attempts:
            raise JudgeError(f"no reply in {count_of(len(failures), 'batch')}, at last: {failures[-1].cause}")
        if self._planned is None:
            if self._reached:
                raise BudgetReached(self._reached)
            raise JudgeError("the question came up only after the batches had been collected; give the command again")
        try:
            "".join(message["content"] for message in question.messages).encode()
        except UnicodeEncodeError as error:
            raise JudgeError("the text holds half characters, which no request can carry") from error
        size = measure_question(question, self._settings, self._price)
        most = _most_taken(size)
        if reached := self._problem(size, most):
            self._reached = reached
            raise ReplyPending
        self._taken += most
        body = request_body(question, self._settings, self._provider.model, self._provider.name)
        planned = RawReply(self._settings.identity, "", tokens_in=most.tokens_in, tokens_out=most.tokens_out)
        recording = make_recording(key, question, self._settings.parameters, planned)
        self._planned.append(PlannedRequest(format_request(key, body), format_line(recording), most))
        self._under_way.add(key)
        raise ReplyPending

    def _problem(self, size: RequestSize, most: Usage) -> str:
        """Says which bound a request would pass; empty where it fits.

        Unlike a budget of live calls this covers all sessions of a run: what an earlier one submitted counts, and what
        is under way with the most that it may take.
        """
        budget, taken = self._budget, self._taken
        if budget.usd is not None and None in (size.price, taken.usd):
            raise UsageError(
                f"the cost of {self._settings.identity} in batches is unknown, so a budget in USD cannot be kept; "
                "bound tokens instead, or give the judge's price in its settings file"
            )
        wanted = taken + most
        _, reached = budget.passed_bound(
            wanted.calls + budget.begun,
            wanted.tokens_in + wanted.tokens_out + budget.spent_tokens,
            (wanted.usd or 0.0) + budget.spent_usd,
        )
        if not reached:
            return ""
        return (
            f"{reached}: {count_of(taken.calls, 'request')} in batches took or may take "
            f"{count_of(taken.tokens_in + taken.tokens_out, 'token')}, cost {cost_text(taken.usd)}; the next one may "
            f"take {count_of(most.tokens_in + most.tokens_out, 'token')}"
        )

    def has_collected(self, key: str) -> bool:
        """Whether the reply of this key came in one of the journal's batches."""
        return key in self._collected

    async def recover(self) -> None:
        """Finds out what became of the batches that an earlier process began to create."""
        for batch in self.journal.in_state("creating"):
            state = await self._look_for(batch)
            if state is None:
                self._drop(batch)
            else:
                self._note(f"the batch {state.id} was submitted before; it is not submitted again")
                self._note_submitted(batch, state)

    def open_stage(self) -> None:
        """Begins to take questions."""
        batches = self.journal.batches.values()
        self._reached = ""
        self._taken = Usage.total([batch.taken for batch in batches])
        self._planned = []

    async def close_stage(self) -> bool:
        """Submits the questions that came together, waits, and keeps the replies.

        Returns:
            Whether there were any; False after the last stage.

        Raises:
            JudgeUnavailable: The provider cannot be reached, or refuses; or batches were cancelled.
        """
        planned = [*cut_batches(self._planned or (), self._most_requests)]
        self._planned = None
        if not planned and not self.journal.in_state("submitted"):
            return False
        stage = max((batch.stage for batch in self.journal.batches.values()), default=0) + 1
        if planned:
            self._note(describe_stage(stage, planned))
        while planned:
            requests = planned.pop(0)  # what is submitted is not kept in memory
            taken = Usage.total([request.most for request in requests])
            await self._submit(Batch(secrets.token_hex(8), stage, len(requests), taken=taken), requests)
        await self._wait()
        return True

    def finish(self) -> None:
        """Removes the journal: everything is scored."""
        self.journal.remove()

    async def _submit(self, batch: Batch, requests: Sequence["PlannedRequest"]) -> None:
        with replace_file(self.journal.recordings_path(batch.id), binary=True) as asked:
            asked.writelines(request.recording for request in requests)
        content = b"".join([request.line for request in requests])
        file = await self._provider.upload(f"assay-{batch.id}.jsonl", content)
        for _ in range(self._settings.attempts):
            batch.state, batch.since = "creating", time.time() - _CLOCK_DIFFERENCE
            self.journal.batches[batch.id] = batch
            self.journal.save()
            try:
                state: BatchState | None = await self._provider.create(file, batch.id)
            except PassingFailure as error:
                cause = error
                state = await self._look_for(batch)
            except JudgeUnavailable:
                self._drop(batch)
                raise
            if state is not None:
                self._note_submitted(batch, state)
                self._note(f"the batch {state.id} is submitted: {count_of(batch.requests, 'request')}")
                return
        raise cause

    def _note_submitted(self, batch: Batch, state: BatchState) -> None:
        batch.state, batch.provider_id, batch.status = "submitted", state.id, state.status
        self.journal.save()

    async def _look_for(self, batch: Batch) -> BatchState | None:
        """The provider's batch, where it has one whose creation got no reply."""
        for look in range(_LOOKS):
            if look:
                await asyncio.sleep(self._settings.wait * 2**look)
            if state := await self._provider.find(batch.id, batch.since):
                return state
        return None

    async def _wait(self) -> None:
        """Asks about each batch under way, less and less often, until all have ended, and collects their replies."""
        wait, failed_in_a_row, stopped = self._settings.wait, 0, list[str]()
        while self.journal.in_state("submitted"):
            for batch in self.journal.in_state("submitted"):
                try:
                    state = await self._provider.retrieve(batch.provider_id)
                except PassingFailure:
                    failed_in_a_row += 1
                    if failed_in_a_row > _MOST_FAILED_POLLS:
                        raise
                    continue
                failed_in_a_row = 0
                if state.has_ended:
                    await self._collect(batch, state)
                elif state.status != batch.status:
                    batch.status = state.status
                    self.journal.save()
                    replies = f"{state.completed:,} of {count_of(batch.requests, 'reply')}"
                    self._note(f"the batch {state.id} is {state.status}: {replies}")
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

    async def _collect(self, batch: Batch, state: BatchState) -> None:
        """Keeps the replies of a batch that has ended, and notes what came of each request."""
        recordings = self.journal.read_recordings(batch)
        results = read_results([await self._provider.read_file(file) for file in state.files], recordings.keys())
        reason = {"expired": "the batch expired before it was answered", "cancelled": "the batch was cancelled"}
        missing = Failure(reason.get(state.status, "the batch has no line about it"), is_final=False)
        failures, taken, lost, replies = dict[str, Failure](), NO_USAGE, LostCalls(), 0
        for key, recording in recordings.items():
            result = results.get(key, missing)
            reply = result if isinstance(result, Failure) else self._read_body(result, recording.reply)
            if isinstance(reply, Failure):
                failures[key] = reply
                if not (reply.is_free or state.status == "failed"):  # as a whole, before any work
                    most = _most_taken(self._size(recording.reply))
                    taken += most
                    lost += LostCalls(1, most.tokens_in + most.tokens_out, most.usd)
                continue
            self._keep(replace(recording, reply=reply))
            replies += 1
            taken += Usage(1, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out, usd=reply.usd)
            if replies % 100 == 0:
                await asyncio.sleep(0)  # Ctrl-C gets its turn
        scrub = self._settings.scrubber.scrub_error
        batch.state, batch.status, batch.problem = "collected", state.status, state.problem
        batch.replies, batch.taken = replies, taken
        batch.failures = {key: replace(failures[key], cause=scrub(failures[key].cause)) for key in sorted(failures)}
        self.journal.save()
        self._note_keys(batch)
        without = f", {len(failures):,} without" if failures else ""
        at_most = f"; {describe_lost(lost)}" if lost.calls else ""
        self._note(f"the batch {state.id} is {state.status}: {count_of(replies, 'reply')}{without}{at_most}")

    def _size(self, planned: RawReply) -> RequestSize:
        """What a request may take, of the reply that stands for it in the record."""
        return RequestSize(planned.tokens_in, planned.tokens_out, self._price, planned.tokens_in)

    def _read_body(self, body: dict[str, Any], planned: RawReply) -> RawReply | Failure:
        litellm = load_litellm()
        convert = load_litellm("litellm_core_utils.llm_response_utils.convert_dict_to_response")
        try:
            response = convert.convert_to_model_response_object(
                response_object=body, model_response_object=litellm.ModelResponse()
            )
            if not response.choices:
                return Failure("the reply has no choices", is_final=False)
            raw = read_reply(response, self._settings, self._size(planned), 0.0)
        except Exception as error:  # what litellm raises for a body that is no reply is not said anywhere
            return Failure(f"the reply cannot be read ({type(error).__name__}: {str(error)[:200]})", is_final=False)
        return replace(raw, usd=None if self._price is None else self._price.cost(raw.tokens_in, raw.tokens_out))

    def _note_keys(self, batch: Batch) -> None:
        """Notes which requests of a batch wait for their reply, have one, or failed."""
        keys = self.journal.read_recordings(batch).keys()
        if batch.state != "collected":
            self._under_way |= keys
            return
        self._under_way -= keys
        self._collected |= keys - batch.failures.keys()
        for key, failure in batch.failures.items():
            if failure.is_final or batch.status not in {"failed", "cancelled"}:  # these say nothing of the request
                self._failed.setdefault(key, []).append(failure)

    def _drop(self, batch: Batch) -> None:
        self._under_way -= self.journal.read_recordings(batch).keys()
        self.journal.drop(batch)


def _most_taken(size: RequestSize) -> Usage:
    """What a request takes at most."""
    usd = None if size.price is None else size.price.cost(size.most_in, size.tokens_out)
    return Usage(1, tokens_in=size.most_in, tokens_out=size.tokens_out, usd=usd)


class PlannedRequest(NamedTuple):
    """A request of the stage that is open."""

    line: bytes  # of the file that is uploaded
    recording: bytes  # what stays here of it: a line of a cassette without the reply
    most: Usage  # what it takes at most


def cut_batches(requests: Sequence[PlannedRequest], most_requests: int) -> Iterator[list[PlannedRequest]]:
    """Cuts the requests of a stage into batches of as many requests and bytes as one may have."""
    batch, size = list[PlannedRequest](), 0
    for request in requests:
        if batch and (len(batch) >= most_requests or size + len(request.line) > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(request)
        size += len(request.line)
    if batch:
        yield batch


def describe_stage(stage: int, batches: Sequence[Sequence[PlannedRequest]]) -> str:
    """Says what a stage may take, before it is submitted."""
    most = Usage.total([request.most for requests in batches for request in requests])
    cost = "at an unknown price" if most.usd is None else f"at most {most.usd:.4f} USD"
    return (
        f"stage {stage}: {count_of(most.calls, 'request')} in {count_of(len(batches), 'batch')}, "
        f"at most {count_of(most.tokens_in, 'token')} in and {most.tokens_out:,} out, {cost}"
    )
