"""The bias of a judge, by hand: what is measured, by what, and what is said where nothing measured it."""

import pytest

from assay.eval_sets import Sample
from assay.judges import Usage
from assay.meta_eval import Estimate
from assay.metrics import Score
from assay.runs import JudgeScores, ProbeFindings, describe_unmeasured, measure_biases

UNASKED = "no probe of it was asked for"
NOTHING = Estimate(None, n=0, problem="no claim stands in both")


def score(value, **evidence):
    return Score(value, "failed" if value is None else "scored", "", evidence, Usage())


def card(judge, samples, **probes):
    return {f"{bias.bias} by {bias.source}": bias for bias in measure_biases(judge, samples, probes, unasked=UNASKED)}


def test_position_is_that_of_two_answers_in_both_orders():
    """Of six pairs one is decided by the order (2 of 2 choices first), one chosen once (1 of 1), one last (0 of 2).

    The other three are decided by the answer, 1 of 2 each: 6 of 11 choices fell on what was read first.
    """
    samples = [Sample(id=f"s{place}", user_input="q", response="a", group=f"g{place}") for place in range(6)]

    def pair(first, second):
        orders = [{"shown_first": "first", "choice": first}, {"shown_first": "second", "choice": second}]
        return score(0.5, orders=orders, contradiction={first, second} == {"first", "second"})

    choices = [("first", "second"), ("first", "tie"), ("second", "first"), *[("first", "first")] * 3]
    scores = {f"s{place}": pair(*both) for place, both in enumerate(choices)}
    change = card(JudgeScores("m", scores, 1), samples)["position by pairwise"].change
    assert change.value == pytest.approx(6 / 11 - 0.5)
    assert change.low is not None and change.high is not None and -0.5 < change.low < 0 < change.high < 0.5


def test_probes_are_lines_of_the_card_and_what_is_missing_is_said():
    shift = Estimate(0.12, 0.05, 0.19, n=6, groups=6)
    found = ProbeFindings(NOTHING, shift, 0, identical=False)
    empty = ProbeFindings(NOTHING, Estimate(None, n=0, problem="no sample"), 0, identical=False)
    failed = ProbeFindings(NOTHING, Estimate(None, n=0, problem="no sample"), 6, identical=False)
    lines = card(JudgeScores("m", {}, 1), [], styled=found, injected=empty, padded=failed)
    assert [*lines] == ["position by pairwise", "length by padded", "style by styled", "instructions by injected"]
    assert lines["style by styled"].change == shift
    assert lines["instructions by injected"].change.problem == "no answer can be changed so"
    assert lines["length by padded"].change.problem == "no changed answer got a score"
    still = ProbeFindings(NOTHING, Estimate(0.0, n=6, groups=6, problem="no"), 0, identical=True)
    assert (
        card(JudgeScores("m", {}, 1), [], padded=still)["length by padded"].change.problem
        == "no score moved: no question had the change"
    )
    alone = measure_biases(JudgeScores("n", {}, 1), [], {}, unasked=UNASKED)
    both = [*(("m", bias) for bias in lines.values()), *(("n", bias) for bias in alone)]
    assert [*describe_unmeasured(both)] == [
        "position: only a judge of two answers side by side has one (--metric pairwise)",
        "length of m: no changed answer got a score",
        "instructions of m: no answer can be changed so",
        "length of n, style of n: no probe of it was asked for",
    ]
