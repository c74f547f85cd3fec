"""The bundled leaflets: the set that a real model wrote, and a real bot cross-evaluated on it, again without either."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETS = ROOT / "eval_sets"
REPLAY = ("--judge", "qwen1.5b", "--cassette", ROOT / "cassettes/leaflets.qwen1.5b.jsonl", "--mode", "replay")
pytestmark = pytest.mark.timeout(400)


def test_the_bundled_set_is_made_again_from_the_leaflets(offline, tmp_path):
    words = ("--n", "16", "--candidates", "1", "--domain", "Ziekenhuis De Linde")
    done = offline("sets", "generate", "leaflets", *words, *REPLAY, "-o", "leaflets.jsonl", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("leaflets.jsonl", "leaflets.sections.jsonl", "leaflets.folds.jsonl", "leaflets.rejected.jsonl"):
        assert (tmp_path / name).read_bytes() == (SETS / name).read_bytes(), name
    usage = json.loads(done.stdout)["usage"]
    assert usage["calls"] == usage["from_cassette"] > 0


def test_the_bot_is_cross_evaluated_again(offline, tmp_path):
    pytest.importorskip("qdrant_client")
    done = offline("sets", "crosseval", "leaflets", "--bot", "qwen1.5b", *REPLAY, "-o", "answers.jsonl", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    questions = [json.loads(line) for line in (SETS / "leaflets.jsonl").read_text(encoding="utf-8").splitlines()]
    answers = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(answers) == 2 * len(questions)  # each asked with its own fold loaded, and with the other
    assert all(answer["response"] for answer in answers)
    assert {split["split"] for split in json.loads(done.stdout)["splits"]} == {"validation", "test"}
