"""Sources of scores and ratings become one table: items matched, columns named, what does not match listed."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..eval_sets.column_table import is_lower_better, is_missing
from ..eval_sets.items import Item, ItemMatcher, ScoreSource, has_other_answer
from ..eval_sets.levels import RatedLevel
from ..eval_sets.logs.test_runs import promptfoo_cure
from ..eval_sets.score_columns import ReadOptions, check_patterns
from ..eval_sets.score_files import find_scale
from ..name_suggestions import nearest_names, quote_names
from ..text.wording import count_of, verb_of
from .arrays import Floats
from .groups import merge_groups, name_questions
from .table import BASELINES, ScoreTable

_MOST_LISTED = 10
_ROUNDING = 1e-9
# a metric, the judge that scored it if any, the source where it was first met
_Column = tuple[str, str, str]


@dataclass(frozen=True)
class JoinedScores:
    """A table of scores and ratings, with what was read beside it."""

    table: ScoreTable
    unscored: tuple[str, ...]  # rated items without any score; they are not in the table
    unrated: tuple[str, ...]  # scored items without a rating; they are in the table
    notes: tuple[str, ...]  # what the user should know about how the sources were read
    # the items as they were read, by id, each with the reasons of its scores
    answers: Mapping[str, Item] = field(repr=False)
    # whether runs of conversations were read by conversation or by turn; None where there are none
    level: RatedLevel | None = None
    # the version that each run is of, where they hold other answers to the same questions; else empty
    run_versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> dict[str, tuple[str, str]]:
        """By item, what was asked (in a conversation after what was said before) and what was answered."""
        return {item: (answer.asked, answer.response) for item, answer in self.answers.items()}


def join_sources(scores: Sequence[ScoreSource], ratings: ScoreSource, options: ReadOptions) -> JoinedScores:
    """Joins several sources of scores and one of ratings into one table.

    A metric that several judges scored becomes one column `metric@judge` per judge; where one judge's sources differ on
    an item, `metric@source`.

    Raises:
        InputError: No item has both a score and a rating, or most items with one id hold different answers.
    """
    offered = [metric for source in scores for metric in source.offered]
    check_patterns(options.metrics, offered, "metric", ", ".join(source.name for source in scores))
    matcher = ItemMatcher(ratings.items)
    # where there is no id
    own_names = [f"{Path(ratings.name).stem}-{number}" for number in range(1, len(matcher.items) + 1)]
    columns: dict[_Column, dict[int, float]] = {}
    answers: dict[int, list[Item]] = defaultdict(list)
    notes = list(ratings.notes)
    for source in scores:
        places = _match_items(source, matcher, ratings.name, notes, own_names)
        for place, item in zip(places, source.items, strict=True):
            answers[place].append(item)
        for metric, numbers in source.columns.items():
            values = {places[place]: value for place, value in numbers.items()}
            _merge_column(columns, (metric, source.judges.get(metric, ""), source.name), values)
        notes += source.notes
    rated = {place for numbers in ratings.columns.values() for place in numbers}
    scored = [place for place in range(len(matcher.items)) if place in answers]
    if not rated & set(scored):
        raise _no_match_error(scores, ratings)
    ids = _item_ids(matcher.items, own_names)
    unscored = tuple(ids[place] for place in sorted(rated - set(scored)))
    unrated = tuple(ids[place] for place in scored if place not in rated)
    items = [_merge_items([matcher.items[place], *answers[place]]) for place in scored]
    scale, scale_notes = find_scale(ratings)
    metric_by_column = _name_columns(columns)
    directions, direction_notes = _find_directions(metric_by_column, scores, options)
    names = tuple(ids[place] for place in scored)
    attribute = options.group or "group"
    labels = _labels(items, attribute, "group" if options.group else "")
    groups = tuple(f"{attribute} {label}" if label else name for name, label in zip(names, labels, strict=True))
    versions = _versions(items, options)
    asked = [item.asked if item.user_input else "" for item in items]
    named = name_questions(asked, labels, versions)
    questions = tuple(item.question or text for item, text in zip(items, named, strict=True))
    ratings_of = _array(scored, ratings.columns.values())
    if copies := _count_copies(items, questions, ratings_of):
        notes.append(f"{copies} (the same question, answer and ratings): each row counts as an answer")
    is_repeated = len({*questions} - {""}) < sum(map(bool, questions))  # trials of a question are of one group
    table = ScoreTable(
        names,
        tuple(metric_by_column),
        _array(scored, columns.values()),
        ratings_of,
        tuple(ratings.columns),
        directions=directions,
        rating_min=scale[0],
        rating_max=scale[1],
        groups=merge_groups(groups, questions) if versions or is_repeated else groups,
        versions=versions,
        questions=questions,
        answered_once=_answered_once(names, items, questions, versions),
        attributes={
            attribute: tuple(labels)
            for attribute in dict.fromkeys((*options.by, "language", "message_type"))
            if any(labels := _labels(items, attribute, "by" if attribute in options.by else ""))
        },
        baselines=BASELINES | {name for name, metric in metric_by_column.items() if metric in BASELINES},
    )
    notes += [*scale_notes, *direction_notes, *_list_unmatched(unscored, unrated)]
    return JoinedScores(table, unscored, unrated, tuple(dict.fromkeys(notes)), dict(zip(names, items, strict=True)))


def _count_copies(items: Sequence[Item], questions: Sequence[str], ratings: Floats) -> str:
    """How many rated rows are others written again; "" for none."""
    seen = Counter(
        (question, item.version, " ".join(item.response.split()), of_item.tobytes())
        for item, question, of_item in zip(items, questions, ratings, strict=True)
        if question and item.response.strip() and not np.isnan(of_item).all()
    )
    copies = seen.total() - len(seen)
    return f"{count_of(copies, 'row')} {verb_of(copies, 'repeats another', 'repeat others')}" if copies else ""


def _answered_once(
    names: Sequence[str], items: Sequence[Item], questions: Sequence[str], versions: Sequence[str]
) -> frozenset[str]:
    """The items of questions to which a version has one answer in all its rows: rows that repeat it are no trials."""
    answers = defaultdict[tuple[str, str], set[str]](set)
    of_version = list(zip(questions, versions or [""] * len(items), strict=True))
    for name, key, item in zip(names, of_version, items, strict=True):
        # where a source names the question itself, or has no texts of the answers, each of its rows is a trial
        is_named = item.question or not item.response.strip()
        answers[key].add(f"\0{name}" if is_named else " ".join(item.response.split()))
    return frozenset(name for name, key in zip(names, of_version, strict=True) if len(answers[key]) == 1)


def _match_items(
    source: ScoreSource, matcher: ItemMatcher, rating_name: str, notes: list[str], names: list[str]
) -> list[int]:
    """The number of each item of a source among all items; new ones are added, to the `names` with their place here."""
    places = []
    differing = 0
    for number, item in enumerate(source.items, 1):
        try:
            place = matcher.find(item)
        except InputError as error:
            raise InputError(f"{source.name}, {error}") from None
        differing += place is not None and has_other_answer(matcher.items[place], item)
        if place is None:
            place = matcher.add(item)
            names.append(f"{Path(source.name).stem}-{number}")
        places.append(place)
    if duplicates := [place for place, count in Counter(places).items() if count > 1]:
        item = source.items[len(places) - 1 - places[::-1].index(duplicates[0])]
        raise InputError(f"{source.name}, {item.place}: this question and answer stand twice; give each row its own id")
    problem = (
        f"{source.name}: {differing} of its {count_of(len(places), 'item')} {verb_of(differing, 'holds', 'hold')} "
        "another answer than the item with "
        "this id in"
    )
    if differing * 2 > len(places):
        raise InputError(f"{problem} {rating_name}; these are not the same answers")
    if differing:
        notes.append(f"{problem} {rating_name}")
    return places


def _merge_column(columns: dict[_Column, dict[int, float]], key: _Column, values: dict[int, float]) -> None:
    """Adds a column, to one of the same metric and judge where the two differ on no item."""
    for other, numbers in columns.items():
        if other[:2] == key[:2] and all(
            abs(numbers[place] - value) <= _ROUNDING for place, value in values.items() if place in numbers
        ):
            numbers.update(values)
            return
    columns[key] = dict(values)


def _name_columns(columns: Collection[_Column]) -> dict[str, str]:
    """The name of each column, in order -> its metric."""
    judges: dict[str, set[str]] = defaultdict(set)
    sources: dict[tuple[str, str], int] = Counter()
    for metric, judge, _ in columns:
        judges[metric].add(judge)
        sources[metric, judge] += 1
    names: dict[str, str] = {}
    for metric, judge, source in columns:
        name = f"{metric}@{judge}" if len(judges[metric]) > 1 and judge else metric
        if sources[metric, judge] > 1:
            name += f"@{Path(source).stem}"
        while name in names:
            name += "'"
        names[name] = metric
    return names


def _find_directions(
    metric_by_column: Mapping[str, str], scores: Sequence[ScoreSource], options: ReadOptions
) -> tuple[dict[str, bool], list[str]]:
    """Whether higher is better, by column: as the user says, else the source, else the name; and what to tell of it."""
    known = {*metric_by_column, *metric_by_column.values()}
    for option, names in (("lower", options.lower_is_better), ("higher", options.higher_is_better)):
        for name in names:
            if name not in known:
                listed = ", ".join(metric_by_column)
                raise InputError(f"--{option}-is-better: unknown metric {name!r}; the metrics are {listed}")
    stated = {metric: higher for source in scores for metric, higher in source.directions.items()}
    directions, guessed = {}, []
    for column, metric in metric_by_column.items():
        if {column, metric} & {*options.lower_is_better, *options.higher_is_better}:
            directions[column] = not {column, metric} & set(options.lower_is_better)
        elif metric in stated:
            directions[column] = stated[metric]
        else:
            directions[column] = not is_lower_better(metric)
            guessed += [] if directions[column] else [column]
    notes = [f"lower is better for {', '.join(guessed)}, by its name; say otherwise with --higher-is-better"]
    return directions, notes if guessed else []


def _array(places: Sequence[int], columns: Collection[Mapping[int, float]]) -> Floats:
    array = np.full((len(places), len(columns)), np.nan)
    for number, numbers in enumerate(columns):
        array[:, number] = [numbers.get(place, np.nan) for place in places]
    return array


def _labels(items: Sequence[Item], attribute: str, option: str = "") -> list[str]:
    """The label of each item. Raises `InputError` where an option names an attribute of which no item has one."""
    labels = [item.label(attribute) for item in items]
    if option and not any(labels):
        known = {name.removeprefix("metadata."): None for item in items for name in item.values}
        near = nearest_names(attribute, known, at_most=3)
        cure = f"did you mean {quote_names(near)}?" if near else f"write a column `{attribute}`"
        raise InputError(f"--{option} {attribute}: no item has a label for it; {cure}")
    return labels


def _versions(items: Sequence[Item], options: ReadOptions) -> tuple[str, ...]:
    """The version that gave each answer; empty where all are of one.

    That is the one that the source names (a run), the label of the attribute, or both where there are several of both.
    """
    labels = _labels(items, options.versions or "system", "versions" if options.versions else "")
    systems = Counter(run for run, _ in {(item.version, label) for item, label in zip(items, labels, strict=True)})
    versions = tuple(
        f"{item.version} {label if systems[item.version] > 1 else ''}".rstrip() if item.version else label
        for item, label in zip(items, labels, strict=True)
    )
    return versions if len(set(versions) - {""}) > 1 else ()


def _item_ids(items: list[Item], names: list[str]) -> list[str]:
    """The items' ids; one without gets its name, `<stem of its file>-<its place there>`."""
    ids: dict[str, None] = {}
    for item, name in zip(items, names, strict=True):
        item_id = item.id or name
        while item_id in ids:
            item_id += "'"
        ids[item_id] = None
    return list(ids)


def _merge_items(items: list[Item]) -> Item:
    """Merges what the sources say of one item; the first source with a value counts."""

    first = {one.name: next(filter(None, (getattr(item, one.name) for item in items)), "") for one in fields(Item)}
    reasons = {metric: reason for item in reversed(items) for metric, reason in item.reasons.items()}
    values = items[0].values
    for item in items[1:]:
        if item.values is not values:  # of a file with scores and ratings both have the same row
            values = {**item.values, **{key: value for key, value in values.items() if not is_missing(value)}}
    return Item(**first | {"contexts": first["contexts"] or (), "values": values, "reasons": reasons})


def _list_unmatched(unscored: tuple[str, ...], unrated: tuple[str, ...]) -> list[str]:
    lines = []
    for ids, what, lack in ((unscored, "rated item", "score"), (unrated, "scored item", "rating")):
        if ids:
            more = f" and {len(ids) - _MOST_LISTED} more" if len(ids) > _MOST_LISTED else ""
            lines.append(
                f"{count_of(len(ids), f'{what} has', f'{what}s have')} no {lack}: {', '.join(ids[:_MOST_LISTED])}{more}"
            )
    return lines


def _no_match_error(scores: Sequence[ScoreSource], ratings: ScoreSource) -> InputError:
    def describe(source: ScoreSource) -> str:
        ids = [item.id or item.user_input[:40] or item.place for item in source.items[:3]]
        return f"{source.name} has {', '.join(map(repr, ids))}"

    for source in scores:
        if not any(item.response for item in source.items) and (cure := promptfoo_cure(source.items[0].values)):
            return InputError(f"{source.name}: {cure}")
    sources = "; ".join(describe(source) for source in (*scores, ratings))
    return InputError(
        f"no item has both a score and a rating: {sources}. Items are matched by id, else by question and answer; "
        "write the same ids in both, or say which column holds them (--map THEIRS=id)"
    )
