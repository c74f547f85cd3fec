"""How figures are written, by their kind, in one place; and charts with values that are constant, alone or negative."""

import html
import math
import re
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from assay.eval_sets import ReadOptions
from assay.meta_eval import Estimate, evaluate_table
from assay.meta_eval.report import render_report
from assay.presentation import (
    Column,
    Figure,
    ResultTable,
    TableCell,
    axis_over,
    draw_band,
    draw_forest,
    format_cost,
    format_p,
    format_price,
    template_environment,
    typeset,
)
from assay.runs import (
    AnswerTable,
    Results,
    RunReport,
    Store,
    compute_figures,
    join_scores,
    report_table,
    summary_markdown,
)
from assay.runs.suite import NightlyReport


@pytest.mark.parametrize(
    ("kind", "value", "low", "high", "text"),
    [
        ("mean", 0.4567, None, None, "0.46"),
        ("mean", 3.456, 3.25, 3.754, "3.46 [3.25, 3.75]"),
        ("value", 0.4567, None, None, "0.457"),
        ("change", -0.0521, -0.1, 0.02, "-0.052 [-0.100, +0.020]"),
        ("correlation", 0.519, 0.38, 0.63, "+0.52 [+0.38, +0.63]"),
        ("correlation", -0.004, None, None, "+0.00"),
        ("rho", -0.004, None, None, "0.00"),
        ("share", 0.256, 0.1, 1.0, "26% [10%, 100%]"),
        ("rate", 0.0125, None, None, "1.2%"),
        ("p", 0.0312, None, None, "0.031"),
        ("p", 0.00099, None, None, "<0.001"),
        ("count", 326878.0, None, None, "326,878"),
        ("usd", None, None, None, "unknown"),
        ("rating", 4.0, None, None, "4"),
        ("rating", 4.5, None, None, "4.5"),
        ("mean", 1e99, None, None, "1e+99"),
        ("change", -1.234e99, None, None, "-1.23e+99"),
        ("count", 999_999_999_999.0, None, None, "999,999,999,999"),
        ("mean", None, None, None, "-"),
    ],
)
def test_a_figure_is_written_by_its_kind(kind, value, low, high, text):
    assert str(Figure(kind, value, low, high)) == text


def test_a_figure_says_why_it_has_no_value_or_no_interval():
    assert str(Figure("correlation", None, problem="all values are equal")) == "none: all values are equal"
    assert str(Figure("correlation", 0.5, problem="too few groups")) == "+0.50 (too few groups)"


def test_a_page_has_real_signs_and_else_the_same_text():
    assert typeset(Figure("change", -0.05, -0.1, 0.02)) == "−0.050 [−0.100, +0.020]"
    assert typeset(Figure("mean", None)) == "–"
    assert typeset("qwen-1.5b") == "qwen-1.5b"  # a hyphen in a name is no sign


def test_every_figure_of_a_page_has_the_marks_of_its_reader(monkeypatch):
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    assert typeset(Figure("change", -0.05, -0.1, 0.02)) == "−0,050 [−0,100; +0,020]"
    assert typeset(Figure("change", -0.05, -0.1, 0.02), "en") == "−0.050 [−0.100, +0.020]"
    assert typeset("qwen-1.5b") == "qwen-1.5b"


@pytest.mark.parametrize("cards", [False, True])
def test_a_name_in_a_head_stays_as_it_is(cards, monkeypatch):
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    columns = (Column("version", "name"), Column("llm 1.3"))
    table = ResultTable("", columns, ((TableCell("1.2"), Figure("mean", 0.3)),))
    template = '{% from "tables.html" import result_table %}{{ result_table(table, cards=cards) }}'
    page = template_environment().from_string(template).render(table=table, cards=cards)
    assert "llm 1.3" in page and "llm 1,3" not in page and "0,30" in page


def test_money_and_p_values_in_sentences():
    assert (format_cost(0.01234), format_cost(None)) == ("0.0123 USD", "unknown")
    assert (format_price(0.424, "usd"), format_price(12000, "tokens")) == ("0.42 USD", "12,000 tokens")
    assert (format_p(0.0004), format_p(0.0312)) == ("p < 0.001", "p = 0.031")


def test_texts_in_a_table_stay_texts_on_a_page():
    """The texts of every kind of column are escaped, and so are notes, links and heads."""
    hostile = "<script>alert(1)</script>\"'>"
    columns = tuple(Column(hostile, kind) for kind in ("name", "text", "prose", "markdown", "figure", "estimate"))
    cells = (
        hostile,
        TableCell(hostile, "better", note=hostile),
        TableCell(hostile, link=f"/run/{hostile}"),
        *[hostile] * 3,
    )
    table = ResultTable(hostile, columns, (cells,), note=hostile)
    template = '{% from "tables.html" import result_table %}{{ result_table(table, cards=true, caption=true) }}'
    page = template_environment().from_string(template).render(table=table)
    assert "<script" not in page
    assert page.count("alert(1)") >= 2 * len(cells)
    assert not re.search(r"""(?:href|data-label)="[^"]*[<>][^"]*\"""", page)


def plain(page):
    """The texts of a page as a terminal writes them: no tags, entities, real minus signs or dashes."""
    text = html.unescape(re.sub(r"\s*<[^>]*>\s*", " ", re.sub(r"<wbr>", "", page)))
    return " ".join(text.replace("−", "-").replace("–", "-").split())


def test_one_runs_figures_look_the_same_everywhere(assay, set_file, tmp_path):
    """The mean and the correlation of a metric, in the terminal, the HTML report, the Markdown and on the web page."""
    done = assay("run", set_file(24), "--metrics", "token_overlap,rouge_l_precision")
    store = Store(tmp_path / ".assay")
    run = store.run("last")
    summaries = Results.from_store(store, run.id).summary()
    metrics = compute_figures(store, run.id).metrics
    joined = join_scores(store.database, [AnswerTable.read(store, run, ("usage",))], (), None, ReadOptions())
    evaluation = evaluate_table(joined.table, permutations=200, repeats=1)
    report = plain(render_report(evaluation, joined, lambda _: None))
    terminal = " ".join(done.out.split()) + " ".join(
        assay("meta", "last", "--bootstrap", "200", "--repeats", "1").out.split()
    )
    nightly = NightlyReport(
        suite="s",
        nightly_run="n",
        began="2026-01-01",
        status="done",
        verdict="passed",
        runs=(
            RunReport(
                run=run.id,
                judge="no judge",
                status="done",
                samples=24,
                failed_samples=0,
                first_failure="",
                accepted=None,
                compared_with=None,
                metrics=metrics,
            ),
        ),
    )
    markdown = summary_markdown(nightly)
    template = '{% from "tables.html" import result_table %}{{ result_table(table, cards=true) }}'
    web = plain(template_environment().from_string(template).render(table=report_table("", metrics)))
    for summary, metric in zip(summaries, metrics, strict=True):
        mean = str(Figure("mean", summary.mean))
        for shown in (terminal, markdown, web):
            assert mean in shown, summary.name
        with_interval = str(Figure("mean", metric.mean, metric.low, metric.high))
        assert with_interval in markdown and with_interval in web
        correlation = str(Figure.from_estimate("correlation", summary.correlation))
        assert correlation in terminal
    for agreement in evaluation.metrics:
        if agreement.spearman.low is not None:
            correlation = str(Figure.from_estimate("correlation", agreement.spearman))
            assert correlation in terminal and correlation in report
            assert str(Figure("p", agreement.p)) in report


def test_a_mean_of_ratings_is_shown_in_four_digits():
    assert str(Figure("rating", 7 / 3)) == "2.333"  # of ratings 2, 2 and 3
    assert [str(Figure("rating", rating)) for rating in (4.0, 2.5, 100.0, -2.0)] == ["4", "2.5", "100", "-2"]


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


def test_charts_of_thousands_of_points():
    draw = np.random.default_rng(3)
    for values in (draw.normal(size=2000), np.full(2000, 0.3), np.full(2000, 0.3) + draw.choice([0, 1e-16], 2000)):
        test_a_band_of_any_values.hypothesis.inner_test(values.tolist())


def test_nightly_runs_of_one_day_are_told_apart():
    moments = [datetime(2026, 11, 23, hour) for hour in (5, 8, 11)]
    band = draw_band("m", [(moment, Estimate(0.5), "") for moment in moments])
    assert band is not None
    assert [text for _, text in band.labels] == ["11-23 05:00", "11-23 07:00", "11-23 09:00", "11-23 11:00"]
