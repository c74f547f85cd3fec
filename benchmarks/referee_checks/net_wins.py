"""Preferences alone: the interval of the net share of wins holds, and the wrong version is called better in at most 5%.

Each group of questions has a swing of its own towards one of the two versions; one in seven choices is a tie. All
choices are seen at once.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval.decision import PreferenceTable, VersionTable, decide_versions

from .measurement import Measurement, share
from .populations import GROUP_SIZES, number_groups

_SWING, _TIES = 0.5, 1 / 7
_POPULATIONS = ("60 groups of 1", "30 groups of 4", "10 groups of 4", "12 unequal groups")
_GAINS = (0.0, 0.3, 0.8)


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """By population and how far B is ahead: coverage, and how often B or A is called better."""
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    for name in _POPULATIONS:
        group = number_groups(GROUP_SIZES[name])
        number = np.arange(len(group))
        nothing = np.full(2 * len(group), np.nan)
        columns = np.repeat([0, 1], len(group)), np.tile(number, 2), np.tile(group, 2), nothing, nothing
        table = VersionTable(("A", "B"), *columns, text=np.arange(2 * len(group)))
        for gain in _GAINS:
            generator = np.random.default_rng([seed, len(group), round(10 * gain)])
            truth = (1 - _TIES) * float(np.tanh(gain + _SWING * points) @ weights / weights.sum())
            holds, better, worse = [], [], []
            for _ in range(repeats):
                ahead = np.tanh(gain + _SWING * generator.normal(size=group.max() + 1)[group])
                wins = np.where(generator.random(len(group)) < (1 + ahead) / 2, 1.0, -1.0)
                choice = np.where(generator.random(len(group)) < _TIES, 0.0, wins)
                asked = PreferenceTable(("A", "B"), 0 * number, 0 * number + 1, choice, number, group)
                decision = decide_versions(table, asked)
                [row] = decision.differences
                holds.append(row.low is not None and row.low <= truth <= row.high)
                better.append(decision.verdict == "ship")
                worse.append(decision.verdict == "keep")
            case = f"{name}, net share of wins {truth:.2f}"
            yield share(case, "95% interval holds it", holds, low=0.93)
            wrong = [b or w for b, w in zip(better, worse, strict=True)] if gain == 0 else worse
            yield share(case, "the wrong version is called better", wrong, high=0.05)
            if gain == max(_GAINS):
                yield share(case, "B is called better (power)", better)
