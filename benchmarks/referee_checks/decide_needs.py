"""The number of ratings that `assay decide` asks for settles it in about 8 of 10 cases."""

from collections.abc import Iterator, Sequence

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval.decision import VersionTable, decide_versions

from .measurement import Measurement, share
from .populations import draw_versions, mean_rating, number_groups

_CASES = ((0.3, 40), (0.5, 14))  # how much better B is, and how many are rated: settled in about half of the tables
_NEAR = 0.15  # of the true difference: so near are the tables of which the number is read


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """The number that is asked for where the difference seen is the true one: it settles it, and a tenth does not."""
    for gain, rated in _CASES:
        truth, totals = mean_rating(gain) - mean_rating(0.0), []
        for repeat in range(repeats):
            decision = decide_versions(_draw([seed, repeat], rated, gain))
            is_near = abs(decision.differences[0].difference - truth) <= _NEAR * truth
            if is_near and decision.needs.answers is not None and not decision.needs.is_equal:
                totals.append(rated + decision.needs.answers)
        asked = int(np.median(totals))
        for times, low, high in ((1.0, 0.65, 0.9), (0.1, 0.0, 0.3)):
            count = max(8, round(asked * times))
            later = [decide_versions(_draw([seed, 1, repeat], count, gain)) for repeat in range(repeats)]
            case = f"B +{gain}, {times:g} of the {asked} that are asked for"
            yield share(case, "settles it", [one.verdict == "ship" for one in later], low=low, high=high)
    needs = [decide_versions(_draw([seed, 2, repeat], 40, 0.0)).needs for repeat in range(repeats)]
    named = [one.answers is not None and not one.is_equal for one in needs]
    yield share("equal versions", "a number is said that would settle it", named, high=0.25)


def _draw(seed: Sequence[int], count: int, gain: float) -> VersionTable:
    return draw_versions(np.random.default_rng(seed), number_groups([1] * count), [0.0, gain])
