"""A run's samples and scores in Parquet files, read by the SQL that reads a store: DuckDB makes tables of them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from ...installation import require_extra
from ..answer_index import LONGEST_EXCERPT
from ..database import explain_errors
from .result_index import INDEXED_FIELDS
from .shard_folder import ShardFolder
from .shard_table import SCORE_FIELDS, SENTENCE_FIELDS, result_schema

_ROWS_AT_ONCE = 10_000
_TEXTS = "concat_ws(' ', id, content->>'user_input', content->>'response', content->>'retrieved_contexts')"


class ParquetDatabase:
    """The tables `samples`, `scores` and `answers` of one run, as views over the results of its shards. Only read.

    Where the results have an index, the views are over that and lack texts, evidence and usage; `with_texts` has them.

    Raises:
        InputError: The folder is gone, or a result.
    """

    is_copy = False
    score_rows = "scores"
    answer_rows = "scores"
    value_sum = "fsum(value)"

    def __init__(
        self, run: str, folder: ShardFolder, metrics: Sequence[str], names: Sequence[str] | None = None
    ) -> None:
        with require_extra("shards", f"{folder.url}: reading results"):
            import duckdb
        self.errors: type[Exception] | tuple[type[Exception], ...] = duckdb.Error
        self.duplicate_error: type[Exception] = duckdb.ConstraintException
        self.name = folder.url
        self._run, self._folder, self._metrics = run, folder, metrics
        self._names = folder.result_names() if names is None else names
        index = folder.index_file(self._names) if names is None else None
        self._has_texts = index is None
        self._connection = duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"})
        if "://" in folder.url:
            self._connection.register_filesystem(folder.files)
        with explain_errors(self, "the results cannot be read"):
            if index is None:
                self._make_results()
                self._connection.execute("CREATE VIEW rows AS SELECT * FROM results")
            else:
                self._connection.execute(f"CREATE VIEW rows AS SELECT * FROM read_parquet({_text(index)})")
            self._make_tables()

    def _make_results(self) -> None:
        """Makes a view of the results with their texts, which looks each of them up."""
        if self._names:
            files = ", ".join(map(_text, self._folder.result_files(self._names)))
            self._connection.execute(f"CREATE OR REPLACE VIEW results AS SELECT * FROM read_parquet([{files}])")
        else:
            self._connection.register("nothing", result_schema(self._metrics).empty_table())
            self._connection.execute("CREATE OR REPLACE TABLE results AS SELECT * FROM nothing")

    def _make_tables(self) -> None:
        run = f"{_text(self._run)} AS run"
        content = ", content" if self._has_texts else ""
        self._connection.execute(
            f"CREATE VIEW samples AS SELECT {run}, id, place, language, rating, source{content} FROM rows"
        )
        excerpts = "".join(
            f", left(content->>'{field}', {LONGEST_EXCERPT}) AS {name}"
            for field, name in (("user_input", "question"), ("response", "answer"))
        )
        of_answer = (
            "place, coalesce(language, '') AS language, coalesce(message_type, '') AS message_type, source, rating"
        )
        self._connection.execute(
            f"CREATE VIEW answers AS SELECT {run}, id AS sample, place + 1 AS number, {of_answer}"
            f"{excerpts if self._has_texts else ''} FROM rows"
        )
        fields = SCORE_FIELDS if self._has_texts else INDEXED_FIELDS
        columns = {name for name, *_ in self._connection.execute("DESCRIBE rows").fetchall()}
        scores = (
            f"SELECT {run}, id AS sample, {of_answer}, {_text(metric)} AS metric, {_name(metric)} AS value, "
            + ", ".join(f"{_name(f'{metric}.{field}')} AS {field}" for field in fields)
            + "".join(
                f", {_name(name) if name in columns else 'CAST(NULL AS BIGINT)'} AS {field}"  # older results have none
                for field in SENTENCE_FIELDS
                for name in (f"{metric}.{field}",)
            )
            + f" FROM rows WHERE {_name(f'{metric}.status')} IS NOT NULL"
            for metric in self._metrics
        )
        self._connection.execute(f"CREATE VIEW scores AS {' UNION ALL '.join(scores)}")

    def with_texts(self, samples: Sequence[str] | None = None) -> "ParquetDatabase":
        """As `Database.with_texts`: only the results that hold the samples are read."""
        if self._has_texts:
            return self
        names = self._names
        if samples is not None:
            places = ", ".join("?" * len(samples)) or "NULL"
            shards = self.execute(f"SELECT DISTINCT shard FROM rows WHERE id IN ({places}) ORDER BY shard", samples)
            names = [names[shard] for (shard,) in shards]
        return ParquetDatabase(self._run, self._folder, self._metrics, names)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> "_Result":
        """As `Database.execute`, for statements that read."""
        return _Result(self._connection.cursor().execute(sql, list(values)))

    def text_query(self, words: Sequence[str], first: int, last: int) -> tuple[str, list[Any]]:
        """As `Database.text_query`; without an index of words, every text is looked at."""
        if not self._has_texts:
            self._make_results()
        conditions = [rf"regexp_matches({_folded(_TEXTS)}, ?)"] * len(words)
        patterns = [rf"(^|[^\pL\pN]){word}([^\pL\pN]|$)" for word in words[:-1]]
        patterns += [rf"(^|[^\pL\pN]){word}" for word in words[-1:]]
        where = " AND ".join(["place + 1 BETWEEN ? AND ?", *conditions])
        return f"SELECT place + 1 AS number FROM results WHERE {where}", [first, last, *patterns]

    def cure(self, error: Exception) -> str:
        """As `Database.cure`."""
        return "see that the folder of the results is there and whole"

    def close(self) -> None:
        """As `Database.close`."""
        self._connection.close()

    @property
    def locks(self) -> NoReturn:
        """Nothing is at work on results: the store has the locks."""
        self._refuse()

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Nothing is written here."""
        self._refuse()

    def transaction(self) -> AbstractContextManager[None]:
        """Nothing is written here."""
        self._refuse()

    migration = transaction

    def version(self) -> int | None:
        """The views are made anew each time."""
        self._refuse()

    def set_version(self, version: int) -> None:
        """Nothing is written here."""
        self._refuse()

    def make_text_index(self) -> None:
        """Nothing is written here."""
        self._refuse()

    def add_texts(self, rows: Iterable[tuple[int, str]]) -> None:
        """Nothing is written here."""
        self._refuse()

    def settle_texts(self) -> None:
        """Nothing is written here."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise AssertionError(f"{self.name}: results of shards are only read")


class _Result:
    """The rows of a statement: as a cursor of SQLite gives them."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        while rows := self._cursor.fetchmany(_ROWS_AT_ONCE):
            yield from rows

    def fetchone(self) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._cursor.fetchone()
        return row

    def fetchall(self) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._cursor.fetchall()
        return rows


def _text(value: str) -> str:
    """A text as SQL."""
    return "'" + value.replace("'", "''") + "'"


def _name(column: str) -> str:
    """The name of a column as SQL."""
    return '"' + column.replace('"', '""') + '"'


def _folded(text: str) -> str:
    return f"lower(strip_accents({text}))"
