"""The site of nightly runs can be read at every width, in light and dark, and nothing in it links or runs."""

import re

import pytest

from assay.runs import GateResult, MetricReport, NightlyRunRow, RunReport, SampleReport, write_site
from assay.runs.suite import NightlyReport

# the contrast of each text with the page behind it, as WCAG 2 defines it
CONTRASTS = """() => {
  const luminance = color => {
    const parts = color.match(/[\\d.]+/g).slice(0, 3).map(Number).map(part => part / 255)
      .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const page = luminance(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll("h1, h2, p, a, td, td span, svg text")].map(element => {
    const style = getComputedStyle(element);
    const text = luminance(element.namespaceURI.endsWith("svg") ? style.fill : style.color);
    return (Math.max(text, page) + 0.05) / (Math.min(text, page) + 0.05);
  });
}"""


def nightly_row(number):
    answer = "You **cannot** do that.\n\n- " + "Donaudampfschiffahrtsgesellschaftskapitaen" * 3
    sample = SampleReport(
        sample="s" * 60, metric="rouge_l_precision", before=0.9, now=0.1, question="May I? " * 20, answer=answer,
        reason="2 of 10 tokens are in the context in this order",
    )  # fmt: skip
    metric = MetricReport(
        metric="rouge_l_precision", asked=True, n=60, scored=60, skipped=0, failed=0, mean=0.5, low=0.4, high=0.6,
        change=-0.1, change_low=-0.2, change_high=-0.05, change_p=0.004,
    )  # fmt: skip
    run = RunReport(
        run="20261122-050838-f793", judge="openai/gpt-4o-mini", status="done", samples=60, failed_samples=0,
        first_failure="", accepted=None, compared_with=None, metrics=(metric,), changed=(sample,),
        newly_failing=(sample,),
    )  # fmt: skip
    states = ("passed", "failed", "undecided", "no baseline")
    gates = tuple(
        GateResult(
            gate="mean",
            name="mean",
            judge=run.judge,
            metric=metric.metric,
            state=state,
            value=0.5,
            bound=0.4,
            reason="why " * 40,
        )
        for state in states
    )
    report = NightlyReport(
        suite="helpdesk", nightly_run=f"nightly-2026112{number}-050837", began=f"2026-11-2{number}T05:08:37+00:00",
        status="done", verdict="gate failed", runs=(run,), gates=gates,
    )  # fmt: skip
    return NightlyRunRow(str(report.nightly_run), "helpdesk", report.began, report.verdict, report.as_json())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, "helpdesk", [nightly_row(number) for number in (3, 2, 1)], {"20261122-050838-f793"})
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", ["index", "nightly-20261123-050837"])
def test_a_page_fits_its_window_and_can_be_read(browser, site, page, width, scheme):
    view = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    view.goto((site / f"{page}.html").as_uri())
    assert view.evaluate("document.scrollingElement.scrollWidth") <= width
    clipped = "[...document.querySelectorAll('td, th')].filter(cell => cell.scrollWidth > cell.clientWidth + 1).length"
    assert view.evaluate(clipped) == 0
    assert min(view.evaluate(CONTRASTS)) >= 4.5
    view.close()


def test_axis_and_points_of_a_trend_have_the_same_marks(tmp_path, monkeypatch):
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    write_site(tmp_path, "helpdesk", [nightly_row(number) for number in (3, 2, 1)], set())
    chart = (tmp_path / "index.html").read_text(encoding="utf-8").partition("<svg")[2].partition("</figure>")[0]
    texts = re.findall(r">([^<>]*\d[.,]\d[^<>]*)<", chart)
    assert sum("0,50 [0,40; 0,60]" in text for text in texts) == 3
    assert any(re.fullmatch(r"0,\d+", text) for text in texts) and not any(re.search(r"\d\.\d", text) for text in texts)
