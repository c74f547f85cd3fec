"""Metrics that bring their own judge, and metrics by the name of another tool, which are ours from the start."""

import asyncio
import re
from contextlib import closing
from pathlib import Path

import openai
import pytest

import assay
from assay import (
    AnswerRelevance,
    Budget,
    Faithfulness,
    Heuristic,
    LiteLLMJudge,
    PredicateMetric,
    Results,
    Sample,
    WeakestClaim,
    evaluate,
    load_set,
    write_set,
)
from assay.errors import UsageError
from assay.eval_sets import read_samples
from assay.judges import Cassette, JudgeSettings, LiteLLMEmbedder
from assay.metrics import TokenOverlap
from assay.runs import RunOptions, ScoringRequest, Store, run_plan, score_by_judges
from assay.runs.suite import load_suite, run_suite
from assay.testing import assert_score

ANSWER = {
    "user_input": "How do I do it?",
    "response": "Open menu 1. Send flowers.",
    "retrieved_contexts": ["Open menu 1. Press button 1."],
}
ROWS = [ANSWER | {"response": f"Open menu {number}. Send flowers."} for number in range(1, 4)]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch, openai_server):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_BASE", openai_server.api_base)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.api_base)


def settings_file():
    Path("judge.yaml").write_text("model: openai/gpt-4o-mini", encoding="utf-8")
    return "judge.yaml"


def ask(text):
    statements = text.rpartition("<statements>")[2].split("</statements>")[0].strip().splitlines()
    verdicts = (line.split(": ", 1) for line in statements)
    pairs = (f'"{number}": "{"No" if "flowers" in claim else "Yes"}"' for number, claim in verdicts)
    return "{" + ", ".join(pairs) + "}"


async def ask_async(text):
    return ask(text)


class OwnJudge:
    """A judge of another class: it has what `Judge` names, and nothing else."""

    name = "own"
    logprobs = False

    def __init__(self):
        judge = LiteLLMJudge("openai/gpt-4o-mini")
        self.decide, self.ask = judge.decide, judge.ask


class OnlyAsks:
    """What a user may take for a judge: it has `ask`, from text to text."""

    def ask(self, text):
        return ask(text)


@pytest.mark.parametrize(
    "make",
    [
        lambda: "openai/gpt-4o-mini",
        settings_file,
        lambda: Path(settings_file()),
        lambda: JudgeSettings(model="openai/gpt-4o-mini"),
        lambda: ask,
        lambda: ask_async,
        lambda: OnlyAsks().ask,
        lambda: LiteLLMJudge(openai.OpenAI(), model="gpt-4o-mini"),
        OwnJudge,
    ],
    ids=["model", "file", "path", "settings", "function", "async", "method", "LiteLLMJudge", "Judge"],
)
def test_a_metric_takes_each_kind_of_judge(make):
    """One of two claims is supported, by a bare metric, in an evaluation and in an assertion."""
    assert Faithfulness(make()).score(**ANSWER).value == 0.5
    assert Faithfulness(judge=make()).score(**ANSWER).value == 0.5
    results = evaluate([ANSWER], Faithfulness(make()), progress=False)
    assert results.scores["sample-1"]["faithfulness"].value == 0.5
    assert assert_score("faithfulness", ANSWER, at_least=0.5, judge=make()).value == 0.5


def test_metrics_of_one_model_share_the_recordings_and_calls_of_a_run(openai_server):
    """Both metrics ask the same: three samples are three calls, and three recordings that are replayed."""
    metrics = [Faithfulness("openai/gpt-4o-mini"), WeakestClaim("openai/gpt-4o-mini")]
    results = evaluate(ROWS, metrics, cassette="replies.jsonl", progress=False)
    assert len(openai_server.requests) == 3
    assert len(Path("replies.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    again = evaluate(ROWS, metrics, cassette="replies.jsonl", mode="replay", progress=False)
    assert again.summary() == results.summary()
    assert len(openai_server.requests) == 3
    assert metrics[0].score(**ROWS[0]).value == 0.5  # the metric itself keeps its judge, which records nothing
    assert len(openai_server.requests) == 4


def test_the_model_of_one_metric_is_that_of_the_stored_run():
    evaluate(ROWS, Faithfulness("openai/gpt-4o-mini"), store="runs", progress=False)
    judge = Store("runs").run("last").plan.judge
    assert judge.model == "openai/gpt-4o-mini"
    with pytest.raises(UsageError, match="no run to resume has these sets, metrics and judge"):
        evaluate(ROWS, Faithfulness("openai/other"), store="runs", resume="last", progress=False)


@pytest.mark.parametrize("bounds", [{"cassette": "replies.jsonl"}, {"budget": Budget(calls=9)}])
def test_it_is_an_error_where_they_do_not_hold(bounds, openai_server):
    metric = Faithfulness(LiteLLMJudge("openai/gpt-4o-mini"))
    (name,) = bounds
    with pytest.raises(UsageError, match=f"faithfulness brought its own judge, .* give the {name} to that judge"):
        evaluate(ROWS, metric, progress=False, **bounds)
    of_embedder = AnswerRelevance("openai/gpt-4o-mini", embedder="litellm:openai/text-embedding-3-small")
    with pytest.raises(UsageError, match=f"answer_relevance brought its own embedder, .* give the {name} to that"):
        evaluate(ROWS, of_embedder, progress=False, **bounds)
    embedder = LiteLLMEmbedder("openai/text-embedding-3-small")
    with pytest.raises(UsageError, match=f"there is an open embedder, .* give the {name} to that embedder"):
        evaluate(ROWS, "answer_relevance", judge="openai/gpt-4o-mini", embedder=embedder, progress=False, **bounds)
    assert openai_server.requests == []
    judge = LiteLLMJudge("openai/gpt-4o-mini")
    with pytest.raises(UsageError, match="has its own budget: give the budget to the judge"):
        evaluate(ROWS, "faithfulness", judge=judge, budget=Budget(calls=9), progress=False)


def test_judges_are_compared_whatever_they_are(tmp_path):
    """A model by its name and a function: both support one of two claims. A judge without settings is refused."""
    cassette = str(tmp_path / "{judge}.jsonl")
    samples = [*read_samples(ROWS)]
    judges = {"model": "openai/gpt-4o-mini", "function": ask}
    scores = score_by_judges(judges, samples, "faithfulness", cassette=cassette)
    assert {one.judge: [score.value for score in one.scores.values()] for one in scores} == {
        "model": [0.5] * 3,
        "function": [0.5] * 3,
    }
    assert sorted(path.name for path in tmp_path.glob("*.jsonl")) == ["function.jsonl", "model.jsonl"]
    with pytest.raises(UsageError, match="judge: an object of type OwnJudge cannot be used"):
        score_by_judges({"own": OwnJudge()}, samples, "faithfulness", cassette=cassette)


def test_a_judge_lacks_something():
    with pytest.raises(UsageError) as raised:
        Faithfulness(OnlyAsks())
    assert str(raised.value) == (
        'judge: an object of type OnlyAsks cannot be used; give the name of a model ("openai/gpt-4o-mini", '
        '"gguf:PATH"), a settings file ("judge.yaml"), JudgeSettings, a function that takes a text and returns the '
        "reply, an OpenAI client, or a judge: a LiteLLMJudge, or an object with name, logprobs, decide and ask "
        "(assay.judges.Judge)"
    )


SAMPLE = Sample(user_input="Where?", response="Here.")
NO = 42
WRONG = {
    "evaluate, samples": ("the data", lambda: evaluate(NO, "token_overlap")),
    "evaluate, metrics": ("metrics", lambda: evaluate([SAMPLE], NO)),
    "evaluate, judge": ("judge", lambda: evaluate([SAMPLE], "faithfulness", judge=NO)),
    "evaluate, mapping": ("mapping", lambda: evaluate([SAMPLE], "token_overlap", mapping=NO)),
    "evaluate, store": ("store", lambda: evaluate([SAMPLE], "token_overlap", store=NO)),
    "evaluate, budget": ("budget", lambda: evaluate([SAMPLE], "token_overlap", budget=NO)),
    "Faithfulness": ("judge", lambda: Faithfulness(NO)),
    "Faithfulness, None": ("judge", lambda: Faithfulness(None)),
    "Heuristic": ("judge", lambda: Heuristic(translate="judge", judge=NO)),
    "AnswerRelevance": ("embedder", lambda: AnswerRelevance("openai/m", NO)),
    "PredicateMetric": ("statement", lambda: PredicateMetric("openai/m", NO)),
    "Metric.assess": ("sample", lambda: asyncio.run(TokenOverlap().assess(NO))),
    "metric": ("metric", lambda: assay.metric(NO)),
    "assert_score, metric": ("metric", lambda: assert_score(NO, SAMPLE, at_least=1)),
    "LiteLLMJudge": ("judge", lambda: LiteLLMJudge(NO)),
    "Cassette": ("path", lambda: Cassette(NO)),
    "load_set": ("source", lambda: load_set(NO)),
    "write_set, sample": ("samples, index 0", lambda: write_set([NO], "x.jsonl")),
    "write_set, path": ("path", lambda: write_set([SAMPLE], NO)),
    "Store": ("store", lambda: Store(NO)),
    "Results.from_store": ("store", lambda: Results.from_store(NO, "last")),
    "Results.save": ("path", lambda: evaluate([SAMPLE], "token_overlap", progress=False).save(NO)),
    "run_plan, plan": ("plan", lambda: run_plan(NO, Store())),
    "ScoringRequest, metrics": ("metrics", lambda: ScoringRequest(metrics=NO)),
    "RunOptions": ("mode", lambda: RunOptions(mode=NO)),
    "load_suite": ("path", lambda: load_suite(NO)),
    "run_suite": ("suite", lambda: run_suite(NO)),
}


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_type_is_one_plain_error(call):
    """It names the argument and what came; it says what may come. No error from within."""
    name, use = WRONG[call]
    with pytest.raises(assay.AssayError) as raised:
        use()
    text = str(raised.value)
    assert name in text.partition(";")[0]
    assert re.search(r"\b42\b|int|None|'\.assay'|EvaluationDataset|list", text), text
    assert re.search("give|the modes are", text), text


SAMPLES = [
    Sample(id=f"q{n}", user_input="Is it free?", response="Yes, it is.", reference="Yes, it is free.") for n in range(3)
]


def test_scores_of_a_metric_by_another_name_are_kept_under_ours(tmp_path):
    """Three words, all in their order, are of three and of four: 2 x 3 / (3 + 4)."""
    made = evaluate(SAMPLES, ["rouge_score"], store=tmp_path, progress=False)
    with closing(Store(tmp_path)) as store:
        stored = Results.from_store(store, made.run)
    for results in (made, stored):
        assert results.scores["q0"]["rouge_l"].value == pytest.approx(6 / 7)


def test_gates_and_suites_know_the_other_names(tmp_path):
    file = tmp_path / "suite.yaml"
    file.write_text(
        "sets: [a.csv]\nmetrics: [rouge_score, Rouge2]\ngates:\n- {gate: mean, metric: rouge_score, at_least: 0.5}\n"
    )
    suite = load_suite(file)
    assert suite.metrics == ("rouge_l", "rouge_2")
    assert suite.gates[0].metric == "rouge_l"


class SimpleCriteriaScore:
    """As a metric of another tool."""


def object_of_another_tool(name):
    return type(name, (), {})()


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (object_of_another_tool("Faithfulness"), "Faithfulness cannot be used; write 'faithfulness' "),
        (object_of_another_tool("ToolCallAccuracy"), "ToolCallAccuracy cannot be used; write 'tool_calls:mode=exact' "),
        (object_of_another_tool("AspectCritic"), "AspectCritic cannot be used; write predicate:"),
        (SimpleCriteriaScore, "the class SimpleCriteriaScore cannot be used; write rubric:FILE"),
        ("AnswerAccuracy", "claim by claim it is factual_correctness"),
        ("AspectCritic", 'write predicate:"'),
        ("SemanticSimilarity", "bertscore"),
        (object_of_another_tool("Unknown"), "Unknown cannot be used; give the name of a metric"),
    ],
)
def test_a_metric_of_another_tool_without_one_here_is_answered_with_what_to_write(theirs, ours):
    with pytest.raises(UsageError, match=ours):
        evaluate(SAMPLES, [theirs], judge=str.upper, progress=False)
