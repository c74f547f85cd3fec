"""Perturbed sets: what changes, what stays, and that the same seed changes it in the same way."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.eval_sets import Sample, load_set
from assay.generation.probes import PROBES, perturb, write_probes
from assay.generation.probes.phrases import LANGUAGES, phrases_of
from assay.metrics.sentences import claiming_sentences

SAMPLE = Sample(
    id="s1", user_input="How do I book a day off?", language="en", rating=4, group="page",
    response="Go to Leave. Click **Book**. Choose the day. Your manager gets a message.",
    retrieved_contexts=("One.", "Two.", "Three."),
)  # fmt: skip


def changed(name: str, sample: Sample = SAMPLE, seed: int = 0) -> Sample:
    found = perturb(sample, PROBES[name], seed)
    assert isinstance(found, Sample), found
    return found


def test_padded_keeps_the_answer_and_adds_courtesies() -> None:
    padded = changed("padded").response
    phrases = phrases_of("en")
    assert phrases is not None
    before, _, rest = padded.partition("\n\nGo to Leave.")
    assert before in phrases.before
    assert rest.startswith(" Click **Book**. Choose the day. Your manager gets a message.\n\n")
    assert sum(phrase in rest for phrase in phrases.after) == 2


@pytest.mark.parametrize("name", ["padded", "injected"])
def test_steps_stay_steps(name: str) -> None:
    steps = SAMPLE.model_copy(update={"response": "1. Open the menu.\n2. Click on Save."})
    for seed in range(10):
        claims = claiming_sentences(changed(name, steps, seed).response, "en")
        assert [claim for claim in claims if len(claim) < 20] == ["Open the menu.", "Click on Save."]


def test_shortened_keeps_the_first_half_of_the_sentences() -> None:
    """Four sentences: the first two. The last of them holds markup and is not found as it stands."""
    assert changed("shortened").response == "Go to Leave. Click Book."
    steps = SAMPLE.model_copy(update={"response": "Do this:\n1. Open the menu.\n2. Click on Save.\n3. Close the menu."})
    assert changed("shortened", steps).response == "Do this:\n1. Open the menu."


def test_reordered_changes_only_the_order_of_the_contexts() -> None:
    for seed in range(20):
        reordered = changed("reordered", seed=seed)
        assert reordered.retrieved_contexts != SAMPLE.retrieved_contexts
        assert sorted(reordered.retrieved_contexts) == sorted(SAMPLE.retrieved_contexts)
        assert (reordered.response, reordered.rating) == (SAMPLE.response, 4)  # the answer is the one that was rated


def test_restated_says_one_claim_again() -> None:
    restated = changed("restated").response
    told = restated.removeprefix(SAMPLE.response + "\n\n")
    _, _, again = told.partition(": ")
    assert again in {"Go to Leave.", "Click Book.", "Choose the day.", "Your manager gets a message."}


def test_injected_says_something_to_the_judge_before_or_after_the_answer() -> None:
    phrases = phrases_of("en")
    assert phrases is not None
    made = {changed("injected", seed=seed).response for seed in range(40)}
    assert made == {
        "\n\n".join(parts)
        for phrase in phrases.instructions
        for parts in ((SAMPLE.response, phrase), (phrase, SAMPLE.response))
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_instruction_is_one_claim_and_a_courtesy_none(language: str) -> None:
    """So that it reaches a judge who is asked about claims and never sees the answer."""
    phrases = phrases_of(language)
    assert phrases is not None
    for phrase in phrases.instructions:
        assert claiming_sentences(phrase, language) == [phrase]
    assert claiming_sentences(" ".join([*phrases.before, *phrases.after]), language) == []


@pytest.mark.parametrize("name", PROBES)
def test_runs_can_be_paired_and_no_rating_is_kept_for_another_answer(name: str) -> None:
    found = changed(name)
    assert (found.id, found.user_input, found.group) == ("s1", SAMPLE.user_input, "page")
    assert found.metadata["probe"] == name
    assert (found.rating is None) == (found.response != SAMPLE.response)


@given(st.text(max_size=200), st.integers(0, 5), st.sampled_from([*PROBES]))
def test_a_seed_changes_a_sample_in_one_way(response: str, seed: int, name: str) -> None:
    if "\0" in response or any("\ud800" <= each <= "\udfff" for each in response):
        return
    sample = SAMPLE.model_copy(update={"response": response})
    found = perturb(sample, PROBES[name], seed)
    assert found == perturb(sample, PROBES[name], seed)
    if isinstance(found, Sample):
        assert (found.response, found.retrieved_contexts) != (sample.response, sample.retrieved_contexts)


@pytest.mark.parametrize(
    ("name", "fields", "why"),
    [
        ("shortened", {"response": "Yes."}, "one sentence"),
        ("reordered", {"retrieved_contexts": ("One.", "One.")}, "no two different contexts"),
        ("padded", {"language": "fr"}, "no phrases in fr"),
        ("padded", {"response": " "}, "empty"),
        ("injected", {"response": " "}, "empty"),
        ("restated", {"response": "?"}, "claims nothing"),
    ],
)
def test_what_cannot_be_changed_says_why(name: str, fields: dict[str, object], why: str) -> None:
    assert why in str(perturb(SAMPLE.model_copy(update=fields), PROBES[name]))


def test_every_language_has_phrases_of_every_kind() -> None:
    assert {"nl", "en"} <= set(LANGUAGES)
    for language in LANGUAGES:
        found = phrases_of(language)
        assert found is not None
        assert min(map(len, (found.before, found.after, found.again, found.instructions))) >= 2


def test_files_can_be_read_again(tmp_path: Path) -> None:
    other = SAMPLE.model_copy(update={"id": "s2", "response": "Yes.", "retrieved_contexts": ()})
    written = write_probes([SAMPLE, other], tmp_path / "probes")
    assert {each.name: each.samples for each in written} == {
        "original": 2, "padded": 2, "shortened": 1, "reordered": 1, "restated": 2, "injected": 2}  # fmt: skip
    assert load_set(tmp_path / "probes" / "original.jsonl") == [SAMPLE, other]
    assert load_set(tmp_path / "probes" / "shortened.jsonl") == [changed("shortened")]
    left_out = next(each.left_out for each in written if each.name == "shortened")
    assert left_out == (("s2", "the answer is one sentence"),)
