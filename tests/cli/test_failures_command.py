"""`assay show failures`: groups of bad answers in a terminal, as JSON and as a page."""

import json

import pytest

CAUSES = ("The price is that of last year", "It refuses to help the customer log in")


@pytest.fixture
def run(assay, tmp_path):
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
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("last", "last"), "unexpected extra argument"),
        (("nothing",), "no run is called 'nothing'"),
        (("last", "--metric", "faithfulness"), "has no value of the metric 'faithfulness'"),
        (("last", "--groups", "40"), "40 groups are too many for 16 different texts"),
        (("last", "--report", "why.txt"), "name an .html file"),
    ],
)
def test_what_cannot_be_done_is_said(assay, words, message):
    assert message in " ".join(assay("show", "failures", *words, code=2).err.split())
