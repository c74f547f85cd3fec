"""Which metric picks the better version: no call is made of versions that are alike, and of others many are.

Groups share a part of how well a version answers. The metric follows the rating.
"""

from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import ScoreTable, VersionAgreement, version_agreement

from .measurement import Measurement, share
from .populations import number_groups

_SIZES = {"7 groups of 3 to 29": [3, 4, 6, 8, 10, 15, 29], "40 groups of 1": [1] * 40}
_FOLLOWS = 0.6


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Yields how often the raters and the metric tell apart versions that are alike, and others."""
    for size, sizes in _SIZES.items():
        alike, apart = (
            [_agree(_draw(np.random.default_rng([seed, place]), sizes, [0.0, better])) for place in range(repeats)]
            for better in (0.0, 0.6)
        )
        yield share(f"{size}, 2 versions alike", "the raters call one better", map(_is_told, alike), high=0.05)
        called = [one.metrics[0].calls > 0 for one in alike]
        yield share(f"{size}, 2 versions alike", "the metric calls one better", called, high=0.05)
        yield share(f"{size}, 2 versions 0.6 apart", "the raters call one better", map(_is_told, apart), low=0.3)
        right = [one.metrics[0].ordered == 1 for one in apart]
        yield share(f"{size}, 2 versions 0.6 apart", "the metric orders them as the raters", right, low=0.8)


def _is_told(agreement: VersionAgreement) -> bool:
    """Whether the raters' test tells the two versions apart."""
    p = agreement.pairs[0].p
    return p is not None and p <= 0.05


def _agree(table: ScoreTable) -> VersionAgreement:
    result = version_agreement(table, measure="m0")
    assert result is not None
    return result


def _draw(random: np.random.Generator, sizes: list[int], quality: list[float]) -> ScoreTable:
    """Ratings and scores of all versions on the same questions."""
    group = number_groups(sizes)
    questions, versions = len(group), len(quality)

    def vary(of_group: float, own: float, columns: int) -> np.ndarray:
        shared = of_group * random.normal(size=(len(sizes), columns))[group]
        return np.asarray(shared + own * random.normal(size=(questions, columns)))

    ratings = 3 + np.array(quality) + vary(0.5, 0.5, 1) + vary(0.4, 0.7, versions)
    scores = _FOLLOWS * ratings + vary(0.3, 0.8, versions)
    return ScoreTable(
        tuple(f"{question}-{version}" for question in range(questions) for version in range(versions)),
        ("m0",),
        scores.ravel()[:, None],
        ratings.ravel()[:, None],
        rating_min=-20,
        rating_max=20,
        groups=tuple(np.repeat(group, versions).astype(str).tolist()),
        versions=tuple(f"v{version}" for version in range(versions)) * questions,
        questions=tuple(str(question) for question in range(questions) for _ in range(versions)),
    )
