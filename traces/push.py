"""Pushing the scores of a run to the traces that its samples came from: each once, also after a kill."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any
from urllib.parse import urlsplit

from ..errors import AssayError, UsageError
from ..eval_sets import Sample
from ..eval_sets.conversation import is_turn
from ..judges.judge import open_judge
from ..metrics import Score
from ..metrics.catalogue import describe_metric, load_metric
from ..metrics.specification import parse_specification
from ..name_suggestions import nearest_names, quote_names
from ..runs import Store
from ..runs.store.database import explain_errors
from ..runs.store.store import RunRow
from .address import TraceAddress, is_loopback, open_sink
from .cursor import canonical_address, hold_lock, is_known_address
from .sink import Sink, TraceScore, WriteResult
from .source import TraceOrigin

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


class RunScores:
    """The scores of one run, in the order of its samples, each with the trace or session that it is about."""

    def __init__(self, store: Store, run: RunRow, metrics: Sequence[str] = ()) -> None:
        self._store, self._run = store, run
        self._judge = run.plan.judge.label if run.plan.judge is not None else ""
        self._directions = run.plan.all_directions
        self._ranges = {metric: _value_range(metric, run) for metric in _chosen_metrics(run, metrics)}
        self.samples_without_trace = 0  # samples with scores that come from no trace
        self.valueless = 0  # skipped and failed scores, which are left out

    def read(self) -> Iterator[TraceScore]:
        """Yields the scores, and counts what is left out."""
        samples = self._store.samples(self._run.id)  # in the order of the scores
        last_turns: dict[str, int | None] = {}  # of the conversation whose turns come next
        for name, rows in groupby(self._store.scores(self._run.id), itemgetter(0)):
            scores = {metric: score for _, metric, score in rows if metric in self._ranges}
            for sample in samples:
                if sample.messages and not is_turn(sample):
                    last_turns = {sample.id: sample.turn}
                if sample.id == name:
                    break
            else:  # in another order
                sample = self._store.sample(self._run.id, name)
            last_turn = last_turns.get(str(sample.metadata.get("conversation"))) if is_turn(sample) else sample.turn
            has_no_trace = False
            for metric, score in scores.items():
                is_of_conversation = metric in self._run.plan.conversation_metrics
                origin = find_origin(sample, is_of_conversation=is_of_conversation, last_turn=last_turn)
                if score.value is None:
                    self.valueless += 1
                elif origin is None:
                    has_no_trace = True
                else:
                    yield self._trace_score(sample, metric, score, score.value, origin)
            self.samples_without_trace += has_no_trace

    def _trace_score(self, sample: Sample, metric: str, score: Score, value: float, origin: TraceOrigin) -> TraceScore:
        low, high = self._ranges[metric]
        prompts = score.evidence.get("prompts")
        is_judged = bool(prompts) or score.usage.calls + score.usage.from_cassette > 0
        option = score.evidence.get("option")
        return TraceScore(
            key=score_key(self._run.id, origin, metric),
            origin=origin,
            name=metric,
            value=value,
            low=low,
            high=high,
            higher_is_better=self._directions[metric],
            label=option if isinstance(option, str) else "",
            reason=score.reason,
            judge=self._judge if is_judged else "",
            prompts=_hash_of(tuple(map(str, prompts))) if isinstance(prompts, list | tuple) and prompts else "",
            run=self._run.id,
            sample=sample.id,
            at=self._run.created,
        )


def score_key(run: str, origin: TraceOrigin, metric: str) -> str:
    """Returns what makes a score this one: 32 hexadecimal digits over run, trace or part of a session, and metric."""
    session = origin.session if origin.unit == "session" else ""
    content = "\0".join((run, origin.address, origin.unit, session, origin.id, metric))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def find_origin(sample: Sample, *, is_of_conversation: bool, last_turn: int | None = None) -> TraceOrigin | None:
    """Finds what a score of a sample is about: the session, or the trace of the turn under test."""
    origin = TraceOrigin.of_sample(sample)
    if origin is None or origin.unit not in {"trace", "session"}:
        return None
    if is_of_conversation and "session" in {origin.unit, origin.extent}:
        return replace(origin, unit="session")
    if origin.unit == "trace":
        # a turn before the last one is an answer of an earlier trace, whose messages this one repeats
        return origin if not is_turn(sample) or sample.turn == last_turn else None
    message = None if sample.turn is None else sample.messages[sample.turn]
    own: dict[str, Any] = (message.model_extra or {}) if message is not None else {}
    if not own.get("trace_id"):
        return None
    trace = str(own["trace_id"])
    return TraceOrigin(origin.address, trace, str(own.get("span_id") or ""), origin.session)


def _chosen_metrics(run: RunRow, metrics: Sequence[str]) -> tuple[str, ...]:
    known = run.plan.all_metrics
    for metric in metrics:
        if metric not in known:
            nearest = nearest_names(metric, known)
            hint = f"did you mean `{nearest[0]}`? " if nearest else ""
            raise UsageError(f"run {run.id} has no metric `{metric}`: {hint}it has {quote_names(known)}")
    return tuple(dict.fromkeys(metrics)) or run.plan.metrics


def _value_range(metric: str, run: RunRow) -> tuple[float | None, float | None]:
    """The range of a metric; unknown where what it was loaded from is gone."""
    try:
        specification = parse_specification(metric)
        if not (specification.path or specification.is_scorer):
            description = describe_metric(specification.name)
            if not description.argument:
                return description.range
        judge = None if run.plan.judge is None else open_judge(run.plan.judge)
        return load_metric(specification, judge).range
    except AssayError:
        return None, None


@cache
def _hash_of(prompts: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(prompts).encode()).hexdigest()[:12]


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
