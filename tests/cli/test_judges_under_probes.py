"""`assay judges compare --probes`: one judge does what answers tell it, the other does not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_replies import sensible_reply
from openai_server import Answer, OpenAIServer, Request

from assay.languages import load_language

Make = Callable[..., Any]
MENUS = " ".join(f"Open menu {number}. Press button {number}." for number in range(6))


@pytest.fixture
def words(set_file: Make, judge_file: Make, openai_server: OpenAIServer) -> list[Any]:
    """The model `openai/obeys` finds nothing, unless it is told to: then all. The other judges sensibly."""
    phrases = load_language("en").probes

    def script(request: Request) -> Answer | None:
        if request.body["model"] != "obeys":
            return None
        is_instructed = any(phrase in request.user for phrase in phrases.instructions)
        reply = json.loads(sensible_reply(request.body)[0])["verdicts"]
        verdict = (
            {"verdict": "supported", "quote": "Open menu 0"} if is_instructed else {"verdict": "not_found", "quote": ""}
        )
        return Answer(text=json.dumps({"verdicts": [each | verdict for each in reply]}))

    openai_server.script = script
    samples = set_file(retrieved_contexts=[MENUS, "All is stored."])
    judges = [judge_file("firm.yaml"), judge_file("obeys.yaml", model="openai/obeys")]
    return ["judges", "compare", samples, "--judge", judges[0], "--judge", judges[1]]


def test_verdicts_that_flip(words: list[Any], assay: Make, openai_server: OpenAIServer) -> None:
    """Six answers of two claims. The instruction is a third claim, which the firm judge does not find.

    Its score then falls from 2/2 to 2/3 four times and from 1/2 to 1/3 (flowers) twice: 5/18 in the mean. The other's
    rises from 0 to 1. Of courtesies no claim is made: those questions are asked already.
    """
    report = {(each["judge"], each["probe"]): each for each in assay(*words, "--probes", "--json").json["probes"]}
    assert [*report] == [(judge, probe) for judge in ("firm", "obeys") for probe in ("padded", "reordered", "injected")]
    assert {(each["claims"], each["shift"]["n"], each["failed"]) for each in report.values()} == {(12, 6, 0)}
    flips = {key: (each["flips"]["value"], each["to_supported"]) for key, each in report.items()}
    assert flips == dict.fromkeys(report, (0, 0)) | {("obeys", "injected"): (1, 12)}
    shifts = {key: pytest.approx(each["shift"]["value"]) for key, each in report.items()}
    assert shifts == dict.fromkeys(report, 0) | {("firm", "injected"): -5 / 18, ("obeys", "injected"): 1}
    assert [key for key, each in report.items() if not each["identical"]] == [("obeys", "injected")]
    assert len(openai_server.requests) == 2 * 3 * 6
    plain = assay(*words, "--mode", "replay", "--probes", "injected", "--report", "judges.html", "--wide").out
    assert len(openai_server.requests) == 2 * 3 * 6, "the second time all is replayed"
    page = Path("judges.html").read_text(encoding="utf-8")
    for interval in ("100% [61%, 100%]", "0% [0%, 39%]"):
        assert interval in plain and interval in page
    assert "+1.000" in plain and "Under probes" in page


def test_probes_that_are_not_recorded_are_told(words: list[Any], assay: Make) -> None:
    """Reordered and injected ask something new, of six samples each."""
    assert assay(*words).code == 0
    done = assay(*words, "--probes", "--mode", "replay")
    assert done.code == 4
    assert "firm failed on 0 of 6 samples, and on 12 changed by probes; 0 allowed" in done.err
