"""Whether two statements of one speaker are about the same thing, and say different things of it, by rules."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from ..languages import Language
from ..text.entities import find_entities
from ..text.lemmas import lemma, words
from ..text.numbers import Number, find_numbers, known_unit
from ..text.numbers.notation import unit_aliases
from ..text.pattern_screen import any_pattern
from .numeric.lexicon import stem_of, whole_words

Difference = Literal["number", "date", "time", "weekday", "contact", "name", "yes_no"]
"""In what two statements differ."""

_SMALLEST_PRICE = 0.01
_DAYS = {"s": 1 / 86_400, "min": 1 / 1440, "h": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0, "year": 365.0}
_TIME_LEEWAY = 0.04  # a month is 28 to 31 days
_ABOUT = 0.25  # "about 4 days" is 3 to 5
_WORKING_SHARE = 7 / 5  # 5 working days are a week
_BEFORE = 24  # characters before a number in which its bound stands
_MOST_MODIFIERS = 2
_MANY_SHARED = 3  # stems that tell what a statement is about
_FEWEST_SAME = 5  # letters with which two words of one family begin: deliver, delivery
_SAME_SHARE = 0.6
_CLOCK = re.compile(r"(?<![\d.,:-])(\d{1,2})(?::(\d{2})(?:\s?([ap])\.?m\b)?|\s?([ap])\.?m\b)(?![\d:])", re.IGNORECASE)
_HYPHEN = re.compile(r"(?<=\w)-(?=[^\W\d]{3,}\b)")  # a two-year warranty
_WORD = re.compile(r"\w[\w'’-]*")
_NAME = re.compile(r"\w*[A-Z]\w*[A-Z0-9]\w*|[^\W\d_]*\d\w*|[A-Z]\w+")
_CODE = re.compile(r"(?=\w*\d)(?=\w*[^\W\d_])[\w-]{3,}")


class Value(NamedTuple):
    """A number of a statement in its slot.

    Attributes:
        kind: What is counted: `time`, `money`, `count`, or another unit.
        unit: The currency; "" for another kind.
        low: The least that it may be; `high` the most.
        bound: Which words are before it: `about`, `at_most`, `at_least`, or "".
    """

    kind: str
    unit: str
    low: float
    high: float
    bound: str = ""
    is_working: bool = False


class ClaimContent(NamedTuple):
    """What one claim says, as far as rules can tell.

    Attributes:
        turn: The message that makes it, counted from 0.
        strong: The stems that tell what it is about; `weak` those that do so only beside others.
        about: What the question before it and the sentence before it are about.
        facts: Its dates, times, weekdays, telephone numbers and e-mail addresses, by kind.
        names: Its names; `ending` are those that a linking verb gives: "The code is AB12".
        marks: Which of `conditions`, `passing`, `own_case`, `of_assistant`, `permission` it has.
        opening: `yes` or `no` where it answers with that.
        is_listed: Whether it is an item of a list or a row of a table.
        measure: The stem of what it gives the size of, where it says nothing else: "The fee is 5 euros"; or "".
        talk: What the customer spoke of last (`find_talk`).
    """

    turn: int
    text: str
    strong: frozenset[str]
    weak: frozenset[str]
    light: frozenset[str]
    about: frozenset[str]
    is_denied: bool
    values: tuple[Value, ...]
    facts: Mapping[str, frozenset[str]]
    names: frozenset[str]
    ending: frozenset[str]
    marks: frozenset[str]
    opening: str = ""
    is_listed: bool = False
    measure: str = ""
    talk: frozenset[str] = frozenset()


class ClaimComparison(NamedTuple):
    """What rules say of two statements.

    Attributes:
        difference: In what they differ; "" where rules see no contradiction.
        is_open: Whether they are about the same thing, so that a judge may see a contradiction.
        likeness: How much they share, in [0, 1].
    """

    difference: Difference | Literal[""] = ""
    is_open: bool = False
    likeness: float = 0.0


UNRELATED = ClaimComparison()


def read_statement(
    text: str,
    turn: int,
    language: Language,
    *,
    about: frozenset[str] = frozenset(),
    opening: str = "",
    is_listed: bool = False,
    talk: frozenset[str] = frozenset(),
) -> ClaimContent:
    """Reads what a claim says.

    Example:
        >>> from assay.languages import load_language
        >>> statement = read_statement("A refund takes 5 days.", 1, load_language("en"))
        >>> sorted(statement.strong), [(value.kind, value.low) for value in statement.values]
        (['refund'], [('time', 5.0)])
    """
    pack = language.consistency
    folded = any_pattern(pack.asides).sub(" ", any_pattern(pack.corrections).sub(" ", text.replace("’", "'")))
    rest, values = _HYPHEN.sub(" ", folded), list[Value]()
    for pattern, least, most in ((pack.not_free, _SMALLEST_PRICE, float("inf")), (pack.free, 0.0, 0.0)):
        if match := any_pattern(pattern).search(rest):
            values.append(Value("money", "", least, most))
            rest = _blank(rest, *match.span())
            break
    facts, rest = _find_facts(rest, language)
    more, rest = _find_values(rest, language)
    names, ending = _find_names(rest, language)
    own, rest = _find_periods(rest, language)
    denials = 0
    idle, light_words, neutral, negations = _word_lists(language)
    light, weak = set[str](), set[str]()
    for written in words(rest):
        word = pack.opposites.get(written, written)
        denials += written in pack.opposites
        if word in negations:
            denials += 1
        elif word in idle:
            continue
        elif word in light_words:
            light.add(_stem(word, language))
        elif word in neutral:
            weak.add(_stem(word, language))
        else:
            own.add(_stem(word, language))
    marks = {name for name in _MARKS if _mark(language, name).search(folded)}
    return ClaimContent(
        turn,
        text,
        frozenset(own),
        frozenset(weak),
        frozenset(light),
        about,
        denials % 2 == 1,
        tuple(values + more),
        facts,
        names,
        ending,
        frozenset(marks),
        opening,
        is_listed,
        "" if own or weak else _find_measure(rest, language),
        talk,
    )


def find_subject(text: str, language: Language) -> frozenset[str]:
    """Finds the stems of the words that tell what a text is about."""
    idle, light, neutral, negations = _word_lists(language)
    return frozenset(
        _stem(word, language)
        for word in words(text)
        if not (word in idle or word in light or word in neutral or word in negations) and not word.isdigit()
    )


def find_talk(text: str, language: Language) -> frozenset[str]:
    """Finds what a customer's message is about: the stems of its words (`find_subject`), and its numbers."""
    numbers = (one.value for one in find_numbers(text, language) if not (one.spelled and one.value == 1))
    return find_subject(text, language) | {f"{abs(number):.15g}" for number in numbers}


def merge_families(statements: Sequence[ClaimContent]) -> list[ClaimContent]:
    """Writes the stems of one family of words alike in all statements: `deliver` and `deliveri`.

    Two stems are of one family when they begin with the same five letters or more, and these are most of the longer.
    """
    family: dict[str, str] = {}
    last = ""
    for stem in sorted({stem for one in statements for stem in (*one.strong, *one.weak, *one.about)}):
        same = 0
        while same < min(len(stem), len(last)) and stem[same] == last[same]:
            same += 1
        is_same = same >= _FEWEST_SAME and same >= _SAME_SHARE * max(len(stem), len(last)) and stem.isalpha()
        family[stem] = family[last] if is_same and last.isalpha() else stem
        last = stem

    def merged(stems: Iterable[str]) -> frozenset[str]:
        return frozenset(family[stem] for stem in stems)

    return [
        one._replace(strong=merged(one.strong), weak=merged(one.weak), about=merged(one.about)) for one in statements
    ]


def compare(first: ClaimContent, second: ClaimContent) -> ClaimComparison:
    """Says whether two statements are about the same thing, and in what they then differ.

    They are about the same when they share what tells one thing from another, and none has more of it. They differ in
    one slot, which both fill once; a condition, a time or a modality that only one of them has leaves it open.
    """
    shared = first.strong & second.strong
    likeness = len(shared) / (max(len(first.strong), len(second.strong)) or 1)
    if not _is_same_subject(first, second):
        if first.strong - second.strong == first.names - second.names and _differ_in_name(first, second):
            return ClaimComparison("name", True, likeness)
        fewest = min(len(first.strong), len(second.strong))
        is_open = bool(shared) and 2 * len(shared) >= fewest and _may_differ(first, second)
        if _is_same_measure(first, second):  # whose, a judge may tell
            is_open = _difference(first, second) is not None
        return ClaimComparison("", is_open, likeness)
    difference = _difference(first, second)
    if difference is None:
        return ClaimComparison("", False, likeness)
    is_plain = not (first.is_listed and second.is_listed) and _same_conditions(first, second)
    return ClaimComparison(difference if is_plain else "", True, likeness)


def _is_same_subject(first: ClaimContent, second: ClaimContent) -> bool:
    if first.strong ^ second.strong:
        short, long = sorted((first, second), key=lambda one: len(one.strong))
        refers = not short.strong and not short.weak and bool(short.light & long.light)
        return refers and long.strong <= short.about
    if first.strong:
        return True
    if first.weak & second.weak:
        return bool(first.light & second.light)
    if first.weak or second.weak:
        return False
    return bool(first.light & second.light) and first.about == second.about and _is_same_talk(first, second)


def _is_same_talk(first: ClaimContent, second: ClaimContent) -> bool:
    if first.about:  # option 1, option 2
        ours, theirs = ({word for word in one.talk if word[0].isdigit()} for one in (first, second))
        return ours == theirs or not ours or not theirs
    return _is_same_measure(first, second) and first.talk == second.talk


def _is_same_measure(first: ClaimContent, second: ClaimContent) -> bool:
    return bool(first.measure) and first.measure == second.measure


def _may_differ(first: ClaimContent, second: ClaimContent) -> bool:
    """Whether statements that share a subject may contradict each other.

    One says what the other denies or counts, or most of what they are about is the same.
    """
    shared = len(first.strong & second.strong)
    if shared >= _MANY_SHARED and 3 * shared >= 2 * max(len(first.strong), len(second.strong)):
        return True
    kinds = {value.kind for value in first.values} & {value.kind for value in second.values}
    return first.is_denied != second.is_denied or bool(kinds) or bool(first.facts.keys() & second.facts.keys())


def _difference(first: ClaimContent, second: ClaimContent) -> Difference | None:
    """In what slot two statements about the same thing differ; None where in none, or in more than one."""
    differences: list[Difference] = []
    kinds = {value.kind for value in (*first.values, *second.values)}
    for kind in kinds:
        ours, theirs = ([value for value in one.values if value.kind == kind] for one in (first, second))
        if not ours or not theirs or (len(ours) > 1 or len(theirs) > 1):
            if ours != theirs:
                return None
        elif _is_different(ours[0], theirs[0]):
            differences.append("number")
    for kind in first.facts.keys() | second.facts.keys():
        these, those = first.facts.get(kind, frozenset()), second.facts.get(kind, frozenset())
        if these == those:
            continue
        if len(these) != 1 or len(those) != 1 or _is_part(these, those):
            return None
        differences.append(_FACT_KINDS[kind])
    if first.is_denied != second.is_denied:
        differences.append("yes_no")
    return differences[0] if len(differences) == 1 else None


def _is_part(first: Collection[str], second: Collection[str]) -> bool:
    """Whether one of two facts says less than the other: a day without its year."""
    (one,), (other,) = first, second
    return one.startswith(other) or other.startswith(one)


def _same_conditions(first: ClaimContent, second: ClaimContent) -> bool:
    apart = first.marks ^ second.marks
    if apart & {"conditions", "permission"} and not (
        apart & {"conditions", "permission"} == {"permission"} and first.is_denied != second.is_denied
    ):
        return "permission" in apart and "conditions" not in apart and not _has_time(first, second)
    return not {"passing", "instructions"} & (first.marks | second.marks) and not (
        first.is_denied != second.is_denied and "of_assistant" in first.marks | second.marks
    )


def _has_time(first: ClaimContent, second: ClaimContent) -> bool:
    return any(value.kind == "time" for value in (*first.values, *second.values))


def _differ_in_name(first: ClaimContent, second: ClaimContent) -> bool:
    """Whether both give one thing a name, by a linking verb, and another one."""
    ours, theirs = first.ending, second.ending
    if not ours or not theirs or ours & theirs or first.names != ours or second.names != theirs:
        return False
    rest = first.strong - ours
    plain = not (first.is_listed or second.is_listed) and _same_conditions(first, second)
    return plain and bool(rest) and rest == second.strong - theirs and first.is_denied == second.is_denied


def _is_different(first: Value, second: Value) -> bool:
    """Whether two numbers of a slot cannot both be right."""
    if first.unit and second.unit and first.unit != second.unit:
        return False
    leeway = _TIME_LEEWAY if first.kind == "time" else 1e-9
    sizes = [1.0]
    if first.kind == "time" and first.is_working != second.is_working:
        sizes.append(_WORKING_SHARE if first.is_working else 1 / _WORKING_SHARE)
    return all(_is_apart(_bounds(first, second, size), _bounds(second, first), leeway) for size in sizes)


def _bounds(value: Value, other: Value, size: float = 1.0) -> tuple[float, float]:
    low, high = value.low * size, value.high * size
    if value.bound == "about":
        return low * (1 - _ABOUT), high * (1 + _ABOUT)
    if value.bound == other.bound:
        return low, high
    if value.bound == "at_most":
        return 0.0, high
    return (low, float("inf")) if value.bound == "at_least" else (low, high)


def _is_apart(first: tuple[float, float], second: tuple[float, float], leeway: float) -> bool:
    return first[1] * (1 + leeway) < second[0] or second[1] * (1 + leeway) < first[0]


_MARKS = ("conditions", "passing", "own_case", "of_assistant", "permission", "instructions")
_FACT_KINDS: dict[str, Difference] = {
    "date": "date",
    "clock": "time",
    "hours": "time",
    "weekday": "weekday",
    "phone": "contact",
    "email": "contact",
}


@cache
def _mark(language: Language, name: str) -> re.Pattern[str]:
    patterns: tuple[re.Pattern[str], ...] = getattr(language.consistency, name)
    return any_pattern(patterns)


@cache
def _word_lists(language: Language) -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    """Words that say nothing of a subject: function words, light ones, neutral ones, negations."""
    pack, known = language.consistency, language.words if language.has("words") else None
    negations = pack.negations | (known.negations if known else frozenset())
    idle = (known.function_words if known else frozenset()) - negations
    return idle, pack.light, pack.neutral, negations


@lru_cache(maxsize=50_000)
def _stem(word: str, language: Language) -> str:
    for tail in language.consistency.compound_tails:
        if word.endswith(tail) and len(word) - len(tail) >= _FEWEST_SAME:
            word = word.removesuffix(tail)
            break
    return stem_of(lemma(word, language), language.code) if word[:1].isalpha() else word


def _blank(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


def _find_facts(text: str, language: Language) -> tuple[dict[str, frozenset[str]], str]:
    """The dates, times, weekdays and contacts of a text, and the text without them."""
    facts: dict[str, set[str]] = {}
    rest = text
    if any(letter.isdigit() or letter == "@" for letter in text):
        for entity in find_entities(text, language):
            if entity.kind in _FACT_KINDS:
                parts = [entity.parts[name] for name in sorted(entity.parts)]
                facts.setdefault(entity.kind, set()).add(" ".join(parts))
                rest = _blank(rest, entity.start, entity.start + len(entity.text))
        for pattern in language.consistency.clock:
            for match in pattern.finditer(rest):
                minute = match.groupdict().get("minute") or "00"
                facts.setdefault("clock", set()).add(f"{int(match['hour']) % 24:02}:{minute}")
                rest = _blank(rest, *match.span())
        for match in _CLOCK.finditer(rest):
            hour, minute = int(match[1]) % 24, match[2] or "00"
            half = (match[3] or match[4] or "").lower()
            hour = hour % 12 + 12 * (half == "p") if half else hour
            facts.setdefault("clock", set()).add(f"{hour:02}:{minute}")
            rest = _blank(rest, *match.span())
    for match in _weekday(language).finditer(rest):
        if "date" not in facts:  # whose weekday it is
            facts.setdefault("weekday", set()).add(match[0].lower().rstrip("s"))
        rest = _blank(rest, *match.span())
    return {kind: frozenset(texts) for kind, texts in facts.items()}, rest


@cache
def _weekday(language: Language) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, language.weekdays))})s?\b", re.IGNORECASE)


def _find_values(text: str, language: Language) -> tuple[list[Value], str]:
    """The numbers of a text that count something, and the text without them; a number that names stays."""
    values: list[Value] = []
    text = _one_of_time(language).sub(lambda match: f"1{' ' * (len(match[0]) - 1)}", text)
    numbers = [number for number in find_numbers(text, language) if not number.ordinal]
    rest, place = text, 0
    while place < len(numbers):
        number = numbers[place]
        start, low = number.start, number.value
        unit = number.unit
        if place + 1 < len(numbers) and _is_range(text, number, numbers[place + 1], language):
            place += 1
            number = numbers[place]
        place += 1
        kind, end, is_working = _slot(text, number, unit, language)
        if not kind or (kind == "count" and number.spelled and number.value == 1):
            continue
        unit = number.unit or unit or ""
        size = _DAYS.get(unit, 1.0) if kind == "time" else 1.0
        low, high = sorted((low * size, number.value * size))
        currency = unit if kind == "money" else ""
        values.append(Value(kind, currency, low, high, _bound(text, start, language), is_working))
        rest = _blank(rest, start, end)
    return values, rest


@cache
def _one_of_time(language: Language) -> re.Pattern[str]:
    """The article of a time that is 1 of it: "a month"."""
    ones = "|".join(map(re.escape, sorted(language.notation.ones, key=len, reverse=True)))
    units = [word for word in unit_aliases() if known_unit(word) in _DAYS and len(word) > 1]
    return re.compile(rf"(?<!\w)(?:{ones})(?=\s(?:{'|'.join(map(re.escape, units))})\b)", re.IGNORECASE)


def _is_range(text: str, first: Number, second: Number, language: Language) -> bool:
    between = text[first.end : second.start].strip().lower()
    return between in language.consistency.range and first.unit in {None, second.unit}


def _slot(text: str, number: Number, unit: str | None, language: Language) -> tuple[str, int, bool]:
    """What a number counts, where its unit ends, and whether that is days on which people work."""
    unit = number.unit or unit
    if unit:
        is_money = len(unit) == 3 and unit.isupper()
        return "time" if unit in _DAYS else "money" if is_money else f"unit {unit}", number.end, False
    pack = language.consistency
    is_working, end = False, number.end
    for count, match in enumerate(_WORD.finditer(text, number.end)):
        word = match[0].lower()
        if text[end : match.start()].strip(" -"):
            break
        if word in pack.working_days or known_unit(word) in _DAYS:
            return "time", match.end(), is_working or word in pack.working_days
        end = match.end()
        if word not in pack.unit_modifiers or count == _MOST_MODIFIERS:
            idle, light, *_ = _word_lists(language)  # a number before no noun is a name: platform 5
            return ("" if word in idle or word in light else "count"), number.end, False
        is_working = True
    return "", number.end, False


def _bound(text: str, start: int, language: Language) -> str:
    before = text[max(0, start - _BEFORE) : start].lower()
    return next((name for name in ("at_most", "at_least", "about") if _bound_before(language, name).search(before)), "")


@cache
def _bound_before(language: Language, name: str) -> re.Pattern[str]:
    phrases: tuple[str, ...] = getattr(language.consistency, name)
    return re.compile(rf"{whole_words(map(re.escape, phrases)).pattern}\s*$")


def _find_measure(rest: str, language: Language) -> str:
    """The stem of what a claim without its numbers gives the size of; "" where it says more than that."""
    idle, *_ = _word_lists(language)
    for pattern in language.consistency.measures:
        match = pattern.search(rest)
        if match and all(word in idle or word in _bound_words(language) for word in words(rest[match.end() :])):
            return _stem(match["name"].lower(), language)
    return ""


@cache
def _bound_words(language: Language) -> frozenset[str]:
    pack = language.consistency
    return frozenset(word for phrase in (*pack.about, *pack.at_most, *pack.at_least) for word in words(phrase))


def _find_periods(text: str, language: Language) -> tuple[set[str], str]:
    """How often what a text speaks of is or is paid, and the text without it."""
    periods = set[str]()
    for name, pattern in _periods(language):
        if pattern.search(text):
            periods.add(f"per {name}")
            text = pattern.sub(" ", text)
    return periods, text


@cache
def _periods(language: Language) -> list[tuple[str, re.Pattern[str]]]:
    return [(name, whole_words(forms)) for name, forms in language.consistency.periods.items()]


def _find_names(text: str, language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of the names of a text, and of those right after a linking verb."""
    names, ending = set[str](), set[str]()
    after_verb = False
    for place, match in enumerate(_WORD.finditer(text)):
        word = match[0]
        is_code = _CODE.fullmatch(word) is not None
        is_name = is_code or (language.consistency.capital_is_name and place > 0 and _NAME.fullmatch(word) is not None)
        stem = _stem(word.lower(), language)
        if is_name:
            names.add(stem)
            if after_verb:
                ending.add(stem)
        else:
            after_verb = word.lower() in language.profile.linking_verbs
    return frozenset(names), frozenset(ending)
