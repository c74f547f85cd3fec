"""Which interpretations of a clause count: possible ones that account for every word, then the more specific ones."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from ..compute.computation import UnitRule
from ..compute.statistics import statistics_in
from ..lexicon import Token
from ..names.column_names import means
from ..specification import ALL_ROWS, Specification, Statistic
from ..tables.table import NumericTable
from ..tables.views import is_panel
from . import changes, extremes, relations, values
from .clause import Clause, has_several
from .construction import RELATIONS, Construction, Interpretation, can_be_summed, interpret
from .mark_finders import names_of
from .marks import Mark

CONSTRUCTIONS = tuple(
    made
    for module in (values, extremes, relations, changes)
    for made in vars(module).values()
    if isinstance(made, Construction)
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

_MOST_UNKNOWN = 2  # words that may be left out


def interpretations(clause: Clause, shared: frozenset[str]) -> list[Interpretation]:
    """The most specific interpretations of a clause that account for all of it that may matter.

    Unknown words are left out only where the interpretation names its series, else one may be what the clause is
    about; and not as people, else one may be a verb that says which of them are counted ("4,000 customers defected").
    """
    unknown = unknown_tokens(clause, shared)
    if len(unknown) > _MOST_UNKNOWN or any(_restricts(clause, token) for token in unknown):
        return []
    complete = []
    for construction in CONSTRUCTIONS:
        made = interpret(construction, clause)
        made = made and without_impossible(made)
        if made is None or open_marks(made, shared):
            continue
        if not unknown or not all(means(name, "people") for mark in made.accounted_marks for name in mark.series):
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
    plain = known and token.stem not in names.column_stems
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


def _restricts(clause: Clause, unknown: Token) -> bool:
    """Whether an unknown word may say which rows, or what of them: a name, one after "in", "other"."""
    words, place = clause.words, clause.tokens.index(unknown)
    before = [token.text for token in clause.tokens[:place] if token.text not in words.articles]
    named = clause.text[unknown.start].isupper() and place > 0
    scope = bool(before) and before[-1] in words.scope_prepositions
    restrictive = unknown.text in words.restrictive or _is_particle(clause, place)
    return not unknown.text.isalpha() or named or scope or restrictive


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
