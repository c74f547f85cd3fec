"""A table of answers in Markdown, as a bot writes them, scored from the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Make = Callable[..., Any]
ANSWER = """Beste Jan,

## Onze abonnementen

| Abonnement | Prijs |
|---|---|
| Basis | 5 euro |
| Zeilboot | 900 gulden |

U kunt betalen met:
- iDEAL

Met vriendelijke groet,
Team Kompaan
"""
CONTEXT = "Abonnement Basis: prijs 5 euro. U kunt betalen met iDEAL."


def test_a_heading_a_header_and_a_signature_sink_no_answer(assay: Make, judge_file: Make, tmp_path: Path) -> None:
    """The tests' judge says yes to a claim that shares most words with the context; the boat is in none: 2 of 3."""
    row = {"id": "a", "language": "nl", "user_input": "Wat kost het?", "response": ANSWER}
    (tmp_path / "answers.jsonl").write_text(json.dumps(row | {"retrieved_contexts": [CONTEXT]}), encoding="utf-8")
    done = assay("run", "answers.jsonl", "--judge", judge_file(), "--metrics", "faithfulness")
    assert done.code == 0, done.err
    (score,) = [s for s in assay("show", "last", "--json").json["scores"] if s["metric"] == "faithfulness"]
    assert {claim["text"]: claim["verdict"] for claim in score["evidence"]["claims"]} == {
        "Abonnement: Basis; Prijs: 5 euro": "supported",
        "Abonnement: Zeilboot; Prijs: 900 gulden": "not_found",
        "U kunt betalen met: iDEAL": "supported",
    }
    assert [(left["kind"], left["text"]) for left in score["evidence"]["left_out"]] == [
        ("greeting", "Beste Jan,"),
        ("heading", "Onze abonnementen"),
        ("heading", "Abonnement; Prijs"),
        ("lead_in", "U kunt betalen met:"),
        ("sign_off", "Met vriendelijke groet,"),
        ("sign_off", "Team Kompaan"),
    ]
