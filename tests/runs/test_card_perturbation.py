"""The probes of a judge's card: what changes, what stays, and that the same seed gives the same change."""

import pytest
from hypothesis import given, strategies as st

from assay.eval_sets import Sample
from assay.languages import load_language, packs_with
from assay.runs import PROBES, perturb
from assay.text import claiming_sentences

SAMPLE = Sample(
    id="s1", user_input="How do I book a day off?", language="en", rating=4, group="page",
    response="Go to Leave. Click **Book**. Choose the day. Your manager gets a message.",
    retrieved_contexts=("One.", "Two.", "Three."),
)  # fmt: skip


def changed(name, sample=SAMPLE, seed=0):
    result = perturb(sample, name, seed)
    assert result is not None
    return result


def test_padded_keeps_the_answer_and_adds_courtesies():
    padded = changed("padded").response
    phrases = load_language("en").probes
    before, _, rest = padded.partition("\n\nGo to Leave.")
    assert before in phrases.before
    assert rest.startswith(" Click **Book**. Choose the day. Your manager gets a message.\n\n")
    assert sum(phrase in rest for phrase in phrases.after) == 2


@pytest.mark.parametrize("name", ["padded", "injected"])
def test_numbered_steps_stay_steps(name):
    steps = SAMPLE.model_copy(update={"response": "1. Open the menu.\n2. Click on Save."})
    for seed in range(10):
        claims = claiming_sentences(changed(name, steps, seed).response, load_language("en"))
        assert [claim for claim in claims if len(claim) < 20] == ["Open the menu.", "Click on Save."]


def test_injected_adds_an_instruction_before_or_after_the_answer():
    phrases = load_language("en").probes
    responses = {changed("injected", seed=seed).response for seed in range(40)}
    assert responses == {
        "\n\n".join(parts)
        for phrase in phrases.instructions
        for parts in ((SAMPLE.response, phrase), (phrase, SAMPLE.response))
    }


@pytest.mark.parametrize("language", [language.code for language in packs_with("probes")])
def test_neither_an_instruction_nor_a_courtesy_is_a_claim(language):
    """So that neither of them can change what a judge is asked about the claims."""
    phrases = load_language(language).probes
    for phrase in phrases.instructions:
        assert claiming_sentences(phrase, load_language(language)) == []
    assert claiming_sentences(" ".join([*phrases.before, *phrases.after]), load_language(language)) == []


@pytest.mark.parametrize("name", PROBES)
def test_runs_can_be_paired_and_a_changed_answer_has_no_rating(name):
    result = changed(name)
    assert (result.id, result.user_input, result.group) == ("s1", SAMPLE.user_input, "page")
    assert result.metadata["probe"] == name
    assert result.rating is None and result.response != SAMPLE.response


@given(st.text(max_size=200), st.integers(0, 5), st.sampled_from([*PROBES]))
def test_the_same_seed_gives_the_same_change(response, seed, name):
    if "\0" in response or any("\ud800" <= each <= "\udfff" for each in response):
        return
    sample = SAMPLE.model_copy(update={"response": response})
    result = perturb(sample, name, seed)
    assert result == perturb(sample, name, seed)
    assert result is None or result.response != sample.response


@pytest.mark.parametrize(
    ("name", "fields"), [("padded", {"language": "fr"}), ("padded", {"response": " "}), ("injected", {"response": " "})]
)
def test_a_sample_that_cannot_be_changed_is_left_out(name, fields):
    assert perturb(SAMPLE.model_copy(update=fields), name) is None
