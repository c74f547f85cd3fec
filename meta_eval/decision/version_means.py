"""The mean rating of each version, from the ratings that there are and the scores of all answers, with its errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from ..arrays import Bools, Floats, Places
from ..groups import effective_degrees
from .version_table import VersionTable

FEWEST_RATED_GROUPS = 5
_MOST_CORRELATION = 0.95  # of ratings of one question's answers, so that the weights stay bounded
_FIRST_CORRELATION, _ROUNDS = 0.5, 4
_LITTLE = 0.1
_FEW_SAME = 0.05  # of the answers: so few move no mean
_NO_SPREAD = 1e-12


@dataclass(frozen=True, eq=False)
class VersionMeans:
    """The means of versions, and what they are without each group: all errors follow from these."""

    means: Floats  # the mean of each version, (versions,)
    replicates: Floats  # the means without one group at a time, (groups, versions)
    # how many answers count in each group, (groups, versions): the rated ones whose text differs between the versions,
    # or, of a version without any, all that differ
    rated_by_group: Floats

    @cached_property
    def covariance(self) -> Floats:
        """The jackknife covariance of the means, (versions, versions) (Tukey, 1958)."""
        count = len(self.replicates)
        deviations = self.replicates - self.replicates.mean(axis=0)
        covariance: Floats = (count - 1) / count * (deviations.T @ deviations)
        return covariance

    def difference(self, first: int, second: int) -> tuple[float, float, float]:
        """The mean of the second version less that of the first, its standard error, and its degrees of freedom."""
        moves = self.replicates[:, second] - self.replicates[:, first]
        error, degrees = _error(moves, self.degrees(first, second))
        return float(self.means[second] - self.means[first]), error, degrees

    def mean(self, version: int) -> tuple[float, float, float]:
        """The mean of a version, its standard error, and its degrees of freedom."""
        error, degrees = _error(self.replicates[:, version], self.degrees(version))
        return float(self.means[version]), error, degrees

    def degrees(self, *versions: int) -> float:
        """Degrees of freedom of several means: the effective number of groups less one (`effective_degrees`)."""
        return effective_degrees(self.rated_by_group[:, list(versions)].sum(axis=1))


def _error(replicates: Floats, degrees: float) -> tuple[float, float]:
    """The jackknife standard error of a value, and its degrees of freedom.

    Where two versions are rated alike in most groups, the few others are all that the error is known from: groups count
    that move the value by a tenth of the largest move or more. Where twice their number k is less than there are
    groups, the degrees of freedom are 2 k - 1, and the variance counts one such group more.
    """
    count, moves = len(replicates), replicates - replicates.mean()
    error = float(np.sqrt((count - 1) / count * (moves**2).sum()))
    size = np.abs(moves).max()
    few = int((np.abs(moves) > _LITTLE * size).sum()) if size > 0 else 0
    if few and 2 * few - 1 < degrees:
        return error * float(np.sqrt((few + 1) / few)), 2.0 * few - 1
    return error, degrees


def estimate_version_means(table: VersionTable, *, use_scores: bool = True, use_ratings: bool = True) -> VersionMeans:
    """Estimates the mean rating of each version: prediction-powered, paired by question, over groups.

    Questions to which all versions give the same answer differ by nothing, rated or not. On the others the rating of
    version k's answer to question i is y = a_k + b f + noise, with f its score and one slope for all versions; ratings
    of one question are correlated alike (generalised estimating equations with exchangeable working correlation, Liang
    and Zeger, 1986), so that a question that is rated for two versions counts as a pair, and one that is rated for one
    still counts. The mean is a_k + b times the mean score of ALL answers of the version (the regression estimator of
    survey statistics, which is prediction-powered inference with power tuning, PPI++, Angelopoulos, Duchi and Zrnic,
    2023, arXiv 2311.01453): it is right on average however bad the score is, where the rated answers are a random part.
    The slope is at least 0.

    A version without rated answers among those that differ gets the mean intercept of the others: its mean rests on the
    score. Without any rating (or without `use_ratings`) the means are those of the scores.

    Errors come from leaving out one group at a time, with its rated and its unrated answers, all estimated anew.

    Example:
        Ten questions, all rated, B half a point better:

        >>> numbers = np.arange(10)
        >>> ratings = np.concatenate([np.full(10, 3.0), 3 + np.arange(10) % 2])
        >>> table = VersionTable(("A", "B"), np.repeat([0, 1], 10), np.tile(numbers, 2), np.tile(numbers, 2),
        ...                      scores=ratings, ratings=ratings, text=np.arange(20))
        >>> means = estimate_version_means(table)
        >>> means.means.tolist(), [round(number, 3) for number in means.difference(0, 1)]
        ([3.0, 3.5], [0.5, 0.167, 9.0])
    """
    changed, ratings = changed_answers(table), usable_ratings(table)
    if not use_ratings or not rated_versions(table).any():  # the scores stand for the ratings: nothing corrects them
        ratings, use_scores = _fill_in(table.scores), False
    scores = _fill_in(table.scores) if use_scores else np.zeros(len(table.text))
    sums = _sum_groups(table, changed, ratings, scores)
    corrects_same = int((sums.rated_same > 0).sum()) >= FEWEST_RATED_GROUPS or not changed.any()
    has_rating = sums.rated_changed.sum(axis=0) > 0
    counted = np.where(has_rating, sums.rated_changed, sums.changed)
    solve = partial(_solve, corrects_same=corrects_same)
    return VersionMeans(solve(sums.total)[0], solve(sums.without_each), counted)


def usable_ratings(table: VersionTable) -> Floats:
    """The rating of each answer that counts, (answers,), NaN elsewhere.

    A rating of one answer serves the same answer of other versions. Where ratings of one version are of fewer than five
    groups, among the questions on which the versions differ, and those of another are of more, the few do not say what
    the version is worth: they do not count. Where all are few, they count, but nothing says how sure they are.
    """
    ratings = shared_ratings(table)
    fitted, versions = changed_answers(table) & ~np.isnan(ratings), len(table.versions)
    pairs = np.unique(table.group[fitted].astype(np.int64) * versions + table.version[fitted]) % versions
    groups = np.bincount(pairs, minlength=versions)
    too_few = (groups < FEWEST_RATED_GROUPS) & bool((groups >= FEWEST_RATED_GROUPS).any() or not groups.all())
    return np.where(fitted & too_few[table.version], np.nan, ratings)


def rated_versions(table: VersionTable) -> Bools:
    """Which versions have ratings that count, where they differ from others, (versions,); all, where none differs."""
    counts, changed = ~np.isnan(usable_ratings(table)), changed_answers(table)
    if not changed.any():
        return np.full(len(table.versions), bool(counts.any()))
    return np.asarray(np.bincount(table.version[counts & changed], minlength=len(table.versions)) > 0)


def knows_level(table: VersionTable) -> bool:
    """Whether the answers on which all versions agree have their own ratings, or hardly any are."""
    same, ratings = ~changed_answers(table), usable_ratings(table)
    if np.isnan(ratings).all() or same.mean() < _FEW_SAME:
        return True
    return len(np.unique(table.group[same & ~np.isnan(ratings)])) >= FEWEST_RATED_GROUPS


def changed_answers(table: VersionTable, versions: Sequence[int] | None = None) -> Bools:
    """Which answers are to questions that not all of these versions answer alike, (answers,)."""
    wanted = range(len(table.versions)) if versions is None else versions
    rows = np.isin(table.version, list(wanted))
    count, all_versions = int(table.question.max()) + 1, len(table.versions)
    texts = table.question_of_answer[np.unique(table.answers[rows])]
    pairs = np.unique(table.question[rows].astype(np.int64) * all_versions + table.version[rows]) // all_versions
    alike = (np.bincount(texts, minlength=count) == 1) & (np.bincount(pairs, minlength=count) == len(wanted))
    return np.asarray(rows & ~alike[table.question])


def shared_ratings(table: VersionTable) -> Floats:
    """The rating of each answer, (answers,), where a rating of one answer serves the same answer of other versions."""
    is_known = ~np.isnan(table.ratings)
    counts = np.bincount(table.answers[is_known], minlength=len(table.question_of_answer))
    sums = np.bincount(table.answers[is_known], weights=table.ratings[is_known], minlength=len(counts))
    means = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return np.asarray(means[table.answers])


def _fill_in(scores: Floats) -> Floats:
    """The scores with the mean in place of missing ones: any score that knows no rating leaves the estimate right."""
    is_known = ~np.isnan(scores)
    return np.where(is_known, scores, scores[is_known].mean() if is_known.any() else 0.0)


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums by group, (groups, ...), or of all but one group.

    `design`, `of_ratings`, `of_scores`, `squared`, `products`: the normal equations of the changed and rated answers;
    `changed`, `changed_scores`: of all changed answers by version; `same`, `same_scores`: of the questions that all
    versions answer alike, `rated_same`, `rated_same_ratings`, `rated_same_scores`: of those that are rated.
    """

    design: Floats
    of_ratings: Floats
    of_scores: Floats
    squared: Floats
    products: Floats
    rated_changed: Floats
    changed: Floats
    changed_scores: Floats
    same: Floats
    same_scores: Floats
    rated_same: Floats
    rated_same_ratings: Floats
    rated_same_scores: Floats

    @property
    def total(self) -> "_Sums":
        return _Sums(*(getattr(self, name).sum(axis=0)[None] for name in self.__slots__))

    @property
    def without_each(self) -> "_Sums":
        return _Sums(*(getattr(self, name).sum(axis=0) - getattr(self, name) for name in self.__slots__))


def _sum_groups(table: VersionTable, changed: Bools, all_ratings: Floats, scores: Floats) -> _Sums:
    versions, group = len(table.versions), np.unique(table.group, return_inverse=True)[1].ravel()
    groups = int(group.max()) + 1
    is_rated = ~np.isnan(all_ratings)
    ratings = np.where(is_rated, all_ratings, 0.0)
    one = np.zeros((len(group), versions))
    one[np.arange(len(group)), table.version] = 1.0

    def by_group(values: Floats, rows: Bools) -> Floats:
        sums = np.zeros((groups, *values.shape[1:]))
        np.add.at(sums, group[rows], values[rows])
        return sums

    fitted = changed & is_rated
    design, of_ratings, of_scores, squared, products = _normal_equations(
        np.column_stack([one, ratings, scores])[fitted], table.question[fitted], group[fitted], groups
    )
    same, rated_same = ~changed, ~changed & is_rated
    ones = np.ones(len(group))
    return _Sums(
        design,
        of_ratings,
        of_scores,
        squared,
        products,
        rated_changed=by_group(one, fitted),
        changed=by_group(one, changed),
        changed_scores=by_group(one * scores[:, None], changed),
        same=by_group(one, same),
        same_scores=by_group(scores, same),
        rated_same=by_group(ones, rated_same),
        rated_same_ratings=by_group(ratings, rated_same),
        rated_same_scores=by_group(scores, rated_same),
    )


def _normal_equations(
    columns: Floats, question: Places, group: Places, groups: int
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """The weighted sums of squares and products of versions, ratings and scores, by group.

    `columns` has one column per version, which is 1 for its answers, then the ratings and the scores.
    """
    k = columns.shape[1] - 2
    block = np.unique(question, return_inverse=True)[1].ravel()
    count = int(block.max()) + 1 if len(block) else 0
    sizes = np.bincount(block, minlength=count)
    correlation = _correlation(columns[:, :k], columns[:, k], block, sizes)
    weight = correlation / (1 + (sizes - 1) * correlation)
    block_sums = np.zeros((count, k + 2))
    np.add.at(block_sums, block, columns)
    squares = np.zeros((groups, k + 2, k + 2))
    np.add.at(squares, group, columns[:, :, None] * columns[:, None, :])
    group_of_block = np.zeros(count, np.intp)
    group_of_block[block] = group
    outer = weight[:, None, None] * block_sums[:, :, None] * block_sums[:, None, :]
    np.subtract.at(squares, group_of_block, outer)
    return squares[:, :k, :k], squares[:, :k, k], squares[:, :k, k + 1], squares[:, k + 1, k + 1], squares[:, k, k + 1]


def _correlation(one: Floats, ratings: Floats, block: Places, sizes: Places) -> float:
    """The correlation of ratings of one question's answers, about the means of the versions, in [0, 0.95].

    The means are those of the correlation found so far, so that a version that is rated on hard questions only is not
    taken for a bad one.
    """
    pairs, versions = float((sizes * (sizes - 1)).sum()), one.sum(axis=0) > 0
    if not pairs:
        return 0.0
    one, correlation = one[:, versions], _FIRST_CORRELATION
    sums, totals = np.zeros((len(sizes), one.shape[1])), np.bincount(block, weights=ratings, minlength=len(sizes))
    np.add.at(sums, block, one)
    for _ in range(_ROUNDS):
        weight = correlation / (1 + (sizes - 1) * correlation)
        design = one.T @ one - (sums * weight[:, None]).T @ sums
        residuals = ratings - one @ np.linalg.lstsq(design, one.T @ ratings - sums.T @ (weight * totals), rcond=None)[0]
        squares = float((residuals**2).sum())
        if squares <= _NO_SPREAD * len(residuals):
            return 0.0
        within = float((np.bincount(block, weights=residuals, minlength=len(sizes)) ** 2).sum()) - squares
        correlation = float(np.clip(within / pairs * len(residuals) / squares, 0.0, _MOST_CORRELATION))
    return correlation


def _solve(sums: _Sums, *, corrects_same: bool) -> Floats:
    """The means of the versions from sums, (rows, versions)."""
    versions = sums.design.shape[1]
    has_rating = sums.rated_changed > 0
    # a version without a rated answer has an equation of its own, so that the others can be solved
    design = sums.design + np.eye(versions) * ~has_rating[:, :, None]
    solved = np.linalg.solve(design, np.stack([sums.of_ratings, sums.of_scores], axis=2))
    rating_means, score_means = solved[:, :, 0], solved[:, :, 1]
    squared = sums.squared - (sums.of_scores * score_means).sum(axis=1)
    products = sums.products - (sums.of_scores * rating_means).sum(axis=1)
    scale = np.maximum(np.abs(sums.squared), 1.0)
    slope = np.where(squared > 1e-9 * scale, np.maximum(products, 0.0) / np.where(squared > 0, squared, 1.0), 0.0)
    intercepts = rating_means - slope[:, None] * score_means
    known = np.maximum(has_rating.sum(axis=1), 1)
    common = (intercepts * has_rating).sum(axis=1) / known
    intercepts = np.where(has_rating, intercepts, common[:, None])
    changed_scores = sums.changed_scores / np.maximum(sums.changed, 1.0)
    of_changed = intercepts + slope[:, None] * changed_scores
    of_same = _mean_of_same(sums, slope, common, corrects_same=corrects_same)
    share = sums.changed / np.maximum(sums.changed + sums.same, 1.0)
    return np.asarray(share * of_changed + (1 - share) * of_same[:, None])


def _mean_of_same(sums: _Sums, slope: Floats, intercept: Floats, *, corrects_same: bool) -> Floats:
    """The mean of the questions that all versions answer alike: one number for all of them, (rows,).

    Where five groups or more are rated, these correct the score; else the intercept is that of the answers that differ.
    """
    count, rated = sums.same.sum(axis=1), sums.rated_same
    mean_score = sums.same_scores / np.maximum(count, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = (sums.rated_same_ratings - slope * sums.rated_same_scores) / rated
    return np.asarray(np.where((rated > 0) & corrects_same, own, intercept) + slope * mean_score)
