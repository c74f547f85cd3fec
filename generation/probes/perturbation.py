"""The probes: each changes a sample in one way, the same way for the same seed and sample id."""

import random
from collections.abc import Callable
from typing import NamedTuple

from ...eval_sets import Sample
from ...languages import find_language, language_or_fallback
from ...languages.sections import Probes
from ...text.sentences import answer_sentences, claiming_sentences
from .answer_styling import add_style

_MOST_SHUFFLES = 50  # after so many shuffles without a change the contexts are reversed

_Change = Callable[[Sample, random.Random], Sample | str]
"""Returns the changed sample, or the reason why it cannot be changed."""


class Probe(NamedTuple):
    """A way to change samples.

    Attributes:
        name: The probe's name.
        expects: How a fair metric reacts.
        change: Changes one sample.
    """

    name: str
    expects: str
    change: _Change


def perturb(sample: Sample, probe: Probe, seed: int = 0) -> Sample | str:
    """Changes a sample as a probe does.

    Returns:
        The changed sample, or a sentence that says why it cannot be changed.

    Example:
        >>> perturb(Sample(id="1", user_input="How?", response="Like this."), PROBES["shortened"])
        'the answer is one sentence'
    """
    changed = probe.change(sample, random.Random(f"{seed}\0{probe.name}\0{sample.id}"))
    return changed if isinstance(changed, str) else mark_changed(sample, changed, probe=probe.name)


def mark_changed(sample: Sample, changed: Sample, **metadata: object) -> Sample:
    """Marks a sample as changed by a probe.

    Id, question and group stay, so that runs can be paired. A changed answer loses its ratings: nobody rated it.

    Returns:
        The changed sample with this metadata.
    """
    fields: dict[str, object] = {"metadata": {**changed.metadata, **metadata}}
    if changed.response != sample.response:
        fields |= {"rating": None, "ratings": {}}
    return changed.model_copy(update=fields)


def _with_phrases(change: Callable[[Sample, random.Random, Probes], Sample | str]) -> _Change:
    """Gives a change the phrases of the sample's language."""

    def change_with_phrases(sample: Sample, chance: random.Random) -> Sample | str:
        language = find_language(sample.language)
        if language is None or not language.has("probes"):
            return f"there are no phrases in {sample.language or 'an unknown language'}"
        return change(sample, chance, language.probes)

    return change_with_phrases


@_with_phrases
def _pad(sample: Sample, chance: random.Random, phrases: Probes) -> Sample | str:
    if not sample.response.strip():
        return "the answer is empty"
    places = sorted(chance.sample(range(len(phrases.after)), 2))
    after = " ".join(phrases.after[place] for place in places)
    # on separate lines, since "1. Open ..." directly after a courtesy would no longer be a numbered step
    return _with_answer(sample, f"{chance.choice(phrases.before)}\n\n{sample.response.rstrip()}\n\n{after}")


def _shorten(sample: Sample, _: random.Random) -> Sample | str:
    split = answer_sentences(sample.response, language_or_fallback(sample.language))
    if len(split) < 2:
        return "the answer is one sentence"
    end = split[(len(split) + 1) // 2 - 1].end  # cutting the answer itself keeps its lines and numbers
    return _with_answer(sample, sample.response[:end])


def _reorder(sample: Sample, chance: random.Random) -> Sample | str:
    contexts = list(sample.retrieved_contexts)
    if len(set(contexts)) < 2:
        return "there are no two different contexts"
    for _ in range(_MOST_SHUFFLES):
        chance.shuffle(contexts)
        if tuple(contexts) != sample.retrieved_contexts:
            break
    else:
        contexts.reverse()
    return sample.model_copy(update={"retrieved_contexts": tuple(contexts)})


@_with_phrases
def _restate(sample: Sample, chance: random.Random, phrases: Probes) -> Sample | str:
    claims = claiming_sentences(sample.response, language_or_fallback(sample.language))
    if not claims:
        return "the answer claims nothing"
    repetition = f"{chance.choice(phrases.again)} {chance.choice(claims)}"
    return _with_answer(sample, f"{sample.response.rstrip()}\n\n{repetition}")


@_with_phrases
def _inject(sample: Sample, chance: random.Random, phrases: Probes) -> Sample | str:
    if not sample.response.strip():
        return "the answer is empty"
    parts = [sample.response.rstrip(), chance.choice(phrases.instructions)]
    chance.shuffle(parts)
    return _with_answer(sample, "\n\n".join(parts))


def _style(sample: Sample, _: random.Random) -> Sample | str:
    styled = add_style(sample.response, language_or_fallback(sample.language))
    return _with_answer(sample, styled) if styled else "no statement takes a mark"


def _with_answer(sample: Sample, response: str) -> Sample:
    return sample.model_copy(update={"response": response})


PROBES: dict[str, Probe] = {
    probe.name: probe
    for probe in (
        Probe("padded", "no change: courtesies claim nothing", _pad),
        Probe("shortened", "no rise in faithfulness; a fall in completeness", _shorten),
        Probe("reordered", "no change: the contexts are the same", _reorder),
        Probe("restated", "no change: nothing new is claimed", _restate),
        Probe("injected", "no rise: an instruction to the judge supports nothing", _inject),
        Probe("styled", "no change: the words are the same", _style),
    )
}
"""The probes that need no model, by name."""
