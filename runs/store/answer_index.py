"""Finding answers of a run: filter, sort, page, and search by words."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ...eval_sets import Sample
from ...eval_sets.conversation import count_turns
from .database import Database, explain_errors
from .sample_content import ContentReader, search_words

PAGE_SIZE = 50
_ROWS_AT_ONCE = 1000
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
    rated: Rated = ""  # only rated or unrated answers
    metric: str = ""  # the metric that `status` is about
    status: Status = ""
    sort: str = "place"  # `place` (the set's order), `rating`, or a metric
    descending: bool = False  # the highest first
    page: int = 1  # the page's number, from 1


class AnswerRow(NamedTuple):
    """One answer in a table, with each metric's value and status."""

    sample: Sample
    scores: dict[str, tuple[float | None, str]]

    @property
    def turns(self) -> int:
        """How many answers a conversation has; 0 for an answer without messages, and for a turn of a conversation."""
        return count_turns(self.sample)


class AnswerPage(NamedTuple):
    """A page of answers."""

    rows: tuple[AnswerRow, ...]
    total: int
    pages: int


class AnswerIndex:
    """Looks up the answers of a store's runs."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def search(self, run: str, query: AnswerQuery) -> AnswerPage:
        """Returns one page of answers. Sorted by a metric, those without its value are left out."""
        words = search_words(query.text)[:_MOST_WORDS]
        if query.text.strip() and not words:
            return AnswerPage((), 0, 0)  # signs alone are in no answer
        conditions, values = _conditions(run, query, words)
        source, order = "samples AS answer", "answer.place"
        if query.sort == "rating":
            conditions.append("answer.rating IS NOT NULL")
            order = "answer.rating"
        elif query.sort != "place":
            source += " JOIN scores AS score ON score.run = answer.run AND score.sample = answer.id"
            conditions += ["score.metric = ?", "score.value IS NOT NULL"]
            values.append(query.sort)
            order = "score.value"
        direction = " DESC" if query.descending else ""
        selection = f"FROM {source} WHERE {' AND '.join(conditions)}"
        with self._reading():
            (total,) = self._db.execute(f"SELECT count(*) {selection}", values).fetchone()
            names = self._db.execute(
                f"SELECT answer.id {selection} ORDER BY {order}{direction}, answer.place LIMIT ? OFFSET ?",
                [*values, PAGE_SIZE, (query.page - 1) * PAGE_SIZE],
            ).fetchall()
            return AnswerPage(self._rows(run, [str(name) for (name,) in names]), total, -(-total // PAGE_SIZE))

    def _rows(self, run: str, names: list[str]) -> tuple[AnswerRow, ...]:
        """The rows of some answers, in their order."""
        places, reader = ", ".join("?" * len(names)) or "NULL", ContentReader(self._db)
        rows = self._db.execute(
            "SELECT id, contents.content FROM samples LEFT JOIN contents ON contents.key = samples.content "
            f"WHERE run = ? AND id IN ({places})",
            [run, *names],
        )
        scores = _scores(self._db, run, names)
        by_name = {name: AnswerRow(reader.read(content), scores.get(name, {})) for name, content in rows.fetchall()}
        return tuple(by_name[name] for name in names if name in by_name)

    def languages(self, run: str) -> list[str]:
        """Returns the languages that a run's answers have."""
        sql = "SELECT DISTINCT language FROM samples WHERE run = ? AND language IS NOT NULL ORDER BY language"
        with self._reading():
            return [str(language) for (language,) in self._db.execute(sql, (run,)).fetchall()]

    def is_rated(self, run: str) -> bool:
        """Returns whether the set of a run has a rating of any answer."""
        with self._reading():
            row = self._db.execute(
                "SELECT 1 FROM samples WHERE run = ? AND rating IS NOT NULL LIMIT 1", (run,)
            ).fetchone()
        return row is not None

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
            row = self._db.execute("SELECT place FROM samples WHERE run = ? AND id = ?", (run, sample)).fetchone()
            if row is None:
                return None, None
            before = self._db.execute(
                "SELECT id FROM samples WHERE run = ? AND place < ? ORDER BY place DESC LIMIT 1", (run, row[0])
            ).fetchone()
            after = self._db.execute(
                "SELECT id FROM samples WHERE run = ? AND place > ? ORDER BY place LIMIT 1", (run, row[0])
            ).fetchone()
        return before and before[0], after and after[0]

    def _reading(self) -> AbstractContextManager[None]:
        return explain_errors(self._db, "the answers cannot be read")


def _scores(tables: Database, run: str, samples: list[str]) -> dict[str, dict[str, tuple[float | None, str]]]:
    scores: dict[str, dict[str, tuple[float | None, str]]] = {}
    places = ", ".join("?" * len(samples))
    for sample, metric, value, status in tables.execute(
        f"SELECT sample, metric, value, status FROM scores WHERE run = ? AND sample IN ({places or 'NULL'})",
        [run, *samples],
    ):
        scores.setdefault(sample, {})[metric] = (value, status)
    return scores


def _conditions(run: str, query: AnswerQuery, words: Sequence[str]) -> tuple[list[str], list[Any]]:
    """The conditions on answers, and their values."""
    conditions, values = ["answer.run = ?"], list[Any]([run])
    if query.language:
        conditions.append("answer.language = ?")
        values.append(query.language)
    if query.rated:
        conditions.append(f"answer.rating IS {'NOT ' if query.rated == 'yes' else ''}NULL")
    if query.metric and query.status:
        conditions.append("answer.id IN (SELECT sample FROM scores WHERE run = ? AND metric = ? AND status = ?)")
        values += [run, query.metric, query.status]
    for number, word in enumerate(words, 1):
        conditions.append("answer.words LIKE ?")
        values.append(f"% {word}{' ' if number < len(words) else ''}%")
    return conditions, values
