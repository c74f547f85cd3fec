"""Reading a sentence without a model: into clauses, and each clause into checks against the tables."""

import re
from dataclasses import dataclass, field, replace

from ....languages import load_language
from ....text.numbers import find_numbers
from ..lexicon import Lexicon, lexicon, tokens, whole_words
from ..names.mentions import Names
from ..specification import ALL_ROWS, Specification, Statistic, Window
from ..tables.table import NumericTable
from ..tables.views import View
from .accounting import is_comment, unknown_words
from .checks import ClauseCheck
from .clause import Clause
from .clause_splitter import plain_text, splits, without_cause
from .construction import Interpretation
from .explanation import ClaimPart, explain, explain_unread
from .scene import MOST_CHARACTERS, Scene, clause_of, group_views
from .selection import choose_interpretation, interpretations

_DEEPEST = 3  # splits of a sentence into clauses
_MOST_READ = 6_000  # characters, over all the clauses that one sentence is tried to be cut into
_READING = 50  # characters that reading a clause takes as long as, however short it is

_STATING = frozenset({"up", "down", "flat", "maximum", "minimum", "anomaly", "correlation", "trend", "higher", "lower"})
"""The kinds of words with which a clause states something that can be computed, also without a number."""

NO_NUMBER = "it states no number that can be computed"
TOO_LONG = f"it is too long a sentence to read: at most {MOST_CHARACTERS} characters are"
TOO_MANY_CLAUSES = f"it can be cut into clauses in too many ways: at most {_MOST_READ:,} characters of clauses are read"
FORECAST = "it is a forecast, and a table holds only what was"
CAUSE = "it names a cause, and a table does not show causes"


@dataclass(frozen=True)
class ReadCheck:
    """One check of a clause: tiers of (specification, the table that it is computed on), as in `ClauseCheck`.

    `words` are the parts of the text with their roles and meanings.
    """

    text: str
    tiers: tuple[tuple[tuple[Specification, NumericTable], ...], ...]
    words: tuple[ClaimPart, ...] = ()


@dataclass(frozen=True)
class Unread:
    """A clause that cannot be checked, and why. `numeric`: it states numbers, so that a judge may still read it.

    `words` are the parts of the text with their roles and meanings.
    """

    text: str
    reason: str
    numeric: bool = False
    words: tuple[ClaimPart, ...] = ()


class _TooManyClauses(Exception):
    """The clauses of a sentence have no complete reading among those that may be tried."""


@dataclass
class _Allowance:
    """How many characters of clauses may still be read; cutting a sentence in every way would take their cube."""

    characters: int = _MOST_READ

    def spend(self, text: str) -> None:
        self.characters -= _READING + len(text)
        if self.characters < 0:
            raise _TooManyClauses


@dataclass
class _Parse:
    checks: list[tuple[ClauseCheck, View]]
    weight: int
    series: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    earlier_checks: tuple[Specification, ...] = ()
    places: tuple[Window, ...] = ()
    parts: list["ReadCheck | Unread"] = field(default_factory=list)
    interpretation: Interpretation | None = None
    view: tuple[View, Names] | None = None


def read_sentence(sentence: str, scene: Scene) -> tuple[list[ReadCheck | Unread], Scene]:
    """The checks of a sentence, and the scene for the next sentence, which may refer to its series and times."""
    if len(sentence) > MOST_CHARACTERS:
        return [Unread(sentence, TOO_LONG, numeric=any(map(str.isdigit, sentence)))], scene
    try:
        return _read_sentence(sentence, scene)
    except _TooManyClauses:
        return [Unread(sentence, TOO_MANY_CLAUSES, numeric=any(map(str.isdigit, sentence)))], scene


def _read_sentence(sentence: str, scene: Scene) -> tuple[list[ReadCheck | Unread], Scene]:
    text = plain_text(sentence, scene.language)
    words = lexicon(scene.language)
    claim_text, cause = without_cause(text, words)
    if cause and not claim_text:
        return [Unread(sentence, CAUSE)], scene
    if _is_forecast(claim_text, words, scene):
        return [Unread(sentence, FORECAST)], scene
    bare = bool(scene.question) and _is_bare(claim_text, words)
    parse = None
    if not bare:
        named = _only_series(claim_text, scene)
        scene_of_text = replace(scene, continues_sentence=False, inherited=named or scene.inherited)
        parse = _parse(claim_text, scene_of_text, words, _DEEPEST, _Allowance())
    if bare or (parse is None and scene.question and _refers_to_question(claim_text, scene, words)):
        asked = f"{plain_text(scene.question, scene.language).rstrip('?.! ')}: {claim_text}"
        parse = _parse(asked, replace(scene, scope=(), shared=scene.titles), words, 0, _Allowance())
    read: list[ReadCheck | Unread] = []
    if parse is None and sentence.rstrip().endswith("!") and is_comment(claim_text, scene, words):
        return [], scene  # "Good question!"
    if parse is None:
        read.append(_unread(sentence, claim_text, scene, words))
        scene = replace(scene.question_scene, question_scene=scene.question_scene) if scene.question_scene else scene
    else:
        read.extend(parse.parts)
        scope = parse.windows or scene.scope
        if parse.windows and not set(parse.windows) & set(scene.scope):
            scope = (*parse.windows, ALL_ROWS)  # whether the next sentence is about these times too, it does not say
        scene = replace(
            scene, inherited=parse.series or scene.inherited, scope=scope, earlier_checks=parse.earlier_checks
        )
    if cause:
        read.append(Unread(sentence, CAUSE))
    return read, scene


def _only_series(text: str, scene: Scene) -> tuple[str, ...]:
    """The one series that a sentence names: its other clauses are about that too, also those before."""
    for view, names in scene.views[:1]:
        series = clause_of(text, view, names, replace(scene, inherited=())).series
        return series[0].series if len(series) == 1 else ()
    return ()


def _is_forecast(text: str, words: Lexicon, scene: Scene) -> bool:
    forecast = words.kinds["forecast"].search(text)
    if forecast is None:
        return False
    if forecast[0].lower() in words.data["would"] and whole_words(words.data["except_before"]).search(text):
        return False
    named = any(
        mark.series and mark.start <= forecast.start() < mark.end
        for view, names in scene.views[:1]
        for mark in clause_of(text, view, names, scene).marks
    )
    return not named


def _is_bare(text: str, words: Lexicon) -> bool:
    """Whether an answer is no more than a number: the question says what it is."""
    numbers = find_numbers(text, load_language(words.language))
    if len(numbers) != 1:
        return False
    rest = text[: numbers[0].start] + " " + text[numbers[0].end :]
    return all(token.text in words.harmless for token in tokens(rest, words.language) if token.is_word)


def _refers_to_question(text: str, scene: Scene, words: Lexicon) -> bool:
    """Whether an answer refers to the question and only counts: "That happened on nine days"."""
    if (
        not re.match(words.data["refers_back"], text, re.IGNORECASE)
        or len(find_numbers(text, load_language(words.language))) != 1
    ):
        return False
    return not any(clause_of(text, view, names, replace(scene, inherited=())).series for view, names in scene.views)


def _unread(sentence: str, text: str, scene: Scene, words: Lexicon) -> Unread:
    if not scene.views:
        return Unread(sentence, "there is no table to compute it from")
    clauses = [clause_of(text, view, names, scene) for view, names in scene.views]
    clause = max(clauses, key=lambda c: len(c.series) + len(c.cells) + len(c.times))
    kinds = {kind for mark in clause.marks for kind in mark.kinds}
    telling = kinds & _STATING
    compares = any(re.search(rf" (?:{words.links.comparing})$", mark.text, re.IGNORECASE) for mark in clause.marks)
    if not (clause.numbers or telling or compares):
        return Unread(sentence, NO_NUMBER)
    if not clause.series and not scene.inherited and len(clause.table.columns) != 1:
        listed = ", ".join(
            dict.fromkeys(c for view, _ in scene.views if not view.transposed for c in view.table.columns)
        )
        return Unread(
            sentence,
            f"it names no series of the tables (there are {listed or 'none'})",
            numeric=True,
            words=explain_unread(clause, ()),
        )
    left = unknown_words(clause, scene.shared)
    why = f"not understood: {', '.join(map(repr, left[:4]))}" if left else "its form is not understood"
    return Unread(sentence, f"the grammar cannot read it ({why})", numeric=True, words=explain_unread(clause, left))


def _parse(text: str, scene: Scene, words: Lexicon, depth: int, allowance: _Allowance) -> _Parse | None:
    """The best reading of a clause over all views, else that of its parts; None where neither is complete."""
    allowance.spend(text)
    whole = _best_parse(text, scene)
    if whole is not None or depth == 0:
        return whole
    for left, right in splits(text, words):
        if is_comment(left, scene, words):
            rest = _parse(right, scene, words, depth - 1, allowance)
            if rest is not None:
                return rest
        first = _parse(left, scene, words, 0, allowance)
        if first is None:
            continue
        if is_comment(right, scene, words):
            return first
        next_scene = replace(
            scene,
            inherited=first.series or scene.inherited,
            scope=first.places or _scope_after(first.windows) or scene.scope,
            earlier_checks=first.earlier_checks,
            continues_sentence=True,
        )
        rest = _parse_rest(right, next_scene, first.view, depth - 1, allowance)
        if rest is not None:
            return _Parse(
                checks=[],
                weight=first.weight + rest.weight,
                series=rest.series or first.series,
                windows=rest.windows or first.windows,
                earlier_checks=rest.earlier_checks,
                parts=[*first.parts, *rest.parts],
            )
    return None


def _parse_rest(
    text: str, scene: Scene, before: tuple[View, Names] | None, depth: int, allowance: _Allowance
) -> _Parse | None:
    """The reading of the rest of a sentence: of the groups that the clause before it is about, else of all rows."""
    words = lexicon(scene.language)
    if before is not None and before[0].grouping:
        rest = _parse(text, replace(scene, views=(before,)), words, depth, allowance)
        if rest is not None:
            return rest
    return _parse(text, scene, words, depth, allowance)


def _best_parse(text: str, scene: Scene) -> _Parse | None:
    read = [(clause_of(text, view, names, scene), names) for view, names in scene.views]
    groups = [group for clause, names in read for group in group_views(clause, names)]
    read += [(clause_of(text, view, names, scene), names) for view, names in groups]
    parses = [parse for clause, names in read if (parse := _parse_in_view(clause, names, scene)) is not None]
    if not parses:
        return None
    heaviest = max(parse.weight for parse in parses)
    best = [parse for parse in parses if parse.weight == heaviest]
    alike = [parse for parse in best if len(parse.checks) == len(best[0].checks)]
    parts: list[ReadCheck | Unread] = []
    for place in range(len(best[0].checks)):
        together = [parse.checks[place] for parse in alike]
        depth = max(len(made.tiers) for made, _ in together)
        tiers = tuple(
            tuple((spec, view.table) for made, view in together if tier < len(made.tiers) for spec in made.tiers[tier])
            for tier in range(depth)
        )
        parts.append(ReadCheck(text, tiers, _explanation(best[0], place, scene)))
    return replace(best[0], parts=parts)


def _explanation(parse: _Parse, place: int, scene: Scene) -> tuple[ClaimPart, ...]:
    made = parse.interpretation
    if made is None:
        return ()
    return explain(made, parse.checks[place][0].tiers[0], unknown_words(made.match.clause, scene.shared))


def _parse_in_view(clause: Clause, names: Names, scene: Scene) -> _Parse | None:
    view = clause.view
    best = interpretations(clause, scene.shared)
    if not best:
        return None
    made, checks = choose_interpretation(best)
    weight = sum(m.end - m.start for m in made.accounted_marks if m.mention or m.time)
    specs = [spec for check in made.checks for spec in check.tiers[0]]
    series = tuple(dict.fromkeys(spec.series for spec in specs if spec.series))
    windows = tuple(
        dict.fromkeys(w for w in (spec.window for spec in specs) if w != ALL_ROWS and not _is_by_values(w, view))
    )
    return _Parse(
        [(check, view) for check in checks],
        weight,
        series,
        windows,
        _earlier_checks(specs),
        _places_of(specs),
        interpretation=made,
        view=(view, names),
    )


def _scope_after(windows: tuple[Window, ...]) -> tuple[Window, ...]:
    """What the next clause of a sentence may be about: the same time; the same row, or all of them."""
    return (*windows, ALL_ROWS) if any(window.conditions for window in windows) else windows


def _places_of(specs: list[Specification]) -> tuple[Window, ...]:
    """The places of the extremes that a claim names; its next clause is about them."""
    places = [spec.place for spec in specs if spec.statistic in (Statistic.TIME_OF_MAXIMUM, Statistic.TIME_OF_MINIMUM)]
    return tuple(dict.fromkeys(place for place in places if place is not None))


def _earlier_checks(specs: list[Specification]) -> tuple[Specification, ...]:
    """What a later clause may refer to: relations first, then what else was checked, the last first."""
    last_first = specs[::-1]
    return tuple(sorted(last_first, key=lambda spec: spec.compared_window is None and spec.compared_with is None))


def _is_by_values(window: Window, view: View) -> bool:
    """Whether a window is selected by values of series; a later clause does not refer to such a window."""
    return any(test.column in view.table.columns for test in window.conditions)
