"""`assay show failures`: groups of bad answers in a terminal, as JSON and as a page, named by a judge."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_server import Answer, Request

Make = Callable[..., Any]
CAUSES = ("The price is that of last year", "It refuses to help the customer log in")


@pytest.fixture
def run(assay: Make, tmp_path: Path) -> None:
    """A run of 24 answers, 16 of them bad for one of two causes."""
    rows = [
        {
            "id": f"s{n}",
            "user_input": f"Question {n}?",
            "response": f"Answer {n}.",
            "retrieved_contexts": ["A page."],
            "language": "en",
            "rating": 1 if n < 16 else 5,
            "reason": f"{CAUSES[n % 2]}, as I saw in case {n}." if n < 16 else "",
        }
        for n in range(24)
    ]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert assay("run", "set.jsonl", "--metrics", "token_overlap").code == 0


@pytest.mark.usefixtures("run")
def test_a_judge_names_the_groups_and_reads_their_texts_between_tags(assay, judge_file, openai_server):
    def script(request: Request) -> Answer:
        is_price = "price" in request.user.rpartition("<texts>")[2]
        return Answer(text=json.dumps({"name": "Outdated\nprices." if is_price else "refusals"}))

    openai_server.script = script
    result = assay("show", "failures", "last", "--judge", judge_file(), "--json", code=0)
    assert {group["name"] for group in result.json["groups"]} == {"Outdated prices", "refusals"}
    (first, *_) = openai_server.requests
    assert first.user.startswith("<texts>\n- ") and first.user.endswith("</texts>")


@pytest.mark.usefixtures("run")
def test_a_judge_that_gives_no_name_leaves_the_words_and_a_note(assay, judge_file, openai_server):
    openai_server.script = lambda _: Answer(text="I will not.")
    result = assay("show", "failures", "last", "--judge", judge_file(), code=0)
    assert "the judge gave 2 groups no name that can be used" in " ".join(result.out.split())


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("last", "last"), "names one run twice"),
        (("nothing",), "no run is called 'nothing'"),
        (("last", "--metric", "faithfulness"), "has no value of the metric 'faithfulness'"),
        (("last", "--groups", "40"), "40 groups are too many for 16 different texts"),
        (("last", "--report", "why.txt"), "name an .html file"),
    ],
)
def test_what_cannot_be_done_is_said(assay, words, message):
    assert message in " ".join(assay("show", "failures", *words, code=2).err.split())
