"""The sections of a language pack that numerical claims are read with."""

import re
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from .sections import GROUP, Checked, GroupedSection, PackFile


def _without_open_group(pattern: str) -> str:
    if unknown := GROUP.search(pattern):
        raise ValueError(f"{unknown[0]} names no group; add it to the groups of the file")
    return pattern


Form = Annotated[str, AfterValidator(_without_open_group)]
"""A regular expression that others are filled into (`{unit}`, `{a}`) before it is used."""
Pattern = Annotated[Checked, AfterValidator(_without_open_group)]
Patterns = tuple[Pattern, ...]
Forms = tuple[Form, ...]
WordList = frozenset[str]
Weekdays = tuple[int, ...]


class Superlatives(PackFile):
    """Adjectives that say the most, and the least, of one quantity: "coldest" of a temperature."""

    most: Patterns = ()
    least: Patterns = ()


class Marks(PackFile):
    """The words of each kind of mark: statistics, directions, hedges, quantifiers and the words that relate them."""

    mean: Patterns = ()
    median: Patterns = ()
    sum: Patterns = ()
    maximum: Patterns = ()
    minimum: Patterns = ()
    range: Patterns = ()
    ranged: Patterns = ()
    deviation: Patterns = ()
    percentile_90: Patterns = ()
    latest: Patterns = ()
    first: Patterns = ()
    count: Patterns = ()
    that_time: Patterns = ()
    best: Patterns = ()
    worst: Patterns = ()
    seen: Patterns = ()
    missing: Patterns = ()
    distinct: Patterns = ()
    difference: Patterns = ()
    change: Patterns = ()
    up: Patterns = ()
    down: Patterns = ()
    improved: Patterns = ()
    worsened: Patterns = ()
    flat: Patterns = ()
    trend: Patterns = ()
    changed_to: Patterns = ()
    correlation: Patterns = ()
    positive: Patterns = ()
    negative: Patterns = ()
    anomaly: Patterns = ()
    share: Patterns = ()
    double: Patterns = ()
    half: Patterns = ()
    times_as: Patterns = ()
    ratio: Patterns = ()
    higher: Patterns = ()
    lower: Patterns = ()
    better: Patterns = ()
    worse: Patterns = ()
    cheaper: Patterns = ()
    dearer: Patterns = ()
    busier: Patterns = ()
    quieter: Patterns = ()
    than: Patterns = ()
    equal: Patterns = ()
    between_two: Patterns = ()
    above: Patterns = ()
    below: Patterns = ()
    at_least: Patterns = ()
    at_most: Patterns = ()
    about: Patterns = ()
    nearly: Patterns = ()
    just_over: Patterns = ()
    exactly: Patterns = ()
    all: Patterns = ()
    none: Patterns = ()
    only: Patterns = ()
    some: Patterns = ()
    majority: Patterns = ()
    not_: Patterns = Field((), alias="not")
    rank: Patterns = ()
    when: Patterns = ()
    others: Patterns = ()
    any_other: Patterns = ()
    the_two: Patterns = ()
    measured: Patterns = ()
    outnumbers: Patterns = ()
    first_time: Patterns = ()
    both: Patterns = ()
    apart: Patterns = ()
    multiplied_by: Patterns = ()
    in_a_row: Patterns = ()
    respectively: Patterns = ()
    days: Patterns = ()
    forecast: Patterns = ()
    cause: Patterns = ()
    value_word: Patterns = ()
    increase_word: Patterns = ()
    last_but: Patterns = ()


class TimeMarks(PackFile):
    """Times that are not defined ("in spring"), that were not joined ("since"), and asides ("so far")."""

    vague_time: Patterns = ()
    open_time: Patterns = ()
    aside: Patterns = ()


class Links(PackFile):
    """Small words between the marks of a claim; regular expressions, without case.

    Attributes:
        conjunction: "And".
        led: What may stand before a thing that is left out, after "and".
        hedge_gap: What may stand between a hedge and its number.
        hedge_after: What a hedge begins with that follows its number.
        reached: Before the value that was reached.
        origin: Before the value that a change began at.
        against: Before the time that a change is compared with.
        across: Between the two extremes of a range.
        than_end: What a comparing word ends with, before the other side.
        level_of: What stands for the other value ("below the one at").
        surpass: Verbs that compare without "than".
        factor_of: After a factor, before what it is of.
        as_word: What closes "as many as".
        crossing: What a bound begins with that says that it was crossed.
        place_led: Before the places that an extreme is among.
        predicate: Verbs between an extreme and where it was.
        milestone: A noun after a number that adds nothing ("the 200 mark").
        joined_superlative: Superlatives that a hyphen joins to their rank.
        small_names: Beginnings of names of times that are written small.
        year_led: Before the year that the same period of is meant.
        one_word: After an ordinal, in place of its unit.
        the_word: The article before an ordinal that stands alone.
        rate_not: After "a day", where that is no rate ("a day later").
        counted: Words between a number and what it counts.
        part_of: Between a count and the noun of what it is part of ("8 of the weeks").
        within: The word of a range that holds between its bounds ("varied between").
        comparing: The last word of a comparison ("more than").
    """

    conjunction: Pattern = "(?!)"
    led: Pattern = "(?!)"
    hedge_gap: Pattern = "(?!)"
    hedge_after: Pattern = "(?!)"
    reached: Pattern = "(?!)"
    origin: Pattern = "(?!)"
    against: Pattern = "(?!)"
    across: Pattern = "(?!)"
    than_end: Pattern = "(?!)"
    part_of: Pattern = "(?!)"
    within: Pattern = "(?!)"
    comparing: Pattern = "(?!)"
    level_of: Pattern = "(?!)"
    surpass: Pattern = "(?!)"
    factor_of: Pattern = "(?!)"
    as_word: Pattern = "(?!)"
    crossing: Pattern = "(?!)"
    place_led: Pattern = "(?!)"
    predicate: Pattern = "(?!)"
    milestone: Pattern = "(?!)"
    joined_superlative: Pattern = "(?!)"
    small_names: Pattern = "(?!)"
    year_led: Pattern = "(?!)"
    one_word: Pattern = "(?!)"
    the_word: Pattern = "(?!)"
    rate_not: Pattern = "(?!)"
    counted: WordList = frozenset()


class ClaimMarks(GroupedSection):
    """`claim_marks.yaml`: what the words of a numerical claim do; regular expressions, matched as whole words.

    Attributes:
        marks: The words of each kind; `links` those between them.
        last_but: "Op een na": how many places before the last.
        whole: All rows; `whole_led` is what stands before their number.
        per: Before what a rate is of; `rate` where a number goes before.
        joins: Where a sentence is cut into clauses; `joins_after_comma` after a comma alone.
        attributed: A part of a number that has a cause: nothing of it can be computed.
        except_before: Before what is left out; `except_after` after it.
        part_of: Before the whole that a part is of; `part_of_led` where the clause begins with it.
        multiples: The stem of a verb, and the number that it multiplies by.
        total_rows: What a row of totals is called.
        harmless: Words that say nothing that is checked; `harmless_cell` those of a cell.
        plain_verbs: Verbs that only say that something was so, unless a column is called after them.
        scope_prepositions: An unknown word after one of these may say of what or when, and is then never left out.
        superlative: An unknown one says which row: it is never left out.
        ends_particle: What may follow the particle of a verb that comes apart.
    """

    marks: Marks
    links: Links = Links()
    last_but: dict[str, int] = Field(default_factory=dict)
    whole: Patterns = ()
    whole_led: Pattern = "(?!)"
    extremes_of: dict[str, Superlatives] = Field(default_factory=dict)
    never_led: Patterns = ()
    rate: Pattern = "(?!)"
    per: Pattern = "(?!)"
    joins: Patterns = ()
    joins_after_comma: Patterns = ()
    would: Patterns = ()
    comment_led: Patterns = ()
    multiplied: Pattern = "(?!)"
    levels_beyond: Patterns = ()
    attributed: Pattern = "(?!)"
    except_before: Patterns = ()
    except_after: Patterns = ()
    except_led: Pattern = "(?!)"
    except_led_only: Patterns = ()
    part_of: Pattern = "(?!)"
    part_of_led: Pattern = "(?!)"
    times_word: Pattern = "(?!)"
    half_of_all: Pattern = "(?!)"
    each_step: Pattern = "(?!)"
    placed_in: Pattern = "(?!)"
    multiples: dict[str, int] = Field(default_factory=dict)
    measures: Pattern = "(?!)"
    ends_particle: Patterns = ()
    refers_back: Pattern = "(?!)"
    counted_people: Patterns = ()
    total_rows: WordList = frozenset()
    harmless: WordList
    plain_verbs: WordList = frozenset()
    articles: WordList
    scope_prepositions: WordList
    superlative: Pattern = "(?!)"
    restrictive: WordList
    harmless_cell: WordList


class HolidayDay(PackFile):
    """A day of a year by the calendar: a holiday, or a month and a day (`12-05`), and so many days later."""

    holiday: str
    days: int = 0


_DAY = re.compile(r"(?P<holiday>[^-+\d].*?|\d\d-\d\d)(?: (?P<days>[+-]\d{1,3}))?")


def _holiday_span(text: Any) -> Any:
    """The first and the last day of "Christmas Eve .. Boxing Day", "Easter Sunday -1" or "12-05"."""
    if not isinstance(text, str):
        return text
    days = [_holiday_day(day.strip()) for day in text.split(" .. ")]
    if len(days) > 2:
        raise ValueError(f"{text!r} has {len(days)} days; write one day, or the first .. the last")
    return days[0], days[-1]


def _holiday_day(text: str) -> HolidayDay:
    match = _DAY.fullmatch(text)
    try:
        if match is None:
            raise ValueError(text)
        if match["holiday"][0].isdigit():
            date.fromisoformat(f"2001-{match['holiday']}")
    except ValueError as error:
        raise ValueError(f"{text!r} is no day of a year; write a holiday, or a month and a day, as 12-25") from error
    return HolidayDay(holiday=match["holiday"], days=int(match["days"] or 0))


HolidaySpan = Annotated[tuple[HolidayDay, HolidayDay], BeforeValidator(_holiday_span)]
HolidaySpans = Annotated[
    tuple[HolidaySpan, ...], Field(min_length=1), BeforeValidator(lambda one: [one] if isinstance(one, str) else one)
]
CalendarCode = Annotated[str, Field(pattern=r"^[A-Z]{2}(-\w+)?$")]


class ClaimTimes(GroupedSection):
    """`claim_times.yaml`: how times are named; `{unit}` is a period, `{a}` and `{b}` are times.

    Attributes:
        ordinal_suffix: What follows a number that is an ordinal.
        article: One before a time, with the space after it, or nothing.
        of: Between a part and the time that it is of; `of_or_in` also where that is said by "in".
        of_year: Between a month or quarter and its year; `half_of` between a half and its month or year.
        of_the_year: After a half of the table's year.
        day_of: Between a day and its month ("3rd of March").
        not_a_day: A number after a month is no day before one of these ("in maart 2 dagen").
        more_months: Further names of months, and their numbers.
        verb_months: Months that are verbs too, unless one of `before_month` goes before ("may be").
        until_before: An "until" that may leave out the time after it.
        days_and: Between two days ("the 12th and 13th"); `days_joined` all that may stand there.
        aside_led: What an aside begins with that says a time again; `apposed_led` the date of a holiday.
        more_weekdays: Further names of the days of the week, such as plurals; 0 is Monday.
        periods: day, week, month, quarter, year or row.
        from_to: Two times that make one; `end_of` to `until` make one of another.
        first_units_of: So many units of, or from, a time; all down to `one_from`.
        holiday_calendars: The countries, or parts of one, whose holidays are meant: codes of the library `holidays`.
        holiday_names: Names besides those of the calendars, and the days that each may mean, the likeliest first.
        the_unit: A time told by another one: all of it, a step from it.
        same_led: The same part of another year.
        untold: Of a table without times: what it cannot tell.
        time_marks: Further words for the marks of `claim_marks.yaml`.
    """

    ordinal_suffix: Pattern
    article: Pattern
    of: Pattern
    of_or_in: Pattern
    of_year: Pattern
    half_of: Pattern
    of_the_year: Pattern = "(?!)"
    day_of: Pattern = ""
    not_a_day: Pattern = "(?!)"
    more_months: dict[str, int] = Field(default_factory=dict)
    verb_months: Pattern = "(?!)"
    before_month: Pattern = "(?!)"
    weekday_plural: Pattern = ""
    until_before: Pattern = "(?!)"
    days_and: Pattern
    days_joined: Pattern
    aside_led: Pattern = "(?!)"
    apposed_led: Pattern = "(?!)"
    more_weekdays: dict[str, int] = Field(default_factory=dict)
    weekdays_together: dict[str, Weekdays] = Field(default_factory=dict)
    periods: dict[str, str]
    previous: Patterns = ()
    this: Patterns = ()
    last_n: Patterns = ()
    first_n: Patterns = ()
    quarter_names: Patterns = ()
    quarter_ordinal: Form
    half_ordinal: Form
    week_number: Patterns = ()
    from_to: Forms = ()
    end_of: Forms = ()
    start_of: Forms = ()
    since: Forms = ()
    after: Forms = ()
    before: Forms = ()
    for_or_before: Forms = ()
    until: Forms = ()
    unit_of: Forms = ()
    first_row: Patterns = ()
    last_row: Patterns = ()
    first_units_of: Forms = ()
    last_units_of: Forms = ()
    units_from: Forms = ()
    units_begun: Forms = ()
    units_after: Forms = ()
    units_before: Forms = ()
    day_after: Forms = ()
    day_before: Forms = ()
    unit_until: Forms = ()
    one_from: Forms = ()
    whole_time: Pattern = "(?!)"
    lone_day_led: Pattern = "(?!)"
    no_lone_day: Pattern = "(?!)"
    after_lone_day: Pattern = "(?!)"
    holiday_calendars: tuple[CalendarCode, ...] = ()
    holiday_names: dict[Pattern, HolidaySpans] = Field(default_factory=dict)
    the_unit: Forms = ()
    step_after: Forms = ()
    step_before: Forms = ()
    after_elided: Patterns = ()
    yesterday: Patterns = ()
    today: Patterns = ()
    same_led: Pattern = "(?!)"
    same_words: Pattern = "(?!)"
    same_units: Forms = ()
    years_before: Pattern = "(?!)"
    unit_adjectives: dict[Pattern, str] = Field(default_factory=dict)
    untold: Patterns = ()
    time_marks: TimeMarks = TimeMarks()


class SeriesNames(GroupedSection):
    """`series_names.yaml`: how series are called; lists of phrases, without case.

    Attributes:
        how_often: What makes a number one of times per period; `lasting` what says how long something took.
        after_rates: After a data rate, what the series is.
        participle: Participles in a name, which "calls" alone does not say.
        of_others: Whose figures, or of when, a table may not have, also where the question has asked for them.
        verb_particles: Particles of verbs that come apart ("zegden 12 leden op").
        rate_words: What follows one of these in a column's name is not what the column is of ("cost per parcel").
        was_done: Words of a column's name that only say that it was so; `was_ended` those that say how it ended.
        narrowing: Words of a name without which it is not named: "parcels" are not the "late parcels".
        name_fillers: Words of a name that say nothing of what it is ("total"); `no_nouns` those of a unit ("score").
        predicate: Participles that a column is called after that only says what happened ("afgehandeld").
        separable: Those of verbs that come apart, with the group `particle` ("uit" of "uitgevallen").
        compound_links: What may stand between the halves of a compound; none where the language does not write them
            as one word.
        compound_light_heads: Heads that add little to what goes before them in a compound.
        compound_tails: Heads that only count; `compound_prefixes` are what changes the meaning of what follows.
        synonyms: What each concept may be called; a phrase that two have means the first.
        hints: Words that tell a series only where a claim names no other: what is done, and plain nouns.
        false_friends: Words whose stem is that of another, and which mean something else.
        outcomes: What may end a match or a case, and the words and letters that say it in cells and claims.
    """

    outcomes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    how_often: Pattern = "(?!)"
    lasting: Pattern = "(?!)"
    after_rates: dict[str, str] = Field(default_factory=dict)
    participle: Pattern = "(?!)"
    not_narrowing: WordList = frozenset()
    of_others: WordList = frozenset()
    verb_particles: WordList = frozenset()
    rate_words: WordList = frozenset()
    was_done: WordList = frozenset()
    was_ended: WordList = frozenset()
    narrowing: WordList = frozenset()
    name_fillers: WordList = frozenset()
    no_nouns: WordList = frozenset()
    predicate: Pattern = "(?!)"
    separable: Pattern = "(?!)"
    compound_links: WordList = frozenset()
    compound_light_heads: WordList = frozenset()
    compound_tails: WordList = frozenset()
    compound_prefixes: WordList = frozenset()
    synonyms: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    hints: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    false_friends: WordList = frozenset()


class PlainWords(PackFile):
    """`plain_words.yaml`: words that name no series, statistic, window or value; a claim means the same without them.

    Attributes:
        words: Always, unless a column or a cell is called so.
        verbs: Verbs that say that something was so, was done, or is told, in all their forms.
        everyone: Nouns for all that a table is about: they narrow nothing, even after a preposition.
    """

    words: WordList
    verbs: WordList
    everyone: WordList
