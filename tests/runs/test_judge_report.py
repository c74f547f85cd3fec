"""The comparison of judges as a page: its tables, and that names stay text."""

import html
import re
from dataclasses import replace

import pytest

from assay.errors import InputError
from assay.meta_eval import Comparison, Estimate, find_standing
from assay.presentation import Paragraph
from assay.runs import JudgeComparison, JudgeFindings, Panel
from assay.runs.judging import comparison_report

HOSTILE = "</style><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">\u202e"


def estimate_with_interval(rho):
    return Estimate(rho, rho - 0.2, rho + 0.2, n=60, groups=15, p=0.01)


def judge(name, rho, usd):
    return JudgeFindings(name, 60, 0.0, estimate_with_interval(rho), 1e6, usd, 100.0)


def compared(*judges, panels=(), unit="usd"):
    return JudgeComparison("faithfulness", unit, judges, (), panels, "buy the best")


@pytest.fixture(scope="module")
def page():
    panel = Panel("mean", estimate_with_interval(0.4), 2e6)
    comparison = compared(judge(HOSTILE, 0.3, None), judge("b", 0.5, None), panels=(panel,), unit="tokens")
    return comparison_report(comparison, [HOSTILE]).render()


def test_names_stay_text_and_nothing_is_fetched(page):
    assert "<script" not in page and "<img" not in page and "\u202e" not in page
    assert page.count("</style>") == 1
    assert not re.search(r"(?:src|href)\s*=", page.replace("&lt;img src=", ""))
    assert not re.search(r"\sstyle=", page)  # the policy would refuse it
    assert re.search(r"default-src 'none'.*style-src 'sha256-[\w+/]+=*'", html.unescape(page))
    assert "script-src" not in page


def test_a_page_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        comparison_report(compared(judge("a", 0.3, 1.0), judge("b", 0.4, 2.0)), ["s"]).write(tmp_path / "no" / "x.html")


@pytest.mark.parametrize("width", [1200, 375])
def test_a_browser_draws_it(browser, page, tmp_path, width):
    path = tmp_path / "judges.html"
    path.write_text(page, encoding="utf-8")
    shown = browser.new_page(viewport={"width": width, "height": 900})
    complaints = []
    shown.on("console", lambda message: complaints.append(message.text))
    shown.on("request", lambda sent: complaints.append(sent.url) if not sent.url.startswith("file:") else None)
    shown.goto(path.as_uri())
    assert shown.title() == "Assay: judges compared"
    assert shown.locator("tbody tr").count() == 2
    assert shown.get_by_text("All judges together, mean: agreement +0.40").count() == 1
    sizes = shown.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert sizes[0] == sizes[1]  # nothing pushes the page wider than the screen
    assert complaints == []


@pytest.mark.parametrize(
    ("difference", "line"),
    [
        ((0.30, 0.20, 0.40), "one agrees better than two: +0.30 (likely +0.20 to +0.40), on 60 answers."),
        ((-0.30, -0.40, -0.20), "one agrees worse than two: -0.30 (likely -0.40 to -0.20), on 60 answers."),
        ((0.01, -0.03, 0.05), "one does as well as two, within 0.10: +0.01 (likely -0.03 to +0.05), on 60 answers."),
    ],
)
def test_two_judges_stand_beside_each_other_in_the_words_of_the_advice(difference, line):
    between = Estimate(*difference, n=60, groups=60)
    pair = Comparison("one", "two", 60, None, None, between, 0.1, find_standing(between))
    comparison = replace(
        compared(judge("one", 0.5, 0.1), judge("two", 0.2, 0.1)),
        pairs=(pair,),
    )
    parts = [part for block in comparison_report(comparison, ["s"]).blocks for part in block.parts]
    assert [part.text for part in parts if isinstance(part, Paragraph)] == [
        line,
        "Not settled: no agreement with ratings can be compared with that of one.",
    ]
