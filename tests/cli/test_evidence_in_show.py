"""`assay show RUN SAMPLE`: the evidence of every metric reads as text, and an unrated set says nothing of ratings."""

import json
import re
from pathlib import Path

import pytest
from conversations import MESSAGES, make_conversation

from assay import load_set
from assay.metrics.catalogue import describe_metric, metric_names
from assay.runs.sample_audit import sample_lines

_MODELS = {"bertscore", "bleurt"}  # not installed everywhere; their evidence is numbers
_RAW = re.compile(r"[{\[]['\"]|: (?:None|True|False)\b|\{\}|\[\]|': ")


@pytest.fixture
def unrated_set(tmp_path: Path) -> Path:
    """Answers of the helpdesk and of the leaflets without ratings, with a reference that states facts."""
    samples = [sample.model_dump(mode="json") for sample in load_set("helpdesk_en")[:3]]
    steps = "How do I submit leave?"
    table = {"name": "leave", "columns": {"date": ["2026-01-31", "2026-02-28"], "days": [3, 5]}}
    samples.append(
        {
            "id": "all",
            "user_input": f"{steps} I see error KP-3007. Is the Pro package needed for 12 employees?",
            "response": "Error KP-3007 means the balance is too low. 1. Go to Leave. 2. Click Request. In February "
            "5 days were used, in January 4. It is free. It is not free. You have 25 employees.",
            "retrieved_contexts": [
                "Error KP-3007: the balance is too low. 1. Go to Leave. 2. Click Request.",
                "Leave is free. Up to 12 employees.",
            ],
            "other_response": "You have 25 employees.",
            "reference": "Call 0900 1234 on 1 May 2026. It is 12 euros.",
            "language": "en",
            "message_type": "instruction",
            "tables": [table],
        }
    )
    unrated = [{key: value for key, value in message.items() if key != "rating"} for message in MESSAGES]
    samples.append({"id": "chat", "language": "en", "messages": unrated, "metadata": {"expected_actions": []}})
    for sample in samples:
        for name in ("rating", "ratings", "rating_min", "rating_max", "human_rating"):
            sample.pop(name, None)
    path = tmp_path / "unrated.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    return path


def test_no_metric_prints_its_evidence_as_python(assay, unrated_set, judge_file):
    judge_file(price={"input": 0, "output": 0})
    names = [name for name in metric_names() if name not in _MODELS and not describe_metric(name).argument]
    run = assay("run", unrated_set, "--metrics", ",".join(names), "--judge", "local.yaml", "--json", "-q")
    assert run.code in {0, 4}, run.err
    for sample in ("en-001", "chat", "all"):
        shown = assay("show", "last", sample)
        assert shown.code == 0
        evidence = shown.out[shown.out.index("\nanswer_") :] if "\nanswer_" in shown.out else shown.out
        assert _RAW.search(evidence) is None, evidence[max(0, _RAW.search(evidence).start() - 300) :][:600]
    assert "signal words: perspective none, comparison none" in shown.out
    assert "stated: no" in shown.out  # of the facts of the reference, one per line


def test_an_unrated_set_has_no_column_of_ratings(assay, unrated_set):
    printed = [
        assay("run", unrated_set, "--metrics", "token_overlap,rouge_l").out,
        assay("show", "last").out,
        assay("show", "last", "--wide").out,
    ]
    for out in printed:
        assert "rating" not in out.lower()
        assert "only 0 rated" not in out
    assert "token_overlap" in printed[1]


def test_a_conversation_is_shown_with_the_ratings_of_its_messages():
    shown = "\n".join("".join(part.text for part in line) for line in sample_lines(make_conversation()))
    assert "\n[5] Customer: When?\n[6] (rated 2 of 5) Assistant: It takes 5 days. Goodbye." in shown
    assert shown.count("(rated") == 1
