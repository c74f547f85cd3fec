"""Reading people's preferences between two versions' answers: a word per row that says which version is better."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from ..name_suggestions import quote_names
from ..text.wording import count_of, list_first
from ..value_messages import check_type, describe_type, shorten
from .column_table import PREFERENCES, find_roles, has_person_name, is_missing, plain_name
from .columns import known_columns
from .excel_file import EXCEL_SUFFIXES
from .preference import Choice, Preference
from .rows import BadRow, Row, Rows, tell_notes
from .sources import cannot_read, open_source

_WORDS = "write first, second or tie (also a, b, model_a, model_b), or the name of the better version"
_CHOICES: tuple[Choice, ...] = ("first", "second", "tie")
_PLACES_SHOWN = 5
_BRACKETS = "[]() \t"
_NUMBERED = re.compile(rf"(?:{'|'.join(PREFERENCES['choice'])})_?(\d{{1,3}})")

_OF_PERSON = re.compile(rf"(?:{'|'.join(sorted({*PREFERENCES['choice']} - {*PREFERENCES['doubtful_choice']}))})_(.+)")


class PreferenceColumns(NamedTuple):
    """The columns of a file of preferences, as it calls them."""

    choices: tuple[tuple[str, str], ...]  # those with the word that says which version is better, by the rater
    roles: Mapping[str, str]  # those of the versions (both, or none), the question, the rater, the group and the reason

    @property
    def versions(self) -> tuple[str, ...]:
        """Those with the names of the two versions; empty where none names them."""
        return (self.roles["first"], self.roles["second"]) if "first" in self.roles else ()


@lru_cache(maxsize=1024)
def choice_of(word: str) -> Choice | None:
    """The choice that a word in a column of preferences means; None of an unknown word.

    Examples:
        >>> choice_of("model_a"), choice_of("B"), choice_of("tie (bothbad)"), choice_of("[[A>>B]]"), choice_of("gpt-4")
        ('first', 'second', 'tie', 'first', None)
    """
    written = {word.strip(_BRACKETS).casefold(), plain_name(word)}
    return next((choice for choice in _CHOICES if written & {*PREFERENCES[f"words_{choice}"]}), None)


def find_preference_columns(columns: Iterable[str]) -> PreferenceColumns | None:
    """Finds the columns of rows that say which of two versions is better; None of other rows.

    Examples:
        >>> find_preference_columns(("id", "Winner", "model_a", "model_b")).versions
        ('model_a', 'model_b')
        >>> find_preference_columns(("id", "choice", "rating"))
    """
    listed = list(columns)
    roles = find_roles(listed, {}, "preferences")
    has_versions = {"first", "second"} <= roles.keys()
    if not has_versions:
        # a word of a doubtful column, or one beside a rating of the answer, is a remark on that answer
        is_rated = not {"rating", "ratings"}.isdisjoint(map(plain_name, listed))
        sure = [column for column in listed if plain_name(column) not in PREFERENCES["doubtful_choice"]]
        roles = {} if is_rated else find_roles(sure, {}, "preferences")
        roles = {role: column for role, column in roles.items() if role not in {"first", "second"}}
    choices = [("", roles.pop("choice"))] if "choice" in roles else []
    if not choices and has_versions:  # winner1, winner2: of one rater each
        matches = ((_NUMBERED.fullmatch(plain_name(column)), column) for column in listed)
        choices = [(match[1], column) for match, column in matches if match]
    if not choices:  # winner_ann, winner_bob
        named = ((match[1], column) for column in listed if (match := _OF_PERSON.fullmatch(plain_name(column))))
        choices = [(name, column) for name, column in named if has_person_name(name)]
        choices = choices if len(choices) > 1 else []
    return PreferenceColumns(tuple(choices), roles) if choices else None


def holds_preferences(columns: Iterable[str]) -> bool:
    """Whether rows with these columns say which of two versions, which they name, is better, or whose choice it is."""
    compared = find_preference_columns(columns)
    return compared is not None and bool(compared.versions or compared.choices[0][0])


def is_preference_file(path: str | Path, *, sheet: str | None = None) -> bool:
    """Whether a file holds preferences between versions, and not ratings of answers: by its first 20 rows.

    `path` is a file of any format that `load_set` reads, `sheet` one of an Excel file. Raises `InputError` where it
    cannot be read.
    """
    opened = _open(path, sheet)
    try:
        return find_preference_columns(opened.head_values()) is not None
    except OSError as error:
        raise cannot_read(opened.name, error) from None


def read_preferences(
    path: str | Path,
    *,
    versions: Sequence[str] = (),
    questions: Collection[str] | None = None,
    sheet: str | None = None,
    notes: list[str] | None = None,
) -> list[Preference]:
    """Reads people's preferences between two versions' answers from JSON Lines, JSON, CSV, Excel or Parquet.

    A row is one comparison: a column `preference` or `winner` (the name of the better version, or first, second, a, b,
    model_a, model_b, tie, tie (bothbad)) beside `model_a` and `model_b`, as Chatbot Arena has it; or what
    `write_preferences` and `assay rate --pairs` write. Where no column names the versions, A is the first of `versions`
    and B the second, which a note says.

    Args:
        path: The file.
        versions: The names of the versions that a decision is between; comparisons of others are left out, which a note
            says. Left out, all are read, and versions without a name are called A and B.
        questions: What a question of these versions may be called: its ids, and its text. Preferences of other ids or
            questions are left out, which a note says; those of rows that name their versions and have no id are of
            further questions, and count. Left out, all are read.
        sheet: Chooses one sheet of an Excel file.
        notes: A list that notes about how the file is read are appended to; without one they are logged.

    Returns:
        One preference per row, or per rater where a row has several winners. `question` is the id in the row, or else
        its question, or else `<file name>-<row number>`.

    Raises:
        InputError: The file cannot be read, a word in it is not known, a row compares a version with itself, or no row
            compares two of the versions or is of one of the questions; the message has file, line, field and cure.
    """
    check_type("path", path, (str, Path), "the path of a file")
    opened = _open(path, sheet)
    try:
        rows = list(opened.rows)
    except OSError as error:
        raise cannot_read(opened.name, error) from None
    for row in rows:
        if isinstance(row, BadRow):
            raise row.error
    reader = _Reader(opened, [row for row in rows if isinstance(row, Row)], tuple(versions), questions)
    preferences = reader.read()
    tell_notes((*opened.notes, *reader.notes(preferences)), notes)
    return preferences


def _open(path: str | Path, sheet: str | None) -> Rows:
    is_excel = Path(path).suffix.lower() in EXCEL_SUFFIXES
    return open_source(Path(path), sheet=sheet if is_excel else None, known=known_columns({}))


class _Reader:
    """Reads the preferences of one file, and accounts for what it leaves out."""

    def __init__(
        self, source: Rows, rows: Sequence[Row], versions: tuple[str, ...], questions: Collection[str] | None
    ) -> None:
        self._source, self._rows, self._versions, self._questions = source, rows, versions, questions
        names = dict.fromkeys(column for row in rows for column in row.values)
        if not rows:
            raise InputError(f"{source.name}: the file is empty; it should hold one row per comparison of two answers")
        if (columns := find_preference_columns(names)) is None:
            cure = "add a column preference with first, second or tie, and model_a and model_b with the versions"
            raise self._error(rows[0], "preference", f"is missing; {cure} (the columns are {quote_names(names)})")
        self._columns = columns
        self._unknown: list[tuple[Row, str, str]] = []  # with the column, and the name that no question has
        self._others: dict[str, None] = {}  # the versions that it compares, and nobody asks for
        self._counts = Counter[str]()  # of rows that are left out, or of further questions
        self._unnamed = (versions[0], versions[1]) if len(versions) > 1 else ("A", "B")

    def read(self) -> list[Preference]:
        """The preferences of all rows. Raises `InputError` where there are none."""
        preferences = [preference for row in self._rows for preference in self._read(row)]
        if not preferences:
            raise self._explain_nothing()
        return preferences

    def _read(self, row: Row) -> list[Preference]:
        """The preferences of a row; none where nobody gave one, or where it compares other versions."""
        filled = [
            (number, column) for number, column in self._columns.choices if not is_missing(row.values.get(column))
        ]
        if not filled:
            self._counts["empty"] += 1
            return []
        first, second = self._read_versions(row)
        roles = self._columns.roles
        choices = [(number, self._read_word(row, column, first, second)) for number, column in filled]
        if self._versions and not {first, second} <= {*self._versions}:
            self._others |= dict.fromkeys(name for name in (first, second) if name not in self._versions)
            self._counts["foreign"] += 1
            return []
        question = self._read_question(row)
        if question is None:
            return []
        rater, group, reason = (self._read_text(row, roles.get(role, "")) for role in ("rater", "group", "reason"))
        return [
            Preference(question, first, second, choice, number or rater, group, reason) for number, choice in choices
        ]

    def _read_question(self, row: Row) -> str | None:
        """What the row calls its question; None where it is none of the versions'."""
        roles = self._columns.roles
        columns = [roles[role] for role in ("question_id", "user_input") if role in roles]
        named = {column: text for column in columns if (text := self._read_text(row, column)).strip()}
        question = next(iter(named.values()), f"{self._source.stem}-{row.number}")
        if self._questions is None:
            return question
        for text in (question, *named.values()):
            if known := next((one for one in (text, " ".join(text.split())) if one in self._questions), None):
                return known
        if self._columns.versions and roles.get("question_id") not in named:
            self._counts["further"] += 1
            return question
        column = next(iter(named), "id")
        self._unknown.append((row, column, named.get(column, "").strip()))
        return None

    def _read_versions(self, row: Row) -> tuple[str, str]:
        if not self._columns.versions:
            return self._unnamed
        first, second = (self._read_text(row, column).strip() for column in self._columns.versions)
        for column, version in zip(self._columns.versions, (first, second), strict=True):
            if not version:
                raise self._error(row, column, "is empty; write the name of the version")
        if first == second:
            problem = (
                f'is "{shorten(first)}", as {self._columns.versions[0]} is; name two versions, or leave the row out'
            )
            raise self._error(row, self._columns.versions[1], problem)
        return first, second

    def _read_word(self, row: Row, column: str, first: str, second: str) -> Choice:
        value = row.values[column]
        if not isinstance(value, str):
            shown = f" ({shorten(str(value), 30)})"
            raise self._error(row, column, f"is {describe_type(value)}{shown}, not a text; {_WORDS}")
        word = value.strip()
        by_name, by_word = _side_of(word, first, second), choice_of(word)
        # our own column `choice` holds no names
        if by_name and by_word and by_name != by_word and column != "choice":
            both = f"the name of the {by_name} version and the word for the {by_word} one"
            raise self._error(row, column, f'is "{shorten(word)}", which is {both}; write first or second')
        choice = (by_word or by_name) if column == "choice" else (by_name or by_word)
        if choice is None:
            names = f"the versions of the row are {quote_names([first, second])}"
            raise self._error(row, column, f'is "{shorten(word)}", an unknown word; {_WORDS}; {names}')
        return choice

    def _read_text(self, row: Row, column: str) -> str:
        """A cell as a text, also where the file has a number; empty where there is nothing."""
        value = row.values.get(column)
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._error(row, column, f"is {describe_type(value)}, not a text; write a text")
        return "" if is_missing(value) else f"{value:.15g}" if isinstance(value, float) else str(value)

    def _error(self, row: Row, column: str, problem: str) -> InputError:
        return InputError(f"{self._source.name}, {row.place}, field {column}: {problem}")

    def _explain_nothing(self) -> InputError:
        """Why no preference was read, and what to do."""
        if self._unknown:
            row, column, name = self._unknown[0]
            is_what = f'is "{shorten(name)}", and' if name else "is missing:"
            every = f"none of the {count_of(len(self._unknown), 'row')} with a preference" if name else "no row"
            cure = "write the ids of the samples, or the questions themselves"
            return self._error(row, column, f"{is_what} {every} is of a question of these versions; {cure}")
        rows = count_of(len(self._rows), "row")
        problem = f"none of its {rows} has a preference; write first, second or tie in them"
        if self._others:
            problem = f"no row compares two of the versions {quote_names(self._versions)}; {self._name_others()}"
        return InputError(f"{self._source.name}: {problem}")

    def _name_others(self) -> str:
        return f"the file compares {list_first(list(self._others), _PLACES_SHOWN)} too; name runs NAME=RUN as it does"

    def notes(self, preferences: Sequence[Preference]) -> Iterator[str]:
        """What a user should know about how the file was read."""
        columns, counts = self._columns, self._counts
        uses = {column: role for role, column in columns.roles.items() if role in {"first", "second"}}
        uses |= {column: "choice" for _, column in columns.choices}
        names = {"question_id": "question", "user_input": "question"}
        uses |= {column: names.get(role, role) for role, column in columns.roles.items()}
        read = ", ".join(f"{column} as {use}" for column, use in uses.items() if column != use)
        ties = sum(preference.choice == "tie" for preference in preferences)
        notes = [f"{count_of(len(preferences), 'preference')}, {count_of(ties, 'tie')} among them"]
        notes[0] += f"; read {read}" if read else ""
        if not columns.versions:
            first, second = self._unnamed
            notes.append(f"no column names the versions: A is the first ({first}), B the second ({second})")
        if counts["empty"]:
            notes.append(f"{count_of(counts['empty'], 'row')} without a preference left out")
        if counts["foreign"]:
            left_out = f"{count_of(counts['foreign'], 'comparison')} of other versions left out"
            notes.append(f"{left_out}; {self._name_others()}")
        if self._unknown:
            listed = list_first([shorten(name, 30) or row.place for row, _, name in self._unknown], _PLACES_SHOWN)
            rows = count_of(len(self._unknown), "row")
            notes.append(f"{rows} left out, of questions that these versions do not have: {listed}")
        if counts["further"]:
            further = count_of(counts["further"], "preference")
            notes.append(f"{further} without an id of a question count as of further questions of these versions")
        yield from (f"{self._source.name}: {note}" for note in notes)


def _side_of(word: str, first: str, second: str) -> Choice | None:
    """The version that a word names, in whatever letters; None where it names none, or both."""
    named = [name.casefold() == word.casefold() for name in (first, second)]
    return _CHOICES[named.index(True)] if sum(named) == 1 else None
