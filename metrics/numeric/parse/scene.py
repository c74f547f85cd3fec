"""What a claim is read against: the tables' views, the question, the text before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..lexicon import lexicon
from ..names.mentions import Names, shared_stems
from ..specification import Specification, Window
from ..tables.groups import GROUP_VALUES, group_rows, is_panel, repeats
from ..tables.table import NumericTable
from ..tables.views import View, views
from .clause import Clause, read_clause

MOST_CHARACTERS = 600  # of a sentence, or a question, that is read: the time grows with the square of what it names
_RANKING = ("maximum", "minimum", "best", "worst", "rank", "any_other")
_NOT_UNDERSTOOD = ("vague_time", "open_time", "same_time")  # of a time: "the summer of 2024" is not 2024


@dataclass(frozen=True)
class Scene:
    """What is known besides the sentence.

    `views` are those of the tables. `shared` are the stems of words that set the scene; `titles` those of the tables
    alone, used where the question itself is read. `earlier_checks` are those of the text before, the last first;
    `continues_sentence` says that this text is of the same sentence. `question_scene` is the scene after the question.
    """

    views: tuple[tuple[View, Names], ...]
    language: str
    shared: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    inherited: tuple[str, ...] = ()
    scope: tuple[Window, ...] = ()
    question: str = ""
    earlier_checks: tuple[Specification, ...] = ()
    continues_sentence: bool = False
    question_scene: "Scene | None" = None


def scene_of(tables: Sequence[NumericTable], language: str, question: str = "") -> Scene:
    """What claims about tables are read against; a question's series and times hold where a claim names none.

    A question of more than `MOST_CHARACTERS` is not read.
    """
    words = lexicon(language)
    seen = tuple(named for table in tables for named in _named_views(table, words.language))
    titles = [text for table in tables for text in (table.name, table.time_column or "", table.caption)]
    named = shared_stems(titles, words.language)
    question = question if len(question) <= MOST_CHARACTERS else ""
    scene = Scene(seen, words.language, named | shared_stems([question], words.language), named, question=question)
    if not question:
        return replace(scene, question_scene=scene)
    series: tuple[str, ...] = ()
    scope: tuple[Window, ...] = ()
    for view, names in seen:
        clause = read_clause(question, words, view, names)
        series = series or (clause.series[0].series if len(clause.series) == 1 else ())
        if clause.marks_of(*_NOT_UNDERSTOOD):
            continue
        if clause.times or clause.cells:
            scope = scope or tuple(w for w in clause.windows(clause.times, clause.cells) if _narrows(w, view))
    asked = replace(scene, inherited=series, scope=scope)
    return replace(asked, question_scene=asked)


def _narrows(window: Window, view: View) -> bool:
    """Whether a question's time is a part of the table, and not what it was fetched for ("last week" of 7 days)."""
    if view.times is None or window.start is None or window.end is None:
        return True
    whole, asked = view.times.last_day - view.times.start, window.end - window.start
    return whole.days > 1.5 * asked.days


@lru_cache(maxsize=64)  # the samples of a set often share a table, which is then one object
def _named_views(table: NumericTable, language: str) -> tuple[tuple[View, Names], ...]:
    return tuple((view, Names(view.table, language, view.heads)) for view in views(table))


def group_views(clause: Clause, names: Names) -> Iterator[tuple[View, Names]]:
    """The views with one row per group, its values added up or averaged, if the clause may be about groups.

    Claims about the highest, or the rank, may be about groups: "Portside had the most complaints" of a table with one
    row per zone and month. In other tables the claim has to say so ("the highest average"). Without a word for sum or
    mean both views are tried.
    """
    view, table = clause.view, clause.table
    if view.grouping or view.transposed or not clause.marks_of(*_RANKING):
        return
    named = {column for mark in clause.cells for column, _ in mark.cells}
    named |= {table.time_column} if clause.times and table.time_column else set()
    if len(named) != 1 or any(test.column not in named for window in clause.scope for test in window.conditions):
        return  # of one row ("in Portside in May"), or of those that the text before is about
    stated_values = [value for value in GROUP_VALUES if clause.marks_of(value)]
    (column,) = named
    if repeats(table, column) and (stated_values or is_panel(table)):
        yield from ((group_rows(view, column, value), names) for value in stated_values or GROUP_VALUES)


def clause_of(text: str, view: View, names: Names, scene: Scene) -> Clause:
    """A clause against a view, with those series, windows and checks of the scene that the view can have."""
    return read_clause(
        text,
        lexicon(scene.language),
        view,
        names,
        inherited=tuple(name for name in scene.inherited if name in view.table.columns),
        scope=tuple(w for w in scene.scope if _fits(w, view)),
        earlier_checks=tuple(spec for spec in scene.earlier_checks if spec.series in view.table.columns),
        continues_sentence=scene.continues_sentence,
    )


def _fits(window: Window, view: View) -> bool:
    """Whether a window of the text before fits this view: the view has its columns, and times if it has dates."""
    columns = {*view.table.columns, *map(str, view.table.labels.columns)}
    dated = window.start or window.end or window.weekdays or window.months
    return all(test.column in columns for test in window.conditions) and (view.times is not None or not dated)
