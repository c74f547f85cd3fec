"""Direction: every metric declares whether higher is better, and the catalogue repeats what it declares."""

import pytest

from assay.metrics import RagasMetric
from assay.metrics.catalogue import describe_metric, higher_is_better, load_metric, metric_names

LEVELS = "criteria: [{name: Tone, question: Is it polite?, levels: {rude: it is rude, polite: it is not}}]"
OPTIONS = "{question: Is it polite?, options: {rude: {value: 0, description: r}, polite: {value: 1, description: p}}}"


@pytest.mark.parametrize("name", metric_names())
def test_the_catalogue_repeats_what_the_metric_declares(judge, tmp_path, name):
    if describe_metric(name).argument:
        (tmp_path / "own.yaml").write_text({"rubric": LEVELS, "choice": OPTIONS}.get(name, ""), encoding="utf-8")
        name = f"{name}:{tmp_path / 'own.yaml'}"
    assert higher_is_better(name) is load_metric(name, judge()).higher_is_better


def test_of_our_metrics_three_are_better_lower():
    assert [name for name in metric_names() if not higher_is_better(name)] == [
        "declined",
        "effort",
        "noise_sensitivity",
    ]


@pytest.mark.parametrize(
    ("name", "higher"),
    [
        ("faithfulness", True),
        ("noise_sensitivity", False),
        ("noise_sensitivity(mode=irrelevant)", False),
        ("maliciousness", False),
    ],
)
def test_metrics_of_ragas_have_the_direction_of_the_adapters_table(name, higher):
    assert higher_is_better(f"ragas:{name}") is higher


@pytest.mark.extras("ragas")
def test_an_adapted_metric_declares_the_same(judge):
    for name in ("noise_sensitivity", "faithfulness"):
        metric = load_metric(f"ragas:{name}", judge())
        assert isinstance(metric, RagasMetric)
        assert metric.higher_is_better is higher_is_better(f"ragas:{name}")
