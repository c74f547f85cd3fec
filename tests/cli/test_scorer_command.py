"""A saved scorer at work in a suite: it is gated as other metrics are."""

import json
from pathlib import Path

import pytest
from tables_of_scores import made_scorer


@pytest.fixture
def scorer_file() -> str:
    """In the current folder: 1 for no word in common with the context, 5 for all."""
    made_scorer().save("team.yaml")
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
