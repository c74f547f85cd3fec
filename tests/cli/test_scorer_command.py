"""A saved scorer at work in a suite: it is gated as other metrics are."""

import json
from pathlib import Path

import pytest

from assay.meta_eval import AgreementRecord, Scorer, ScorerPart


@pytest.fixture
def scorer_file() -> str:
    """A scorer of token overlap, in the current folder: 1 for nothing in common, 5 for everything."""
    Scorer(
        assay="0.1.0",
        kind="subset",
        parts=(ScorerPart(metric="token_overlap", weight=1.0, percentiles=((0, 0), (1, 1))),),
        rating_min=1,
        rating_max=5,
        ratings=((-0.5, 1.0), (0.5, 5.0)),
        level=0.9,
        by_rating=((1, 0.5),),
        by_prediction=((1, 0.5),),
        send_at=4.5,
        agreement=AgreementRecord(items=60, groups=15, spearman=0.5, ratings="0" * 12),
    ).save("team.yaml")
    return "scorer:team.yaml"


def test_a_suite_gates_the_mean_of_a_scorer_and_gives_it_no_interval(assay, scorer_file):
    """Half of the answers have all words in the context and half none: predictions of 5 and 1, mean 3."""
    rows = [
        {
            "id": f"s{n}",
            "user_input": f"Where is page {n}?",
            "response": "open the menu" if n % 2 else "no idea whatsoever",
            "retrieved_contexts": ["open the menu now"],
        }
        for n in range(20)
    ]
    Path("set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    suite = {
        "name": "helpdesk",
        "sets": ["set.jsonl"],
        "metrics": [scorer_file],
        "gates": [
            {"gate": "mean", "metric": scorer_file, "at_least": 2.9},
            {"gate": "mean", "metric": scorer_file, "at_least": 3.1, "strict": True},
        ],
    }
    Path("nightly.yaml").write_text(json.dumps(suite), encoding="utf-8")
    done = assay("suite", "nightly.yaml", "--json")
    (row,) = (row for row in done.json["runs"][0]["metrics"] if row["metric"] == scorer_file)
    assert (row["mean"], row["low"], row["high"]) == (3.0, None, None)
    assert [gate["state"] for gate in done.json["gates"]] == ["passed", "failed", "no baseline"]
