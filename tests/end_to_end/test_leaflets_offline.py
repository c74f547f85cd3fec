"""The bundled leaflets: the set that a real model wrote is made again without it."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETS = ROOT / "eval_sets"
REPLAY = ("--judge", "qwen1.5b", "--cassette", ROOT / "cassettes/leaflets.qwen1.5b.jsonl", "--mode", "replay")


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_bundled_set_is_made_again_from_the_leaflets(offline, tmp_path):
    words = ("--n", "16", "--candidates", "1", "--domain", "Ziekenhuis De Linde")
    done = offline("sets", "generate", "leaflets", *words, *REPLAY, "-o", "leaflets.jsonl", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("leaflets.jsonl", "leaflets.sections.jsonl", "leaflets.folds.jsonl", "leaflets.rejected.jsonl"):
        assert (tmp_path / name).read_bytes() == (SETS / name).read_bytes(), name
    usage = json.loads(done.stdout)["usage"]
    assert usage["calls"] == usage["from_cassette"] > 0
