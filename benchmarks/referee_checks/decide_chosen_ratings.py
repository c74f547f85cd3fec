"""`assay decide` warns where what is rated is no random part of the answers, and in at most 1% where it is."""

from collections.abc import Iterator
from dataclasses import replace

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval.decision import decide_versions

from .measurement import Measurement, share
from .populations import draw_versions, number_groups


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Equal versions of 200 answers, some 60 rated: at random, and bad answers of B three times as often."""
    for case, times in (("ratings at random", 1.0), ("bad answers of B are rated three times as often", 3.0)):
        warned = []
        for repeat in range(repeats):
            random = np.random.default_rng([seed, repeat])
            table = draw_versions(random, number_groups([1] * 200), [0.0, 0.0])
            chance = np.where((table.version == 1) & (table.ratings <= 2), 0.2 * times, 0.2)
            rated = random.random(len(chance)) < chance
            decision = decide_versions(replace(table, ratings=np.where(rated, table.ratings, np.nan)), measure="own")
            warned.append("no random part" in decision.sentence)
        is_random = times == 1
        yield share(case, "the verdict warns", warned, high=0.01 if is_random else 1.0, low=0.0 if is_random else 0.3)
