"""Gates: each state by hand, both sides of each bound."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from pydantic import TypeAdapter

from assay.eval_sets import Sample
from assay.metrics import Score
from assay.runs import AnswerTable, Gate, GateResult, History, JudgedRun, Night, decide_gates, decide_verdict

REGRESSION = {"gate": "regression", "metric": "faithfulness"}
MEAN = {"gate": "mean", "metric": "faithfulness"}


def judged(values, history=None, *, judge="j", higher=True, per_group=1):
    """A run of so many samples, each its own group."""
    texts = {"user_input": "Free?", "response": "Yes.", "language": "en"}
    samples = {f"s{n}": Sample(id=f"s{n}", group=f"g{n // per_group}", **texts) for n in range(len(values))}
    scores = {
        name: {"faithfulness": Score(value, "skipped" if value is None else "scored", "")}
        for name, value in zip(samples, values, strict=True)
    }
    table = AnswerTable({"faithfulness": higher}, samples, scores)
    return JudgedRun(judge, ("faithfulness",), table, history or History())


def earlier(runs):
    return tuple({f"s{n}": {"faithfulness": value} for n, value in enumerate(run)} for run in runs)


def nights_of(runs, failed=None):
    return tuple(Night(run, failed=(failed or {}).get(number)) for number, run in enumerate(earlier(runs)))


def decide(gate, run):
    return decide_gates([TypeAdapter(Gate).validate_python(gate)], [run], false_alarms=0.05)[0]


def results(gate, values, *, accepted=None, nights=None, level=0.05, higher=True):
    run = judged(values, History(earlier(accepted or []), nights_of(nights or [])), higher=higher)
    (result,) = decide_gates([TypeAdapter(Gate).validate_python(gate)], [run], false_alarms=level)
    return result


@pytest.mark.parametrize(
    ("gate", "state", "value"),
    [
        ({"gate": "mean", "at_least": 0.5}, "passed", 0.5),  # (0 + 0.5 + 1) / 3; the bound itself passes
        ({"gate": "mean", "at_least": 0.51}, "failed", 0.5),
        ({"gate": "mean", "at_most": 0.5}, "passed", 0.5),
        ({"gate": "mean", "at_most": 0.49}, "failed", 0.5),
        ({"gate": "mean", "at_least": 0.4, "at_most": 0.49}, "failed", 0.5),
        ({"gate": "share", "reach": 0.5, "at_least": 0.66}, "passed", pytest.approx(2 / 3)),
        ({"gate": "share", "reach": 0.6, "at_least": 0.5}, "failed", pytest.approx(1 / 3)),
        ({"gate": "coverage", "at_least": 0.75}, "passed", 0.75),
        ({"gate": "coverage", "at_least": 0.76}, "failed", 0.75),
    ],
    ids=str,
)
def test_strict_bounds_on_three_values_and_a_missing_one(gate, state, value):
    result = results({"metric": "faithfulness", "strict": True} | gate, [0.0, 0.5, 1.0, None])
    assert (result.state, result.value, result.evidence) == (state, value, None)


def test_a_figure_below_its_bound_is_not_yet_a_failure():
    """The first run: the spread of 0, 0.5 and 1 over groups says that the mean is known to 0.29."""
    result = results(MEAN | {"at_least": 0.51}, [0.0, 0.5, 1.0, None])
    assert (result.state, result.value, result.needed) == ("not settled", 0.5, pytest.approx(20))
    assert "is 0.5 (required: at least 0.51), which noise can do: evidence under 2 of the 20" in result.reason


def test_runs_that_repeat_themselves_may_change_one_answer():
    """Fifty answers, each its own group: one that changes by 1 is 0.02, and evidence of 20 takes 3.33 times as much."""
    again = [0.0] * 5 + [1.0] * 45  # 0.9
    for bound, state in ((0.9, "passed"), (0.91, "not settled"), (0.94, "not settled"), (0.95, "failed")):
        result = results(MEAN | {"at_least": bound}, again, nights=[again])  # two: 3.33 * 0.02 / sqrt(2) = 0.047
        assert (bound, result.state) == (bound, state)
    assert "but must be at least 0.95; evidence" in results(MEAN | {"at_least": 0.95}, again, nights=[again]).reason
    assert results({"gate": "coverage", "at_least": 0.8}, [None] * 30, nights=[[None] * 30]).state == "failed"
    one_missing = [None] + [1.0] * 49  # what must be there always was not there once
    assert results({"gate": "coverage", "at_least": 1}, one_missing, nights=[one_missing]).state == "failed"


def test_a_topic_that_collapses_fails_and_a_small_one_is_said():
    """Forty answers in 8 groups of 5: one group is 0.125 of the mean, two are 0.25, which is more than 0.15."""

    def after(fallen):
        nights = [[1.0] * 40] * 8 + [[0.0] * (5 * fallen) + [1.0] * (40 - 5 * fallen)] * 4
        history = History(earlier([[1.0] * 40]), nights_of(nights[:-1]))
        return decide(REGRESSION, judged(nights[-1], history, per_group=5))

    two, one = after(2), after(1)
    assert (two.state, one.state) == ("failed", "not settled")
    assert "is lower by 0.25 in this run than in the 9 runs before" in two.reason  # the failed ones are left out
    assert two.reason.endswith(", where 20 is enough; fell most: s0, s1, s2, s3, s4 and 5 more")
    assert "no fall seen" not in one.reason
    assert "is lower by 0.12 in this run and the 3 runs that fell with it than in the 9 runs before" in one.reason
    more = "more than nightly runs differ without a change"
    assert f"{more}, but of too few answers to call it a fall; see `assay show changes`" in one.reason


def test_a_catastrophe_fails_the_first_run():
    """40 values of 0.1 and 0.3: the mean is 0.2 +- 0.016, 31 standard errors below 0.7."""
    values = [0.1, 0.3] * 20
    assert results(MEAN | {"at_least": 0.7}, values).state == "failed"
    assert results({"gate": "coverage", "at_least": 0.9}, [None] * 5).state == "failed"


def test_evidence_against_a_bound_adds_up_over_runs():
    """Means of 0.45 with a standard error of 0.02 per run: 2.5 below 0.5 in one run, 2.5 * sqrt(4) in four.

    What nights have in common is unknown, so that few of them say less; those that failed count no more.
    """
    generator = np.random.default_rng(3)
    noise = generator.normal(0, 0.02 * 10, (100, 8))
    runs = (0.45 + noise - noise.mean(axis=0)).T.tolist()
    states = [results(MEAN | {"at_least": 0.5}, runs[n], nights=runs[:n]).state for n in range(8)]
    assert states[0] == "not settled"
    assert states[6:] == ["failed"] * 2
    assert "0.45 over the last" in results(MEAN | {"at_least": 0.5}, runs[6], nights=runs[:6]).reason


def test_a_regression_of_all_samples_is_found_and_one_bad_answer_is_noise():
    """Eight groups: all eight lower is 1 of 256 flips, times 5 releases 0.02; one lower is half of them."""
    before = [0.9] * 8
    runs = {"accepted": [before], "nights": [before]}
    lower = results(REGRESSION, [0.8] * 8, **runs)
    assert (lower.state, lower.value) == ("failed", pytest.approx(-0.1))
    assert lower.p == pytest.approx(5 / 256, abs=0.004)
    assert lower.evidence == pytest.approx(1 / lower.p)
    assert "is lower by 0.1 in this run than in the 2 runs before (8 paired samples); evidence" in lower.reason
    assert results(REGRESSION, [0.0] + [0.9] * 7, **runs).state == "not settled"
    assert results(REGRESSION, [1.0] * 8, **runs).state == "passed"  # a rise is no regression
    assert results(REGRESSION | {"more_than": 0.1}, [0.8] * 8, **runs).state == "passed"
    assert results(REGRESSION | {"more_than": 0.05}, [0.8] * 8, **runs).state == "failed"


@pytest.mark.parametrize(("higher", "word"), [(True, "fell"), (False, "rose")])
def test_a_fall_names_the_answers_that_fell_most(higher, word):
    """Of twelve answers at 1 (0 where less is better) one each is 0, .05, .1, ... away from 0 (1): s0, s5, s10, ..."""
    accepted, tonight = [1.0] * 12, [(5 * n % 12) / 20 for n in range(12)]
    if not higher:
        accepted, tonight = [0.0] * 12, [1 - value for value in tonight]
    result = results(REGRESSION, tonight, accepted=[accepted, accepted], higher=higher)
    assert result.state == "failed"
    assert result.reason.endswith(f", where 20 is enough; {word} most: s0, s5, s10, s3, s8 and 7 more")


def test_as_many_answers_are_named_as_make_up_the_fall():
    """Twelve fall by 1, ten by .1, and six rise by .5: in all 12 + 1 - 3 = 10, as the first ten alone."""
    accepted = [1.0] * 22 + [0.5] * 6 + [1.0] * 12
    result = results(REGRESSION, [0.0] * 12 + [0.9] * 10 + [1.0] * 18, accepted=[accepted, accepted])
    assert (result.state, result.samples) == ("failed", tuple(f"s{n}" for n in range(10)))


def test_the_answers_that_fell_most_are_of_the_comparison_that_is_named():
    """s0 is 1 in the accepted run and 0 in the eight nights since: 1/9 of nine runs, of which s20 to s39 fall by 1."""
    quiet = [0.0] + [1.0] * 39
    result = results(REGRESSION, [0.0] + [1.0] * 19 + [0.0] * 20, accepted=[[1.0] * 40], nights=[quiet] * 8)
    assert result.state == "failed"
    assert "in this run than in the 9 runs before" in result.reason
    assert result.reason.endswith("; fell most: s20, s21, s22, s23, s24 and 16 more")
    assert result.samples == (*(f"s{n}" for n in range(20, 40)), "s0")


def test_a_failed_gate_fails_until_a_run_is_back():
    before, fallen = [0.9] * 8, [0.7] * 8
    nights = [before, fallen]
    still = results(REGRESSION, [0.75] * 8, accepted=[before], nights=nights)
    assert (still.state, "in this run than in the 2 runs before" in still.reason) == ("failed", True)
    back = results(REGRESSION, before, accepted=[before], nights=nights)
    assert back.state == "passed"
    # the runs in between are no baseline: the same fall is found again
    again = results(REGRESSION, fallen, accepted=[before], nights=[*nights, before])
    assert (again.state, again.value) == ("failed", pytest.approx(-0.2))


@pytest.mark.parametrize(("higher", "moved", "says"), [(False, 0.2, "higher by 0.2"), (True, -0.2, "lower by 0.2")])
def test_the_value_of_a_regression_has_the_sign_of_its_sentence(higher, moved, says):
    """Ten groups that all move for the worse; where lower is better that is a rise."""
    result = results(REGRESSION, [0.5 + moved] * 10, accepted=[[0.5] * 10], higher=higher)
    assert (result.value, says in result.reason) == (pytest.approx(moved), True)


def night(lost=(), gained=()):
    """Eighty answers, of which 68 are right in the accepted run: s0 to s67."""
    return [float((n < 68 and n not in lost) or n in gained) for n in range(80)]


def test_a_night_that_nearly_failed_hides_no_fall():
    """It is no baseline and no noise: the next night is weighed as if it were the first after the accepted run.

    The first night: 16 answers fall and 5 rise, which flipped signs give in P(Bin(21, 1/2) <= 5) = .0133 of cases; five
    times that in a month is evidence 15; what nights may have in common brings it to 14. Then 22 fall and none rises.
    """
    suspect, fallen = night(range(16), range(68, 73)), night(range(10, 32))
    first = results(REGRESSION, suspect, accepted=[night()])
    assert (first.state, first.evidence) == ("not settled", pytest.approx(14, abs=1))
    alone = results(REGRESSION, fallen, accepted=[night()])
    after = results(REGRESSION, fallen, accepted=[night()], nights=[suspect])
    assert (after.state, after.value, after.evidence) == ("failed", -22 / 80, pytest.approx(alone.evidence))
    assert "lower by 0.28 in this run than in the accepted run" in after.reason
    again = results(REGRESSION, suspect, accepted=[night()], nights=[suspect])
    assert again.state == "not settled" and "a possible fall, evidence" in again.reason


def test_runs_on_which_a_failure_rested_are_no_baseline():
    """Means of .8, with an error of .1 / sqrt(60) = .013 by the answers; three nights that are lower fail together.

    From then on the two that passed teach nothing either: after a night that is as before, a fall weighs what it would
    had the three never been.
    """
    noise = np.random.default_rng(1).normal(0, 0.1, (60, 20))
    means = [0.8] * 9 + [0.765] * 4 + [0.795, 0.74]
    nights = [(mean + one - one.mean()).tolist() for mean, one in zip(means, noise.T, strict=False)]
    accepted, quiet, bad, (repaired, fallen) = nights[:1], nights[1:9], nights[9:13], nights[13:]

    def weigh(newest, earlier_nights, **failed):
        recorded = {10: frozenset({failed["by"]})} if failed else {}
        history = History(earlier(accepted), nights_of(earlier_nights, recorded))
        return decide(REGRESSION, judged(newest, history))

    fall = "regression of faithfulness"
    states = [weigh(bad[n], quiet + bad[:n]).state for n in range(3)]
    assert states == ["not settled", "not settled", "failed"]
    third = weigh(bad[2], quiet + bad[:2]).reason
    assert "is lower by 0.035 in this run and the 2 runs that fell with it than in the 9 runs before" in third
    assert "; no later run is compared with these; fell most: " in third
    fourth = weigh(bad[3], quiet + bad[:3], by=fall)
    assert fourth.state == "failed"
    assert "in this run and the 3 runs that fell with it than in the 9 runs before" in fourth.reason
    back = weigh(repaired, quiet + bad[:3], by=fall)
    assert (back.state, back.value) == ("passed", pytest.approx(-0.005))
    assert "in this run than in the 9 runs before" in back.reason
    later = weigh(fallen, [*quiet, *bad[:3], repaired], by=fall)
    without = weigh(fallen, [*quiet, repaired])
    assert (later.reason, later.p) == (without.reason, pytest.approx(without.p))
    assert "than in the 10 runs before" in later.reason
    other = weigh(repaired, quiet + bad[:3], by="coverage").reason  # the runs before that failure are as good as others
    assert "in this run and the 2 runs that fell with it than in the 9 runs before" in other


@pytest.mark.parametrize(("quiet", "bad"), [(0, 10), (1, 10), (2, 10), (3, 10), (1, 9), (2, 9), (3, 9)])
def test_ten_refusals_of_42_fail_at_once_and_nine_bad_verdicts_of_a_judge_that_repeats_itself(quiet, bad):
    """`unanswered` is 1 where nothing was; of verdicts another answer was wrong on each night before.

    Without a difference before, ten of 42 alike by chance are 2^-10 of the signs' flips, and no night moves a share of
    0. Of the verdicts one or two changed from night to night: nine more are a change of .21, with an error near .04.
    """
    refusals = bad == 10
    nights = [[float(not refusals and n == night) for n in range(42)] for night in range(quiet + 1)]
    tonight = [float(n >= 42 - bad) for n in range(42)]
    result = results(REGRESSION, tonight, accepted=nights[:1], nights=nights[1:], higher=False)
    assert result.state == "failed", result.reason


def test_a_failure_stands_until_a_night_is_nearer_to_those_before_it():
    """Verdicts of 60 answers: 3 and 4 are false by turns, then 18, which fails. 13 are nearer to 18 than to 3.5, though
    they would not fail alone; 9 are not."""
    quiet = [night_of_false(range(n, n + 3 + n % 2)) for n in range(7)]
    bad = night_of_false(range(30, 48))
    history = History(earlier(quiet[:1]), nights_of([*quiet[1:], bad], {6: frozenset({"regression of faithfulness"})}))
    states = [decide(REGRESSION, judged(night_of_false(range(first, 48)), history)).state for first in (30, 35, 39)]
    assert states == ["failed", "failed", "passed"]


def night_of_false(places):
    """60 verdicts, of which those in these places are false."""
    return [float(place not in places) for place in range(60)]


def test_no_fall_seen_is_not_said_of_a_fall_that_noise_can_do():
    """12 of 80 fall and 3 rise; a night before, of 12 that fell and 6 that rose, has shown how much nights differ."""
    nights = [night(range(12), range(68, 74))]
    seen = results(REGRESSION, night(range(5, 17), range(70, 73)), accepted=[night()], nights=nights)
    assert (seen.state, seen.value) == ("passed", pytest.approx(-9 / 80 + 6 / 160))
    assert "lower by 0.075 in this run than in the 2 runs before" in seen.reason
    assert seen.reason.endswith(", which noise can do")


def test_where_lower_is_better_a_rise_is_the_regression():
    low, high = [0.8] * 8, [0.9] * 8
    assert results(REGRESSION, high, accepted=[low], nights=[low], higher=False).state == "failed"
    assert results(REGRESSION, low, accepted=[high], nights=[high], higher=False).state == "passed"
    share = {"gate": "share", "metric": "faithfulness", "reach": 0.5, "at_least": 0.5}
    assert results(share, [0.1, 0.2, 0.9], higher=False).value == pytest.approx(2 / 3)


def test_too_few_groups_decide_nothing():
    """Six groups give at best 1/64, times 5 more than 0.05; seven give 5/128."""
    few = results(REGRESSION, [0.0] * 6, accepted=[[1.0] * 6])
    assert (few.state, "7 are needed" in few.reason) == ("undecided", True)
    assert results(REGRESSION, [0.0] * 7, accepted=[[1.0] * 7], nights=[[1.0] * 7]).state == "failed"


def test_the_gates_of_a_suite_share_one_level():
    """Whether the choice of the questions explains a fall is asked of all at once; the noise of each has its share."""
    history = History(earlier([[1.0] * 7, [1.0] * 7]))
    gate = TypeAdapter(Gate).validate_python(REGRESSION)
    run = judged([0.9] * 7, history)
    assert decide_gates([gate], [run], false_alarms=0.05)[0].state == "failed"
    shared = decide_gates([gate] * 5, [run], false_alarms=0.05)
    assert {result.state for result in shared} == {"failed"}
    assert [result.evidence for result in shared] == [pytest.approx(1 / (5 * (shared[0].p or 1)))] * 5
    other = judged([0.9] * 7, history, judge="k")
    two = decide_gates([gate], [run, other], false_alarms=0.05)  # two runs, 7 groups: 2 * 5/128
    assert {result.state for result in two} == {"undecided"}
    strict = TypeAdapter(Gate).validate_python(MEAN | {"at_least": 0.5, "strict": True})  # takes no share of the level
    assert decide_gates([gate, *[strict] * 4], [run], false_alarms=0.05)[0].state == "failed"


def test_without_an_accepted_run_there_is_no_baseline():
    assert results(REGRESSION, [1.0], nights=[[1.0]]).state == "no baseline"
    assert results(REGRESSION, [1.0], accepted=[[None]]).state == "no baseline"
    assert results(REGRESSION, [None], accepted=[[1.0]]).state == "undecided"
    assert results(MEAN | {"at_least": 0.5}, [None]).state == "undecided"


@pytest.mark.parametrize(
    ("states", "failed", "verdict"),
    [
        (["passed", "not settled", "no baseline"], 0, "passed"),
        (["passed", "failed"], 0, "gate failed"),
        (["passed", "failed"], 1, "gate failed"),
        (["passed"], 1, "samples failed"),
        (["passed", "undecided"], 0, "gate undecided"),
        (["undecided"], 1, "samples failed"),
        (["coverage failed"], 0, "gate failed"),
        (["coverage failed", "undecided"], 1, "samples failed"),  # a resumed night may have their values
        (["coverage failed", "failed"], 1, "gate failed"),
    ],
    ids=str,
)
def test_the_verdict_follows_from_gates_and_failed_samples(states, failed, verdict):
    gates = []
    for words in states:
        kind, state = ("coverage", "failed") if words == "coverage failed" else ("mean", words)
        gate = GateResult(gate=kind, name=kind, judge="j", metric="m", state=state, value=None, bound=0, reason="")
        gates.append(gate)
    assert decide_verdict("done", gates, failed, 0) == verdict
    assert decide_verdict("budget", gates, failed, 0) == "budget"


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0, 1))
def test_a_lower_bound_passes_wherever_a_higher_one_does(values, bound):
    gate = {"gate": "mean", "metric": "faithfulness"}
    if results(gate | {"at_least": bound}, list(values)).state == "passed":
        assert results(gate | {"at_least": bound / 2}, list(values)).state == "passed"
