"""What the meta-evaluator reads: scores of metrics beside people's ratings, of the same answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..errors import InputError
from ..eval_sets.items import RATER
from ..eval_sets.rows import repeated_name
from ..number_bounds import LARGEST_NUMBER
from ..text.wording import count_of
from .arrays import Bools, Floats, Places

QUESTION_ONLY = "question_only"
SENTINELS = frozenset(
    {"answer_length", QUESTION_ONLY, "constant", "conversation_turns", "conversation_length", "thanks_at_end"}
)
"""Baselines that say nothing of what is answered: never part of a combination, and what every metric should beat."""
BASELINES = SENTINELS | {"token_overlap", "rouge_l_precision"}


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores and ratings of the same items. NaN means missing, and only in this table.

    Items without a rating may stand in the table: their mean rating is what `mean_of_table` estimates.

    Examples:
        >>> import numpy as np
        >>> table = ScoreTable(
        ...     items=("a", "b"),
        ...     metrics=("faithfulness", "errors"),
        ...     scores=np.array([[0.9, 0.0], [0.2, 3.0]]),
        ...     ratings=np.array([[5.0], [1.0]]),
        ...     directions={"errors": False},
        ... )
        >>> table.column("errors").tolist()
        [-0.0, -3.0]
        >>> table.directions
        {'faithfulness': True, 'errors': False}
    """

    items: tuple[str, ...]  # the id of each item
    metrics: tuple[str, ...]  # the name of each metric
    scores: Floats  # the metrics' scores as they were measured, (items, metrics)
    ratings: Floats  # People's ratings, (items, raters), from `rating_min` to `rating_max`
    raters: tuple[str, ...] = (RATER,)  # the name of each rater
    # what the raters of each item agreed on, (items,): it counts instead of their mean. NaN where they did not; left
    # out, nowhere. The raters' own ratings alone say how far people agree.
    agreed: Floats | None = None
    # whether higher is better, by metric; a metric that is not named counts as higher is better
    directions: Mapping[str, bool] = field(default_factory=dict)
    rating_min: float = 1.0
    rating_max: float = 5.0
    # the group label of each item. Items of one group are left out, permuted and held out together; left out, each item
    # is its own group.
    groups: tuple[str, ...] = ()
    # labels of each item by attribute, such as language and message_type
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # the version of the chatbot that gave each item's answer, "" for none; left out where there are none
    versions: tuple[str, ...] = ()
    # the question of each item: answers of two versions to one question are compared. "" where it is unknown.
    questions: tuple[str, ...] = ()
    # the items of questions to which a version has one answer only, also where rows repeat it: they are no trials
    answered_once: frozenset[str] = frozenset()
    baselines: frozenset[str] = BASELINES
    judgeless: frozenset[str] = frozenset()  # the metrics beside the baselines that are known to ask no judge

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(self.groups) or tuple(self.items))
        for name in ("versions", "questions"):
            object.__setattr__(self, name, tuple(getattr(self, name)) or ("",) * len(self.items))
        for name in ("items", "metrics", "raters"):
            if duplicate := repeated_name(getattr(self, name)):
                raise InputError(f"{name}: {duplicate!r} stands twice; give each its own name")
        for name, columns in (("scores", self.metrics), ("ratings", self.raters)):
            object.__setattr__(self, name, self._checked_values(name, columns))
        labels = {"groups": self.groups, "versions": self.versions, "questions": self.questions}
        labels |= {f"attributes.{key}": column for key, column in self.attributes.items()}
        for name, column in labels.items():
            if len(column) != len(self.items):
                raise InputError(f"{name}: {count_of(len(column), 'label')} for {count_of(len(self.items), 'item')}")
        if unknown := sorted(set(self.directions) - set(self.metrics)):
            raise InputError(f"directions: no metric {unknown[0]!r} in the table; it has {', '.join(self.metrics)}")
        directions = {metric: bool(self.directions.get(metric, True)) for metric in self.metrics}
        object.__setattr__(self, "directions", directions)
        self._check_scale()

    def _checked_values(self, name: str, columns: tuple[str, ...]) -> Floats:
        """A read-only copy of an array of the table."""
        values = np.array(getattr(self, name), dtype=float)
        if values.shape != (len(self.items), len(columns)):
            raise InputError(
                f"{name}: the array is {values.shape}, not {count_of(len(self.items), 'item')} x {len(columns)} {name}"
            )
        is_large = np.abs(values) > LARGEST_NUMBER
        if is_large.any():
            item, column = (int(places[0]) for places in np.nonzero(is_large))
            problem = "infinite" if np.isinf(values[item, column]) else f"larger than {LARGEST_NUMBER:g}"
            raise InputError(f"{name}: {columns[column]} of item {self.items[item]} is {problem}; leave it empty")
        values.flags.writeable = False
        return values

    def _check_scale(self) -> None:
        if not self.rating_min < self.rating_max:
            raise InputError(f"rating_min: {self.rating_min:g} is not below rating_max ({self.rating_max:g})")
        off_scale = (self.ratings < self.rating_min) | (self.ratings > self.rating_max)
        if off_scale.any():
            item, rater = (int(places[0]) for places in np.nonzero(off_scale))
            raise InputError(
                f"ratings: {self.raters[rater]} gave {self.ratings[item, rater]:g} to item {self.items[item]}, outside "
                f"{self.rating_min:g} to {self.rating_max:g}; say the scale with rating_min and rating_max"
            )

    @cached_property
    def mean_rating(self) -> Floats:
        """The rating of each item, (items,): what its raters agreed on, else their mean; NaN where nobody rated."""
        is_rated = ~np.isnan(self.ratings)
        total = np.where(is_rated, self.ratings, 0.0).sum(axis=1)
        means = np.full(len(self.items), np.nan)
        np.divide(total, is_rated.sum(axis=1), out=means, where=is_rated.any(axis=1))
        return means if self.agreed is None else np.where(np.isnan(self.agreed), means, self.agreed)

    @property
    def middle(self) -> float:
        """The middle of the rating scale: below it an answer is bad, above it good."""
        return (self.rating_min + self.rating_max) / 2

    @cached_property
    def oriented(self) -> Floats:
        """The scores, negated where lower is better, (items, metrics): more is better in every column."""
        return self.scores * np.where(list(self.directions.values()), 1.0, -1.0)

    @property
    def group_numbers(self) -> Places:
        """The group of each item as a number from 0, in the order of the labels, (items,)."""
        return np.unique(np.asarray(self.groups, dtype=object).astype(str), return_inverse=True)[1].astype(np.intp)

    def column(self, metric: str) -> Floats:
        """One metric's scores, negated where lower is better, (items,). Raises `InputError` for an unknown metric."""
        if metric not in self.metrics:
            raise InputError(f"no metric {metric!r} in the table; it has {', '.join(self.metrics)}")
        return self.oriented[:, self.metrics.index(metric)]

    @property
    def is_scored(self) -> Bools:
        """Whether any metric of the table scored an item, (items,)."""
        scored: Bools = np.any(~np.isnan(self.scores), axis=1)
        return scored

    def rated(self) -> "ScoreTable":
        """The items that somebody rated."""
        return self.take(np.flatnonzero(~np.isnan(self.mean_rating)))

    def take(self, places: Sequence[int] | Places) -> "ScoreTable":
        """The items at these places, in this order."""

        def select(labels: Sequence[str]) -> tuple[str, ...]:
            return tuple(labels[place] for place in places)

        return replace(
            self,
            items=select(self.items),
            scores=self.scores[list(places)],
            ratings=self.ratings[list(places)],
            agreed=None if self.agreed is None else self.agreed[list(places)],
            groups=select(self.groups),
            versions=select(self.versions),
            questions=select(self.questions),
            attributes={name: select(labels) for name, labels in self.attributes.items()},
        )

    def with_agreed(self, column: str) -> "ScoreTable":
        """The table with one of its columns of ratings, if it has it, taken for what the raters agreed on."""
        if column not in self.raters:
            return self
        place = self.raters.index(column)
        raters = (*self.raters[:place], *self.raters[place + 1 :])
        agreed = self.ratings[:, place]
        return replace(self, raters=raters, ratings=np.delete(self.ratings, place, axis=1), agreed=agreed)

    def only(self, metrics: Iterable[str]) -> "ScoreTable":
        """These metrics, in this order. Raises `InputError` for an unknown one."""
        names = tuple(metrics)
        for name in names:
            self.column(name)
        places = [self.metrics.index(name) for name in names]
        directions = {name: self.directions[name] for name in names}
        return replace(self, metrics=names, scores=self.scores[:, places], directions=directions)
