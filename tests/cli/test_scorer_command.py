"""A saved scorer at work: shown in words, gated, compared, and the first figure of a suite's report."""

import json
from pathlib import Path
from typing import Any

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


def rows(rated: int) -> list[dict[str, Any]]:
    """20 answers, half of them with all words in the context and half with none; the first `rated` are rated 4 or 2."""
    return [
        {
            "id": f"s{n}",
            "user_input": f"Where is page {n}?",
            "response": "open the menu" if n % 2 else "no idea whatsoever",
            "retrieved_contexts": ["open the menu now"],
        }
        | ({"rating": 4 if n % 2 else 2, "rating_min": 1, "rating_max": 5} if n < rated else {})
        for n in range(20)
    ]


def write_set(rated: int = 0) -> None:
    Path("set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(rated)), encoding="utf-8")


@pytest.mark.parametrize(
    ("rated", "mean", "said"),
    [
        (0, 3.0, "no interval: none of these 20 answers is rated; rate about 20 more"),
        (4, 3.0, "no interval: only 4 of these 20 answers are rated; rate about 16 more"),
        (12, 3.0, "corrected by the 12 that are rated"),
    ],
)
def test_a_suite_begins_with_the_mean_predicted_rating(assay, scorer_file, rated, mean, said):
    """Half of the predictions are 5 and half 1: mean 3. Half of the ratings are 4 and half 2: corrected, 3 as well."""
    write_set(rated)
    suite = {
        "name": "helpdesk",
        "sets": ["set.jsonl"],
        "metrics": [scorer_file],
        "gates": [
            {"gate": "mean", "metric": scorer_file, "at_least": 2.9},
            {"gate": "mean", "metric": scorer_file, "at_least": 3.1, "strict": True},
        ],
        "outputs": {"summary": "summary.md", "site": "site"},
    }
    Path("nightly.yaml").write_text(json.dumps(suite), encoding="utf-8")
    done = assay("suite", "nightly.yaml", "--json")
    predicted = done.json["runs"][0]["predicted_rating"]
    assert predicted["mean"] == pytest.approx(mean) and predicted["rated"] == rated
    if rated < 10:
        assert (predicted["low"], predicted["high"], predicted["corrected"]) == (None, None, False)
    else:
        assert predicted["low"] < mean < predicted["high"]
    (row,) = (row for row in done.json["runs"][0]["metrics"] if row["metric"] == scorer_file)
    assert (row["mean"], row["low"], row["high"]) == (3.0, None, None)
    assert [gate["state"] for gate in done.json["gates"]] == ["passed", "failed", "no baseline"]
    summary = Path("summary.md").read_text(encoding="utf-8")
    assert f"Mean predicted rating: {mean:.2f} of 5" in summary and said in summary
    page = next(Path("site").glob("night*-*.html")).read_text(encoding="utf-8")
    assert f"Mean predicted rating: {mean:.2f} of 5" in page
