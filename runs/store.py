"""Where runs are kept: safe to kill at any moment and to share between processes."""

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import ValidationError

from ..arguments import check_type
from ..errors import InputError, UsageError
from ..eval_sets import Sample
from ..judges import Usage
from ..judges.settings import RECORDED
from ..metrics import Score
from ..metrics.score import flawless
from ..regular_files import kind_of_no_folder
from .database import URL, Database, explain_errors, open_database
from .plan import Plan

if TYPE_CHECKING:
    from .sample_content import ContentReader

T = TypeVar("T")

DEFAULT_STORE = Path(".assay")
DEFAULT_WAIT = 60.0  # seconds for another process to let the store go
_RUN_COLUMNS = "id, created, plan, status"


class RunRow(NamedTuple):
    """A run as the store lists it."""

    id: str
    created: str  # when it began: ISO 8601, UTC
    plan: Plan
    # `running`, `done`, or why it stopped (`budget`, `interrupted`, `error`, or `killed`: its process is gone and did
    # not say why)
    status: str


class Store:
    """The runs of one folder (`.assay/runs.sqlite`), or of a PostgreSQL server (`postgresql://USER@HOST/DATABASE`).

    What is read raises `InputError` where the database cannot be read, or where a row in it is damaged: the message
    names the row and what to do. A store that cannot be written to can be read.

    Args:
        folder: The folder or the URL.
        must_exist: Whether a folder without runs is an error.
        wait: Seconds to wait, at most, for another process that holds the store.

    Attributes:
        path: Where the runs are, without a password.
        database: The database, for the other tables in it.

    Raises:
        UsageError: It is no store, or cannot be reached.
    """

    def __init__(
        self, folder: str | Path = DEFAULT_STORE, *, must_exist: bool = False, wait: float = DEFAULT_WAIT
    ) -> None:
        check_type("store", folder, (str, Path), 'the folder of a store (".assay"), or a PostgreSQL URL')
        file = Path(folder) / "runs.sqlite"
        is_on_server = URL.match(str(folder)) is not None
        if not is_on_server and (kind := kind_of_no_folder(Path(folder))):
            raise UsageError(f"{folder}: is {kind}, not a folder; name the folder of a store with --store")
        if must_exist and not is_on_server and not file.exists():
            raise UsageError(f"{file}: there are no runs here; run `assay run` first, or name the folder with --store")
        self.database = open_database(folder, wait)
        self.path = self.database.name

    @classmethod
    def of_database(cls, database: Database) -> "Store":
        """The runs of a database that is open."""
        store = cls.__new__(cls)
        store.database, store.path = database, database.name
        return store

    def begin(self, plan: Plan, cassette: Path | None = None) -> str:
        """Begins a run and returns its id: the date, the time and four digits of the plan's identity.

        This process is at work on it until `end` or `close`: another one cannot resume it.

        Args:
            plan: What the run scores.
            cassette: The file of recorded replies that it replays, if it does.

        Raises:
            InputError: The store cannot be written to.
        """
        now = datetime.now(UTC)
        created, content = now.isoformat(timespec="microseconds"), plan.recordable.model_dump_json()
        with explain_errors(self.database, "no run can be begun"):
            for attempt in range(100):
                run = f"{now:%Y%m%d-%H%M%S}-{plan.identity[:4]}" + (f"-{attempt}" if attempt else "")
                if not self.database.locks.take(run):  # by another process in the same second
                    continue
                fields = (run, created, content, "running", plan.identity)
                try:
                    with self.database.transaction():
                        (last,) = self.database.execute("SELECT coalesce(max(number), 0) FROM runs").fetchone()
                        self.database.execute(
                            f"INSERT INTO runs ({_RUN_COLUMNS}, identity, number, cassette) "
                            "VALUES (?, ?, ?, ?, ?, ?, ?)",
                            (*fields, last + 1, cassette and str(cassette)),
                        )
                except BaseException as error:
                    self.database.locks.release(run)
                    if isinstance(error, self.database.duplicate_error):  # begun by another process in the same second
                        continue
                    raise
                return run
        raise UsageError(f"{self.path}: a hundred runs of this plan began in this second; try again")

    def resume(self, run: str) -> None:
        """Goes on with a run, as `begin` begins one.

        Raises:
            UsageError: A process is at work on it.
            InputError: The store cannot be written to.
        """
        with explain_errors(self.database, "the run cannot be resumed"):
            if not self.database.locks.take(run):
                raise UsageError(describe_running(run))
            self.database.execute("UPDATE runs SET status = 'running' WHERE id = ?", (run,))

    def end(self, run: str, status: str) -> None:
        """Records how a run ended; this process is no longer at work on it."""
        try:
            with explain_errors(self.database, "the end of the run cannot be kept"):
                self.database.execute("UPDATE runs SET status = ? WHERE id = ?", (status, run))
        finally:
            with explain_errors(self.database, "the end of the run cannot be kept"):
                self.database.locks.release(run)

    def remove_if_empty(self, run: str) -> bool:
        """Removes a run that has no reply, and no value of a metric that was asked for.

        Samples, scores without a value and the baselines, which are added unasked, go with it; so does its place in a
        nightly run.

        Args:
            run: The run's id.

        Returns:
            Whether it is removed.

        Raises:
            InputError: The store cannot be read or written.
        """
        metrics = self.run(run).plan.metrics
        with explain_errors(self.database, "the empty run cannot be removed"), self.database.transaction():
            kept = self.database.execute("SELECT 1 FROM replies WHERE run = ? LIMIT 1", (run,)).fetchone()
            kept = (
                kept
                or self.database.execute(
                    f"SELECT 1 FROM scores WHERE run = ? AND metric IN ({', '.join('?' * len(metrics)) or 'NULL'}) "
                    "AND value IS NOT NULL LIMIT 1",
                    (run, *metrics),
                ).fetchone()
            )
            if kept:
                return False
            for table in ("answers", "scores", "samples", "replies", "runs_of_nightly_runs"):
                self.database.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
            self.database.execute("DELETE FROM runs WHERE id = ?", (run,))
        return True

    def run(self, name: str) -> RunRow:
        """Returns a run.

        Args:
            name: Its id, a beginning that no other run's id has, or `last` for the run that began last.

        Raises:
            UsageError: No run, or more than one, has this name.
            InputError: The run's row is damaged.
        """
        if name == "last":
            rows = self._rows(f"SELECT {_RUN_COLUMNS} FROM runs ORDER BY number DESC LIMIT 1")
        else:
            rows = self._rows(f"SELECT {_RUN_COLUMNS} FROM runs WHERE id = ?", (name,)) or self._rows(
                f"SELECT {_RUN_COLUMNS} FROM runs WHERE substr(id, 1, ?) = ? ORDER BY number DESC LIMIT 5",
                (len(name), name),
            )
        if len(rows) != 1:
            newest = [id_ for (id_,) in self._rows("SELECT id FROM runs ORDER BY number DESC LIMIT 5")]
            known = ", ".join([row[0] for row in rows] or newest) or "none yet"
            problem = "several runs begin with" if rows else "no run is called"
            raise UsageError(f"{problem} {name!r} in {self.path}; the newest are {known}")
        run, created, plan, status = rows[0]
        parsed = self._parse(_read_plan, plan, "runs", {"id": run})
        self._check_scores(run, parsed.all_metrics or ("",))
        return RunRow(run, created, parsed, "killed" if status == "running" and self._is_dead(run) else status)

    def _check_scores(self, run: str, metrics: Sequence[str]) -> None:
        """Names a score that is no number, which SQLite takes, and sorts after all numbers."""
        marks = ", ".join("?" * len(metrics))
        sql = f"SELECT sample, metric, value FROM scores WHERE run = ? AND metric IN ({marks}) AND value > ? LIMIT 1"
        for sample, metric, value in self._rows(sql, (run, *metrics, math.inf)):
            self._parse(math.fabs, value, "scores", {"run": run, "sample": sample, "metric": metric})

    def _is_dead(self, run: str) -> bool:
        """Whether no process is at work on a run."""
        with explain_errors(self.database, "the runs cannot be read"):
            return not self.database.locks.is_held(run)

    def run_ids(self, limit: int | None = None) -> list[str]:
        """Returns the ids of the runs, the newest first; at most `limit`."""
        most, values = ("", ()) if limit is None else (" LIMIT ?", (limit,))  # PostgreSQL takes no -1 for all
        rows = self._rows(f"SELECT id FROM runs ORDER BY number DESC{most}", values)
        return [run for (run,) in rows]

    def find_runs(self, text: str) -> list[str]:
        """Returns the ids of the runs in whose id, plan or status all words of a text occur, the newest first."""
        words = text.lower().split()[:10]
        unended = self._rows("SELECT id FROM runs WHERE status = 'running'") if words else []
        dead = [run for (run,) in unended if self._is_dead(run)]
        status = f"CASE WHEN id IN ({', '.join('?' * len(dead)) or 'NULL'}) THEN 'killed' ELSE status END"
        where = f"lower(id || ' ' || {status} || ' ' || plan) LIKE ? ESCAPE '!'"
        values = [value for word in words for value in (*dead, "%" + re.sub(r"([!%_])", r"!\1", word) + "%")]
        wheres = " AND ".join([where] * len(words)) or "1 = 1"
        return [run for (run,) in self._rows(f"SELECT id FROM runs WHERE {wheres} ORDER BY number DESC", tuple(values))]

    def count_samples(self, run: str) -> int:
        """Returns how many samples of a run are kept."""
        return int(self._rows("SELECT count(*) FROM samples WHERE run = ?", (run,))[0][0])

    def count_scores(self, run: str) -> int:
        """Returns how many scores of a run are kept."""
        return int(self._rows("SELECT count(*) FROM scores WHERE run = ?", (run,))[0][0])

    def cassette(self, run: str) -> Path | None:
        """Returns the file of recorded replies that a run replays, or None."""
        ((path,),) = self._rows("SELECT cassette FROM runs WHERE id = ?", (run,))
        return None if path is None else Path(path)

    def newest_run_of(self, identity: str) -> RunRow | None:
        """Returns the newest run of a plan with this identity, or None."""
        rows = self._rows("SELECT id FROM runs WHERE identity = ? ORDER BY number DESC LIMIT 1", (identity,))
        return self.run(rows[0][0]) if rows else None

    def samples(self, run: str) -> Iterator[Sample]:
        """Yields a run's samples as they were judged, in the order of their set."""
        reader = self._content_reader(run)
        with self._reading(run):
            for name, content in self.database.execute(
                "SELECT id, content FROM samples WHERE run = ? ORDER BY place", (run,)
            ):
                yield self._parse(reader.read, content, "samples", {"run": run, "id": name})

    def sample(self, run: str, sample: str) -> Sample:
        """Returns one sample as it was judged.

        Raises:
            UsageError: The run has no sample with this id.
        """
        with self._reading(run):
            rows = self._rows("SELECT content FROM samples WHERE run = ? AND id = ?", (run, sample))
        if not rows:
            ids = [
                name for (name,) in self._rows("SELECT id FROM samples WHERE run = ? ORDER BY place LIMIT 5", (run,))
            ]
            raise UsageError(f"run {run} has no sample {sample!r}; it has {', '.join(ids) or 'none'}, ...")
        return self._parse(self._content_reader(run).read, rows[0][0], "samples", {"run": run, "id": sample})

    def _content_reader(self, run: str) -> "ContentReader":
        from .sample_content import ContentReader

        return ContentReader(self.database, run)

    def scores(self, run: str, sample: str | None = None) -> Iterator[tuple[str, str, Score]]:
        """Yields (sample, metric, score) of a run, or of one sample of it.

        Samples come in the order of their set, metrics in that of the plan.
        """
        order = {name: place for place, name in enumerate(self.run(run).plan.all_metrics)}
        with self._reading(run):
            rows = self.database.execute(
                "SELECT sample, metric, value, status, reason, evidence, usage "
                f"FROM {self.database.score_rows} AS score "
                f"WHERE run = ? {'' if sample is None else 'AND sample = ?'} ORDER BY place, sample",
                (run,) if sample is None else (run, sample),
            )
            by_sample = (
                sorted(rows_of_sample, key=lambda row: (order.get(row[1], len(order)), row[1]))
                for _, rows_of_sample in groupby(rows, itemgetter(0))
            )
            for name, metric, *fields in chain.from_iterable(by_sample):
                place = {"run": run, "sample": name, "metric": metric}
                yield name, metric, self._parse(_score, fields, "scores", place)

    def score_counts(self, run: str) -> list[tuple[str, str, str, int, float]]:
        """Returns (metric, language, status, count, sum of the values) of the scores, by what comes first in it."""
        metrics = self.run(run).plan.all_metrics
        from_rows = (
            f"FROM {self.database.score_rows} AS score WHERE run = ? AND metric IN ({', '.join('?' * len(metrics))})"
        )
        with self._reading(run):
            scored = self.database.execute(
                f"SELECT metric, language, 'scored', count(*), {self.database.value_sum} {from_rows} "
                "AND value IS NOT NULL GROUP BY metric, language",
                (run, *metrics),
            ).fetchall()
            missing = self.database.execute(
                f"SELECT metric, language, status, count(*), 0.0 {from_rows} AND value IS NULL "
                "GROUP BY metric, language, status",
                (run, *metrics),
            ).fetchall()
        return [*scored, *missing]

    def sentence_counts(self, run: str) -> list[tuple[str, str, int, int]]:
        """Returns (metric, language, sentences judged, sentences left out) of the metrics that part answers."""
        rows = self._rows(
            f"SELECT metric, language, sum(judged), sum(left_out) FROM {self.database.score_rows} AS score "
            "WHERE run = ? AND judged IS NOT NULL GROUP BY metric, language",
            (run,),
        )
        return [(metric, language, int(judged), int(left_out)) for metric, language, judged, left_out in rows]

    def rated_values(self, run: str) -> Iterator[tuple[str, str, float, float, str]]:
        """Yields (metric, language, value, rating in [0, 1], source) of each score of a rated sample."""
        with self._reading(run):
            yield from self.database.execute(
                f"SELECT metric, language, value, rating, source FROM {self.database.score_rows} AS score "
                "WHERE run = ? AND value IS NOT NULL AND rating IS NOT NULL",
                (run,),
            )

    def sample_values(self, run: str) -> Iterator[tuple[str, str, float | None, str]]:
        """Yields (sample, metric, value, status) of each score, without its evidence."""
        with self._reading(run):
            yield from self.database.execute("SELECT sample, metric, value, status FROM scores WHERE run = ?", (run,))

    def usages(self, run: str) -> Iterator[tuple[str, Usage]]:
        """Yields (metric, usage) of each score, without its evidence."""
        with self._reading(run):
            rows = self.database.execute("SELECT sample, metric, usage FROM scores WHERE run = ?", (run,))
            for sample, metric, usage in rows:
                place = {"run": run, "sample": sample, "metric": metric}
                yield metric, self._parse(_usage, usage, "scores", place)

    def worst(self, run: str, metric: str, count: int) -> list[tuple[Sample, Score]]:
        """Returns the worst scores of a metric with their samples, the worst first; ties in the samples' order.

        The best scores are not among them (`flawless`).

        Args:
            run: The id of the run.
            metric: One of the run's metrics; whether its low or high scores are the bad ones is read from the plan.
            count: The most scores to give.
        """
        is_higher_better = self.run(run).plan.all_directions[metric]
        scores_of = f"FROM {self.database.score_rows} AS score WHERE run = ? AND metric = ? AND value IS NOT NULL"
        ((lowest, highest),) = self._rows(f"SELECT min(value), max(value) {scores_of}", (run, metric))
        best = None if lowest is None else flawless(lowest, highest, is_higher_better=is_higher_better)
        rows = self._rows(
            f"SELECT sample {scores_of} {'' if best is None else 'AND value <> ?'} "
            f"ORDER BY value {'ASC' if is_higher_better else 'DESC'}, place LIMIT ?",
            (run, metric, *(() if best is None else (best,)), count),
        )
        names = [name for (name,) in rows]
        places = ", ".join("?" * len(names)) or "NULL"
        contents = self._rows(f"SELECT id, content FROM samples WHERE run = ? AND id IN ({places})", (run, *names))
        fields = self._rows(
            "SELECT sample, value, status, reason, evidence, usage FROM scores "
            f"WHERE run = ? AND metric = ? AND sample IN ({places})",
            (run, metric, *names),
        )
        reader = self._content_reader(run)
        samples = {
            name: self._parse(reader.read, content, "samples", {"run": run, "id": name}) for name, content in contents
        }
        scores = {
            name: self._parse(_score, of_score, "scores", {"run": run, "sample": name, "metric": metric})
            for name, *of_score in fields
        }
        return [(samples[name], scores[name]) for name in names]

    def failed_samples(self, run: str) -> list[str]:
        """Returns the ids of the samples that a metric failed on, in the samples' order."""
        rows = self._rows(
            f"SELECT sample FROM {self.database.score_rows} AS score "
            "WHERE run = ? AND status = 'failed' GROUP BY sample, place ORDER BY place",
            (run,),
        )
        return [sample for (sample,) in rows]

    def first_failure(self, run: str) -> str:
        """Returns the reason of the first failed score; empty where none failed."""
        rows = self._rows(
            f"SELECT reason FROM {self.database.score_rows} AS score "
            "WHERE run = ? AND status = 'failed' ORDER BY place LIMIT 1",
            (run,),
        )
        return str(rows[0][0]) if rows else ""

    def missing_scores(self, run: str) -> Iterator[tuple[str, str, str, int]]:
        """Yields (metric, status, reason, count) of the scores without a value, the most frequent reasons first."""
        metrics = self.run(run).plan.all_metrics
        yield from self._rows(
            "SELECT metric, status, reason, count(*) FROM scores "
            f"WHERE run = ? AND metric IN ({', '.join('?' * len(metrics))}) AND value IS NULL "
            "GROUP BY metric, status, reason ORDER BY metric, status, count(*) DESC, reason",
            (run, *metrics),
        )

    def close(self) -> None:
        """Closes the files or the connection."""
        self.database.close()

    def _reading(self, run: str) -> AbstractContextManager[None]:
        elsewhere = self._rows("SELECT results FROM runs WHERE id = ? AND results IS NOT NULL", (run,))
        if elsewhere:  # of Assay 0.2
            raise InputError(
                f"run {run}: its scores are not in the store but in {elsewhere[0][0]}, by --engine shards, which went; "
                "score the Parquet files again: assay run 'answers/*.parquet' --out scores"
            )
        return explain_errors(self.database, "the runs cannot be read")

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with explain_errors(self.database, "the runs cannot be read"):
            rows: list[tuple[Any, ...]] = self.database.execute(sql, values).fetchall()
        return rows

    def _parse(self, parse: Callable[[Any], T], content: Any, table: str, place: dict[str, str]) -> T:
        """Parses what one row holds, or names the row and how to get rid of it."""
        try:
            return parse(content)
        except (ValueError, TypeError) as error:
            from ..value_messages import describe_first_mistake

            reason = describe_first_mistake(error) if isinstance(error, ValidationError) else str(error)
            conditions = " AND ".join(f"{column} = '{value}'" for column, value in place.items())
            raise InputError(
                f"{self.path}: the row of {table} with {conditions} cannot be read ({reason}): it is damaged, or from "
                "another version of assay. Name another run, or remove the row "
                f"(DELETE FROM {table} WHERE {conditions}) and go on with --resume"
            ) from error


def _score(fields: list[Any]) -> Score:
    value, status, reason, evidence, usage = fields
    return Score(value, status, reason, json.loads(evidence), _usage(usage))


def _usage(content: str) -> Usage:
    return Usage(**json.loads(content))


def _read_plan(text: str) -> Plan:
    return Plan.model_validate_json(text, context=RECORDED)


def describe_running(run: str) -> str:
    """Says why a run cannot be resumed on which a process is at work."""
    return (
        f"run {run} is running: another process is at work on it. `assay show {run}` shows what it has so far; wait "
        "until it has ended, or end it first"
    )


def check_store(store: Any) -> None:
    """Checks that an argument is a store."""
    check_type("store", store, Store, 'a store that is open: Store(".assay") (from assay.runs import Store)')
