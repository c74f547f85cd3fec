"""The means of versions from ratings and preferences together, on the scale of the ratings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from ...text.wording import count_of, verb_of
from ..arrays import Bools, Floats, Places
from ..jackknife import FEWEST_GROUPS
from ..student import effective_degrees, t_quantile
from .bradley_terry import connected_parts, fit_bradley_terry
from .preference_table import PreferenceTable
from .version_table import VersionTable

FEWEST_SHARED = 10
"""So many comparisons of rated answers say what a preference is worth; with fewer the rated answers alone say it."""

_SIGNIFICANT = 0.01  # below it ratings and preferences measure different things
_TINY = 1e-12
_LEVEL = 0.95
_MOST_SIZES = 100
_ALMOST = 0.99  # of the comparisons that are no ties for one version: all of them would have no finite tilt
_STEEPEST, _HALVINGS = 20.0, 50

Link = Literal["rated comparisons", "rating differences", "none"]
"""What brings preferences to the scale of the ratings."""


@dataclass(frozen=True, eq=False)
class PreferenceMeans:
    """The means of versions with what preferences say, in the form of those from ratings alone.

    Attributes:
        means: The mean of each version, (versions,); NaN for one that has neither ratings nor comparisons.
        replicates: The means without one group at a time, (groups, versions): the groups of the answers in their
            order, then those of comparisons on other questions.
        counted: How many answers or comparisons count in each group, (groups, versions).
        weights: The part of the preferences in each version's difference from the first one compared, in [0, 1],
            (versions,).
        link: What brings the preferences to the scale of the ratings; `none` where nothing does.
        scale: The lowest and the highest value of the means: those of the ratings; -1 and 1 (the net share of wins)
            where preferences alone decide.
        notes: What a reader should know, each a sentence.
    """

    means: Floats
    replicates: Floats
    counted: Floats
    weights: Floats
    link: Link
    scale: tuple[float, float]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums by group and pair of versions, (groups, pairs), on questions that the two versions answer differently.

    `asked`, `changed`: answered questions, and those with different answers; `compared`, `preferred`: comparisons and
    their values; `shared`, `shared_value`, `shared_rating`, `squares`, `products`: comparisons of rated answers, their
    values and rating differences, the squared values and their products; `rated`: pairs of answers that differ in
    rating. `sizes`: pairs of rated answers by the size of the difference, (groups, sizes).
    """

    asked: Floats
    changed: Floats
    compared: Floats
    preferred: Floats
    shared: Floats
    shared_value: Floats
    shared_rating: Floats
    squares: Floats
    products: Floats
    rated: Floats
    sizes: Floats

    @property
    def total(self) -> "_Sums":
        return _Sums(*(getattr(self, name).sum(axis=0)[None] for name in self.__dataclass_fields__))

    @property
    def without_each(self) -> "_Sums":
        return _Sums(*(getattr(self, name).sum(axis=0) - getattr(self, name) for name in self.__dataclass_fields__))


def combine_preferences(
    table: VersionTable,
    preferences: PreferenceTable,
    means: Floats,
    replicates: Floats,
    counted: Floats,
    *,
    ratings: Floats | None = None,
) -> PreferenceMeans:
    """Puts ratings and preferences together in one estimate of the mean rating of each version.

    The value of a comparison is 1 where the later version in the table is preferred, -1 where the earlier one is, 0 for
    a tie; several raters' values of one comparison are averaged first. Same answers are ties that nobody needs to be
    asked for. What the preferences say of a difference on the scale of the ratings:

    - With 10 or more comparisons of rated answers: mean rating difference of these + b (mean value of all comparisons -
      mean value of these), b being the slope of rating differences on values. This is right on average whatever
      preferences and ratings have in common, as in prediction-powered inference (Angelopoulos et al., 2023): it is the
      regression with an intercept. (Through the origin it would be too small, by 0.64 and less; see below.)
    - With fewer: the sizes |d| of the rating differences say it. Where the odds of the better rating grow with |d|
      (the signs are those of a normal or any other symmetric distribution, tilted), P(d > 0) = 1 / (1 + exp(-2 t |d|)),
      the mean of tanh(t |d|) is the mean value, which gives t, and the mean of |d| tanh(t |d|) the mean rating
      difference. It holds where raters prefer the answer that they would rate higher, which nothing here can check.
      (Mean value times mean |d| would be too small, by 0.64 for normal differences around 0.)
    - Without any: preferences alone decide, on their own scale from -1 to 1, the net share of wins.

    Ratings and preferences are put together for each difference by weights that minimise the variance, which follows,
    as their covariance does, from leaving out the same groups in both. Errors grow by what estimating the weights costs
    (Meier, 1953) and, where no comparisons of rated answers show what a preference is worth, by the distance of the two
    in its standard errors where that is more than 1 (Birge, 1932). The ratings alone count where they have the shorter
    interval, and where the two differ with p < .01 (Bonferroni over versions): then they measure different things. A
    note says which. The mean of all versions stays that of the ratings. A version without ratings is placed by its
    preferences; what rests on scores gives way to them.

    Args:
        table: The answers.
        preferences: The comparisons, on the table's numbers.
        means: The means of the versions by ratings (and scores), (versions,); NaN for a version without.
        replicates: They without one group at a time, (groups, versions), groups by their numbers in the table.
        counted: How many answers count in each group for them, (groups, versions).
        ratings: The rating of each answer that counts, (answers,); left out, those of the table.
    """
    count, further = len(table.versions), np.setdiff1d(preferences.group, table.group)
    rated = PreferenceMeans(
        np.array(means, dtype=float),
        np.vstack([replicates, np.broadcast_to(means, (len(further), count))]),
        np.vstack([counted, np.zeros((len(further), count))]),
        np.zeros(count),
        "none",
        table.scale,
    )
    if not len(preferences.first):
        return rated
    combined = _combine_estimates(table, preferences, rated, table.ratings if ratings is None else ratings)
    strengths = fit_bradley_terry(preferences)
    return replace(combined, notes=tuple(filter(None, (*combined.notes, strengths.sentence, *strengths.notes))))


def _combine_estimates(
    table: VersionTable, preferences: PreferenceTable, nothing: PreferenceMeans, ratings: Floats
) -> PreferenceMeans:
    """The estimate from both; `nothing` is that of the ratings, with the groups of the preferences."""
    count, labels = len(table.versions), np.unique(table.group)
    pairs = list(combinations(range(count), 2))
    labels = np.append(labels, np.setdiff1d(preferences.group, labels))
    sums, sizes = _sum_groups(table, preferences, ratings, labels)
    groups = int((sums.compared.sum(axis=1) > 0).sum())
    if groups < FEWEST_GROUPS:
        note = f"the preferences are of {count_of(groups, 'group')}; five are needed for them to count"
        return replace(nothing, notes=(note,))
    link = _choose_link(sums, groups)
    layout = _Layout(pairs, count, _component_members(sums.compared.sum(axis=0), pairs, count), sizes)
    preferred = _Preferred(
        _contrasts(sums.total, link, layout)[0],
        _contrasts(sums.without_each, link, layout),
        _by_version(sums.shared if link == "rated comparisons" else sums.compared, pairs, count),
        np.bincount(table.version[~np.isnan(ratings)], minlength=count) > 0,
    )
    if link == "none":
        return _preferred_alone(preferred, layout.connected[0], table.versions)
    result = replace(nothing, link=link)
    for members in layout.connected:
        result = _combine_component(result, preferred, members, table.versions)
    return replace(result, notes=(*_explain_link(sums, result), *result.notes)) if result.weights.any() else result


def _explain_link(sums: _Sums, result: PreferenceMeans) -> list[str]:
    compared, shared = count_of(sums.compared.sum(), "comparison"), int(sums.shared.sum())
    counted = f"{compared} count with the ratings, for up to {result.weights.max():.0%} of a difference"
    if result.link == "rated comparisons":
        verb = verb_of(shared, "is", "are")
        return [f"{counted}; {shared:,} of them {verb} of rated answers, which says what they are worth"]
    return [
        f"{counted}, taking it that raters prefer the answer that they would rate higher; {FEWEST_SHARED} comparisons "
        "of answers that are rated in both versions would show whether they do"
    ]


@dataclass(frozen=True, eq=False)
class _Layout:
    """The pairs of versions, how many versions there are, which comparisons connect, and the sizes of differences."""

    pairs: Sequence[tuple[int, int]]
    versions: int
    connected: Sequence[Places]
    sizes: Floats


@dataclass(frozen=True, eq=False)
class _Preferred:
    """What the preferences say of the versions: `means`, `replicates` and `counted` as in `PreferenceMeans`.

    `is_rated` says which versions have ratings: what rests on scores alone gives way to people's preferences.
    """

    means: Floats
    replicates: Floats
    counted: Floats
    is_rated: Bools


def _preferred_alone(preferred: _Preferred, members: Places, versions: tuple[str, ...]) -> PreferenceMeans:
    """What preferences alone say of the versions that they connect, the one in use today among them if it can be."""
    notes = [
        "too few answers that are rated in two versions bring preferences to the scale of the ratings: the preferences "
        "alone decide, by the net share of wins, from -1 to 1"
    ]
    outside = np.setdiff1d(np.arange(len(versions)), members)
    means, replicates = preferred.means.copy(), preferred.replicates.copy()
    means[outside], replicates[:, outside] = np.nan, np.nan
    if len(outside):
        notes.append(
            f"no preferences connect {', '.join(versions[place] for place in outside)} with {versions[members[0]]}"
        )
    weights = np.zeros(len(versions))
    weights[members] = 1.0
    return PreferenceMeans(means, replicates, preferred.counted, weights, "none", (-1.0, 1.0), tuple(notes))


def _choose_link(sums: _Sums, groups: int) -> Link:
    shared = sums.shared.sum(axis=0)
    connects_all = ((shared > 0) | (sums.compared.sum(axis=0) == 0)).all()
    if shared.sum() >= FEWEST_SHARED and connects_all and int((sums.shared.sum(axis=1) > 0).sum()) >= FEWEST_GROUPS:
        return "rated comparisons"
    if sums.rated.sum() >= FEWEST_SHARED and int((sums.rated.sum(axis=1) > 0).sum()) >= FEWEST_GROUPS:
        return "rating differences"
    return "none"


def _combine_component(
    result: PreferenceMeans, preferred: _Preferred, members: Places, versions: tuple[str, ...]
) -> PreferenceMeans:
    """Combines both estimates of the versions that comparisons connect, each against the first that is rated."""
    is_known = preferred.is_rated[members]
    names = _join(versions[member] for member in members)
    if not is_known.any():
        note = f"none of {names} has ratings: the preferences between them have nothing to stand on and are not used"
        return replace(result, notes=(*result.notes, note))
    if np.isnan(preferred.replicates[:, members]).any():
        note = f"the preferences between {names} hang together by a single group, and are not used"
        return replace(result, notes=(*result.notes, note))
    reference = members[is_known][0]
    others = members[members != reference]
    parts = [
        _combine(
            _Contrast.between(result, reference, other) if preferred.is_rated[other] else None,
            _Contrast.between(preferred, reference, other),
            _SIGNIFICANT / len(others),
            rests_on_sizes=result.link == "rating differences",
        )
        for other in others
    ]
    if any(part.differs for part in parts):
        differing = [versions[other] for other, part in zip(others, parts, strict=True) if part.differs]
        note = (
            f"ratings and preferences differ by more than chance (p < .01) for {_join(differing)}: they measure "
            "different things, or the rated answers are no random part; the ratings alone count"
        )
        return replace(result, notes=(*result.notes, note))
    if not any(part.weight for part in parts):
        note = f"the preferences between {names} do not make the estimate surer: the ratings alone count"
        return replace(result, notes=(*result.notes, note))
    means, replicates, weights = result.means.copy(), result.replicates.copy(), result.weights.copy()
    grown = max(part.growth for part in parts)
    contrasts, contrasts_without = np.zeros(len(means)), np.zeros_like(replicates)
    for other, part in zip(others, parts, strict=True):
        contrasts[other], weights[other] = part.value, part.weight
        growth = grown if part.weight else 1.0
        contrasts_without[:, other] = part.value + growth * (part.without - part.value)
    anchors = members[is_known]
    means[members] = contrasts[members] + (result.means[anchors] - contrasts[anchors]).mean()
    level = (result.replicates[:, anchors] - contrasts_without[:, anchors]).mean(axis=1)
    replicates[:, members] = contrasts_without[:, members] + level[:, None]
    counted = result.counted.copy()
    used = [*others[weights[others] > 0], *([reference] if weights[others].any() else [])]
    counted[:, used] += preferred.counted[:, used]
    return replace(result, means=means, replicates=replicates, counted=counted, weights=weights)


@dataclass(frozen=True, eq=False)
class _Contrast:
    """One version's mean less the reference's, without each group, and how many answers or comparisons count."""

    value: float
    without: Floats
    counted: Floats

    @classmethod
    def between(cls, source: "PreferenceMeans | _Preferred", reference: int, other: int) -> "_Contrast":
        """The second version's mean less the first's."""
        return cls(
            float(source.means[other] - source.means[reference]),
            source.replicates[:, other] - source.replicates[:, reference],
            source.counted[:, [reference, other]].sum(axis=1),
        )

    @property
    def degrees(self) -> float:
        """Degrees of freedom: the effective number of groups less one (Kish, 1965)."""
        return effective_degrees(self.counted)


@dataclass(frozen=True, eq=False)
class _Combination:
    """A contrast from both: `growth` widens its errors by what estimating the weight costs."""

    value: float
    without: Floats
    weight: float = 0.0
    growth: float = 1.0
    differs: bool = False


def _combine(
    rated: _Contrast | None, preferred: _Contrast, significant: float, *, rests_on_sizes: bool
) -> _Combination:
    if rated is None:
        return _Combination(preferred.value, preferred.without, 1.0)
    alone = _Combination(rated.value, rated.without)
    deviations = np.column_stack([rated.without, preferred.without])
    deviations = deviations - deviations.mean(axis=0)
    covariance = (len(deviations) - 1) / len(deviations) * (deviations.T @ deviations)
    # what a group has in common makes both larger: a negative covariance is chance, and would promise too much
    cautious = np.maximum(covariance, 0.0)
    of_ratings = float(cautious[0, 0])
    of_difference = float(cautious[0, 0] + cautious[1, 1] - 2 * cautious[0, 1])
    if of_difference < _TINY:
        return alone
    distance = abs(preferred.value - rated.value) / np.sqrt(of_difference)
    if distance > t_quantile(1 - significant / 2, min(rated.degrees, preferred.degrees)):
        return replace(alone, differs=True)
    weight = float(np.clip((of_ratings - cautious[0, 1]) / of_difference, 0.0, 1.0))
    both = np.array([1 - weight, weight])
    error = np.sqrt(float(both @ cautious @ both))
    # Satterthwaite (1946) for the degrees of freedom, of which the weight costs one where both have the same groups
    summed = effective_degrees(rated.counted + preferred.counted)
    own = 1 / ((1 - weight) ** 2 / rated.degrees + weight**2 / preferred.degrees)
    own = max(min(own, summed - 1), 1.0)
    # Meier (1953) for what estimating the weights costs
    growth = np.sqrt(1 + 4 * weight * (1 - weight) * (1 / rated.degrees + 1 / preferred.degrees))
    if rests_on_sizes:
        growth *= max(1.0, distance)  # Birge (1932)
    share = (1 + _LEVEL) / 2
    growth *= t_quantile(share, own) / t_quantile(share, summed)
    if growth * error * t_quantile(share, summed) >= np.sqrt(of_ratings) * t_quantile(share, rated.degrees):
        return alone
    growth *= error / np.sqrt(max(float(both @ covariance @ both), _TINY))
    value = float(both @ [rated.value, preferred.value])
    without = (1 - weight) * rated.without + weight * preferred.without
    return _Combination(value, without, weight, float(growth))


def _contrasts(sums: _Sums, link: Link, layout: _Layout) -> Floats:
    """What the preferences say of each version, (rows, versions), with mean 0 among those that they connect.

    NaN for a version without comparisons, and for all that one group alone connects in the row without it.
    """
    share = _divide(sums.changed, sums.asked, 1.0)
    value = _divide(sums.preferred, sums.compared, 0.0)
    weights = sums.compared
    if link == "rated comparisons":
        value_of_rated = _divide(sums.shared_value, sums.shared, 0.0)
        rating_of_rated = _divide(sums.shared_rating, sums.shared, 0.0)
        products = (sums.products - sums.shared_value * rating_of_rated).sum(axis=1, keepdims=True)
        squares = (sums.squares - sums.shared_value * value_of_rated).sum(axis=1, keepdims=True)
        value = rating_of_rated + _divide(products, squares, 0.0) * (value - value_of_rated)
        weights = sums.shared
    elif link == "rating differences":
        value = _to_ratings(value, sums.sizes, layout.sizes)
    return _solve(share * value, weights, layout)


def _to_ratings(values: Floats, counts: Floats, sizes: Floats) -> Floats:
    """The mean rating difference at each mean value of preferences, (rows, pairs), by the tilt that explains it."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    largest = _ALMOST * shares[:, sizes > 0].sum(axis=1, keepdims=True)
    target = np.clip(np.abs(values), 0.0, largest)
    low, high = np.zeros_like(target), np.full_like(target, _STEEPEST / sizes[sizes > 0].min())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        reached = np.einsum("rs,rps->rp", shares, np.tanh(middle[..., None] * sizes))
        low, high = np.where(reached < target, middle, low), np.where(reached < target, high, middle)
    difference = np.einsum("rs,rps->rp", shares * sizes, np.tanh(low[..., None] * sizes))
    return np.asarray(np.sign(values) * difference)


def _solve(values: Floats, weights: Floats, layout: _Layout) -> Floats:
    """The versions' values of which the pairs' values are differences, by weighted least squares."""
    rows, pairs, versions = len(values), layout.pairs, layout.versions
    design = np.zeros((len(pairs), versions))
    for place, (first, second) in enumerate(pairs):
        design[place, first], design[place, second] = -1.0, 1.0
    laplacian = np.einsum("rp,pi,pj->rij", weights, design, design)
    solved = np.einsum("rij,rp,pj->ri", np.linalg.pinv(laplacian, hermitian=True), weights * values, design)
    whole = {tuple(members) for members in layout.connected}
    result = np.full((rows, versions), np.nan)
    patterns, pattern_of = np.unique(weights > 0, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        for members in _component_members(pattern, pairs, versions):
            if tuple(members) in whole:
                cells = np.ix_(pattern_of.ravel() == number, members)
                result[cells] = solved[cells]
    return result


def _join(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _component_members(weights: Floats | Bools, pairs: Sequence[tuple[int, int]], versions: int) -> list[Places]:
    """The versions that comparisons connect, two or more at a time, in their order."""
    compared = np.eye(versions, dtype=bool)
    for (first, second), weight in zip(pairs, weights, strict=True):
        compared[first, second] = compared[second, first] = weight > 0
    numbers = connected_parts(compared)
    parts = [np.flatnonzero(numbers == number) for number in np.unique(numbers)]
    return [part for part in parts if len(part) > 1]


def _by_version(by_pair: Floats, pairs: Sequence[tuple[int, int]], versions: int) -> Floats:
    """Sums over the pairs of each version, (groups, versions)."""
    sums = np.zeros((len(by_pair), versions))
    for place, pair in enumerate(pairs):
        for version in pair:
            sums[:, version] += by_pair[:, place]
    return sums


def _divide(above: Floats, below: Floats, otherwise: float) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(np.shape(above), otherwise), where=np.abs(below) > _TINY))


def _sum_groups(
    table: VersionTable, preferences: PreferenceTable, ratings: Floats, labels: Places
) -> tuple[_Sums, Floats]:
    """The sums, and the sizes of rating differences that they count."""
    versions = len(table.versions)
    first, second = np.array(list(combinations(range(versions), 2))).T
    questions, row_of = np.unique(np.concatenate([table.question, preferences.question]), return_inverse=True)
    answer_row, comparison_row = np.split(row_of.ravel(), [len(table.question)])
    group = np.zeros(len(questions), dtype=np.intp)
    group[comparison_row] = np.searchsorted(labels, preferences.group)
    group[answer_row] = np.searchsorted(labels, table.group)
    shape = (len(questions), versions)
    cell = (answer_row, table.version)
    lowest, highest = np.full(shape, np.inf), np.full(shape, -np.inf)
    np.minimum.at(lowest, cell, table.text)
    np.maximum.at(highest, cell, table.text)
    answered = np.isfinite(lowest)
    rating = _cell_means(shape, cell, ratings)
    asked = answered[:, first] & answered[:, second]
    is_same = asked & (lowest[:, first] == highest[:, second]) & (highest[:, first] == lowest[:, second])
    difference = np.where(asked & ~is_same, rating[:, second] - rating[:, first], np.nan)
    place = np.zeros((versions, versions), dtype=np.intp)
    place[first, second] = place[second, first] = np.arange(len(first))
    oriented = np.where(preferences.first < preferences.second, preferences.choice, -preferences.choice)
    pair = (comparison_row, place[preferences.first, preferences.second])
    value = np.where(is_same, np.nan, _cell_means((len(questions), len(first)), pair, oriented))
    is_compared, is_rated = ~np.isnan(value), ~np.isnan(difference)
    is_shared, differs = is_compared & is_rated, is_rated & (np.nan_to_num(difference) != 0)
    value, difference = np.nan_to_num(value), np.nan_to_num(difference)

    def by_group(column: Floats | Bools) -> Floats:
        sums = np.zeros((len(labels), len(first)))
        np.add.at(sums, group, column.astype(float))
        return sums

    size = np.abs(difference)
    if len(np.unique(size)) > _MOST_SIZES:  # means of several raters: in steps of a hundredth of the largest
        size = np.round(size / size.max() * _MOST_SIZES) / _MOST_SIZES * size.max()
    sizes, size_of = np.unique(np.append(0.0, size), return_inverse=True)
    by_size = np.zeros((len(labels), len(sizes)))
    place_of = size_of.ravel()[1:].reshape(size.shape)
    np.add.at(by_size, (np.broadcast_to(group[:, None], size.shape)[is_rated], place_of[is_rated]), 1.0)
    sums = _Sums(
        asked=by_group(asked),
        changed=by_group(asked & ~is_same),
        compared=by_group(is_compared),
        preferred=by_group(value),
        shared=by_group(is_shared),
        shared_value=by_group(value * is_shared),
        shared_rating=by_group(difference * is_shared),
        squares=by_group(value**2 * is_shared),
        products=by_group(value * difference * is_shared),
        rated=by_group(differs),
        sizes=by_size,
    )
    return sums, sizes


def _cell_means(shape: tuple[int, int], cell: tuple[Places, Places], values: Floats) -> Floats:
    """The mean of the values in each cell that are no NaN; NaN in one without any."""
    is_known = ~np.isnan(values)
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, (cell[0][is_known], cell[1][is_known]), values[is_known])
    np.add.at(counts, (cell[0][is_known], cell[1][is_known]), 1.0)
    return np.asarray(np.divide(sums, counts, out=np.full(shape, np.nan), where=counts > 0))
