"""Pushing the scores of a run to the traces that its samples came from: each once, also after a kill."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import tenacity

from ..errors import UsageError
from ..runs import Store
from ..runs.store.database import explain_errors
from ..runs.store.store import RunRow
from .address import TraceAddress, is_loopback
from .cursor import canonical_address, hold_lock, is_known_address
from .registry import open_sink
from .run_scores import RunScores
from .sink import Sink, TraceScore, WriteResult

BATCH = 200
"""Scores that a sink gets at once."""
_WAITS = (1.0, 2.0)  # seconds before what failed is tried again; a sink itself tries again what its tool asks for
_NAMED = 5  # problems


@dataclass(frozen=True, slots=True)
class PushRequest:
    """What to push, and where."""

    metrics: Sequence[str] = ()  # the metrics; empty for those that the run was asked for
    to: str | None = None  # where all scores go; None for where their traces were pulled from
    has_valueless: bool = False  # whether skipped and failed scores are pushed too, with a label and without a value
    link: Callable[[str, str], str] = lambda run, sample: ""  # makes the address of an answer's page of run and sample
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
    sleep: Callable[[float], None] | None = None,
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
        return _Push(store, run, request, open_place, on_progress).run(sleep)


class _Push:
    """One push, in passes: each writes what is not noted as written."""

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
        self._scores = RunScores(store, run, request.metrics, has_valueless=request.has_valueless, link=request.link)
        self._sinks: dict[str, Sink] = {}
        self._total = PushResult()

    def run(self, sleep: Callable[[float], None] | None) -> PushResult:
        """Tries what failed again, as long as that helps."""
        for wait in (*_WAITS, None):
            if self._pass() == 0 or wait is None:
                break
            (sleep or tenacity.nap.sleep)(wait)
        return self._total

    def _pass(self) -> int:
        """Writes what is not written; returns how many scores failed."""
        total = self._total
        result = PushResult(written=total.written, updated=total.updated)
        self._total = result
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
        result.unchanged -= total.written + total.updated  # by this push, in an earlier pass
        return result.failed

    def _write(self, place: str, scores: list[TraceScore]) -> None:
        result = self._total
        contents = {score.key: _content_hash(score) for score in scores}
        noted = self._noted(place, contents)
        changed = [score for score in scores if not _is_same(noted.get(score.key, ""), contents[score.key])]
        result.unchanged += len(scores) - len(changed)
        if self._request.is_dry:
            self._check_place(place)
            result.to_write += len(changed)
        elif changed:
            done: list[str] = []
            try:
                for written in self._sink(place).write(changed):
                    self._count(written)
                    done += [written.key] if written.state != "failed" and written.key in contents else []
            finally:
                self._note(place, {key: contents[key] for key in done})
        self._on_progress(result.written + result.updated + result.failed + result.unchanged)

    def _count(self, written: WriteResult) -> None:
        result = self._total
        if written.state == "written":
            result.written += 1
        elif written.state == "updated":
            result.updated += 1
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
        return dict(rows)

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
    """A hash of what is written, and after it one of the link where there is one."""
    content = json.dumps(asdict(replace(score, link="")), sort_keys=True)
    parts = [content, score.link] if score.link else [content]
    return "-".join(hashlib.sha256(part.encode()).hexdigest()[:16] for part in parts)


def _is_same(noted: str, content: str) -> bool:
    """Whether what is there need not be written again: a push that names no link leaves the one that is there."""
    return noted == content or noted.partition("-")[0] == content


def _is_here(place: str) -> bool:
    """Whether an address names this machine; one without a host is the tool's own server, wherever that is."""
    return is_loopback(urlsplit(f"//{TraceAddress.parse(place).host}").hostname or "")
