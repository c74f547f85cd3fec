"""Where runs are kept: safe to kill at any moment and to share between processes."""

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_json

from ..errors import UsageError
from ..eval_sets import Sample
from ..judges import Usage
from ..judges.recording import Recording, format_line, parse_line
from ..metrics import Score
from .database import URL, not_kept, open_database
from .plan import Plan

DEFAULT_STORE = Path(".assay")
DEFAULT_WAIT = 60.0  # seconds for another process to let the store go
_BATCH_ROWS = 500
_BATCH_SECONDS = 0.5
_PUT_SAMPLE = (
    "INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, id) DO UPDATE SET place = excluded.place, "
    "language = excluded.language, rating = excluded.rating, source = excluded.source, content = excluded.content"
)
_PUT_SCORE = (
    "INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, sample, metric) DO UPDATE SET "
    "value = excluded.value, status = excluded.status, reason = excluded.reason, evidence = excluded.evidence, "
    "usage = excluded.usage"
)
_PUT_REPLY = "INSERT INTO replies VALUES (?, ?, ?) ON CONFLICT (run, key) DO UPDATE SET line = excluded.line"


class RunRow(NamedTuple):
    """A run as the store lists it. `status` is `running`, `done`, or why it stopped (`budget`, `interrupted`)."""

    id: str
    created: str
    plan: Plan
    status: str


class Store:
    """The runs of one folder (`.assay/runs.sqlite`), or of a PostgreSQL server (`postgresql://USER@HOST/DATABASE`).

    `path` is where they are, without a password; `wait` seconds at most for another process to let them go. Raises
    `UsageError` for what is no store or cannot be reached.
    """

    def __init__(
        self, folder: str | Path = DEFAULT_STORE, *, must_exist: bool = False, wait: float = DEFAULT_WAIT
    ) -> None:
        if must_exist and not URL.match(str(folder)) and not (Path(folder) / "runs.sqlite").exists():
            raise UsageError(
                f"{Path(folder) / 'runs.sqlite'}: there are no runs here; run `assay run` first, or name the folder "
                "with --store"
            )
        self.database = self._db = open_database(folder, wait)
        self.path = self._db.name

    def begin(self, plan: Plan) -> str:
        """Makes a run and gives its id: the date, the time and four digits of the plan's identity."""
        now = datetime.now(UTC)
        for attempt in range(100):
            run = f"{now:%Y%m%d-%H%M%S}-{plan.identity[:4]}" + (f"-{attempt}" if attempt else "")
            try:
                row = (run, now.isoformat(timespec="seconds"), plan.model_dump_json(), plan.identity, "running")
                self._db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", row)
            except self._db.twice:
                continue
            except self._db.errors as error:
                raise UsageError(f"{self.path}: no run can be begun: {error}; see that it can be written to") from error
            return run
        raise UsageError(f"{self.path}: a hundred runs of this plan began in this second")

    def end(self, run: str, status: str) -> None:
        """Says how a run ended."""
        try:
            self._db.execute("UPDATE runs SET status = ? WHERE id = ?", (status, run))
        except self._db.errors as error:
            raise not_kept(self.path, error, run) from error

    def runs(self) -> list[RunRow]:
        """All runs, the newest first."""
        rows = self._db.execute("SELECT id, created, plan, status FROM runs ORDER BY created DESC, id DESC")
        return [RunRow(run, created, Plan.model_validate_json(plan), status) for run, created, plan, status in rows]

    def run(self, name: str) -> RunRow:
        """The run with this id, the only one that begins so, or `last`. Raises `UsageError` when there is none."""
        runs = self.runs()
        found = runs[:1] if name == "last" else [run for run in runs if run.id.startswith(name)]
        if len(found) != 1 and not any(run.id == name for run in found):
            known = ", ".join(run.id for run in (found or runs)[:5]) or "none yet"
            what = "several runs begin with" if found else "no run is called"
            raise UsageError(f"{what} {name!r} in {self.path}; the newest are {known}")
        return next((run for run in found if run.id == name), found[0])

    def newest_with(self, identity: str) -> RunRow | None:
        """The newest run of a plan, or None."""
        row = self._db.execute(
            "SELECT id FROM runs WHERE identity = ? ORDER BY created DESC, id DESC LIMIT 1", (identity,)
        ).fetchone()
        return self.run(row[0]) if row else None

    def samples(self, run: str) -> Iterator[Sample]:
        """A run's samples as they were judged, in the order of their set."""
        for (content,) in self._db.execute("SELECT content FROM samples WHERE run = ? ORDER BY place", (run,)):
            yield Sample.model_validate_json(content)

    def sample(self, run: str, sample: str) -> Sample:
        """One sample as it was judged. Raises `UsageError` when the run has none of this id."""
        row = self._db.execute("SELECT content FROM samples WHERE run = ? AND id = ?", (run, sample)).fetchone()
        if row is None:
            ids = [found[0] for found in self._db.execute("SELECT id FROM samples WHERE run = ? LIMIT 5", (run,))]
            raise UsageError(f"run {run} has no sample {sample!r}; it has {', '.join(ids) or 'none'}, ...")
        return Sample.model_validate_json(row[0])

    def scores(self, run: str, sample: str | None = None) -> Iterator[tuple[str, str, Score]]:
        """(sample, metric, score) of a run, or of one sample of it, in the samples' order."""
        rows = self._db.execute(
            "SELECT scores.sample, metric, value, status, reason, evidence, usage FROM scores "
            "JOIN samples ON samples.run = scores.run AND samples.id = scores.sample "
            f"WHERE scores.run = ? {'' if sample is None else 'AND scores.sample = ?'} "
            "ORDER BY samples.place, samples.id",
            (run,) if sample is None else (run, sample),
        )
        (plan,) = self._db.execute("SELECT plan FROM runs WHERE id = ?", (run,)).fetchone() or (
            '{"sets": [], "metrics": []}',
        )
        order = {name: place for place, name in enumerate(Plan.model_validate_json(plan).all_metrics)}
        by_sample = (
            sorted(own, key=lambda row: (order.get(row[1], len(order)), row[1]))
            for _, own in groupby(rows, itemgetter(0))
        )
        for found, metric, value, status, reason, evidence, usage in chain.from_iterable(by_sample):
            yield found, metric, Score(value, status, reason, json.loads(evidence), Usage(**json.loads(usage)))

    def values(self, run: str) -> Iterator[tuple[str, str, float | None, float | None, str, str]]:
        """(metric, language, value, rating in [0, 1], source, status) of each score, without its evidence."""
        yield from self._db.execute(
            "SELECT metric, coalesce(language, ''), value, rating, source, status FROM scores "
            "JOIN samples ON samples.run = scores.run AND samples.id = scores.sample WHERE scores.run = ?",
            (run,),
        )

    def sample_values(self, run: str) -> Iterator[tuple[str, str, float | None, str]]:
        """(sample, metric, value, status) of each score, without its evidence."""
        yield from self._db.execute("SELECT sample, metric, value, status FROM scores WHERE run = ?", (run,))

    def worst(self, run: str, metric: str, count: int) -> list[tuple[Sample, Score]]:
        """The worst scores of a metric with their samples, the worst first; ties in the samples' order.

        Args:
            run: The id of the run.
            metric: One of the run's metrics; whether its low or high scores are the bad ones is read from the plan.
            count: The most scores to give.
        """
        order = "value" if self.run(run).plan.all_directions[metric] else "value DESC"
        rows = self._db.execute(
            "SELECT scores.sample FROM scores JOIN samples ON samples.run = scores.run AND samples.id = scores.sample "
            f"WHERE scores.run = ? AND metric = ? AND value IS NOT NULL ORDER BY {order}, samples.place LIMIT ?",
            (run, metric, count),
        ).fetchall()
        return [
            (self.sample(run, name), next(score for _, found, score in self.scores(run, name) if found == metric))
            for (name,) in rows
        ]

    def failed_samples(self, run: str) -> list[str]:
        """The ids of the samples that a metric failed on."""
        rows = self._db.execute(
            "SELECT sample FROM scores JOIN samples ON samples.run = scores.run AND samples.id = scores.sample "
            "WHERE scores.run = ? AND status = 'failed' GROUP BY sample, place ORDER BY place",
            (run,),
        )
        return [sample for (sample,) in rows]

    def first_failure(self, run: str) -> str:
        """The reason of the first failed score, or nothing."""
        row = self._db.execute(
            "SELECT reason FROM scores JOIN samples ON samples.run = scores.run AND samples.id = scores.sample "
            "WHERE scores.run = ? AND status = 'failed' ORDER BY place LIMIT 1",
            (run,),
        ).fetchone()
        return row[0] if row else ""

    def missing_scores(self, run: str) -> Iterator[tuple[str, str, str, int]]:
        """(metric, status, reason, count) of the scores without a value, the most frequent reasons first."""
        yield from self._db.execute(
            "SELECT metric, status, reason, count(*) FROM scores WHERE run = ? AND status != 'scored' "
            "GROUP BY metric, status, reason ORDER BY metric, status, count(*) DESC, reason",
            (run,),
        )

    def close(self) -> None:
        """Lets go of the file."""
        self._db.close()


class RunKeeper:
    """What one run writes: replies at once, samples and scores in batches of half a second.

    A reply is on disk before it is scored. Scores of a batch that a kill takes away are made again from the replies.
    """

    def __init__(self, store: Store, run: str) -> None:
        self._db = store._db
        self._path = store.path
        self._run = run
        self._samples: list[tuple[Any, ...]] = []
        self._scores: list[tuple[Any, ...]] = []
        self._places: dict[str, int] = {}
        self._last_write = time.monotonic()

    def drawn(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """The samples, their places in the set remembered: they are done in whatever order."""
        for place, sample in enumerate(samples):
            self._places[sample.id] = place
            yield sample

    def get(self, key: str) -> Recording | None:
        """The reply that this run has had under this key, or None."""
        with self._told():
            row = self._db.execute("SELECT line FROM replies WHERE run = ? AND key = ?", (self._run, key)).fetchone()
        return None if row is None else parse_line(row[0])

    def put(self, recording: Recording) -> None:
        """Keeps a reply, on disk before this returns. Raises `InputError` when it cannot be written."""
        row = (self._run, recording.key, format_line(recording))
        with self._told():
            self._db.execute(_PUT_REPLY, row)

    def has_replies(self) -> bool:
        """Whether this run has asked a model anything yet."""
        return self._db.execute("SELECT 1 FROM replies WHERE run = ? LIMIT 1", (self._run,)).fetchone() is not None

    def finished_metrics(self, sample: Sample) -> set[str]:
        """The metrics that scored or skipped this very sample; none when its content has changed since."""
        with self._told():
            row = self._db.execute(
                "SELECT content FROM samples WHERE run = ? AND id = ?", (self._run, sample.id)
            ).fetchone()
            if row is None or row[0] != sample.model_dump_json():
                return set()
            rows = self._db.execute(
                "SELECT metric FROM scores WHERE run = ? AND sample = ? AND status != 'failed'", (self._run, sample.id)
            )
            return {metric for (metric,) in rows}

    def keep(self, sample: Sample, scores: dict[str, Score]) -> None:
        """Keeps a sample with its scores by metric; written with the next batch."""
        place = self._places.pop(sample.id, 0)
        if not scores:
            return
        content = sample.model_dump_json()
        row = (self._run, sample.id, place, sample.language, sample.rating_share, sample.source, content)
        self._samples.append(row)
        for metric, score in scores.items():
            evidence, usage = to_json(score.evidence).decode(), to_json(asdict(score.usage)).decode()
            self._scores.append(
                (self._run, sample.id, metric, score.value, score.status, score.reason, evidence, usage)
            )
        if len(self._scores) >= _BATCH_ROWS or time.monotonic() - self._last_write > _BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Writes what is kept, in one transaction. Raises `InputError` when it cannot be written."""
        if not self._scores:
            return
        with self._told(), self._db.writing():
            self._db.executemany(_PUT_SAMPLE, self._samples)
            self._db.executemany(_PUT_SCORE, self._scores)
        self._samples, self._scores = [], []
        self._last_write = time.monotonic()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except self._db.errors as error:
            raise not_kept(self._path, error, self._run) from error
