"""Swaps of the labels of two versions, in whole groups: what would be seen if they were equally good."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .arrays import Bools, Floats, Places
from .table import ScoreTable

SAME = 1e-9
"""Differences that are as near as this, as a share of the largest one, are equal but for rounding."""


def merge_groups(groups: Sequence[str], questions: Sequence[str]) -> tuple[str, ...]:
    """Joins the groups of answers to one question, so that these stay together: the first label of each, (answers,)."""
    parent = {group: group for group in groups}

    def root(group: str) -> str:
        while parent[group] != group:
            parent[group] = group = parent[parent[group]]
        return group

    first: dict[str, str] = {}
    for group, question in zip(groups, questions, strict=True):
        if question:
            parent[root(group)] = root(first.setdefault(question, group))
    return tuple(map(root, groups))


@dataclass(frozen=True, eq=False)
class RatedVersions:
    """The rated answers as numbers: `version` is -1 for those of no version that is compared."""

    names: tuple[str, ...]
    version: Places
    question: Places
    group: Places
    ratings: Floats

    @classmethod
    def build(
        cls, rated: ScoreTable, labels: "np.ndarray[tuple[int], np.dtype[np.object_]]", names: tuple[str, ...]
    ) -> "RatedVersions":
        """Reads the rated items of a table."""
        questions = rated.questions
        groups = merge_groups(rated.groups, questions)
        by_name = {name: number for number, name in enumerate(names)}
        named = [question or f"\0{item}" for question, item in zip(questions, rated.items, strict=True)]
        return cls(
            names,
            np.array([by_name.get(label, -1) for label in labels.tolist()], dtype=np.intp),
            _numbered(named),
            _numbered(groups),
            rated.mean_rating,
        )

    def counts(self) -> Places:
        """How many answers each version has, (versions,)."""
        return np.bincount(self.version[self.version >= 0], minlength=len(self.names))

    def means(self, values: Floats) -> list[float]:
        """The mean of values (answers,) of each version."""
        return [float(values[self.version == number].mean()) for number in range(len(self.names))]


def _numbered(labels: Sequence[str]) -> Places:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)


class PairSwaps:
    """Two versions: which answers count in which group, and the swaps of their labels."""

    def __init__(
        self, answers: RatedVersions, takes_part: Bools, first: int, second: int, *, permutations: int, seed: int
    ) -> None:
        self.first, self.second = first, second
        sides = [np.flatnonzero(takes_part & (answers.version == side)) for side in (first, second)]
        asked = [np.unique(answers.question[side]) for side in sides]
        common = np.intersect1d(asked[0], asked[1])
        self.paired = 0 < len(common) >= min(map(len, asked)) / 2
        if self.paired:
            sides = [side[np.isin(answers.question[side], common)] for side in sides]
        self.questions = len(common) if self.paired else sum(map(len, sides))
        self.groups = np.unique(answers.group[np.concatenate(sides)])
        # an answer counts 1, or its share of the version's answers to its question
        self._places = sides
        self._weights = [_shares(answers.question[side]) if self.paired else np.ones(len(side)) for side in sides]
        self._rows = [np.searchsorted(self.groups, answers.group[side]) for side in sides]
        self.sizes = [self._sums(side, np.ones(len(answers.version)))[:, 0] for side in (0, 1)]
        generator = np.random.default_rng([seed, first, second])
        self.keeps, self.exact = find_swaps(self.sizes[0] > 0, self.sizes[1] > 0, permutations, generator)

    def _sums(self, side: int, values: Floats) -> Floats:
        """The sum of values (answers,) or (answers, columns) by group, (groups, columns)."""
        parts = values[self._places[side]].reshape(len(self._places[side]), -1) * self._weights[side][:, None]
        sums = np.zeros((len(self.groups), parts.shape[1]))
        np.add.at(sums, self._rows[side], parts)
        return sums

    def sums(self, values: Floats) -> tuple[Floats, Floats]:
        """The sums of both versions by group, (groups, columns) each."""
        return self._sums(0, values), self._sums(1, values)

    def differences(
        self, sums: tuple[Floats, Floats], weights: Floats | None = None, keeps: Floats | None = None
    ) -> Floats:
        """The mean of the first version less that of the second under each swap, (swaps, columns)."""
        keeps = self.keeps if keeps is None else keeps
        ones, twos = sums
        n_ones, n_twos = (size[:, None] for size in self.sizes)
        if weights is not None:
            ones, twos, n_ones, n_twos = ones * weights, twos * weights, n_ones * weights, n_twos * weights
        of_first = twos.sum(axis=0) + keeps @ (ones - twos)
        n_first = n_twos.sum(axis=0) + keeps @ (n_ones - n_twos)
        of_second = (ones + twos).sum(axis=0) - of_first
        n_second = (n_ones + n_twos).sum(axis=0) - n_first
        nothing = np.zeros(np.broadcast_shapes(of_first.shape, n_first.shape))
        means = (
            np.divide(total, count, out=nothing.copy(), where=np.broadcast_to(count > SAME, nothing.shape))
            for total, count in ((of_first, n_first), (of_second, n_second))
        )
        result: Floats = np.subtract(*means)
        return result


def _shares(questions: Places) -> Floats:
    """What each answer counts so that all answers of one version to a question count 1 together."""
    _, place, counts = np.unique(questions, return_inverse=True, return_counts=True)
    shares: Floats = 1.0 / counts[place]
    return shares


def find_swaps(
    has_first: Bools, has_second: Bools, permutations: int, generator: np.random.Generator
) -> tuple[Floats, bool]:
    """The swaps of two versions' labels, (swaps, groups), and whether these are all that there are.

    1 is for a group that keeps its labels, 0 for one whose labels change. The first row keeps all.
    """
    both = np.flatnonzero(has_first & has_second)
    alone = np.flatnonzero(has_first != has_second)
    of_first = int(has_first[alone].sum())
    ways = 2 ** len(both) * math.comb(len(alone), of_first) if len(both) < 64 else math.inf
    if ways <= permutations:
        keeps = np.ones((int(ways), len(has_first)))
        rows = 2 ** len(both)
        flips = (np.arange(rows)[:, None] >> np.arange(len(both))) & 1
        chosen = np.zeros((int(ways) // rows, len(alone)), dtype=bool)
        own = tuple(np.flatnonzero(has_first[alone]).tolist())
        orders = [own, *(one for one in combinations(range(len(alone)), of_first) if one != own)]
        for row, order in enumerate(orders):
            chosen[row, list(order)] = True
        keeps[:, both] = np.tile(1.0 - flips, (len(chosen), 1))
        keeps[:, alone] = np.repeat(chosen == has_first[alone], rows, axis=0)
        return keeps, True
    keeps = np.ones((permutations + 1, len(has_first)))
    keeps[1:, both] = generator.integers(0, 2, (permutations, len(both)))
    if len(alone):
        shuffled = generator.permuted(np.tile(has_first[alone], (permutations, 1)), axis=1)
        keeps[1:, alone] = shuffled == has_first[alone]
    return keeps, False


def one_sided_p(differences: Floats) -> Floats:
    """The p-value that the first version is better, in each column: swaps that come to the same count half."""
    slack = SAME * np.maximum(1e-6, np.abs(differences).max(axis=0))
    above = (differences > differences[0] + slack).mean(axis=0)
    below = (differences < differences[0] - slack).mean(axis=0)
    p: Floats = above + (1 - above - below) / 2
    return p


def two_sided_p(differences: Floats) -> float:
    """The p-value that there is no difference, of one column: every swap that comes as far counts."""
    sizes = np.abs(differences[:, 0])
    return float((sizes >= sizes[0] - SAME * max(1e-6, float(sizes.max()))).mean())
