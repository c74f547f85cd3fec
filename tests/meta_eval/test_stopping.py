"""When enough is rated: what the rule predicts, and that it is kept."""

from dataclasses import replace

import numpy as np
import pytest
from tables_of_scores import table_of

from assay.meta_eval import ScoreTable, estimate, predict_stability, spearman_statistic


def answers(draw: np.random.Generator, count: int) -> ScoreTable:
    """Ratings 1 to 5, and two metrics: one follows them clearly, one hardly."""
    ratings = draw.integers(1, 6, count).astype(float)
    return table_of(
        {"clear": ratings + draw.normal(0, 1.2, count), "vague": ratings + draw.normal(0, 6, count)}, ratings
    )


def test_few_ratings_go_on_and_many_may_stop():
    draw = np.random.default_rng(3)
    few, many = (predict_stability(answers(draw, count)) for count in (15, 600))
    assert (few.may_stop, many.may_stop) == (False, True)
    assert (many.metric, many.rated) == ("clear", 600)
    assert str(many.describe()).startswith(
        "With 20 more ratings the metric that follows best stays the best, and its range the same within 0.05 (with a"
    )
    assert str(many.describe()).endswith("; 600 answers are rated): for this you may stop.")
    assert few.describe().write("nl").startswith("Met 20 beoordelingen meer kan een andere maat het best volgen")
    assert few.describe().write("nl").endswith("; 15 antwoorden zijn beoordeeld): beoordeel verder.")


def test_what_cannot_be_predicted_is_none():
    table = answers(np.random.default_rng(0), 40)
    assert predict_stability(table.take(range(9))) is None
    assert predict_stability(replace(table, scores=np.ones((40, 2)))) is None  # no correlation
    assert predict_stability(replace(table, scores=np.full((40, 2), np.nan))) is None


@pytest.mark.timeout(120)
def test_the_probability_is_kept_when_twenty_more_ratings_really_come():
    """60 sets of 20 to 138 ratings: the mean predicted probability is near the share that really stays.

    The share has a standard error of at most 0.065: twice that is allowed.
    """
    draw = np.random.default_rng(11)
    predicted, stayed = [], []
    for repeat in range(60):
        count = 20 + 2 * repeat
        table = answers(draw, count + 20)
        now = predict_stability(table.take(range(count)), seed=repeat)
        later = [
            estimate(spearman_statistic(column, table.mean_rating), table.items, scale="fisher")
            for column in table.scores.T
        ]
        changes = [abs(getattr(later[0], end) - getattr(now.rho, end)) for end in ("low", "high")]
        is_same = now.metric == "clear" and (later[0].value or 0.0) > (later[1].value or 0.0)
        predicted.append(now.stable)
        stayed.append(is_same and max(changes) <= now.tolerance)
    assert np.mean(predicted) == pytest.approx(np.mean(stayed), abs=0.13)
    said_stop = [stays for chance, stays in zip(predicted, stayed, strict=True) if chance >= 0.9]
    assert len(said_stop) >= 20 and np.mean(said_stop) >= 0.85
