"""A metric by the name of another tool is ours from the start: its scores are kept and found under one name."""

from contextlib import closing

import pytest

from assay import Results, evaluate
from assay.errors import UsageError
from assay.eval_sets import Sample
from assay.runs import Store
from assay.runs.suite import load_suite

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


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("AnswerAccuracy", "claim by claim it is factual_correctness"),
        ("AspectCritic", 'write predicate:"'),
        ("SemanticSimilarity", "bertscore"),
    ],
)
def test_a_metric_of_another_tool_without_one_here_says_what_to_write(theirs, ours):
    with pytest.raises(UsageError, match=ours):
        evaluate(SAMPLES, [theirs], judge=str.upper, progress=False)


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
        (object_of_another_tool("Unknown"), "Unknown cannot be used; give the name of a metric"),
    ],
)
def test_a_metric_object_of_another_tool_is_answered_with_what_to_write(theirs, ours):
    with pytest.raises(UsageError, match=ours):
        evaluate(SAMPLES, [theirs], judge=str.upper, progress=False)
