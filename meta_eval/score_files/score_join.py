"""Sources of scores and ratings become one table: items matched, columns named, what does not match listed."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError
from ..table import BASELINES, ScoreTable
from .column_roles import check_patterns
from .flat_rows import flat_rows
from .item_matching import ItemMatcher, has_other_answer
from .read_options import ReadOptions
from .score_sources import Item, ScoreSource, read_ratings, read_scores

if TYPE_CHECKING:
    from ..arrays import Floats

_NAMED_AT_MOST = 10
_SAME = 1e-9
# a metric, the judge that scored it if any, the source where it was first met
_Column = tuple[str, str, str]


@dataclass(frozen=True)
class JoinedScores:
    """A table with what was read beside it.

    `unscored` are rated items without any score (left out of the table), `unrated` scored ones without a rating (in
    it). `answers` are the items as they were read, by id, each with the reasons of its scores.
    """

    table: ScoreTable
    unscored: tuple[str, ...]
    unrated: tuple[str, ...]
    notes: tuple[str, ...]
    answers: Mapping[str, Item] = field(repr=False)


def read_score_table(scores: Sequence[Path], ratings: Path | None, choices: ReadOptions) -> JoinedScores:
    """The table of files of scores and a file of ratings; without one, the ratings stand in the first file of scores.

    Raises `InputError` as `read_scores`, `read_ratings` and `join_sources` do.
    """
    read, measured = read_score_files(scores, ratings or scores[0], choices)
    assert measured is not None
    return join_sources(read, measured, choices)


def read_score_files(
    scores: Sequence[Path], ratings: Path | None, choices: ReadOptions
) -> tuple[list[ScoreSource], ScoreSource | None]:
    """What the files of scores say, and the file of ratings; a file that is both is read once."""
    rows = {path: flat_rows(path) for path in dict.fromkeys((*scores, *([ratings] if ratings else [])))}
    measured = read_ratings(rows[ratings], str(ratings), choices) if ratings else None
    besides = measured.taken if measured else ()
    read = [
        read_scores(rows[path], str(path), choices, besides=besides if path == ratings else ())
        for path in dict.fromkeys(scores)
    ]
    return read, measured


def join_sources(scores: Sequence[ScoreSource], ratings: ScoreSource, choices: ReadOptions) -> JoinedScores:
    """One table of several sources of scores and one of ratings.

    A metric that several judges scored becomes a column `metric@judge` each; where one judge's sources tell different
    values of one item, `metric@source`. Raises `InputError` where no item has both a score and a rating, and where
    most items with one id hold different answers.
    """
    offered = [metric for source in scores for metric in source.offered]
    check_patterns(choices.metrics, offered, "metric", ", ".join(source.name for source in scores))
    lower = {*choices.lower_is_better, *(metric for source in scores for metric in source.lower_is_better)}
    matcher = ItemMatcher(ratings.items)
    columns: dict[_Column, dict[int, float]] = {}
    answers: dict[int, list[Item]] = defaultdict(list)
    notes = list(ratings.notes)
    for source in scores:
        places = _matched(source, matcher, ratings.name, notes)
        for place, item in zip(places, source.items, strict=True):
            answers[place].append(item)
        for metric, numbers in source.columns.items():
            found = {places[place]: value for place, value in numbers.items()}
            _merge(columns, (metric, source.judges.get(metric, ""), source.name), found)
        notes += source.notes
    with_ratings = {place for numbers in ratings.columns.values() for place in numbers}
    kept = [place for place in range(len(matcher.items)) if place in answers]
    if not with_ratings & set(kept):
        raise _no_match(scores, ratings)
    names = _item_names(matcher.items, ratings.name)
    unscored = tuple(names[place] for place in sorted(with_ratings - set(kept)))
    unrated = tuple(names[place] for place in kept if place not in with_ratings)
    held = {place: [matcher.items[place], *answers[place]] for place in kept}
    scale, told = _scale(ratings, choices)
    notes += told
    return JoinedScores(
        _table(
            {names[place]: place for place in kept}, columns, ratings, held, choices=choices, lower=lower, scale=scale
        ),
        unscored,
        unrated,
        tuple(notes + _listed(unscored, unrated)),
        {names[place]: _whole(items) for place, items in held.items()},
    )


def _matched(source: ScoreSource, matcher: ItemMatcher, rated: str, notes: list[str]) -> list[int]:
    places = []
    other = 0
    for item in source.items:
        try:
            found = matcher.find(item)
        except InputError as error:
            raise InputError(f"{source.name}, {error}") from None
        other += found is not None and has_other_answer(matcher.items[found], item)
        places.append(matcher.add(item) if found is None else found)
    if twice := [place for place, count in Counter(places).items() if count > 1]:
        item = next(item for place, item in reversed(list(zip(places, source.items, strict=True))) if place == twice[0])
        raise InputError(f"{source.name}, {item.place}: this question and answer stand twice; give each row its own id")
    if other * 2 > len(places):
        raise InputError(
            f"{source.name}: {other} of its {len(places)} items hold another answer than the item with this id in "
            f"{rated}; these are not the same answers"
        )
    if other:
        notes.append(f"{source.name}: {other} items hold another answer than the item with this id in {rated}")
    return places


def _merge(columns: dict[_Column, dict[int, float]], key: _Column, found: dict[int, float]) -> None:
    """Adds a column; to one of this metric and judge, unless they tell different values of one item."""
    for other, held in columns.items():
        if other[:2] == key[:2] and all(
            abs(held[place] - value) <= _SAME for place, value in found.items() if place in held
        ):
            held.update(found)
            return
    columns[key] = dict(found)


def _column_names(columns: Sequence[_Column]) -> dict[_Column, str]:
    judges: dict[str, set[str]] = defaultdict(set)
    sources: dict[tuple[str, str], int] = Counter()
    for metric, judge, _ in columns:
        judges[metric].add(judge)
        sources[metric, judge] += 1
    named: dict[_Column, str] = {}
    for metric, judge, source in columns:
        name = f"{metric}@{judge}" if len(judges[metric]) > 1 and judge else metric
        if sources[metric, judge] > 1:
            name += f"@{Path(source).stem}"
        while name in named.values():
            name += "'"
        named[metric, judge, source] = name
    return named


def _table(
    places: Mapping[str, int],
    columns: dict[_Column, dict[int, float]],
    ratings: ScoreSource,
    held: Mapping[int, list[Item]],
    *,
    choices: ReadOptions,
    lower: set[str],
    scale: tuple[float, float],
) -> ScoreTable:
    named = _column_names(list(columns))
    plain = {name: metric for (metric, _, _), name in named.items()}
    for name in choices.lower_is_better:
        if name not in {*plain, *plain.values()}:
            raise InputError(f"lower is better: there is no metric {name!r}; there are {', '.join(plain)}")
    return ScoreTable(
        tuple(places),
        tuple(plain),
        _array(places, columns.values()),
        _array(places, ratings.columns.values()),
        tuple(ratings.columns),
        directions={name: not {metric, name} & lower for name, metric in plain.items()},
        rating_min=scale[0],
        rating_max=scale[1],
        groups=tuple(_group(held[place], choices) or name for name, place in places.items()),
        attributes={
            attribute: tuple(_label(held[place], attribute) for place in places.values())
            for attribute in _attributes(held.values(), choices)
        },
        baselines=BASELINES | {name for name, metric in plain.items() if metric in BASELINES},
    )


def _array(places: Mapping[str, int], columns: Collection[Mapping[int, float]]) -> "Floats":
    import numpy as np

    rows = {place: row for row, place in enumerate(places.values())}
    array = np.full((len(places), len(columns)), np.nan)
    for number, numbers in enumerate(columns):
        for place, value in numbers.items():
            if place in rows:
                array[rows[place], number] = value
    return array


def _attributes(held: Collection[list[Item]], choices: ReadOptions) -> list[str]:
    """The attributes asked for, which must be there, and those that every report tells where they are there."""
    there = []
    for attribute in dict.fromkeys((*choices.by, "language", "message_type")):
        if any(_label(items, attribute) for items in held):
            there.append(attribute)
        elif attribute in choices.by:
            raise InputError(f"by {attribute}: no item says its {attribute}; write it in a column of this name")
    return there


def _group(items: list[Item], choices: ReadOptions) -> str:
    group = _label(items, choices.group or "group")
    return f"{choices.group or 'group'} {group}" if group else ""


def _label(items: list[Item], attribute: str) -> str:
    return next((label for item in items if (label := item.label(attribute))), "")


def _item_names(items: list[Item], source: str) -> list[str]:
    """The items' ids; one without gets `<file stem>-<its place>`."""
    named: dict[str, None] = {}
    for number, item in enumerate(items, 1):
        name = item.id or f"{Path(source).stem}-{number}"
        while name in named:
            name += "'"
        named[name] = None
    return list(named)


def _whole(items: list[Item]) -> Item:
    """An item with all that any source says of it."""

    def first(field: str) -> str:
        return next((text for item in items if (text := getattr(item, field))), "")

    reasons = {metric: reason for item in reversed(items) for metric, reason in item.reasons.items()}
    contexts = next((item.contexts for item in items if item.contexts), ())
    values = {key: value for item in reversed(items) for key, value in item.values.items()}
    return Item(first("id"), first("place"), first("user_input"), first("response"), contexts, values, reasons)


def _scale(ratings: ScoreSource, choices: ReadOptions) -> tuple[tuple[float, float], list[str]]:
    """The scale that was said, else 1-5 where all ratings are on it, else the lowest and the highest rating."""
    if said := choices.scale or ratings.scale:
        return said, []
    found = [rating for numbers in ratings.columns.values() for rating in numbers.values()]
    if min(found) >= 1 and max(found) <= 5:
        return (1.0, 5.0), []
    low, high = min(found), max(found)
    if low == high:
        raise InputError(f"{ratings.name}: all ratings are {low:g}; say the scale (--scale 0-1)")
    return (low, high), [f"the ratings are taken to be on a scale from {low:g} to {high:g}; say another with --scale"]


def _listed(unscored: tuple[str, ...], unrated: tuple[str, ...]) -> list[str]:
    told = []
    for ids, what in ((unscored, "rated items have no score"), (unrated, "scored items have no rating")):
        if ids:
            more = f" and {len(ids) - _NAMED_AT_MOST} more" if len(ids) > _NAMED_AT_MOST else ""
            told.append(f"{len(ids)} {what}: {', '.join(ids[:_NAMED_AT_MOST])}{more}")
    return told


def _no_match(scores: Sequence[ScoreSource], ratings: ScoreSource) -> InputError:
    def some(measured: ScoreSource) -> str:
        ids = [item.id or item.user_input[:40] or item.place for item in measured.items[:3]]
        return f"{measured.name} has {', '.join(map(repr, ids))}"

    told = "; ".join(some(each) for each in (*scores, ratings))
    return InputError(
        f"no item has both a score and a rating: {told}. Items are matched by id, else by question and answer; write "
        "the same ids in both, or say which column holds them (--map THEIRS=id)"
    )
