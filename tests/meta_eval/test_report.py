"""The report as a file and in a real browser: it renders, hostile answers stay text."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tables_of_scores import table_of

from assay.eval_sets import Item, ReadOptions, ScoreSource
from assay.meta_eval import (
    AnswerEvidence,
    JoinedScores,
    MetricEvidence,
    evaluate_table,
    join_sources,
    worst_disagreements,
)
from assay.meta_eval.report import render_report, report_blocks
from assay.presentation import Paragraph

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


@pytest.fixture(scope="module")
def joined() -> JoinedScores:
    """80 answers in 40 groups: `good` follows the rating, `noise` does not; two raters; texts that attack the page."""
    generator = np.random.default_rng(7)
    rating = generator.integers(1, 6, 80)
    places = range(80)
    items = tuple(
        Item(f"a{n}", f"row {n}", f"Question {n} {HOSTILE}", f"Answer {n} {HOSTILE}", (HOSTILE,), {
            "group": str(n // 2), "message_type": ["binary", "instruction", HOSTILE][n % 3]})
        for n in places
    )  # fmt: skip
    good = rating + generator.normal(0, 1, 80)
    noise = generator.normal(0, 1, 70)
    columns = {"good": dict(enumerate(good.tolist())), "noise<b>": dict(enumerate(noise.tolist()))}
    scores = ScoreSource("s", items, columns)
    other = np.clip(rating + generator.integers(-1, 2, 80), 1, 5)
    ratings = ScoreSource("r", items, {
        "an": {n: float(rating[n]) for n in places}, "bo": {n: float(other[n]) for n in places}})  # fmt: skip
    return join_sources([scores], ratings, ReadOptions())


@pytest.fixture(scope="module")
def page(joined: JoinedScores) -> str:
    evaluation = evaluate_table(joined.table, permutations=200, repeats=1)
    return render_report(evaluation, joined, evidence_of_item)


def evidence_of_item(item: str) -> AnswerEvidence:
    claims = [{"text": HOSTILE, "verdict": "not_found", "probability": 0.25, "reason": HOSTILE, "quote": HOSTILE}]
    audit = MetricEvidence("good", 0.5, "scored", HOSTILE, {"claims": claims, HOSTILE: [HOSTILE, 1]})
    return AnswerEvidence(item, f"Question {HOSTILE}", f"Answer \x07\u202e {HOSTILE}", (HOSTILE,), (audit,))


def test_a_page_holds_only_its_own_script_and_nothing_from_the_network(page):
    assert page.count("<script") == 1
    assert "<img" not in page
    assert not re.search(r"(?:src|href)\s*=", page.replace("&lt;img src=", ""))
    assert re.search(r"""default-src 'none'.*script-src 'sha256-[\w+/]+=*'""", html.unescape(page))
    assert not re.search(r"\sstyle=", page)  # the policy would refuse it
    assert "\x07" not in page
    assert "\u202e" not in page


def test_every_part_of_the_evaluation_is_in_the_page(page):
    shown = set(re.findall(r'<section id="(\w+)"', page))
    assert shown == {"metrics", "combinations", "triage", "disagreements", "raters", "slices", "settings"}


def test_the_page_shows_every_sentence_and_row_that_the_terminal_prints(joined, page):
    """Beside the verdict, which a page lays out itself, nothing stands in a terminal only."""
    evaluation = evaluate_table(joined.table, permutations=200, repeats=1)
    blocks = report_blocks(evaluation, joined)
    names = "verdict metrics raters rater-tables pass-fail combinations comparisons slices triage"
    assert " ".join(blocks) == names
    assert evaluation.selection is not None
    chosen = evaluation.selection.chosen.metrics
    whole = [f"The chosen combination: {', '.join(chosen)}."] if len(chosen) > 1 else []
    texts = [part.text for part in blocks["combinations"].parts if isinstance(part, Paragraph)]
    assert [text for text in texts if text.startswith("The chosen")] == whole
    shown = "".join(html.unescape(re.sub(r"<[^>]+>", "", page)).replace("−", "-").split())
    for name, block in blocks.items():
        for part in block.parts if name != "verdict" else ():
            texts = [part.text] if isinstance(part, Paragraph) else [str(row[0]) for row in part.rows]
            assert [text for text in texts if "".join(text.split()) not in shown] == []


def test_worst_disagreements_by_hand():
    table = table_of({}, [1, 5, 3], attributes={"message_type": ("x", "y", "")})
    over, under = worst_disagreements(table, {"i0": 4.0, "i1": 2.0, "i2": 3.5})
    assert [(each.item, each.gap) for each in over] == [("i0", 3.0), ("i2", 0.5)]
    assert [(each.item, each.gap, each.labels) for each in under] == [("i1", -3.0, ("y",))]


@pytest.fixture(params=[1200, 375], ids=["desktop", "phone"])
def opened(browser: Any, page: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    shown = browser.new_page(viewport={"width": request.param, "height": 900})
    shown.complaints = []
    shown.on("console", lambda message: shown.complaints.append(message.text))
    shown.on("pageerror", lambda error: shown.complaints.append(str(error)))
    shown.on("request", lambda sent: shown.complaints.append(sent.url) if not sent.url.startswith("file:") else None)
    shown.goto(path.as_uri())
    yield shown
    shown.close()


def test_a_browser_shows_it_and_runs_no_script_of_an_answer(opened):
    opened.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert opened.title() == "Assay: which metric agrees with the raters"
    assert opened.locator(".answer > .rendered").first.inner_text().endswith(HOSTILE)
    assert opened.locator(".forest .row.metric").count() == 2
    assert opened.locator("img").count() == 0
    width = opened.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert width[0] == width[1]  # nothing pushes the page wider than the screen
    assert opened.complaints == []


def test_a_script_that_gets_into_the_page_does_not_run(opened):
    """Even if escaping failed: the policy refuses a script that is not the page's own."""
    opened.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = \"document.title='taken'\"; "
        "document.body.append(s); "
        "document.body.insertAdjacentHTML('beforeend', '<b onclick=\"document.title=1\">x</b>'); "
        "document.body.lastElementChild.click(); }"
    )
    assert opened.title() == "Assay: which metric agrees with the raters"
    assert any("Content Security Policy" in complaint for complaint in opened.complaints)
