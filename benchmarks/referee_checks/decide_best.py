"""P(best) of three versions: of those that are said to be the best with some probability, that share is."""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval.decision import decide_versions

from .measurement import Measurement, average
from .populations import draw_versions, number_groups

_SPREADS = (0.03, 0.1, 0.3, 0.9)  # of the versions' latent quality: as differ as the prior expects, on 1 to 5
_BANDS = ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.0))
_TABLES = 4  # per repeat


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """By the probability that is stated: how often that version is the best, less what is stated."""
    stated, is_best = [], []
    for number in range(_TABLES * repeats):
        random = np.random.default_rng([seed, number])
        means = random.normal(0, _SPREADS[number % len(_SPREADS)], 3)
        rated = np.arange(60) < random.choice([30, 60])
        table = draw_versions(random, number_groups([1] * 60), means.tolist(), rated=rated)
        versions = decide_versions(table).versions
        stated += [version.p_best for version in versions]
        is_best += [place == means.argmax() for place in range(3)]
    known = np.array(stated, float)
    for low, high in _BANDS:
        rows = (known >= low) & (known <= high)
        gaps = np.array(is_best, float)[rows] - known[rows]
        yield average(f"stated {low:g} to {high:g}", "truly the best, less what is stated", gaps, low=-0.04, high=0.04)
