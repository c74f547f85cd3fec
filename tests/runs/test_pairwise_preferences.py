"""Versions compared in pairs by a judge: what is asked, what is not, and the position bias, derived by hand."""

import asyncio
import math

import pytest
from openai_server import Answer

from assay.errors import BudgetReached
from assay.eval_sets import Preference, Sample
from assay.judges import Budget, JudgeSettings, LiteLLMJudge
from assay.metrics import failed, scored
from assay.runs import measure_position_bias, net_preferences, prefer_versions


@pytest.fixture
def judge(openai_server):
    settings = JudgeSettings(model="openai/test", api_base=openai_server.api_base, logprobs=True, wait=0)
    return lambda **changes: LiteLLMJudge(settings, **changes)


@pytest.fixture
def choose(openai_server):
    """Sets how probable the judge finds each option, by the two answers in the order that it reads them."""

    def set_script(shares_of):
        def script(request):
            if request.schema != "options":
                return None
            parts = [request.user.partition(f"<{part}_answer>\n")[2] for part in ("first", "second")]
            first, second = (part.partition("\n</")[0] for part in parts)
            logs = {word: math.log(share) for word, share in shares_of(first, second).items()}
            word = max(logs, key=lambda name: logs[name])
            return Answer(text=word, logprobs=[{word: logs.pop(word)} | logs])

        openai_server.script = script

    return set_script


def longer(first, second):
    return {"first": 0.9, "second": 0.1} if len(first) > len(second) else {"second": 0.9, "first": 0.1}


def answer(response, **fields):
    defaults = {"id": "1", "user_input": "Is it free?", "response": response, "language": "en"}
    return Sample.model_validate(defaults | fields)


def prefer(questions, judge, **options):
    return asyncio.run(prefer_versions(questions, judge, **options))


def test_every_two_versions_are_compared_in_both_orders(judge, choose, openai_server):
    choose(longer)
    versions = {"old": answer("Yes."), "new": answer("Yes, it is."), "newer": answer("Yes, it is free.")}
    preferred = prefer({"q": versions}, judge())
    assert [(one.first, one.second, one.choice) for one in preferred.preferences] == [
        ("old", "new", "second"),
        ("old", "newer", "second"),
        ("new", "newer", "second"),
    ]
    assert {(one.question, one.rater, one.group) for one in preferred.preferences} == {("q", "openai/test", "1")}
    assert len(openai_server.requests) == preferred.usage.calls == 6
    assert net_preferences(preferred.preferences) == {"q": {"old": -1.0, "new": 0.0, "newer": 1.0}}
    assert not preferred.notes


def test_nobody_is_asked_about_the_same_answer_or_an_empty_one(judge, openai_server):
    questions = {
        "same": {"a": answer("Yes."), "b": answer("Yes.")},
        "same but for white space": {"a": answer("Yes.\n"), "b": answer(" Yes.")},
        "empty": {"a": answer(" "), "b": answer("Yes.")},
        "empty too": {"a": answer("Yes."), "b": answer("")},
        "both empty": {"a": answer(" "), "b": answer("")},
        "alone": {"b": answer("Yes.")},
    }
    preferred = prefer(questions, judge())
    assert {one.question: (one.choice, one.reason) for one in preferred.preferences} == {
        "same": ("tie", "the two answers are the same"),
        "same but for white space": ("tie", "the two answers are the same"),
        "empty": ("second", "the first answer is empty"),
        "empty too": ("first", "the second answer is empty"),
        "both empty": ("tie", "both answers are empty"),
    }
    assert not openai_server.requests
    assert preferred.position.comparisons == 0
    assert preferred.position.sentence == "No answers differed, and the judge was asked about none."


def test_a_judge_that_goes_by_the_place_prefers_nobody(judge, choose):
    choose(lambda *_: {"first": 0.8, "second": 0.2})
    questions = {str(n): {"a": answer(f"Yes {n}."), "b": answer(f"No {n}.")} for n in range(6)}
    preferred = prefer({name: {k: s.model_copy(update={"id": name}) for k, s in of.items()}
                        for name, of in questions.items()}, judge())  # fmt: skip
    assert {one.choice for one in preferred.preferences} == {"tie"}
    position = preferred.position
    assert (position.comparisons, position.first_shown.value, position.contradictions.value) == (6, 1.0, 1.0)
    assert position.first_shown.low is not None
    assert position.first_shown.low < 1 == position.first_shown.high
    assert position.sentence.startswith("The judge chose the answer that it read first in 100% (likely ")
    assert position.sentence.endswith("of 6 comparisons, 100% turned around with the order and are ties.")


def orders(*choices):
    """Scores of comparisons, by what was chosen in the given order and in the other."""
    made = []
    for forth, back in choices:
        evidence = {
            "orders": [{"shown_first": "first", "choice": forth}, {"shown_first": "second", "choice": back}],
            "contradiction": {forth, back} == {"first", "second"},
        }
        made.append(scored(0.5, "", evidence))
    return made


def test_the_position_bias_by_hand():
    """Choices: 2 of the first shown, 1 and 1, 1 and none, 1 and 1, none and 1, 0 of 2: 5 of 10 fell on the first."""
    comparisons = orders(
        ("first", "second"),  # first shown, first shown: a contradiction
        ("first", "first"),  # first shown, second shown
        ("first", "tie"),  # first shown
        ("second", "second"),  # second shown, first shown
        ("tie", "first"),  # second shown
        ("second", "first"),  # second shown twice: a contradiction
        ("tie", "tie"),
    )
    without = [scored(0.5, "the two answers are the same", {"orders": [], "contradiction": False}), failed("broken")]
    bias = measure_position_bias([*comparisons, *without], [str(n) for n in range(9)])
    assert bias.comparisons == 7
    assert bias.first_shown.value == pytest.approx(5 / 10)
    assert bias.contradictions.value == pytest.approx(2 / 7)
    low, high = bias.first_shown.low, bias.first_shown.high
    assert low is not None and high is not None
    assert 0 < low < 0.5 < high < 1


def test_a_judge_that_never_chooses_has_no_bias():
    bias = measure_position_bias(orders(*[("tie", "tie")] * 6), list("abcdef"))
    assert bias.first_shown.value is None
    assert bias.sentence == "The judge preferred neither answer in all of 6 comparisons."


def test_net_preferences_are_means_over_versions_and_raters():
    made = [
        Preference("1", "a", "b", "second", "ann"),
        Preference("1", "a", "b", "tie", "bob"),
        Preference("1", "a", "c", "first", "ann"),
        Preference("2", "a", "b", "first", "ann"),
    ]
    assert net_preferences(made) == {"1": {"a": (-1 + 0 + 1) / 3, "b": 0.5, "c": -1.0}, "2": {"a": 1.0, "b": -1.0}}


def test_a_comparison_that_fails_does_not_count_and_is_reported(judge, openai_server):
    openai_server.script = lambda _: Answer(text="the blue one")
    preferred = prefer({"q": {"a": answer("Yes."), "b": answer("No.")}}, judge())
    assert not preferred.preferences
    (note,) = preferred.notes
    assert note.startswith("1 comparison failed and does not count: ")


def talk(*turns, policy=""):
    messages = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(turns)]
    system = [{"role": "system", "content": policy}] if policy else []
    return Sample.model_validate({"id": "c", "messages": [*system, *messages], "language": "en"})


def test_turns_after_the_same_messages_are_compared_as_answers(judge, choose, openai_server):
    choose(longer)
    before = ("Hello.", "Hi!", "Is it free?")
    preferred = prefer({"q": {"a": talk(*before, "Yes."), "b": talk(*before, "Yes, it is.")}}, judge())
    asked = openai_server.requests[0].user
    assert "user: Hello." in asked
    assert "<first_answer>\nYes.\n</first_answer>" in asked
    assert preferred.preferences[0].choice == "second"
    assert not preferred.notes


def test_the_budget_of_the_judge_holds(judge, choose, openai_server):
    choose(longer)
    questions = {str(n): {"a": answer("Yes."), "b": answer(f"It is {n}.")} for n in range(5)}
    with pytest.raises(BudgetReached):
        prefer(questions, judge(budget=Budget(calls=3)), concurrency=1)
    assert len(openai_server.requests) == 3
