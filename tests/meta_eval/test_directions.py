"""A metric whose lower scores are better, through every part of the meta-evaluation."""

from dataclasses import replace

import numpy as np
import pytest

from assay.meta_eval.agreement import metric_agreements
from assay.meta_eval.comparison import compare_metrics
from assay.meta_eval.evaluation import evaluate_table
from assay.meta_eval.mean_rating import estimate_mean_rating
from assay.meta_eval.results import MetaEvaluation
from assay.meta_eval.score_files import JoinedScores, ReadOptions, read_score_table


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> JoinedScores:
    """60 answers rated 1 to 5, `errors` 5 - rating with ties broken by noise (rho exactly -1 by level), and noise."""
    generator = np.random.default_rng(3)
    ratings = np.arange(60) % 5 + 1
    noise = generator.normal(size=60)
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    rows = [f"a{n},{rating},{5 - rating},{noise[n]:.3f}" for n, rating in enumerate(ratings)]
    path.write_text("\n".join(["id,rating,errors,noise", *rows]) + "\n", encoding="utf-8")
    return read_score_table([path], None, ReadOptions(lower_is_better=("errors",)))


@pytest.fixture(scope="module")
def evaluation(joined: JoinedScores) -> MetaEvaluation:
    return evaluate_table(joined.table, bootstrap=200, permutations=199, repeats=2)


def test_a_perfect_metric_agrees_and_is_chosen(joined, evaluation):
    assert joined.table.directions == {"errors": False, "noise": True}
    errors = evaluation.metrics[0]
    assert (errors.name, errors.higher_is_better) == ("errors", False)
    assert errors.spearman.value == pytest.approx(1.0)
    assert (errors.auroc_bad.value, errors.auroc_good.value) == (1.0, 1.0)
    without = metric_agreements(replace(joined.table, directions={}), permutations=99)[0]
    assert without.spearman.value == pytest.approx(-1.0)
    assert evaluation.selection.chosen.metrics == ("errors",)
    assert evaluation.recommendation.startswith("errors follows your team closely")


def test_comparisons_policy_and_mean_rating_use_the_direction(joined, evaluation):
    comparison = compare_metrics(joined.table, "errors", "noise")
    assert comparison.difference.value is not None and comparison.difference.value > 0.5
    assert evaluation.selection is not None and evaluation.selection.predictions[0] is not None
    # the answer rated 1 has the most errors, and is expected to be worse than the one rated 5
    expected = dict(zip(joined.table.items, evaluation.selection.predictions, strict=True))
    assert expected["a0"] is not None and expected["a4"] is not None and expected["a0"] < expected["a4"]
    ratings = np.where(np.arange(60) < 30, joined.table.ratings[:, 0], np.nan)
    few = replace(joined.table, ratings=ratings[:, None])
    estimates = estimate_mean_rating(few, ("errors",))
    assert estimates is not None and estimates.power > 0.5


@pytest.mark.parametrize(
    "name", ["noise_sensitivity(mode=irrelevant)", "Hallucination", "Toxicity", "Bias", "declined", "harmfulness"]
)
def test_names_of_other_tools_whose_lower_scores_are_better_are_known(tmp_path, name):
    path = tmp_path / "scores.csv"
    rows = [f"a{n},{rating},{5 - rating}" for n, rating in enumerate([1, 2, 3, 4, 5])]
    path.write_text("\n".join([f'id,rating,"{name}"', *rows]) + "\n", encoding="utf-8")
    joined = read_score_table([path], None, ReadOptions())
    assert joined.table.directions == {name: False}
    assert f"lower is better for {name}, by its name; say otherwise with --higher-is-better" in joined.notes
    turned = read_score_table([path], None, ReadOptions(higher_is_better=(name,)))
    assert turned.table.directions == {name: True}
