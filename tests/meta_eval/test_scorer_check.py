"""A saved scorer against new ratings: keep it, refit it, or rate more."""

import numpy as np
import pytest

from assay.errors import UsageError
from assay.meta_eval.scorer import AgreementRecord, Scorer, ScorerPart, fingerprint_ratings
from assay.meta_eval.scorer_check import check_scorer
from assay.meta_eval.table import ScoreTable


def make_table(count: int, noise: float, seed: int = 0, *, flip: bool = False) -> ScoreTable:
    """A metric in [0.3, 0.7] and ratings of 1 + 4 x metric plus noise, far from the ends; `flip` turns it round."""
    draw = np.random.default_rng(seed)
    metric = draw.uniform(0.3, 0.7, size=count)
    ratings = np.clip(1 + 4 * (1 - metric if flip else metric) + draw.normal(0, noise, count), 1, 5)
    return ScoreTable(
        items=tuple(f"s{number}" for number in range(count)),
        metrics=("a", "other"),
        scores=np.column_stack([metric, draw.uniform(size=count)]),
        ratings=ratings[:, None],
    )


def make_scorer(half_width: float = 0.5, ratings: str = "0" * 12) -> Scorer:
    return Scorer(
        assay="0.1.0",
        kind="subset",
        parts=(ScorerPart(metric="a", weight=1.0, percentiles=((0, 0), (1, 1))),),
        rating_min=1,
        rating_max=5,
        ratings=((-0.5, 1.0), (0.5, 5.0)),
        level=0.9,
        by_rating=((1, half_width),),
        by_prediction=((1, half_width),),
        agreement=AgreementRecord(items=200, groups=200, spearman=0.9, low=0.86, high=0.94, ratings=ratings),
    )


def test_a_scorer_that_holds_is_kept():
    check = check_scorer(make_scorer(), make_table(200, noise=0.2))
    assert check.advice == "keep"
    assert check.now.value is not None and check.now.value > 0.8
    assert check.change.low is not None and check.change.low < 0 < check.change.high
    assert check.coverage.value is not None and check.coverage.value > 0.95
    assert [one.n for one in check.calibration] == [40] * 5
    for one in check.calibration:  # the scorer is the line that made the ratings
        assert one.rating == pytest.approx(one.predicted, abs=0.1)


def test_a_scorer_that_fell_is_to_be_fitted_again():
    check = check_scorer(make_scorer(), make_table(200, noise=0.2, flip=True))
    assert check.advice == "refit" and "less than it did when it was fitted" in check.reason
    assert check.change.high is not None and check.change.high < -1.4


def test_an_interval_that_is_too_narrow_is_to_be_fitted_again():
    """Residuals have a standard deviation of 0.2, of which half a width of 0.08 holds 31%, not 90%."""
    check = check_scorer(make_scorer(half_width=0.08), make_table(300, noise=0.2))
    assert check.advice == "refit" and "90% interval holds fewer" in check.reason
    assert check.coverage.value == pytest.approx(0.31, abs=0.08)


def test_few_ratings_decide_nothing():
    check = check_scorer(make_scorer(), make_table(12, noise=0.2))
    assert (check.advice, check.more_ratings) == ("rate more", 8)
    noisy = check_scorer(make_scorer(half_width=4), make_table(25, noise=0.5, seed=4))
    assert noisy.advice == "rate more" and noisy.more_ratings > 0


def test_its_own_ratings_check_nothing():
    table = make_table(60, noise=0.2)
    check = check_scorer(make_scorer(ratings=fingerprint_ratings(table)), table)
    assert check.same_ratings and check.advice == "rate more" and "cannot check it" in check.reason


def test_what_cannot_be_checked_is_said():
    table = make_table(30, noise=0.2)
    with pytest.raises(UsageError, match=r"no scores of a, .*--metrics a"):
        check_scorer(make_scorer(), table.only(["other"]))
    wide = ScoreTable(table.items, table.metrics, table.scores, table.ratings, rating_min=0, rating_max=10)
    with pytest.raises(UsageError, match="scale 0-10, the scorer was fitted on 1-5"):
        check_scorer(make_scorer(), wide)
    unrated = ScoreTable(table.items, table.metrics, table.scores, np.full((30, 1), np.nan))
    with pytest.raises(UsageError, match="none of the answers is rated"):
        check_scorer(make_scorer(), unrated)
