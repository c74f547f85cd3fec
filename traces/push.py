"""Pushing the scores of a run to the traces that its samples came from: each once, also after a kill."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

from ..errors import UsageError
from ..runs import Store
from ..runs.store.database import explain_errors
from ..runs.store.store import RunRow
from .address import TraceAddress, is_loopback, open_sink
from .cursor import canonical_address, hold_lock, is_known_address
from .run_scores import RunScores
from .sink import Sink, TraceScore, WriteResult

BATCH = 200
"""Scores that a sink gets at once."""
_NAMED = 5  # problems


@dataclass(frozen=True, slots=True)
class PushRequest:
    """What to push, and where."""

    metrics: Sequence[str] = ()  # the metrics; empty for those that the run was asked for
    to: str | None = None  # where all scores go; None for where their traces were pulled from
    is_dry: bool = False  # whether nothing is written, only counted


@dataclass(slots=True)
class PushResult:
    """What became of the scores of a run."""

    written: int = 0  # scores that are new there
    updated: int = 0  # scores that were there with another content
    failed: int = 0  # scores that could not be written
    unchanged: int = 0  # scores that an earlier push wrote
    to_write: int = 0  # of a dry push, scores that would be written
    samples_without_trace: int = 0  # samples with scores that come from no trace
    valueless: int = 0  # skipped and failed scores, which are left out
    places: Counter[str] = field(default_factory=Counter)  # the number of scores by address
    metrics: Counter[str] = field(default_factory=Counter)  # the number of scores by metric
    problems: Counter[str] = field(default_factory=Counter)  # why scores failed, with how many


def push_scores(
    store: Store,
    run: RunRow,
    request: PushRequest,
    *,
    open_place: Callable[[str], Sink] = open_sink,
    on_progress: Callable[[int], None] = lambda done: None,
) -> PushResult:
    """Pushes the scores of a run; what an earlier push wrote, and is the same, is not written again.

    What is written is noted in the store after it is there: a kill between the two makes the next push write it again,
    under the same key.

    Raises:
        UsageError: An unknown metric or address, another process pushes this run, or the samples name an address that
            nothing was pulled from with this store.
        InputError: Nothing can be written there.
    """
    refusal = f"run {run.id}: another process pushes its scores; wait until it has ended"
    with hold_lock(store.database, f"push-{run.id}", refusal):
        return _Push(store, run, request, open_place, on_progress).run()


class _Push:
    """One push: writes what is not noted as written."""

    def __init__(
        self,
        store: Store,
        run: RunRow,
        request: PushRequest,
        open_place: Callable[[str], Sink],
        on_progress: Callable[[int], None],
    ) -> None:
        self._store, self._run, self._request = store, run, request
        self._open_place, self._on_progress = open_place, on_progress
        self._scores = RunScores(store, run, request.metrics)
        self._sinks: dict[str, Sink] = {}
        self._result = PushResult()

    def run(self) -> PushResult:
        result = self._result
        waiting: dict[str, list[TraceScore]] = {}
        for score in self._scores.read():
            place = self._request.to or score.origin.address
            result.places[place] += 1
            result.metrics[score.name] += 1
            batch = waiting.setdefault(place, [])
            batch.append(score)
            if len(batch) == BATCH:
                self._write(place, waiting.pop(place))
        for place, batch in waiting.items():
            self._write(place, batch)
        result.samples_without_trace, result.valueless = self._scores.samples_without_trace, self._scores.valueless
        return result

    def _write(self, place: str, scores: list[TraceScore]) -> None:
        result = self._result
        contents = {score.key: _content_hash(score) for score in scores}
        noted = self._noted(place, contents)
        changed = [score for score in scores if noted.get(score.key) != contents[score.key]]
        result.unchanged += len(scores) - len(changed)
        if self._request.is_dry:
            self._check_place(place)
            result.to_write += len(changed)
        elif changed:
            done: list[str] = []
            try:
                for written in self._sink(place).write(changed):
                    self._count(written, was_noted=written.key in noted)
                    done += [written.key] if written.state != "failed" and written.key in contents else []
            finally:
                self._note(place, {key: contents[key] for key in done})
        self._on_progress(result.written + result.updated + result.failed + result.unchanged)

    def _count(self, written: WriteResult, *, was_noted: bool) -> None:
        result = self._result
        if written.state == "updated" or (written.state == "written" and was_noted):
            result.updated += 1
        elif written.state == "written":
            result.written += 1
        else:
            result.failed += 1
            if written.problem in result.problems or len(result.problems) < _NAMED:
                result.problems[written.problem] += 1

    def _sink(self, place: str) -> Sink:
        if place not in self._sinks:
            self._check_place(place)
            self._sinks[place] = self._open_place(place)
        return self._sinks[place]

    def _check_place(self, place: str) -> None:
        """A file of samples from elsewhere may name any server, and the keys would go there."""
        if self._request.to is not None or _is_here(place) or is_known_address(self._store, place):
            return
        raise UsageError(
            f"the samples of run {self._run.id} name {place}, from which nothing was pulled with this store; "
            f"--to {place} sends the scores and your key there"
        )

    def _noted(self, place: str, contents: dict[str, str]) -> dict[str, str]:
        marks = ", ".join("?" * len(contents))
        with explain_errors(self._store.database, "what was pushed cannot be read"):
            rows = self._store.database.execute(
                f"SELECT score, content FROM pushed_scores WHERE address = ? AND score IN ({marks})",
                (_ledger_name(place), *contents),
            ).fetchall()
        return {key: content.partition("-")[0] for key, content in rows}  # 0.2 noted the link's hash behind it

    def _note(self, place: str, contents: dict[str, str]) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [(key, _ledger_name(place), self._run.id, content, at) for key, content in contents.items()]
        with (
            explain_errors(self._store.database, "what was pushed cannot be noted"),
            self._store.database.transaction(),
        ):
            self._store.database.executemany(
                "INSERT INTO pushed_scores VALUES (?, ?, ?, ?, ?) ON CONFLICT (score, address) DO UPDATE SET "
                "content = excluded.content, pushed_at = excluded.pushed_at",
                rows,
            )


def _ledger_name(place: str) -> str:
    return canonical_address(TraceAddress.parse(place))


def _content_hash(score: TraceScore) -> str:
    """A hash of what is written, as 0.2 made it of a score without a link."""
    content = json.dumps(asdict(score) | {"link": ""}, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _is_here(place: str) -> bool:
    """Whether an address names this machine; one without a host is the tool's own server, wherever that is."""
    return is_loopback(urlsplit(f"//{TraceAddress.parse(place).host}").hostname or "")
