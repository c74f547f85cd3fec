"""Pass and fail beside people, and repeated trials: against scikit-learn and by hand."""

from math import comb

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, precision_score, recall_score
from tables_of_scores import table_of

from assay.meta_eval import (
    Floats,
    PassFail,
    choose_threshold,
    cohen_kappa,
    cross_predict,
    estimate_mean,
    estimate_share,
    gwet_ac2,
    pass_fail_agreement,
    repeated_trials,
    spearman,
)
from assay.meta_eval.report import pass_fail_table


def judge_of(judge: Floats, passes: Floats, seed: int = 0) -> PassFail:
    table = table_of({"judge": judge}, np.where(passes, 5.0, 1.0))
    return pass_fail_agreement(table, seed=seed)["judge"]


def test_the_figures_are_those_of_scikit_learn():
    generator = np.random.default_rng(0)
    passes = generator.random(80) < 0.7
    judge = np.where(generator.random(80) < 0.8, passes, ~passes).astype(float)
    one = judge_of(judge, passes)
    assert one.threshold == 0.5
    assert one.kappa.value == pytest.approx(cohen_kappa_score(passes, judge), abs=1e-12)
    assert one.sensitivity.value == pytest.approx(recall_score(passes, judge), abs=1e-12)
    assert one.specificity.value == pytest.approx(recall_score(~passes, 1 - judge), abs=1e-12)
    assert one.precision.value == pytest.approx(precision_score(passes, judge), abs=1e-12)
    assert one.true_positive + one.false_negative == passes.sum()
    assert one.sensitivity == estimate_share(judge[passes] > 0, np.flatnonzero(passes))
    for figure in (one.sensitivity, one.specificity, one.precision, one.kappa, one.ac2):
        assert figure.low < figure.value < figure.high


def test_kappa_of_weighted_items_is_that_of_the_items_written_out():
    x, y, times = np.array([1.0, 1, 0, 0, 1]), np.array([1.0, 0, 0, 1, 1]), np.array([3, 1, 2, 1, 2])
    kappa = cohen_kappa(x[:, None], y)(times[:, None].astype(float))[0]
    assert kappa == pytest.approx(cohen_kappa_score(np.repeat(x, times), np.repeat(y, times)), abs=1e-12)


def test_a_judge_that_says_the_same_of_all_answers_has_kappa_0():
    passes = np.arange(50) % 5 > 0
    one = judge_of(np.ones(50), passes)
    assert (one.true_positive, one.false_positive, one.false_negative, one.true_negative) == (40, 10, 0, 0)
    assert (one.kappa.value, one.sensitivity.value, one.specificity.value) == (0.0, 1.0, 0.0)
    assert one.precision.value == 0.8
    nothing = judge_of(np.zeros(50), passes)
    assert (nothing.true_positive, nothing.true_negative, nothing.kappa.value) == (0, 10, pytest.approx(0))
    assert nothing.precision.value is None


def test_a_graded_metric_is_judged_by_thresholds_of_other_answers():
    """Noise has the kappa of chance, though the best threshold on these very answers would reach more."""
    kappas, best = [], []
    for seed in range(30):
        generator = np.random.default_rng(seed)
        passes, judge = generator.random(60) < 0.7, generator.normal(size=60)
        kappas.append(judge_of(judge, passes, seed).kappa.value)
        best.append(cohen_kappa_score(passes, judge >= choose_threshold(judge, passes)))
    assert np.mean(kappas) == pytest.approx(0, abs=0.06)
    assert np.mean(best) > 0.1


def test_counts_and_shares_are_those_at_the_threshold_that_stands():
    """Of noise each fold finds another threshold: what the threshold passes is counted, and an interval holds both.

    By hand: Clopper and Pearson's interval of what is passed at that threshold of the 42 that people pass, and of what
    is passed by the thresholds of the folds.
    """
    generator = np.random.default_rng(6)
    passes, judge = np.arange(60) % 10 < 7, generator.normal(size=60)
    one = judge_of(judge, passes)
    is_passed = judge >= one.threshold
    counts = [int((is_passed == own)[passes == theirs].sum()) for own, theirs in ((1, 1), (1, 0), (0, 1), (0, 0))]
    assert [one.true_positive, one.false_positive, one.false_negative, one.true_negative] == counts
    assert one.precision.value == pytest.approx(counts[0] / (counts[0] + counts[1]))
    chosen = cross_predict(
        lambda training, others: np.full(len(others), choose_threshold(judge[training], passes[training])),
        table_of({}, np.ones(60)).group_numbers,
        5,
        seed=0,
    )
    assert one.kappa.value == pytest.approx(cohen_kappa_score(passes, judge >= chosen))
    at_threshold, of_folds = (
        estimate_share(judge[passes] >= cut, np.arange(42)) for cut in (one.threshold, chosen[passes])
    )
    assert one.sensitivity.value == at_threshold.value == counts[0] / 42
    assert abs(at_threshold.value - of_folds.value) > 0.1
    ends = (min(of_folds.low, at_threshold.low), max(of_folds.high, at_threshold.high))
    assert (one.sensitivity.low, one.sensitivity.high) == pytest.approx(ends)


def test_lower_is_better_and_what_has_no_threshold():
    passes = np.arange(40) % 4 > 0
    errors = np.where(passes, 0.0, 3.0) + np.arange(40) % 3 / 10
    table = table_of({"errors": errors}, np.where(passes, 5.0, 1.0), directions={"errors": False})
    one = pass_fail_agreement(table)["errors"]
    assert one.threshold == pytest.approx(1.6)
    assert (one.true_positive, one.true_negative) == (30, 10)
    close = judge_of(np.where(passes, 0.4546, 0.4541), passes)  # 0.45435 between them, and neither 0.45 nor 0.454 is
    cells = [str(row[1]) for row in pass_fail_table({"errors": one, "close": close}, {"errors"}).rows]
    assert close.threshold == 0.4544 and cells == ["at or below 1.60", "0.4544"]
    everyone = judge_of(np.arange(30.0), np.ones(30, bool))
    assert (everyone.threshold, everyone.problem[:24]) == (None, "people pass all answers,")


def test_one_disagreement_does_not_hide_how_well_a_metric_does():
    """Without the only disagreement of 20 kappa is 1, whose place on Fisher's scale is no number: 1 - .1 / e.

    kappa is .9; without one of 9 agreements on a pass .89385 (z 1.4408), without one of 10 on a fail .89503 (1.4466),
    without the disagreement .96321 (1.9886). The squares of the differences from their mean 1.4711 sum to .2820, so
    that the error is sqrt(19 / 20 * .2820) = .5176, and 2.093 times that 1.0831: from tanh(1.4722 - 1.0831) = .3704 to
    tanh(1.4722 + 1.0831) = .9880; t = 1.4722 / .5175 = 2.845 with 19 degrees: p = .0104.
    """
    passes = np.arange(20) < 10
    kappa = judge_of(np.where(np.arange(20) == 0, 0.0, passes), passes).kappa
    assert (kappa.value, kappa.low, kappa.high) == pytest.approx((0.9, 0.3704, 0.988), abs=5e-4)
    assert kappa.p == pytest.approx(0.0104, abs=5e-5)
    table = table_of({"judge": np.where(np.arange(20) == 0, 0.0, passes)}, np.where(passes, 5.0, 1.0))
    rho = spearman(table.column("judge").tolist(), table.mean_rating.tolist(), table.groups)
    assert (rho.value, rho.low, rho.high) == pytest.approx((0.9045, 0.3947, 0.9885), abs=5e-4)


def test_ac2_is_the_published_one():
    """Gwet (2002), "Kappa statistic is not satisfactory", has .9408 of 125 items: 118, 5, 2 and 0 in the four cells.

    p_o = .944, pi = (.972, .028), p_e = 2 * .972 * .028 = .0544.
    """
    x, y = np.repeat([[1.0, 1], [1, 0], [0, 1]], [118, 5, 2], axis=0).T
    assert gwet_ac2(x[:, None], y)(np.ones((125, 1)))[0] == pytest.approx(0.9408, abs=5e-5)


def test_pass_k_by_hand():
    """Three trials of six questions that pass 3, 3, 2, 1, 0 and 3 times; two of them are of one group."""
    passed = [3, 3, 2, 1, 0, 3]
    ratings = [5.0 if trial < count else 1.0 for count in passed for trial in range(3)]
    questions = tuple(f"q{number}" for number in range(6) for _ in range(3))
    groups = tuple("a" if name in {"q0", "q1"} else name for name in questions)
    [trials] = repeated_trials(table_of({}, ratings, groups=groups, questions=questions), {})
    assert (trials.version, trials.by, trials.questions, trials.trials) == ("", "ratings", 6, 18)
    assert trials.pass_rate.value == pytest.approx(12 / 18)
    for k in (2, 3):
        shares = [comb(count, k) / comb(3, k) for count in passed]
        by_hand = estimate_mean(shares, ["a", "a", "c", "d", "e", "f"], bounds=(0, 1))
        assert trials.pass_all[k].value == pytest.approx(np.mean(shares))
        assert (trials.pass_all[k].low, trials.pass_all[k].high) == pytest.approx((by_hand.low, by_hand.high))
    assert trials.pass_all[3].value == 0.5


def test_of_fewer_than_five_repeated_questions_there_are_no_trials():
    once = table_of({}, [5.0] * 6, questions=tuple("uvwxyz"))
    two_versions = table_of({}, [5.0] * 6, questions=tuple("uuvvww"), versions=("A", "B") * 3)
    four = table_of({}, [5.0] * 9, questions=tuple("uuvvwwxxy"))
    assert repeated_trials(once, {}) == repeated_trials(two_versions, {}) == repeated_trials(four, {}) == ()
