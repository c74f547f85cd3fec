"""The probes: each changes a sample in one way, the same way for the same seed and sample id."""

import random
from collections.abc import Callable
from typing import NamedTuple

from ...eval_sets import Sample
from ...metrics.sentences import claiming_sentences, sentences
from .phrases import Phrases, phrases_of

_LEFT_TO_ITSELF = 50  # orders tried before contexts are taken to be all alike

# a sample and its source of chance -> the changed sample, or why there is none
_Perturb = Callable[[Sample, random.Random], Sample | str]


class Probe(NamedTuple):
    """A way to change samples, and what a fair metric does with it."""

    name: str
    expects: str
    change: _Perturb


def perturb(sample: Sample, probe: Probe, seed: int = 0) -> Sample | str:
    """The sample as the probe changes it, or a sentence why it cannot be changed so."""
    changed = probe.change(sample, random.Random(f"{seed}\0{probe.name}\0{sample.id}"))
    return changed if isinstance(changed, str) else marked(sample, changed, probe=probe.name)


def marked(sample: Sample, changed: Sample, **told: object) -> Sample:
    """A sample that a probe changed, with what is `told` of that in its metadata.

    The id, the question and the group stay, so that runs can be paired. `metadata.probe` names the probe. An answer
    that was changed has lost its ratings: nobody rated it.
    """
    fields: dict[str, object] = {"metadata": {**changed.metadata, **told}}
    if changed.response != sample.response:
        fields |= {"rating": None, "ratings": {}}
    return changed.model_copy(update=fields)


def _worded(change: Callable[[Sample, random.Random, Phrases], Sample | str]) -> _Perturb:
    """A change that takes phrases in the sample's language."""

    def with_phrases(sample: Sample, chance: random.Random) -> Sample | str:
        phrases = phrases_of(sample.language)
        if phrases is None:
            return f"there are no phrases in {sample.language or 'a language that is not said'}"
        return change(sample, chance, phrases)

    return with_phrases


@_worded
def _padded(sample: Sample, chance: random.Random, phrases: Phrases) -> Sample | str:
    if not sample.response.strip():
        return "the answer is empty"
    places = sorted(chance.sample(range(len(phrases.after)), 2))
    after = " ".join(phrases.after[place] for place in places)
    # on lines of their own: a first step ("1. Open ...") after a courtesy would be no step any more
    return _with_answer(sample, f"{chance.choice(phrases.before)}\n\n{sample.response.rstrip()}\n\n{after}")


def _shortened(sample: Sample, _: random.Random) -> Sample | str:
    found = sentences(sample.response, sample.language or "en")
    if len(found) < 2:
        return "the answer is one sentence"
    kept = found[: (len(found) + 1) // 2]
    last = sample.response.find(kept[-1])
    # cut there the answer keeps its lines and numbers; a sentence with markup is not found as it stands
    return _with_answer(sample, " ".join(kept) if last < 0 else sample.response[: last + len(kept[-1])])


def _reordered(sample: Sample, chance: random.Random) -> Sample | str:
    contexts = list(sample.retrieved_contexts)
    if len(set(contexts)) < 2:
        return "there are no two different contexts"
    for _ in range(_LEFT_TO_ITSELF):
        chance.shuffle(contexts)
        if tuple(contexts) != sample.retrieved_contexts:
            break
    else:
        contexts.reverse()
    return sample.model_copy(update={"retrieved_contexts": tuple(contexts)})


@_worded
def _restated(sample: Sample, chance: random.Random, phrases: Phrases) -> Sample | str:
    found = claiming_sentences(sample.response, sample.language or "en")
    if not found:
        return "the answer claims nothing"
    again = f"{chance.choice(phrases.again)} {chance.choice(found)}"
    return _with_answer(sample, f"{sample.response.rstrip()}\n\n{again}")


@_worded
def _injected(sample: Sample, chance: random.Random, phrases: Phrases) -> Sample | str:
    if not sample.response.strip():
        return "the answer is empty"
    parts = [sample.response.rstrip(), chance.choice(phrases.instructions)]
    chance.shuffle(parts)
    return _with_answer(sample, "\n\n".join(parts))


def _with_answer(sample: Sample, response: str) -> Sample:
    return sample.model_copy(update={"response": response})


PROBES: dict[str, Probe] = {
    probe.name: probe
    for probe in (
        Probe("padded", "no change: courtesies claim nothing", _padded),
        Probe("shortened", "no rise in faithfulness; a fall in completeness", _shortened),
        Probe("reordered", "no change: the contexts are the same", _reordered),
        Probe("restated", "no change: nothing new is claimed", _restated),
        Probe("injected", "no rise: what an answer says to its judge supports nothing", _injected),
    )
}
