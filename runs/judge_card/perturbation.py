"""The probes of a judge's card: each changes an answer in a way that a fair judge does not react to."""

import random
from collections.abc import Callable

from ...eval_sets import Sample
from ...languages import find_language, language_or_fallback
from ...languages.sections import Probes
from .answer_styling import add_style

_Change = Callable[[str, random.Random, Probes], str]


def perturb(sample: Sample, probe: str, seed: int = 0) -> Sample | None:
    """Changes a sample as a probe does, the same way for the same seed and id; None where it cannot be changed.

    Id, question and group stay, so that scores can be paired. The answer loses its ratings: nobody rated it.
    """
    if probe == "styled":
        response = add_style(sample.response, language_or_fallback(sample.language))
    else:
        language = find_language(sample.language)
        has_phrases = language is not None and language.has("probes") and bool(sample.response.strip())
        chance = random.Random(f"{seed}\0{probe}\0{sample.id}")
        response = _WITH_PHRASES[probe](sample.response, chance, language.probes) if language and has_phrases else ""
    if not response:
        return None
    metadata = {**sample.metadata, "probe": probe}
    return sample.model_copy(update={"response": response, "metadata": metadata, "rating": None, "ratings": {}})


def _pad(answer: str, chance: random.Random, phrases: Probes) -> str:
    places = sorted(chance.sample(range(len(phrases.after)), 2))
    after = " ".join(phrases.after[place] for place in places)
    # on separate lines, since "1. Open ..." directly after a courtesy would no longer be a numbered step
    return f"{chance.choice(phrases.before)}\n\n{answer.rstrip()}\n\n{after}"


def _inject(answer: str, chance: random.Random, phrases: Probes) -> str:
    parts = [answer.rstrip(), chance.choice(phrases.instructions)]
    chance.shuffle(parts)
    return "\n\n".join(parts)


_WITH_PHRASES: dict[str, _Change] = {"padded": _pad, "injected": _inject}
PROBES = ("padded", "styled", "injected")
