"""Executing metrics on samples, each kept as soon as it is done; and what one run writes into its store."""

import asyncio
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from ...errors import AssayError
from ...eval_sets import Sample
from ...eval_sets.conversation import is_turn, measured_levels
from ...eval_sets.levels import Turns
from ...judges import LostCalls, RawReply
from ...judges.cassette import Recording, format_line, parse_line
from ...judges.secrets import Scrubber
from ...metrics import Metric, Score
from ...metrics.score import failed
from ...metrics.specification import CONVERSATION_BASELINES
from ..store.database import explain_errors
from ..store.sample_content import ContentReader, content_key, forget_contents, put_samples, write_content
from ..store.store import Store, check_store

Keep = Callable[[Sample, dict[str, Score]], None]
FinishedMetrics = Callable[[Sample], set[str]]
"""The metrics that need not score a sample again."""


async def execute(
    samples: Iterable[Sample],
    metrics: Sequence[Metric],
    keep: Keep,
    *,
    concurrency: int,
    turns: Turns = "last",
    finished_metrics: FinishedMetrics = lambda _: set(),
) -> None:
    """Scores samples and gives each with its scores to `keep` as soon as it is done.

    The metrics of one sample run one after another: a judge's prefix cache stays warm. Samples are drawn one by one, so
    that a set of any length takes the same memory.

    Raises:
        Exception: What `samples` or `keep` raise; never a group of errors.
    """
    source = iter(samples)
    errors: list[Exception] = []
    scrubber = Scrubber()

    async def score(sample: Sample) -> None:
        finished = finished_metrics(sample)
        scores: dict[str, Score] = {}
        try:
            for metric in select_metrics(metrics, sample, turns):
                if metric.name not in finished:
                    scores[metric.name] = await _assess(metric, sample, scrubber)
        finally:
            keep(sample, scores)

    async def work() -> None:
        try:
            for sample in source:
                if errors:
                    return
                await score(sample)
                await asyncio.sleep(0)  # replayed samples never wait: Ctrl-C and the line of progress get a turn
        except Exception as error:  # raised alone when the others have ended: a group of errors would hide it
            errors.append(error)

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())
    if errors:
        raise errors[0]


def select_metrics(metrics: Sequence[Metric], sample: Sample, turns: Turns) -> list[Metric]:
    """Selects the metrics that are for a sample.

    Baselines of a conversation, which nobody need have asked for, are for conversations alone; another metric of a
    conversation skips what is none, and says so.
    """
    levels = measured_levels(sample, turns)
    return [
        metric
        for metric in metrics
        if metric.measures in levels and (sample.messages or metric.name not in CONVERSATION_BASELINES)
    ]


async def _assess(metric: Metric, sample: Sample, scrubber: Scrubber) -> Score:
    try:
        return _without_secrets(await metric.assess(sample), scrubber)
    except AssayError:
        raise
    except Exception as error:  # the metric's own defect, perhaps of another package: the sample fails, the run goes on
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        reason = f"{metric.name} broke: {type(error).__name__}: {error} ({where})"
        return _without_secrets(failed(reason, {"traceback": traceback.format_exc()}), scrubber)


def _without_secrets(score: Score, scrubber: Scrubber) -> Score:
    """The score without the keys and passwords of the environment: a metric of the user's may repeat them."""
    scrub = scrubber.scrub_error if score.status == "failed" else scrubber.scrub
    reason, evidence = scrub(score.reason), scrubber.scrub_value(score.evidence)
    is_clean = (reason, evidence) == (score.reason, score.evidence)
    return score if is_clean else replace(score, reason=reason, evidence=evidence)


_BATCH_ROWS = 500
_BATCH_SECONDS = 0.5
_PUT_SCORE = (
    "INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, sample, metric) DO UPDATE SET "
    "value = excluded.value, status = excluded.status, reason = excluded.reason, evidence = excluded.evidence, "
    "usage = excluded.usage, judged = excluded.judged, left_out = excluded.left_out"
)
_PUT_REPLY = "INSERT INTO replies VALUES (?, ?, ?) ON CONFLICT (run, key) DO UPDATE SET line = excluded.line"
_MOVE_REPLY = (  # no key has a `#`; a run's replies only grow in number
    "UPDATE replies SET key = key || '#' || (SELECT count(*) FROM replies AS kept WHERE kept.run = replies.run) "
    "WHERE run = ? AND key = ?"
)


class RunWriter:
    """Writes what one run produces: replies at once, samples and scores in batches of half a second.

    A reply is on disk before it is scored. Scores of a batch that a kill takes away are made again from the replies.
    Every method raises `InputError` where the store cannot be read or written.
    """

    def __init__(self, store: Store, run: str) -> None:
        check_store(store)
        self._store, self._database = store, store.database
        self._run = run
        self._samples: list[tuple[Any, ...]] = []
        self._scores: list[tuple[Any, ...]] = []
        self._places: dict[str, int] = {}
        self._conversations: dict[str, str] = {}  # the keys of their contents, by id
        self._replaced: dict[str, str] = {}  # the keys that they had of samples that have changed since, by id
        self._reader = ContentReader(store.database)
        self._last_write = time.monotonic()

    def number_samples(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """Yields the samples and notes their places in the set, for they are done in whatever order."""
        for place, sample in enumerate(samples):
            self._places[sample.id] = place
            if sample.messages and not is_turn(sample):
                self._conversations[sample.id] = content_key(write_content(sample))
            yield sample

    def get(self, key: str) -> Recording | None:
        """Returns the reply that this run has had under a key, or None."""
        with self._explaining():
            row = self._database.execute(
                "SELECT line FROM replies WHERE run = ? AND key = ?", (self._run, key)
            ).fetchone()
        return None if row is None else self._parse(key, row[0])

    def put(self, recording: Recording) -> None:
        """Keeps a reply, on disk before this returns.

        One that was paid for earlier under the same key moves aside, since it counts in what the run took; a batch that
        is collected again (no call: its replies take no seconds) takes the place of its replies.
        """
        with self._explaining(), self._database.transaction():
            if recording.reply.seconds:
                self._database.execute(_MOVE_REPLY, (self._run, recording.key))
            self._database.execute(_PUT_REPLY, (self._run, recording.key, format_line(recording)))

    def replies(self) -> list[RawReply]:
        """Returns the replies that this run has had, also those that a later one has replaced."""
        with self._explaining():
            rows = self._database.execute("SELECT key, line FROM replies WHERE run = ?", (self._run,)).fetchall()
        return [self._parse(*row).reply for row in rows]

    def _parse(self, key: str, line: bytes) -> Recording:
        return self._store.parse_row(parse_line, line, "replies", {"run": self._run, "key": key})

    def put_lost(self, lost: LostCalls) -> None:
        """Keeps what a call takes at most, or (negative) that it is not lost after all; on disk before this returns."""
        with self._explaining():
            self._database.execute("INSERT INTO lost_calls VALUES (?, ?, ?)", (self._run, lost.tokens, lost.usd))

    def lost(self) -> LostCalls:
        """Returns the calls of this run whose reply is lost, with what they took at most."""
        with self._explaining():
            rows = self._database.execute("SELECT tokens, usd FROM lost_calls WHERE run = ?", (self._run,)).fetchall()
        counts = Counter[LostCalls]()
        for tokens, usd in rows:
            call = LostCalls(1 if tokens > 0 else -1, tokens, usd)
            counts[call if tokens > 0 else -call] += call.calls
        return sum(counts.elements(), LostCalls())

    def finished_metrics(self, sample: Sample) -> set[str]:
        """Returns the metrics that scored or skipped this very sample; none when its content has changed since."""
        with self._explaining():
            row = self._database.execute(
                "SELECT samples.content, contents.content FROM samples LEFT JOIN contents "
                "ON contents.key = samples.content WHERE run = ? AND id = ?",
                (self._run, sample.id),
            ).fetchone()
            if row is None:
                return set()
            if not self._is_content(row[1], sample):
                self._replaced[sample.id] = row[0]
                return set()
            rows = self._database.execute(
                "SELECT metric FROM scores WHERE run = ? AND sample = ? AND status != 'failed'", (self._run, sample.id)
            )
            return {metric for (metric,) in rows}

    def _is_content(self, content: str | None, sample: Sample) -> bool:
        """Whether what is stored is this very sample; what is damaged is scored again."""
        try:
            return write_content(self._reader.read(content)) == write_content(sample)
        except ValueError:
            return False

    def remove_samples_except(self, ids: Collection[str]) -> bool:
        """Removes the samples that the set no longer has, with their scores; their replies stay.

        Returns whether each of those that it has is stored.
        """
        with self._explaining(), self._database.transaction():
            rows = self._database.execute("SELECT id, content FROM samples WHERE run = ?", (self._run,)).fetchall()
            gone = {name: key for name, key in rows if name not in ids}
            removed = [(self._run, name) for name in gone]
            self._database.executemany("DELETE FROM scores WHERE run = ? AND sample = ?", removed)
            self._database.executemany("DELETE FROM samples WHERE run = ? AND id = ?", removed)
            forget_contents(self._database, gone.values())
        return {*ids} <= {name for name, _ in rows}

    def add(self, sample: Sample, scores: dict[str, Score]) -> None:
        """Adds a sample with its scores by metric to the next batch."""
        place = self._places.pop(sample.id, 0)
        if not scores:
            return
        content = self._content(sample)
        row = (self._run, sample.id, place, sample.language, sample.rating_share, sample.source, content)
        self._samples.append(row)
        for metric, score in scores.items():
            evidence, usage = to_json(score.evidence).decode(), to_json(asdict(score.usage)).decode()
            fields = (score.value, score.status, score.reason, evidence, usage, score.judged, score.left_out)
            self._scores.append((self._run, sample.id, metric, *fields))
        if len(self._scores) >= _BATCH_ROWS or time.monotonic() - self._last_write > _BATCH_SECONDS:
            self.flush()

    def _content(self, sample: Sample) -> str:
        """The sample as it is kept: a turn without its messages only where the conversation is among the samples."""
        conversation = str(sample.metadata["conversation"]) if is_turn(sample) else ""
        return write_content(sample, self._conversations.get(conversation, ""))

    def flush(self) -> None:
        """Writes the batch, in one transaction; a batch that cannot be written is kept for the next time."""
        if not self._scores:
            return
        with self._explaining(), self._database.transaction():
            put_samples(self._database, self._samples)
            self._database.executemany(_PUT_SCORE, self._scores)
            names = [row[1] for row in self._samples]
            forget_contents(self._database, [self._replaced[name] for name in names if name in self._replaced])
        self._samples, self._scores = [], []
        self._last_write = time.monotonic()

    def _explaining(self) -> AbstractContextManager[None]:
        return explain_errors(self._database, "the run cannot be kept", f", then go on with --resume {self._run}")
