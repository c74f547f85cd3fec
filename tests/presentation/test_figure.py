"""How figures are written: by their kind, in one place, and so the same in a terminal, on pages and in Markdown."""

import html
import re

import pytest

from assay.eval_sets import ReadOptions
from assay.meta_eval import evaluate_table
from assay.meta_eval.report import render_report
from assay.presentation import (
    Column,
    Figure,
    ResultTable,
    TableCell,
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
    Results.from_store(store, run.id).save(tmp_path / "results.html")
    results = plain((tmp_path / "results.html").read_text(encoding="utf-8"))
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
        for shown in (terminal, results, markdown, web):
            assert mean in shown, summary.name
        with_interval = str(Figure("mean", metric.mean, metric.low, metric.high))
        assert with_interval in markdown and with_interval in web
        correlation = str(Figure.from_estimate("correlation", summary.correlation))
        assert correlation in terminal and correlation in results
    for agreement in evaluation.metrics:
        if agreement.spearman.low is not None:
            correlation = str(Figure.from_estimate("correlation", agreement.spearman))
            assert correlation in terminal and correlation in report
            assert str(Figure("p", agreement.p)) in report


def test_a_mean_of_ratings_is_shown_in_four_digits():
    assert str(Figure("rating", 7 / 3)) == "2.333"  # of ratings 2, 2 and 3
    assert [str(Figure("rating", rating)) for rating in (4.0, 2.5, 100.0, -2.0)] == ["4", "2.5", "100", "-2"]
