"""The rating pages in a real Chromium: hostile texts stay text, keys do everything, narrow screens do not overflow."""

import pytest
from broken_words import UNNAMED_FIELDS
from hostile_texts import HOSTILE_TEXTS
from web_process import hidden_fields, scripts_that_ran

from assay.eval_sets import Sample

httpx = pytest.importorskip("httpx")


@pytest.mark.timeout(300)
def test_no_script_runs_in_forty_hostile_answers(rating_site, page):
    """Each text is a question, an answer, a passage and an id; each rating has it as its reason."""
    samples = [
        Sample(id=f"{number} {text[:50]}", user_input=text, response=text, retrieved_contexts=(text,), language="en")
        for number, text in enumerate(HOSTILE_TEXTS)
    ]
    site = rating_site(samples, guideline=HOSTILE_TEXTS[0], raters=("ada", "<script>bob</script>"))
    with httpx.Client(headers={"origin": site.address}, base_url=site.address, timeout=None) as other:
        other.get(site.links["<script>bob</script>"], follow_redirects=True)
        for text in HOSTILE_TEXTS:
            fields = hidden_fields(other.get("/rate").text) | {"value": "5", "reason": text[:900]}
            assert other.post("/rate", data=fields).status_code == 303
    page.goto(site.links["ada"])
    for text in HOSTILE_TEXTS:
        assert scripts_that_ran(page) == 0
        assert page.title() == "Rate answers · Assay"
        page.locator("#reason").fill(text[:900])
        page.locator('input[name="value"][value="1"]').check(force=True)
        with page.expect_navigation():
            page.locator("button").first.click()
    assert page.get_by_text("Nothing is left for you").is_visible()
    assert len(site.ratings()) == 80
    page.goto(site.coordinator)
    page.wait_for_selector(".disagreement")
    page.wait_for_timeout(500)
    assert scripts_that_ran(page) == 0
    assert "<script>window.ranScripts" in page.locator("main").inner_text()


def test_the_keyboard_rates_undoes_and_helps(rating_site, page):
    samples = [Sample(id=f"s{number}", user_input="How?", response="Press OK.", language="en") for number in range(3)]
    site = rating_site(samples)
    page.goto(site.links["ada"])
    page.keyboard.press("4")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.keyboard.press("s")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert [rating.value for rating in site.ratings()] == [4, None]
    with page.expect_navigation():
        page.keyboard.press("u")
    assert [rating.value for rating in site.ratings()] == [4]
    assert page.locator("#help").is_hidden()
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.locator("#reason").focus()
    page.keyboard.type("1 su?")  # in the field, keys are letters
    assert page.locator("#reason").input_value() == "1 su?"
    assert page.locator('input[name="value"][value="1"]').is_checked() is False


def test_pointing_at_a_sentence_marks_the_words_that_the_passage_shares(rating_site, page):
    sample = Sample(
        id="s", user_input="How?", response="Open the settings. Then wait.", retrieved_contexts=("Settings: press OK.",)
    )
    page.goto(rating_site([sample]).links["ada"])
    page.locator(".sentence").first.hover()
    assert page.locator("mark").all_inner_texts() == ["Settings"]
    page.locator(".sentence").last.hover()
    assert page.locator("mark").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_and_everything_has_a_name(rating_site, open_page, width, scheme):
    sample = Sample(id="s", user_input="x" * 300, response="y" * 300, retrieved_contexts=("z" * 300,))
    site = rating_site([sample])
    page = open_page(width, color_scheme=scheme)
    for link in (site.links["ada"], site.coordinator):
        page.goto(link)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(UNNAMED_FIELDS) == 0


def test_a_sentence_over_several_cells_is_one(rating_site, page):
    answer = "| plan | price |\n|---|---|\n| Basic | 5 euros |"
    page.goto(rating_site([Sample(id="s", user_input="How?", response=answer, language="en")]).links["ada"])
    row = page.locator(".rendered td .sentence")
    row.first.click()
    assert row.locator("input").evaluate_all("boxes => boxes.map(box => box.checked)") == [True, True]
