"""`assay judges align` with a judge at the tests' server: what it learns, from whom, and its folder."""

import asyncio
import re
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
import yaml
from noted_sets import write_rows
from openai_server import Answer as Reply

from assay.errors import InputError, UsageError
from assay.eval_sets import Sample
from assay.judges import JUDGE_FILE, LiteLLMJudge, load_settings
from assay.metrics import load_metric
from assay.runs import Aligner, Plan

METRIC = "context_relevance:unit=sentences"


def rated_samples(count):
    """Samples in groups of two, each with four sentences; the rating is 1 plus the number of sentences that help.

    A sentence says what the judge will say of it: 0.999 where it helps, else 0.3 or 0.95. In log odds 0.95 is nearer to
    0.3 than to 0.999: a map that is flat below makes the judge's mean follow the rating.
    """
    draw = np.random.default_rng(1)
    samples = []
    for number in range(count):
        helps = draw.uniform(size=4) < draw.uniform(0, 1)
        said = np.where(helps, 0.999, draw.choice([0.3, 0.95], 4))
        text = " ".join(f"Fact {number}-{place} is {p:.3f} known." for place, p in enumerate(said))
        samples.append(
            Sample(
                id=f"s{number}",
                user_input=f"What is known of {number}?",
                response=f"Answer of group {number // 2}, number {number}.",
                retrieved_contexts=(text,),
                language="en",
                rating=float(1 + helps.sum()),
                group=f"g{number // 2}",
            )
        )
    return samples


def say_what_it_says(request):
    statement = re.search(r"<statement>\s*Fact \S+ is ([\d.]+) known", request.user)
    p = float(statement[1])
    words = [{"Yes": log(p), "No": log(1 - p)}, {"No": log(1 - p), "Yes": log(p)}][p < 0.5]
    return Reply(text=next(iter(words)), logprobs=[words])


@pytest.fixture
def judge(openai_server, judge_file):
    openai_server.script = say_what_it_says
    return LiteLLMJudge(str(judge_file(logprobs=True)))


def make_aligner(judge, samples):
    return Aligner(METRIC, samples, judge, permutations=300)


def test_a_judge_that_says_too_much_is_calibrated_and_used_as_a_folder(judge, openai_server, tmp_path):
    samples = rated_samples(48)
    aligner = make_aligner(judge, samples)
    report = aligner.align()
    assert len(openai_server.requests) == 4 * 48  # calibration asks nothing
    assert report.result.is_adopted and report.result.chosen == "calibrated"
    before, after = (row.spearman.value for row in report.result.rows)
    assert before is not None and after is not None and after > before + 0.05
    gain, plain = report.result.gain, report.result.rows[1].difference
    assert gain is not None and gain.value is not None and plain is not None and plain.value is not None
    assert 0 <= gain.value < plain.value  # shown only because it passed its test, and so corrected downwards
    folder = tmp_path / "team"
    aligner.write(folder, report)
    recorded = yaml.safe_load((folder / "judge.yaml").read_text())["aligned"]["spearman"]
    assert (recorded["before"], recorded["after"]) == pytest.approx((before, after))
    assert (recorded["gain"], recorded["gain_low"]) == pytest.approx((gain.value, gain.low))
    intercept, slope = yaml.safe_load((folder / "calibration.yaml").read_text())["sentence_relevance.predicate"]
    assert slope > 0

    settings = load_settings(str(folder))
    assert settings.label.startswith("openai/test+aligned.") and settings.identity == "openai/test"
    aligned = load_metric(METRIC, LiteLLMJudge(str(folder)))
    score = asyncio.run(aligned.assess(samples[0]))
    said = [float(p) for p in re.findall(r"is ([\d.]+) known", samples[0].retrieved_contexts[0])]
    mapped = [1 / (1 + exp(-intercept - slope * log(p / (1 - p)))) for p in said]
    assert score.value == pytest.approx(np.mean(mapped), abs=1e-3)

    (folder / "calibration.yaml").write_text("sentence_relevance.predicate: [0, -1]\n")
    with pytest.raises(InputError, match="changed since it was named"):
        LiteLLMJudge(settings)
    with pytest.raises(InputError, match="the slope not below 0"):
        LiteLLMJudge(str(folder))


def test_too_little_or_nothing_to_learn_is_said(judge):
    with pytest.raises(UsageError, match="12 answers are rated; a judge learns from 20 or more"):
        make_aligner(judge, rated_samples(12))
    one_group = [sample.model_copy(update={"group": "g"}) for sample in rated_samples(24)]
    with pytest.raises(UsageError, match="of one group"):
        make_aligner(judge, one_group)
    untyped = Aligner("token_overlap", rated_samples(24), judge)
    with pytest.raises(UsageError, match="token_overlap asks no typed question"):
        untyped.align()


def test_the_command_writes_nothing_where_nothing_wins(assay, judge_file, openai_server):
    openai_server.script = say_what_it_says
    draw = np.random.default_rng(5)
    rows = [
        sample.model_dump(mode="json") | {"rating": float(draw.integers(1, 6)), "ratings": {}}
        for sample in rated_samples(24)
    ]
    write_rows(Path("rated.jsonl"), rows)
    typed = ("align", METRIC, "rated.jsonl", "--judge", judge_file(logprobs=True), "-o", "team")
    done = assay(*typed)
    assert done.code == 0 and "nothing is adopted" in done.out
    assert not Path("team").exists()
    bounded = assay(*typed, "--budget-calls", "10")
    assert bounded.code == 3 and "the same command goes on" in bounded.err
    assert assay("judges", "align", METRIC, "rated.jsonl").code == 2


@pytest.mark.parametrize(
    "learned", ["candidate: isotonic", "candidate: prompts mine", "candidate: few-shot", "rules: '- Say no.'"]
)
def test_a_judge_that_learned_what_is_no_longer_learned(tmp_path, learned):
    record = f"model: openai/m\naligned: {{metric: faithfulness, {learned}}}\n"
    (tmp_path / JUDGE_FILE).write_text(record, encoding="utf-8")
    with pytest.raises(InputError, match=r"is of Assay 0.2, .* align the judge again with `assay judges align`"):
        load_settings(str(tmp_path))


def test_what_stands_in_earlier_records_is_read_in_folders_that_are_calibrated_and_in_stored_runs(tmp_path):
    """A calibrated folder named an embedder and how many examples are shown; a run by few-shot is shown as it was."""
    record = {"metric": "faithfulness", "candidate": "calibrated", "embedder": None, "shown": 3}
    (tmp_path / JUDGE_FILE).write_text(yaml.safe_dump({"model": "openai/m", "aligned": record}), encoding="utf-8")
    assert load_settings(str(tmp_path)).label.startswith("openai/m+aligned.")
    judge = {"model": "openai/m", "aligned": record | {"candidate": "few-shot", "fingerprint": "abcdef012345"}}
    plan = Plan.model_validate({"sets": ["s"], "metrics": ["faithfulness"], "judge": judge}, context={"recorded": True})
    assert plan.judge.label == "openai/m+aligned.abcdef"
