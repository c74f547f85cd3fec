"""What changed between two periods: the questions, a share of the answers, and how the judge agrees with the raters."""

from dataclasses import dataclass

import numpy as np

from ...errors import UsageError
from ...text.wording import count_of
from ..arrays import Bools, Floats, Places
from ..correlation import spearman
from ..monthly_p_value import LONGEST

PERMUTATIONS = 4999
FEWEST_BLOCKS = 5
"""Each period needs as many groups."""

_MOST_PER_PERIOD = 500  # items: the distances of all pairs are held in memory
_FEWEST_RATED = 10
_PER_BLOCK = 500  # relabellings at a time


@dataclass(frozen=True, slots=True)
class Drift:
    """A change between an old and a new period.

    Attributes:
        kind: `questions`, `share` or `agreement`.
        change: Of questions the energy distance, 0 where both periods ask alike and 1 where nothing of them overlaps;
            of a share the new one less the old; of the agreement how much more the judge gives for the same rating, in
            the raters' scale (in its own where it does not rise with the ratings). None without a test.
        old: The share, or the rank correlation of judge and ratings, in the old period; None for questions.
        new: The same in the new period.
        p: The share of ways to deal the groups to the periods that show as large a change.
        p_in_month: The share of months without a change in which some look shows as much.
        groups: How many groups both periods have.
        problem: Why there is no test; empty where there is one.
    """

    kind: str
    change: float | None
    old: float | None = None
    new: float | None = None
    p: float = 1.0
    p_in_month: float = 1.0
    groups: int = 0
    problem: str = ""


def question_drift(
    old_vectors: Floats, new_vectors: Floats, groups: Places, *, seed: int = 0, looks: int = LONGEST
) -> Drift:
    """Tests whether the questions of a new period are like those of an old one, by their embeddings.

    The statistic is the energy distance 2 E|X - Y| - E|X - X'| - E|Y - Y'| (Székely and Rizzo, 2013), as a share of
    2 E|X - Y|. Its p-value deals whole groups to the periods anew: those of one period change places with those of the
    other; a group that has questions in both swaps its two parts or does not. p = (b + 1) / (m + 1) (Phipson and
    Smyth, 2010). With several looks a month the p-values are multiplied by their number (Bonferroni): so at most 5% of
    months have one of .05 without a change.

    Args:
        old_vectors: The embeddings of the old period's questions, (old, dimensions).
        new_vectors: Those of the new period.
        groups: The group of each question as a number, those of the old period first, (old + new,).
        seed: Seed of the relabellings, and of the draw of groups where a period has over 500 questions.
        looks: How many looks a month has.

    Example:
        >>> generator = np.random.default_rng(0)
        >>> old, new = generator.normal(0, 1, (40, 3)), generator.normal(2, 1, (40, 3))
        >>> drift = question_drift(old, new, np.arange(80))
        >>> drift.p_in_month < 0.05, round(drift.change, 1)
        (True, 0.4)
    """
    return _test("questions", old_vectors, new_vectors, groups, seed=seed, looks=looks)


def share_drift(old: Bools, new: Bools, groups: Places, *, seed: int = 0, looks: int = LONGEST) -> Drift:
    """Tests whether a share of the answers changed, such as that of declined ones, as `question_drift` does.

    Args:
        old: Whether each answer of the old period has the property, (old,).
        new: The same of the new period.
        groups: The group of each answer as a number, those of the old period first.
        seed: Seed of the relabellings.
        looks: How many looks a month has.

    Example:
        4 of 40 answers were declined, and now 20 of 40:

        >>> drift = share_drift(np.arange(40) < 4, np.arange(40) < 20, np.arange(80))
        >>> drift.change, drift.p_in_month < 0.05
        (0.4, True)
    """
    shares = [float(part.mean()) if len(part) else None for part in (old, new)]
    before, after = (np.asarray(part, float)[:, None] for part in (old, new))
    drift = _test("share", before, after, groups, seed=seed, looks=looks)
    change = None if shares[0] is None or shares[1] is None else shares[1] - shares[0]
    return Drift("share", change, shares[0], shares[1], drift.p, drift.p_in_month, drift.groups, drift.problem)


def agreement_drift(
    judged: Floats, ratings: Floats, is_new: Bools, groups: Places, *, seed: int = 0, looks: int = LONGEST
) -> Drift:
    """Tests whether the judge errs against new ratings as it did against the old ones.

    The errors are those of the judge's scores from one line through the ratings of both periods. Their distributions in
    both are compared as `question_drift` compares vectors, each error with its size, so that a judge that became milder
    is seen, and one that became less sure.

    Args:
        judged: The judge's scores of rated answers, (n,).
        ratings: The mean rating of each, (n,).
        is_new: Whether it belongs to the new period, (n,).
        groups: The group of each as a number, (n,).
        seed: Seed of the relabellings.
        looks: How many looks a month has.

    Example:
        A judge that gives half a point more than before for the same ratings:

        >>> ratings = np.tile([1.0, 2, 3, 4, 5], 16)
        >>> noise = np.random.default_rng(0).normal(0, 0.02, 80)
        >>> is_new = np.arange(80) >= 40
        >>> drift = agreement_drift(ratings / 5 + 0.1 * is_new + noise, ratings, is_new, np.arange(80))
        >>> round(drift.change, 1), drift.p_in_month < 0.05
        (0.5, True)
    """
    counts = int((~is_new).sum()), int(is_new.sum())
    if min(counts) < _FEWEST_RATED:
        problem = f"an agreement needs {_FEWEST_RATED} judged and rated answers of each period; one has {min(counts)}"
        return Drift("agreement", None, problem=problem)
    old, new = (
        spearman(judged[rows].tolist(), ratings[rows].tolist(), [], has_interval=False, has_p_value=False).value
        for rows in (~is_new, is_new)
    )
    deviations = ratings - ratings.mean()
    spread = float(deviations @ deviations)
    slope = float(deviations @ judged) / spread if spread > 1e-12 else 0.0
    errors = judged - judged.mean() - slope * deviations
    order = np.concatenate([np.flatnonzero(~is_new), np.flatnonzero(is_new)])
    vectors = np.column_stack([errors, np.abs(errors)])
    drift = _test("agreement", vectors[~is_new], vectors[is_new], groups[order], seed=seed, looks=looks)
    change = float(errors[is_new].mean() - errors[~is_new].mean()) / (slope if slope > 0 else 1.0)
    return Drift("agreement", change, old, new, drift.p, drift.p_in_month, drift.groups, drift.problem)


def _test(kind: str, old: Floats, new: Floats, groups: Places, *, seed: int, looks: int) -> Drift:
    """The energy distance of two samples, and how often groups that are dealt anew reach it."""
    if not np.isfinite(old).all() or not np.isfinite(new).all():
        raise UsageError("a period has a value that is not a finite number: leave such answers out")
    if len(groups) != len(old) + len(new):
        raise UsageError(f"groups must have one number per answer: {len(groups)}, not {len(old) + len(new)}")
    generator = np.random.default_rng(seed)
    numbers = np.unique(groups, return_inverse=True)[1].ravel()
    sides = [(np.asarray(old, float), numbers[: len(old)]), (np.asarray(new, float), numbers[len(old) :])]
    counts = [len(np.unique(side)) for _, side in sides]
    if min(counts) < FEWEST_BLOCKS:
        problem = f"a test needs {count_of(FEWEST_BLOCKS, 'group')} of each period; one has {min(counts)}"
        return Drift(kind, None, groups=len(np.unique(numbers)), problem=problem)
    drawn = [_draw_groups(values, side, generator) for values, side in sides]
    vectors = np.concatenate([values for values, _ in drawn])
    member = np.concatenate([side for _, side in drawn])
    is_new = np.repeat([False, True], [len(values) for values, _ in drawn])
    blocks, block = np.unique(np.column_stack([member, is_new]), axis=0, return_inverse=True)
    sums, sizes = _block_distances(vectors, block.ravel())
    label = blocks[:, 1].astype(bool)
    observed, share = _energy(sums, sizes, label[None, :].astype(float))
    slack = 1e-9 * max(1.0, abs(float(observed[0])))
    reached, done = 0, 0
    while done < PERMUTATIONS:
        count = min(_PER_BLOCK, PERMUTATIONS - done)
        by_chance, _ = _energy(sums, sizes, _relabel(blocks[:, 0], label, count, generator))
        reached += int((by_chance >= observed[0] - slack).sum())
        done += count
    p = (reached + 1) / (PERMUTATIONS + 1)
    return Drift(kind, float(share[0]), p=p, p_in_month=min(1.0, looks * p), groups=len(np.unique(member)))


def _draw_groups(values: Floats, side: Places, generator: np.random.Generator) -> tuple[Floats, Places]:
    """At most 500 items: whole groups in random order, and the first items of one that is larger than that."""
    if len(values) <= _MOST_PER_PERIOD:
        return values, side
    order = generator.permutation(int(side.max()) + 1)
    rows = np.argsort(order[side], kind="stable")[:_MOST_PER_PERIOD]
    return values[rows], side[rows]


def _block_distances(vectors: Floats, block: Places) -> tuple[Floats, Floats]:
    """(blocks, blocks): the sums of the distances between their items; and how many items each has."""
    squares = (vectors**2).sum(axis=1)
    distances = np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2 * vectors @ vectors.T, 0))
    np.fill_diagonal(distances, 0.0)
    count = int(block.max()) + 1
    member = np.zeros((len(block), count))
    member[np.arange(len(block)), block] = 1
    return member.T @ distances @ member, member.sum(axis=0)


def _energy(sums: Floats, sizes: Floats, labels: Floats) -> tuple[Floats, Floats]:
    """(the energy distance, the same as a share) for each relabelling, (relabellings,); `labels` is 1 where new.

    Dealt anew, periods differ in size: the distance counts m n / (m + n) times, as in the test statistic of Székely and
    Rizzo (2013).
    """
    new, old = labels, 1 - labels
    of_new, of_old = new @ sums, old @ sums
    n_new, n_old = np.maximum(new @ sizes, 1), np.maximum(old @ sizes, 1)
    between = (of_new * old).sum(axis=1) / (n_new * n_old)
    within = (of_new * new).sum(axis=1) / n_new**2 + (of_old * old).sum(axis=1) / n_old**2
    distance = np.maximum(2 * between - within, 0)
    share = np.divide(distance, 2 * between, out=np.zeros_like(between), where=between > 0)
    return distance * n_new * n_old / (n_new + n_old), share


def _relabel(group: Places, label: Bools, count: int, generator: np.random.Generator) -> Floats:
    """Labels dealt anew, (count, blocks): groups of one period change places, those in both swap their parts."""
    sizes = np.bincount(group)
    is_single = sizes[group] == 1
    labels = np.tile(label.astype(float), (count, 1))
    labels[:, is_single] = generator.permuted(labels[:, is_single], axis=1)
    swaps = generator.random((count, len(sizes))) < 0.5
    is_swapped = swaps[:, group] & ~is_single
    return np.asarray(np.where(is_swapped, 1 - labels, labels))
