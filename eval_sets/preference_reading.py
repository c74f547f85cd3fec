"""Reading people's preferences between two versions' answers, in the forms that teams and public sets have them in."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..arguments import check_type
from ..errors import InputError
from ..name_suggestions import nearest_names, quote_names
from ..text.wording import count_of, list_first
from ..value_messages import describe_type, shorten
from .cell_values import parse_ratings, parse_structure
from .column_table import ALIASES, PREFERENCES, is_no_rating
from .number_rule import NumberRule, is_missing
from .preference import Choice, Preference
from .rows import BadRow, Row, Rows, tell_notes
from .sources import cannot_read, open_source

_ROWS_LOOKED_AT = 20
_WORDS = "write first, second or tie (also a, b, model_a, model_b), or the name of the better version"
_CHOICES: tuple[Choice, ...] = ("first", "second", "tie")
_PLACES_SHOWN = 5
Form = Literal["words", "outcomes", "ratings"]
"""How a row says which version is better: a word, one column per outcome, or a rating of one against the other."""
_NEITHER_LETTER_NOR_DIGIT = re.compile(r"[\W_]+")
_TEXTS = ("question", "user_input", *ALIASES["user_input"])
_COLUMNS = [name for kind, names in PREFERENCES.items() if not kind.startswith("words_") for name in names]
_BRACKETS = "[]() \t"


class PreferenceCell(NamedTuple):
    """A cell and the column that it stands in, as the file calls it."""

    column: str
    value: Any


@lru_cache(maxsize=1024)
def _plain(name: str) -> str:
    return _NEITHER_LETTER_NOR_DIGIT.sub("_", name.strip()).strip("_").casefold()


@lru_cache(maxsize=1024)
def choice_of(word: str) -> Choice | None:
    """The choice that a word in a column of preferences means; None of an unknown word.

    Examples:
        >>> choice_of("model_a"), choice_of("B"), choice_of("tie (bothbad)"), choice_of("[[A>>B]]"), choice_of("gpt-4")
        ('first', 'second', 'tie', 'first', None)
    """
    written = word.strip(_BRACKETS).casefold()
    for choice in _CHOICES:
        if {written, _plain(word)} & {*PREFERENCES[f"words_{choice}"]}:
            return choice
    return None


class PreferenceRow:
    """A row by the names that its columns have in small letters; keys of `metadata` count as columns too."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._cells: dict[str, PreferenceCell] = {}
        for column, value in values.items():
            self._cells.setdefault(_plain(column), PreferenceCell(column, value))
        for key, value in _metadata(values.get("metadata")).items():
            self._cells.setdefault(_plain(str(key)), PreferenceCell(f"metadata.{key}", value))

    def cell(self, kind: str) -> PreferenceCell | None:
        """The first cell of a kind that is filled; else the first that is there; None without one."""
        cells = [self._cells[name] for name in PREFERENCES[kind] if name in self._cells]
        return _first_filled(cells)

    def question_names(self) -> list[tuple[str, str]]:
        """What the row may call its question, each with its column: ids first, then texts."""
        cells = [self._cells[name] for name in PREFERENCES["question"] if name in self._cells]
        texts = [(cell.column, _written(cell.value).strip()) for cell in cells]
        return [(column, text) for column, text in texts if text]

    def versions(self) -> tuple[PreferenceCell, PreferenceCell] | None:
        """The cells of the two versions that the row compares; None where it names none."""
        for first, second in zip(PREFERENCES["first"], PREFERENCES["second"], strict=True):
            if first in self._cells and second in self._cells:
                return self._cells[first], self._cells[second]
        return None

    def choice(self) -> PreferenceCell | None:
        """The cell with the word that says which version is better; None without one."""
        has_versions = self.versions() is not None
        names = [name for name in PREFERENCES["choice"] if has_versions or name not in PREFERENCES["doubtful_choice"]]
        cells = [self._cells[name] for name in names if name in self._cells]
        return _first_filled(cells)

    def choices(self) -> dict[str, PreferenceCell]:
        """The cells with a word of each rater: of one column under no name, of `winner1` and so on by number."""
        if (cell := self.choice()) is not None:
            return {"": cell}
        if self.versions() is None:
            return {}
        pattern = re.compile(rf"(?:{'|'.join(PREFERENCES['choice'])})_?(\d{{1,3}})")
        return {match[1]: cell for name, cell in self._cells.items() if (match := pattern.fullmatch(name))}

    def outcomes(self) -> dict[Choice, PreferenceCell]:
        """The cells of the outcomes, where each has a column of its own; empty where they have none."""
        cells = {choice: cell for choice in _CHOICES if (cell := self.cell(f"outcome_{choice}")) is not None}
        return cells if {"first", "second"} <= cells.keys() else {}

    def ratings(self) -> PreferenceCell | None:
        """The cell with ratings of a second answer against the first, on a scale around 0; None where there is none."""
        if self.versions() is None or self.cell("second_answer") is None:
            return None
        bounds = [self._cells[name].value for name in ("rating_min", "rating_max") if name in self._cells]
        try:
            lowest, highest = (NumberRule().read(bound) or 0.0 for bound in bounds)
        except ValueError:
            return None
        if lowest >= 0 or lowest != -highest:
            return None
        cell = _first_filled([self._cells[name] for name in ("ratings", "rating") if name in self._cells])
        return cell or PreferenceCell("ratings", None)  # nobody has rated this row

    @property
    def form(self) -> Form | None:
        """How the row says which version is better; None where it does not."""
        if self.outcomes():
            return "outcomes"
        # a word alone, beside a rating of the answer, is a remark on that answer
        if self.choices() and (self.versions() or not {"rating", "ratings"} & self._cells.keys()):
            return "words"
        return "ratings" if self.ratings() is not None else None


def is_question_text(column: str) -> bool:
    """Whether a column of questions holds their texts, and not their ids."""
    return _plain(column.removeprefix("metadata.")) in _TEXTS


def is_filled(value: Any) -> bool:
    """Whether a cell holds something; `n/a` is something."""
    return bool(value.strip()) if isinstance(value, str) else not is_missing(value) and value not in ([], {})


def _first_filled(cells: list[PreferenceCell]) -> PreferenceCell | None:
    return next((cell for cell in cells if is_filled(cell.value)), cells[0] if cells else None)


def _metadata(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = parse_structure(value)
        except ValueError:
            return {}
    return value if isinstance(value, Mapping) else {}


def _written(value: Any) -> str:
    """An id or a name as text, also where the file has a number; "" of anything else."""
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    return f"{value:.15g}" if isinstance(value, float) else ""


def is_preference_file(path: str | Path, *, sheet: str | None = None) -> bool:
    """Whether a file holds preferences between versions, and not ratings of answers: by its first 20 rows.

    Args:
        path: The file, of any format that `load_set` reads.
        sheet: Chooses one sheet of an Excel file.

    Raises:
        InputError: The file cannot be read.
    """
    opened = _open(path, sheet)
    try:
        head = [row for row in islice(opened.rows, _ROWS_LOOKED_AT) if not isinstance(row, BadRow)]
    except OSError as error:
        raise cannot_read(opened.name, error) from None
    return any(PreferenceRow(row.values).form is not None for row in head)


def read_preferences(
    path: str | Path,
    *,
    versions: Sequence[str] = (),
    questions: Collection[str] | None = None,
    sheet: str | None = None,
    skip_bad: list[InputError] | None = None,
    notes: list[str] | None = None,
) -> list[Preference]:
    """Reads people's preferences between two versions' answers from JSON Lines, JSON, CSV, Excel or Parquet.

    A row is one comparison: a column `preference` or `winner` (the name of the better version, or first, second, a, b,
    model_a, model_b, tie, tie (bothbad)) beside `model_a` and `model_b`, as Chatbot Arena has it; one column per
    outcome (`winner_model_a`, `winner_model_b`, `winner_tie`); ratings of a second answer against the first, on a scale
    around 0; or what `write_preferences` and `assay rate --pairs` write. Where no column names
    the versions, A is the first of `versions` and B the second, which a note says.

    Args:
        path: The file.
        versions: The names of the versions that a decision is between; comparisons of others are left out, which a note
            says. Left out, all are read, and versions without a name are called A and B.
        questions: What a question of these versions may be called: its ids, and its text. Preferences of other ids or
            questions are left out, which a note says; those of rows that name their versions and have no id are of
            further questions, and count. Left out, all are read.
        sheet: Chooses one sheet of an Excel file.
        skip_bad: A list that errors of single rows are appended to while reading goes on.
        notes: A list that notes about how the file is read are appended to; without one they are logged.

    Returns:
        One preference per row, or per rater where a row has the ratings of several. `question` is the id in the row, or
        else its question, or else `<file name>-<row number>`.

    Raises:
        InputError: The file cannot be read, a word in it is not known, a row compares a version with itself, or no row
            compares two of the versions or is of one of the questions; the message has file, line, field and cure.
    """
    check_type("path", path, (str, Path), "the path of a file")
    opened = _open(path, sheet)
    reader = _Reader(opened, tuple(versions), questions)
    preferences: list[Preference] = []
    try:
        for row in opened.rows:
            try:
                if isinstance(row, BadRow):
                    raise row.error
                preferences += reader.read(row)
            except InputError as error:
                if skip_bad is None:
                    raise
                skip_bad.append(error)
    except OSError as error:
        raise cannot_read(opened.name, error) from None
    if not preferences:
        raise reader.explain_nothing(skip_bad or [])
    tell_notes((*opened.notes, *reader.notes(preferences)), notes)
    return preferences


def _open(path: str | Path, sheet: str | None) -> Rows:
    return open_source(Path(path), sheet=sheet, known=frozenset(_COLUMNS))


class _Reader:
    """Reads the preferences of one file, row by row, and accounts for what it leaves out."""

    def __init__(self, source: Rows, versions: tuple[str, ...], questions: Collection[str] | None) -> None:
        self._source, self._versions, self._questions = source, versions, questions
        self._unknown: list[tuple[Row, str, str]] = []  # with the column, and the name that no question has
        self._further = 0
        self._columns: dict[str, str] = {}
        self._strangers: Counter[str] = Counter()
        self._rows = self._empty = self._foreign = 0
        self._rows_by_sign = 0
        self._unnamed = (versions[0], versions[1]) if len(versions) > 1 else ("A", "B")

    def read(self, row: Row) -> list[Preference]:
        """The preferences of a row; none where nobody gave one, or where it compares other versions."""
        self._rows += 1
        cells = PreferenceRow(row.values)
        if cells.form is None:
            raise self._error(row, "preference", f"is missing; {self._explain_columns(row)}")
        first, second = self._read_versions(cells, row)
        if outcomes := cells.outcomes():
            choices = self._read_outcomes(outcomes, row)
        elif cells.form == "words":
            words = {rater: self._read_word(cell, row, first, second) for rater, cell in cells.choices().items()}
            choices = {rater: word for rater, word in words.items() if word is not None}
        elif (cell := cells.ratings()) is not None:
            choices = self._read_ratings(cell, row)
        else:
            choices = {}
        if not choices:
            self._empty += 1
            return []
        if self._versions and (strangers := [name for name in (first, second) if name not in self._versions]):
            self._strangers.update(strangers)
            self._foreign += 1
            return []
        question = self._read_question(cells, row)
        if question is None:
            return []
        self._further += len(choices) if self._questions is not None and question not in self._questions else 0
        rater, group, reason = (self._read_text(cells, row, name) for name in ("rater", "group", "reason"))
        return [
            Preference(question, first, second, choice, name or rater, group, reason)
            for name, choice in choices.items()
        ]

    def _read_question(self, cells: PreferenceRow, row: Row) -> str | None:
        """What the row calls its question; None where it is none of the versions'."""
        question = self._read_text(cells, row, "question")
        if not question.strip():
            question = f"{self._source.stem}-{row.number}"
        if self._questions is None or question in self._questions:
            return question
        names = cells.question_names()
        for _, name in names:
            if known := next((text for text in (name, " ".join(name.split())) if text in self._questions), None):
                return known
        ids = [cell for cell in names if not is_question_text(cell[0])]
        if cells.versions() is not None and not ids:
            return question
        column, name = (ids or names or [("id", "")])[0]
        self._unknown.append((row, column, name))
        return None

    def _read_versions(self, cells: PreferenceRow, row: Row) -> tuple[str, str]:
        named = cells.versions()
        if named is None:
            return self._unnamed
        self._columns.setdefault(named[0].column, "first")
        self._columns.setdefault(named[1].column, "second")
        for cell in named:
            if not is_filled(cell.value):
                raise self._error(row, cell.column, "is empty; write the name of the version")
        first, second = (self._text(cell, row).strip() for cell in named)
        if first == second:
            problem = f'is "{shorten(first)}", as {named[0].column} is; name two versions, or leave the row out'
            raise self._error(row, named[1].column, problem)
        return first, second

    def _read_word(self, cell: PreferenceCell, row: Row, first: str, second: str) -> Choice | None:
        self._columns.setdefault(cell.column, "choice")
        if not is_filled(cell.value) or is_no_rating(cell.value):
            return None
        if not isinstance(cell.value, str):
            shown = f" ({shorten(str(cell.value), 30)})"
            raise self._error(row, cell.column, f"is {describe_type(cell.value)}{shown}, not a text; {_WORDS}")
        word = cell.value.strip()
        by_word = choice_of(word)
        by_name = _side_of(word, first, second)
        if cell.column == "choice" and by_word is not None:  # our own column, which holds no names
            return by_word
        if by_name and by_word and by_name != by_word:
            problem = (
                f'is "{shorten(word)}", which is the name of the {by_name} version and the word for the {by_word} one; '
                "write first or second"
            )
            raise self._error(row, cell.column, problem)
        choice = by_name or by_word
        if choice is None:
            similar = nearest_names(word, [first, second])
            hint = f"did you mean {similar[0]}? Else " if similar else ""
            names = f"the versions of the row are {quote_names([first, second])}"
            raise self._error(row, cell.column, f'is "{shorten(word)}", an unknown word; {hint}{_WORDS}; {names}')
        return choice

    def _read_outcomes(self, outcomes: Mapping[Choice, PreferenceCell], row: Row) -> dict[str, Choice]:
        chosen: list[Choice] = []
        for choice, cell in outcomes.items():
            self._columns.setdefault(cell.column, "choice")
            value = str(cell.value).strip().casefold()
            if value in ("1", "1.0", "true"):
                chosen.append(choice)
            elif value not in ("0", "0.0", "false", "none", ""):
                problem = (
                    f'is "{shorten(str(cell.value), 30)}"; write 1 in the column of the outcome, and 0 in the others'
                )
                raise self._error(row, cell.column, problem)
        if len(chosen) > 1:
            columns = [outcomes[choice].column for choice in chosen]
            raise self._error(row, columns[-1], f"is 1, as {columns[0]} is; write 1 in one of them")
        return {"": chosen[0]} if chosen else {}

    def _read_ratings(self, cell: PreferenceCell, row: Row) -> dict[str, Choice]:
        self._columns.setdefault(cell.column, "choice")
        try:
            if not is_filled(cell.value) or is_no_rating(cell.value):
                return {}
            rule = NumberRule()
            has_raters = cell.column.rpartition(".")[2] == "ratings"
            ratings: Any = parse_ratings(cell.value, rule) if has_raters else {"": rule.read(cell.value)}
            signs = {str(rater): float(rating) for rater, rating in ratings.items()}
        except (TypeError, ValueError) as error:
            raise self._error(row, cell.column, str(error)) from None
        self._rows_by_sign += bool(signs)
        return {
            rater: _CHOICES[0] if sign < 0 else _CHOICES[1] if sign else _CHOICES[2] for rater, sign in signs.items()
        }

    def _read_text(self, cells: PreferenceRow, row: Row, kind: str) -> str:
        cell = cells.cell(kind)
        if cell is None or not is_filled(cell.value):
            return cell.value if cell is not None and isinstance(cell.value, str) else ""
        self._columns.setdefault(cell.column, kind)
        return self._text(cell, row)

    def _text(self, cell: PreferenceCell, row: Row) -> str:
        value = cell.value
        if isinstance(value, list | tuple):  # a judge of MT-bench: its model and its prompt
            value = " ".join(map(str, value))
        if not (text := _written(value)):
            raise self._error(row, cell.column, f"is {describe_type(value)}, not a text; write a text")
        return text

    def _error(self, row: Row, field: str, problem: str) -> InputError:
        return InputError(f"{self._source.name}, {row.place}, field {field}: {problem}")

    def _explain_columns(self, row: Row) -> str:
        cure = "add a column preference with first, second or tie, and model_a and model_b with the versions"
        return f"{cure} (the columns are {quote_names(row.values)})"

    def explain_nothing(self, errors: Sequence[InputError]) -> InputError:
        """Why no preference was read, and what to do."""
        if self._unknown:
            row, column, name = self._unknown[0]
            is_what = f'is "{shorten(name)}", and' if name else "is missing:"
            every = f"none of the {count_of(len(self._unknown), 'row')} with a preference" if name else "no row"
            problem = (
                f"{is_what} {every} is of a question of these versions; write the ids of the samples, or the questions "
                "themselves"
            )
            return self._error(row, column, problem)
        if self._foreign:
            problem = f"no row compares two of the versions {quote_names(self._versions)}; {self._name_strangers()}"
        elif errors:
            problem = f"none of the {count_of(len(errors), 'row')} can be used; the first error: {errors[0]}"
        elif self._rows:
            problem = f"none of its {count_of(self._rows, 'row')} has a preference; write first, second or tie in them"
        else:
            problem = "the file is empty; it should hold one row per comparison of two answers"
        return InputError(f"{self._source.name}: {problem}")

    def _name_strangers(self) -> str:
        listed = [f"{name} ({count_of(rows, 'row')})" for name, rows in self._strangers.most_common()]
        names = [name for name, _ in self._strangers.most_common(1)]
        similar = nearest_names(names[0], self._versions) if names else []
        hint = f"; if {names[0]} is {similar[0]}, rename it in the file" if similar else ""
        return f"the file also compares {list_first(listed, _PLACES_SHOWN)}{hint or '; name runs NAME=RUN as it does'}"

    def notes(self, preferences: Sequence[Preference]) -> Iterator[str]:
        """What a user should know about how the file was read."""
        name = self._source.name
        ties = sum(preference.choice == "tie" for preference in preferences)
        read = ", ".join(f"{column} as {field}" for column, field in self._columns.items() if column != field)
        counts = f"{count_of(len(preferences), 'preference')}, {count_of(ties, 'tie')} among them"
        yield f"{name}: {counts}" + (f"; read {read}" if read else "")
        if not {"first", "second"} <= {*self._columns.values()}:
            first, second = self._unnamed
            rest = "; columns model_a and model_b would name others" if len(self._versions) > 2 else ""
            yield f"{name}: no column names the versions: A is the first ({first}), B the second ({second}){rest}"
        if self._rows_by_sign:
            yield (
                f"{name}: ratings of {count_of(self._rows_by_sign, 'row')} are read by their sign: above 0 the second "
                "answer is better, 0 is a tie; how much better is not used"
            )
        if self._empty:
            yield f"{name}: {count_of(self._empty, 'row')} without a preference left out"
        if self._foreign:
            left_out = f"{count_of(self._foreign, 'comparison')} of other versions left out"
            yield f"{name}: {left_out}; {self._name_strangers()}"
        if self._unknown:
            listed = list_first([shorten(name, 30) or row.place for row, _, name in self._unknown], _PLACES_SHOWN)
            rows = count_of(len(self._unknown), "row")
            yield f"{name}: {rows} left out, of questions that these versions do not have: {listed}"
        if self._further:
            further = count_of(self._further, "preference")
            yield f"{name}: {further} without an id of a question count as of further questions of these versions"
        repeated = Counter(
            (preference.question, frozenset((preference.first, preference.second)), preference.rater)
            for preference in preferences
            if preference.rater
        )
        if again := sum(times - 1 for times in repeated.values()):
            again_given = count_of(again, "preference")
            yield f"{name}: {again_given} of a rater who had decided that comparison before; all count"


def _side_of(word: str, first: str, second: str) -> Choice | None:
    """The version that a word names: written so, else in other letters."""
    for names in ((first, second), (first.casefold(), second.casefold())):
        if names[0] == names[1]:
            return None
        if word in names:
            return _CHOICES[names.index(word)]
        word = word.casefold()
    return None
