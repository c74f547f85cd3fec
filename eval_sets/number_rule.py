"""How the numbers of a column are written, and the scale of ratings: decided once, on all its cells."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from statistics import median
from typing import NamedTuple

from ..errors import InputError, UsageError
from ..text.wording import count_of, list_first
from ..value_messages import describe_type, shorten
from .column_table import (
    DEGREES,
    LABELS,
    MONTHS,
    is_low_good,
    is_missing,
    is_named_low_good,
    is_no_rating,
    split_remark,
)

NO_RATING = "leave it out or write null if there is no rating"
_SPACES = " \u00a0\u202f'’"  # which may stand between thousands
_BODY = r"[+-]?(?:\d[\d.,'’\u00a0\u202f ]*|[.,]\d+)"
_NUMBER = re.compile(rf"({_BODY})(e[+-]?\d+)?(\s*%)?", re.ASCII | re.IGNORECASE)
_OUT_OF = re.compile(r"(.+?)\s*(?:/|out of|of|van|von|aus)\s*(\d+)", re.ASCII | re.IGNORECASE)
# a rating with its meaning, as a list in a spreadsheet offers it: 4 - good, 5 (excellent)
_LABELLED = re.compile(r"([+-]?\d+(?:[.,]\d+)?)\s*(?:[-–—:=|]|\(|\s)\s*([^\d\s][^\d]*)", re.ASCII)
_DATE = re.compile(
    r"\d{1,2}[.\s/-]+([^\W\d_]{3,9})\.?|([^\W\d_]{3,9})\.?[\s/-]+\d{1,4}|\d{1,2}[.\s/-]+([^\W\d_]{3,9})\.?[\s/-]+\d{2,4}"
    r"|\d{4}-\d\d?-\d\d?([ T].*)?|\d{1,2}([./-])\d{1,2}\5\d{2,4}"
)
_NO_SKIN = {ord(letter): None for letter in "\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"}  # of emoji
_GROUPED = re.compile(
    rf"(?:\d+|\d{{1,3}}(?:[{_SPACES}]\d{{3}})+)?(?:[.,]\d*)?"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?"
)
_DOUBTFUL = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
_LEAST_DOUBTFUL = 1000  # what 1,000 is where its separator stands between thousands
_SIMPLE = re.compile(r"[+-]?\d+(?:[.,](?:\d\d?|\d{4,}))?", re.ASCII)  # whatever the rule of its column
_ZERO = re.compile(r"0+(?:[.,]0*)?")
_NO_SPACES = {ord(mark): None for mark in _SPACES}
_NEAR, _MUCH_MORE = 10, 100  # times: the cells with a separator beside those without one
_SCALE = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*(?:-|–|\.\.|to|t/m|bis)\s*(-?\d+(?:[.,]\d+)?)", re.ASCII)

Bounds = tuple[float, float]

USUAL_SCALES = ((1.0, 5.0), (0.0, 1.0), (0.0, 5.0), (1.0, 10.0), (0.0, 10.0), (0.0, 100.0))
"""The scales of ratings that are recognised, the first that fits."""

CURE = "if they are ratings, --map it to rating, with --scale LOW-HIGH"
_WHOLE_SCALES = ((-1.0, 1.0), (-2.0, 2.0), (-3.0, 3.0))
_FEW = 0.05  # of the ratings may be slips, or one
_FEWEST_TOLD = 4  # fewer ratings say nothing of a scale
_WIDER, _MUCH_WIDER = 2, 10  # so many times as wide as another scale
_FAR = 2  # times the top of a scale: no scale that is a little longer has such a rating
_MOST_MARKS, _MOST_ZEROS = 0.5, 0.2  # of the ratings, which may mean that nobody rated: one value far off, and 0
_LOW_TOP = 50  # of ratings to 100, beside which a scale to 20 or to 50 is as likely
_MOSTLY = 0.5  # of the filled cells that are no numbers, in a column of ratings


class NumberText(str):
    """A number of a file that knows numbers, such as Excel's, as the text that it would be elsewhere."""


class _Written(NamedTuple):
    """A number as it is written."""

    digits: str  # with a decimal point, and a doubtful separator
    doubtful: str = ""  # its one separator, where nothing in it tells whether that stands between thousands
    thousands: str = ""  # the separator that certainly does
    decimal: str = ""  # the one that certainly stands before decimals
    power: str = ""
    is_percentage: bool = False
    out_of: str = ""
    meaning: str = ""  # the words beside it: good of 4 - good


@dataclass(frozen=True, slots=True)
class NumberRule:
    """How the cells of a column are read as numbers."""

    labels: Mapping[str, float] = field(default_factory=dict)  # 1 or 0 of each label, where they have two values
    thousands: frozenset[str] = frozenset()  # of comma and dot those that stand between thousands
    unclear: frozenset[str] = frozenset(",")  # and those of which nothing tells whether they do
    out_of: str = ""  # the number that all are out of: 5 of 4/5
    has_percentages: bool = False
    has_shares: bool = False  # whether numbers between 0 and 1 stand in it that are no percentages
    lacks_zero: bool = False  # whether a 0 says that nobody rated: the scale that the user says begins above it
    meanings: tuple[tuple[float, str], ...] = ()  # the words that stand beside numbers, as in 4 - good, sorted

    def read(self, value: object) -> float | None:
        """Reads a cell; None where it says that there is no number.
        Examples:
            >>> NumberRule().read("4,5"), NumberRule().read("4 - good"), NumberRule().read("n/a")
            (4.5, 4.0, None)
            >>> NumberRule(thousands=frozenset(","), unclear=frozenset()).read("1,000")
            1000.0
            >>> NumberRule(labels={"ja": 1.0}).read("Ja")
            1.0
        """
        if is_missing(value) or (self.lacks_zero and self.says_none(value)):
            return None
        if self.labels and isinstance(value, bool | str) and (label := label_of(value)) in self.labels:
            return self.labels[label]
        if isinstance(value, bool):
            raise ValueError("is true or false, not a number; write 4 or 4.5")
        if isinstance(value, int | float | Decimal | NumberText):
            return _finite(value)
        if not isinstance(value, str):
            raise ValueError(f"is {describe_type(value)}, not a number; write 4 or 4.5")
        return self._read_text(value)

    def says_none(self, value: object) -> bool:
        """Whether a cell says in some way that there is no rating."""
        return is_no_rating(value) or (self.lacks_zero and _ZERO.fullmatch(str(value).strip()) is not None)

    def _read_text(self, text: str) -> float:
        if not self.out_of and _SIMPLE.fullmatch(text):
            return _finite(float(text.replace(",", ".")), text)
        written = _written(text)
        shown = f'"{shorten(text.strip())}"'
        if is_date(text):
            raise ValueError(f"{shown} is a date, as a spreadsheet makes one of 5/1; write the number as text")
        if written is None:
            raise ValueError(f"{shown} is not a number; write 4 or 4,5, or leave the cell empty")
        if written.out_of != self.out_of and (written.out_of or self.out_of):
            others = f"out of {self.out_of}" if self.out_of else "not out of a number"
            raise ValueError(f"{shown} stands beside numbers {others}; write all in one way")
        if written.is_percentage and self.has_shares:
            raise ValueError(f"{shown} is a percentage, and others are shares such as 0.9; write all in one way")
        digits = written.digits
        if separator := written.doubtful:
            if separator in self.unclear:
                plain = digits.replace(separator, "")
                decimal = digits.replace(separator, ".")
                raise ValueError(
                    f"{shown} is {plain} or {decimal}, and no other cell tells; write {plain} or {decimal}"
                )
            digits = digits.replace(separator, "" if separator in self.thousands else ".")
        return _finite(float(digits + written.power), shown)

    def describe(self) -> str:
        """Says how labels are read, or what words beside numbers say; empty where there are none."""
        if self.meanings:
            return list_first([f'{number:g} is "{shorten(words, 20)}"' for number, words in self.meanings], 5)
        by_value = {value: [label for label, one in self.labels.items() if one == value] for value in (1.0, 0.0)}
        return " and ".join(f"{'/'.join(names)} is {value:g}" for value, names in by_value.items() if names)


class ColumnCells:
    """The different cells of a column, for the rule of their numbers; `scale` is what the user says."""

    def __init__(self, scale: Bounds | None = None) -> None:
        self._told: NumberRule | None = None  # the rule, where more than these cells tell it
        self._scale, self._plain = scale, NumberRule(lacks_zero=scale is not None and scale[0] > 0)
        self.numbers = Counter[float]()  # what is a number already
        self.texts = Counter[str]()
        self.others = 0
        self.example = ""  # the first text
        self._places: dict[float | str, str] = {}  # where each number and each text stands first
        self._read: tuple[int, NumberRule, list[float], int] | None = None

    def add(self, value: object, place: str = "") -> None:
        """Adds a cell; `place` says where it stands, for messages."""
        if is_missing(value) or self._plain.says_none(value):
            return
        if isinstance(value, bool | str) and not isinstance(value, NumberText):
            text = value if isinstance(value, str) else str(value).lower()
            self.texts[text] += 1
            self._places.setdefault(text, place)
        elif isinstance(value, int | float | Decimal | NumberText):
            try:
                number = _finite(value)
            except ValueError:
                self.others += 1
            else:
                self.numbers[number] += 1
                self._places.setdefault(number, place)
        else:
            self.others += 1
            self.example = self.example or shorten(str(value), 30)

    def read_as(self, rule: NumberRule) -> None:
        """Reads the cells by a rule that more than these tell."""
        self._told, self._read = rule, None

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.numbers.total() + self.texts.total() + self.others

    def rule(self) -> NumberRule:
        """The rule of the column."""
        return self._decided()[1]

    def values(self) -> list[float]:
        """The numbers of all cells that can be read, sorted."""
        return self._decided()[2]

    def count_unread(self) -> int:
        """How many filled cells are no numbers."""
        return self._decided()[3]

    def places(self) -> dict[float, str]:
        """Where each number stands first."""
        places = dict[float, str]()
        for cell, place in self._places.items():
            with suppress(ValueError):
                if (number := self.rule().read(cell)) is not None:
                    places.setdefault(number, place)
        return places

    def find_unclear(self) -> str:
        """The first cell of which nothing tells whether its separator is one of thousands; empty for none."""
        for text in self.texts if self.rule().unclear else ():
            written = _written(text)
            if written is not None and written.doubtful and written.doubtful in self.rule().unclear:
                return text
        return ""

    def _decided(self) -> tuple[int, NumberRule, list[float], int]:
        if self._read is not None and self._read[0] == self.size:
            return self._read
        rule = self._told or find_number_rule(self.texts, self.numbers)
        rule = replace(rule, lacks_zero=self._plain.lacks_zero)
        if self._scale is not None and self._scale[1] < _LEAST_DOUBTFUL:
            rule = replace(rule, unclear=frozenset())
        values, unread = list(self.numbers.elements()), self.others
        for text, count in self.texts.items():
            try:
                number = rule.read(text)
            except ValueError:
                unread += count
                self.example = self.example or shorten(text, 30)
            else:
                values += [] if number is None else [number] * count
        self._read = self.size, rule, sorted(values), unread
        return self._read


def find_number_rule(texts: Iterable[str], numbers: Iterable[float] = ()) -> NumberRule:
    """Finds the rule of a column from its texts, and from the cells that are numbers already.

    Examples:
        >>> find_number_rule(["990", "1,000"]).read("1,000"), find_number_rule(["0,5", "1,000"]).read("1,000")
        (1000.0, 1.0)
        >>> find_number_rule(["pass", "fail"]).describe()
        'pass is 1 and fail is 0'
    """
    texts, numbers = list(texts), set(numbers)
    labels = [label_of(text) for text in texts]
    if _has_two_values({*labels}) and numbers <= {0.0, 1.0}:
        return NumberRule({label: LABELS[label] if label in LABELS else float(label) for label in labels})
    all_written = [written for text in texts if (written := _written(text)) is not None and not is_date(text)]
    plain = [abs(float(one.digits)) for one in all_written if one.digits.strip("+-").isdecimal()]
    plain += [abs(number) for number in numbers]
    thousands, unclear = _find_separators(all_written, plain)
    out_of = Counter(written.out_of for written in all_written).most_common(1)
    has_percentages = any(written.is_percentage for written in all_written)
    shares = (written for written in all_written if not written.is_percentage and not written.doubtful)
    has_shares = any(0 < abs(float(written.digits)) < 1 for written in shares)
    has_shares |= any(0 < number < 1 for number in numbers)
    meanings = {(float(one.digits.replace(",", ".")), label_of(one.meaning)) for one in all_written if one.meaning}
    of_all = out_of[0][0] if out_of else ""
    return NumberRule({}, thousands, unclear, of_all, has_percentages, has_shares, meanings=tuple(sorted(meanings)))


def _find_separators(all_written: Sequence[_Written], plain: Sequence[float]) -> tuple[frozenset[str], frozenset[str]]:
    """Of comma and dot those that stand between thousands, and those of which nothing tells whether they do."""
    thousands, unclear = set[str](), set[str]()
    proven_thousands = {written.thousands for written in all_written}
    proven_decimal = {written.decimal for written in all_written}
    doubtful = {mark: [one.digits for one in all_written if one.doubtful == mark] for mark in ",."}
    is_mixed = all(doubtful.values()) and not {",", "."} & {*proven_thousands, *proven_decimal}
    is_mixed |= {",", "."} <= proven_decimal  # 1,5 and 2.5
    for separator, other in ((",", "."), (".", ",")):
        is_decimal = separator in proven_decimal or other in proven_thousands
        is_thousands = separator in proven_thousands
        is_thousands |= other in proven_decimal and separator not in proven_decimal
        if is_mixed or (is_thousands and is_decimal):
            unclear.add(separator)
        elif is_thousands:
            thousands.add(separator)
        elif not is_decimal:
            read = [abs(float(digits.replace(separator, "."))) for digits in doubtful[separator]]
            others = [number for number in plain if number]
            # how many times as large those without a separator are, as the doubtful are read with decimals
            ratio = median(others) / median(read) if others and read else None
            if ratio is None:
                unclear |= {separator} if separator == "," else set()  # a program writes 0.931, and 12.500
            elif ratio >= _MUCH_MORE:
                thousands.add(separator)
            elif ratio > _NEAR:
                unclear.add(separator)
    return frozenset(thousands), frozenset(unclear)


def _has_two_values(labels: set[str]) -> bool:
    """Whether labels are of two kinds: the words of one decision, or one word for each side."""
    words = labels - {"0", "1"}
    if not words or not words <= LABELS.keys():
        return False
    return not words & DEGREES or sorted(LABELS[word] for word in words) == [0.0, 1.0]


def scale_of_header(column: str) -> tuple[float, float] | None:
    """The scale that a column's name says in brackets.

    Example:
        >>> scale_of_header("Cijfer (1 t/m 10)"), scale_of_header("Rating (1 = bad, 5 = good)"), scale_of_header("Mark")
        ((1.0, 10.0), (1.0, 5.0), None)
    """
    remark = split_remark(column)[1]
    match = _SCALE.search(remark)
    stated = [match[1], match[2]] if match else re.findall(r"(?<![\d.,])(-?\d+)\s*=", remark)
    bounds = [float(number.replace(",", ".")) for number in (stated[0], stated[-1])] if len(stated) > 1 else []
    return (bounds[0], bounds[1]) if bounds and bounds[0] < bounds[1] else None


def parse_scale(text: str) -> Bounds:
    """Reads a rating scale that a user types."""
    match = _SCALE.fullmatch(text.strip().replace(":", "-"))
    low, high = (float(number.replace(",", ".")) for number in match.groups()) if match else (0.0, 0.0)
    if low >= high:
        raise UsageError(f"scale {text!r}: write the lowest and the highest rating, such as 1-5")
    return low, high


def is_date(text: str) -> bool:
    """Whether a text is a date, such as a spreadsheet makes of 3/5.

    Examples:
        >>> is_date("5-Mar"), is_date("5 - good"), is_date("2026-03-05"), is_date("mrt-05")
        (True, False, True, True)
    """
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return False
    month = match[1] or match[2] or match[3]
    return month is None or month.casefold() in MONTHS


def label_of(value: object) -> str:
    """A label in small letters, without marks around it."""
    text = re.sub(r"(?<=[^\W\d])-(?=[^\W\d])|_", " ", str(value).translate(_NO_SKIN).casefold())
    return " ".join(text.split()).rstrip(".!")


def _finite(value: float | Decimal | NumberText, shown: str = "") -> float:
    try:
        number = float(value)
    except OverflowError:
        digits = count_of(len(str(abs(int(value)))), "digit")
        raise ValueError(f"{shorten(str(value), 20)} has {digits}; write 4 or 4.5") from None
    if math.isnan(number):
        raise ValueError(f"is NaN, which is no rating; {NO_RATING}")
    if math.isinf(number):
        what = f"{shown} is too large for a number" if shown else f"is {number:g}, which is no rating"
        raise ValueError(f"{what}; write 4 or 4.5")
    return number


def _written(text: str) -> _Written | None:
    """A text as a number that is written in some way; None of another text."""
    text = unicodedata.normalize("NFKC", text.strip()).replace("−", "-")
    out_of = meaning = ""
    if match := _OUT_OF.fullmatch(text):
        text, out_of = match[1].strip(), match[2]
    if (match := _NUMBER.fullmatch(text)) is None:
        labelled = _LABELLED.fullmatch(text)
        if labelled is None:
            return None
        match, meaning = _NUMBER.fullmatch(labelled[1]), labelled[2].rstrip(") ")
    if match is None or not _GROUPED.fullmatch((body := match[1].strip()).lstrip("+-")):
        return None
    return _Written(*_take_apart(body), match[2] or "", bool(match[3]), out_of, meaning)


def _take_apart(body: str) -> tuple[str, str, str, str]:
    """The first four fields of `_Written`."""
    digits = body.translate(_NO_SPACES)
    marks = [mark for mark in digits if mark in ".,"]
    if len(set(marks)) == 2:
        return digits.replace(marks[0], "").replace(marks[-1], "."), "", marks[0], marks[-1]
    if len(marks) > 1:
        return digits.replace(marks[0], ""), "", marks[0], ""
    if marks and _DOUBTFUL.fullmatch(body):
        return digits, marks[0], "", ""
    return digits.replace(",", "."), "", "", "".join(marks)


class RatingScale(NamedTuple):
    """The lowest and the highest rating, and what the user should know of how they were found."""

    low: float
    high: float
    hints: tuple[str, ...] = ()
    is_told: bool = False  # by the user, by the column's name, or by the way in which its ratings are written


def usual_scale(low: float, high: float, *, whole: bool = False) -> Bounds | None:
    """Finds the usual scale of ratings from `low` to `high`; None where no usual one fits.

    Examples:
        >>> usual_scale(2, 5), usual_scale(0, 0.8), usual_scale(-3, 4), usual_scale(-2, 1, whole=True)
        ((1.0, 5.0), (0.0, 1.0), None, (-2.0, 2.0))
    """
    scales = (*USUAL_SCALES, *_WHOLE_SCALES) if whole else USUAL_SCALES
    return next((scale for scale in scales if scale[0] <= low and high <= scale[1]), None)


def find_rating_scale(cells: ColumnCells, told: Bounds | None = None) -> RatingScale | str:
    """Finds the scale of a column's ratings, or why it is no column of ratings."""
    values = cells.values()
    if any(map(is_date, cells.texts)) or (cells.size and cells.find_unclear()):
        others = scale_of_values(values, {}) or (1, 5)
        return RatingScale(*(told or others[:2]))  # the reading names the first of them with its line
    if cells.count_unread() > _MOSTLY * cells.size or not values:
        text = f'most of its values are no numbers, such as "{cells.example}"; if they are ratings, write numbers'
        return text if cells.size else "it has no number"
    if (stated := told or scale_of_rule(cells)) is not None:
        return RatingScale(*stated, is_told=True)
    if values[0] == values[-1]:
        return f"all its values are {values[0]:g}, which tells no scale; {CURE}"
    if (scale := scale_of_values(values, cells.places())) is None:
        low, high = rating_range(values)
        return f"its values run from {low:g} to {high:g}, which is no usual scale; {CURE}"
    return scale


def scale_of_values(values: Sequence[float], places: Mapping[float, str]) -> RatingScale | None:
    """The usual scale of sorted ratings, whose `places` say where each stands first; None where they tell none."""
    scale = usual_scale(*rating_range(values), whole=is_whole(values)) if values else None
    return scale and RatingScale(*scale, scale_hints(values, scale, places))


def check_high_is_good(column: str, columns: Iterable[str], name: str, cells: ColumnCells) -> None:
    """Raises `InputError` for a column of ratings whose name, or whose cells (1 - good), say that its low end is good.

    `columns` are all names in its file, and `name` is the file's, for messages.
    """
    scale = rating_range(cells.values()) if cells.values() else (1, 5)
    low_good = "that its low end is good, and high ratings are read as good"
    turned = "write LOW + HIGH - x in place of each rating x: 6 - x on a scale of 1 to 5"
    if is_named_low_good(column, columns, scale):
        cure = f"turn its ratings round ({turned}), give it another name and say --scale LOW-HIGH"
        raise InputError(f"{name}: the column {column} says {low_good}; {cure}")
    if is_low_good(cells.rule().meanings, scale):
        cure = f"write numbers alone, turned round ({turned}), and say --scale LOW-HIGH"
        raise InputError(f"{name}: the cells of {column} say {low_good} ({cells.rule().describe()}); {cure}")


def scale_of_rule(cells: ColumnCells) -> Bounds | None:
    """The scale that the way of writing tells: of labels, of 4/5, of percentages."""
    rule = cells.rule()
    if rule.out_of:
        return min(1.0, cells.values()[0]), float(rule.out_of)
    return (0.0, 1.0) if rule.labels else (0.0, 100.0) if rule.has_percentages else None


def scale_hints(values: Sequence[float], scale: Bounds, places: Mapping[float, str]) -> tuple[str, ...]:
    """Says that a few ratings alone decided a scale, and that it was taken to reach higher than all.

    `places` says where each rating stands first.

    Examples:
        >>> scale_hints([0.0, 2.0, 2.0, 0.0], (0.0, 5.0), {})
        ('no rating is above 2: if that is the scale say --scale 0-2',)
        >>> scale_hints([4.0, 1.0, 2.0, 0.0, 5.0], (0.0, 5.0), {0.0: "line 4"})[0].partition(";")[0]
        'one rating is 0 (line 4) and all others lie on 1-5: read as 0-5'
    """
    if len(values) < _FEWEST_TOLD:
        return ()
    return tuple(filter(None, (_few_hint(values, scale, places), _top_hint(values, scale))))


def _few_hint(values: Sequence[float], scale: Bounds, places: Mapping[float, str]) -> str:
    """Says which few ratings alone need the scale, where a narrower usual one holds all others."""
    (low, high), odd = find_odd_ratings(values, scale)
    if not odd:
        return ""
    listed = list_first([f"{one:g} ({places[one]})" if places.get(one) else f"{one:g}" for one in dict.fromkeys(odd)])
    which = f"one rating is {listed}" if len(odd) == 1 else f"{len(odd)} ratings are {listed}"
    slip, them = ("it is a slip", "it") if len(odd) == 1 else ("they are slips", "them")
    cure = f"if {slip}, correct {them} and say --scale {low:g}-{high:g}"
    if len(odd) > 1 and not any(odd):
        cure = f"if 0 means that nobody rated, say --scale {low:g}-{high:g}, which leaves those cells out"
    return f"{which} and all others lie on {low:g}-{high:g}: read as {scale[0]:g}-{scale[1]:g}; {cure}"


def find_odd_ratings(values: Sequence[float], scale: Bounds | None) -> tuple[Bounds, list[float]]:
    """The usual scale, narrower than `scale`, that holds all ratings but a few, and these; none where there is none.

    A few are 5%, or one rating; or more of one value that is written where nobody rated: 0, of any number
    beside whole ratings up to the top, or what lies far off all others, such as 99.

    Examples:
        >>> find_odd_ratings([1, 2, 4, 5, 55], (0, 100)), find_odd_ratings([3, 99, 5, 99, 1], (0, 100))
        (((1.0, 5.0), [55]), ((1.0, 5.0), [99, 99]))
        >>> find_odd_ratings([0, 20, 50, 90], (0, 100))[1], find_odd_ratings([0, 0, 0, 100], (0, 100))[1]
        ([], [])
    """
    is_beyond_usual = scale in (None, USUAL_SCALES[-1])
    whole = _WHOLE_SCALES if scale is None and is_whole(values) else ()
    for low, high in (*whole, *USUAL_SCALES) if len(values) >= _FEWEST_TOLD else ():
        odd = [value for value in values if not low <= value <= high]
        most = max(1, _FEW * len(values))
        if {*odd} == {0}:
            is_full = max(values) == high and is_whole(values)
            most = len(values) if is_full else max(most, _MOST_ZEROS * len(values))
        elif len({*odd}) == 1 and is_beyond_usual and not 0 <= odd[0] <= _FAR * high:
            most = max(most, _MOST_MARKS * len(values))
        is_narrower = scale is None or high - low < scale[1] - scale[0]
        is_told = 0 < len(odd) <= most and (low >= 0 or min(odd) > _FAR * high)
        # of a scale to 100, or of two labels, all others may be 0
        if is_narrower and is_told and {*values} - {*odd} != {0}:
            return (low, high), odd
    return scale or (values[0], values[-1]), []


def _top_hint(values: Sequence[float], scale: Bounds) -> str:
    """Says that a scale was taken to reach higher than its ratings do; empty where they tell it."""
    top = max(values)
    if top >= scale[1] or top <= scale[0] or not is_whole(values) or top > _LOW_TOP:
        return ""
    return f"no rating is above {top:g}: if that is the scale say --scale {scale[0]:g}-{top:g}"


def rating_range(ordered: Sequence[float]) -> Bounds:
    """The lowest and highest of sorted ratings, without what lies far beyond the usual scale of all others: 44 for 4.

    Examples:
        >>> rating_range([5, 5, 5, 55]), rating_range([0, 0, 0, 100]), rating_range([1, 2, 4, 5, 55])
        ((5, 5), (0, 100), (1, 5))
        >>> rating_range([-1, 1, 2, 5.5]), rating_range([0, 20, 50, 90]), rating_range([1, 2, 4, 5, 7])
        ((1, 5.5), (0, 90), (1, 7))
    """
    scale = usual_scale(ordered[0], ordered[-1], whole=is_whole(ordered))
    if scale in (None, USUAL_SCALES[-1]):
        (_, high), odd = find_odd_ratings(ordered, scale)
        if odd and (scale is None or max(odd) > _FAR * high):
            others = {*ordered} - {*odd}
            return min(others), max(others)
    return ordered[0], ordered[-1]


def find_common_scale(
    raters: Mapping[str, ColumnCells], name: str, told: Mapping[str, RatingScale] | None = None
) -> RatingScale | None:
    """Finds the one usual scale of several raters' ratings; None where nothing tells one.

    Args:
        raters: The ratings of each rater.
        name: The file's, for messages.
        told: The scales of those whose ratings or columns tell one; left out, they are found.

    Raises:
        InputError: They are on different scales: a rater's own is much narrower than that of all, and enough ratings
            tell it.
    """
    raters = {rater: cells for rater, cells in raters.items() if cells.values()}
    if told is None:
        scales = {rater: find_rating_scale(cells) for rater, cells in raters.items()}
        told = {rater: scale for rater, scale in scales.items() if not isinstance(scale, str)}
        raters = {rater: raters[rater] for rater in scales if rater in told or len({*raters[rater].values()}) == 1}
    told = {rater: scale for rater, scale in told.items() if rater in raters}
    if not told:
        return None
    ranges = [rating_range(cells.values()) for cells in raters.values()]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    scale = usual_scale(low, high, whole=all(is_whole(cells.values()) for cells in raters.values()))
    is_written = any(scale.is_told for scale in told.values())
    if is_written:
        bounds = {scale[:2] for scale in told.values()}
        scale = bounds.pop() if len(bounds) == 1 else None
    if scale is not None and not any(
        _is_wider(scale, own[:2], len(raters[rater].values())) for rater, own in told.items()
    ):
        values = [value for cells in raters.values() for value in cells.values()]
        # the first rater's place of a value comes last, and so counts
        places = {value: place for cells in reversed([*raters.values()]) for value, place in cells.places().items()}
        return RatingScale(*scale, () if is_written else scale_hints(values, scale, places), is_written)
    listed = [f"{rater} {own[0]:g} to {own[1]:g}" for rater, own in told.items()]
    listed += [f"{rater} only {cells.values()[0]:g}" for rater, cells in raters.items() if rater not in told]
    raise InputError(
        f"{name}: the raters are on different scales: {', '.join(listed)}; bring them to one scale, or if they are on "
        "one, say it (--scale LOW-HIGH)"
    )


def _is_wider(scale: Bounds, own: Bounds, count: int) -> bool:
    """Whether a scale is another one than that of a rater who gave `count` ratings."""
    ratio = (scale[1] - scale[0]) / (own[1] - own[0])
    return ratio >= _WIDER and count >= (2 if ratio >= _MUCH_WIDER else _FEWEST_TOLD)


def is_whole(values: Sequence[float]) -> bool:
    """Whether all values are whole numbers."""
    return all(float(number).is_integer() for number in values)
