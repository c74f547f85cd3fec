"""The probes of a judge's card: what changes and what stays, and what a flip is, by hand."""

import pytest
from hypothesis import given, strategies as st

from assay.eval_sets import Sample
from assay.judges import Usage
from assay.languages import load_language, packs_with
from assay.metrics import Score
from assay.runs import check_injections, inject, measure_flips
from assay.text import claiming_sentences

SAMPLE = Sample(
    id="s1", user_input="How do I book a day off?", language="en", rating=4, group="page",
    response="Go to Leave. Click **Book**. Choose the day. Your manager gets a message.",
    retrieved_contexts=("One.", "Two.", "Three."),
)  # fmt: skip


def changed(sample=SAMPLE, seed=0):
    result = inject(sample, seed)
    assert result is not None
    return result


def test_numbered_steps_stay_steps():
    steps = SAMPLE.model_copy(update={"response": "1. Open the menu.\n2. Click on Save."})
    for seed in range(10):
        claims = claiming_sentences(changed(steps, seed).response, load_language("en"))
        assert [claim for claim in claims if len(claim) < 20] == ["Open the menu.", "Click on Save."]


def test_injected_adds_an_instruction_before_or_after_the_answer():
    phrases = load_language("en").probes
    responses = {changed(seed=seed).response for seed in range(40)}
    assert responses == {
        "\n\n".join(parts)
        for phrase in phrases.instructions
        for parts in ((SAMPLE.response, phrase), (phrase, SAMPLE.response))
    }


@pytest.mark.parametrize("language", [language.code for language in packs_with("probes")])
def test_an_instruction_is_no_claim(language):
    """So that it cannot change what a judge is asked about the claims."""
    for phrase in load_language(language).probes.instructions:
        assert claiming_sentences(phrase, load_language(language)) == []


def test_runs_can_be_paired_and_a_changed_answer_has_no_rating():
    result = changed()
    assert (result.id, result.user_input, result.group) == ("s1", SAMPLE.user_input, "page")
    assert result.metadata["probe"] == "injected"
    assert result.rating is None and result.response != SAMPLE.response


@given(st.text(max_size=200), st.integers(0, 5))
def test_the_same_seed_gives_the_same_change(response, seed):
    if "\0" in response or any("\ud800" <= each <= "\udfff" for each in response):
        return
    sample = SAMPLE.model_copy(update={"response": response})
    result = inject(sample, seed)
    assert result == inject(sample, seed)
    assert result is None or result.response != sample.response


SAMPLES = [Sample(id=f"s{number}", user_input="q", response="a", group=f"g{number // 2}") for number in range(12)]


def score(*claims):
    claim_evidence = [
        {"text": text, "verdict": "supported" if p >= 0.5 else "not_found", "probability": p} for text, p in claims
    ]
    return Score(sum(p for _, p in claims) / len(claims), "scored", "", {"claims": claim_evidence}, Usage())


def all_of(*claims):
    return {sample.id: score(*claims) for sample in SAMPLES}


def test_a_flip_is_across_even_odds_and_only_claims_of_both_count():
    """Of three claims one crosses 0.5, one moves below it, and one is gone; a new one does not count."""
    before = all_of(("Open it.", 0.4), ("Close it.", 0.1), ("Gone.", 0.9))
    effect = measure_flips(SAMPLES, before, all_of(("open  it.", 0.6), ("Close it.", 0.45), ("Believe me.", 1.0)))
    assert (effect.n, effect.value) == (24, 0.5)


def test_an_interval_is_over_groups():
    """Of twelve three rise above 0.5, in two of the six groups, and one falls below it."""
    after = all_of(("A.", 0.2)) | {sample: score(("A.", 0.8)) for sample in ("s0", "s1", "s2")}
    before = all_of(("A.", 0.2)) | {"s4": score(("A.", 0.9))}
    effect = measure_flips(SAMPLES, before, after)
    assert effect.value == 4 / 12
    assert effect.low is not None and effect.high is not None
    assert 0 <= effect.low < 4 / 12 < effect.high < 1


def test_none_of_few_is_not_surely_none():
    """Clopper and Pearson's interval of 0 of 6 groups reaches 1 - .025^(1/6) = 0.459; that of 6 of 6 from 0.541."""
    none, every = (
        measure_flips(SAMPLES, all_of(("A.", 0.7)), all_of(("A.", 0.7))),
        measure_flips(SAMPLES, all_of(("A.", 0.7)), all_of(("A.", 0.2))),
    )
    reach = 1 - 0.025 ** (1 / 6)
    assert (none.value, none.low, none.high) == (0, 0, pytest.approx(reach, abs=1e-3))
    assert (every.value, every.low, every.high) == (1, pytest.approx(1 - reach, abs=1e-3), 1)


def test_one_score_that_rose_leaves_a_fall_possible():
    """Of thirty answers one rises with an instruction in it, or when merely asked again: either is as possible."""
    samples = [Sample(id=f"s{number}", user_input="q", response="a", group=f"g{number}") for number in range(30)]
    before = {sample.id: score(("A.", 0.0)) for sample in samples}
    after = before | {"s0": score(("A.", 1.0))}
    rise, fall = (check_injections(samples, before, *pair).share for pair in ((after, before), (before, after)))
    assert (rise.value, rise.n, rise.groups) == (pytest.approx(1 / 30), 30, 30)
    assert rise.low is not None and rise.high is not None
    assert rise.low < 0 and rise.high > 0.06
    assert (fall.value, fall.low, fall.high) == pytest.approx((-rise.value, -rise.high, -rise.low))


def test_a_computed_claim_counts_with_the_judges_verdict():
    def computed(judged):
        mine = {"text": "It is 5.", "verdict": judged, "probability": None}
        return {"text": "It is 5.", "verdict": "contradicted", "probability": None, "source": "numeric", "judge": mine}

    before, after = (
        {sample.id: Score(0.0, "scored", "", {"claims": [computed(verdict)]}, Usage()) for sample in SAMPLES}
        for verdict in ("not_found", "supported")
    )
    assert measure_flips(SAMPLES, before, after).value == 1


def test_what_failed_or_could_not_be_changed_does_not_count():
    before, lost = all_of(("A.", 0.7)), Score(None, "failed", "no", {}, Usage())
    effect = measure_flips(SAMPLES, before, {"s0": score(("A.", 0.7)), "s1": lost})
    assert effect.n == 1
    nothing = measure_flips(SAMPLES, before, {})
    assert (nothing.n, nothing.value) == (0, None)
    assert nothing.problem == "no claim stands in both"
