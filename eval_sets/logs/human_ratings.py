"""What people said of an answer, in any tool, becomes ratings by rater on one scale."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from ...name_suggestions import quote_names
from ...value_messages import shorten
from ..message import REASONS
from ..number_rule import ColumnCells, is_whole, label_of, usual_scale

UNUSED = "unused_ratings"
"""The key of a trace's metadata with what people said and is not used, and why."""
_FEEDBACK = ({"rating", "human_rating"}, {"stars"}, {"user-feedback", "user_feedback", "feedback"})  # the first counts
FEEDBACK_NAMES = frozenset().union(*_FEEDBACK)
"""Usual names of what people say of an answer."""
_THUMBS = {
    **dict.fromkeys(("👍", "+1", "up", "thumb up", "thumbs up", "positive"), 1.0),
    **dict.fromkeys(("👎", "-1", "down", "thumb down", "thumbs down", "negative"), 0.0),
}
_CURE = "give the scores a config with a lowest and a highest value"
_LARGEST = 1e9

Scale = tuple[float, float]
ScaleFinder = Callable[[str], Scale | None]


class HumanRating(NamedTuple):
    """What a person said, before it is known whether it can be used."""

    name: str
    rater: str = ""  # who rated; "" where nobody is named
    # the number; None where there is only a label. True is 1 and false is 0 on a scale from 0 to 1.
    value: float | None = None
    label: str = ""
    scale: Scale | None = None  # the lowest and highest value, where the tool tells them
    time: str = ""
    reason: str = ""


class PeopleRatings(NamedTuple):
    """The ratings of one answer."""

    # of a row: `human_rating`, or `ratings` by rater, with `rating_min` and `rating_max` where the scale is known, and
    # `rating_reasons` with what people wrote by rater; empty where nothing can be used
    fields: dict[str, Any]
    unused: dict[str, Any]  # what is not used: `problem` says why, and `ratings` lists it; empty where all is used


class RatingConfig(NamedTuple):
    """What a tool says of the ratings under a name."""

    scale: Scale | None  # None where nothing tells it
    numbers: Mapping[str, float]  # those of its labels


def read_config(config: object, ends: tuple[str, str], labels: str, number: str) -> RatingConfig:
    """Reads a tool's config: the keys of the ends of its scale, of its list of labels, and of the number of each.

    Example:
        >>> read_config({"min": 0, "max": 10}, ("min", "max"), "categories", "value").scale
        (0.0, 10.0)
    """
    values = config if isinstance(config, Mapping) else {}
    listed = values.get(labels)
    entries = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
    numbers = {str(entry.get("label")): float(entry[number]) for entry in entries if is_number(entry.get(number))}
    low, high = (min(numbers.values()), max(numbers.values())) if numbers else map(values.get, ends)
    return RatingConfig(make_scale(low, high), numbers)


class ObservedScales:
    """The usual scales that the numbers under each name lie on.

    Numbers that are all 1 lie on none: 1 is the best of one usual scale and the worst of another.

    Example:
        >>> scales = ObservedScales()
        >>> scales.observe([HumanRating("stars", value=1), HumanRating("up", value=1), HumanRating("stars", value=4)])
        >>> scales("stars"), scales("up"), scales("other")
        ((1.0, 5.0), None, None)
    """

    def __init__(self) -> None:
        self._cells = defaultdict[str, ColumnCells](ColumnCells)

    def observe(self, ratings: Iterable[HumanRating]) -> None:
        """Notes the numbers without a scale of their own."""
        for rating in ratings:
            value = rating.value
            if rating.scale is not None or value is None or isinstance(value, bool) or _thumb(rating) is not None:
                continue
            if is_number(value):
                self._cells[rating.name].add(value)

    def __call__(self, name: str) -> Scale | None:
        """Returns the scale of a name; None where it is unknown."""
        values = self._cells[name].values() if name in self._cells else [1.0]
        return None if values[0] == values[-1] == 1 else usual_scale(values[0], values[-1], whole=is_whole(values))


def join_ratings(
    ratings: Iterable[HumanRating],
    find_scale: ScaleFinder = lambda name: None,
    *,
    cure: str = _CURE,
    needs_scale: bool = True,
) -> PeopleRatings:
    """Joins what people said of one answer.

    A number is on the scale that the tool tells; a label that is a thumb, or true or false, is 1 or 0 on a scale from 0
    to 1; any other number is on the scale that `find_scale` knows. Of several names one that is named as feedback
    counts, and of these `rating` before `stars` before `user_feedback`; of several scales that of the latest rating,
    and of several ratings by one rater the latest. What people wrote of the answer is kept, also beside a rating
    that does not count; a text without a number or label is no rating.

    Examples:
        >>> join_ratings([HumanRating("solved", "ada", True), HumanRating("solved", "bob", label="👎")]).fields
        {'ratings': {'ada': 1.0, 'bob': 0.0}, 'rating_min': 0.0, 'rating_max': 1.0}
        >>> join_ratings([HumanRating("stars", "ada", 1)]).unused["ratings"]
        [{'name': 'stars', 'rater': 'ada', 'value': 1}]
    """
    usable: list[HumanRating] = []
    unused: dict[str, list[HumanRating]] = {}
    texts: list[HumanRating] = []
    for rating in sorted(ratings, key=lambda one: one.time):
        if rating.value is None and not rating.label and rating.reason:
            texts.append(rating)
            continue
        one, problem = _settle(rating, find_scale, cure, needs_scale=needs_scale)
        if problem:
            unused.setdefault(problem, []).append(rating)
        else:
            usable.append(one)
    names = sorted({rating.name for rating in usable})
    if len(names) > 1:
        ranked = ([name for name in names if name.lower() in rank] for rank in _FEEDBACK)
        chosen = next((rank for rank in ranked if rank), [])
        others = [rating for rating in usable if len(chosen) != 1 or rating.name not in chosen]
        usable = [rating for rating in usable if rating not in others]
        is_clear = len(chosen) == 1
        why = f"{quote_names(chosen)} counts" if is_clear else "none alone is named as feedback, such as `rating`"
        listed = quote_names([shorten(name) for name in names])
        unused.setdefault(f"people rated under several names, of which {why}: {listed}", []).extend(others)
    if usable:
        scale = usable[-1].scale
        if others := [rating for rating in usable if rating.scale != scale]:
            unused["ratings on another scale than the latest one"] = others
        usable = [rating for rating in usable if rating.scale == scale]
    reasons = _reasons(usable, [*(rating for ratings in unused.values() for rating in ratings), *texts])
    return PeopleRatings(_fields(usable) | ({REASONS: reasons} if reasons else {}), _unused(unused))


def split_reasons(fields: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Splits the fields of people's ratings in those of a row, and those of its metadata: the reasons.

    Example:
        >>> split_reasons(join_ratings([HumanRating("solved", "ada", True, reason="It works.")]).fields)[1]
        {'rating_reasons': {'ada': ['It works.']}}
    """
    own = {name: value for name, value in fields.items() if name != REASONS}
    return own, {REASONS: fields[REASONS]} if fields.get(REASONS) else {}


def _settle(rating: HumanRating, find_scale: ScaleFinder, cure: str, *, needs_scale: bool) -> tuple[HumanRating, str]:
    """A rating with its number and scale, or why it cannot be used."""
    name, value, scale = shorten(rating.name), rating.value, rating.scale
    if isinstance(value, bool):
        value, scale = float(value), scale or (0.0, 1.0)
    elif scale is None and (thumb := _thumb(rating)) is not None:
        value, scale = thumb, (0.0, 1.0)
    if value is None or not is_number(float(value)):
        return rating, f"`{name}` is neither a number nor a thumb; {cure}"
    scale = find_scale(rating.name) if scale is None else scale
    if scale is None and needs_scale:
        return rating, f"nothing tells the scale of `{name}`; {cure}"
    if scale is not None and not scale[0] <= value <= scale[1]:
        return rating, f"a number under `{name}` is outside its scale {scale[0]:g} to {scale[1]:g}"
    return rating._replace(value=value, scale=scale), ""


def _fields(ratings: Sequence[HumanRating]) -> dict[str, Any]:
    if not ratings:
        return {}
    scale = ratings[-1].scale
    bounds = {} if scale is None else {"rating_min": scale[0], "rating_max": scale[1]}
    if len(ratings) == 1 and not ratings[0].rater:
        return {"human_rating": ratings[0].value, **bounds}
    return {"ratings": {rater: rating.value for rater, rating in _by_rater(ratings)}, **bounds}


def _by_rater(ratings: Sequence[HumanRating]) -> Iterator[tuple[str, HumanRating]]:
    yield from ((rating.rater or f"person-{number}", rating) for number, rating in enumerate(ratings, 1))


def _reasons(ratings: Sequence[HumanRating], others: Sequence[HumanRating]) -> dict[str, list[str]]:
    """What people wrote, by rater: beside the latest of their ratings, and beside what is not used."""
    reasons: dict[str, dict[str, None]] = {}
    unnamed = ((rating.rater or "person", rating) for rating in others)
    for rater, rating in (*dict(_by_rater(ratings)).items(), *unnamed):
        if rating.reason.strip():
            reasons.setdefault(rater, {})[rating.reason.strip()] = None
    return {rater: list(held) for rater, held in reasons.items()}


def _unused(by_problem: Mapping[str, Sequence[HumanRating]]) -> dict[str, Any]:
    listed = [
        {"name": rating.name, "rater": rating.rater, "value": rating.label if rating.value is None else rating.value}
        for ratings in by_problem.values()
        for rating in ratings
    ]
    return {"problem": "; ".join(by_problem), "ratings": listed} if listed else {}


def _thumb(rating: HumanRating) -> float | None:
    """1 or 0 of a label that is a thumb; None of another, and where the number says something else."""
    thumb = _THUMBS.get(label_of(rating.label))
    if thumb is None or rating.value is None:
        return thumb
    return thumb if rating.value in ((1,) if thumb else (0, -1)) else None


def make_scale(low: object, high: object) -> Scale | None:
    """Makes a scale of what a tool says its ends are; None where they are none.

    Example:
        >>> make_scale(0, 10), make_scale(1, None), make_scale(5, 1)
        ((0.0, 10.0), None, None)
    """
    return (float(low), float(high)) if is_number(low) and is_number(high) and low < high else None


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number that can be a rating or the end of a scale."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _LARGEST  # neither of NaN nor of infinity
