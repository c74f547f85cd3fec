"""`benchmarks/conversation_cost.py`: the conversations that it makes, and how it measures a process."""

import sys
from pathlib import Path

import conversation_cost as benchmark
import pytest

from assay import Sample
from assay.eval_sets import load_set
from assay.eval_sets.message import find_turns


def test_made_conversations_are_whole_and_differ() -> None:
    rows = list(benchmark.make_conversations(5, 10, seed=3))
    samples = [Sample(**row) for row in rows]
    assert [len(find_turns(sample.messages)) for sample in samples] == [10] * 5
    assert len({str(sample.messages) for sample in samples}) == 5
    assert rows == list(benchmark.make_conversations(5, 10, seed=3))
    calls = [call.function for call in (call for m in samples[0].messages for call in m.tool_calls)]
    expected = samples[0].metadata["expected_actions"]
    assert [{"name": call.name, "kwargs": call.values} for call in calls] == expected
    assert len(expected) == 2


def test_written_conversations_are_read(tmp_path: Path) -> None:
    file = tmp_path / "made_up.jsonl"
    benchmark.write_conversations(file, 3, 5)
    assert [sample.id for sample in load_set(file)] == ["c0", "c1", "c2"]
    assert benchmark.read_all(file) == 3 * (1 + 5 * 2 + 2)  # the policy, five pairs, one call with its result


def test_memory_is_that_of_the_process_alone() -> None:
    grow = "x = bytearray({} * 2**20); print(len(x))"
    small, large = (benchmark.measure_process([sys.executable, "-c", grow.format(size)]) for size in (1, 200))
    assert large[3].strip() == str(200 * 2**20)
    assert 150 < large[2] - small[2] < 250


def test_a_command_that_fails_ends_the_measurement() -> None:
    with pytest.raises(SystemExit, match=r"ended with 1:\n(.*\n)*ValueError: no"):
        benchmark.measure_process([sys.executable, "-c", "raise ValueError('no')"])
