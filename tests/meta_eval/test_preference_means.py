"""Ratings and preferences in one estimate, on the scale of the ratings."""

import numpy as np
import pytest
from scipy import stats

from assay.meta_eval.decision import PreferenceMeans, PreferenceTable, VersionTable, combine_preferences

NAN = np.nan


def answers(ratings: list[list[float]], *, texts: list[list[int]] | None = None, groups=None) -> VersionTable:
    """A table of ratings by version and question; texts differ unless they are named."""
    versions, questions = len(ratings), len(ratings[0])
    group = np.arange(questions) if groups is None else np.array(groups)
    text = np.arange(versions * questions) if texts is None else np.concatenate([np.array(row) for row in texts])
    return VersionTable(
        tuple("ABCDEF"[:versions]),
        np.repeat(np.arange(versions), questions),
        np.tile(np.arange(questions), versions),
        np.tile(group, versions),
        scores=np.full(versions * questions, NAN),
        ratings=np.concatenate([np.array(row, dtype=float) for row in ratings]),
        text=text,
        scale=(-9.0, 9.0),
    )


def compared(table: VersionTable, values: dict[int, float], pair: tuple[int, int] = (0, 1)) -> PreferenceTable:
    """One preference per question; a question that the table does not have is its own group."""
    questions = np.array(list(values), dtype=np.intp)
    group_of = dict(zip(table.question.tolist(), table.group.tolist(), strict=True))
    group = np.array([group_of.get(question, question) for question in values], dtype=np.intp)
    first, second = (np.full(len(values), place) for place in pair)
    return PreferenceTable(table.versions, first, second, np.array(list(values.values())), questions, group)


def joined(*tables: PreferenceTable) -> PreferenceTable:
    names = ("first", "second", "choice", "question", "group")
    return PreferenceTable(
        tables[0].versions, *(np.concatenate([getattr(table, name) for table in tables]) for name in names)
    )


def by_ratings(table: VersionTable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean rating differences from the first version on questions that both have rated, without each group, counts."""
    versions = len(table.versions)
    rows = table.ratings.reshape(versions, -1)
    difference = rows - rows[0]
    group = table.group.reshape(versions, -1)[0]
    labels = np.unique(group)

    def means(is_in: np.ndarray) -> np.ndarray:
        chosen = difference[:, is_in]
        return np.array([row[~np.isnan(row)].mean() if (~np.isnan(row)).any() else 0.0 for row in chosen]) + 3

    counted = [[(~np.isnan(difference[place, group == label])).sum() for place in range(versions)] for label in labels]
    without = np.array([means(group != label) for label in labels])
    return means(group >= 0), without, np.array(counted, dtype=float)


def combine(table: VersionTable, preferences: PreferenceTable) -> PreferenceMeans:
    return combine_preferences(table, preferences, *by_ratings(table))


def test_preferences_alone_are_the_net_share_of_wins() -> None:
    """6 wins, 2 losses and 2 ties: .4, of which half to each side; without a win (5 - 2) / 9."""
    table = answers([[NAN] * 10, [NAN] * 10])
    values = dict(enumerate([1.0] * 6 + [-1.0] * 2 + [0.0] * 2))
    result = combine(table, compared(table, values))
    assert result.means == pytest.approx([-0.2, 0.2])
    assert result.replicates[0] == pytest.approx([-1 / 6, 1 / 6])
    assert (result.link, result.scale, result.weights.tolist()) == ("none", (-1.0, 1.0), [1.0, 1.0])
    assert result.notes[:1] == (
        "too few answers that are rated in two versions bring preferences to the scale of the ratings: the preferences "
        "alone decide, by the net share of wins, from -1 to 1",
    )


def test_the_notes_say_how_often_a_version_is_preferred() -> None:
    """6 wins and half of 2 ties of 10, with half a win for each side: 7.5 of 11."""
    table = answers([[NAN] * 10, [NAN] * 10])
    result = combine(table, compared(table, dict(enumerate([1.0] * 6 + [-1.0] * 2 + [0.0] * 2))))
    assert result.notes[1].startswith("preferred, a tie counting half: B to A in 68% (likely ")
    assert result.notes[1].endswith("; 6 for B, 2 for A, 2 ties)")


def test_same_answers_are_ties_that_nobody_is_asked_for() -> None:
    """Ten questions with other answers, .4; ten with the same: .2 of all, whether these were compared or not."""
    table = answers([[NAN] * 20, [NAN] * 20], texts=[list(range(20)), [*range(50, 60), *range(10, 20)]])
    values = dict(enumerate([1.0] * 6 + [-1.0] * 2 + [0.0] * 2))
    assert combine(table, compared(table, values)).means == pytest.approx([-0.1, 0.1])
    asked_anyway = values | dict.fromkeys(range(10, 20), 0.0)
    assert combine(table, compared(table, asked_anyway)).means == pytest.approx([-0.1, 0.1])


def test_raters_of_one_comparison_are_averaged() -> None:
    """Question 0 has three raters, of whom two prefer B: 1/3, not three comparisons."""
    table = answers([[NAN] * 6, [NAN] * 6])
    once = compared(table, dict(enumerate([1.0, 1.0, -1.0, 0.0, 0.0, 0.0])))
    again = joined(once, compared(table, {0: 1.0}), compared(table, {0: -1.0}))
    assert combine(table, again).means[1] == pytest.approx((1 / 3 + 1 - 1) / 6 / 2)


def test_on_other_questions_than_the_ratings() -> None:
    """Differences of -1 and 1 only: a preference is worth a point.

    12 ratings, 8 up and 4 down, have mean 1/3 and variance 12 (8/9) / 11^2 of 32 groups; 20 preferences, 9 up, 5 down,
    have mean .2 and variance 20 (.7 - .04) / 19^2. The weights are inverse to the variances.
    """
    ratings = [[3.0] * 12 + [NAN] * 20, [4.0] * 8 + [2.0] * 4 + [NAN] * 20]
    table = answers(ratings)
    values = dict(zip(range(12, 32), [1.0] * 9 + [-1.0] * 5 + [0.0] * 6, strict=True))
    means, without, counted = by_ratings(table)
    result = combine_preferences(table, compared(table, values), means, without, counted)
    of_ratings, of_preferences = 31 / 32 * 12 * (8 / 9) / 121, 31 / 32 * 20 * 0.66 / 361
    weight = of_ratings / (of_ratings + of_preferences)
    assert result.link == "rating differences"
    assert result.weights == pytest.approx([0.0, weight])
    expected = (1 - weight) / 3 + weight * 0.2
    assert result.means[1] - result.means[0] == pytest.approx(expected)
    assert result.means.mean() == pytest.approx(means.mean())
    assert result.replicates.mean(axis=1) == pytest.approx(without.mean(axis=1))
    assert result.counted.tolist() == [[1.0, 1.0]] * 32


def test_errors_grow_by_what_the_weights_cost() -> None:
    """Meier (1953): 1 + 4 w (1 - w) (1/f + 1/f'), and Student's t of 1 / ((1 - w)^2 / f + w^2 / f') degrees."""
    ratings = [[3.0] * 12 + [NAN] * 20, [4.0] * 8 + [2.0] * 4 + [NAN] * 20]
    table = answers(ratings)
    values = dict(zip(range(12, 32), [1.0] * 9 + [-1.0] * 5 + [0.0] * 6, strict=True))
    result = combine(table, compared(table, values))
    weight = float(result.weights[1])
    of_ratings, of_preferences = 31 / 32 * 12 * (8 / 9) / 121, 31 / 32 * 20 * 0.66 / 361
    variance = (1 - weight) ** 2 * of_ratings + weight**2 * of_preferences
    cost = 1 + 4 * weight * (1 - weight) * (1 / 11 + 1 / 19)
    degrees = 1 / ((1 - weight) ** 2 / 11 + weight**2 / 19)
    growth = cost * (stats.t.ppf(0.975, degrees) / stats.t.ppf(0.975, 31)) ** 2
    without = result.replicates[:, 1] - result.replicates[:, 0]
    assert 31 * np.var(without) == pytest.approx(growth * variance, rel=1e-3)


@pytest.mark.parametrize("spread", [0.0, 1.0, 2.0])
def test_normal_differences_have_the_mean_that_their_signs_tell(spread) -> None:
    """Signs of normal differences tell their mean, once the sizes are known: small and large."""
    random = np.random.default_rng(0)
    differences = spread + random.normal(size=4000)
    table = answers([[3.0] * 2000 + [NAN] * 2000, [*(3 + differences[:2000]), *[NAN] * 2000]])
    values = dict(zip(range(2000, 4000), np.sign(differences[2000:]), strict=True))
    result = combine(table, compared(table, values))
    assert result.link == "rating differences"
    assert result.means[1] - result.means[0] == pytest.approx(spread, abs=0.06)


def test_comparisons_of_rated_answers_correct_the_ratings() -> None:
    """The preferences of the rated questions are worse than all: their mean rating grows by slope x difference."""
    difference = np.array([1.0, 0, 1, -1, 0, 1, -2, 0, 1, -1, 2, 1])
    value = np.array([1.0, 0, 1, -1, 1, 0, -1, -1, 1, -1, 1, 0])
    table = answers([[3.0] * 12 + [NAN] * 20, [*(3 + difference), *[NAN] * 20]])
    further = dict(zip(range(12, 32), [1.0] * 14 + [-1.0] * 4 + [0.0] * 2, strict=True))
    result = combine(table, compared(table, dict(enumerate(value)) | further))
    slope = np.polyfit(value, difference, 1)[0]
    corrected = difference.mean() + slope * ((value.sum() + 10) / 32 - value.mean())
    assert result.link == "rated comparisons"
    weight = result.weights[1]
    assert weight > 0.5
    expected = (1 - weight) * difference.mean() + weight * corrected
    assert result.means[1] - result.means[0] == pytest.approx(expected)


def test_comparisons_of_the_rated_answers_alone_add_nothing() -> None:
    table = answers([[3.0] * 12, [3.0, 4, 5, 2, 3, 4, 4, 4, 2, 3, 3, 4]])
    values = dict(enumerate([1.0, -1, 1, 0, 1, 1, -1, 1, 0, 1, -1, 1]))
    means, without, counted = by_ratings(table)
    result = combine_preferences(table, compared(table, values), means, without, counted)
    assert result.means == pytest.approx(means)
    assert result.replicates == pytest.approx(without)
    assert result.weights.tolist() == [0, 0]
    assert result.notes[:1] == (
        "the preferences between A and B do not make the estimate surer: the ratings alone count",
    )


def test_what_measures_something_else_is_set_aside() -> None:
    """Ratings a point up on every question, preferences down on nearly every one."""
    ratings = [[3.0] * 20 + [NAN] * 20, [*[4.0, 5.0, 4.0, 3.0] * 5, *[NAN] * 20]]
    table = answers(ratings)
    values = dict(zip(range(20, 40), [-1.0] * 18 + [1.0] * 2, strict=True))
    means, without, counted = by_ratings(table)
    result = combine_preferences(table, compared(table, values), means, without, counted)
    assert result.means == pytest.approx(means)
    assert result.weights.tolist() == [0, 0]
    assert result.notes[0].startswith(
        "ratings and preferences differ by more than chance (p < .01) for B: they measure"
    )


def test_a_version_without_ratings_is_placed_by_preferences() -> None:
    """A and B have ratings, with sizes of 1, and C has comparisons with both: a preference is worth a point."""
    ratings = [[3.0] * 12 + [NAN] * 8, [*[4.0] * 8, *[2.0] * 4, *[NAN] * 8], [NAN] * 20]
    table = answers(ratings)
    asked = [
        compared(table, dict(zip(range(12, 20), [1.0] * 6 + [-1.0, 0.0], strict=True)), (0, 2)),
        compared(table, dict(zip(range(12, 20), [1.0] * 4 + [-1.0, -1.0, 0.0, 0.0], strict=True)), (2, 1)),
        compared(table, dict(zip(range(12, 20), [1.0] * 7 + [-1.0], strict=True)), (0, 1)),
    ]
    result = combine(table, joined(*asked))
    assert result.weights[2] == 1.0
    # least squares of C - A = 5/8, B - C = 2/8 and B - A = 6/8: two thirds of 5/8 and one third of 6/8 - 2/8
    assert result.means[2] - result.means[0] == pytest.approx(7 / 12)


def test_the_order_of_the_versions_does_not_matter() -> None:
    ratings = [[3.0] * 12 + [NAN] * 20, [4.0] * 8 + [2.0] * 4 + [NAN] * 20]
    values = dict(zip(range(12, 32), [1.0] * 9 + [-1.0] * 5 + [0.0] * 6, strict=True))
    table, turned = answers(ratings), answers(ratings[::-1])
    means, without, counted = by_ratings(table)
    one = combine_preferences(table, compared(table, values), means, without, counted)
    other = combine_preferences(
        turned, compared(turned, values, (1, 0)), means[::-1], without[:, ::-1], counted[:, ::-1]
    )
    assert other.means[::-1] == pytest.approx(one.means)
    assert other.replicates[:, ::-1] == pytest.approx(one.replicates)


def test_questions_that_the_table_does_not_have_are_further_groups() -> None:
    table = answers([[NAN] * 5, [NAN] * 5])
    result = combine(table, compared(table, {90: 1.0, 91: 1.0, 92: -1.0, 93: 1.0, 94: 0.0, 95: 1.0}))
    assert result.means == pytest.approx([-0.25, 0.25])
    assert result.replicates.shape == (11, 2)
    assert result.replicates[:5] == pytest.approx(np.tile([-0.25, 0.25], (5, 1)))


def test_few_groups_of_preferences_do_not_count() -> None:
    table = answers([[3.0] * 12, [4.0] * 6 + [3.0] * 6])
    means, without, counted = by_ratings(table)
    result = combine_preferences(table, compared(table, dict.fromkeys(range(4), -1.0)), means, without, counted)
    assert result.means == pytest.approx(means)
    assert result.notes[:1] == ("the preferences are of 4 groups; five are needed for them to count",)
    nobody = combine_preferences(table, compared(table, {}), means, without, counted)
    assert nobody.notes == ()
    assert nobody.means == pytest.approx(means)


def test_versions_that_nothing_connects() -> None:
    """Without ratings, C and D have preferences of their own, which say nothing about A."""
    table = answers([[NAN] * 10] * 4)
    asked = joined(
        compared(table, dict(enumerate([1.0] * 6 + [-1.0] * 4)), (0, 1)),
        compared(table, dict(enumerate([1.0] * 5 + [-1.0] * 5)), (2, 3)),
    )
    result = combine(table, asked)
    assert result.means[:2] == pytest.approx([-0.1, 0.1])
    assert np.isnan(result.means[2:]).all()
    assert result.notes[1] == "no preferences connect C, D with A"


def test_what_hangs_together_by_one_group_is_not_used() -> None:
    """C has one comparison, with B: without that question nothing connects it."""
    ratings = [[3.0] * 12 + [NAN] * 8, [*[4.0] * 8, *[2.0] * 4, *[NAN] * 8], [*[3.0, 4.0] * 6, *[NAN] * 8]]
    table = answers(ratings)
    means, without, counted = by_ratings(table)
    asked = joined(
        compared(table, dict(zip(range(12, 20), [1.0] * 5 + [-1.0] * 3, strict=True))),
        compared(table, {12: 1.0}, (1, 2)),
    )
    result = combine_preferences(table, asked, means, without, counted)
    assert result.means == pytest.approx(means)
    assert result.notes[:1] == ("the preferences between A, B and C hang together by a single group, and are not used",)
