"""The sections of a language pack that numerical claims are read with."""

import difflib
from typing import Annotated

from pydantic import AfterValidator, Field

from .sections import GROUP, Checked, GroupedSection, PackFile, checked, stated


def _without_open_group(pattern: str) -> str:
    if unknown := GROUP.search(pattern):
        raise ValueError(f"{unknown[0]} names no group; add it to the groups of the file")
    return pattern


Form = Annotated[str, AfterValidator(stated), AfterValidator(_without_open_group)]
"""A regular expression that others are filled into (`{unit}`, `{a}`) before it is used."""
OptionalPattern = Annotated[str, AfterValidator(checked), AfterValidator(_without_open_group)]
"""What stands within other expressions; empty in a language without it."""
Pattern = Annotated[Checked, AfterValidator(_without_open_group)]
Patterns = tuple[Pattern, ...]
Forms = tuple[Form, ...]
WordList = frozenset[str]
NEVER = "(?!)"
"""Matches nothing: what a language does not have."""


class Superlatives(PackFile):
    """Adjectives that say the most, and the least, of one quantity ("coldest" of a temperature), and its others."""

    most: Patterns = ()
    least: Patterns = ()
    others: Patterns = ()


_KINDS = """
mean median sum maximum minimum range ranged deviation latest first count that_time best worst seen
missing distinct difference change up down improved worsened flat trend changed_to correlation
anomaly share double half times_as ratio higher lower better worse cheaper dearer busier quieter than equal
between_two above below at_least at_most about nearly just_over exactly all none only some majority not rank when
others any_other the_two measured outnumbers first_time both last_but apart multiplied_by in_a_row
days forecast cause value_word
"""
KINDS_OF_MARKS = frozenset(_KINDS.split())
"""What a word of a claim may do: statistics, directions, hedges, quantifiers and the words that relate them.

No form of a claim takes an `in_a_row`: its mark keeps "orders rose three months in a row", which asks for more than
that orders rose, from being read.
"""


def _known_kind(kind: str) -> str:
    if kind not in KINDS_OF_MARKS:
        near = difflib.get_close_matches(kind, KINDS_OF_MARKS, n=1)
        raise ValueError(f"{kind!r} is no kind of mark; write {near[0] if near else ', '.join(sorted(KINDS_OF_MARKS))}")
    return kind


Marks = dict[Annotated[str, AfterValidator(_known_kind)], Patterns]
"""The words of each kind; a kind that is not there has none in this language."""


class TimeMarks(PackFile):
    """Times that are not defined ("in spring"), that were not joined ("since"), and asides ("so far")."""

    vague_time: Patterns = ()
    open_time: Patterns = ()
    aside: Patterns = ()


class Links(PackFile):
    """Small words between the marks of a claim; regular expressions, without case."""

    conjunction: Pattern = NEVER  # "and"
    led: Pattern = NEVER  # what may stand before a thing that is left out, after "and"
    hedge_gap: Pattern = NEVER  # what may stand between a hedge and its number
    hedge_after: Pattern = NEVER  # what a hedge begins with that follows its number
    reached: Pattern = NEVER  # before the value that was reached
    origin: Pattern = NEVER  # before the value, or the time, where a change began
    against: Pattern = NEVER  # before the time that a change is compared with
    than_end: Pattern = NEVER  # what a comparing word ends with, before the other side
    level_of: Pattern = NEVER  # what stands for the other value ("below the one at")
    factor_of: Pattern = NEVER  # after a factor, before what it is of
    as_word: Pattern = NEVER  # what closes "as many as"
    part_of: Pattern = NEVER  # between a count and the noun of what it is part of ("8 of the weeks")
    year_led: Pattern = NEVER  # before the year that the same period of is meant
    the_word: Pattern = NEVER  # the article before an ordinal that stands alone
    within: Pattern = NEVER  # in words for a range: the values stay within it, and need not reach its ends
    rate_not: Pattern = NEVER  # after "a day", where that is no rate ("a day later")


class ClaimMarks(GroupedSection):
    """`claim_marks.yaml`: what the words of a numerical claim do; regular expressions, matched as whole words."""

    marks: Marks
    links: Links = Links()
    last_but: dict[str, int] = Field(default_factory=dict)  # "op een na": how many places before the last
    whole: Patterns = ()  # all rows; `whole_led` is what stands before their number
    whole_led: Pattern = NEVER
    extremes_of: dict[str, Superlatives] = Field(default_factory=dict)  # adjectives by what they are said of
    never_led: Patterns = ()
    rate: Pattern = NEVER  # before the period of a rate ("5 a day"); `per` before what any rate is of
    per: Pattern = NEVER
    joins: Patterns = ()  # where a sentence is cut into clauses; `joins_after_comma` after a comma alone
    joins_after_comma: Patterns = ()
    comment_led: Patterns = ()
    multiplied: Pattern = NEVER
    unusually: dict[str, Pattern] = Field(default_factory=dict)  # what in words for an anomaly says up, or down
    multiples: dict[str, int] = Field(default_factory=dict)  # the stem of a verb, and the number it multiplies by
    levels_beyond: Patterns = ()
    except_before: Patterns = ()  # before what is left out
    part_of: Pattern = NEVER  # before the whole that a part is of; `part_of_led` where the clause begins with it
    part_of_led: Pattern = NEVER
    each_step: Pattern = NEVER
    placed_in: Pattern = NEVER
    total_rows: WordList = frozenset()  # what a row of totals is called
    harmless: WordList  # words that say nothing that is checked; `harmless_cell` those of a cell
    harmless_cell: WordList
    articles: WordList
    scope_prepositions: WordList  # a comment that begins with one may say of what or when
    restrictive: WordList  # words that say which, or of whom: they are never plain


class ClaimTimes(GroupedSection):
    """`claim_times.yaml`: how times are named; `{a}` and `{b}` are times, `{unit}` a period, `{units}` several."""

    ordinal_suffix: Pattern  # what follows a number that is an ordinal
    article: Pattern  # one before a time, with the space after it, or nothing
    of: Pattern  # between a part and the time that it is of; `of_or_in` also where that is said by "in"
    of_or_in: Pattern
    of_year: Pattern  # between a month or quarter and its year; `half_of` between a half and its month or year
    half_of: Pattern
    of_the_year: Pattern = NEVER  # after a half of the table's year
    day_of: OptionalPattern = ""  # between a day and its month ("3rd of March")
    not_a_day: Pattern = NEVER  # A number after a month is no day before one of these ("in maart 2 dagen")
    more_months: dict[str, int] = Field(default_factory=dict)  # further names of months, and their numbers
    verb_months: Pattern = NEVER  # months that are verbs too, unless one of `before_month` goes before ("may be")
    before_month: Pattern = NEVER
    days_joined: Pattern  # between two days ("the 12th and 13th")
    aside_led: Pattern = NEVER  # what an aside begins with that says a time again
    weekday_plural: OptionalPattern = ""  # what may follow a weekday
    weekend: Patterns = ()
    workdays: Patterns = ()
    periods: dict[str, tuple[str, ...]]  # the words of day, week, month, quarter and year
    periodic: dict[str, tuple[str, ...]] = Field(default_factory=dict)  # words of an amount's period ("monthly")
    this: Patterns = ()
    last_n: Patterns = ()
    first_n: Patterns = ()
    quarter_names: Patterns = ()
    quarter_ordinal: Form
    half_ordinal: Form
    week_number: Patterns = ()
    yesterday: Patterns = ()
    first_row: Patterns = ()
    last_row: Patterns = ()
    end_of: Forms = ()  # A time that another makes, or two; all down to `until`
    start_of: Forms = ()
    from_to: Forms = ()
    first_units_of: Forms = ()
    last_units_of: Forms = ()
    units_from: Forms = ()
    units_until: Forms = ()
    units_after: Forms = ()
    units_before: Forms = ()
    since: Forms = ()
    after: Forms = ()
    before: Forms = ()
    until: Forms = ()
    lone_day_led: Pattern = NEVER  # before an ordinal that is a day ("on the 18th")
    days_listed_led: Pattern = NEVER  # before days of one month with commas between them ("on 2, 6 and 14 March")
    days_listed_by: Pattern = NEVER  # before the last of such days, and of hours
    clock_led: Pattern = NEVER  # before hours, and `clock_unit` after them: they are no values ("at 9, 10 and 11 am")
    clock_unit: Pattern = NEVER
    no_lone_day: Pattern = NEVER  # an ordinal is no day before one of these ("the 2nd best")
    the_unit: Forms = ()  # A time told by another one: all of it, a step from it
    step_after: Forms = ()
    step_before: Forms = ()
    on_period: dict[str, Patterns] = Field(default_factory=dict)  # by period: the same time one such period before
    after_elided: Patterns = ()
    same_led: Pattern = NEVER  # the same part of another year
    same_words: Pattern = NEVER
    same_units: Forms = ()
    time_marks: TimeMarks = TimeMarks()  # further words for the marks of `claim_marks.yaml`


class SeriesNames(GroupedSection):
    """`series_names.yaml`: how series are called; lists of phrases, without case."""

    # what makes a number one of times per period; `lasting` what says how long something took
    how_often: Pattern = NEVER
    lasting: Pattern = NEVER
    after_rates: dict[str, str] = Field(default_factory=dict)  # after a data rate, what the series is
    participle: Pattern = NEVER  # participles in a name, which "calls" alone does not say
    not_narrowing: WordList = frozenset()
    # whose figures, or of when, a table may not have, also where the question has asked for them
    of_others: WordList = frozenset()
    verb_particles: WordList = frozenset()  # particles of verbs that come apart ("zegden 12 leden op")
    # what follows one of these in a column's name is not what the column is of ("cost per parcel")
    rate_words: WordList = frozenset()
    # words of a column's name that only say that it was so; `was_ended` those that say how it ended
    was_done: WordList = frozenset()
    was_ended: WordList = frozenset()
    # words of a name without which it is not named: "parcels" are not the "late parcels"
    narrowing: WordList = frozenset()
    adjective_endings: WordList = frozenset()  # what these three kinds of words end in before a noun
    name_fillers: WordList = frozenset()  # words of a name that say nothing of what it is ("total")
    predicate: Pattern = NEVER  # participles that a column is called after that only says what happened ("afgehandeld")
    # what may stand between the halves of a compound; none where the language does not write them as one word;
    # `compound_prefixes` are what changes the meaning of what follows
    compound_links: WordList = frozenset()
    compound_prefixes: WordList = frozenset()
    # what each concept may be called; a phrase that two have means the first
    synonyms: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    # words that tell a series only where a claim names no other: what is done, and plain nouns
    hints: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    false_friends: WordList = frozenset()  # words whose stem is that of another, and which mean something else


class PlainWords(PackFile):
    """`plain_words.yaml`: words that name no series, statistic, window or value; a claim means the same without."""

    words: WordList  # always, unless a column or a cell is called so
    verbs: WordList  # verbs that say that something was so, was done, or is told; one form of each stem
    everyone: WordList  # nouns for all that a table is about; one form of each stem
