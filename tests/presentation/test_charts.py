"""Every chart with values that are constant, alone or negative: places in percent, labels that differ."""

import math
import re
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from assay.meta_eval import Estimate
from assay.presentation import axis_over, draw_band, draw_forest, draw_histogram, template_environment

SIZES = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-12, 1e-5, 1e5, -1e6])
VALUES = st.one_of(SIZES, st.floats(-1e6, 1e6), st.floats(0, 1))


@st.composite
def lists_of_values(draw: Any) -> list[float]:
    """Some values; one time in three the same value over and over, or with the noise of the computer's rounding."""
    values = draw(st.lists(VALUES, min_size=1, max_size=8))
    if draw(st.integers(0, 2)):
        return values
    return [math.nextafter(values[0], 0) if draw(st.booleans()) else values[0] for _ in values]


def check_axis(axis, values):
    assert axis.low < axis.high
    assert 2 <= len(axis.ticks) <= 20
    for value in values:
        assert 0 <= axis.percent(value) <= 100
    places, labels = zip(*axis.labels, strict=True)
    assert list(places) == sorted(set(places))
    assert len(set(labels)) == len(labels), labels
    assert max(map(len, labels)) <= 22
    for (_, label), tick in zip(axis.labels, axis.ticks, strict=True):
        assert float(label.replace(",", "")) == pytest.approx(tick, rel=1e-6, abs=1e-9 * (axis.high - axis.low))


@settings(max_examples=300)
@given(lists_of_values(), st.sampled_from([4, 5]))
@example([0.3, 0.1 + 0.2], 5)
@example([0.0, 5e-324], 5)
def test_an_axis_holds_any_values(values, about):
    axis = axis_over(values, about=about)
    check_axis(axis, values)
    for value in values:
        slack = 1e-6 * (axis.high - axis.low)
        assert axis.low - slack <= value <= axis.high + slack


@settings(max_examples=100)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6))
@example([1.0])
@example([-1.0, math.nextafter(-1, 0)])
def test_an_axis_of_correlations_stays_within_its_bounds(values):
    axis = axis_over(values, within=(-1, 1))
    check_axis(axis, values)
    assert -1 <= axis.low < axis.high <= 1


def check_drawing(package, template, call, **view):
    """Draws a chart with its template: every place is a finite number inside the plot."""
    environment = template_environment(f"assay.{package}")
    name = call.partition("(")[0]
    svg = environment.from_string(f'{{% from "{template}" import {name} %}}{{{{ {call} }}}}').render(**view)
    assert not re.search(r"\b(?:nan|inf|None)\b", svg), svg
    for place in re.findall(r'\b(?:x|y|x1|x2|y1|y2|cx|cy|width|height)="([^"%]*)%"', svg):
        assert 0 <= float(place) <= 100, svg
    for points in re.findall(r'points="([^"]*)"', svg):
        assert all(0 <= float(place) <= 100 for pair in points.split() for place in pair.split(","))


def estimates(values):
    return [Estimate(value, min(values), max(values)) if n % 2 else Estimate(value) for n, value in enumerate(values)]


@settings(max_examples=100)
@given(lists_of_values())
def test_a_band_of_any_values(values):
    began = datetime(2026, 11, 1, 5, 8)
    band = draw_band("m", [(began + timedelta(days=n), one, "") for n, one in enumerate(estimates(values))])
    assert band is not None
    for point in band.points:
        assert all(0 <= place <= 100 for place in (point.x, point.y, point.low, point.high) if place is not None)
    check_drawing("presentation", "charts.html", "band_chart(chart)", chart=band)


@settings(max_examples=100)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6), st.one_of(st.none(), st.floats(-1, 1)))
def test_a_forest_of_any_correlations(values, ceiling):
    forest = draw_forest([("m", "metric", one, "") for one in estimates(values)], within=(-1, 1), ceiling=ceiling)
    assert len(forest.marks) == len(values)
    for mark in forest.marks:
        assert all(0 <= place <= 100 for place in (mark.at, mark.low, mark.high) if place is not None)
    check_drawing("presentation", "charts.html", "forest_chart(chart)", chart=forest)


@settings(max_examples=100)
@given(lists_of_values())
def test_a_histogram_of_any_values(values):
    axis = axis_over(values, about=4)
    places = [axis.percent(value) for value in values]
    histogram = draw_histogram("m", axis, {place: places.count(place) for place in places})
    assert sum(count for *_, count in histogram.bars) == len(values)
    assert all(0 <= place < 100 and 0 < height <= 100 for place, _, height, _ in histogram.bars)
    assert draw_histogram("m", axis, {}).bars == ()
    check_drawing("presentation", "charts.html", "histogram_chart(chart)", chart=histogram)


def test_charts_of_thousands_of_points():
    draw = np.random.default_rng(3)
    for values in (draw.normal(size=2000), np.full(2000, 0.3), np.full(2000, 0.3) + draw.choice([0, 1e-16], 2000)):
        test_a_band_of_any_values.hypothesis.inner_test(values.tolist())
        test_a_histogram_of_any_values.hypothesis.inner_test(values.tolist())


def test_nightly_runs_of_one_day_are_told_apart():
    moments = [datetime(2026, 11, 23, hour) for hour in (5, 8, 11)]
    band = draw_band("m", [(moment, Estimate(0.5), "") for moment in moments])
    assert band is not None
    assert [text for _, text in band.labels] == ["11-23 05:00", "11-23 07:00", "11-23 09:00", "11-23 11:00"]
