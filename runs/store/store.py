"""Where runs are kept: safe to kill at any moment and to share between processes."""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar
from urllib.parse import urlencode

from pydantic import ValidationError

from ...errors import InputError, UsageError
from ...eval_sets import Sample
from ...judges import Usage
from ...judges.settings import RECORDED
from ...judges.usage import NO_USAGE
from ...metrics import Score
from ...metrics.score import SENTENCES
from ...metrics.specification import parse_specification
from ...value_messages import check_type
from .database import URL, Database, explain_errors, open_database
from .plan import Judging, Plan

if TYPE_CHECKING:
    from ...text.wording import Phrase

T = TypeVar("T")
Field = Literal["evidence", "usage"]
"""What scores are read without where only their values matter."""

DEFAULT_STORE = Path(".assay")
DEFAULT_WAIT = 60.0  # seconds for another process to let the store go
_SAMPLES = "samples LEFT JOIN contents ON contents.key = samples.content"
_RUN_COLUMNS = "id, created, plan, status"
_PROMPT = re.compile(r'"([a-z_]+\.[a-z]{2,3})@([0-9a-f]{12})"')  # its identity in a score's evidence
_FIRST_ANSWERS = 20
_LAST = re.compile("last(?:~([0-9]{1,9}))?")  # the run that began last, or that many before it


class RunRow(NamedTuple):
    """A run as the store lists it."""

    id: str
    created: str  # when it began: ISO 8601, UTC
    plan: Plan
    # `running`, `done`, or why it stopped (`budget`, `interrupted`, `error`, or `killed`: its process is gone and did
    # not say why)
    status: str

    def describe(self) -> "Phrase":
        """The run as a report names it: its sets, and the day of its scores in UTC."""
        from ...presentation.verdict import describe_day
        from ...text.wording import phrase

        date = describe_day(datetime.fromisoformat(self.created).date())
        return phrase("scored_run", sets=", ".join(source.rsplit("/", 1)[-1] for source in self.plan.sets), date=date)


class Store:
    """The runs of one folder (`.assay/runs.sqlite`), or of a PostgreSQL server (`postgresql://USER@HOST/DATABASE`).

    What is read raises `InputError` where the database cannot be read, or where a row in it is damaged: the message
    names the row and what to do. A store that cannot be written to can be read.

    Args:
        must_exist: Whether a folder without runs is an error.
        wait: Seconds to wait, at most, for another process that holds the store.

    Attributes:
        path: Where the runs are, without a password.

    Raises:
        UsageError: It is no store, or cannot be reached.
    """

    def __init__(
        self, folder: str | Path = DEFAULT_STORE, *, must_exist: bool = False, wait: float = DEFAULT_WAIT
    ) -> None:
        check_type("store", folder, (str, Path), 'the folder of a store (".assay"), or a PostgreSQL URL')
        file = Path(folder) / "runs.sqlite"
        is_on_server = URL.match(str(folder)) is not None
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
                raise UsageError(
                    f"run {run} is running: another process is at work on it. `assay show {run}` shows what it has so "
                    "far; wait until it has ended, or end it first"
                )
            self.database.execute("UPDATE runs SET status = 'running' WHERE id = ?", (run,))

    def end(self, run: str, status: str) -> None:
        """Records how a run ended; this process is no longer at work on it."""
        try:
            with explain_errors(self.database, "the end of the run cannot be kept"):
                self.database.execute("UPDATE runs SET status = ? WHERE id = ?", (status, run))
        finally:
            with explain_errors(self.database, "the end of the run cannot be kept"):
                self.database.locks.release(run)

    def remove_if_empty(self, run: str) -> None:
        """Removes a run that has no reply, and no value of a metric that was asked for, with all that is of it."""
        from .sample_content import forget_contents

        metrics = self.run(run).plan.metrics
        with explain_errors(self.database, "the empty run cannot be removed"), self.database.transaction():
            kept = self.database.execute(
                "SELECT 1 FROM replies WHERE run = ? UNION ALL "
                f"SELECT 1 FROM scores WHERE run = ? AND metric IN ({marks_of(metrics)}) AND value IS NOT NULL LIMIT 1",
                (run, run, *metrics),
            )
            if kept.fetchone() is None:
                keys = self.database.execute("SELECT content FROM samples WHERE run = ?", (run,)).fetchall()
                for table in ("scores", "samples", "lost_calls", "runs_of_nightly_runs"):
                    self.database.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
                forget_contents(self.database, [key for (key,) in keys])
                self.database.execute("DELETE FROM runs WHERE id = ?", (run,))

    def run(self, name: str, *, suite: str | None = None) -> RunRow:
        """Returns a run.

        Args:
            name: Its id, a beginning that no other run's id has, `last` for the run that began last, or `last~1` for
                the one before it.
            suite: Of this suite's runs only is it the last.

        Raises:
            UsageError: No run, or more than one, has this name.
            InputError: The run's row is damaged.
        """
        if newest_but := _LAST.fullmatch(name):
            of_suite = "SELECT run FROM runs_of_nightly_runs JOIN nightly_runs ON nightly_runs.id = nightly_run"
            where, values = ("", ()) if suite is None else (f"WHERE id IN ({of_suite} WHERE suite = ?)", (suite,))
            sql = f"SELECT {_RUN_COLUMNS} FROM runs {where} ORDER BY number DESC LIMIT 1 OFFSET ?"
            rows = self._rows(sql, (*values, int(newest_but[1] or 0)))
        else:
            rows = self._rows(f"SELECT {_RUN_COLUMNS} FROM runs WHERE id = ?", (name,)) or self._rows(
                f"SELECT {_RUN_COLUMNS} FROM runs WHERE substr(id, 1, ?) = ? ORDER BY number DESC LIMIT 5",
                (len(name), name),
            )
        if len(rows) != 1:
            newest = [id_ for (id_,) in self._rows("SELECT id FROM runs ORDER BY number DESC LIMIT 5")]
            if not newest:
                raise UsageError(f"there are no runs in {self.path} yet: assay run FILE makes one")
            problem = "several runs begin with" if rows else "no run is called"
            known = ", ".join([row[0] for row in rows] or newest)
            place = f"of the suite {suite} in {self.path}" if suite else f"in {self.path}"
            raise UsageError(f"{problem} {name!r} {place}; the newest are {known}")
        run, created, plan, status = rows[0]
        parsed = self.parse_row(_read_plan, plan, "runs", {"id": run})
        self._check_scores(run, parsed.all_metrics or ("",))
        return RunRow(run, created, parsed, "killed" if status == "running" and self._is_dead(run) else status)

    def _check_scores(self, run: str, metrics: Sequence[str]) -> None:
        """Names a score that is no number, which SQLite takes, and sorts after all numbers."""
        sql = "SELECT sample, metric, value FROM scores WHERE run = ? AND value > ? "
        sql += f"AND metric IN ({marks_of(metrics)}) LIMIT 1"
        for sample, metric, value in self._rows(sql, (run, math.inf, *metrics)):
            self.parse_row(math.fabs, value, "scores", {"run": run, "sample": sample, "metric": metric})

    def _is_dead(self, run: str) -> bool:
        """Whether no process is at work on a run."""
        with explain_errors(self.database, "the runs cannot be read"):
            return not self.database.locks.is_held(run)

    def run_ids(self, limit: int | None = None) -> list[str]:
        """Returns the ids of the runs, the newest first; at most `limit`."""
        most, values = ("", ()) if limit is None else (" LIMIT ?", (limit,))  # PostgreSQL takes no -1 for all
        rows = self._rows(f"SELECT id FROM runs ORDER BY number DESC{most}", values)
        return [run for (run,) in rows]

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
        with self._reading(run):
            sql = f"SELECT contents.content, id FROM {_SAMPLES} WHERE run = ? ORDER BY place"
            places = ((content, {"run": run, "id": name}) for content, name in self.database.execute(sql, (run,)))
            yield from self.read_contents(places, "samples")

    def sample(self, run: str, sample: str) -> Sample:
        """Returns one sample as it was judged.

        Raises:
            UsageError: The run has no sample with this id.
        """
        with self._reading(run):
            sql = f"SELECT contents.content FROM {_SAMPLES} WHERE run = ? AND id = ?"
            rows = self._rows(sql, (run, sample))
        if not rows:
            ids = [
                name for (name,) in self._rows("SELECT id FROM samples WHERE run = ? ORDER BY place LIMIT 5", (run,))
            ]
            raise UsageError(f"run {run} has no sample {sample!r}; it has {', '.join(ids) or 'none'}, ...")
        return next(self.read_contents([(rows[0][0], {"run": run, "id": sample})], "samples"))

    def read_contents(self, contents: Iterable[tuple[str | None, dict[str, str]]], table: str) -> Iterator[Sample]:
        """Reads what stands in the table of contents for rows of another table, each with the columns that name it."""
        from .sample_content import ContentReader

        reader = ContentReader(self.database)
        for content, place in contents:
            yield self.parse_row(reader.read, content, table, place)

    def scores(
        self, run: "str | RunRow", sample: str | None = None, *, fields: tuple[Field, ...] = ("evidence", "usage")
    ) -> Iterator[tuple[str, str, Score]]:
        """Yields (sample, metric, score) of a run, or of one sample of it.

        Samples come in the order of their set, metrics in that of the plan.

        Args:
            fields: What is read beside the value, the status and the reason. Of evidence that is left out the counts of
                sentences stay, and of a scorer all: it says what its rating was fitted to.
        """
        row = run if isinstance(run, RunRow) else self.run(run)
        order = {name: place for place, name in enumerate(row.plan.all_metrics)}
        whole = [name for name in order if "evidence" in fields or parse_specification(name).is_scorer]
        evidence = "evidence" if "evidence" in fields else f"CASE WHEN metric IN ({marks_of(whole)}) THEN evidence END"
        usage = "usage" if "usage" in fields else "NULL"
        values = [*(() if "evidence" in fields else whole), row.id, *(() if sample is None else (sample,))]
        with self._reading(row.id):
            rows = self.database.execute(
                f"SELECT sample, metric, value, status, reason, {evidence}, {usage}, judged, left_out FROM scores "
                "JOIN samples ON samples.run = scores.run AND samples.id = scores.sample "
                f"WHERE scores.run = ? {'' if sample is None else 'AND sample = ?'} ORDER BY place, sample",
                values,
            )
            by_sample = (
                sorted(rows_of_sample, key=lambda row: (order.get(row[1], len(order)), row[1]))
                for _, rows_of_sample in groupby(rows, itemgetter(0))
            )
            for name, metric, *columns in chain.from_iterable(by_sample):
                place = {"run": row.id, "sample": name, "metric": metric}
                yield name, metric, self.parse_row(_score, columns, "scores", place)

    def judging(self, run: RunRow) -> Judging:
        """How a run was judged.

        Its prompts are read off the first answers in each language: they differ by metric and language only.
        """
        rows = self._rows(
            "SELECT evidence FROM scores WHERE run = ? AND sample IN (SELECT id FROM (SELECT id, row_number() OVER "
            "(PARTITION BY language ORDER BY place) AS nth FROM samples WHERE run = ?) AS numbered WHERE nth <= ?)",
            (run.id, run.id, _FIRST_ANSWERS),
        )
        hashes: dict[str, set[str]] = {}
        for (evidence,) in rows:
            for name, hash_of_it in _PROMPT.findall(evidence):
                hashes.setdefault(name, set()).add(hash_of_it)
        return Judging(run.plan.judge, hashes)

    def failures(self, run: str) -> dict[str, str]:
        """Returns why the first metric failed that failed on a sample, by the sample's id, in the samples' order."""
        rows = self._rows(
            "SELECT sample, reason FROM scores JOIN samples ON samples.run = scores.run AND samples.id = sample "
            "WHERE scores.run = ? AND status = 'failed' ORDER BY place, metric",
            (run,),
        )
        failures: dict[str, str] = {}
        for sample, reason in rows:
            failures.setdefault(sample, reason)
        return failures

    def reason_of_no_value(self, run: str, metrics: Sequence[str]) -> str:
        """Returns why no answer has a value of any of the metrics, as the first of them says; empty where one has."""
        where = f"WHERE run = ? AND metric IN ({marks_of(metrics)})"
        if self._rows(f"SELECT 1 FROM scores {where} AND value IS NOT NULL LIMIT 1", (run, *metrics)):
            return ""
        rows = self._rows(f"SELECT metric, reason FROM scores {where} LIMIT 1", (run, *metrics))
        return f"{rows[0][0]}: {rows[0][1]}" if rows else "there is no answer"

    def close(self) -> None:
        """Closes the files or the connection."""
        self.database.close()

    def _reading(self, run: str) -> AbstractContextManager[None]:
        elsewhere = self._rows("SELECT results FROM runs WHERE id = ? AND results IS NOT NULL", (run,))
        if elsewhere:  # of Assay 0.2
            raise InputError(
                f"run {run}: its scores are not in the store but in {elsewhere[0][0]}, in Parquet files of Assay 0.2; "
                "read these files with `assay meta --scores`, or score the answers again: assay run answers/*.parquet"
            )
        return explain_errors(self.database, "the runs cannot be read")

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with explain_errors(self.database, "the runs cannot be read"):
            rows: list[tuple[Any, ...]] = self.database.execute(sql, values).fetchall()
        return rows

    def parse_row(self, parse: Callable[[Any], T], content: Any, table: str, place: dict[str, str]) -> T:
        """Parses what one row holds, or names the row and how to get rid of it."""
        try:
            return parse(content)
        except (ValueError, TypeError) as error:
            from ...value_messages import describe_first_mistake

            reason = describe_first_mistake(error) if isinstance(error, ValidationError) else str(error)
            conditions = " AND ".join(f"{column} = '{value}'" for column, value in place.items())
            raise InputError(
                f"{self.path}: the row of {table} with {conditions} cannot be read ({reason}): it is damaged, or from "
                "another version of assay. Name another run, or remove the row "
                f"(DELETE FROM {table} WHERE {conditions}) and go on with --resume"
            ) from error


def _score(columns: list[Any]) -> Score:
    value, status, reason, evidence, usage, judged, left_out = columns
    sentences = {} if judged is None else {SENTENCES: {"judged": judged, "left_out": left_out}}
    return Score(
        value,
        status,
        reason,
        sentences if evidence is None else json.loads(evidence),
        Usage(**json.loads(usage)) if usage is not None else NO_USAGE,
    )


def marks_of(values: Collection[object]) -> str:
    """The marks of values in a list of SQL."""
    return ", ".join("?" * len(values)) or "NULL"


def _read_plan(text: str) -> Plan:
    return Plan.model_validate_json(text, context=RECORDED)


def check_store(store: Any) -> None:
    """Checks that an argument is a store."""
    check_type("store", store, Store, 'a store that is open: Store(".assay") (from assay.runs import Store)')


def answer_url(run: str, sample: str) -> str:
    """Returns the address of the page of one answer, from the root of the site.

    Example:
        >>> answer_url("20260101-100000-ab12", "chat 7#3")
        '/run/20260101-100000-ab12/answer?id=chat+7%233'
    """
    return f"/run/{run}/answer?{urlencode({'id': sample})}"
