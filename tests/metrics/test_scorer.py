"""`scorer:FILE`: a saved scorer runs as a metric, explains itself, and refuses what it was not fitted with."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml
from tables_of_scores import made_scorer

from assay.errors import UsageError
from assay.eval_sets import Sample, write_set
from assay.judges import JudgeSettings, LiteLLMJudge
from assay.meta_eval import Scorer
from assay.metrics import judge_record, load_metric
from assay.prompts import BUNDLED

SETTINGS = JudgeSettings(model="openai/judge-a", api_base="http://127.0.0.1:9/v1")


@pytest.fixture
def scorer_file(tmp_path: Path) -> Any:
    """Writes a scorer of token overlap: 1 for nothing in common, 5 for all; further fields by keyword."""

    def write(**changes: Any) -> str:
        made_scorer(**changes).save(tmp_path / "team.yaml")
        return f"scorer:{tmp_path / 'team.yaml'}"

    return write


def sample(response: str, **fields: Any) -> Sample:
    return Sample(id="s", user_input="Q?", response=response, retrieved_contexts=("open the menu now",), **fields)


def test_it_predicts_a_rating_and_says_why(scorer_file):
    """Half of the answer's words are in the context: overlap 0.5, the middle, a rating of 3."""
    metric = load_metric(scorer_file())
    assert metric.range == (1, 5) and metric.higher_is_better
    score = asyncio.run(metric.assess(sample("open the red flowers")))
    assert score.value == pytest.approx(3.0)
    assert (score.evidence["low"], score.evidence["high"], score.evidence["decision"]) == (2.5, 3.5, "person")
    part = score.evidence["parts"]["token_overlap"]
    assert part["value"] == 0.5 and part["contribution"] == pytest.approx(0.0)
    assert score.reason.startswith(
        "the team would rate it about 3.0 of 5 (2.5 to 3.5 for at least 90% of such answers): leave it"
    )
    sent = asyncio.run(metric.assess(sample("open the menu now")))
    assert sent.value == 5 and sent.evidence["decision"] == "send" and "may be sent" in sent.reason


def test_without_any_part_it_is_skipped(scorer_file):
    answer = sample("open").model_copy(update={"retrieved_contexts": ()})
    score = asyncio.run(load_metric(scorer_file()).assess(answer))
    assert score.status == "skipped" and "none of its metrics has a value" in score.reason


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "openai/judge-b"}, "the judge was openai/judge-a and is openai/judge-b"),
        ({"parameters": {"temperature": 1}}, "the judge's parameters was {'temperature': 0} and is {'temperature': 1}"),
        ({"logprobs": True}, "the judge's logprobs was False and is True"),
    ],
)
def test_another_judge_is_refused(scorer_file, changes, message):
    name = scorer_file(judge=judge_record(LiteLLMJudge(SETTINGS)))
    other = LiteLLMJudge(SETTINGS.model_copy(update=changes))
    with pytest.raises(UsageError) as error:
        load_metric(name, judge=other)
    assert message in str(error.value) and "assay meta RUN --save" in str(error.value)
    assert load_metric(name, judge=LiteLLMJudge(SETTINGS)).name == name


def test_another_prompt_or_embedder_is_refused(scorer_file):
    known = BUNDLED.load("support", "en").identity
    assert load_metric(scorer_file(prompts=(known,)))
    with pytest.raises(UsageError, match=r"the prompt was support.en@000000000000 and is support.en@"):
        load_metric(scorer_file(prompts=("support.en@000000000000",)))
    with pytest.raises(UsageError, match="the embedder was st:model and is use"):
        load_metric(scorer_file(embedder="st:model"))


def test_a_metric_that_was_passed_to_evaluate_is_not_saved_and_the_cure_is_said(assay, tmp_path):
    """Its run knows its name alone; that it is found by FILE.py:NAME is what the cure says, and what then works."""
    from assay import evaluate, metric

    @metric(range=(1, 5))
    def as_rated(sample):
        return float(sample.rating or 1)

    samples = [
        Sample(id=f"q{n}", user_input=f"Question {n}?", response=f"Answer {n}.", rating=1 + n % 5) for n in range(40)
    ]
    write_set(samples, tmp_path / "rows.jsonl")
    evaluate(samples, as_rated, store=".assay", progress=False)
    quick = ("--bootstrap", "200", "--repeats", "1")
    refused = assay("meta", "last", "--save", "team.yaml", *quick)
    assert refused.code == 2 and not Path("team.yaml").exists()
    assert "as_rated is a metric that was passed to evaluate()" in refused.err
    assert "assay run SET --metrics my_metrics.py:as_rated" in refused.err
    (tmp_path / "my_metrics.py").write_text(
        "from assay import metric\n\n@metric(range=(1, 5))\ndef as_rated(sample):\n"
        "    return float(sample.rating or 1)\n"
    )
    assert assay("run", "rows.jsonl", "--metrics", "my_metrics.py:as_rated").code == 0
    assert assay("meta", "last", "--save", "team.yaml", *quick).code == 0
    parts = yaml.safe_load(Path("team.yaml").read_text())["parts"]
    assert [part["metric"] for part in parts] == ["my_metrics.py:as_rated"]


def test_a_scorer_is_not_saved_over_itself(assay, tmp_path):
    """Run on other answers the scorer agrees best; saved, it would be its own part. Its metric can be chosen."""
    words = ["open", "the", "menu", "press", "save"]
    for name in ("first", "second"):
        samples = [
            Sample(
                id=f"{name}{number}",
                user_input=f"How do I do {name} {number}?",
                response=" ".join(words[: 1 + number % 5] + ["flowers"] * (4 - number % 5)),
                reference=" ".join(words),
                retrieved_contexts=("open",),
                language="en",
                rating=1 + number % 5,
            )
            for number in range(40)
        ]
        write_set(samples, tmp_path / f"{name}.jsonl")
    quick = ("--bootstrap", "200", "--repeats", "1")
    assert assay("run", "first.jsonl", "--metrics", "rouge_1").code == 0
    assert assay("meta", "last", "--save", "team.yaml", *quick).code == 0
    before = Path("team.yaml").read_bytes()
    assert assay("run", "second.jsonl", "--metrics", "scorer:team.yaml,rouge_1").code == 0
    refused = assay("meta", "last", "--save", "team.yaml", "--report", "report.html", *quick)
    assert refused.code == 2 and "a scorer is made of metrics, not of scorers; nothing was written" in refused.err
    assert "assay meta RUN --metrics METRIC,... --save FILE" in refused.err
    assert Path("team.yaml").read_bytes() == before and not Path("report.html").exists()
    assert assay("meta", "last", "--metrics", "rouge_1", "--save", "new.yaml", *quick).code == 0
    assert [part["metric"] for part in yaml.safe_load(Path("new.yaml").read_text())["parts"]] == ["rouge_1"]
    assert assay("meta", "last", *quick).code == 0, "in the table it may stand"


def test_a_scorer_of_a_scorer_is_refused(assay, tmp_path, scorer_file):
    """Files that an earlier version wrote name themselves as a part, and would call themselves without end."""
    file = tmp_path / "team.yaml"
    scorer = Scorer.load(scorer_file().partition(":")[2])
    part = scorer.parts[0].model_copy(update={"metric": "scorer:team.yaml"})
    scorer.model_copy(update={"parts": (part,)}).save(file)
    write_set([Sample(id="a", user_input="How?", response="So.", retrieved_contexts=("So.",))], tmp_path / "set.jsonl")
    done = assay("run", "set.jsonl", "--metrics", "scorer:team.yaml")
    assert done.code == 1 and "team.yaml: parts.0.metric: scorer:team.yaml is a scorer" in done.err
    assert "assay meta RUN --metrics A,B --save team.yaml" in done.err
