"""The mean of many values with an interval over groups."""

import numpy as np
import pytest

from assay.meta_eval.estimate import estimate, estimate_mean


def test_resampling_sums_of_groups_gives_what_resampling_items_gives() -> None:
    generator = np.random.default_rng(0)
    values, groups = generator.random(300), [f"g{number % 60 % 37}" for number in range(300)]
    by_items = estimate(lambda weights: values @ weights / weights.sum(axis=0), groups)
    by_groups = estimate_mean(values, groups)
    assert (by_groups.n, by_groups.groups) == (by_items.n, by_items.groups) == (300, 37)
    assert (by_groups.value, by_groups.low, by_groups.high) == pytest.approx(
        (by_items.value, by_items.low, by_items.high)
    )


def test_many_groups_have_the_normal_interval_over_groups() -> None:
    """10,000 groups of two equal items, half of the groups 0 and half 1: the error is .5 / sqrt(9,999)."""
    values = [float(number % 2) for number in range(10_000) for _ in range(2)]
    groups = [str(number) for number in range(10_000) for _ in range(2)]
    mean = estimate_mean(values, groups)
    assert (mean.value, mean.n, mean.groups) == (0.5, 20_000, 10_000)
    assert mean.low == pytest.approx(0.5 - 1.959964 * 0.5 / 9_999**0.5)
    assert mean.high == pytest.approx(0.5 + 1.959964 * 0.5 / 9_999**0.5)


def test_the_normal_interval_is_the_bootstraps_where_both_are_possible() -> None:
    generator = np.random.default_rng(1)
    sizes = generator.integers(1, 5, 5_001)
    groups = [str(group) for group, size in enumerate(sizes) for _ in range(size)]
    values = np.repeat(generator.random(5_001), sizes) ** 2
    resampled = estimate(lambda weights: values @ weights / weights.sum(axis=0), groups, resamples=400)
    normal = estimate_mean(values, groups)
    width = normal.high - normal.low
    assert resampled.low == pytest.approx(normal.low, abs=0.15 * width)
    assert resampled.high == pytest.approx(normal.high, abs=0.15 * width)
