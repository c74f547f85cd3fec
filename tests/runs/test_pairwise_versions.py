"""Versions that a judge compares, up to the decision: a real HTTP judge that finds the longer answer better."""

import asyncio
import math
from dataclasses import replace

import numpy as np
import pytest
from openai_server import Answer

from assay.eval_sets import Sample, write_set
from assay.judges import JudgeSettings, LiteLLMJudge
from assay.runs import VersionOptions, compare_by_judge, count_comparisons, decide_reading, read_versions

COUNT = 20


@pytest.fixture
def judge(openai_server):
    def script(request):
        if request.schema != "options":
            return None
        parts = [request.user.partition(f"<{part}_answer>\n")[2] for part in ("first", "second")]
        first, second = (part.partition("\n</")[0] for part in parts)
        shares = {"first": 0.9, "second": 0.1} if len(first) > len(second) else {"second": 0.9, "first": 0.1}
        logs = {word: math.log(share) for word, share in shares.items()}
        return Answer(text=max(logs, key=logs.__getitem__), logprobs=[logs])

    openai_server.script = script
    settings = JudgeSettings(model="openai/test", api_base=openai_server.api_base, logprobs=True, wait=0)
    return LiteLLMJudge(settings)


def test_the_judge_s_choices_decide(judge, tmp_path):
    """Of 20 questions 4 have the same answer; of the others B's is longer in 12 and shorter in 4.

    The net share of wins over all questions is (12 - 4) / 20 = 0.4 for B and -0.4 for A: a difference of 0.8.
    """
    old, new = [], []
    for number in range(COUNT):
        text = f"Answer {number}"
        other = text if number < 4 else f"{text}, longer" if number < 16 else "Short"
        for rows, response in ((old, text), (new, other)):
            rows.append(Sample(id=f"q{number}", user_input=f"Question {number}?", response=response, language="en"))
    files = [tmp_path / "old.jsonl", tmp_path / "new.jsonl"]
    for file, rows in zip(files, (old, new), strict=True):
        write_set(rows, file)
    reading = read_versions(None, [f"A={files[0]}", f"B={files[1]}"], VersionOptions(metric="pairwise"))
    assert count_comparisons(reading) == 16
    judged = asyncio.run(compare_by_judge(reading, judge))
    by_version = [judged.table.scores[judged.table.version == place] for place in (0, 1)]
    assert [float(np.mean(scores)) for scores in by_version] == pytest.approx([-0.4, 0.4])
    decision = decide_reading(judged)
    assert decision.scale == (-1.0, 1.0)
    assert decision.differences[0].difference == pytest.approx(0.8)
    assert decision.basis == "scores"
    assert any("that it read first in 50%" in note for note in decision.notes)


def read_two(folder, old, new):
    files = [folder / "old.jsonl", folder / "new.jsonl"]
    for file, texts in zip(files, (old, new), strict=True):
        rows = [
            Sample(id=f"q{number}", user_input=f"Question {number}?", response=text, language="en")
            for number, text in enumerate(texts)
        ]
        write_set(rows, file)
    return read_versions(None, [f"A={files[0]}", f"B={files[1]}"], VersionOptions(metric="pairwise"))


def test_a_comparison_that_failed_is_no_tie(judge, openai_server, tmp_path):
    """Ten comparisons, of which B wins six; twenty that failed beside them change neither difference nor interval."""
    chooses = openai_server.script
    openai_server.script = lambda request: Answer(text="blue") if "odd" in request.user else chooses(request)
    old = ["Short answer"] * 10
    new = [f"Short answer {number}, longer" if number < 6 else "Brief" for number in range(10)]
    alone = decide_reading(asyncio.run(compare_by_judge(read_two(tmp_path, old, new), judge)))
    reading = read_two(tmp_path, [*old, *["An odd one"] * 20], [*new, *["An odd other"] * 20])
    judged = asyncio.run(compare_by_judge(reading, judge))
    beside = decide_reading(judged)
    for one, other in zip(alone.differences, beside.differences, strict=True):
        assert (one.difference, one.low, one.high) == pytest.approx((other.difference, other.low, other.high))
    assert [version.n for version in beside.versions] == [version.n for version in alone.versions] == [10, 10]
    assert len(judged.answers) == len(judged.table.scores) == 20
    notes = " ".join(beside.notes)
    assert "20 comparisons failed and do not count: " in notes
    assert "40 answers without a comparison do not count." in notes and "stands in" not in notes


def test_a_rated_answer_stays_without_a_comparison(judge, openai_server, tmp_path):
    chooses = openai_server.script
    openai_server.script = lambda request: Answer(text="blue") if "odd" in request.user else chooses(request)
    reading = read_two(tmp_path, ["Yes", "No", "An odd one"], ["Yes, longer", "No, longer", "An odd other"])
    rated = tuple(
        replace(answer, rating=1.0) if answer.sample.response == "An odd one" else answer for answer in reading.answers
    )
    judged = asyncio.run(compare_by_judge(replace(reading, answers=rated), judge))
    assert sorted(answer.sample.response for answer in judged.answers if "odd" in answer.sample.response) == [
        "An odd one"
    ]
