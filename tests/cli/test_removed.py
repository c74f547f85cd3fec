"""What of the command line went is said with what stands in its place."""

import pytest


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("probe x", "assay judges card"),
        ("align faithfulness x.jsonl --optimizer gepa", "candidates calibrated and few-shot"),
        ("align faithfulness x.jsonl --variant a", "--candidates"),
        ("judges compare x.jsonl --probes padded", "assay judges card"),
        ("run x.jsonl --shard-rows 5", "--out FOLDER"),
        ("run x.jsonl --ray-address=ray://h", "RAY_ADDRESS"),
        ("rate x.jsonl --choose active", "random, spread or disagreement"),
    ],
)
def test_what_went_names_what_stands_in_its_place(assay, words, place):
    refused = assay(*words.split())
    assert refused.code == 2 and "It went: " in refused.err and place in refused.err


def test_what_never_was_is_said_as_before(assay):
    assert "It went" not in assay("run", "x.jsonl", "--shardrows", "5").err
