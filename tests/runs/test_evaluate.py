"""`evaluate` in Python, how a run is executed, and what ends it before anything is asked: one clear error each."""

import asyncio
import inspect
import json
from pathlib import Path

import openai
import pytest
from openai_server import Answer

from assay import aevaluate, evaluate
from assay.errors import AssayError, BudgetReached, InputError, JudgeError, JudgeUnavailable, UsageError
from assay.eval_sets import Sample
from assay.judges import Budget, JudgeSettings, LiteLLMJudge
from assay.metrics import Faithfulness, Metric, TokenOverlap, load_metric
from assay.prompts import BUNDLED
from assay.runs import SetProfile, execute

ROWS = [
    {
        "question": f"How do I do step {number}?",
        "answer": f"Open menu {number}." + (" Send flowers." if number % 2 else ""),
        "context": f"Open menu {number}. Press button {number}.",
        "score": 1 + number,
    }
    for number in range(4)
]
SCORES = [1.0, 0.5, 1.0, 0.5]  # flowers are in no context


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch, openai_server):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_BASE", openai_server.api_base)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.api_base)


def values(results):
    return [scores["faithfulness"].value for scores in results.scores.values()]


def ask_openai(text):
    messages = [{"role": "user", "content": text}]
    reply = openai.OpenAI().chat.completions.create(model="m", messages=messages)
    return reply.choices[0].message.content or ""


def test_a_function_judges_like_a_model(openai_server):
    """The server is asked by the function; what it says of the schema comes in the text."""

    def judge(text):
        ask_openai("ping")
        statements = text.rpartition("<statements>")[2].split("</statements>")[0].strip().splitlines()
        asked = (line.split(": ", 1) for line in statements)
        return json.dumps({number: "No" if "flowers" in claim else "Yes" for number, claim in asked})

    results = evaluate(ROWS, "faithfulness", judge=judge)
    scores = [each["faithfulness"] for each in results.scores.values()]
    assert [score.claims[-1].verdict for score in scores] == ["supported", "not_found"] * 2
    assert results.usage.calls == len(openai_server.requests) == 4
    assert results.usage.usd is None  # nobody knows what a function costs


def test_beside_a_running_loop_and_inside_async_code():
    """As in a notebook: the client has been used on the notebook's loop before."""

    async def cell():
        client = openai.AsyncOpenAI()
        await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hello"}])
        return [
            evaluate(ROWS, "faithfulness", judge=client, model="m"),
            await aevaluate(ROWS, "faithfulness", judge=client, model="m"),
        ]

    assert [values(results) for results in asyncio.run(cell())] == [SCORES, SCORES]


def test_a_stored_run_is_the_one_of_the_command_line(assay, openai_server):
    results = evaluate(ROWS, "faithfulness", judge="openai/gpt-4o-mini", store="runs")
    shown = assay("show", "last", "--json", "--store", "runs")
    assert shown.json["verdict"]["Scores"] == "faithfulness 0.75 on average, of 4 of 4 answers"
    assert shown.json | results.as_json() == shown.json
    assert (
        assay("show", "last", "sample-2", "--store", "runs").out.split("\n\nContext 0")[0]
        == str(results.explain("sample-2")).split("\n\nContext 0")[0]
    )
    again = evaluate(ROWS, "faithfulness", judge="openai/gpt-4o-mini", store="runs", resume="last")
    assert again.as_json() == results.as_json()
    assert len(openai_server.requests) == 4
    resumed = assay("run", "--resume", "last", "--store", "runs", code=2)
    assert "the samples of this run were given in Python; go on there" in resumed.err


def test_a_budget_ends_it_with_what_was_scored_and_the_run_goes_on(openai_server):
    options = {"judge": "openai/gpt-4o-mini", "concurrency": 1, "store": "runs"}
    with pytest.raises(BudgetReached, match=r'go on with the same call and resume="20') as raised:
        evaluate(ROWS, "faithfulness", budget=Budget(calls=3), **options)
    assert values(raised.value.results) == SCORES[:3]
    assert values(evaluate(ROWS, "faithfulness", resume=raised.value.results.run, **options)) == SCORES
    assert len(openai_server.requests) == 4


def test_a_budget_in_memory_loses_nothing():
    with pytest.raises(BudgetReached, match="in this error's `results`") as raised:
        evaluate(ROWS, "faithfulness", judge="openai/gpt-4o-mini", concurrency=1, budget=Budget(calls=2))
    scored = [
        scores["faithfulness"].value for scores in raised.value.results.scores.values() if "faithfulness" in scores
    ]
    assert scored == SCORES[:2]


def test_a_cassette_is_named_by_the_judge(openai_server):
    options = {"judge": "openai/gpt-4o-mini", "cassette": "replies.{judge}.jsonl"}
    first = evaluate(ROWS, "faithfulness", **options)
    assert Path("replies.openai-gpt-4o-mini.jsonl").exists()
    second = evaluate(ROWS, "faithfulness", mode="replay", **options)
    assert values(first) == values(second) == SCORES
    assert second.usage.from_cassette == len(openai_server.requests) == 4


def test_your_own_prompts_are_a_folder(tmp_path, openai_server):
    own = tmp_path / "prompts"
    own.mkdir()
    file = Path(__file__).parents[2] / "prompts" / "support.en.md"
    (own / file.name).write_text(file.read_text(encoding="utf-8").replace("## task\n", "## task\nBe kind.\n"))
    evaluate(ROWS[:1], "faithfulness", judge="openai/gpt-4o-mini", prompts=own, store="runs")
    (request,) = openai_server.requests
    assert "Be kind." in request.body["messages"][0]["content"]


def test_progress_is_shown_by_a_function_of_yours():
    seen = []

    def note(progress):
        seen.append((progress.samples, progress.total))

    evaluate(ROWS, "token_overlap", progress=note)
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def broken_rows():
    yield ROWS[0]
    raise ConnectionError("the database is gone")


def fail(_):
    raise ZeroDivisionError("my own function")


@pytest.mark.parametrize(
    ("data", "options", "error", "says"),
    [
        (ROWS, {"metrics": "faithfulness"}, UsageError, r"faithfulness asks a judge; name one with .* judge=\.\.\."),
        (ROWS, {"metrics": [Faithfulness]}, UsageError, r"the class Faithfulness .* give its name \('faithfulness'\)"),
        (ROWS, {"metrics": [ask_openai]}, UsageError, "the function ask_openai .* put @metric above ask_openai"),
        (ROWS, {"metrics": ["bleu", "bleu"]}, UsageError, "two metrics are called 'bleu'; leave one out"),
        (ROWS, {"judge": "gpt-4o-mini"}, UsageError, "such as openai/gpt-4o-mini"),
        (ROWS, {"judge": "openai/m", "model": "m"}, UsageError, "is for a judge that is a client or a function"),
        (ROWS, {"judge": lambda text: text, "store": "runs"}, UsageError, r'name it \(model="my-model"\)'),
        (ROWS, {"budget": 1}, UsageError, r"budget: 1 \(int\) .* give what it bounds, such as Budget\(usd=1\)"),
        (ROWS, {"resume": "last"}, UsageError, 'needs the store that keeps the run: store=".assay"'),
        (ROWS, {"prompts": "nowhere"}, InputError, "nowhere: there is no such folder of prompts"),
        (ROWS, {"prompts": BUNDLED.replacing(BUNDLED.load("claims", "en")), "store": "r"}, UsageError, "name it"),
        (ROWS, {"mapping": {"anser": "response"}}, InputError, "no column `anser`; did you mean answer=response"),
        ([{"question": "a", "answer": "b"}], {"metrics": "bleu"}, UsageError, "a column `reference`"),
        (broken_rows(), {}, ConnectionError, "the database is gone"),
        (ROWS, {"metrics": "token_overlap", "progress": fail}, ZeroDivisionError, "my own function"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_error_that_says_what_to_do(data, options, error, says):
    with pytest.raises(error, match=says):
        evaluate(data, **options)


def test_a_bad_key_is_one_error_before_the_first_sample(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(AssayError, match="set the environment variable OPENAI_API_KEY") as raised:
        evaluate(ROWS, "faithfulness", judge="openai/gpt-4o-mini")
    assert not isinstance(raised.value, JudgeError)


def test_samples_of_your_own_need_no_id():
    results = evaluate([Sample(user_input="Where?", response="Here."), Sample(user_input="When?", response="Now.")])
    assert list(results.samples) == ["sample-1", "sample-2"]


def test_nothing_is_written_without_a_store():
    evaluate(ROWS, "token_overlap")
    assert list(Path().iterdir()) == []


def test_both_ways_to_evaluate_have_one_signature():
    """That of `aevaluate` is written out; `evaluate` shows it to `help` and editors, and takes nothing else."""
    parameters = inspect.signature(aevaluate).parameters
    assert inspect.signature(evaluate).parameters == parameters
    assert list(parameters)[:3] == ["samples", "metrics", "judge"]
    wrong = {"judges": "openai/test"}
    with pytest.raises(TypeError, match="judges"):
        evaluate(ROWS, "token_overlap", **wrong)


def _judge_that_dies(after):
    """A judge that supports every claim of the first requests, and then fails."""
    asked = 0

    def judge(text):
        nonlocal asked
        asked += 1
        if asked > after:
            raise RuntimeError("the GPU is gone")
        return '{"1": "Yes"}'

    return judge


FACTS = [
    {"question": f"What is fact {n}?", "answer": f"Fact {n} costs money.", "context": f"Fact {n} costs money."}
    for n in range(40)
]


@pytest.mark.parametrize("store", [None, "runs"])
def test_a_judge_that_dies_loses_nothing(store):
    """One request per answer, one at a time: 12 are answered; as many failures in a row as that end it."""
    options = {"concurrency": 1, "progress": False, "store": store}
    how = r'go on with the same call and resume="20' if store else "in this error's `results`"
    with pytest.raises(JudgeUnavailable, match=f"the GPU is gone.*{how}") as raised:
        evaluate(FACTS, "faithfulness", judge=_judge_that_dies(12), model="rules", **options)
    scores = [of.get("faithfulness") for of in raised.value.results.scores.values()]
    assert [score.value for score in scores if score is not None and score.value is not None] == [1.0] * 12
    if store:
        done = evaluate(FACTS, "faithfulness", judge=_judge_that_dies(28), model="rules", resume="last", **options)
        assert [of["faithfulness"].value for of in done.scores.values()] == [1.0] * 40


def test_what_was_not_begun_has_no_results(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(JudgeUnavailable, match=r"Nothing was asked$") as raised:
        evaluate(FACTS, "faithfulness", judge="openai/gpt-4o-mini", progress=False)
    assert raised.value.results is None


def samples(count):
    return [
        Sample(
            id=f"s{n}",
            user_input="How?",
            response=f"Open menu {n}.",
            retrieved_contexts=(f"Open menu {n}.",),
            language="en",
        )
        for n in range(count)
    ]


@pytest.fixture
def judge(openai_server):
    return lambda **options: LiteLLMJudge(
        "openai/test", **{"api_base": openai_server.api_base, "structured": "schema", "wait": 0} | options
    )


@pytest.mark.parametrize("at_once", [1, 3, 8])
def test_concurrency_is_bounded_where_it_counts(judge, openai_server, at_once):
    openai_server.latency = 0.05
    evaluate(samples(16), [Faithfulness(judge(concurrency=100), claims="judge")], concurrency=at_once)
    assert openai_server.most_at_once == at_once
    assert len(openai_server.requests) == 2 * 16


def test_results_are_in_the_samples_order_whatever_is_done_first(judge, openai_server):
    def first_is_last(request):
        return Answer(latency=0.5) if "menu 0" in request.user else None

    openai_server.script = first_is_last
    done = []
    six_samples = samples(6)
    asyncio.run(execute(six_samples, [Faithfulness(judge())], lambda sample, _: done.append(sample.id), concurrency=6))
    assert done[-1] == "s0"
    results = evaluate(six_samples, [Faithfulness(judge())], concurrency=6)
    assert list(results.scores) == ["s0", "s1", "s2", "s3", "s4", "s5"]


def test_samples_are_drawn_one_by_one(judge, openai_server):
    """A set of any length takes the same memory: never more samples are drawn than are under way."""
    drawn, done, most = 0, 0, 0

    def source():
        nonlocal drawn, most
        for sample in samples(50):
            drawn += 1
            most = max(most, drawn - done)
            yield sample

    def keep(_, __):
        nonlocal done
        done += 1

    openai_server.latency = 0.005
    asyncio.run(execute(source(), [Faithfulness(judge())], keep, concurrency=4))
    assert (done, most) == (50, 4)


def test_a_budget_under_concurrency_is_not_passed(judge, openai_server):
    openai_server.latency = 0.02
    with pytest.raises(BudgetReached):
        evaluate(samples(40), [Faithfulness(judge(budget=Budget(calls=11)))], concurrency=8)
    assert len(openai_server.requests) == 11


def test_a_bad_row_in_the_middle_keeps_what_was_done():
    def source():
        yield from samples(3)
        raise InputError("row 4 is bad")

    recorded = []
    with pytest.raises(InputError, match="row 4"):
        asyncio.run(execute(source(), [TokenOverlap()], lambda s, _: recorded.append(s.id), concurrency=2))
    assert recorded == ["s0", "s1", "s2"]


def test_a_metric_that_breaks_fails_its_samples_and_nobody_elses():
    class Broken(Metric):
        name = "broken"

        async def measure(self, sample):
            if sample.id == "s1":
                raise ZeroDivisionError("a defect")
            return await TokenOverlap().measure(sample)

    results = evaluate(samples(3), [Broken()])
    statuses = [scores["broken"].status for scores in results.scores.values()]
    assert statuses == ["scored", "failed", "scored"]
    reason = results.scores["s1"]["broken"].reason
    assert reason.startswith("broken broke: ZeroDivisionError: a defect (test_evaluate.py, line ")
    assert "test_evaluate.py" in results.scores["s1"]["broken"].evidence["traceback"]


def test_two_samples_with_one_id_are_refused_and_not_merged():
    with pytest.raises(InputError, match='index 2, field id: "s0" is the id of index 0 too'):
        evaluate([*samples(2), samples(1)[0]], [TokenOverlap()])


def sample(number, **fields):
    return Sample(**({"id": f"s{number}", "user_input": "How?", "response": "So."} | fields))


def profile(*samples):
    profile = SetProfile()
    assert list(profile.observe(samples)) == list(samples)
    return profile


def test_the_message_names_what_is_missing_the_columns_and_the_option():
    observed = profile(sample(1, metadata={"page": "A page.", "score": 0.5}), sample(2, metadata={"page": "B"}))
    with pytest.raises(UsageError) as error:
        observed.check([load_metric("rouge_l_precision"), load_metric("bleu")])
    assert str(error.value) == (
        "bleu can score none of the 2 samples: it needs reference, which none of them has. Give them a column "
        "`reference`, or say which one holds it: --map THEIRS=reference (in Python mapping=), or choose other metrics"
    )


def test_answers_that_are_all_empty_are_said_to_be_that():
    observed = profile(sample(1, response=""), sample(2, response=" "))
    with pytest.raises(UsageError) as error:
        observed.check([load_metric("bleu")])
    assert str(error.value) == (
        "bleu can score none of the 2 samples: all answers are empty. Find out why the chatbot said nothing, or choose "
        "other metrics"
    )


def test_one_sample_that_can_be_scored_is_enough():
    profile(sample(1), sample(2, reference="So it is.")).check([load_metric("bleu")])


def test_fields_that_no_sample_has_together_are_not_enough():
    with pytest.raises(UsageError, match="it needs response and reference, which none of them has"):
        profile(sample(1), sample(2, response=" ", reference="x")).check([load_metric("bleu")])


def test_a_baseline_may_have_nothing_to_score():
    profile(sample(1)).check([load_metric("token_overlap"), load_metric("declined")])


def test_the_command_ends_and_begins_no_run(assay):
    Path("answers.csv").write_text("question,answer,page,stars\nq,a,one,4\nq,b,two,2\n", encoding="utf-8")
    done = assay("run", "answers.csv", "--metrics", "bleu", code=2)
    assert "read question as user_input, answer as response, stars as rating from 1 to 5 (change wi" in done.err
    assert "--map THEIRS=reference" in done.err
    assert assay("show", "last").code != 0


JUDGE = LiteLLMJudge(JudgeSettings(model="openai/test"))
CHAT = [{"role": "user", "content": "Cancel it."}, {"role": "assistant", "content": "Done."}]
POLICY = {"role": "system", "content": "Never cancel."}


@pytest.mark.parametrize(
    ("metric", "key", "value"), [("tool_calls", "expected_actions", []), ("resolved:goal=given", "customer_goal", "x")]
)
def test_what_metadata_must_say_is_needed_too(metric, key, value):
    loaded = load_metric(metric, JUDGE)
    with pytest.raises(UsageError) as error:
        profile(Sample(id="1", messages=CHAT, metadata={"page": "A"})).check([loaded])
    assert f"it needs metadata.{key}, which none of them has" in str(error.value)
    assert f"--map THEIRS={key}" in str(error.value)
    with pytest.raises(UsageError, match=f"Give them a column `{key}`"):
        profile(Sample(id="1", messages=CHAT)).check([loaded])
    profile(Sample(id="1", messages=CHAT), Sample(id="2", messages=CHAT, metadata={key: value})).check([loaded])


def test_a_policy_is_needed_where_it_is_measured():
    loaded = load_metric("policy_kept", JUDGE)
    with pytest.raises(UsageError, match=r"it needs policy, .* The policy is the first system message"):
        profile(Sample(id="1", messages=CHAT)).check([loaded])
    profile(Sample(id="1", messages=[POLICY, *CHAT])).check([loaded])
