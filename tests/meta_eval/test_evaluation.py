"""The whole evaluation: its sentence, its honesty, and nothing that is not a number."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from tables_of_scores import score_table

from assay.meta_eval.evaluation import evaluate_table
from assay.meta_eval.question_only import add_question_only
from assay.meta_eval.results import MetaEvaluation
from assay.meta_eval.table import ScoreTable

QUICK: dict[str, Any] = {"bootstrap": 200, "permutations": 199, "repeats": 2}


def numbers(value: Any) -> list[float]:
    if isinstance(value, float):
        return [value]
    if isinstance(value, dict):
        return [number for each in value.values() for number in numbers(each)]
    return [number for each in value for number in numbers(each)] if isinstance(value, list | tuple) else []


def check(evaluation: MetaEvaluation) -> None:
    assert all(map(math.isfinite, numbers(dataclasses.asdict(evaluation))))
    for sentence in (evaluation.recommendation, evaluation.explanation):
        assert sentence.endswith(".") and "\n" not in sentence


def test_the_sentence_names_the_choice_what_it_beats_and_what_raters_reach() -> None:
    evaluation = evaluate_table(score_table(150, 4, signal=0.4, useful=2, raters=3, baseline="m3"), **QUICK)
    check(evaluation)
    assert evaluation.selection is not None and evaluation.raters is not None
    chosen = evaluation.selection.chosen
    assert chosen.metrics == ("m0", "m1")
    rho = chosen.out_of_fold
    assert rho.value is not None and 0.3 <= rho.value < 0.5
    assert evaluation.recommendation == (
        "m0 + m1 together follow your team moderately; ridge of m0 + m1 + m2 + m3 agrees best, but not distinguishably "
        "better; not good enough to send answers unseen, so use them to compare versions and to pick answers to read."
    )
    assert evaluation.explanation.startswith(
        f"m0 + m1: rho {rho.value:.2f} [{rho.low:.2f}, {rho.high:.2f}] out of fold; "
    )
    assert " alone (p = " in evaluation.explanation
    assert "; better than the baseline m3, at " in evaluation.explanation
    assert evaluation.explanation.endswith(
        f"the best that any measure could reach with these ratings: about {evaluation.raters.ceiling.value:.2f} of 1."
    )
    assert [row.name for row in evaluation.metrics] == ["m0", "m1", "m2", "m3", "constant"]
    assert [(part.attribute, part.label) for part in evaluation.slices] == [("language", "en"), ("language", "nl")]


def test_the_sentence_calls_nothing_best_that_the_table_puts_lower() -> None:
    """Of `best` no row out of fold stands above it unsaid; of `simple` the best is named with the difference."""
    for seed in range(2):
        table = score_table(80, 3, signal=0.4, useful=2, seed=seed)
        for prefer in ("best", "simple"):
            evaluation = evaluate_table(table, prefer=prefer, **QUICK)  # type: ignore[arg-type]
            check(evaluation)
            assert evaluation.selection is not None
            best, *others = evaluation.selection.choices
            assert best.rule == "best" and best.difference is None
            rows = evaluation.selection.combinations
            top = max(rows, key=lambda row: row.out_of_fold.value or 0)
            assert (top.kind, top.metrics) == (best.combination.kind, best.combination.metrics)
            own = evaluation.selection.chosen.out_of_fold.value or 0
            assert ((top.out_of_fold.value or 0) < own + 0.005) or "in the table" in evaluation.explanation
            for choice in others:
                assert choice.difference is not None and choice.difference.low is not None
                assert choice.difference.low <= 0 <= choice.difference.high
                assert len(choice.combination.metrics) <= len(best.combination.metrics)
            if others and prefer == "simple":
                is_higher = (best.combination.out_of_fold.value or 0) > own
                assert is_higher == (" agrees best, but not distinguishably better; " in evaluation.recommendation)
                assert "the best of 11 combinations on these answers is " in evaluation.explanation


def test_what_the_question_alone_predicts_stands_beside_the_metrics() -> None:
    """Questions of kind `hard` are rated 1 or 2, others 4 or 5; the metric knows no more than that, and noise."""
    generator = np.random.default_rng(0)
    hard = generator.integers(0, 2, 100).astype(bool)
    ratings = np.where(hard, 1.0, 4.0) + generator.integers(0, 2, 100)
    questions = [f"{'why does' if kind else 'where is'} item {number}" for number, kind in enumerate(hard)]
    metric = np.where(hard, 0.0, 1.0) + generator.normal(0, 0.5, 100)
    table = ScoreTable(tuple(map(str, range(100))), ("m0",), metric[:, None], ratings[:, None])
    evaluation = evaluate_table(add_question_only(table, questions), **QUICK)
    check(evaluation)
    row = next(row for row in evaluation.metrics if row.name == "question_only")
    assert row.baseline and row.spearman.value is not None and row.spearman.value > 0.6
    assert "but nobody can tell yet whether it is better than the question alone" in evaluation.recommendation
    told_apart = np.column_stack([ratings])
    other = ScoreTable(table.items, ("m0",), told_apart, ratings[:, None])
    better = evaluate_table(add_question_only(other, questions), **QUICK)
    assert "the question alone" not in better.recommendation


def test_the_question_says_nothing_where_the_questions_are_one() -> None:
    table = score_table(40, 1, signal=1.0)
    assert add_question_only(table, ["why?"] * 40) is table
    assert add_question_only(table, [""] * 40) is table


def test_few_groups_are_said_to_be_few() -> None:
    evaluation = evaluate_table(score_table(90, 1, signal=1.0, of_a_group=10), **QUICK)
    check(evaluation)
    assert "; rough, from only 9 groups of answers; " in evaluation.explanation


def test_noise_is_called_noise() -> None:
    evaluation = evaluate_table(score_table(79, 6, signal=0.0), **QUICK)
    check(evaluation)
    assert evaluation.recommendation == (
        "No measure and no combination of measures follows your team's ratings: do not use any of them in place of a "
        "person."
    )
    assert "the best of 67 combinations reaches rho" in evaluation.explanation
    assert "with one rating per answer nobody knows how far your raters agree" in evaluation.explanation


def test_noise_stays_noise_whatever_the_combiner() -> None:
    evaluation = evaluate_table(score_table(79, 3, signal=0.0), combine="ridge", **QUICK)
    check(evaluation)
    assert evaluation.recommendation.startswith("ridge of m0 + m1 + m2 does not follow your team's ratings: ")


def test_raters_who_throw_dice_end_it() -> None:
    table = score_table(60, 2, signal=1.0, useful=2)
    dice = np.random.default_rng(7).integers(1, 6, (60, 3)).astype(float)
    evaluation = evaluate_table(ScoreTable(table.items, table.metrics, table.scores, dice, ("a", "b", "c")), **QUICK)
    check(evaluation)
    assert evaluation.recommendation == (
        "Your raters hardly agree with each other, so no measure can be checked against them."
    )
    assert evaluation.explanation.startswith("Raters hardly agree (alpha ")
    assert evaluation.explanation.endswith("no metric can be validated here.")


def test_the_same_seed_gives_the_same_and_another_seed_other_folds() -> None:
    table = score_table(50, 2, signal=0.6, raters=2)
    once, again, other = (evaluate_table(table, **QUICK, seed=seed) for seed in (1, 1, 2))
    assert dataclasses.asdict(once) == dataclasses.asdict(again)
    assert once.metrics[0].spearman == other.metrics[0].spearman
    assert once.selection is not None and other.selection is not None
    assert once.selection.chosen.out_of_fold != other.selection.chosen.out_of_fold
    assert (once.settings.seed, once.settings.rated, once.settings.groups) == (1, 50, 50)


def test_constant_and_missing_metrics_say_so() -> None:
    table = score_table(60, 3, signal=0.8, constant="m1", half_missing="m2")
    empty = ScoreTable(
        table.items, ("m0", "m1", "m2", "empty"), np.hstack([table.scores, np.full((60, 1), np.nan)]), table.ratings
    )
    evaluation = evaluate_table(empty, **QUICK)
    check(evaluation)
    rows = {row.name: row for row in evaluation.metrics}
    assert (rows["m1"].problem, rows["m1"].spearman.value, rows["m1"].auroc_bad.value) == (
        ("all values are equal", None, 0.5)
    )
    assert (rows["empty"].problem, rows["empty"].coverage) == ("only 0 rated scores", 0.0)
    assert (rows["m2"].n, rows["m2"].coverage) == (24, 0.4)
    assert rows["constant"].baseline


@pytest.mark.parametrize(
    ("items", "rating", "sentence"),
    [
        (0, 3, "Only 0 rated answers: too few to say which measure to trust; rate at least 20"),
        (12, 3, "Only 12 rated answers: too few to say which measure to trust; rate at least 20"),
        (40, 3, "No measure can be compared with the ratings: m0: all ratings are equal"),
    ],
)
def test_too_little_to_tell_says_what_is_missing(items: int, rating: float, sentence: str) -> None:
    table = score_table(items, 2, signal=0.5)
    evaluation = evaluate_table(
        ScoreTable(table.items, table.metrics, table.scores, np.full((items, 1), float(rating))), **QUICK
    )
    check(evaluation)
    assert evaluation.recommendation.startswith(sentence)
    assert evaluation.selection is None and evaluation.policy is None


def test_unrated_answers_are_predicted_and_powered() -> None:
    table = score_table(200, 2, signal=1.0, useful=2, unrated=120)
    evaluation = evaluate_table(table, **QUICK)
    check(evaluation)
    assert evaluation.mean_rating is not None and (evaluation.mean_rating.rated, evaluation.mean_rating.unrated) == (
        80,
        120,
    )
    assert evaluation.selection is not None and len(evaluation.selection.predictions) == 200
    assert all(value is not None and 1 <= value <= 5 for value in evaluation.selection.predictions)
    assert (evaluation.settings.items, evaluation.settings.rated) == (200, 80)


def test_one_group_is_too_few_for_an_interval() -> None:
    table = score_table(40, 2, signal=1.0, of_a_group=40)
    evaluation = evaluate_table(table, **QUICK)
    check(evaluation)
    assert evaluation.metrics[0].spearman.problem == "an interval needs 5 groups that differ"
    assert evaluation.selection is None
