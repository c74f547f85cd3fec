"""The whole evaluation: its sentence, its honesty, and nothing that is not a number."""

import dataclasses
import math
import re
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge
from tables_of_scores import score_table, table_of

from assay.meta_eval import (
    Combination,
    Estimate,
    MetaEvaluation,
    Policy,
    add_question_only,
    describe_more_ratings,
    evaluate_table,
    grouped_folds,
    spearman,
)

QUICK: dict[str, Any] = {"permutations": 199, "repeats": 2}


def numbers(value: Any) -> list[float]:
    if isinstance(value, float):
        return [value]
    if isinstance(value, dict):
        return [number for each in value.values() for number in numbers(each)]
    return [number for each in value for number in numbers(each)] if isinstance(value, list | tuple) else []


def check(evaluation: MetaEvaluation) -> None:
    assert all(map(math.isfinite, numbers(dataclasses.asdict(evaluation))))
    assert evaluation.recommendation.endswith(".") and "\n" not in evaluation.recommendation
    assert str(evaluation) == str(evaluation.verdict)


def test_the_choice_is_told_with_what_it_reaches_on_unseen_answers():
    evaluation = evaluate_table(score_table(150, 4, signal=0.4, useful=2, raters=3, baseline="m3"), **QUICK)
    check(evaluation)
    selection, rho = evaluation.selection, evaluation.selection.agreement
    assert selection.chosen.metrics == ("m0", "m1")
    assert 0.3 < rho.low < rho.value < 0.59 < rho.high  # on 20,000 such answers the two reach 0.588
    assert evaluation.recommendation.startswith(
        f"Trust: m0 and m1 together, moderately: {rho.value:.2f} of 1 on answers it had not seen "
        f"({rho.low:.2f} to {rho.high:.2f}). "
        "Good for: comparing versions, picking answers to read; not for sending answers unread."
    )
    assert [row.name for row in evaluation.metrics] == ["m0", "m1", "m2", "m3", "constant"]
    assert [(part.attribute, part.label) for part in evaluation.slices] == [("language", "en"), ("language", "nl")]


def test_the_simpler_one_is_chosen_where_the_best_is_hardly_better():
    table = score_table(150, 4, signal=0.4, useful=2, raters=3, baseline="m3", seed=7)
    selection = evaluate_table(table, **QUICK).selection
    assert selection.rule == "simple" and selection.chosen.metrics == ("m1",)
    assert selection.chosen.out_of_fold.value < max(row.out_of_fold.value for row in selection.combinations)


def test_what_a_comparison_names_after_a_metric_is_the_figure_of_that_metric():
    """Two metrics agree about alike, so that the folds choose now one, now the other: that choice is no metric."""
    table = score_table(140, 3, signal=0.5, useful=2, of_a_group=10, seed=3)
    evaluation = evaluate_table(table, **QUICK)
    assert len(evaluation.selection.chosen.metrics) > 1
    own = {metric.name: metric.spearman.value for metric in evaluation.metrics}
    best = max(own, key=lambda name: own[name] or 0.0)
    first = evaluation.comparisons[0]
    assert first.second == best and evaluation.selection.combinations[0].out_of_fold.value < own[best] - 0.02
    for one in evaluation.comparisons:
        assert one.rho_second == pytest.approx(own[one.second])
        assert one.rho_first == pytest.approx(own.get(one.first, first.rho_first))
        assert one.difference.value == pytest.approx(one.rho_first - one.rho_second)


def test_a_metric_that_is_chosen_is_compared_by_its_own_figure():
    evaluation = evaluate_table(score_table(140, 3, signal=0.7, useful=1, baseline="m2"), **QUICK)
    assert evaluation.selection.chosen.metrics == ("m0",)
    own = {metric.name: metric.spearman.value for metric in evaluation.metrics}
    [*_, to_baseline] = [one for one in evaluation.comparisons if one.second == "m2"]
    assert (to_baseline.rho_first, to_baseline.rho_second) == (pytest.approx(own["m0"]), pytest.approx(own["m2"]))
    assert all(part.chosen.value == pytest.approx(dict(part.metrics)["m0"].value) for part in evaluation.slices)


def test_a_second_metric_that_only_stands_in_is_called_that():
    """The judge has no score of 10 of 60 answers, all bad; the other metric is 1 wherever the judge has one, else 0.

    So it tells nothing apart that the judge scored. Two of the 10 have neither score: of them alone there is none.
    """
    ratings = [1.0 if place % 6 == 0 else 2.0 + place % 4 for place in range(60)]
    judge = [np.nan if place % 6 == 0 else rating for place, rating in enumerate(ratings)]
    other = [float(place % 6 > 0) if place not in {0, 6} else np.nan for place in range(60)]
    evaluation = evaluate_table(table_of({"judge": judge, "other": other}, ratings), **QUICK)
    assert evaluation.selection.chosen.metrics == ("judge", "other")
    for language, start in (("en", "judge, else other, closely: "), ("nl", "judge, anders other, sterk: ")):
        trust = dict(evaluation.verdict.lines(language))["Trust" if language == "en" else "Vertrouwen"]
        assert trust.startswith(start) and "10" not in trust


# an answer that one of two metrics scored has a score of them; the line says how many have none
NAMED = "{} + token_overlap: ; token_overlap does as well", "{} + token_overlap: ; token_overlap even goed"
UNNAMED = "{}, 8 unscored; a free one as good", "{}, 8 zonder; een gratis maat ook"


@pytest.mark.parametrize(
    ("name", "scored", "overlap_scored", "texts", "starts"),
    [
        ("judge", 80, 80, NAMED, ("judge", "judge")),
        ("j" * 30, 72, 80, NAMED, ("j" * 17 + "…", "j" * 17 + "…")),
        ("weakest_claim", 72, 72, UNNAMED, ("weakest_claim + token_overlap: ", "weakest_claim + token_overlap: ")),
        ("j" * 30, 72, 72, UNNAMED, ("j" * 14 + "… + 1 more: ", "j" * 14 + "… en nog 1: ")),
    ],
)
def test_who_trusts_a_judge_reads_that_a_free_metric_does_as_well(name, scored, overlap_scored, texts, starts):
    """Whatever the length of the names, with the agreement and its interval: the judge adds little to the overlap."""
    generator = np.random.default_rng(2)
    ratings = generator.integers(1, 6, 80).astype(float)
    overlap = np.where(np.arange(80) < overlap_scored, ratings + 0.7 * generator.normal(size=80), np.nan)
    judge = np.where(np.arange(80) < scored, ratings + generator.normal(size=80), np.nan)
    table = table_of({name: judge, "token_overlap": overlap}, ratings, baselines=frozenset({"token_overlap"}))
    evaluation = evaluate_table(table, **QUICK)
    for language, about, text, start in zip(("en", "nl"), ("Trust", "Vertrouwen"), texts, starts, strict=True):
        line = dict(evaluation.verdict.lines(language))[about]
        figure = r"0[.,][89]\d (of|van) 1 \(0[.,][78]\d (to|tot) 0[.,]9\d\)"
        assert len(line) <= 90 and re.sub(figure, "", line) == text.format(start)


@pytest.mark.parametrize(("kind", "name"), [("subset", "m0 + m1"), ("weighed", "m0 + m1, weighed")])
def test_a_combination_is_named_by_its_metrics(kind, name):
    combination = Combination(kind, 2, ("m0", "m1"), 0.9, Estimate(0.8), candidates=1)
    assert combination.name == name
    many = dataclasses.replace(combination, metrics=tuple(f"m{number}" for number in range(7)))
    assert many.name == name.replace("m0 + m1", "7 metrics (m0, m1, ...)")


@pytest.mark.parametrize(
    ("counts", "finds"),
    [
        # 3 bad of 100: with one of them among the two that are held back, chance does as well in 6%; with both in 0.1%
        ((100, 3, 90, 98, 2, 0, 0, 2, 98, 2), False),
        ((100, 3, 90, 98, 2, 0, 0, 2, 98, 1), True),
    ],
)
def test_thresholds_find_bad_answers_where_chance_would_not(counts, finds):
    missing = Estimate(None, problem="not looked at")
    assert Policy(0.1, 0.95, 4.2, None, *counts, missing, missing).finds_bad_ones is finds


def test_the_question_alone_predicts_nothing_where_it_says_nothing():
    """Over 20 tables without a relation, the mean correlation of predictions out of fold is 0 and not below."""
    rhos = []
    for seed in range(20):
        generator = np.random.default_rng(seed)
        questions = [" ".join(generator.choice(list("abcdefghij"), 5)) for _ in range(30)]
        ratings = generator.integers(1, 6, 30).astype(float)
        table = table_of({"m0": ratings}, ratings)
        rhos.append(spearman(add_question_only(table, questions).column("question_only"), ratings, table.groups).value)
    assert np.mean(rhos) > -0.09  # the standard error is 0.04; it was -0.19


def test_what_the_question_alone_predicts_stands_beside_the_metrics():
    """Questions of kind `hard` are rated 1 or 2, others 4 or 5; the metric knows no more than that, and noise."""
    generator = np.random.default_rng(0)
    hard = generator.integers(0, 2, 100).astype(bool)
    ratings = np.where(hard, 1.0, 4.0) + generator.integers(0, 2, 100)
    questions = [f"{'why does' if kind else 'where is'} item {number}" for number, kind in enumerate(hard)]
    metric = np.where(hard, 0.0, 1.0) + generator.normal(0, 0.3, 100)
    table = table_of({"m0": metric}, ratings)
    evaluation = evaluate_table(add_question_only(table, questions), **QUICK)
    check(evaluation)
    row = next(row for row in evaluation.metrics if row.name == "question_only")
    assert row.baseline and row.spearman.value is not None and row.spearman.value > 0.6
    comparison = next(one for one in evaluation.comparisons if one.second == "question_only")
    assert comparison.standing.kind == "equivalent"
    assert "; question_only does as well" in evaluation.recommendation
    better = evaluate_table(add_question_only(table_of({"m0": ratings}, ratings), questions), **QUICK)
    assert "question_only" not in better.recommendation
    for one in ("why?", ""):  # questions that are all one say nothing
        assert add_question_only(table, [one] * 100) is table


def test_the_baseline_of_the_question_is_scikit_learns_ridge_regression():
    generator = np.random.default_rng(0)
    questions = [" ".join(generator.choice(list("abcdefgh"), size=5)).upper() + "?" for _ in range(60)]
    ratings = generator.integers(1, 6, size=60).astype(float)
    table = table_of({"m0": ratings}, ratings)
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\w+").fit_transform(questions)
    variables = np.column_stack([words.toarray(), np.full(60, np.log(6))])
    expected = np.empty(60)
    for held_out in grouped_folds(table.group_numbers, 10, seed=0):
        training = np.setdiff1d(np.arange(60), held_out)
        model = Ridge(alpha=1.0).fit(variables[training], ratings[training])
        expected[held_out] = model.predict(variables[held_out]) + ratings.mean() - ratings[training].mean()
    np.testing.assert_allclose(add_question_only(table, questions).column("question_only"), expected, atol=1e-9)


def test_noise_on_few_answers_is_not_shown_yet_and_says_what_would_have_been_seen():
    """79 answers, 6 metrics, 2 means: (z(1 - .01/8) + z(.8)) sqrt(1.06/76) = (3.023 + .842) * .1181 = .4564; tanh .427.

    The effective number, from the intervals' widths, may be a little below 79.
    """
    evaluation = evaluate_table(score_table(79, 6, signal=0.0), **QUICK)
    check(evaluation)
    lines = evaluation.verdict.as_json()
    match = re.fullmatch(
        r"none yet: 79 rated answers would show only an agreement above (0\.\d\d) of 1", lines["Trust"]
    )
    assert 0.42 < float(match[1]) < 0.48
    # 0.4 takes 3 + 1.06 ((3.023 + .842) / .4236)^2 = 91.2 independent answers
    match = re.search(r"does any follow your team\? rate about (\d+) more", lines["To be surer"])
    assert 20 <= int(match[1]) <= 40


def test_noise_on_many_answers_is_said_to_be_none():
    """With 300 answers 0.4 would have been shown: .4236 sqrt(297/1.06) - 3.023 = 4.07, a power above 99.9%."""
    evaluation = evaluate_table(score_table(300, 6, signal=0.0), **QUICK)
    check(evaluation)
    assert evaluation.recommendation == (
        "Trust: none: what was tried hardly follows your team. Good for: nothing yet in place of a person."
    )


def test_the_same_seed_gives_the_same_and_another_seed_other_folds():
    table = score_table(50, 2, signal=0.6, raters=2)
    once, again, other = (evaluate_table(table, **QUICK, seed=seed) for seed in (1, 1, 2))
    assert dataclasses.asdict(once) == dataclasses.asdict(again)
    assert once.metrics[0].spearman == other.metrics[0].spearman
    assert (once.settings.seed, once.settings.rated, once.settings.groups) == (1, 50, 50)


@pytest.mark.parametrize(
    ("items", "rating", "sentence"),
    [
        (0, 3, "Trust: nobody can tell: no answer is rated. To be surer: rate some: "),
        (12, 3, "Trust: nobody can tell from 12 rated answers. To be surer: rate at least 8 more, of other answers."),
        (40, 3, "Trust: no metric can be compared with the ratings (--all says why)."),
    ],
)
def test_too_little_to_tell_says_what_is_missing(items, rating, sentence):
    table = score_table(items, 2, signal=0.5)
    evaluation = evaluate_table(dataclasses.replace(table, ratings=np.full((items, 1), float(rating))), **QUICK)
    check(evaluation)
    assert evaluation.recommendation.startswith(sentence)
    assert evaluation.selection is None and evaluation.policy is None


def test_unrated_answers_are_predicted_and_powered():
    table = score_table(200, 2, signal=1.0, useful=2, unrated=120)
    evaluation = evaluate_table(table, **QUICK)
    check(evaluation)
    assert evaluation.selection is not None and len(evaluation.selection.predictions) == 200
    assert all(value is not None and 1 <= value <= 5 for value in evaluation.selection.predictions)
    assert (evaluation.settings.items, evaluation.settings.rated) == (200, 80)


def test_of_word_overlap_alone_a_judge_is_advised_and_nothing_that_ratings_would_tell():
    """More ratings would only tell free metrics apart, and a polite sentence changes the share of shared words."""
    ratings = [1.0, 2.0, 3.0, 4.0, 5.0] * 12
    table = table_of({"token_overlap": [rating + place % 3 for place, rating in enumerate(ratings)]}, ratings)
    verdict = evaluate_table(table, **QUICK).verdict
    english, dutch = dict(verdict.lines()), dict(verdict.lines("nl"))
    assert english["Trust"].startswith("only counting shared words was tried: token_overlap agrees 0.")
    assert english["To be surer"] == "score them with a judge: assay run FILE --judge MODEL --budget 1usd"
    assert dutch["Vertrouwen"].startswith("alleen gedeelde woorden tellen is geprobeerd: token_overlap 0,")
    assert dutch["Meer zekerheid"] == "laat een taalmodel scoren: assay run FILE --judge MODEL --budget 1usd"
    assert "comparing versions" not in english["Good for"] and "versies" not in dutch["Bruikbaar voor"]


def test_a_free_metric_beside_word_overlap_takes_nothing_from_the_verdict():
    """Word overlap, of 50 of 60 answers, is what to trust: how far, on how many, and that no judge was tried.

    A metric that may have asked a judge, which nobody knows of one in a file, is no reason to ask one.
    """
    ratings = [1.0, 2.0, 3.0, 4.0, 5.0] * 12
    overlap = [np.nan if place % 6 == 0 else rating + place % 3 for place, rating in enumerate(ratings)]
    rouge = [value + place % 2 for place, value in enumerate(overlap)]
    declined = [float(place % 7 == 0) for place in range(60)]
    columns = {"token_overlap": overlap, "rouge_l_precision": rouge, "declined": declined}
    known = dataclasses.replace(table_of(columns, ratings), judgeless=frozenset({"declined"}))
    lines = evaluate_table(known, **QUICK).verdict.as_json()
    assert re.search(r": 0\.\d\d of 1 \(0\.\d\d to 0\.\d\d\), 10(/60| of 60 answers)? unscored", lines["Trust"]), lines
    assert len(lines) == 4 and all(len(says) <= 90 for says in lines.values())
    assert lines["To be surer"] == "score them with a judge: assay run FILE --judge MODEL --budget 1usd"
    unknown = evaluate_table(dataclasses.replace(known, judgeless=frozenset()), **QUICK).verdict.as_json()
    assert "with a judge" not in unknown.get("To be surer", "")


def test_the_number_of_more_ratings_says_what_it_would_settle_and_is_that_of_the_comparison():
    """Counting words is the judge with more noise: only more ratings tell whether the judge beats it."""
    draw = np.random.default_rng(8)
    ratings = np.array([1.0, 2.0, 3.0, 4.0, 5.0] * 8)
    judge = ratings + draw.normal(0, 1.0, 40)
    columns = {"judge": judge, "token_overlap": judge + draw.normal(0, 0.9, 40)}
    evaluation = evaluate_table(table_of(columns, ratings), **QUICK)
    check(evaluation)
    one = next(one for one in evaluation.comparisons if one.second == "token_overlap")
    assert one.first == "judge" and one.standing.kind == "unsettled"
    number = describe_more_ratings(one.standing.more_ratings)
    count = number.removeprefix("about ").removesuffix(" more")
    for unrated, english, dutch in (
        (0, ", of other answers", ", van andere antwoorden"),
        (5, ": the 5 unrated, then others", ": de 5 zonder cijfer, dan andere"),
        (int(count), ": assay rate SET --raters NAME,NAME", ": assay rate SET --raters NAAM,NAAM"),
    ):
        scores = {name: [*column, *[3.0] * unrated] for name, column in columns.items()}
        more = table_of(scores, [*ratings, *[np.nan] * unrated])
        verdict = evaluate_table(more, **QUICK).verdict
        assert verdict.as_json()["To be surer"] == f"better than token_overlap? rate {number}{english}"
        written = dict(verdict.lines("nl"))["Meer zekerheid"]
        assert written.startswith("beter dan token_overlap? ") and written.endswith(f"ongeveer {count} meer{dutch}")


def test_that_a_judge_is_not_shown_to_beat_a_baseline_is_said_though_another_question_needs_fewer_ratings():
    """A half width h takes 40 ((h / .15)^2 - 1) more ratings at h = .38, about 216; the comparison about 317."""
    draw = np.random.default_rng(4)
    ratings = np.array([1.0, 2.0, 3.0, 4.0, 5.0] * 8)
    columns = {"judge": ratings + draw.normal(0, 1.5, 40), "token_overlap": ratings + draw.normal(0, 2.5, 40)}
    evaluation = evaluate_table(table_of(columns, ratings), **QUICK)
    (one,) = evaluation.comparisons
    assert evaluation.selection.agreement.half_width == pytest.approx(0.38, abs=0.01)
    assert one.standing.kind == "unsettled" and one.standing.more_ratings > 216
    assert evaluation.verdict.as_json()["To be surer"].startswith("better than token_overlap? ")


def test_few_ratings_of_one_metric_leave_open_how_closely_it_follows():
    ratings = [1.0, 2.0, 3.0, 4.0, 5.0] * 5
    column = [rating + 2.5 * (place % 3) for place, rating in enumerate(ratings)]
    surer = evaluate_table(table_of({"judge": column}, ratings), **QUICK).verdict.as_json()["To be surer"]
    assert re.fullmatch(r"how closely, within 0\.15\? rate about \d+ more, of other answers", surer)


def test_the_verdict_says_on_how_many_answers_a_metric_has_a_score():
    ratings = [1.0, 2.0, 3.0, 4.0, 5.0] * 12
    scores = [np.nan if place % 6 == 0 else rating + place % 3 for place, rating in enumerate(ratings)]
    trust = evaluate_table(table_of({"faithfulness": scores}, ratings), **QUICK).verdict.as_json()["Trust"]
    assert trust.startswith("faithfulness, ") and trust.endswith(", 10 of 60 answers unscored")
