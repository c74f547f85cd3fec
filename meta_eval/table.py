"""What the meta-evaluator reads: scores of metrics beside people's ratings, of the same answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ..errors import InputError

if TYPE_CHECKING:
    from .arrays import Floats, Places

BASELINES = frozenset({"answer_length", "token_overlap", "rouge_l_precision", "constant"})
RATER = "rating"  # the name of a rater where a set holds one rating an answer and no names


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores (items x metrics) and ratings (items x raters) of the same items; NaN means missing, and only here.

    `higher_is_better` has a word a metric (all higher, if left out); `groups` a label an item (an item is its own
    group, if left out): items of one group are resampled, permuted and held out together. `attributes` are labels an
    item, such as language and message_type. `baselines` names the metrics that others must beat. Items without a
    rating may stand in the table: they are what prediction-powered inference estimates.
    Raises `InputError` where shapes differ, a name stands twice, a rating is off its scale, or a value is infinite.
    """

    items: tuple[str, ...]
    metrics: tuple[str, ...]
    scores: "Floats"
    ratings: "Floats"
    raters: tuple[str, ...] = (RATER,)
    higher_is_better: tuple[bool, ...] = ()
    rating_min: float = 1.0
    rating_max: float = 5.0
    groups: tuple[str, ...] = ()
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    baselines: frozenset[str] = BASELINES

    def __post_init__(self) -> None:
        import numpy as np

        n = len(self.items)
        object.__setattr__(self, "higher_is_better", tuple(self.higher_is_better) or (True,) * len(self.metrics))
        object.__setattr__(self, "groups", tuple(self.groups) or tuple(self.items))
        for name, columns in (("scores", self.metrics), ("ratings", self.raters)):
            values = np.array(getattr(self, name), dtype=float)  # a copy: nobody changes it afterwards
            if values.shape != (n, len(columns)):
                raise InputError(f"{name}: the array is {values.shape}, not {n} items x {len(columns)} {name}")
            if np.isinf(values).any():
                item, column = (int(place[0]) for place in np.nonzero(np.isinf(values)))
                raise InputError(f"{name}: {columns[column]} of item {self.items[item]} is infinite; leave it empty")
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        labels = {"groups": self.groups, **{f"attributes.{key}": column for key, column in self.attributes.items()}}
        for name, given in labels.items():
            if len(given) != n:
                raise InputError(f"{name}: {len(given)} labels for {n} items")
        for name in ("items", "metrics", "raters"):
            if twice := _twice(getattr(self, name)):
                raise InputError(f"{name}: {twice!r} stands twice; give each its own name")
        if len(self.higher_is_better) != len(self.metrics):
            raise InputError(f"higher_is_better: {len(self.higher_is_better)} words for {len(self.metrics)} metrics")
        self._check_scale()

    def _check_scale(self) -> None:
        import numpy as np

        if not self.rating_min < self.rating_max:
            raise InputError(f"rating_min: {self.rating_min:g} is not below rating_max ({self.rating_max:g})")
        off = (self.ratings < self.rating_min) | (self.ratings > self.rating_max)
        if off.any():
            item, rater = (int(place[0]) for place in np.nonzero(off))
            raise InputError(
                f"ratings: {self.raters[rater]} gave {self.ratings[item, rater]:g} to item {self.items[item]}, outside "
                f"{self.rating_min:g} to {self.rating_max:g}; say the scale with rating_min and rating_max"
            )

    @cached_property
    def mean_rating(self) -> "Floats":
        """The mean rating of each item over the raters that rated it; NaN where nobody did."""
        import numpy as np

        given = ~np.isnan(self.ratings)
        total = np.where(given, self.ratings, 0.0).sum(axis=1)
        found = np.full(len(self.items), np.nan)
        np.divide(total, given.sum(axis=1), out=found, where=given.any(axis=1))
        return found

    @property
    def middle(self) -> float:
        """The middle of the rating scale: below it an answer is bad, above it good."""
        return (self.rating_min + self.rating_max) / 2

    @cached_property
    def oriented(self) -> "Floats":
        """The scores with those of lower-is-better metrics negated, so that more is better in every column."""
        import numpy as np

        turned: Floats = self.scores * np.where(self.higher_is_better, 1.0, -1.0)
        return turned

    @property
    def group_numbers(self) -> "Places":
        """The group of each item as a number from 0, in the order of the labels."""
        import numpy as np

        return np.unique(np.asarray(self.groups, dtype=object).astype(str), return_inverse=True)[1].astype(np.intp)

    def column(self, metric: str) -> "Floats":
        """A metric's scores, turned so that more is better. Raises `InputError` for an unknown metric."""
        if metric not in self.metrics:
            raise InputError(f"no metric {metric!r} in the table; it has {', '.join(self.metrics)}")
        return self.oriented[:, self.metrics.index(metric)]

    def rated(self) -> "ScoreTable":
        """The items that somebody rated."""
        import numpy as np

        return self.take(np.flatnonzero(~np.isnan(self.mean_rating)))

    def where(self, attribute: str, label: str) -> "ScoreTable":
        """The items whose attribute has this label."""
        return self.take([place for place, found in enumerate(self.attributes[attribute]) if found == label])

    def take(self, places: "Sequence[int] | Places") -> "ScoreTable":
        """The items at these places, in this order."""

        def taken(labels: Sequence[str]) -> tuple[str, ...]:
            return tuple(labels[place] for place in places)

        return replace(
            self,
            items=taken(self.items),
            scores=self.scores[list(places)],
            ratings=self.ratings[list(places)],
            groups=taken(self.groups),
            attributes={name: taken(labels) for name, labels in self.attributes.items()},
        )

    def only(self, metrics: Iterable[str]) -> "ScoreTable":
        """These metrics, in this order. Raises `InputError` for an unknown one."""
        names = tuple(metrics)
        for name in names:
            self.column(name)
        places = [self.metrics.index(name) for name in names]
        directions = tuple(self.higher_is_better[place] for place in places)
        return replace(self, metrics=names, scores=self.scores[:, places], higher_is_better=directions)


def _twice(names: Sequence[str]) -> str | None:
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]
