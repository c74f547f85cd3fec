"""A judge's own noise, for the false alarms of a gate: its repeats are asked, kept, and read again without it."""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai_replies import sensible_reply
from openai_server import Answer, OpenAIServer, Request

ROOT = Path(__file__).parents[2]
Make = Callable[..., Any]
pytestmark = pytest.mark.timeout(400)  # seconds where nothing else runs


@pytest.fixture
def gates(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield import_module("gate_false_alarms")
    for name in ("gate_false_alarms", "benchmark_output"):
        sys.modules.pop(name, None)


def test_repeats_are_asked_kept_and_read_again(
    *, gates: Any, set_file: Make, judge_file: Make, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """The first claim of a sample is found or not by the parity of sample and seed: its value lies 0.5 lower or not."""

    def script(request: Request) -> Answer | None:
        reply = json.loads(sensible_reply(request.body)[0])
        menu = int(request.user.rpartition("Open menu ")[2].partition(".")[0])
        if (menu + request.body["seed"]) % 2:
            reply["1"] = "No"
        return Answer(text=json.dumps(reply))

    openai_server.script = script
    judge = str(judge_file(parameters={"seed": 1, "temperature": 1}))
    options: dict[str, Any] = {"repeats": 3, "metric": "faithfulness", "sets": [set_file(7)]}
    repeats = gates.ask_repeats(judge, tmp_path / "replies.jsonl", mode="auto", **options)
    assert len(openai_server.requests) == 7 * 4
    # seeds 1 to 4; samples 0, 3 and 6 name flowers, which no context has
    expected = {0: [0, 0.5, 0, 0.5], 1: [1, 0.5, 1, 0.5], 3: [0.5, 0, 0.5, 0]}
    values = repeats._values
    assert {sample: values[sample].tolist() for sample in expected} == expected
    openai_server.forget()
    again = gates.ask_repeats(judge, tmp_path / "replies.jsonl", mode="replay", **options)
    assert np.array_equal(again._values, values)
    assert openai_server.requests == []


def test_a_drawn_run_varies_as_the_judge_does(gates: Any) -> None:
    """Repeats of 0, 1, 1 have the unbiased variance 1/3; drawn as they are they would vary by 2/9."""
    repeats = gates.Repeats(np.array([[0.0, 1.0, 1.0]]), ["g"])
    generator = np.random.default_rng(0)
    drawn = np.concatenate([repeats.draw(generator) for _ in range(20_000)])
    assert drawn.mean() == pytest.approx(2 / 3, abs=0.02)
    assert drawn.var() == pytest.approx(1 / 3, abs=0.02)


def test_simulated_regressions_have_the_size_asked_for(gates: Any) -> None:
    values = np.random.default_rng(1).random((120, 4))
    repeats = gates.Repeats(values, ["g"] * 120)
    assert repeats.all_worse(0.05)._values.mean() == pytest.approx(values.mean() - 0.05)
    broken = repeats.some_broken(0.05, np.random.default_rng(2))._values
    assert broken.mean() == pytest.approx(values.mean() - 0.05, abs=0.005)
    assert (broken[(broken != values).any(axis=1)] == 0).all()


def test_one_reply_is_no_repeat(gates: Any) -> None:
    with pytest.raises(SystemExit, match="no sample has a value in two repeats"):
        gates._complete_samples({"s": [0.5]}, 1, {"s": "g"})
