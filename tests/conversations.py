"""A conversation with everything that a page shows of one, and scores with evidence by turn."""

import json

from assay.eval_sets import Sample
from assay.metrics import Score

CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "find_booking", "arguments": json.dumps({"name": "Jäger", "nights": 2})},
}
MESSAGES = [
    {"role": "system", "content": "- Name the **price** before you book.\n- Never give a refund."},
    {"role": "user", "content": "I want my money back.", "time": "2026-11-02T10:00:00Z"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": json.dumps({"price": 120, "hotel": "Krone"})},
    {
        "role": "assistant",
        "content": "You get **120 euros** back. It takes 3 days.",
        "retrieved_contexts": ["A refund takes 5 days."],
        "time": "2026-11-02T10:01:00Z",
    },
    {"role": "user", "content": "When?"},
    {"role": "assistant", "content": "It takes 5 days. Goodbye.", "rating": 2},
]
EVIDENCE = {
    "resolved": {"requests": [{"text": "Get the money back", "met": True, "probability": 0.9, "turn": 4}]},
    "policy_kept": {
        "rules": [
            {"text": "Never give a refund.", "broken": True, "probability": 0.8, "turn": 4},
            {"text": "Name the price before you book.", "broken": False, "probability": 0.1, "turn": None},
        ]
    },
    "handover": {"happened": False, "turn": None, "verdict": "missing"},
    "consistent": {
        "contradictions": [
            {"earlier": "It takes 3 days.", "later": "It takes 5 days.", "earlier_turn": 4, "later_turn": 6}
        ]
    },
    "effort": {"turns": 2, "repeated": [{"text": "When?", "earlier_turn": 1, "turn": 5}], "asked_again": []},
}


def make_conversation(name="chat", **fields):
    """The conversation: seven messages, two answers, one call of a tool; it breaks its policy in turn 4."""
    return Sample.model_validate({"id": name, "messages": MESSAGES, "language": "en"} | fields)


def conversation_scores():
    """One score for each metric of a conversation, with its evidence."""
    return {name: Score(0.5, "scored", "made up", evidence) for name, evidence in EVIDENCE.items()}
