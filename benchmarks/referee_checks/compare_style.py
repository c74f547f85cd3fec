"""`assay show changes` and `assay decide`: raters like B better only where ratings say so, not where a metric does."""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval.decision import Decision, VersionTable, decide_versions

from .measurement import Measurement, share
from .populations import GROUP_SIZES, clustered_normal, follow, mean_rating, number_groups, rate

_STYLE = 0.8  # how much the metric likes the longer answers of B, in standard deviations; raters do not
_FALL, _GAIN = -0.3, 0.5
_SIZES = {
    "120 groups of 1": [1] * 120,
    "40 groups of 4": [4] * 40,
    "10 groups of 12": [12] * 10,
    "12 unequal groups, twice": [2 * size for size in GROUP_SIZES["12 unequal groups"]],
}
_RATED = 40


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Yields what is said of the raters, where the metric likes a style of B that they do not."""
    for name, sizes in _SIZES.items():
        for case, gain in (("B has only the style", 0.0), ("B has the style and is worse", _FALL)):
            results = [_compare(sizes, gain, seed, repeat) for repeat in range(repeats)]
            described = f"{name}, {case}"
            yield share(described, "'your raters rate B higher'", [one.verdict == "ship" for one in results], high=0.05)
            yield share(described, "interval holds the difference", _holds(results, gain), low=0.93)
        better = [_compare(sizes, _GAIN, seed, repeat) for repeat in range(repeats)]
        found = [one.verdict == "ship" for one in better]
        yield share(f"{name}, B is better by .5", "'your raters rate B higher' (power)", found, low=0.2)
    unrated = [_compare(_SIZES["40 groups of 4"], 0.0, seed, repeat, rated=0) for repeat in range(min(repeats, 50))]
    claims = [one.verdict != "unsettled" for one in unrated]
    yield share("40 groups of 4, nothing is rated", "anything is said of the raters", claims, high=0.0)


def _compare(sizes: list[int], gain: float, seed: int, repeat: int, *, rated: int = _RATED) -> Decision:
    """Two runs: B's answers better by `gain` standard deviations, and in a style that the metric likes."""
    generator = np.random.default_rng([seed, repeat, len(sizes)])
    groups = number_groups(sizes)
    question, *own, noise_a, noise_b = clustered_normal(generator, groups, 5, 0.3).T
    latent = [np.sqrt(0.5) * (question + of_answer) for of_answer in own]
    latent[1] = latent[1] + gain
    scores = follow(latent[0], noise_a, 0.6), follow(latent[1], noise_b, 0.6) + _STYLE
    ratings = rate(latent[0]), rate(latent[1])
    order = generator.permutation(len(groups))
    for of_run in ratings:
        of_run[order[rated:]] = np.nan
    number = np.tile(np.arange(len(groups)), 2)
    version, text = np.repeat([0, 1], len(groups)), np.arange(2 * len(groups))
    columns = version, number, np.tile(groups, 2), np.concatenate(scores), np.concatenate(ratings)
    return decide_versions(VersionTable(("A", "B"), *columns, text))


def _holds(results: list[Decision], gain: float) -> list[bool]:
    truth = mean_rating(gain) - mean_rating(0.0)
    intervals = [(one.differences[0].low, one.differences[0].high) for one in results]
    return [low <= truth <= high for low, high in intervals if low is not None and high is not None]
