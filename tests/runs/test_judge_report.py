"""The comparison of judges as a page: its tables, and that names stay text."""

import html
import re

import pytest

from assay.errors import InputError
from assay.eval_sets import Sample
from assay.judges import Usage
from assay.metrics import Score
from assay.runs import JudgeScores, compare_judges
from assay.runs.judging import comparison_report

HOSTILE = "</style><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">\u202e"


SAMPLES = [
    Sample(id=f"s{number}", user_input="q", response="a", rating=1 + number % 5, group=f"g{number}")
    for number in range(20)
]


def compared(*names):
    """The report of judges that score as the ratings are."""
    scores = {sample.id: Score(sample.rating, "scored", "", {}, Usage(1, 0, 10)) for sample in SAMPLES}
    comparison = compare_judges("faithfulness", SAMPLES, [JudgeScores(name, scores, 1) for name in names])
    return comparison_report(comparison, [HOSTILE])


@pytest.fixture(scope="module")
def page():
    return compared(HOSTILE, "b").render()


def test_names_stay_text_and_nothing_is_fetched(page):
    assert "<script" not in page and "<img" not in page and "\u202e" not in page
    assert page.count("</style>") == 1
    assert not re.search(r"(?:src|href)\s*=", page.replace("&lt;img src=", ""))
    assert not re.search(r"\sstyle=", page)  # the policy would refuse it
    assert re.search(r"default-src 'none'.*style-src 'sha256-[\w+/]+=*'", html.unescape(page))
    assert "script-src" not in page


def test_a_page_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        compared("a", "b").write(tmp_path / "no" / "x.html")


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
    assert shown.get_by_text("All judges together, mean: agreement +1.00").count() == 1
    sizes = shown.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert sizes[0] == sizes[1]  # nothing pushes the page wider than the screen
    assert complaints == []
