"""A look at production: the corrected mean, its interval, its bounds, and the state of an alarm."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from modules import module_of
from scipy import stats

from assay.errors import UsageError
from assay.meta_eval import CLEARED, FALSE_ALARMS, DayEvidence, Estimate, t_of_score
from assay.meta_eval.monitoring import AlarmState, Bound, Look, ProductionAnswers, follow_bounds, look_at_production


def draw_answers(
    seed, *, days=40, a_day=60, judged=30, rated=10, fall=0.0, fall_days=(20, 10**6), session=2, bad_days=()
):
    """Simulated answers of a chatbot in production, and the rating that raters would give to each.

    Sessions of `session` answers; the ratings fall by `fall` on the `fall_days` from the first to before the second,
    and by 2 on the `bad_days`.
    """
    generator = np.random.default_rng(seed)
    n = days * a_day
    day, group = np.repeat(np.arange(days), a_day), np.arange(n) // session
    quality = 0.5 * generator.normal(size=n)[group] + 0.85 * generator.normal(size=n)
    is_worse = (day >= fall_days[0]) & (day < fall_days[1])
    quality = quality - fall * is_worse - 2 * np.isin(day, bad_days)
    ratings = np.clip(np.rint(3.8 + quality), 1, 5)
    judge = 0.5 + 0.12 * quality + 0.15 * generator.normal(size=n)
    is_judged = generator.random(n) < judged / a_day
    is_rated = is_judged & (generator.random(n) < rated / judged)
    answers = ProductionAnswers(
        day,
        group,
        quality + 2 * generator.normal(size=n),
        np.full(n, judged / a_day),
        np.where(is_judged, judge, np.nan),
        np.where(is_judged, rated / judged, np.nan),
        np.where(is_rated, ratings, np.nan),
        {"language": ["nl" if value else "en" for value in generator.random(n) < 0.3]},
    )
    return answers, ratings


_normal_scores = module_of(AlarmState)._normal_scores

ALL = [Bound("mean", 3.5), Bound("bad_share", 0.1), Bound("fall", 0.2), Bound("judge_fall", 0.2)]
NAN = math.nan


def small(ratings: list[float], *, chance: float = 0.5, judged: list[float] | None = None) -> ProductionAnswers:
    """Answers of one day, one session each, all in a draw for the raters."""
    n = len(ratings)
    judge_chance = np.full(n, NAN if judged is None else 1.0)
    return ProductionAnswers(
        np.zeros(n, int),
        np.arange(n),
        np.full(n, NAN),
        judge_chance,
        np.full(n, NAN) if judged is None else np.array(judged, float),
        np.full(n, chance),
        np.array(ratings, float),
    )


def estimates(look: Look) -> Iterator[Estimate]:
    yield from (look.mean, look.bad_share, *(state.estimate for state in look.bounds))
    for segment in look.segments:
        yield from (segment.mean, segment.bad_share)


def part_of(answers: ProductionAnswers, rows: Any) -> ProductionAnswers:
    """Some of the answers, without their segments."""
    columns = [field.name for field in dataclasses.fields(answers)[:7]]
    return ProductionAnswers(**{name: getattr(answers, name)[rows] for name in columns})


def assert_sound(look: Look) -> None:
    """No NaN, no interval of width 0, every missing one explained."""
    for estimate in estimates(look):
        if estimate.low is None or estimate.high is None:
            assert estimate.problem
        else:
            assert estimate.value is not None
            assert estimate.low <= estimate.value <= estimate.high
            assert estimate.high - estimate.low > 1e-6
        assert estimate.value is None or math.isfinite(estimate.value)
    assert all(0 <= state.p <= 1 and state.sentence.endswith(".") for state in look.bounds)


def test_unequal_chances_weigh_the_ratings():
    """Three times: rated with chance 1/2: 4, 4, 4; with chance 1/8: 2. Weights 2, 2, 2, 8: (6 * 4 + 8 * 2) / 14."""
    answers = small([4, 4, 4, 2, NAN, NAN, NAN, NAN] * 3)
    chances = np.tile([0.5, 0.5, 0.5, 0.125, 0.5, 0.5, 0.125, 0.125], 3)
    answers = dataclasses.replace(answers, rating_chance=chances)
    assert look_at_production(answers, []).mean.value == pytest.approx(40 / 14)
    assert look_at_production(answers, []).bad_share.value == pytest.approx(8 / 14)


def test_a_day_is_predicted_by_the_line_of_the_days_before_it():
    """Day 0 has 20 ratings with rating = 1 + 4 * judge; day 1 has twenty judged, ten rated.

    Day 1's predictions are 1 + 4 * 0.25 = 2 and 1 + 4 * 0.75 = 4. The latter are rated 5, one more than predicted. Over
    day 1 alone: the mean prediction 3, and 1 more by the ratings: 4.
    """
    judged = np.array([*np.tile([0.0, 1.0], 10), *np.tile([0.25, 0.75], 10)])
    ratings = np.array([*np.tile([1.0, 5.0], 10), *np.tile([NAN, 5.0], 10)])
    answers = ProductionAnswers(
        np.repeat([0, 1], 20), np.arange(40), np.full(40, NAN), np.ones(40), judged, np.full(40, 0.5), ratings
    )
    assert look_at_production(answers, [], window=1).mean.value == pytest.approx(4.0)


def test_no_ratings_say_nothing_in_the_raters_scale():
    answers, _ = draw_answers(3)
    look = look_at_production(dataclasses.replace(answers, ratings=np.full(2400, NAN)), ALL)
    assert look.mean.value is None and look.rated == 0
    assert not any(state.broken for state in look.bounds)
    assert "nothing is said on the raters' scale" in look.notes[0]
    assert "uncorrected" in look.notes[0]
    assert_sound(look)


def test_a_judge_that_scored_nothing_leaves_the_bounds_to_the_ratings():
    """As many alarms as if there were no judge at all: its stage is empty and corrects nothing."""
    answers, _ = draw_answers(3, days=40, fall=1.2, fall_days=(25, 99), rated=20)
    nothing = np.full(len(answers.days), NAN)
    silent = dataclasses.replace(answers, judged=nothing, rating_chance=np.where(np.isnan(answers.ratings), NAN, 0.05))
    unasked = dataclasses.replace(silent, judge_chance=nothing)
    looks = [look_at_production(one, [Bound("mean", 3.9), Bound("bad_share", 0.3)]) for one in (silent, unasked)]
    assert looks[0].bounds == looks[1].bounds
    assert looks[0].bounds[0].broken
    assert_sound(looks[0])


def test_nine_ratings_tell_no_mean_and_ten_do():
    look = look_at_production(small([2, 4, 3, *[NAN] * 10]), ALL)
    for estimate in (look.mean, look.bad_share):
        assert (estimate.value, estimate.low, estimate.n) == (None, None, 3)
        assert estimate.problem == "only 3 ratings of answers that were drawn, and 10 are needed"
    assert_sound(look)
    assert look_at_production(small([3] * 9 + [NAN]), []).mean.value is None
    assert look_at_production(small([3] * 10), []).mean.value == pytest.approx(3)


@pytest.mark.parametrize("rating", [1.0, 3.0, 5.0])
@pytest.mark.parametrize("n", [10, 30, 1000])
def test_equal_ratings_have_an_interval_that_does_not_collapse(rating, n):
    """At an end of the scale no narrower than that of a share of 0 of n (Clopper and Pearson, 1934)."""
    look = look_at_production(small([rating] * n), ALL)
    assert_sound(look)
    low, high = look.mean.low or 0, look.mean.high or 0
    assert look.mean.value == pytest.approx(rating)
    if rating != 3:
        assert high - low >= 4 * (1 - 0.05 ** (1 / n))


def test_a_tiny_chance_counts_in_full():
    """One rating drawn with chance 0.001 among 99 with chances of 0.5: it stands for 1000 answers, they for 198."""
    answers = small([*[4.0] * 99, 1.0])
    answers = dataclasses.replace(answers, rating_chance=np.r_[np.full(99, 0.5), 0.001])
    look = look_at_production(answers, ALL)
    assert look.mean.value == pytest.approx((198 * 4 + 1000 * 1) / 1198)
    assert look.mean.low == pytest.approx(1, abs=0.01) and look.mean.high == pytest.approx(5, abs=0.01)
    assert_sound(look)


def test_ratings_that_no_draw_brought_are_not_used():
    answers = small([*[4.0] * 10, *[1.0] * 10])
    answers = dataclasses.replace(answers, rating_chance=np.r_[np.full(10, 0.5), np.full(10, NAN)])
    look = look_at_production(answers, [])
    assert look.mean.value == pytest.approx(4)
    assert any("10 ratings" in note and "not used" in note for note in look.notes)


@pytest.mark.parametrize("sizes", [[200], [150, 30, 10, 5, 5], [40] * 5])
def test_few_and_unequal_groups_are_sound(sizes):
    generator = np.random.default_rng(4)
    n = sum(sizes)
    answers = ProductionAnswers(
        np.sort(generator.integers(0, 20, n)),
        generator.permutation(np.repeat(np.arange(len(sizes)), sizes)),
        generator.normal(size=n),
        np.ones(n),
        generator.normal(size=n),
        np.full(n, 0.5),
        np.where(generator.random(n) < 0.5, generator.integers(1, 6, n), NAN),
        {"model": ["a" if value else None for value in generator.random(n) < 0.1]},
    )
    assert_sound(look_at_production(answers, ALL))


def test_scores_and_chances_of_any_size_are_sound():
    answers, _ = draw_answers(10, days=20)
    generator = np.random.default_rng(0)
    huge = dataclasses.replace(answers, judged=1e307 * answers.judged, cheap=-1e307 * answers.cheap)
    rare = dataclasses.replace(answers, rating_chance=10.0 ** -generator.integers(0, 300, 1200))
    for table in (huge, rare, dataclasses.replace(answers, judge_chance=np.full(1200, 1e-300))):
        assert_sound(look_at_production(table, ALL))


def test_answers_of_one_session_over_many_days_raise_no_alarm():
    answers, _ = draw_answers(11, days=20, rated=20)
    look = look_at_production(dataclasses.replace(answers, groups=np.zeros(1200, int)), [Bound("mean", 4.9)])
    assert not look.bounds[0].broken and "5 groups" in look.bounds[0].sentence


def test_more_segments_have_wider_intervals():
    answers, _ = draw_answers(5)
    generator = np.random.default_rng(0)
    more = {**answers.segments, "topic": [f"t{value}" for value in generator.integers(0, 30, 2400)]}
    look = look_at_production(answers, [])
    crowded = look_at_production(dataclasses.replace(answers, segments=more), [])
    one, same = (next(part for part in found.segments if part.value == "nl") for found in (look, crowded))
    assert one.mean.value == same.mean.value
    assert (same.mean.low or 9) < (one.mean.low or 0)
    assert any("topic has 30 values" in note for note in crowded.notes)
    assert_sound(crowded)


def test_a_fall_raises_one_alarm_and_clears_once():
    answers, _ = draw_answers(6, days=80, fall=1.2, fall_days=(30, 50))
    for states in follow_bounds(answers, [Bound("mean", 3.4), Bound("fall", 0.2), Bound("judge_fall", 0.05)]):
        raised = [day for day in range(80) if states[day].is_raised]
        assert raised[0] in range(30, 38)
        assert raised == list(range(raised[0], raised[-1] + 1))  # once
        assert raised[-1] in range(50, 70)
        assert states[raised[0]].since in range(27, 34)
    state = look_at_production(answers, [Bound("mean", 3.4)]).bounds[0]
    assert not state.broken and state.since is None
    assert state.sentence.startswith("The mean rating is back to at least 3.4 since day 5")


@pytest.mark.parametrize("bad_days", [(), (7,), (4, 9)])
def test_a_fall_raises_the_alarm_though_there_was_an_incident_before_it(bad_days):
    """Quality falls by 1.3 on day 14, and fell by 2 on single days before: these are named and count for no bound."""
    settings = {"days": 24, "judged": 60, "rated": 30, "fall": 1.3, "fall_days": (14, 99), "bad_days": bad_days}
    for seed in range(3):
        look = look_at_production(draw_answers(seed, **settings)[0], [Bound("fall", 0.1)])
        (state,) = look.bounds
        assert state.broken and state.since == 14
        notes = [note for note in look.notes if "weighed without" in note]
        days = ", ".join(f"day {day}" for day in bad_days)
        assert notes == [f"Bounds are weighed without {days}: unlike the days before and after."] * bool(bad_days)


@pytest.mark.parametrize("bad_days", [(3, 9, 15, 21), (9, 10, 11, 12), (26,)])
def test_days_that_are_often_bad_or_not_over_yet_are_no_incidents(bad_days):
    """Four of 28 days are how days differ, or a change; of day 26 there is no day after that is over."""
    look = look_at_production(draw_answers(1, days=28, judged=60, rated=30, bad_days=bad_days)[0], [Bound("mean", 3)])
    assert not any("weighed without" in note for note in look.notes)


def test_an_alarm_that_an_incident_raised_keeps_its_figure_until_it_is_cleared():
    """The day that raised it counts in the figure since then, and no longer once the alarm is cleared."""
    answers, _ = draw_answers(2, days=45, judged=60, rated=30, bad_days=(20,))
    (states,) = follow_bounds(answers, [Bound("mean", 3.5)])
    raised = [day for day, state in enumerate(states) if state.is_raised]
    assert raised[0] == 20 and states[24].since == 20 and not states[-1].is_raised
    part = part_of(answers, answers.days < 26)  # days 20 to 24 are whole: one day of about 1.9 and four of 3.8
    assert look_at_production(part, [Bound("mean", 3.5)]).bounds[0].estimate.value == pytest.approx(3.4, abs=0.15)


def test_the_fall_of_a_young_watch_is_that_of_the_last_week():
    """Ratings 3, 4 and 5 on 13 days, 2, 3 and 4 on the next 7, and a day that is not over: the fall is 1."""
    day = np.repeat(np.arange(21), 12)
    ratings = np.tile([3.0, 4, 5], len(day) // 3) - (day >= 13)
    nothing = np.full(len(day), NAN)
    answers = ProductionAnswers(day, np.arange(len(day)), nothing, nothing, nothing, np.ones(len(day)), ratings)
    estimate = look_at_production(answers, [Bound("fall", 2)]).bounds[0].estimate
    assert estimate.value == pytest.approx(1)
    assert estimate.low is not None and estimate.high is not None and estimate.high - estimate.low < 2


def test_what_later_days_bring_changes_nothing_of_earlier_ones():
    answers, _ = draw_answers(7, days=30, fall=0.6, fall_days=(15, 99))
    first = part_of(answers, answers.days < 22)
    for whole, part in zip(follow_bounds(answers, ALL[:3]), follow_bounds(first, ALL[:3]), strict=True):
        assert [dataclasses.replace(state, p=0) for state in whole[:22]] == [
            dataclasses.replace(state, p=0) for state in part
        ]
        assert [state.p for state in whole[:22]] == pytest.approx([state.p for state in part])


def test_a_day_counts_for_bounds_when_its_ratings_have_come_or_a_week_has_passed():
    """Bad answers of the last ten days are rated, the others still awaited: no alarm until nothing is awaited."""
    answers, ratings = draw_answers(8, days=40, rated=20)
    is_late = (answers.days >= 30) & ~np.isnan(answers.ratings) & (ratings > 3)
    seen = dataclasses.replace(answers, ratings=np.where(is_late, NAN, answers.ratings))
    bounds = [Bound("mean", 3.7)]
    awaited = [np.where(answers.days < 33, False, is_late), is_late]
    naive, waiting, old = (dataclasses.replace(seen, is_awaited=column) for column in (None, *awaited))
    assert look_at_production(naive, bounds).bounds[0].broken
    look = look_at_production(waiting, bounds)
    assert len(follow_bounds(waiting, bounds)[0]) == 33
    assert any("without the last 6 whole days: ratings are still to come" in note for note in look.notes)
    assert len(follow_bounds(old, bounds)[0]) == 33  # those of three older days are no longer waited for
    assert len(follow_bounds(waiting, [Bound("judge_fall", 0.2)])[0]) == 40


def test_an_alarm_shows_no_interval_that_contradicts_it():
    write = module_of(look_at_production)._format
    bound = Bound("bad_share", 0.2)
    assert write(bound, Estimate(0.365, 0.186, 0.536), of_alarm=True) == "36.5%"
    assert write(bound, Estimate(0.365, 0.218, 0.536), of_alarm=True) == "36.5% (likely 21.8% to 53.6%)"
    assert write(Bound("mean", 3.4), Estimate(3.0, 2.6, 3.5), of_alarm=True) == "3.00"


def test_an_interval_beyond_the_bound_is_not_kept_though_no_whole_day_says_so():
    """One day that is not over: 160 of 400 rated 1, the others 5: 40% are bad, the mean is (160 + 240 * 5) / 400."""
    answers = small([1.0] * 160 + [5.0] * 240, chance=1.0)
    bounds = [Bound("bad_share", 0.25), Bound("mean", 4.2), Bound("bad_share", 0.39), Bound("mean", 3.5)]
    states = look_at_production(answers, bounds).bounds
    assert [state.broken for state in states] == [False] * 4
    assert [state.beyond for state in states] == [True, True, False, False]
    unsure = "; not yet sure by days, so that no alarm stands: "
    assert states[0].sentence.startswith(f"The share of bad answers is above 25%{unsure}40.0% (likely ")
    assert states[1].sentence.startswith(f"The mean rating is below 4.2{unsure}3.40 (likely ")
    assert states[2].sentence.startswith("Share of bad answers of at most 39%: 40.0% (likely ")
    assert [state.sentence.rpartition(": ")[2] for state in states[2:]] == ["not sure yet.", "not sure yet."]


def test_a_fall_in_the_first_month_is_of_the_days_that_suggest_it():
    """40 ratings a day, half 5 and half 4, from day 14 on 4 and 3: 4.5 - 3.5 lower, of which day 13 has nothing."""
    ratings = np.concatenate([np.tile([5.0, 4.0], 14 * 20), np.tile([4.0, 3.0], 7 * 20)])
    answers = dataclasses.replace(small(list(ratings), chance=1.0), days=np.repeat(np.arange(21), 40))
    unsure, kept = look_at_production(answers, [Bound("fall", 0.8), Bound("fall", 2.0)]).bounds
    assert not unsure.broken and unsure.estimate.value == pytest.approx(1.0)
    assert unsure.sentence.startswith("Fall of at most 0.8: 1.00 lower since day 14 (likely ")
    assert unsure.sentence.endswith(" lower): not sure yet.") and kept.sentence.endswith(": bound kept.")


def test_the_fall_of_the_judge_is_on_its_own_scale_and_needs_no_ratings():
    """From day 20 on the judge says 0.75 of every second answer, and 1 of the others, as of all before."""
    days = np.repeat(np.arange(40), 30)
    judged = np.where((days >= 20) & (np.arange(1200) % 2 == 0), 0.75, 1.0)
    nothing, ones = np.full(1200, NAN), np.ones(1200)
    answers = ProductionAnswers(days, np.arange(1200), nothing, ones, judged, nothing, nothing)
    state = look_at_production(answers, [Bound("judge_fall", 0.05)], window=20).bounds[0]
    assert state.broken and state.since == 20
    assert state.estimate.value == pytest.approx(0.125)
    assert "fall of the judge's mean score since the first days is above 0.05 since" in state.sentence
    assert "since day 20 (19 days): 0.1" in state.sentence  # days 20 to 38: day 39 is not over


def test_days_that_differ_in_spells_widen_what_they_say():
    """The same answers with the days' means moved by spells of five good and five bad days."""
    answers, _ = draw_answers(9, days=40, rated=20)
    spell = np.where(answers.days // 5 % 2, 0.8, -0.8)
    moved = dataclasses.replace(answers, ratings=np.clip(answers.ratings + spell, 1, 5))
    even, uneven = (look_at_production(one, [Bound("mean", 4.3)]).bounds[0] for one in (answers, moved))
    assert even.broken and not uneven.broken


def test_four_days_do_not_say_how_much_days_differ():
    answers, _ = draw_answers(9, days=5, rated=30)
    state = look_at_production(answers, [Bound("mean", 4.9)]).bounds[0]
    assert not state.broken and state.p == 1


def test_no_answers_and_no_window_are_refused():
    with pytest.raises(UsageError, match="no answers"):
        look_at_production(small([]), [])
    with pytest.raises(UsageError, match="window must be 1 day or more"):
        look_at_production(small([3.0]), [], window=0)


def test_an_alarm_stands_until_later_days_are_within_the_bound():
    state = AlarmState().after(3, DayEvidence(FALSE_ALARMS * 1.01, 2))
    assert not state.is_raised
    state = state.after(4, DayEvidence(FALSE_ALARMS, 2))
    assert (state.is_raised, state.since, state.raised_at, state.first_change) == (True, 2, 4, 2)
    state = state.after(5, DayEvidence(0.9, 5, p_within=CLEARED * 1.01, within_start=5))  # between the two
    assert state.is_raised and state.p == FALSE_ALARMS
    state = state.after(9, DayEvidence(0.9, 5, p_within=CLEARED, within_start=6))
    assert (state.is_raised, state.since, state.restart, state.first_change) == (False, None, 6, 2)


def test_calm_days_clear_an_alarm_too():
    state = AlarmState().after(4, DayEvidence(0.01, 2)).after(20, DayEvidence(1.0, 5, 1.0, True, 6))
    assert not state.is_raised and state.restart == 6


@pytest.mark.parametrize("shape", [4.0, 16.0, 100.0])
def test_the_score_of_a_skewed_mean_is_that_of_its_tail(shape):
    """A gamma variable of shape k has skewness 2 / sqrt(k)."""
    for z in (1.0, 2.0, 3.33):
        t = (stats.gamma.isf(stats.norm.sf(z), shape) - shape) / math.sqrt(shape)
        scores = _normal_scores(np.array([t]), math.inf, np.array([2 / math.sqrt(shape)]))
        assert scores[0] == pytest.approx(z, rel=0.02)


def test_a_mean_without_degrees_of_freedom_scores_nothing():
    """That of the first days: NumPy warned of 0 / 0, which a reader of `assay watch` saw."""
    with np.errstate(all="raise"):
        assert _normal_scores(np.zeros(2), np.array([0.0, 4.0]), np.zeros(2)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("degrees", [4.0, 30.0, math.inf])
@pytest.mark.parametrize("skewness", [-0.5, 0.0, 0.8])
def test_the_t_of_a_score_is_the_inverse(degrees, skewness):
    for z in np.linspace(1, 4, 7):
        t = np.array([t_of_score(float(z), degrees, skewness)])
        assert _normal_scores(t, degrees, np.array([skewness]))[0] == pytest.approx(z)
