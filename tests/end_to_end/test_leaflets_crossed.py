"""The bundled leaflets from documents to Tables 3 and 4, with pairs written by hand and a bot without a model."""

import json
import shutil
from pathlib import Path

import pytest

from assay.eval_sets import load_set

ROOT = Path(__file__).parents[2]
BOT = "benchmarks.extractive_bot:answer"


@pytest.mark.slow
def test_from_leaflets_to_a_hallucination_rate(assay, tmp_path, monkeypatch):
    leaflets = sorted((ROOT / "generation" / "leaflets").glob("*.md"))
    assert assay("sets", "generate", "sections", *leaflets, "-o", "leaflets.sections.jsonl").code == 0
    assert assay("sets", "generate", "topics", "leaflets.sections.jsonl", "-o", "topics.jsonl").code == 0
    assay("sets", "generate", "folds", "leaflets.sections.jsonl", "topics.jsonl", "-o", "leaflets.folds.jsonl", code=0)
    shutil.copy(ROOT / "benchmarks" / "leaflet_pairs.jsonl", tmp_path / "pairs.jsonl")
    files = ["pairs.jsonl", "leaflets.sections.jsonl", "leaflets.folds.jsonl"]
    filtered = assay("sets", "generate", "filter", *files, "-o", "leaflets.jsonl", "--json", code=0)
    rejected = [json.loads(line) for line in (tmp_path / "leaflets.rejected.jsonl").read_text("utf-8").splitlines()]
    # the last three of the file are there to be rejected, and none of the others may be
    assert {row["rejected_by"] for row in rejected} == {"factoid-looking", "unlike its section", "duplicate"}
    assert filtered.json["kept"] == {"long-form": 14, "factoid": 8}
    assert len({(s.metadata["fold"], s.metadata["split"]) for s in load_set(tmp_path / "leaflets.jsonl")}) == 4
    monkeypatch.syspath_prepend(str(ROOT))
    crossed = assay("sets", "crosseval", "leaflets.jsonl", "--bot", BOT, "--json", code=0)
    validation = crossed.json["splits"][0]["average"]
    assert validation["answer rate"]["mean"] > 0.5
    assert validation["hallucination rate"]["mean"] < 0.2
