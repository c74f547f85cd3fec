"""Strengths of versions by preferences between them."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from assay.errors import InputError
from assay.eval_sets import Preference
from assay.meta_eval.decision import PreferenceTable, VersionTable, fit_bradley_terry, make_preference_table
from assay.meta_eval.decision.bradley_terry import connected_parts


def comparisons(*rows: tuple[str, str, float], versions: str = "ABC", groups=None) -> PreferenceTable:
    first, second, choice = zip(*rows, strict=True)
    count = np.arange(len(rows))
    places = [np.array([versions.index(name) for name in names]) for names in (first, second)]
    group = count if groups is None else np.array(groups)
    return PreferenceTable(tuple(versions), *places, np.array(choice, dtype=float), count, group)


NO_INTERVAL = "their comparisons are of fewer than five groups, or one never lost and was compared with others only"
ROWS = (
    *[("A", "B", 1.0)] * 6,
    *[("A", "B", -1.0)] * 3,
    *[("B", "A", 0.0)] * 3,
    *[("C", "B", 1.0)] * 2,
    *[("B", "C", 1.0)] * 7,
    ("B", "C", 0.0),
    *[("A", "C", 1.0)] * 9,
    *[("A", "C", -1.0)] * 2,
    ("C", "A", 0.0),
)


def test_two_versions_by_hand() -> None:
    """B wins 4, loses 2, ties 1 in 7 groups: odds 5 to 3 with the half win; without a win 4 to 3, a loss 5 to 2,
    the tie 4.5 to 2.5."""
    fitted = fit_bradley_terry(
        comparisons(*[("A", "B", 1.0)] * 4, *[("A", "B", -1.0)] * 2, ("A", "B", 0.0), versions="AB")
    )
    [pair] = fitted.pairs
    assert (pair.wins_first, pair.wins_second, pair.ties) == (2, 4, 1)
    assert pair.probability == pytest.approx(5 / 8)
    assert fitted.strengths == pytest.approx([-np.log(5 / 3) / 2, np.log(5 / 3) / 2])
    without = np.log([4 / 3] * 4 + [5 / 2] * 2 + [4.5 / 2.5])
    away = stats.t.ppf(0.975, 6) * np.sqrt(6 / 7 * ((without - without.mean()) ** 2).sum())
    assert pair.low == pytest.approx(1 / (1 + np.exp(away - np.log(5 / 3))), abs=1e-4)
    assert pair.high == pytest.approx(1 / (1 + np.exp(-away - np.log(5 / 3))), abs=1e-4)
    assert fitted.notes == ()


def test_unequal_groups_have_fewer_degrees_of_freedom() -> None:
    """Groups of 4, 1, 1, 1, 1: 64 / 20 - 1 = 2.2 degrees in place of 4."""
    rows = [("A", "B", choice) for choice in (1.0, 1, -1, 1, 1, -1, 1, -1)]
    table = comparisons(*rows, versions="AB", groups=[0, 0, 0, 0, 1, 2, 3, 4])
    fitted = fit_bradley_terry(table)
    without = fitted.replicates[:, 1] - fitted.replicates[:, 0]
    away = stats.t.ppf(0.975, 2.2) * np.sqrt(4 * np.var(without))
    assert fitted.pairs[0].low == pytest.approx(1 / (1 + np.exp(away - np.log(5.5 / 3.5))), abs=1e-4)


def test_who_is_named_first_does_not_matter() -> None:
    turned = [(second, first, -choice) for first, second, choice in ROWS]
    assert fit_bradley_terry(comparisons(*turned)).pairs == fit_bradley_terry(comparisons(*ROWS)).pairs


def wins_of(table: PreferenceTable) -> tuple[np.ndarray, np.ndarray]:
    """Wins of row over column with the half win, and ties."""
    wins, ties = np.full((3, 3), 0.5) - 0.5 * np.eye(3), np.zeros((3, 3))
    for first, second, choice in zip(table.first, table.second, table.choice, strict=True):
        if choice:
            wins[(second, first) if choice > 0 else (first, second)] += 1
        else:
            ties[first, second] += 1
            ties[second, first] += 1
    return wins, ties


def test_strengths_are_those_of_a_logistic_regression() -> None:
    """The model is one: log odds of the second = its strength less the first's, ties half a success (statsmodels)."""
    api = pytest.importorskip("statsmodels.api")
    table = comparisons(*ROWS)
    wins, ties = wins_of(table)
    design, outcomes = [], []
    for first, second in ((0, 1), (0, 2), (1, 2)):
        design.append([(second == 1) - (first == 1), float(second == 2)])
        tie = ties[first, second] / 2
        outcomes.append([wins[second, first] + tie, wins[first, second] + tie])
    regression = api.GLM(np.array(outcomes), np.array(design, dtype=float), family=api.families.Binomial()).fit()
    fitted = fit_bradley_terry(table)
    assert fitted.strengths[1:] - fitted.strengths[0] == pytest.approx(regression.params, abs=1e-6)


def test_the_model_with_ties_of_davidson_has_the_same_scores_and_order() -> None:
    """Davidson's (1970) model as a log-linear model of counts: a tie of i and j has (strength i + strength j) / 2."""
    api = pytest.importorskip("statsmodels.api")
    table = comparisons(*ROWS)
    wins, ties = wins_of(table)
    counts, design, score_of = [], [], []
    for place, (first, second) in enumerate(((0, 1), (0, 2), (1, 2))):
        for share in (1.0, 0.0, 0.5):  # of the second
            strengths = np.zeros(3)
            strengths[first], strengths[second] = 1 - share, share
            counts.append(ties[first, second] if share == 0.5 else wins[(second, first) if share else (first, second)])
            design.append([*np.eye(3)[place], *strengths[1:], share == 0.5])
            score_of.append(strengths)
    model = api.GLM(np.array(counts), np.array(design, dtype=float), family=api.families.Poisson()).fit()
    fitted = fit_bradley_terry(table)
    compared = wins + wins.T + ties
    chance = 1 / (1 + np.exp(fitted.strengths[None, :] - fitted.strengths[:, None]))  # of row over column
    scores = (compared * chance).sum(axis=1) - np.diag(compared * chance)
    assert scores == pytest.approx(np.array(score_of).T @ model.fittedvalues, abs=1e-4)
    assert np.argsort([0.0, *model.params[3:5]]).tolist() == np.argsort(fitted.strengths).tolist()


def test_a_version_that_always_won() -> None:
    """Ten groups without an exception: B has .025 ** (1 / 10) = .69 at least, 10.5 of 11 estimated."""
    fitted = fit_bradley_terry(comparisons(*[("A", "B", 1.0)] * 10, versions="AB"))
    [pair] = fitted.pairs
    assert pair.probability == pytest.approx(10.5 / 11)
    assert (pair.low, pair.high) == (pytest.approx(0.025**0.1), 1.0)
    assert fitted.notes == ("B was never behind: its strength has no upper end; half a win a pair keeps it finite",)
    [turned] = fit_bradley_terry(comparisons(*[("A", "B", -1.0)] * 10, versions="AB")).pairs
    assert (turned.low, turned.high) == (0.0, pytest.approx(1 - 0.025**0.1))


def test_never_behind_of_three() -> None:
    """C beat B every time and never met A: A and C have a probability, and no interval."""
    rows = [("A", "B", 1.0), ("A", "B", -1.0)] * 4 + [("B", "C", 1.0)] * 4
    fitted = fit_bradley_terry(comparisons(*rows))
    assert fitted.notes == (
        "C was never behind: its strength has no upper end; half a win a pair keeps it finite",
        f"no interval for A and C: {NO_INTERVAL}",
    )
    by_name = {(pair.first, pair.second): pair for pair in fitted.pairs}
    assert by_name["A", "C"].low is None
    assert by_name["A", "C"].probability == pytest.approx(4.5 / 5)
    assert by_name["B", "C"].low == pytest.approx(0.025**0.25)
    assert by_name["A", "B"].low is not None


def test_what_nothing_connects_is_not_compared() -> None:
    rows = [("A", "B", 1.0), ("B", "A", 1.0)] * 3 + [("C", "D", -1.0), ("C", "D", 1.0)] * 3
    fitted = fit_bradley_terry(comparisons(*rows, versions="ABCDE"))
    assert np.isnan(fitted.strengths[4])
    assert fitted.strengths[:4] == pytest.approx([0, 0, 0, 0], abs=1e-9)
    compared = {(pair.first, pair.second) for pair in fitted.pairs if pair.probability is not None}
    assert compared == {("A", "B"), ("C", "D")}
    assert fitted.notes == (
        "no preferences connect these versions, so that nobody can compare them by preferences: A, B; C, D; E",
    )
    parts = connected_parts(np.eye(4, dtype=bool) | np.eye(4, k=1, dtype=bool) | np.eye(4, k=-1, dtype=bool))
    assert parts.tolist() == [0, 0, 0, 0]


def test_a_long_chain_converges() -> None:
    """Ten versions, each compared with its neighbours only, each a little better than the one before."""
    names = "ABCDEFGHIJ"
    rows = [(*pair, choice) for pair in pairwise(names) for choice in (1.0, 1, 1, -1, 0)]
    fitted = fit_bradley_terry(comparisons(*rows, versions=names))
    assert np.diff(fitted.strengths) == pytest.approx(np.full(9, np.log(4 / 2)), abs=1e-6)


def test_few_groups_have_no_interval() -> None:
    rows = [("A", "B", choice) for choice in (1.0, -1, 1, 1)]
    fitted = fit_bradley_terry(comparisons(*rows, versions="AB"))
    assert fitted.pairs[0].low is None
    assert fitted.notes == (f"no interval for A and B: {NO_INTERVAL}",)


def test_no_preferences() -> None:
    empty = np.zeros(0, dtype=np.intp)
    fitted = fit_bradley_terry(PreferenceTable(("A", "B"), empty, empty, np.zeros(0), empty, empty))
    assert fitted.pairs[0].probability is None
    assert np.isnan(fitted.strengths).all()


@pytest.mark.parametrize(
    ("first", "second", "choice", "message"),
    [
        ([0], [0], [1.0], "compares a version with itself"),
        ([0], [2], [1.0], "a place in the table is of none"),
        ([0], [1], [0.5], "another one is in the table"),
        ([0, 1], [1], [1.0], "differ in length"),
    ],
)
def test_a_table_that_cannot_be(first, second, choice, message) -> None:
    numbers = np.zeros(1, dtype=np.intp)
    with pytest.raises(InputError, match=message):
        PreferenceTable(("A", "B"), np.array(first), np.array(second), np.array(choice), numbers, numbers)


def test_preferences_are_brought_to_the_numbers_of_a_table() -> None:
    """Questions that the table does not have get further numbers; those with one label are one group."""
    numbers = np.array([3, 3])
    empty = np.full(2, np.nan)
    answers = VersionTable(("old", "new"), np.array([0, 1]), numbers, np.array([7, 7]), empty, empty, numbers)
    preferences = [
        Preference("q3", "old", "new", "second", group="elsewhere"),
        Preference("x", "new", "old", "tie", group="g"),
        Preference("y", "new", "old", "second", group="g"),
        Preference("y", "old", "newest", "second"),
        Preference("z", "old", "new", "first"),
    ]
    table = make_preference_table(preferences, answers, {"q3": 3, "x": 99})
    assert table.question.tolist() == [3, 4, 5, 6]
    assert table.group.tolist() == [7, 8, 8, 9]
    assert table.choice.tolist() == [1, 0, 1, -1]
    assert len(make_preference_table([], answers, {}).choice) == 0


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(3,) * 60, (12,) * 8, (30, 15, 8, 8, 4, 4, 4, 3, 2, 2, 1, 1, 1, 1)], ids=len)
def test_intervals_hold_with_few_and_unequal_groups(sizes) -> None:
    """Two versions, groups with swings of their own: 95% within what 400 repetitions may show (92 to 99%)."""
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(len(sizes)), sizes)
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    truth = (weights / (1 + np.exp(-0.6 - 0.7 * points))).sum() / weights.sum()
    held = []
    for _ in range(400):
        chance = 1 / (1 + np.exp(-0.6 - 0.7 * random.normal(size=len(sizes))[group]))
        choice = np.where(random.random(len(group)) < chance, 1.0, -1.0)
        places = np.zeros(len(group), dtype=np.intp)
        [pair] = fit_bradley_terry(PreferenceTable(("A", "B"), places, places + 1, choice, group, group)).pairs
        held.append(pair.low <= truth <= pair.high)
    assert 0.92 <= np.mean(held) <= 0.99
