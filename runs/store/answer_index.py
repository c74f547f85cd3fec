"""Finding answers of a run: filter, sort, page, and full-text search that stays quick at 100,000 answers."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ...eval_sets.message import is_turn_id
from ...eval_sets.opening_question import count_turns
from .database import Database, explain_errors
from .sample_content import run_reader

if TYPE_CHECKING:
    from .store import Store

PAGE_SIZE = 50
_ROWS_AT_ONCE = 1000  # in memory, as whole conversations, and written in one transaction: others who write wait less
_MOST_COUNTED = 1000  # answers of a search that has to look at each; beyond it there are "more"
_FEW_MATCHES = 2000  # are sorted; of more, the answers are read in their order until the page is full
LONGEST_EXCERPT = 280
"""Characters of a question or an answer in a table."""
_LONGEST_TEXT = 20_000  # characters of an answer's texts, and of each message, that can be searched
_MOST_MESSAGE_WORDS = 5000  # different ones, of one conversation
_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 12

Status = Literal["", "scored", "skipped", "failed"]
Rated = Literal["", "yes", "no"]


@dataclass(frozen=True, slots=True)
class AnswerQuery:
    """Which answers of a run, and in which order."""

    # words that are all in the id, question, answer, contexts or messages; the last may be the beginning of one. The
    # messages of a turn that is a sample of its own do not count: they are found in the conversation.
    text: str = ""
    language: str = ""  # only this language; all where empty
    message_type: str = ""
    group: str = ""
    rated: Rated = ""  # only rated or unrated answers
    metric: str = ""  # the metric that `status`, `at_least` and `at_most` are about
    status: Status = ""
    at_least: float | None = None  # only answers with at least this value of the metric
    at_most: float | None = None
    sort: str = "place"  # `place` (the set's order), `rating`, or a metric
    descending: bool = False  # the highest first
    page: int = 1  # the page's number, from 1


class AnswerRow(NamedTuple):
    """One answer in a table: its rating with its scale, beginnings of its texts, and each metric's value and status.

    `turns` is how many answers a conversation has; 0 for an answer without messages, and for a turn of a conversation.
    """

    sample: str
    language: str
    message_type: str
    rating: float | None
    rating_min: float
    rating_max: float
    question: str
    answer: str
    scores: dict[str, tuple[float | None, str]]
    turns: int = 0


class AnswerPage(NamedTuple):
    """A page of answers."""

    rows: tuple[AnswerRow, ...]
    total: int
    pages: int
    # whether there are more than `total`. By words, or by filters in a metric's order, only the first 1,000 are
    # counted, or as many as lead to the page.
    has_more: bool = False


class _Selection(NamedTuple):
    """What selects answers: the column of their ids, the tables, conditions and order, and whether all are counted."""

    sample: str
    source: str
    where: str
    order: str
    values: list[Any]
    is_counted: bool

    @property
    def names(self) -> str:
        return f"SELECT {self.sample} FROM {self.source} WHERE {self.where} ORDER BY {self.order} LIMIT ? OFFSET ?"


class AnswerIndex:
    """The answers of a store's runs in a table of their own, with a full-text index.

    Who writes answers takes them up (`update`). What the index holds can be made again at any time.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def update(self, run: str) -> int:
        """Takes up the answers of a run that are not in the index, and returns how many."""
        with explain_errors(self._db, "the answers cannot be indexed"):
            if self._count("samples", run) == self._count("answers", run):
                return 0
            rows = self._db.execute(
                "SELECT id FROM samples LEFT JOIN answers ON answers.run = samples.run AND answers.sample = samples.id "
                "WHERE samples.run = ? AND answers.sample IS NULL ORDER BY samples.place",
                (run,),
            )
            missing = [str(name) for (name,) in rows.fetchall()]
            for start in range(0, len(missing), _ROWS_AT_ONCE):
                with self._db.migration():  # two processes number no two answers alike
                    self._add_rows(run, missing[start : start + _ROWS_AT_ONCE])
            if len(missing) > _ROWS_AT_ONCE:
                self._db.settle_texts()
        return len(missing)

    def _count(self, table: str, run: str) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM {table} WHERE run = ?", (run,)).fetchone()[0])

    def _add_rows(self, run: str, names: list[str]) -> None:
        self._db.make_text_index()
        places = ", ".join("?" * len(names))
        samples = self._db.execute(
            f"SELECT id, place, coalesce(language, ''), source, rating, content FROM samples WHERE run = ? "
            f"AND id IN ({places}) AND NOT EXISTS "
            "(SELECT 1 FROM answers WHERE answers.run = samples.run AND answers.sample = samples.id)",
            (run, *names),
        ).fetchall()
        # numbers of answers that were taken out of the index stay in use in the full-text index
        (number,) = self._db.execute("SELECT coalesce(max(last), 0) FROM answer_numbers").fetchone()
        rows, texts = [], []
        for name, place, language, source, rating, content in samples:
            number += 1
            fields = json.loads(content)
            question, answer = str(fields.get("user_input", "")), str(fields.get("response", ""))
            message_type = fields.get("message_type") or ""
            excerpts = question[:LONGEST_EXCERPT], answer[:LONGEST_EXCERPT]
            rows.append((run, name, number, place, language, message_type, source, rating, *excerpts))
            texts.append((number, " ".join(_distinct_words(name, fields))))
        self._db.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._db.add_texts(texts)
        self._db.execute("DELETE FROM answer_numbers")
        self._db.execute("INSERT INTO answer_numbers VALUES (?)", (number,))

    def search(self, run: str, query: AnswerQuery) -> AnswerPage:
        """Returns one page of answers. Sorted by a metric, those without its value are left out."""
        with self._reading():
            selection = self._select_words(run, query) if query.text.strip() else self._select(run, query)
            if selection is None:
                return AnswerPage((), 0, 0)
            if selection.is_counted:
                counting = f"SELECT count(*) FROM {selection.source} WHERE {selection.where}"
                (total,) = self._db.execute(counting, selection.values).fetchone()
                names = self._names(selection, PAGE_SIZE, (query.page - 1) * PAGE_SIZE)
                return AnswerPage(self._rows(run, names), total, -(-total // PAGE_SIZE))
            most = max(_MOST_COUNTED, query.page * PAGE_SIZE)
            names = self._names(selection, most + 1, 0)
            total = min(len(names), most)
            shown = names[:most][(query.page - 1) * PAGE_SIZE :][:PAGE_SIZE]
            return AnswerPage(self._rows(run, shown), total, -(-total // PAGE_SIZE), len(names) > most)

    def _select_words(self, run: str, query: AnswerQuery) -> _Selection | None:
        """What selects the answers with the words; None where there can be none."""
        words = search_words(query.text)[:_MOST_WORDS]
        first, last = self._db.execute(
            "SELECT (SELECT min(number) FROM answers WHERE run = ?), (SELECT max(number) FROM answers WHERE run = ?)",
            (run, run),
        ).fetchone()
        if not words or last is None:
            return None  # signs alone are in no index, and a run without answers has none
        numbers, values = self._db.text_query(words, first, last)
        counting = f"SELECT count(*) FROM ({numbers} LIMIT {_FEW_MATCHES + 1}) AS matched"
        (matches,) = self._db.execute(counting, values).fetchone()
        return self._select(run, query, numbers, values, are_few=matches <= _FEW_MATCHES)

    def _names(self, selection: _Selection, limit: int, offset: int) -> list[str]:
        rows = self._db.execute(selection.names, [*selection.values, limit, offset])
        return [str(name) for (name,) in rows.fetchall()]

    def _select(
        self, run: str, query: AnswerQuery, numbers: str = "", values: Sequence[Any] = (), *, are_few: bool = False
    ) -> _Selection:
        """What selects the answers of a query.

        SQLite reads tables that are joined by CROSS JOIN in the order in which they are named, and looks up no column
        with a plus before it in an index: so few matches are looked up one by one, and many are found by going along
        the index of the order.
        """
        conditions, condition_values = _conditions(run, query)
        tables, first_values = ["answers AS answer"], list[Any]()
        if are_few:
            tables.insert(0, f"({numbers}) AS matched")
            first_values += values
            conditions.append("answer.number = matched.number")
        direction = " DESC" if query.descending else ""
        sample, order = "answer.sample", f"answer.place{direction}"
        if query.sort == "rating":
            conditions.append("answer.rating IS NOT NULL")
            order = f"answer.rating{direction}, answer.place"
        elif query.sort != "place":
            sample, order = "score.sample", f"score.value{direction}, score.sample{direction}"
            tables.insert(len(tables) if are_few else 0, "scores AS score")
            of_metric = ["score.run = ?", "score.metric = ?", "score.value IS NOT NULL"]
            if len(conditions) == 1 and not numbers:  # the scores alone say which, in the order of their index
                tables, conditions, condition_values = tables[:1], [], []
            else:
                conditions[:0] = ["answer.run = score.run", "answer.sample = score.sample"]
            conditions[:0] = of_metric
            condition_values[:0] = [run, query.sort]
        if numbers and not are_few:
            conditions.append(f"+answer.number IN ({numbers})")
            condition_values += values
        source, where = " CROSS JOIN ".join(tables), " AND ".join(conditions)
        is_counted = not numbers and len(tables) == 1
        return _Selection(sample, source, where, order, first_values + condition_values, is_counted)

    def _rows(self, run: str, names: list[str]) -> tuple[AnswerRow, ...]:
        """The rows of some answers, in their order."""
        places = ", ".join("?" * len(names)) or "NULL"
        rows = self._db.execute(
            "SELECT sample, language, message_type, question, answer FROM answers "
            f"WHERE run = ? AND sample IN ({places})",
            [run, *names],
        ).fetchall()
        ratings, turns = _ratings(self._db, run, names)
        scores = _scores(self._db, run, names)
        by_name = {
            row[0]: AnswerRow._make((*row[:3], *ratings[row[0]], *row[3:], scores.get(row[0], {}), turns[row[0]]))
            for row in rows
        }
        return tuple(by_name[name] for name in names if name in by_name)

    def choices(self, run: str) -> dict[str, list[str]]:
        """Returns the languages and the message types that a run's answers have."""
        with self._reading():
            return {
                column: [
                    str(value)
                    for (value,) in self._db.execute(
                        f"SELECT DISTINCT {column} FROM answers WHERE run = ? AND {column} <> '' ORDER BY {column}",
                        (run,),
                    ).fetchall()
                ]
                for column in ("language", "message_type")
            }

    def is_rated(self, run: str) -> bool:
        """Returns whether the set of a run has a rating of any answer."""
        with self._reading():
            row = self._db.execute(
                "SELECT 1 FROM answers WHERE run = ? AND rating IS NOT NULL LIMIT 1", (run,)
            ).fetchone()
        return row is not None

    def existing(self, run: str, samples: Sequence[str]) -> set[str]:
        """Returns which of some ids are those of samples of a run."""
        places = ", ".join("?" * len(samples)) or "NULL"
        with self._reading():
            rows = self._db.execute(f"SELECT id FROM samples WHERE run = ? AND id IN ({places})", [run, *samples])
            return {str(name) for (name,) in rows.fetchall()}

    def values(self, run: str, samples: list[str]) -> dict[str, dict[str, tuple[float | None, str]]]:
        """Returns each metric's value and status of some samples, by id."""
        with self._reading():
            values: dict[str, dict[str, tuple[float | None, str]]] = {}
            for start in range(0, len(samples), _ROWS_AT_ONCE):
                values |= _scores(self._db, run, samples[start : start + _ROWS_AT_ONCE])
            return values

    def neighbours(self, run: str, sample: str) -> tuple[str | None, str | None]:
        """Returns the answers before and after one in the set's order."""
        with self._reading():
            row = self._db.execute("SELECT place FROM answers WHERE run = ? AND sample = ?", (run, sample)).fetchone()
            if row is None:
                return None, None
            before = self._db.execute(
                "SELECT sample FROM answers WHERE run = ? AND place < ? ORDER BY place DESC LIMIT 1", (run, row[0])
            ).fetchone()
            after = self._db.execute(
                "SELECT sample FROM answers WHERE run = ? AND place > ? ORDER BY place LIMIT 1", (run, row[0])
            ).fetchone()
        return before and before[0], after and after[0]

    def _reading(self) -> AbstractContextManager[None]:
        return explain_errors(self._db, "the answers cannot be read")


def index_runs(store: "Store") -> None:
    """Takes up the answers of all runs of a store, which an earlier version or a kill left out of the index."""
    database = store.database
    if database.copy or not database.is_read_only:
        with database.changing_copy():
            for run in store.run_ids():
                AnswerIndex(database).update(run)


def _distinct_words(name: str, fields: Mapping[str, Any]) -> Iterator[str]:
    """The words by which a sample is found, each once: of a conversation those of all who speak in it."""
    messages = fields.get("messages") or ()
    if is_turn_id(name, fields.get("metadata") or {}):
        messages = ()
    texts = [name, *(str(fields.get(key) or "") for key in ("user_input", "response"))]
    texts += map(str, fields.get("retrieved_contexts") or ())
    words = dict.fromkeys(search_words("\n".join(texts)[:_LONGEST_TEXT]))
    for message in messages:
        calls = message.get("tool_calls") or ()
        parts = [str(message.get("content") or ""), *map(str, message.get("retrieved_contexts") or ())]
        parts += [f"{call['function']['name']} {call['function']['arguments']}" for call in calls]
        if message.get("role") != "system" and len(words) < _MOST_MESSAGE_WORDS:  # a policy is the same in all
            words |= dict.fromkeys(search_words("\n".join(parts)[:_LONGEST_TEXT]))
    return iter(words)


def _ratings(
    tables: Database, run: str, samples: list[str]
) -> tuple[dict[str, tuple[float | None, float, float]], dict[str, int]]:
    """The rating of each sample with its scale, and its turns; the column `rating` has shares of scales."""
    places = ", ".join("?" * len(samples)) or "NULL"
    rows = tables.execute(f"SELECT id, content FROM samples WHERE run = ? AND id IN ({places})", [run, *samples])
    ratings, turns, reader = {}, {}, run_reader(tables.execute, run)
    for name, content in rows.fetchall():
        sample = reader.read(content)
        ratings[name] = (sample.human_rating, sample.rating_min, sample.rating_max)
        turns[name] = count_turns(sample)
    return ratings, turns


def _scores(tables: Database, run: str, samples: list[str]) -> dict[str, dict[str, tuple[float | None, str]]]:
    scores: dict[str, dict[str, tuple[float | None, str]]] = {}
    places = ", ".join("?" * len(samples))
    for sample, metric, value, status in tables.execute(
        f"SELECT sample, metric, value, status FROM scores WHERE run = ? AND sample IN ({places or 'NULL'})",
        [run, *samples],
    ):
        scores.setdefault(sample, {})[metric] = (value, status)
    return scores


def _conditions(run: str, query: AnswerQuery) -> tuple[list[str], list[Any]]:
    """The conditions on answers but for the words, and their values."""
    conditions, values = ["answer.run = ?"], list[Any]([run])
    exact = {"language": query.language, "message_type": query.message_type, "source": query.group}
    for column, value in exact.items():
        if value:
            conditions.append(f"answer.{column} = ?")
            values.append(value)
    if query.rated:
        conditions.append(f"answer.rating IS {'NOT ' if query.rated == 'yes' else ''}NULL")
    if query.metric and (about := dict(_score_conditions(query))):
        sql = " AND ".join(["run = ?", "metric = ?", *about])
        conditions.append(f"answer.sample IN (SELECT sample FROM scores WHERE {sql})")
        values += [run, query.metric, *about.values()]
    return conditions, values


def _score_conditions(query: AnswerQuery) -> Iterator[tuple[str, Any]]:
    if query.status:
        yield "status = ?", query.status
    if query.at_least is not None:
        yield "value >= ?", query.at_least
    if query.at_most is not None:
        yield "value <= ?", query.at_most


def search_words(text: str) -> list[str]:
    """The words of a text as the index has them: letters and digits in lower case, without accents.

    Example:
        >>> search_words("Één menu-item (2×): über_all")
        ['een', 'menu', 'item', '2', 'uber', 'all']
    """
    if not text.isascii():
        text = "".join(
            character for character in unicodedata.normalize("NFKD", text) if not unicodedata.combining(character)
        )
    return _WORD.findall(text.lower())
