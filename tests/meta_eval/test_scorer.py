"""The saved scorer: what it predicts, what its file says, how wide its interval is, and whether it still holds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.isotonic import IsotonicRegression
from tables_of_scores import made_scorer, table_of

from assay.errors import InputError, UsageError
from assay.meta_eval import (
    AgreementRecord,
    Scorer,
    ScorerPart,
    ScoreTable,
    build_scorer,
    conformal_bands,
    conformal_half_width,
    evaluate_table,
    fingerprint_ratings,
    fit_combination,
    fit_scorer,
    percentile_knots,
)

AGREEMENT = AgreementRecord(items=60, groups=15, spearman=0.5, low=0.3, high=0.7, ratings="0" * 12)


def make_scorer(**changes: object) -> Scorer:
    """Two parts, equal weights: a percentile of 0 to 1 between the values 0 and 10, and 0 to 1 between -1 and 0."""
    fields = {
        "parts": (
            ScorerPart(metric="a", weight=0.5, percentiles=((0, 0), (10, 1))),
            ScorerPart(metric="b", higher_is_better=False, weight=0.5, percentiles=((-1, 0), (0, 1))),
        ),
        **{"by_rating": ((1, 1.0),), "by_prediction": ((1, 1.0),), "send_at": 4.0, "hold_below": 2.0},
        "agreement": AGREEMENT,
    }
    return made_scorer(**fields | changes)


@pytest.mark.parametrize(
    ("a", "b", "predicted", "decision"),
    [
        (10, 0, 5.0, "send"),  # both at their best: 0.25 + 0.25 = 0.5
        (0, 1, 1.0, "hold"),  # both at their worst; b is better when lower
        (10, 1, 3.0, "person"),  # 0.25 - 0.25 = 0, the middle
        (7.5, 0.5, 3.5, "person"),  # 0.5 * 0.25 + 0 = 0.125, of a range of 4 levels per 1: 3 + 0.5
        (10, None, 4.0, "send"),  # a missing part counts as its middle: 0.25
        (99, -9, 5.0, "send"),  # beyond what it was fitted on: the ends
    ],
)
def test_the_prediction_is_the_weighted_sum_of_percentiles_on_the_rating_scale(a, b, predicted, decision):
    prediction = make_scorer().predict({"a": a, "b": b})
    assert prediction.predicted == pytest.approx(predicted)
    assert prediction.decision == decision
    assert (prediction.low, prediction.high) == (max(1, predicted - 1), min(5, predicted + 1))
    assert prediction.missing == (("b",) if b is None else ())
    assert make_scorer(send_at=None, hold_below=None).predict({"a": a, "b": b}).decision == "person"


def test_the_file_holds_all_of_it_and_is_read_back(tmp_path):
    file = tmp_path / "team.yaml"
    scorer = make_scorer()
    scorer.save(file)
    assert Scorer.load(file) == scorer
    assert "- [10.0, 1.0]" in file.read_text()  # one point per line, for review


# scores of thirds and sevenths, and means of ratings: none of them ends
ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7), st.integers(1, 5)), min_size=30, max_size=60)


@pytest.mark.parametrize("kind", ["subset", "weighed"])
@settings(max_examples=25, deadline=None)
@given(rows=ROWS, data=st.data())
def test_the_saved_scorer_decides_as_what_was_fitted(tmp_path_factory, kind, rows, data):
    """Each answer on a threshold stands on the same side of it: before saving, in the file, and out of it."""
    a, b, ratings = np.array(rows, float).T
    if len(set(ratings < 3)) == 1:
        ratings[:2] = 1, 5
    table = table_of({"a": a / 3} if kind == "subset" else {"a": a / 3, "b": b / 7}, ratings)
    predicted = fit_combination(kind, table.oriented, ratings).predict(table.oriented)
    send_at, hold_below = (data.draw(st.sampled_from(sorted(set(predicted.tolist())))) for _ in range(2))
    scorer = build_scorer(table, kind, AGREEMENT).model_copy(update={"send_at": send_at, "hold_below": hold_below})
    file = tmp_path_factory.mktemp("scorer") / "team.yaml"
    scorer.save(file)
    assert Scorer.load(file) == scorer
    for row, expected in zip(table.scores, predicted, strict=True):
        said = scorer.predict(dict(zip(table.metrics, row.tolist(), strict=True)))
        assert said.predicted == expected
        assert said.decision == ("send" if expected >= send_at else "hold" if expected < hold_below else "person")


def test_a_threshold_of_more_digits_than_a_prediction_is_read_as_one():
    """Assay 0.2 wrote the levels with six decimals and the thresholds with all: 23 / 6 is 3.833333 in both now."""
    scorer = make_scorer(ratings=((-0.5, 1.0), (0.5, 3.833333)), send_at=23 / 6, hold_below=23 / 6)
    assert scorer.predict({"a": 10, "b": 0}).decision == "send"
    assert scorer.predict({"a": 9.9, "b": 0}).decision == "hold"


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        (5.0, 1.5, 4.0),  # predicted 3: near it 2 to 4; low ratings reach it from 1.5 on
        (3.75, 1.0, 3.5),  # predicted 2.5: near it 1.5 to 3.5; low ratings reach it from 1 on
        (8.75, 3.5, 5.0),  # predicted 4.5: no low rating reaches it
        (1.25, 1.0, 2.5),  # predicted 1.5
    ],
)
def test_the_interval_holds_what_either_kind_of_band_allows(value, low, high):
    """Ratings below 2.5 are within 1.5 of their predictions, others within 0.5; all predictions within 1."""
    scorer = make_scorer(
        parts=(ScorerPart(metric="a", weight=1.0, percentiles=((0, 0), (10, 1))),),
        by_rating=((1, 1.5), (2.5, 0.5)),
        by_prediction=((1, 1.0),),
    )
    prediction = scorer.predict({"a": value})
    assert (prediction.low, prediction.high) == (low, high)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("level: 0.9", "level: wide"), 'level: is a text ("wide"), not a number; write 4 or 4.5'),
        (("kind: subset", "kinds: subset"), "kinds: is an unknown key; did you mean `kind`? The keys are "),
        (("version: 2", "version: 1"), "written by Assay 0.1; fit it again"),
        (("weight: 0.5", "weight: .nan"), "weight: is nan, not a number that can be reckoned with"),
        (("kind: subset\n", ""), "kind: is missing; add it"),
    ],
)
def test_a_file_that_is_wrong_is_told_with_its_line(tmp_path, change, message):
    file = tmp_path / "team.yaml"
    make_scorer().save(file)
    file.write_text(file.read_text().replace(*change, 1))
    with pytest.raises(InputError, match=r"team.yaml, line \d+") as error:
        Scorer.load(file)
    assert message in str(error.value)
    with pytest.raises(InputError, match="assay meta RUN --save"):
        Scorer.load(tmp_path / "none.yaml")


def test_percentiles_of_many_values_are_a_few_points():
    knots = percentile_knots(list(range(1000)), most=5)
    assert len(knots) == 5
    assert knots[0] == (0.0, 0.0005) and knots[-1] == (999.0, 0.9995)


def test_half_width_by_hand():
    """Four groups of one answer, residuals 1, 2, 3, 4: at level 0.6 the quantile is at 0.6 * 5 / 4 = 0.75, so 3.

    A fifth group with three residuals of 9 weighs as much as one answer: at 0.6 * 6 / 5 = 0.72 the quantile is 4.
    Two groups of 1, 2, 3, 4, 5 are not alike within: rho is 0 plus half its error sqrt(2 * 9 / (25 * 8)) = 0.3, so that
    the ten are worth 10 / (1 + 4 * 0.15) = 6.25: at 0.6 * 7.25 / 6.25 = 0.696 the quantile is 4, not 5 as for two.
    """
    assert conformal_half_width(np.array([1.0, -2, 3, -4]), np.arange(4), 0.6) == 3
    residuals, groups = np.array([1.0, -2, 3, -4, 9, 9, 9]), np.array([0, 1, 2, 3, 4, 4, 4])
    assert conformal_half_width(residuals, groups, 0.6) == 4
    assert conformal_half_width(residuals, groups, 0.99) == 9  # too few groups for the level: the largest
    assert conformal_half_width(np.tile([1.0, 2, 3, 4, 5], 2), np.repeat([0, 1], 5), 0.6) == 4


def test_bands_by_hand():
    """Thirty answers rated 1 to 3 in tens, residuals of 1, 2 and 3: each level is a band. Rated 1 are only five: they
    are one band with those rated 2, whose quantile at 0.9 * 16 / 15 = 0.96 is a residual of 2."""
    ratings = np.repeat([1.0, 2.0, 3.0], 10)
    bands = conformal_bands(ratings, ratings, np.arange(30), 0.9, scale=(0.0, 5.0), most=5)
    assert bands == ((0.0, 1.0), (1.5, 2.0), (2.5, 3.0))
    few = ratings[5:]
    bands = conformal_bands(few, few, np.arange(25), 0.9, scale=(1.0, 5.0), most=5)
    assert bands == ((1.0, 2.0), (2.5, 3.0))


@pytest.mark.parametrize(
    ("low", "high", "bands"),
    [
        # 12 of 120 below 5: a band of their own, with the largest residual for 0.9 * 13 / 12 = 0.975
        ([1.0] * 4 + [2.0] * 8, 108, ((1.0, 3.0), (3.5, 0.5))),
        # 9 of 60 below 5 are too few for a quantile: the whole scale
        ([1.0] * 4 + [2.0] * 5, 51, ((1.0, 4.0), (3.5, 0.5))),
        # 4 of 28 below 2, which 8 have: one band of 12, no more than 1.5 times ten
        ([1.0] * 4 + [2.0] * 8, 16, ((1.0, 3.0), (3.5, 0.5))),
        # nobody is rated below 5: one band
        ([], 30, ((1.0, 0.5),)),
    ],
)
def test_the_few_below_most_ratings_are_a_band(low, high, bands):
    """Residuals of 3 for low ratings and of 0.5 for fives."""
    ratings = np.array([*low, *[5.0] * high])
    residuals = np.where(ratings < 5, -3.0, 0.5)
    assert conformal_bands(ratings, residuals, np.arange(len(ratings)), 0.9, scale=(1.0, 5.0), most=5) == bands


def make_table(count: int, noise: float, seed: int = 0, *, flip: bool = False) -> ScoreTable:
    """A metric in [0.3, 0.7] and ratings of 1 + 4 x metric plus noise, far from the ends; `flip` turns it round."""
    draw = np.random.default_rng(seed)
    metric = draw.uniform(0.3, 0.7, size=count)
    ratings = np.clip(1 + 4 * (1 - metric if flip else metric) + draw.normal(0, noise, count), 1, 5)
    return table_of({"a": metric, "other": draw.uniform(size=count)}, ratings)


def test_nothing_is_saved_where_nothing_agrees():
    table = make_table(120, noise=0.2)
    noise = replace(table, ratings=np.random.default_rng(0).permutation(table.ratings))
    evaluation = evaluate_table(noise, permutations=200, repeats=1)
    with pytest.raises(UsageError, match=r"there is no scorer to save\. Trust: none"):
        fit_scorer(noise, evaluation)


def test_the_fingerprint_knows_ratings_and_not_their_order():
    table = make_table(60, noise=0.2)
    order = np.random.default_rng(1).permutation(len(table.items))
    assert fingerprint_ratings(table) == fingerprint_ratings(table.take(order.tolist()))
    changed = table.ratings.copy()
    changed[0] = 1 + changed[0] % 5
    assert fingerprint_ratings(table) != fingerprint_ratings(replace(table, ratings=changed))


def test_the_map_to_the_rating_scale_is_scikit_learns_isotonic_regression():
    generator = np.random.default_rng(0)
    scores = generator.integers(0, 20, size=(80, 1)).astype(float)  # 20 values: all are knots
    ratings = np.clip(np.round(scores[:, 0] / 5 + generator.normal(size=80)), 1, 5)
    fitted = fit_combination("subset", scores, ratings)
    expected = IsotonicRegression(out_of_bounds="clip").fit(scores[:, 0], ratings)
    np.testing.assert_allclose(fitted.predict(scores), expected.predict(scores[:, 0]), atol=1e-6)
    assert len(fitted.ratings) == len(expected.X_thresholds_)
