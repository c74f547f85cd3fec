"""The probes of a judge's card: an answer padded, or with an instruction to the judge in it."""

import random
from collections.abc import Callable

from ...eval_sets import Sample
from ...languages import find_language
from ...languages.sections import Probes

PROBES = ("padded", "injected")


def perturb(sample: Sample, probe: str, seed: int = 0) -> Sample | None:
    """Changes a sample as a probe does, the same way for the same seed and id; None where it cannot be changed.

    Id, question and group stay, so that scores can be paired. The answer loses its ratings: nobody rated it.
    """
    language = find_language(sample.language)
    if language is None or not language.has("probes") or not sample.response.strip():
        return None
    chance = random.Random(f"{seed}\0{probe}\0{sample.id}")
    response = _CHANGES[probe](sample.response, chance, language.probes)
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


_CHANGES: dict[str, Callable[[str, random.Random, Probes], str]] = {"padded": _pad, "injected": _inject}
