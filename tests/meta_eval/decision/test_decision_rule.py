"""The verdicts, their bounds and their sentences, by hand where a hand reaches."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from assay.errors import InputError
from assay.meta_eval import ConfidenceSequence, Look, estimate_mean, next_look, spent_error
from assay.meta_eval.decision import Needs, VersionTable, decide_versions, give_decision_verdict

from .test_net_wins import compared, two_versions


def rated_pairs(differences, seed=0):
    """Questions, all rated in both versions, with these differences of ratings."""
    a = 2.5 + np.random.default_rng(seed).integers(0, 2, len(differences))
    return two_versions(a, a + np.asarray(differences, float))


def test_ship_keep_and_unsettled_follow_the_interval():
    """40 differences of 1 +- 0.5 (error 0.08): far from 0. 40 of +-1: around 0, and wider than the margin."""
    better = 1 + 0.5 * (-1.0) ** np.arange(40)
    assert decide_versions(rated_pairs(better)).verdict == "ship"
    kept = decide_versions(rated_pairs(-better))
    assert (kept.verdict, kept.best) == ("keep", "A")
    unsettled = decide_versions(rated_pairs((-1.0) ** np.arange(40)))
    assert unsettled.verdict == "unsettled"
    assert unsettled.needs.ratings is None  # all are rated
    assert unsettled.needs.answers is not None


@pytest.mark.parametrize("fails", [0, 1])
def test_the_mean_of_a_version_with_hardly_a_bad_answer_has_the_interval_of_estimate(fails):
    """A 1 among 79 fives is a share of 79 of 80 on the scale, no answer worse: the exact interval of it for both means
    together, at .95^(1/2), bounds it below. Of a version with fives alone that is 1 + 4 * .0127^(1 / 80).
    """
    ratings = np.full(80, 5.0)
    ratings[:fails] = 1
    row = decide_versions(two_versions(ratings, 2.0 + np.arange(80) % 4)).versions[0]
    level = math.sqrt(0.95)
    low = stats.binomtest(80 - fails, 80).proportion_ci(level).low
    assert row.low == pytest.approx(1 + 4 * low)
    estimated = estimate_mean(ratings, [str(n) for n in range(80)], bounds=(1, 5), level=level)
    assert (row.low, row.high) == (pytest.approx(estimated.low), pytest.approx(estimated.high))


def test_with_all_rated_at_the_first_look_it_is_the_paired_t_test():
    """The interval, p and verdict are those of SciPy, in 40 draws around a difference that is just seen."""
    verdicts = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        a, b = random.integers(1, 6, 42).astype(float), np.minimum(random.integers(1, 7, 42), 5).astype(float)
        decision, test = decide_versions(two_versions(a, b)), stats.ttest_rel(b, a)
        row, interval = decision.differences[0], test.confidence_interval()
        assert (row.low, row.high, row.p) == pytest.approx((interval.low, interval.high, test.pvalue), abs=1e-9)
        sign = np.sign(test.statistic)
        assert (decision.verdict in {"ship", "keep"}) == (test.pvalue < 0.05)
        assert decision.verdict != ("keep" if sign > 0 else "ship")
        verdicts.append(decision.verdict)
    assert {"ship", "unsettled"} <= set(verdicts)


def test_ties_at_the_ceiling_are_decided_as_the_t_test_does():
    """Fives in both versions but in eight questions, where only B is rated lower: p of the t test is .003."""
    b = np.full(60, 5.0)
    b[:8] = [4, 3, 4, 2, 4, 3, 4, 4]
    decision = decide_versions(two_versions(np.full(60, 5.0), b))
    assert decision.verdict == "keep"
    assert decision.differences[0].p == pytest.approx(stats.ttest_rel(b, np.full(60, 5.0)).pvalue)


def hotfix(differences):
    """100 questions with the same answer in both versions but for the first ones, which differ by this in rating."""
    a = np.full(100, 3.0)
    b = a + np.concatenate([differences, np.zeros(100 - len(differences))])
    text = np.concatenate([np.arange(100), np.where(np.arange(100) < len(differences), 100, 0) + np.arange(100)])
    return replace(two_versions(a, b), scores=np.full(200, np.nan), text=text)


def test_four_answers_that_differ_name_no_winner():
    """By a coin for each, four agree in 2 of 16 cases, and six in 2 of 64; of eight, seven or more in 18 of 256."""
    four, six, eight = (decide_versions(hotfix(one), margin=0.01) for one in ([1] * 4, [1] * 6, [1] * 7 + [-1]))
    assert (four.verdict, six.verdict, eight.verdict) == ("unsettled", "ship", "unsettled")
    assert [one.differences[0].p for one in (four, six, eight)] == pytest.approx([2 / 16, 2 / 64, 18 / 256])
    row = four.differences[0]
    assert row.low < 0 < row.high
    assert decide_versions(hotfix([-1] * 4), margin=0.01).verdict == "unsettled"
    rests = [give_decision_verdict(one).as_json()["Rests on"] for one in (four, six)]
    assert ["only 4 differ" in rests[0], "differ" in rests[1]] == [True, False]
    assert "differing" not in four.as_json()["differences"][0]


def rated_part(differences, rated):
    """As `rated_pairs`, with the first questions rated and no score."""
    table, count = rated_pairs(differences), len(differences)
    is_rated = np.tile(np.arange(count) < rated, 2)
    nothing = np.full(2 * count, np.nan)
    return replace(table, ratings=np.where(is_rated, table.ratings, np.nan), scores=nothing)


def scored(ratings, scores):
    """Two versions of as many questions as there are ratings of each, with these scores."""
    count = len(ratings) // 2
    numbers = np.tile(np.arange(count), 2)
    return VersionTable(
        ("A", "B"), np.repeat([0, 1], count), numbers, numbers, scores, ratings, text=np.arange(2 * count)
    )


def test_how_skewed_a_score_is_does_not_matter():
    """Scores help by their percentiles: those of e^s are those of s."""
    random = np.random.default_rng(5)
    truth = np.concatenate([quality := random.normal(3, 1, 60), quality + 0.4])
    ratings = np.where(random.random(120) < 0.5, np.clip(truth.round(), 1, 5), np.nan)
    scores = truth + random.normal(0, 0.3, 120)
    plain, skewed = (decide_versions(scored(ratings, one)) for one in (scores, np.exp(3 * scores)))
    assert (plain.versions, plain.differences, plain.look) == (skewed.versions, skewed.differences, skewed.look)
    row, alone = plain.differences[0], decide_versions(scored(ratings, np.zeros(120))).differences[0]
    assert row.high - row.low < 0.8 * (alone.high - alone.low), "they tell the ratings"


def test_scores_that_tell_nothing_cost_nothing():
    """Heavy tails, and no relation to the ratings: the interval is hardly wider than by ratings alone, 20 times."""
    widths = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        ratings = np.where(random.random(240) < 0.5, random.integers(1, 6, 240), np.nan)
        both = [scored(ratings, scores) for scores in (np.exp(random.normal(0, 2, 240)), np.zeros(240))]
        row, alone = (decide_versions(one).differences[0] for one in both)
        widths.append((row.high - row.low) / (alone.high - alone.low))
    assert max(widths) < 1.15 and np.mean(widths) < 1.03


def test_two_looks_share_the_level():
    """30 of 100 rated have .05 log(1 + .3 (e - 1)) = .0208, all rated the rest; again the same is the same look."""
    wave = 0.25 + (-1.0) ** np.arange(100)
    first = decide_versions(rated_part(wave, 30))
    assert first.look.error == pytest.approx(0.05 * math.log(1 + 0.3 * (math.e - 1)))
    again = decide_versions(rated_part(wave, 30), looks=[first.look])
    assert (again.look, again.differences) == (first.look, first.differences)
    second = decide_versions(rated_part(wave, 100), looks=[first.look])
    assert (second.look.number, second.look.share) == (2, 1.0)
    assert second.look.error + first.look.error == pytest.approx(0.05)
    row, error = second.differences[0], wave.std(ddof=1) / 10
    assert row.high - row.difference == pytest.approx(stats.t.isf(second.look.error / 2, 99) * error)
    assert decide_versions(rated_part(wave, 100)).differences[0].high < row.high


def test_what_an_earlier_look_showed_stands_while_todays_difference_lies_within_it():
    """B is surely better by 30 ratings; one rating more has hardly an error of its own, and the look before decides."""
    better = 1 + 0.5 * (-1.0) ** np.arange(100)
    first = decide_versions(rated_part(better, 30))
    second = decide_versions(rated_part(better, 31), looks=[first.look])
    assert (first.verdict, second.verdict, second.look.number) == ("ship", "ship", 2)
    assert second.differences[0].low == pytest.approx(first.differences[0].low)
    assert "rests on an earlier look too" in second.notes[0] and "by this look alone it is" in second.notes[0]
    worse = np.where(np.arange(100) < 30, better, -1.4 + 0.1 * (-1.0) ** np.arange(100))
    turned = decide_versions(rated_part(worse, 100), looks=[first.look])
    assert turned.verdict == "keep" and "that look no longer counts" in turned.notes[0]


def test_ratings_of_other_questions_for_each_version_leave_an_error_for_the_rest():
    """A is rated on 20 of 40 questions and B on the others: 20 x 20 / 40 = 10 of 40 pairs, .05 log(1 + .25 (e - 1))."""
    even, wave = np.arange(40) % 2 == 0, 1.0 + np.arange(40) // 2 % 4
    a, b, nothing = wave, wave + 0.5 + 0.4 * (-1.0) ** np.arange(40), np.full(40, np.nan)
    halves = two_versions(np.where(even, a, np.nan), np.where(even, np.nan, b), scores_a=nothing, scores_b=nothing)
    first = decide_versions(halves)
    assert (first.look.share, first.look.rated) == (0.25, 10)
    assert first.look.error == pytest.approx(0.05 * math.log(1 + 0.25 * (math.e - 1)))
    assert (first.verdict, first.needs.ratings is not None) == ("unsettled", True)
    thirds = replace(halves, ratings=np.where((halves.version == 1) & (np.arange(80) > 61), np.nan, halves.ratings))
    part = decide_versions(thirds)  # 20 and 11: their product over their sum is no round number
    kept = replace(part.look, rated=round(part.look.rated, 3))
    assert decide_versions(thirds, looks=[kept]).look == kept
    whole = two_versions(a, b, scores_a=nothing, scores_b=nothing)
    second = decide_versions(whole, looks=[first.look])
    assert (second.verdict, second.look.number, second.look.share) == ("ship", 2, 1.0)


def test_a_look_has_an_error_only_for_what_is_new():
    one = next_look([], 0.5, 50, 100)
    assert one.error == spent_error(0.5)
    assert next_look([one], 0.5, 50, 100) == one
    # the share is estimated, and may seem to fall: half of the missing ratings bring half of the missing information
    assert next_look([one], 0.4, 75, 100).share == pytest.approx(0.75)
    assert Look().half_width(1.0, math.inf) == pytest.approx(1.96, abs=1e-3)
    assert Look().half_width(1.0, math.inf, sides=1) == pytest.approx(1.645, abs=1e-3)
    assert Look().half_width(1.0, 1e9, comparisons=3) == pytest.approx(2.388, abs=1e-3)  # Sidak


def test_a_mean_is_that_of_a_versions_own_ratings():
    """Of B the 20 questions are rated that are the worst ones: the difference is of these, and a note says so."""
    a = np.repeat([2.0, 4.0], 20)
    table = two_versions(a, a + 0.5 + 0.4 * (-1.0) ** np.arange(40))
    nothing = np.full(80, np.nan)
    part = replace(table, ratings=np.where(np.arange(80) < 60, table.ratings, np.nan), scores=nothing)
    decision = decide_versions(part)
    assert [version.mean for version in decision.versions] == pytest.approx([3.0, 2.5])
    assert decision.differences[0].difference == pytest.approx(0.5)
    assert (decision.verdict, decision.best) == ("ship", "B")
    assert any("compares answers to the same questions" in note for note in decision.notes)
    whole = decide_versions(replace(table, scores=nothing))
    assert not any("compares answers to the same questions" in note for note in whole.notes)


def test_any_number_of_looks_has_the_confidence_sequence():
    """Differences of 1 +- 0.5, n = 40: s = 0.5 / sqrt(39), 39 degrees of freedom, the spread 0.1 of 4 points."""
    table = rated_pairs(1 + 0.5 * (-1.0) ** np.arange(40))
    decision = decide_versions(table, looks="any")
    half = ConfidenceSequence(0.4).half_width(0.5 / math.sqrt(39), 39, error=0.05)
    assert (decision.differences[0].low, decision.differences[0].high) == pytest.approx((1 - half, 1 + half))
    assert decision.look is None
    assert half > 2.0227 * 0.5 / math.sqrt(39)


def test_equivalent_needs_the_interval_within_the_margin():
    """400 differences of +-0.1 have the error 0.005: within 0.1, but not within 0.01."""
    table = rated_pairs(0.1 * (-1.0) ** np.arange(400))
    assert decide_versions(table, margin=0.1).verdict == "equivalent"
    assert decide_versions(table, margin=0.005).verdict == "unsettled"


def test_versions_that_answer_alike_are_equivalent():
    decision = decide_versions(two_versions([3.0] * 8, [3.0] * 8, same=range(8)))
    assert decision.verdict == "equivalent"
    assert (decision.differences[0].low, decision.differences[0].high) == (0.0, 0.0)


def test_few_changed_answers_have_a_bound_of_their_share():
    """Two of 400 answers changed, and both are rated alike: at most 0.9% of answers differ either way, by 4 points."""
    a = np.full(400, 3.0)
    decision = decide_versions(two_versions(a, a, same=range(2, 400)))
    assert decision.differences[0].high == pytest.approx((1 - 0.025 ** (1 / 400)) * 4)
    assert decision.verdict == "equivalent"


def test_ratings_that_do_not_vary_have_a_bound():
    """Every B is exactly one better in 30 questions: at most b = 1 - 0.025^(1/30) = 11.6% differ, from -2 to 4.

    1 - 3 b = 0.65 leaves out 0. With ten questions b is 30.8% and 1 - 3 b = 0.07; with nine 33.6%. Where .75 of B are
    one better and .25 three worse, which is no difference, nine are alike in .075 of samples, ten in .056.
    """
    row = decide_versions(rated_pairs(np.ones(30))).differences[0]
    share = 1 - 0.025 ** (1 / 30)
    assert (row.low, row.high) == pytest.approx((1 - 3 * share, 1 + 3 * share))
    assert row.p == pytest.approx(2 * (2 / 3) ** 30)
    assert decide_versions(rated_pairs(np.ones(30))).verdict == "ship"
    for size in (0.5, 1, 1.5):
        assert decide_versions(rated_pairs(np.full(10, -size))).verdict == "keep"
        assert decide_versions(rated_pairs(np.full(9, -size))).verdict == "unsettled"
    assert decide_versions(rated_pairs(np.ones(10))).verdict == "ship"


def test_ratings_of_one_version_say_nothing_of_a_difference():
    """A has 40 rated answers, B one: the scores alone decide, as if nothing were rated, and it is said."""
    a = 2 + np.arange(40.0) % 3
    b = np.where(np.arange(40) == 3, 4.0, np.nan)
    scores_a, scores_b = a / 10, (a + 1 + 0.3 * (-1.0) ** np.arange(40)) / 10
    table = two_versions(a, b, scores_a=scores_a, scores_b=scores_b, score_scale=(0.0, 1.0))
    decision = decide_versions(table)
    assert (decision.basis, decision.scale) == ("scores", (0.0, 1.0))
    assert decision.differences[0].difference == pytest.approx(float((scores_b - scores_a).mean()))
    assert decision.differences[0].by_score
    assert any("The ratings (40 of A, 1 of B) do not count" in note for note in decision.notes)


def test_a_version_of_which_nothing_is_known_is_an_error():
    """C has neither ratings nor scores: no mean is made up for it."""
    table = three_versions(np.arange(40) % 2, np.arange(40) % 3)
    is_c = table.version == 2
    known = [np.where(is_c, np.nan, column) for column in (table.scores, table.ratings)]
    with pytest.raises(InputError, match="nothing is known of C"):
        decide_versions(replace(table, scores=known[0], ratings=known[1]))


def test_a_score_alone_never_says_equivalent():
    nothing = np.full(400, np.nan)
    a = np.random.default_rng(0).normal(3, 0.2, 400)
    table = two_versions(nothing, nothing, scores_a=a, scores_b=a + 0.01 * (-1.0) ** np.arange(400) + 0.001)
    assert decide_versions(table).verdict == "unsettled"


def three_versions(b, c):
    """A, B and C with everything rated; B and C differ from A by these."""
    count = len(b)
    a = 2 + np.random.default_rng(1).integers(0, 2, count).astype(float)
    ratings = np.concatenate([a, a + b, a + c])
    numbers = np.tile(np.arange(count), 3)
    version = np.repeat([0, 1, 2], count)
    return VersionTable(("A", "B", "C"), version, numbers, numbers, ratings, ratings, np.arange(3 * count), (-1.0, 7.0))


def test_three_versions():
    wave = 0.5 * (-1.0) ** np.arange(40)
    both = decide_versions(three_versions(1 + wave, 2 + np.roll(wave, 1)))
    assert (both.verdict, both.best) == ("ship", "C")
    assert [version.ranks for version in both.versions] == [(3, 3), (2, 2), (1, 1)]
    assert [(row.first, row.second) for row in both.differences] == [("A", "B"), ("A", "C"), ("B", "C")]
    one = decide_versions(three_versions(1 + wave, 2 * np.roll(wave, 1)))
    assert (one.verdict, one.best) == ("ship", "B")
    assert decide_versions(three_versions(-1 + wave, -2 + np.roll(wave, 1))).verdict == "keep"
    open_ = decide_versions(three_versions(-1 + wave, 2 * np.roll(wave, 1)))
    assert open_.verdict == "unsettled"
    assert open_.versions[1].ranks == (3, 3)
    many = (-1.0) ** np.arange(200)  # one worse and one equal: nothing is better, and nothing is left to settle
    assert decide_versions(three_versions(-1 + 0.5 * many, 0.01 * many)).verdict == "keep"


@pytest.mark.parametrize(("lacks", "same"), [(4, 0), (0, 6)])
def test_p_best_is_the_same_whichever_version_stands_first(lacks, same):
    """24 questions, of which C lacks four, or A and B answer six alike; the former near a bootstrap over questions."""
    number = np.arange(24)
    known = np.stack([3 + (-1.0) ** number, 3.0 + (number % 3 > 0), 3.0 + (number % 8 == 0)])
    known[1, :same] = known[0, :same]
    known[2, 24 - lacks :] = np.nan
    text = np.stack([number, number + 100 * (number >= same), number + 200])
    stated = []
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
        place, question = np.nonzero(~np.isnan(known[order]))
        ratings = known[order][place, question]
        table = VersionTable(
            tuple("ABC"[one] for one in order),
            place,
            question,
            question,
            scores=np.full(len(ratings), np.nan),
            ratings=ratings,
            text=text[order][place, question],
        )
        likely = {one.name: one.p_best for one in decide_versions(table).versions}
        stated.append([likely[name] for name in "ABC"])
    drawn = np.random.default_rng(0).integers(0, 24, (5_000, 24))
    best = np.nanmean(known[:, drawn], axis=2).argmax(axis=0)
    assert sum(stated[0]) == pytest.approx(1)
    if lacks:  # of clear differences the prior believes less than a bootstrap does
        assert stated[0] == pytest.approx((np.bincount(best, minlength=3) / 5_000).tolist(), abs=0.03)
    assert stated[1] == stated[2] == pytest.approx(stated[0], abs=1e-9)


def test_scores_alone_decide_nothing():
    """A judge may like the style of B: whatever it says, nothing is settled, because nothing is rated."""
    a = 2 + np.random.default_rng(0).integers(0, 2, 40).astype(float)
    nothing = np.full(40, np.nan)
    scores_b = a + 1 + 0.5 * (-1.0) ** np.arange(40)
    table = two_versions(nothing, nothing, scores_a=a, scores_b=scores_b)
    decision = decide_versions(table, measure="faithfulness")
    assert (decision.verdict, decision.basis, decision.needs.ratings) == ("unsettled", "scores", 40)
    assert decision.sentence.startswith("Not settled: B may be better than A, or worse; faithfulness is ")
    assert decision.differences[0].low > 0
    same = two_versions(nothing, nothing, scores_a=np.arange(40), scores_b=np.arange(40), same=range(40))
    assert (decide_versions(same).verdict, decide_versions(same).basis) == ("equivalent", "scores")


def test_nothing_to_decide_by_is_an_error():
    nothing = np.full(10, np.nan)
    with pytest.raises(InputError, match=r"no answer is rated.*: rate answers of each version"):
        decide_versions(two_versions(nothing, nothing))
    with pytest.raises(InputError, match="above 0"):
        decide_versions(rated_pairs(np.ones(10)), margin=0.0)


@given(st.floats(0.01, 3), st.floats(0.01, 2), st.sampled_from([4.0, 12.0, 200.0, math.inf]), st.floats(0.02, 0.5))
@settings(max_examples=200)
def test_the_p_value_and_the_interval_say_the_same(difference, error, degrees, spread):
    sequence = ConfidenceSequence(spread)
    leaves_out_zero = difference > sequence.half_width(error, degrees, error=0.05)
    p = sequence.p_value(difference, error, degrees)
    assert leaves_out_zero == (p < 0.05) or p == pytest.approx(0.05, rel=1e-6)


def test_the_sequence_holds_at_every_look():
    """A sum of normal steps is looked at 500 times: the sequence leaves out its mean in at most 5% of 2,000 walks."""
    random = np.random.default_rng(0)
    steps = np.arange(10, 5010, 10)
    walks = np.cumsum(random.normal(size=(2000, 500)) * np.sqrt(10), axis=1) / steps
    sequence = ConfidenceSequence(0.1)
    widths = np.array([sequence.half_width(1 / math.sqrt(n), math.inf, error=0.05) for n in steps])
    misses = (np.abs(walks) > widths).any(axis=1).mean()
    fixed = (np.abs(walks) > 1.96 / np.sqrt(steps)).any(axis=1).mean()
    assert misses <= 0.05
    assert fixed > 0.3  # what it is for


def test_what_would_settle_it_has_a_power_of_80_percent_at_the_difference_seen():
    """40 differences of .25 +- 1: of as many more that sum up to N, (1.96 + .84)^2 / .25^2 = 126, and with t 128."""
    decision = decide_versions(rated_pairs(0.25 + (-1.0) ** np.arange(40)))
    assert decision.verdict == "unsettled"
    assert 40 + decision.needs.answers == pytest.approx(130, rel=0.06)
    assert decision.needs.low < decision.needs.answers < decision.needs.high
    assert f"about {decision.needs.answers} more rated answers of each" in decision.sentence


def test_where_few_pairs_differ_what_would_settle_it_allows_for_a_larger_variance():
    """4 differences of 1 and 1 of -1 among 20: .15 +- .489, which 84 would settle; 5 groups show little of a variance.

    With 2 x 5 - 1 degrees of freedom it is at most 9 / 5.38 = 1.67 times as large in four of five cases: 140.
    """
    decision = decide_versions(rated_pairs(np.array([1.0] * 4 + [-1.0] + [0.0] * 15)))
    assert decision.verdict == "unsettled"
    assert 20 + decision.needs.answers == pytest.approx(140, rel=0.06)


def test_where_all_pairs_differ_alike_what_would_settle_it_is_by_the_ratings_of_one_version():
    """Six pairs differ by 1, and of ten further answers of each the means are alike: 6 / 11 = .55 +- .252.

    Ratings of one version say as much as half as many pairs: these are 11 pairs, and 11 (.252 / .55)^2 (2.8 + .84)^2 =
    31 settle it: 31 of 200 may err in .75%, which is 2.8 standard errors of so few.
    """
    a, b = np.full((2, 200), np.nan)
    a[:6], b[:6] = 3.0, 4.0
    a[6:16] = b[16:26] = np.tile([2.0, 4.0], 5)
    nothing = np.full(200, np.nan)
    decision = decide_versions(two_versions(a, b, scores_a=nothing, scores_b=nothing))
    assert decision.verdict == "unsettled"
    assert 11 + decision.needs.ratings == pytest.approx(31, rel=0.06)
    assert not decision.needs.is_beyond


def apart(rated_of_a, rated_of_b, count):
    """Versions without a question in common: A is rated 3 +- 1, B .4 more; a part of `count` answers of each is."""
    ratings = np.concatenate([2.0 + 2 * (np.arange(count) % 2), 2.4 + 2 * (np.arange(count) % 2)])
    number, place = np.arange(2 * count), np.tile(np.arange(count), 2)
    is_rated = place < np.repeat([rated_of_a, rated_of_b], count)
    nothing = np.full(2 * count, np.nan)
    return VersionTable(("A", "B"), np.repeat([0, 1], count), number, number, nothing,
                        np.where(is_rated, ratings, np.nan), number)  # fmt: skip


def test_what_would_settle_unpaired_versions_is_of_two_independent_means():
    """A variance of 40 / 39 and a difference of .4: 2 (1.96 + .84)^2 1.026 / .16 = 101 of each, all rated.

    Where 40 of 200 are rated, this look has spent .0148; one at 126 of 200 has .0216 (z = 2.30), and 12.8 (2.30 +
    .84)^2 = 126. Where all of A and 40 of B are, 1 / (1 / 200 + 1 / n) = 68 with the z of .0157, 2.42: n = 103.
    """
    all_rated = decide_versions(apart(40, 40, 40))
    assert (all_rated.verdict, all_rated.needs.ratings, all_rated.needs.version) == ("unsettled", None, "")
    assert 40 + all_rated.needs.answers == pytest.approx(101, rel=0.05)
    part = decide_versions(apart(40, 40, 200))
    assert (part.needs.answers, part.needs.version) == (None, "")
    assert 40 + part.needs.ratings == pytest.approx(126, rel=0.05)
    one = decide_versions(apart(200, 40, 200))
    assert (one.verdict, one.needs.answers, one.needs.version) == ("unsettled", None, "B")
    assert 40 + one.needs.ratings == pytest.approx(103, rel=0.05)
    assert f"about {one.needs.ratings} more ratings of B" in one.sentence


def test_where_the_answers_at_hand_do_not_do_it_takes_all_of_them_and_new_ones():
    """It takes 101 of each, and there are 60: 20 more ratings do not do, and what does is 41 more answers."""
    decision = decide_versions(apart(40, 40, 60))
    assert (decision.verdict, decision.needs.ratings) == ("unsettled", 20)
    assert 60 + decision.needs.answers == pytest.approx(101, rel=0.05)
    assert f"rating the 20 unrated and about {decision.needs.answers} new answers of each (" in decision.sentence
    assert decision.needs.low < 20 + decision.needs.answers < decision.needs.high  # of both together
    one = decide_versions(apart(60, 40, 60))
    assert (one.needs.ratings, one.needs.version) == (20, "B")
    assert 60 + one.needs.answers == pytest.approx(101, rel=0.05)
    uneven = decide_versions(apart(50, 40, 60))
    assert (uneven.needs.ratings, uneven.needs.version) == (20, "")


def without_scores(differences, **how):
    """Pairs of answers with these differences of ratings, not rated where that is NaN."""
    nothing = np.full(len(differences), np.nan)
    rated = np.where(np.isnan(differences), np.nan, 3.0)
    return two_versions(rated, rated + differences, scores_a=nothing, scores_b=nothing, **how)


def test_pairs_of_which_half_is_rated_take_the_other_half_and_new_ones():
    """Of 80 pairs 40 are rated, .25 +- 1: it takes 128, which are the 40 unrated ones at hand and 48 new ones."""
    differences = np.concatenate([0.25 + (-1.0) ** np.arange(40), np.full(40, np.nan)])
    decision = decide_versions(without_scores(differences))
    assert (decision.verdict, decision.needs.ratings, decision.needs.version) == ("unsettled", 40, "")
    assert 80 + decision.needs.answers == pytest.approx(130, rel=0.06)
    assert f"rating the 40 unrated and about {decision.needs.answers} new answers of each (" in decision.sentence


def test_more_ratings_in_groups_whose_questions_agree_settle_nothing():
    """40 groups of 4 questions, 2 of each rated .25 +- 1 alike: the other 80 say nothing new; it takes 128 groups."""
    groups = np.repeat(np.arange(40), 4)
    differences = np.where(np.arange(160) % 4 < 2, 0.25 + (-1.0) ** groups, np.nan)
    decision = decide_versions(without_scores(differences, group=groups))
    assert (decision.verdict, decision.needs.ratings) == ("unsettled", 80)
    assert 160 + decision.needs.answers == pytest.approx(4 * 130, rel=0.06)
    assert " new answers of each, of new groups (" in decision.sentence


def test_too_few_groups_need_further_ones_and_no_more_ratings():
    """Ten questions of each of four topics are all rated; of three questions without groups each is one."""
    topics = decide_versions(without_scores(0.25 + (-1.0) ** np.arange(40), group=np.arange(40) % 4))
    assert (topics.verdict, topics.needs) == ("unsettled", Needs(answers=1))
    assert give_decision_verdict(topics).as_json()["To settle it"] == (
        "rate answers of 1 more question or group: these are of 4, and it takes 5"
    )
    few = decide_versions(without_scores(np.array([1.0, np.nan, np.nan, np.nan])))
    assert few.needs == Needs(answers=1, ratings=4)  # these, and another one
    three = decide_versions(without_scores(np.array([1.0, -1.0, 1.0])))
    assert three.needs == Needs(answers=2)
    assert three.sentence.endswith(
        " To settle it: rate answers of 2 more questions or groups: these are of 3, and it takes 5."
    )
    assert dict(give_decision_verdict(three).lines("nl"))["Om te beslissen"] == (
        "beoordeel nog 2 vragen of groepen: dit zijn er 3, en er zijn 5 nodig"
    )


def test_where_all_ratings_are_alike_it_takes_as_many_as_bound_the_share_that_differs():
    """On 1 to 5 no group of G differs: at 5% at most 1 - .05^(1/G) do, by 4 at most. Below .1 from G = 119 on.

    ln .05 / ln (1 - .1 / 4) = 118.3. Of 100 where 40 are rated, 60 are left and 19 new ones are needed. With a margin
    of .2 the answers at hand do: ln .05 / ln (1 - .2 / 4) = 58.4.
    """
    decision = decide_versions(without_scores(np.zeros(60)))
    assert (decision.verdict, decision.needs.is_equal, decision.needs.ratings) == ("unsettled", True, None)
    assert decision.needs.answers == 119 - 60
    assert "if they are alike, 59 more rated answers of each would show it: a difference below 0.1" in decision.sentence
    part = decide_versions(without_scores(np.where(np.arange(100) < 40, 0.0, np.nan)))
    assert (part.needs.ratings, part.needs.answers) == (60, 19)
    wide = decide_versions(without_scores(np.where(np.arange(100) < 40, 0.0, np.nan)), margin=0.2)
    assert (wide.needs.ratings, wide.needs.answers) == (59 - 40, None)


def test_where_versions_may_be_equal_it_takes_what_shows_that_nothing_differs():
    """Ten differences of +-1, sd 1.054: ((1.645 + 1.282) 1.054 / .5)^2 = 38, with t 40; of .01 it is 95,000."""
    table = rated_pairs((-1.0) ** np.arange(10))
    decision = decide_versions(table, margin=0.5)
    assert (decision.needs.is_equal, 10 + decision.needs.answers) == (True, pytest.approx(40, abs=2))
    assert "To settle it: more ratings than you can give." in decide_versions(table, margin=0.01).sentence


def test_ratings_that_are_no_random_part_are_seen():
    """The ten best answers of B by the score are rated, and every third one of A."""
    random = np.random.default_rng(0)
    scores_a, scores_b = random.normal(size=60), np.sort(random.normal(size=60))
    a, b = np.full(60, np.nan), np.full(60, np.nan)
    a[::3], b[-20:] = 3 + np.arange(20) % 2, 3 + np.arange(20) % 3
    decision = decide_versions(two_versions(a, b, scores_a=scores_a, scores_b=scores_b), measure="own")
    assert "But what is rated of B may be no random part of its answers: own is" in decision.sentence


def test_preferences_alone_decide_on_their_own_scale():
    """60 comparisons, 45 won by B and 15 by A: a net share of wins of 0.5, with the error 0.866 / sqrt(59) = 0.113."""
    nothing = np.full(60, np.nan)
    decision = decide_versions(two_versions(nothing, nothing), compared([1, 1, 1, -1] * 15))
    assert (decision.verdict, decision.basis, decision.scale) == ("ship", "preferences", (-1.0, 1.0))
    row = decision.differences[0]
    assert (row.low, row.high) == pytest.approx((0.5 - 2.001 * 0.1127, 0.5 + 2.001 * 0.1127), abs=2e-3)
    assert "Ship B: your raters like it better than A; B wins 50% more of the questions than A" in decision.sentence


def test_few_groups_that_differ_are_bounded_by_their_counts():
    """Of 115 tasks B alone solves one, and A none: at either bound so few have a chance of 2.5%."""
    solved_a, solved_b = np.ones(115), np.ones(115)
    solved_a[:1] = 0.0
    row = decide_versions(two_versions(solved_a, solved_b, scale=(0.0, 1.0))).differences[0]
    assert stats.binom.cdf(1, 115, row.high) == pytest.approx(0.025, abs=1e-9)
    assert stats.binom.cdf(0, 115, -row.low) == pytest.approx(0.025, abs=1e-9)
