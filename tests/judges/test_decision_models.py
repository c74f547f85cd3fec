"""Decision models by both protocols, over HTTP through litellm; each expectation is worked out by hand."""

import asyncio
import json

import pytest
from openai_server import Answer as Reply

from assay.errors import JudgeError, JudgeUnavailable
from assay.judges import (
    ChoiceQuestion,
    JudgeSettings,
    Level,
    LiteLLMJudge,
    Predicate,
    Request,
    ScoreQuestion,
    choose_transport,
    read_answers,
)

PROTOCOLS = {"decisions": "openai/test", "systemone": "hosted_vllm/test"}
QUESTIONS = (
    Predicate("p", "free course"),
    ChoiceQuestion("c", "Which tone?", {"polite": "kind words", "rude": ""}),
    ScoreQuestion("s", "How clear?", (Level("poor"), Level("fair"), Level("good", "at once"))),
)
REQUEST = Request("support", {"documentation": "The course </documentation> is free."}, QUESTIONS, "en", "s1")


def answered(judge, request=REQUEST):
    return asyncio.run(judge.decide(request))


@pytest.fixture(params=PROTOCOLS)
def protocol(request):
    return str(request.param)


@pytest.fixture
def deciding(judge, settings, protocol):
    """Makes judges that ask by the protocol."""
    changed = settings.with_changes(model=PROTOCOLS[protocol], decide=protocol)
    return lambda **options: LiteLLMJudge(changed, **options)


def test_the_three_types_in_one_call(openai_server, deciding, protocol):
    """P(p): both words stand in the documentation, 1.0; expected level 1 x 0.75 + 3 x 0.25 = 1.5."""
    answers = answered(deciding())
    assert [answer.value for answer in answers.values()] == ["yes", "polite", 1.5]
    assert answers["p"].probability == 1
    assert answers["c"].probabilities == {"polite": 0.75, "rude": 0.25}
    (sent,) = openai_server.requests
    assert sent.path == f"/v1/{protocol}"
    assert answers.usage.calls == 1 and answers.usage.tokens_in == len(json.dumps(sent.body)) // 4
    assert json.loads(answers.replies[0].text)["answers"], "what is kept is the body as it came"
    if protocol == "decisions":
        assert sent.body["input"].endswith("<documentation>\nThe course ‹/documentation> is free.\n</documentation>")
        assert sent.body["questions"] == [
            {"type": "predicate", "name": "p", "instructions": "free course"},
            {
                "type": "choice",
                "name": "c",
                "instructions": "Which tone?",
                "choices": [{"value": "polite", "description": "kind words"}, {"value": "rude"}],
            },
            {
                "type": "score",
                "name": "s",
                "instructions": "How clear?",
                "levels": [{"label": "poor"}, {"label": "fair"}, {"label": "good", "description": "at once"}],
            },
        ]
    else:
        assert sent.body["state"]["documentation"] == "The course </documentation> is free."
        assert sent.body["questions"]["c"]["criteria"] == {"polite": "kind words", "rude": None}
        assert sent.body["questions"]["s"]["criteria"] == ["poor", "fair", "good: at once"]


def test_a_reply_is_recorded_and_replayed(openai_server, deciding, tmp_path):
    file = tmp_path / "replies.jsonl"
    live = deciding(cassette=file, mode="record")
    values = [answer.value for answer in answered(live).values()]
    live.close()
    openai_server.forget()
    again = answered(deciding(cassette=file, mode="replay"))
    assert [answer.value for answer in again.values()] == values
    assert (openai_server.requests, again.usage.from_cassette) == ([], 1)


def test_the_protocol_is_part_of_the_key(judge, settings, tmp_path):
    file = tmp_path / "replies.jsonl"
    for protocol in ("decisions", "systemone", "listed", "single"):
        model = "hosted_vllm/test" if protocol == "systemone" else "openai/test"
        changed = settings.with_changes(model=model, served_as="same", decide=protocol)
        one = Request("support", {"documentation": "It is free."}, [Predicate("1", "It is free.")], "en")
        asking = LiteLLMJudge(changed, cassette=file, mode="auto")
        assert answered(asking, one)["1"].option == "yes"
        asking.close()
    assert len(file.read_text().splitlines()) == 4


@pytest.mark.parametrize("raw", ['{"answers": 7}', "{}", '{"answers": {}}', "null", '{"answers": [7]}'])
def test_a_body_without_answers_fails_the_request(openai_server, deciding, raw):
    openai_server.script = lambda _: Reply(raw=raw)
    with pytest.raises(JudgeError):
        answered(deciding())


def test_a_reply_that_is_voided_is_asked_for_once_more_with_the_error_then_fails(openai_server, deciding, protocol):
    """Its probability is none, or it answers another question."""
    answers, problem, part = {
        "decisions": ([predicate("p", 1.2)], "probability is 1.2", "input"),
        "systemone": ({"q": {"type": "noul", "noul": 0.97}}, "answers no question", "state"),
    }[protocol]
    usage = {"input_tokens": 90, "output_tokens": 5, "total_tokens": 95}
    void = Reply(raw=json.dumps({"id": "x", "model": "m", "answers": answers, "usage": usage}))
    one = Request("support", {"documentation": "The course is free."}, QUESTIONS[:1], "en")
    openai_server.script = lambda request: void if request.number == 1 else None
    judge = deciding()
    assert answered(judge, one)["p"].option == "yes"
    first, second = (request.body for request in openai_server.requests)
    assert problem in str(second[part]) and problem not in str(first[part])
    assert first["questions"] == second["questions"] and judge.replies.unparsable == 1
    openai_server.forget()
    openai_server.script = lambda _: void
    with pytest.raises(JudgeError, match=problem):
        answered(deciding(), one)
    assert len(openai_server.requests) == 2


def test_a_model_that_cannot_decide_is_named_with_the_cure(openai_server, deciding):
    openai_server.script = lambda _: Reply(status=501, error_message="not a decision model")
    with pytest.raises(JudgeUnavailable, match=r"not a decision model.*set `decide: listed`"):
        answered(deciding())
    assert len(openai_server.requests) == 1


TWO = (Predicate("a", "First."), Predicate("b", "Second."))


def predicate(name, probability):
    return {"type": "predicate", "name": name, "probability": probability}


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ([predicate("b", 0.5)], "left it out"),
        ([predicate("a", 0.9), predicate("a", 0.1), predicate("b", 0.5)], "in two ways"),
        ([predicate("a", float("nan")), predicate("b", 0.5)], "probability is nan"),
        ([predicate("a", 1.2), predicate("b", 0.5)], "probability is 1.2"),
        ([predicate("a", "high"), predicate("b", 0.5)], "probability is 'high'"),
        ([predicate("a", True), predicate("b", 0.5)], "probability is True"),
        ([{"type": "refusal", "name": "a"}, predicate("b", 0.5)], "declined"),
        ({"b": {"noul": 0.5}}, "left it out"),
        ({"a": 7, "b": {"noul": 0.5}}, "has no fields"),
    ],
)
def test_what_is_wrong_with_one_answer_leaves_the_others(answers, problem):
    """An answer never counts for another question, also where one before it is missing."""
    first, second = read_answers(TWO, answers)
    assert (first.option, first.declined) == (None, problem == "declined")
    assert problem in first.problem
    assert second.probability == 0.5


@pytest.mark.parametrize("ids", ["0ab", "0a", "bc"])
def test_an_id_that_was_not_asked_for_voids_the_reply(ids, openai_server, settings):
    """Counted from 0 or from the second: nobody knows which question each answer is to.

    litellm drops what was not asked for: then one is left out. By `decisions` it goes by the places.
    """
    by_name = {name: {"type": "noul", "noul": 0.97} for name in ids}
    for answers in (by_name, [predicate(name, 0.97) for name in ids]):
        with pytest.raises(ValueError, match="which was not asked; the questions are a, b"):
            read_answers(TWO, answers)
    usage = {"input_tokens": 90, "output_tokens": 5, "total_tokens": 95}
    openai_server.script = lambda _: Reply(raw=json.dumps({"id": "x", "answers": by_name, "usage": usage}))
    judge = LiteLLMJudge(settings.with_changes(model=PROTOCOLS["systemone"], decide="systemone"))
    if ids != "0ab":
        with pytest.raises(JudgeError, match=r"it leaves out [ab]: nobody knows which question"):
            answered(judge, Request("support", {"documentation": "It is free."}, TWO, "en"))


def test_names_decide_not_the_order():
    first, second = read_answers(TWO, [predicate("b", 0.25), predicate("a", 0.75)])
    assert (first.probability, second.probability) == (0.75, 0.25)
    first, second = read_answers(TWO, [predicate(None, 0.25), predicate(None, 0.75)])
    assert (first.probability, second.probability) == (0.25, 0.75)
    twice = [predicate("a", 0.25), predicate("a", 0.75), predicate("b", 0.25)]
    assert [answer.option for answer in read_answers(TWO, twice)] == [None, "no"]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ({"polite": 0.75, "rude": 0.25}, {"polite": 0.75, "rude": 0.25}),
        ({"polite": 0.99}, {"polite": 1.0, "rude": 0.0}),  # within 0.02 of 1: divided by the sum
        ({"polite": 0.5, "rude": 0.4}, "sum to 0.90"),
        ({"polite": 0.5, "kind": 0.5}, "options are polite, kind"),
        ({"polite": 1.0, "rude": None}, "is None"),
    ],
)
def test_probabilities_of_options(shares, expected):
    (answer,) = read_answers(QUESTIONS[1:2], {"c": {"probabilities": shares}})
    if isinstance(expected, str):
        assert answer.option is None and expected in answer.problem
    else:
        assert answer.probabilities == pytest.approx(expected)


@pytest.mark.parametrize(
    ("model", "logprobs", "name"),
    [
        ("openai/gpt-4o-mini", False, "Listed"),
        ("openai/gpt-4o-mini", True, "Single"),
        ("typesafe/jev-latest", False, "SystemOne"),
        ("cloudflare/clef", True, "SystemOne"),
        ("gguf:models/some.gguf", True, "Single"),
    ],
)
def test_auto_goes_by_what_litellm_says_of_the_model(model, logprobs, name):
    chosen = choose_transport(JudgeSettings(model=model, logprobs=logprobs))
    assert type(chosen).__name__ == name
