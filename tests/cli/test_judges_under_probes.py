"""`assay judges compare --probes`: one judge goes by the order of the contexts, the other does not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_replies import sensible_reply
from openai_server import Answer, OpenAIServer, Request

Make = Callable[..., Any]
PROBES = ("padded", "reordered", "injected", "styled")
MENUS = " ".join(f"Open menu {number}. Press button {number}." for number in range(6))


@pytest.fixture
def words(set_file: Make, judge_file: Make, openai_server: OpenAIServer) -> list[Any]:
    """The model `openai/first` finds everything where the menus come first, else nothing. The other judges sensibly."""

    def script(request: Request) -> Answer | None:
        if request.body["model"] != "first":
            return None
        is_first = request.user.index(MENUS) < request.user.index("All is stored.")
        answers = dict.fromkeys(json.loads(sensible_reply(request.body)[0]), "yes" if is_first else "no")
        return Answer(text=json.dumps(answers))

    openai_server.script = script
    samples = set_file(retrieved_contexts=[MENUS, "All is stored."])
    judges = [judge_file("firm.yaml"), judge_file("first.yaml", model="openai/first")]
    return ["judges", "compare", samples, "--judge", judges[0], "--judge", judges[1]]


def test_verdicts_that_flip(words: list[Any], assay: Make, openai_server: OpenAIServer) -> None:
    """Six answers of two claims. Of courtesies and of what is said to the judge no claim is made: nothing new is asked.

    The contexts in another order are asked about anew: one judge then finds none of the 12 claims, and its score falls
    by 1.
    """
    comparison = assay(*words, "--probes", "--json").json
    report = {(each["judge"], each["probe"]): each for each in comparison["probes"]}
    assert [*report] == [(judge, probe) for judge in ("firm", "first") for probe in PROBES]
    assert {(each["claims"], each["shift"]["n"], each["failed"]) for each in report.values()} == {(12, 6, 0)}
    flips = {key: (each["flips"]["value"], each["to_supported"]) for key, each in report.items()}
    assert flips == dict.fromkeys(report, (0, 0)) | {("first", "reordered"): (1, 0)}
    shifts = {key: pytest.approx(each["shift"]["value"]) for key, each in report.items()}
    assert shifts == dict.fromkeys(report, 0) | {("first", "reordered"): -1}
    assert [key for key, each in report.items() if not each["identical"]] == [("first", "reordered")]
    assert len(openai_server.requests) == 2 * 2 * 6
    plain = assay(*words, "--mode", "replay", "--probes", "reordered", "--report", "judges.html", "--wide").out
    assert len(openai_server.requests) == 2 * 2 * 6, "the second time all is replayed"
    page = Path("judges.html").read_text(encoding="utf-8")
    for interval in ("100% [61%, 100%]", "0% [0%, 39%]"):
        assert interval in plain and interval in page
    assert "-1.000" in plain and "Under probes" in page
    card = {(each["judge"], each["bias"]): each["change"] for each in comparison["biases"]}
    assert card["first", "order of the contexts"]["value"] == pytest.approx(-1)
    assert [card["firm", bias]["value"] for bias in ("length", "style", "instructions")] == pytest.approx([0, 0, 0])
    for text in (plain, page):
        assert "Bias that is not measured: position: only a judge of two answers side by side has one" in text
        assert "length, style: no probe of it was asked for (--probes)" in text


def test_probes_that_are_not_recorded_are_told(words: list[Any], assay: Make) -> None:
    """Only other orders of the contexts ask something new, of six samples."""
    assert assay(*words).code == 0
    done = assay(*words, "--probes", "--mode", "replay")
    assert done.code == 4
    assert "firm failed on 0 of 6 samples, and on 6 changed by probes; 0 allowed" in done.err


def test_the_position_of_two_answers(
    assay: Make, set_file: Make, judge_file: Make, openai_server: OpenAIServer
) -> None:
    """One judge always takes the answer that it reads first, the other the one that names a menu, wherever it stands.

    All choices fall on the first place, 0.5 more than half, or half of them. The same words in another style are asked
    about anew, and no score moves.
    """

    def script(request: Request) -> Answer:
        first = request.user.partition("<first_answer>")[2].partition("</first_answer>")[0]
        is_first = request.body["model"] == "first" or "menu" in first
        return Answer(text=json.dumps({"better": "first" if is_first else "second"}))

    openai_server.script = script
    judges = ["--judge", judge_file("firm.yaml"), "--judge", judge_file("first.yaml", model="openai/first")]
    pairs = set_file(other_response="Please wait.", rating=-1, rating_min=-2, rating_max=2)
    words = ["judges", "compare", pairs, *judges, "--metric", "pairwise"]
    report = assay(*words, "--probes", "styled", "--json").json
    assert len(openai_server.requests) == 2 * 2 * 2 * 6  # judges, orders, styles
    card = {(each["judge"], each["bias"]): each["change"] for each in report["biases"]}
    assert (card["first", "position"]["value"], card["firm", "position"]["value"]) == (0.5, 0.0)
    assert [card[judge, "style"]["problem"] for judge in ("firm", "first")] == ["no score moved"] * 2
    shown = assay(*words, "--probes", "styled").out
    assert "position" in shown and "+0.500" in shown
    assert "Bias that is not measured: length: no probe of it was asked for (--probes);" in shown
