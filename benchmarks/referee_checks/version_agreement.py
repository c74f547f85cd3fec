"""Which metric picks the better version: the interval of soft pairwise accuracy holds, and no call is made of noise.

Groups share a part of how well a version answers. The metric follows the rating, or also favours the first version.
"""

from collections.abc import Iterator
from dataclasses import replace

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import MetricVersions, ScoreTable, version_agreement

from .measurement import Measurement, share
from .populations import number_groups

_SIZES = {"7 groups of 3 to 29": [3, 4, 6, 8, 10, 15, 29], "40 groups of 1": [1] * 40}
_VERSIONS = {
    "2 versions 0.3 apart": [0.0, 0.3],
    "3 versions alike": [0.0, 0.0, 0.0],
    "5 versions 0.2 apart": [0.0, 0.2, 0.4, 0.6, 0.8],
}
_FAVOURS = {"follows the rating": 0.0, "favours the first": 0.5}
_FOLLOWS, _SPREAD = 0.6, 0.35
_SWAPS = 200


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Yields how often the interval holds, and how often versions and metrics that are alike are told apart."""
    for size, sizes in _SIZES.items():
        for versions, quality in _VERSIONS.items():
            for metric, favour in _FAVOURS.items():
                random = np.random.default_rng(seed)
                accuracies = [_agree(_draw(random, sizes, quality, favour))[0].soft for _ in range(repeats)]
                truth = float(np.mean([one.value for one in accuracies]))
                holds = [one.low is not None and one.low <= truth <= (one.high or 0.0) for one in accuracies]
                yield share(f"{size}, {versions}, {metric}", "95% interval of the accuracy holds it", holds, low=0.93)
        random = np.random.default_rng([seed, 1])
        called = [_agree(_draw(random, sizes, [0.0, 0.0]))[0].calls > 0 for _ in range(repeats)]
        yield share(f"{size}, 2 versions alike", "one is called better", called, high=0.05)
        equal = [_agree(_draw(random, sizes, [0.0, 0.3], metrics=2))[1].p for _ in range(repeats)]
        differ = [p is not None and p <= 0.05 for p in equal]
        yield share(f"{size}, 2 metrics that follow the rating", "p <= .05 of their difference", differ, high=0.05)
        yield _false_winners(size, sizes, repeats, seed)


def _false_winners(size: str, sizes: list[int], repeats: int, seed: int) -> Measurement:
    """How often the interval of the share of false winners holds that over new versions, some of them favoured."""
    random = np.random.default_rng([seed, 2])
    called = []
    for _ in range(repeats):
        table = _draw(random, sizes, (_SPREAD * random.normal(size=3)).tolist())
        favours = np.tile(_SPREAD * random.normal(size=3), len(table.items) // 3)
        metric = _agree(replace(table, scores=table.scores + favours[:, None]))[0]
        if metric.calls:
            called.append(metric)
    truth = sum(len(one.contrary) for one in called) / sum(one.calls for one in called)
    holds = [(one.false_rate.low or 0.0) <= truth <= (one.false_rate.high or 0.0) for one in called]
    return share(
        f"{size}, 3 versions, one metric", "95% interval of the false winners' share holds it", holds, low=0.93
    )


def _agree(table: ScoreTable) -> tuple[MetricVersions, ...]:
    """The metrics between the versions, with as few swaps as a simulation needs."""
    result = version_agreement(table, measure="m0", permutations=_SWAPS)
    assert result is not None
    return result.metrics


def _draw(
    random: np.random.Generator, sizes: list[int], quality: list[float], favour: float = 0.0, *, metrics: int = 1
) -> ScoreTable:
    """Ratings and scores of all versions on the same questions."""
    group = number_groups(sizes)
    questions, versions = len(group), len(quality)

    def vary(of_group: float, own: float, columns: int) -> np.ndarray:
        shared = of_group * random.normal(size=(len(sizes), columns))[group]
        return np.asarray(shared + own * random.normal(size=(questions, columns)))

    ratings = 3 + np.array(quality) + vary(0.5, 0.5, 1) + vary(0.4, 0.7, versions)
    favours = favour * (np.arange(versions) == 0)
    scores = [_FOLLOWS * ratings + favours + vary(0.3, 0.8, versions) for _ in range(metrics)]
    return ScoreTable(
        tuple(f"{question}-{version}" for question in range(questions) for version in range(versions)),
        tuple(f"m{number}" for number in range(metrics)),
        np.column_stack([column.ravel() for column in scores]),
        ratings.ravel()[:, None],
        rating_min=-20,
        rating_max=20,
        groups=tuple(np.repeat(group, versions).astype(str).tolist()),
        versions=tuple(f"v{version}" for version in range(versions)) * questions,
        questions=tuple(str(question) for question in range(questions) for _ in range(versions)),
    )
