"""`benchmarks/decision_simulation.py`: the versions that it draws have the means that it says."""

import decision_simulation as simulation
import numpy as np
import pytest
from version_populations import Change, Population, draw_versions


@pytest.fixture
def population() -> Population:
    """Forty answers in seven unequal groups, with scores that follow the ratings."""
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(7), [1, 2, 3, 5, 7, 9, 13])
    ratings = random.integers(1, 5, size=40).astype(float)
    return Population("made_up", ratings / 4 + random.normal(size=40) / 8, ratings, groups, (1.0, 4.0))


@pytest.mark.parametrize(
    "change",
    [
        Change(),
        Change(other=1.0),
        Change(other=1.0, within_group=True),
        Change(share=0.5),
        Change(other=0.5, share=0.3, better=True, within_group=True, clustered=True),
    ],
)
def test_the_true_mean_is_that_of_many_groups(population: Population, change: Change) -> None:
    drawn = draw_versions(np.random.default_rng(1), population, (Change(), change), 10_000)
    realised = population.ratings[drawn.rows].mean(axis=1)
    np.testing.assert_allclose(realised, drawn.truth, atol=0.03)


def test_the_table_has_the_ratings_of_what_is_rated(population: Population) -> None:
    drawn = draw_versions(np.random.default_rng(2), population, (Change(), Change(share=0.5), Change(other=0.5)), 6)
    rated = simulation.choose_rated(np.random.default_rng(3), drawn, 4)
    assert rated is not None
    assert set(rated) <= set(drawn.differing)
    table = drawn.table(rated)
    assert table.versions == ("A", "B", "C")
    assert set(table.question[~np.isnan(table.ratings)]) == set(rated)
    assert (~np.isnan(table.ratings)).sum() == 3 * 4
    same = table.text[table.version == 0] == table.text[table.version == 1]
    assert (same == (drawn.rows[0] == drawn.rows[1])).all()


def test_the_line_is_fitted_on_other_answers(population: Population) -> None:
    half = population.split(np.random.default_rng(4))
    assert len(half) < len(population)
    assert len(np.unique(half.groups)) == 5
    assert (half.scores >= 1).all()
    assert (half.scores <= 4).all()


def test_further_questions_are_of_new_groups(population: Population) -> None:
    drawn = draw_versions(np.random.default_rng(5), population, (Change(), Change(share=0.5)), 6)
    more = drawn.extended(np.random.default_rng(6), 50)
    assert more.rows.shape == (2, len(drawn.groups) + 50)
    assert not set(more.groups[len(drawn.groups) :]) & set(drawn.groups)


@pytest.mark.parametrize(
    ("truth", "chosen", "is_wrong"),
    [
        ([3.0, 3.2], 1, False),
        ([3.0, 3.0], 1, True),
        ([3.0, 3.0], 0, True),
        ([3.2, 3.0], 0, False),
        ([3.0, 3.2, 3.5], 1, False),  # it is better than the one in use, as `ship` says
        ([3.0, 2.9, 3.5], 0, True),
        ([3.0, 2.5, 3.05], 0, False),  # one is worse, and the other is better by less than the margin
        ([3.0, 3.0, 3.05], 0, True),
        ([3.0, 2.9], None, False),
    ],
)
def test_what_a_wrong_winner_is(population: Population, truth: list[float], chosen: int | None, is_wrong: bool) -> None:
    rows = np.zeros((len(truth), 1), int)
    drawn = simulation.DrawnVersions(population, (), np.array(truth), rows, np.array([0]))
    assert simulation.is_wrong_winner(drawn, chosen) is is_wrong
