"""Reading a sentence without a model: into clauses, each into checks, and what each part of it means."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from ...languages import load_language
from ...text.numbers import find_numbers
from . import changes, relations, values
from .clause import NO_CONTEXT, Clause, Context, has_several, plain_text, read_clause, splits, without_cause
from .construction import RELATIONS, Construction, Interpretation, can_be_summed, interpret
from .lexicon import Lexicon, Token, lexicon, tokens
from .mark_finders import names_of
from .marks import Mark, shared_stems
from .sample_tables import GROUP_VALUES, View, group_rows, is_panel, repeats, views
from .specification import ALL_ROWS, Hedge, Specification, Statistic, Window
from .statistics import UnitRule, statistics_in
from .table import NumericTable

CONSTRUCTIONS = tuple(
    made for module in (values, relations, changes) for made in vars(module).values() if isinstance(made, Construction)
)
"""All constructions. Their order means nothing."""

Tiers = tuple[tuple[tuple[Specification, NumericTable], ...], ...]
"""The tiers of a check, as in `ClauseCheck`; each specification with the table that it is computed on."""

_VALUES = statistics_in(UnitRule.LEVEL)
_SIZES = statistics_in(UnitRule.LEVEL, UnitRule.DISTANCE)
_OF_ONE_ROW = frozenset({Statistic.VALUE_AT, Statistic.SUM, Statistic.SHARE, *RELATIONS})
"""The statistics that one row can have; the others take several rows."""

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
        tiers = (tuple(s for s in tier if _can_have_unit(s, clause) and _can_have_rows(s, clause)) for tier in check)
        checks.append(tuple(filter(None, tiers)))
    return replace(made, checks=tuple(checks)) if all(checks) else None


def _can_have_unit(spec: Specification, clause: Clause) -> bool:
    table = clause.table
    if spec.series not in table.columns:
        return True
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
    if not view.grouping:
        if is_panel(view.table) and spec.place is not None and has_several(clause, spec.window, spec.place):
            return False
        return not view.transposed or bool(spec.window.conditions) or not is_panel(view.table)
    means_of_groups = view.grouping == "mean"
    if spec.series and not clause.marks_of("mean") and can_be_summed(clause, spec.series) is means_of_groups:
        return False
    # "never more than a dozen" is about the zone of the text before
    around = () if clause.times or clause.cells else clause.context.windows
    several = all(window == ALL_ROWS or has_several(clause, window) for window in (spec.window, *around))
    return spec.statistic in _OF_ONE_ROW or several


def unknown_tokens(clause: Clause, shared: frozenset[str]) -> list[Token]:
    """The words of a clause that no list and no table knows; `shared` stems set the scene."""
    outside = [t for t in clause.tokens if not any(m.start <= t.start and t.end <= m.end for m in clause.marks)]
    return [token for token in outside if token.is_word and not _is_plain(clause, token, shared)]


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


ROLES = ("number", "hedge", "series", "time", "row", "statistic", "left out", "unread", "")
"""The roles of a claim's parts. "left out": the part is ignored. "unread": because of it the claim is not checked. "":
the part states nothing that can be checked."""


@dataclass(frozen=True)
class ClaimPart:
    """A part of a claim, its role (one of `ROLES`), and its meaning in the table."""

    text: str
    role: str = ""
    meaning: str = ""

    def as_json(self) -> dict[str, str]:
        """The part as JSON values, without what is empty."""
        return {key: value for key, value in vars(self).items() if value or key == "text"}


def explain(
    clause: Clause,
    unknown: Collection[Token],
    made: Interpretation | None = None,
    specifications: Sequence[Specification] = (),
) -> tuple[ClaimPart, ...]:
    """The parts of a clause, in order; together they are its text."""
    text = clause.text
    hedges = {mark.hedge_mark: mark.hedge for mark in clause.numbers}
    series = {name for spec in specifications for name in (spec.series, spec.compared_with)}
    parts = [(token.start, token.end, "unread", "") for token in unknown]
    for mark in clause.marks:
        role, meaning = _role_and_meaning(mark, hedges.get(mark))
        if made and mark not in made.accounted_marks:
            role, meaning = "left out" if role in ("number", "series", "time", "row") else "", ""
        elif made and role == "series":
            meaning = " or ".join(name for name in mark.series if name in series)
        elif made and not role and specifications and mark in made.head_marks:
            role, meaning = "statistic", specifications[0].statistic.replace("_", " ")
        parts.append((mark.start, mark.end, role, meaning))
    joined: list[ClaimPart] = []
    reached = 0
    for start, end, role, meaning in [*sorted(part for part in parts if part[2]), (len(text), len(text), "", "")]:
        joined += [ClaimPart(text[reached:start])] if reached < start else []
        joined += [ClaimPart(text[start:end], role, meaning)] if role else []
        reached = end
    return tuple(joined)


def understood(clause: Clause) -> list[str]:
    """What is known in a clause, in order: "series orders", "time March", "number 3"; a word that relates in quotes."""
    hedges = {mark.hedge_mark: mark.hedge for mark in clause.numbers}
    known = []
    for mark in clause.marks:
        role, meaning = _role_and_meaning(mark, hedges.get(mark))
        if role:
            known.append(f"{role} {meaning if role in ('series', 'number') else mark.text.strip()}")
        elif mark.kinds:
            known.append(repr(mark.text.strip()))
    return list(dict.fromkeys(known))


def _role_and_meaning(mark: Mark, hedge: Hedge | None) -> tuple[str, str]:
    if mark.number is not None:
        unit = mark.number.unit or ""
        return "number", f"{mark.number.value:g}{unit if unit == '%' else f' {unit}'.rstrip()}"
    if mark.time is not None:
        return "left out" if mark.excluded else "time", str(mark.window)
    if mark.series:
        return "series", " or ".join(mark.series)
    if mark.cells:
        named = " or ".join(f"{column} = {cell}" for column, cell in mark.cells[:3])
        return "left out" if mark.excluded else "row", named
    return ("hedge", hedge.replace("_", " ")) if hedge else ("", "")


MOST_CHARACTERS = 600  # of a sentence, or a question, that is read: the time grows with the square of what it names
_RANKING = ("maximum", "minimum", "best", "worst", "rank", "any_other")
_NOT_UNDERSTOOD = ("vague_time", "open_time", "same_time")  # of a time: "the summer of 2024" is not 2024
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
    for view in seen:
        clause = read_clause(question, view, scene.language)
        series = series or (clause.series[0].series if len(clause.series) == 1 else ())
        if clause.marks_of(*_NOT_UNDERSTOOD):
            continue
        if clause.places:
            windows = windows or tuple(w for w in clause.windows(clause.places) if _narrows(w, view))
    context = Context(series, windows)
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
    if view.grouping or view.transposed or not clause.marks_of(*_RANKING) or len(named) != 1 or around - named:
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
    words: tuple[ClaimPart, ...] = ()  # the pieces of the text with their roles and meanings


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
        return [*unread, *caused], replace(scene, context=scene.question_context)
    context = scene.context.after(reading.last.first_specifications, same_sentence=False)
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
            after = replace(scene, context=scene.context.after(first.last.first_specifications, same_sentence=True))
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
    most = max((one.named_characters for one in made), default=0)
    best = [one for one in made if one.named_characters == most]
    return _Reading(read_checks(text, best), best[0]) if best else None


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


def read_checks(text: str, made: Sequence[Interpretation]) -> tuple[PartReading, ...]:
    """The checks of a text by equally good interpretations, its words as the first takes them."""
    first, clause = made[0], made[0].match.clause
    return tuple(
        PartReading(text, tiers, words=explain(clause, (), first, check[0]))
        for check, tiers in zip(first.checks, combined_tiers(made), strict=True)
    )


def _is_bare(text: str, words: Lexicon) -> bool:
    """Whether an answer is no more than a number: the question says what it is."""
    numbers = find_numbers(text, load_language(words.language))
    if len(numbers) != 1:
        return False
    rest = text[: numbers[0].start] + " " + text[numbers[0].end :]
    return all(token.text in words.harmless for token in tokens(rest, words.language) if token.is_word)


def _unread(sentence: str, text: str, scene: Scene) -> PartReading:
    if not scene.views:
        return PartReading(sentence, reason="there is no table to compute it from")
    clause = max(_clauses(text, scene), key=lambda c: len(c.series) + len(c.cells) + len(c.times))
    if not (clause.numbers or clause.marks_of(*_STATING)):
        return PartReading(sentence, reason=NO_NUMBER)
    left: list[Token] = []
    if not clause.series and not scene.context.series and len(clause.table.columns) != 1:
        columns = dict.fromkeys(c for view in scene.views if not view.transposed for c in view.table.columns)
        reason = f"it names no series of the tables (there are {', '.join(columns) or 'none'})"
    else:
        left = unknown_tokens(clause, scene.shared)
        why = (
            f"not understood: {', '.join(repr(token.text) for token in left[:4])}"
            if left
            else f"understood: {', '.join(understood(clause))}; no form of claim has these together"
        )
        reason = f"the grammar cannot read it ({why})"
    return PartReading(sentence, reason=reason, words=explain(clause, left))
