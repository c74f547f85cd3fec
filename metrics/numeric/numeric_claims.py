"""Numerical claims: a sentence is read without a model, into clauses and checks; the score is the share that hold."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from typing import Any

from ...eval_sets.sample import Sample
from ...installation import require_packages
from ...languages import FALLBACK, load_language
from ...text.numbers import known_unit
from ...text.sentences import claiming_sentences
from ...text.wording import count_of
from ...worker_threads import compute_beside
from ..metric import Metric
from ..score import Claim, Score, scored, skipped
from . import relations, values
from .construction import (
    NO_CONTEXT,
    RANKING,
    RELATIONS,
    Clause,
    Construction,
    Context,
    Interpretation,
    can_be_summed,
    has_several,
    interpret,
    read_clause,
    rows_together,
)
from .lexicon import (
    LANGUAGES,
    PART,
    Lexicon,
    Token,
    any_of,
    is_of_things,
    lexicon,
    period_of_amounts,
    shared_stems,
    tokens,
    why_unread,
)
from .marks import Mark, listed_times, names_of, numbers_of
from .sample_tables import GROUP_VALUES, View, group_rows, is_panel, repeats, tables_of_sample, views
from .statistics import Finding, UnitRule, statistics_in, verify
from .table import ALL_ROWS, PLACE_OF, Hedge, NumericTable, Specification, Statistic, Unverifiable, Window
from .times import ordinal_of

_AFTER_UNIT = re.compile(r"(?P<amount>\d\s?[^\W\d]{1,5}\.)\s+(?=(?P<after>[A-ZÀ-Þ]\w*))")
_JOINED = re.compile(r"\b([^\W\d_]+)-(?=[^\W\d_])")  # "second-highest", "second-quarter"


def claims_of(text: str, language: str) -> list[str]:
    """The sentences of an answer that claim something; one may end in a unit ("21 ms. The next day ...")."""

    def broken(match: re.Match[str]) -> str:
        return match[0] if known_unit(match["after"]) else f"{match['amount']}\n"  # whole: "12,4 Mio. Euro"

    sentences = claiming_sentences(text, load_language(language))
    return [part for sentence in sentences for part in _AFTER_UNIT.sub(broken, sentence).split("\n")]


def plain_text(text: str, language: str) -> str:
    """The text with the signs that only look different made the same: spaces, quotes, dashes."""
    text = re.sub(r"[\u2018\u2019]", "'", text).replace(" , ", ", ")
    text = re.sub(r"(?<=\w)[–—](?=\w)", "-", text)
    text = _JOINED.sub(lambda joined: f"{joined[1]} " if ordinal_of(joined[1], language) else joined[0], text)
    return re.sub(r"[*_`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}", "", text)


def without_cause(text: str, words: Lexicon) -> tuple[str, bool]:
    """The sentence without the part that names a cause, and whether there was one."""
    cause = words.kinds["cause"].search(text)
    if cause is None:
        return text, False
    before, after = text[: cause.start()].rstrip(" ,;"), text[cause.end() :]
    if len(before.split()) >= 3:
        return before, True
    rest = after.partition(",")[2].strip()
    return rest, True


@cache
def _joints(language: str) -> re.Pattern[str]:
    """Where a sentence may be cut: at words that join clauses, at brackets, colons and dashes."""
    joins = any_of(lexicon(language).data["joins"])
    after_comma = any_of(lexicon(language).data["joins_after_comma"])
    return re.compile(
        rf"(?:,\s*(?:{joins}|{after_comma})\b|;|:(?=\s)|,(?=\s)|\s\(|\s[–—-]+(?=\s)|\s(?:{joins})(?=\s))\s*",
        re.IGNORECASE,
    )


def splits(text: str, words: Lexicon) -> Iterator[tuple[str, str]]:
    """The two parts at each place where a sentence may be cut."""
    listed = listed_times(text, words.language)
    for joint in _joints(words.language).finditer(text):
        if any(start < joint.start() and joint.end() < end for start, end in listed):
            continue
        left, right = text[: joint.start()].strip(), text[joint.end() :].strip()
        if joint[0].strip() == "(":
            right = re.sub(r"\)(?=\W*$)", "", right)
        if left and right:
            yield left, right


CONSTRUCTIONS = tuple(
    made for module in (values, relations) for made in vars(module).values() if isinstance(made, Construction)
)
"""All constructions. Their order means nothing."""

Tiers = tuple[tuple[tuple[Specification, NumericTable], ...], ...]
"""The tiers of a check, as in `ClauseCheck`; each specification with the table that it is computed on."""

_VALUES = statistics_in(UnitRule.LEVEL)
_SIZES = statistics_in(UnitRule.LEVEL, UnitRule.DISTANCE)
_EXACT_PERIODS = {("month", "quarter"): 3.0, ("month", "year"): 12.0, ("quarter", "year"): 4.0, ("day", "week"): 7.0}
"""How many of a period another one has, where that is always as many."""

_OF_ONE_ROW = frozenset({Statistic.VALUE_AT, Statistic.SUM, Statistic.SHARE, *RELATIONS})
"""The statistics that one row can have; the others take several rows."""

_OF_ROWS = frozenset(
    {Statistic.MEAN, Statistic.MEDIAN, Statistic.RANGE, Statistic.DEVIATION, *PLACE_OF, *PLACE_OF.values()}
)
"""The statistics that nobody states of the one row of the sentence before."""

SILENT = frozenset(
    {"value_word", "days", "when", "changed_to", "between_two"}
    | {"whole", "exactly", "seen", "aside", "per_row", "measured"}
)
"""The kinds of words that say nothing by themselves."""


def interpretations(clause: Clause, shared: frozenset[str]) -> list[Interpretation]:
    """The most specific interpretations of a clause that account for all of it that may matter.

    A clause with an unknown word has none: the word may change what is claimed ("the revenue shortfall in June").
    """
    if unknown_tokens(clause, shared):
        return []
    complete = []
    for construction in CONSTRUCTIONS:
        made = interpret(construction, clause)
        made = made and without_impossible(made)
        if made is not None and not open_marks(made, shared):
            complete.append(made)
    most = max((len(made.head_marks) for made in complete), default=0)
    return [made for made in complete if len(made.head_marks) == most]


def combined_tiers(best: Sequence[Interpretation]) -> list[Tiers]:
    """The tiers of each check of equally good interpretations: what one reads in a tier, the others may read as well.

    Only interpretations with as many checks as the first count.
    """
    alike = [made for made in best if len(made.checks) == len(best[0].checks)]
    return [
        tuple(
            tuple((spec, made.match.clause.table) for made, tier in zip(alike, tiers, strict=True) for spec in tier)
            for tiers in zip_longest(*(made.checks[place] for made in alike), fillvalue=())
        )
        for place in range(len(best[0].checks))
    ]


def without_impossible(made: Interpretation) -> Interpretation | None:
    """The interpretation without impossible readings; None where no reading of a check is left."""
    clause, checks = made.match.clause, []
    for check in made.checks:
        possible = ([s for s in tier if _can_have_unit(s, clause) and _can_have_rows(s, clause)] for tier in check)
        tiers = (
            tuple(one for spec in _of_period(tier, clause) for one in _in_periods(spec, clause)) for tier in possible
        )
        checks.append(tuple(filter(None, tiers)))
    return replace(made, checks=tuple(checks)) if all(checks) else None


def _of_period(tier: Sequence[Specification], clause: Clause) -> list[Specification]:
    """The readings of series whose names say the period of the claim ("per month"), where there are such series.

    Where they are no readings, only what the claim names in full is left of amounts in their unit.
    """
    table, stated = clause.table, frozenset[str]() if clause.table.step else clause.stated_periods
    of_period = [name for name in table.columns if stated and period_of_amounts(table, name) in stated]
    units = {table.unit_of(name) for name in of_period}
    parts = {n.column for mark in clause.series if mark.mention for n in mark.mention.names if n.rank <= PART}
    parts = {name for name in parts if units & {None, table.unit_of(name)}}
    named = [spec for spec in tier if spec.series in of_period]
    return named or [spec for spec in tier if spec.series not in parts]


def _in_periods(spec: Specification, clause: Clause) -> list[Specification]:
    """A specification in the period of the claim ("per year", of a price per month); none where that is not exact.

    Where it says none, that of the text before or the question is likelier, and that of the amounts may be meant.
    """
    table, stated = clause.table, clause.stated_periods
    wanted = stated or (frozenset() if table.step else clause.context.periods)
    own = period_of_amounts(table, spec.series) if wanted and spec.series else None
    is_of_once = "once" in {own, *wanted} and (table.step or not stated)  # the month of the text before is not meant
    if own is None or not wanted - {own} or is_of_once:
        return [spec]
    if spec.statistic not in _SIZES:
        return [spec] if spec.threshold is None or not stated else []
    (other, *more) = wanted
    times = _EXACT_PERIODS.get((own, other)) or 1 / _EXACT_PERIODS.get((other, own), math.inf)
    if not times or more or table.step:
        return []
    converted = replace(spec, times=times)
    return [converted] if stated else [replace(converted, window=replace(spec.window, in_scene=True)), spec]


def _can_have_unit(spec: Specification, clause: Clause) -> bool:
    table = clause.table
    if spec.series not in table.columns:
        return True
    units = [spec.threshold_unit, spec.unit if spec.statistic in _SIZES else None]
    if is_of_things(spec.series) and table.unit_of(spec.series) is None and set(units) - {None, "%", "pp", "fte"}:
        return bool((table.known_values(spec.series) % 1 != 0).any())  # "the average order value was 40 euros"
    if spec.threshold_unit is not None and not table.can_be_in(spec.series, spec.threshold_unit):
        return False
    if spec.value is None or spec.unit is None or spec.statistic not in _SIZES:
        return True
    if spec.unit == "pp" and spec.statistic in _VALUES:
        return False  # a value is in percent, and only what lies between two is in percentage points
    return table.can_be_in(spec.series, spec.unit)


def _can_have_rows(spec: Specification, clause: Clause) -> bool:
    """Whether the rows of a reading can be taken together.

    In a transposed table the columns of one time have different meanings. In a table with several rows per time, the
    rows of a group ("Portside had the most complaints") are one row of a grouped view instead. Of groups, a series is
    added up where it can be, unless the clause says "mean"; the mean, or the maximum, of a group's one row would be
    that of its own rows.
    """
    view = clause.view
    if (
        spec.window != ALL_ROWS
        and spec.window in clause.context.windows
        and not clause.places
        and not clause.context.same_sentence
        and spec.statistic in _OF_ROWS
        and rows_together(clause, spec.window) == 1
    ):
        return False  # "It was 3,120 in August. The average was 3,120." is not of August
    if not view.grouping:
        has_groups = len(view.table.labels.columns) > 0 and spec.statistic not in _OF_ONE_ROW
        if has_groups and _counts_groups(spec.window, clause):
            return False
        if spec.statistic in PLACE_OF.values() and _is_of_several_rows(spec, clause):
            return False
        return not view.transposed or bool(spec.window.conditions) or not is_panel(view.table)
    means_of_groups = view.grouping == "mean"
    if spec.series and not clause.marks_of("mean") and can_be_summed(clause, spec.series) is means_of_groups:
        return False
    # "never more than a dozen" is about the zone of the text before
    around = () if clause.times or clause.cells else clause.context.windows
    several = all(window == ALL_ROWS or has_several(clause, window) for window in (spec.window, *around))
    return spec.statistic in _OF_ONE_ROW or several


def _is_of_several_rows(spec: Specification, clause: Clause) -> bool:
    """Whether an extreme is of what has several rows: of "April had the most" the highest day may be meant, or total.

    Not where the clause says the row ("the busiest day was in April"), nor of levels, which have no total.
    """
    table, periods = clause.table, clause.words.data["periods"]
    said = {periods.get(word) for mark in clause.marks_of("days", "per_row") for word in mark.text.lower().split()}
    is_panel_row = is_panel(table)
    if not is_panel_row and (table.step in said or not can_be_summed(clause, str(spec.series))):
        return False
    spots = [s for spot in (spec.place,) if spot for s in spot.parts or (spot,)]
    one_each = (s for s in spots if is_panel_row or not (s.positions or any(len(t.texts) > 1 for t in s.conditions)))
    return any(has_several(clause, spec.window, spot) for spot in one_each)


def _counts_groups(window: Window, clause: Clause) -> bool:
    """Whether what a clause counts has several rows each: "each branch", "per month" of a row a branch and month."""
    table, periods = clause.table, clause.words.data["periods"]
    nouns = {column for mark in clause.marks if not (mark.series or mark.cells) for column in mark.columns}
    words = [mark.text.lower().split()[-1] for mark in clause.marks_of("per_row", "all", "days")]
    if table.step in ({periods.get(word) for word in words} | {mark.unit for mark in clause.numbers}) - {None}:
        nouns.add(table.time_column or "")
    try:
        return any(repeats(table, column, window) for column in nouns - {test.column for test in window.conditions})
    except Unverifiable:  # which the computation reports
        return False


def unknown_tokens(clause: Clause, shared: frozenset[str]) -> list[Token]:
    """The words of a clause that no list and no table knows; `shared` stems set the scene."""
    outside = [t for t in clause.tokens if not any(m.start <= t.start and t.end <= m.end for m in clause.marks)]
    narrowed = {mark.start for mark in clause.marks if _narrows_name(clause, mark, shared)}
    compounds = [token for token in clause.tokens if token.start in narrowed]
    return [*compounds, *(token for token in outside if token.is_word and not _is_plain(clause, token, shared))]


def _narrows_name(clause: Clause, mark: Mark, shared: frozenset[str]) -> bool:
    """Whether a name stands in a compound with a word that may change what it is: "uploaddoorvoer", of "doorvoer"."""
    rest, words = mark.mention.rest if mark.mention else "", clause.words
    parts = {rest.removeprefix(link).removesuffix(link) for link in ("", *words.data["compound_links"])}
    known = parts & (words.harmless | words.plain) or shared_stems(parts, clause.language) & shared
    return bool(rest) and not known and not words.kinds["maximum"].fullmatch(rest)  # "piekverkeer"


def _is_plain(clause: Clause, token: Token, shared: frozenset[str]) -> bool:
    words, names, place = clause.words, names_of(clause.view, clause.language), clause.tokens.index(token)
    if (place and clause.tokens[place - 1].text == "per") or _is_particle(clause, place):  # "3 per visitor" is not 3
        return False
    known = token.text in words.plain or token.stem in words.plain_stems
    plain = known and token.stem not in names.column_stems and token.text not in words.restrictive
    asked = token.stem in shared and token.text not in words.data["of_others"]
    return token.text in words.harmless or plain or asked


def _is_particle(clause: Clause, place: int) -> bool:
    """Whether a word ends a verb that another column is called after: "vielen ... uit" and "uitgevallen"."""
    words, text = clause.words, clause.tokens[place].text
    after = next((token.text for token in clause.tokens[place + 1 :] if token.is_word), "")
    ends = not after or after in words.scope_prepositions or re.fullmatch(words.links.than_end, after)
    others = set(clause.table.columns) - {name for mark in clause.series for name in mark.series}
    called = any(re.search(rf"\b{re.escape(text)}\w{{3}}", column, re.IGNORECASE) for column in others)
    return bool(text in words.data["verb_particles"] and ends and called)


def open_marks(made: Interpretation, shared: frozenset[str]) -> list[Mark]:
    """The marks that an interpretation does not account for and that may matter."""
    clause = made.match.clause
    return [mark for mark in clause.marks if mark not in made.accounted_marks and _matters(clause, mark, shared)]


def _matters(clause: Clause, mark: Mark, shared: frozenset[str]) -> bool:
    if mark.number or mark.time:
        return True
    if mark.kinds:
        return not mark.kinds & SILENT
    inside = [token for token in clause.tokens if mark.start <= token.start and token.end <= mark.end]
    return not all(_is_plain(clause, token, shared) for token in inside)


MOST_CHARACTERS = 600  # of a sentence, or a question, that is read: the time grows with the square of what it names
_NOT_UNDERSTOOD = ("vague_time", "open_time", "same_time", "undatable_time")  # "the summer of 2024" is not 2024
_DEEPEST = 3  # splits of a sentence into clauses
_MOST_READ = 6_000  # characters, over all the clauses that one sentence is tried to be cut into
_READING = 50  # characters that reading a clause takes as long as, however short it is

_COMMENTS = SILENT | {"that_time", "count", "all", "best", "the_two", "not", "majority"}
"""The kinds of words that a comment may have: "which is a good level for most companies"."""

_YES_MORE = frozenset({"higher", "lower", "better", "worse", "busier", "quieter", "cheaper", "dearer", "nearly"})
"""The kinds of an answer's first words, before it says how much: "Far fewer: ...", "A lot busier: ..."."""

_LONGEST_YES = 3  # words
_LONGEST_COMMENT = 14  # words

_STATING = ("up", "down", "flat", "maximum", "minimum", "anomaly", "correlation", "trend", "higher", "lower", "than")
"""The kinds of words with which a clause states something that can be computed, also without a number."""

NO_NUMBER = "it states no number that can be computed"
TOO_LONG = f"it is too long a sentence to read: at most {MOST_CHARACTERS} characters are"
TOO_MANY_CLAUSES = f"it can be cut into clauses in too many ways: at most {_MOST_READ:,} characters of clauses are read"
FORECAST = "it is a forecast, and a table holds only what was"
CAUSE = "it names a cause, and a table does not show causes"


@dataclass(frozen=True)
class Scene:
    """What is known besides the sentence: the tables' views, the question, and the context.

    `shared` are the stems of words that set the scene; `titles` those of the tables alone, used where the question
    itself is read. `question_context` is the context that the question leaves.
    """

    views: tuple[View, ...]
    language: str
    shared: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    question: str = ""
    context: Context = NO_CONTEXT
    question_context: Context = NO_CONTEXT


def scene_of(tables: Sequence[NumericTable], language: str, question: str = "") -> Scene:
    """What claims about tables are read against; a question's series and times hold where a claim names none.

    A question of more than `MOST_CHARACTERS` is not read.
    """
    words = lexicon(language)
    seen = tuple(view for table in tables for view in views(table))
    titles = [text for table in tables for text in (table.name, table.time_column or "", table.caption)]
    named = shared_stems(titles, words.language)
    question = question if len(question) <= MOST_CHARACTERS else ""
    scene = Scene(seen, words.language, named | shared_stems([question], words.language), named, question)
    if not question:
        return scene
    series: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    is_undated, periods = False, frozenset[str]()
    for view in seen:
        clause = read_clause(question, view, scene.language)
        periods = periods or (frozenset() if view.table.step else clause.stated_periods)
        series = series or (clause.series[0].series if len(clause.series) == 1 else ())
        if clause.marks_of(*_NOT_UNDERSTOOD):  # a season alone may be all that the table has
            is_undated |= bool(clause.times or clause.marks_of("undatable_time"))
        elif clause.places:
            windows = windows or tuple(w for w in clause.windows(clause.places) if _narrows(w, view))
    context = Context(series, windows, is_undated=is_undated, periods=periods)
    return replace(scene, context=context, question_context=context)


def _narrows(window: Window, view: View) -> bool:
    """Whether a question's time is a part of the table, and not what it was fetched for ("last week" of 7 days)."""
    if view.times is None or window.start is None or window.end is None:
        return True
    whole, asked = view.times.last_day - view.times.start, window.end - window.start
    return whole.days > 1.5 * asked.days


def _group_views(clause: Clause) -> Iterator[View]:
    """The views with one row per group, its values added up or averaged, if the clause may be about groups.

    Claims about the highest, or the rank, may be about groups: "Portside had the most complaints" of a table with one
    row per zone and month. In other tables the claim has to say so ("the highest average"). Without a word for sum or
    mean both views are tried.
    """
    view, table = clause.view, clause.table
    named = {column for mark in clause.cells for column, _ in mark.cells}
    named |= {table.time_column} if clause.times and table.time_column else set()
    around = {test.column for window in clause.context.windows for test in window.conditions}
    if table.time_column and not clause.marks_of("whole", "all_rows"):
        around |= {table.time_column for window in clause.context.windows if window.start or window.end}
    if view.grouping or view.transposed or not clause.marks_of(*RANKING) or len(named) != 1 or around - named:
        return  # of one row ("in Portside in May"), or of those that the text before is about
    (column,) = named
    stated_values = [value for value in GROUP_VALUES if clause.marks_of(value)]
    if repeats(table, column) and (stated_values or is_panel(table)):
        yield from (group_rows(view, column, value) for value in stated_values or GROUP_VALUES)


@dataclass(frozen=True)
class PartReading:
    """A part of a sentence as it is read."""

    text: str
    tiers: Tiers = ()  # its check, as in `ClauseCheck`; none where it cannot be checked
    reason: str = "no reading of it can be computed"  # why it is not decided, unless it is


class _TooManyClauses(Exception):
    """The clauses of a sentence have no complete reading among those that may be tried."""


@dataclass(frozen=True)
class _Reading:
    """A text read completely: its parts, and the interpretation of its last clause."""

    parts: tuple[PartReading, ...]
    last: Interpretation


def read_sentence(sentence: str, scene: Scene) -> tuple[list[PartReading], Scene]:
    """A sentence's parts as read, and the scene of the next sentence, which may refer to its series and times."""
    if len(sentence) > MOST_CHARACTERS:
        return [PartReading(sentence, reason=TOO_LONG)], scene
    words = lexicon(scene.language)
    text, cause = without_cause(plain_text(sentence, scene.language), words)
    caused = [PartReading(sentence, reason=CAUSE)] if cause else []
    if not text:
        return caused, scene
    if words.kinds["forecast"].search(text):
        return [PartReading(sentence, reason=FORECAST)], scene
    try:
        reading = _read_with_question(text, scene, words)
    except _TooManyClauses:
        return [PartReading(sentence, reason=TOO_MANY_CLAUSES)], scene
    if reading is None:
        is_exclamation = text.endswith("!") and _is_comment(text, scene)  # "Good question!"
        unread = [] if is_exclamation else [_unread(sentence, text, scene)]
        context = scene.question_context
        if any(part.reason == NO_NUMBER for part in unread) and (named := _named_rows(text, scene)):
            context = replace(context, windows=(*named, ALL_ROWS), is_scene=True)
        return [*unread, *caused], replace(scene, context=context)
    context = scene.context.after(reading.last, same_sentence=False)
    return [*reading.parts, *caused], replace(scene, context=context)


def _read_with_question(text: str, scene: Scene, words: Lexicon) -> _Reading | None:
    """The reading of a sentence; of one that only gives a number the question's, with that number."""
    if not (scene.question and _is_bare(text, words)):
        return _Reader().read(text, scene)
    asked = f"{plain_text(scene.question, scene.language).rstrip('?.! ')}: {text}"
    return _Reader().read(
        asked, replace(scene, shared=scene.titles, context=replace(scene.context, windows=())), depth=0
    )


@dataclass
class _Reader:
    """Reads one sentence, within an allowance: cutting it in every way would take the cube of its length.

    `characters` are those of clauses that may still be read.
    """

    characters: int = _MOST_READ

    def read(self, text: str, scene: Scene, depth: int = _DEEPEST) -> _Reading | None:
        """The best reading of a text over the views, else that of its parts; None where neither is complete."""
        self.characters -= _READING + len(text)
        if self.characters < 0:
            raise _TooManyClauses
        whole = _read_whole(text, scene)
        if whole is not None or depth == 0:
            return whole
        for left, right in splits(text, lexicon(scene.language)):
            if _is_comment(left, scene) and (rest := self.read(right, scene, depth - 1)):
                return rest
            first = self.read(left, scene, depth=0)
            if first is None:
                continue
            if _is_comment(right, scene):
                return first
            after = replace(scene, context=scene.context.after(first.last, same_sentence=True))
            view = first.last.match.clause.view
            about_groups = [replace(after, views=(view,))] if view.grouping else []
            for seen in (*about_groups, after):
                if rest := self.read(right, seen, depth - 1):
                    return replace(rest, parts=(*first.parts, *rest.parts))
        return None


def _read_whole(text: str, scene: Scene) -> _Reading | None:
    """The interpretations of a clause that name most of it; equally good ones are readings of the same checks."""
    clauses = _clauses(text, scene)
    groups = tuple(view for clause in clauses for view in _group_views(clause))
    clauses += _clauses(text, replace(scene, views=groups))
    made = [one for clause in clauses for one in interpretations(clause, scene.shared)]
    named = [one.named_characters for one in made]
    best = [one for one, characters in zip(made, named, strict=True) if characters == max(named)]
    return _Reading(tuple(PartReading(text, tiers) for tiers in combined_tiers(best)), best[0]) if best else None


def _clauses(text: str, scene: Scene) -> list[Clause]:
    """A clause against each view."""
    return [read_clause(text, view, scene.language, scene.context) for view in scene.views]


def _is_comment(text: str, scene: Scene) -> bool:
    """Whether a part of a sentence only comments on the rest: "as you can see", "which is a healthy level".

    It names nothing of the tables, states no number, time or direction, and restricts nothing ("in Amsterdam, ...").
    """
    words = lexicon(scene.language)
    spoken = [token for token in tokens(text, scene.language) if token.is_word]
    if not 0 < len(spoken) <= _LONGEST_COMMENT or any(token.text in words.restrictive for token in spoken):
        return False
    silent = _COMMENTS | _YES_MORE if len(spoken) <= _LONGEST_YES else _COMMENTS
    led = spoken[0].text in words.scope_prepositions and spoken[0].text not in words.data["comment_led"]
    may_restrict = led or any(text[token.start].isupper() for token in spoken[1:])
    clauses = _clauses(text, scene)
    return bool(clauses) and not any(
        any(m.number or m.time or m.series or m.cells or m.kinds - silent for m in clause.marks)
        or (may_restrict and unknown_tokens(clause, scene.shared))
        for clause in clauses
    )


def _is_bare(text: str, words: Lexicon) -> bool:
    """Whether an answer is no more than a number: the question says what it is."""
    numbers = numbers_of(text, words.language)
    if len(numbers) != 1:
        return False
    rest = text[: numbers[0].start] + " " + text[numbers[0].end :]
    return all(token.text in words.harmless for token in tokens(rest, words.language) if token.is_word)


def _named_rows(text: str, scene: Scene) -> tuple[Window, ...]:
    """The rows that a sentence without a number names, which the next one may be about: "Let us look at July."."""
    clauses = [clause for clause in _clauses(text, scene) if clause.places and not clause.series]
    return tuple(clauses[0].windows(clauses[0].places)) if clauses else ()


def _unread(sentence: str, text: str, scene: Scene) -> PartReading:
    if not scene.views:
        return PartReading(sentence, reason="there is no table to compute it from")
    clause = max(_clauses(text, scene), key=lambda c: len(c.series) + len(c.cells) + len(c.times))
    if not (clause.numbers or clause.marks_of(*_STATING)):
        return PartReading(sentence, reason=NO_NUMBER)
    if not clause.series and not scene.context.series and len(clause.table.columns) != 1:
        columns = dict.fromkeys(c for view in scene.views if not view.transposed for c in view.table.columns)
        reason = f"it names no series of the tables (there are {', '.join(columns) or 'none'})"
    else:
        left = ", ".join(repr(token.text) for token in unknown_tokens(clause, scene.shared)[:4])
        why = f"not understood: {left}" if left else "no form of claim has all its words together"
        reason = f"the grammar cannot read it ({why})"
    return PartReading(sentence, reason=reason)


@dataclass(frozen=True)
class CheckedClaim(Finding):
    """The finding on one part of a claim."""

    text: str = ""
    specification: Specification | None = None
    part: str = ""

    @property
    def checkable(self) -> bool:
        """Whether a computation decided it."""
        return self.verdict in ("supported", "contradicted")

    def evidence(self) -> dict[str, Any]:
        """The claim as JSON values, in the shape that reports rely on."""
        asked = self.specification
        return {
            "text": self.text,
            "verdict": self.verdict,
            "statistic": str(asked.statistic) if asked else None,
            "series": asked.series if asked else None,
            "window": str(asked.window) if asked else None,
            "compared": _describe_compared(asked) if asked else None,
            "stated": _describe_stated(asked) if asked else None,
            "computed": self.computed,
            "reason": self.reason,
            "unit": self.unit,
            "arithmetic": self.arithmetic,
            "table": self.table,
            "part": self.part or self.text,
        }


def check(text: str, read: PartReading) -> CheckedClaim:
    """The verdict on one reading of a claim, by the first tier of readings that can be computed."""
    claim = CheckedClaim("unverifiable", read.reason, text=text, part=read.text)
    for tier in read.tiers:
        findings = [(specification, verify(specification, table)) for specification, table in tier]
        decided = [pair for pair in findings if pair[1].verdict != "unverifiable"]
        before = [pair for pair in decided if pair[0].window.in_scene]
        if before and all(finding.verdict == "supported" for _, finding in before):
            decided = before  # what holds of the rows that the text before is about is said of them
        if decided or (findings and claim.specification is None):
            asked, finding = (decided or findings)[0]
            claim = replace(claim, **vars(finding), specification=asked)
        if decided:
            other = next((finding for _, finding in decided if finding.verdict != claim.verdict), None)
            if other is None:
                return claim
            reason = f"two readings disagree: {claim.verdict} ({claim.reason}) or {other.verdict} ({other.reason})"
            return replace(claim, verdict="unverifiable", reason=reason)
    return claim


def _describe_compared(asked: Specification) -> str | None:
    """What the series and window of a claim are compared with; None where that is nothing."""
    other = [asked.compared_with] if asked.compared_with else []
    if asked.compared_window is not None and asked.compared_window != asked.window:
        other.append(f"over {asked.compared_window}" if other else str(asked.compared_window))
    return " ".join(other) or None


def _describe_stated(asked: Specification) -> str | None:
    """What the claim says that the statistic is: a number with its hedge and unit, a direction, a place."""
    space = "" if asked.unit == "%" else " "
    bound = {Statistic.COUNT_ABOVE: "above", Statistic.COUNT_BELOW: "below"}.get(asked.statistic, "past")
    parts = (
        "" if asked.hedge is Hedge.EXACT else asked.hedge.replace("_", " "),
        "" if asked.value is None else f"{asked.value:.{max(asked.decimals, 0)}f}{space}{asked.unit or ''}",
        asked.direction or "",
        "" if asked.threshold is None else f"{bound} {asked.threshold:g} {asked.threshold_unit or ''}",
        "" if asked.place is None else f"at {asked.place}",
    )
    statement = " ".join(part.strip() for part in parts if part)
    return f"not {statement}" if asked.negated else statement or None


MOST_SENTENCES = 200
"""The sentences of an answer that are read; each takes some hundredths of a second."""


class NumericClaims(Metric):
    """The share of the answer's checkable numerical claims that hold.

    Formula: claims that hold / claims that a computation decides. A number holds when the computed one rounds to it at
    its stated precision, or as its hedge ("about", "more than") allows. Range: [0, 1]. Source: the
    unpublished notes "Chatbot Evaluation", section "About Indirect Claims".

    Each sentence is read by a grammar (English, German, Dutch); the statistic is computed from the sample's tables,
    those in its contexts and in files that it names. Skipped where there is no table, or nothing that can be checked.
    Bounds: sentences of up to 600 characters are read, the first 200 of an answer; the evidence says where a bound was
    met.
    """

    name = "numeric_claims"
    needs = ("response",)

    def __init__(self) -> None:
        require_packages("numeric", "the metric numeric_claims")

    async def measure(self, sample: Sample) -> Score:
        """The score, with every claim as understood, computed and judged in the evidence."""
        tables, sentences, first_scene = await compute_beside(_begin, sample)
        evidence: dict[str, Any] = {"claims": [], "tables": [table.name for table in tables]}
        if not tables:
            return skipped("the sample has no table to compute from", evidence)
        if first_scene is None:
            return skipped(why_unread(sample.language or FALLBACK) or "", evidence)
        if bounds := describe_unread(sentences, sample.user_input):
            evidence["bounds"] = bounds
        checked, scene = list[CheckedClaim](), first_scene
        for text in sentences[:MOST_SENTENCES]:  # one computation each: a cancelled task stops between two of them
            claims, scene = await compute_beside(_read, text, scene)
            checked += claims
        evidence["claims"] = [claim.evidence() for claim in checked]
        decided = [claim for claim in checked if claim.checkable]
        if not decided:
            why = f': "{checked[0].text}" ({checked[0].reason})' if checked else ""
            return skipped(f"no claim of the answer is a number that can be checked{why}", evidence)
        value = sum(claim.verdict == "supported" for claim in decided) / len(decided)
        return scored(value, "; ".join([_reason(checked, decided), *bounds]), evidence)


def _begin(sample: Sample) -> tuple[list[NumericTable], list[str], Scene | None]:
    """The tables and sentences of a sample, and the scene of the first; no scene where its language is not read."""
    tables, language = tables_of_sample(sample), sample.language or FALLBACK
    if not tables or why_unread(language):
        return tables, [], None
    return tables, claims_of(sample.response, language), scene_of(tables, language, sample.user_input)


def _read(sentence: str, scene: Scene) -> tuple[list[CheckedClaim], Scene]:
    """The verdicts on the parts of a sentence, and the scene after it."""
    parts, after = read_sentence(sentence, scene)
    return [check(sentence, part) for part in parts], after


def describe_unread(sentences: Sequence[str], question: str) -> list[str]:
    """Describes what of an answer and its question is not read because it is too much; empty where all is."""
    unread = []
    if len(sentences) > MOST_SENTENCES:
        unread.append(f"only the first {MOST_SENTENCES} of the {count_of(len(sentences), 'sentence')} are read")
    if len(question) > MOST_CHARACTERS:
        unread.append(
            f"the question is not read: it has {count_of(len(question), 'character')}, over {MOST_CHARACTERS}"
        )
    return unread


def check_claims(
    sentences: Sequence[str], tables: Sequence[NumericTable], language: str, question: str = ""
) -> list[CheckedClaim]:
    """The verdicts on sentences by the grammar alone, in order: a later one may mean the series of the one before.

    The first 200 sentences are read, and a question of up to 600 characters; `describe_unread` says what is not.
    """
    return [claim for claims in check_by_sentence(sentences, tables, language, question) for claim in claims]


def check_by_sentence(
    sentences: Sequence[str], tables: Sequence[NumericTable], language: str, question: str
) -> Iterator[list[CheckedClaim]]:
    """The same verdicts, one list per sentence that is read."""
    scene = scene_of(tables, language, question)
    for sentence in sentences[:MOST_SENTENCES]:
        claims, scene = _read(sentence, scene)
        yield claims


def _reason(checked: list[CheckedClaim], decided: list[CheckedClaim]) -> str:
    held = sum(claim.verdict == "supported" for claim in decided)
    reason = f"{held} of {count_of(len(decided), 'checkable numerical claim')} hold"
    if len(checked) > len(decided):
        reason += f"; {len(checked) - len(decided)} cannot be checked"
    if wrong := next((claim for claim in decided if claim.verdict == "contradicted"), None):
        reason += f'; contradicted: "{wrong.text}" ({wrong.reason})'
    return reason


def with_computed_verdicts(sample: Sample, judged: Sequence[Claim]) -> list[Claim]:
    """The claims: a computable claim with the computed verdict, any other with the judge's.

    A claim with several numbers is decided when one of them is wrong, or when all of it could be checked. Of an answer
    with more than `MOST_SENTENCES` claims the first ones are computed.
    """
    tables = tables_of_sample(sample)
    language = sample.language or FALLBACK
    if not tables or language not in LANGUAGES:
        return list(judged)
    checked = check_by_sentence([claim.text for claim in judged], tables, language, sample.user_input)
    decided = [_overrule(claim, checks) for claim, checks in zip(judged, checked, strict=False)]
    return [*decided, *judged[len(decided) :]]


def _overrule(claim: Claim, checked: Sequence[CheckedClaim]) -> Claim:
    deciding = next((part for part in checked if part.verdict == "contradicted"), None)
    if deciding is None and checked and all(part.verdict == "supported" for part in checked):
        deciding = checked[0]
    if deciding is None:
        return claim
    evidence = tuple(part.evidence() for part in checked)
    return Claim(claim.text, deciding.verdict, deciding.reason, computed=evidence, overruled=claim)
